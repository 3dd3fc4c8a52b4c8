package expr

import (
	"slices"
	"strings"

	"zproxy/types"
)

// Subplan is the plan of a subquery. Package plan implements it; to expressions it is
// only something that Context.Run can run.
type Subplan interface {
	// Width is how many columns its rows have.
	Width() int
	// Same says whether another one is written alike.
	Same(other Subplan, p *Pairs) bool
}

// Outer is a value of a query further out, by its slot. The operator that runs the inner plan, a
// Subquery or a lateral join, puts the value there before: so within one run of the
// inner plan it is fixed, and an index can be searched by it. Slots are numbered from 0
// within a statement, and no two have one number.
type Outer struct {
	Slot int
	Name string
	T    types.T
}

// Subquery is a value that a plan makes.
//
// Scalar: the only column of the only row, NULL when there is none; with Test what that
// is for the only row.
// Exists: whether there is a row. Array: the only column of all rows.
// Any, All: whether Test holds for any or for all rows, with SQL's three values. Test is
// over a row of the values of Left and then the columns of the plan.
type Subquery struct {
	Kind SubqueryKind
	Plan Subplan
	// Slots are those that Args, which are over the row outside, are put into before the
	// plan runs.
	Slots []int
	Args  []Expr
	// Depends are all slots that the plan reads. When there are none the plan runs once
	// for a statement.
	Depends []int
	Left    []Expr
	Test    Expr
	// NullIsFalse says that what is unknown counts as false.
	NullIsFalse bool
	T           types.T
	Number      int // from 1 within the statement, for EXPLAIN and to tell results apart
}

// SubqueryKind says what value a Subquery makes.
type SubqueryKind uint8

// The kinds.
const (
	ScalarSubquery SubqueryKind = iota
	ExistsSubquery
	ArraySubquery
	AnySubquery
	AllSubquery
)

// Row is a row of values as one value, of type T or a record. Names are those of its fields, nil
// where the query gave none. The whole is NULL where Present, if there is one, is. Relation
// is the name of the relation whose row it is, empty where it is written out.
type Row struct {
	Args     []Expr
	Given    []Expr // Args before what had no type became text; nil: Args
	Names    []string
	Present  Expr
	T        types.T
	Relation string
	Pos      int // 1-based, of the relation's name
}

// RowCompare compares two rows of equal length by their first difference: (a, b) < (1, 2).
// EQ and NE are written out as Compares by the planner.
type RowCompare struct {
	Op          CompareOp
	Left, Right []Expr
}

// Quantified compares with the elements of an array: Arg Op ANY (Array) or ALL. Test is
// over a row of Arg's value and an element's.
type Quantified struct {
	Arg   Expr
	Array Expr
	All   bool
	Op    string // as it was written, for EXPLAIN
	Test  Expr
}

// ArrayOf is ARRAY[...]: an array of elements, or of arrays of one shape when Nested.
type ArrayOf struct {
	Items  []Expr
	Nested bool
	T      types.T
}

// Subscript is an element, a[1], or when Slice is set a part, a[1:2], of an array; of a
// jsonb an element or the value of a key. A bound of a slice that was left out is nil.
type Subscript struct {
	Arg     Expr
	Indexes []Index
	Slice   bool
	T       types.T
}

// Index is one subscript; Low is only set in slices.
type Index struct{ Low, High Expr }

// Field is a field of a record by its place.
type Field struct {
	Arg     Expr
	Ordinal int
	Name    string
	T       types.T
}

func (Outer) expr()      {}
func (Subquery) expr()   {}
func (Row) expr()        {}
func (RowCompare) expr() {}
func (Quantified) expr() {}
func (ArrayOf) expr()    {}
func (Subscript) expr()  {}
func (Field) expr()      {}

// Type implements Expr.
func (e Outer) Type() types.T { return e.T }

// Type implements Expr.
func (e Subquery) Type() types.T { return e.T }

// Type implements Expr.
func (e Row) Type() types.T {
	if e.T.OID == types.OIDInvalid {
		return types.Record
	}
	return e.T
}

// Type implements Expr.
func (RowCompare) Type() types.T { return types.Bool }

// Type implements Expr.
func (Quantified) Type() types.T { return types.Bool }

// Type implements Expr.
func (e ArrayOf) Type() types.T { return e.T }

// Type implements Expr.
func (e Subscript) Type() types.T { return e.T }

// Type implements Expr.
func (e Field) Type() types.T { return e.T }

// Inputs implements Expr.
func (Outer) Inputs() []Expr { return nil }

// Inputs implements Expr. Test is not among them, since it is over another row.
func (e Subquery) Inputs() []Expr { return slices.Concat(e.Args, e.Left) }

// Inputs implements Expr.
func (e Row) Inputs() []Expr {
	if e.Present == nil {
		return e.Args
	}
	return append(slices.Clip(e.Args), e.Present)
}

// Inputs implements Expr.
func (e RowCompare) Inputs() []Expr { return slices.Concat(e.Left, e.Right) }

// Inputs implements Expr. Test is not among them, since it is over another row.
func (e Quantified) Inputs() []Expr { return []Expr{e.Arg, e.Array} }

// Inputs implements Expr.
func (e ArrayOf) Inputs() []Expr { return e.Items }

// Inputs implements Expr.
func (e Subscript) Inputs() []Expr {
	in := []Expr{e.Arg}
	for _, x := range e.Indexes {
		for _, bound := range []Expr{x.Low, x.High} {
			if bound != nil {
				in = append(in, bound)
			}
		}
	}
	return in
}

// Inputs implements Expr.
func (e Field) Inputs() []Expr { return []Expr{e.Arg} }

// WithInputs implements Expr.
func (e Outer) WithInputs([]Expr) Expr { return e }

// WithInputs implements Expr.
func (e Subquery) WithInputs(in []Expr) Expr {
	e.Args, e.Left = in[:len(e.Args):len(e.Args)], in[len(e.Args):]
	return e
}

// WithInputs implements Expr.
func (e Row) WithInputs(in []Expr) Expr {
	if n := len(e.Args); e.Present != nil {
		in, e.Present = in[:n:n], in[n]
	}
	e.Args = in
	return e
}

// WithInputs implements Expr.
func (e RowCompare) WithInputs(in []Expr) Expr {
	e.Left, e.Right = in[:len(e.Left):len(e.Left)], in[len(e.Left):]
	return e
}

// WithInputs implements Expr.
func (e Quantified) WithInputs(in []Expr) Expr { e.Arg, e.Array = in[0], in[1]; return e }

// WithInputs implements Expr.
func (e ArrayOf) WithInputs(in []Expr) Expr { e.Items = in; return e }

// WithInputs implements Expr.
func (e Subscript) WithInputs(in []Expr) Expr {
	e.Arg, in = in[0], in[1:]
	indexes := make([]Index, len(e.Indexes))
	for i, x := range e.Indexes {
		if x.Low != nil {
			indexes[i].Low, in = in[0], in[1:]
		}
		if x.High != nil {
			indexes[i].High, in = in[0], in[1:]
		}
	}
	e.Indexes = indexes
	return e
}

// WithInputs implements Expr.
func (e Field) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// String implements Expr.
func (e Outer) String() string { return e.Name }

// String implements Expr.
func (e Row) String() string {
	if e.Relation != "" {
		return e.Relation + ".*"
	}
	return "ROW(" + list(e.Args) + ")"
}

// String implements Expr.
func (e RowCompare) String() string {
	return "(ROW(" + list(e.Left) + ") " + e.Op.String() + " ROW(" + list(e.Right) + "))"
}

// String implements Expr.
func (e Quantified) String() string {
	word := "ANY"
	if e.All {
		word = "ALL"
	}
	return "(" + e.Arg.String() + " " + e.Op + " " + word + " (" + e.Array.String() + "))"
}

// String implements Expr.
func (e ArrayOf) String() string { return "ARRAY[" + list(e.Items) + "]" }

// String implements Expr.
func (e Subscript) String() string {
	var b strings.Builder
	b.WriteString("(" + e.Arg.String() + ")")
	for _, x := range e.Indexes {
		b.WriteString("[")
		if x.Low != nil {
			b.WriteString(x.Low.String())
		}
		if e.Slice {
			b.WriteString(":")
		}
		if x.High != nil {
			b.WriteString(x.High.String())
		}
		b.WriteString("]")
	}
	return b.String()
}

// String implements Expr.
func (e Field) String() string { return "(" + e.Arg.String() + ")." + e.Name }
