package ast

func (*CreateAggregate) statement() {}

// CreateAggregate is CREATE [OR REPLACE] AGGREGATE.
type CreateAggregate struct {
	Name    Name
	Replace bool
	// Params are the arguments, unless the option basetype says them. Direct is how many of them stand before ORDER BY,
	// negative where there is none.
	Params  []RoutineParam
	OfBase  bool
	Direct  int
	Options []AggregateOption
}

// AggregateOption is an option of an aggregate or an operator: what it says as the name of a function or an operator,
// as a type, as a text.
type AggregateOption struct {
	Name  string
	Func  Name
	Type  *TypeName // nil: it is no type
	Set   bool      // SETOF stands before the type
	Value *string   // nil: it has no value
	Pos   Pos
}
