package ast

func (*Operators) statement() {}

// Operators is CREATE OPERATOR, and ALTER OPERATOR ... SET of the one that Of names.
type Operators struct {
	Name    Name
	Of      *Signature // nil: of a new one
	Options []AggregateOption
}
