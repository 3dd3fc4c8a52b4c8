package ast

func (*CreateRoutine) statement() {}
func (*AlterRoutine) statement()  {}
func (*Do) statement()            {}
func (*CallProcedure) statement() {}

// CreateRoutine is CREATE [OR REPLACE] FUNCTION or PROCEDURE.
type CreateRoutine struct {
	Name      Name
	Replace   bool
	Procedure bool
	Params    []RoutineParam // RETURNS TABLE has its columns here, too
	Returns   *RoutineType   // nil: the parameters say it
	// Body is the text of AS, or the statements of SQL's own syntax, of which Statements says so.
	Body       string
	HasBody    bool
	Symbol     bool // Body is an object file, and the name of a function in it follows
	Statements bool
	BodyPos    Pos // of the text within the quotes, -1 where the text is not in the statement as it is
	RoutineOptions
}

// RoutineType is a type of a parameter or a result.
type RoutineType struct {
	TypeName
	Set bool
}

// ParamMode is what a parameter is for.
type ParamMode string

// The modes, by the letters of pg_proc.
const (
	InParam       ParamMode = "i"
	OutParam      ParamMode = "o"
	InOutParam    ParamMode = "b"
	VariadicParam ParamMode = "v"
	TableParam    ParamMode = "t"
)

// RoutineParam is a parameter of a function.
type RoutineParam struct {
	Name        string
	Mode        ParamMode
	Type        RoutineType
	Default     Expr
	DefaultText string // the text of Default
}

// RoutineOptions are what CREATE and ALTER say of a function besides. What is nil was not said.
type RoutineOptions struct {
	Language   *string
	Volatility *string // immutable, stable, volatile
	Strict     *bool
	Definer    *bool
	Leakproof  *bool
	Cost, Rows *float64
	Parallel   *string
	Settings   []*Set
}

// Signature names a function by the types of its arguments.
type Signature struct {
	Name
	Args []TypeName
	Any  bool // the types are not said
	// Using is the access method of an operator class or family, or the language of a transform.
	Using string
}

// AlterRoutine is ALTER FUNCTION or PROCEDURE with options.
type AlterRoutine struct {
	Kind ObjectKind
	Of   Signature
	RoutineOptions
}

// Do is DO.
type Do struct {
	Body     string
	Language string
	BodyPos  Pos // of the text
}

// CallProcedure is CALL.
type CallProcedure struct{ Call *Call }
