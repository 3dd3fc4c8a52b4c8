package analyze

import (
	"zproxy/parser/ast"
	"zproxy/types"
)

// Form is one expression over parts that are made. What is printed is a tree of forms, whose parts are forms, too; what
// runs is made of one form after the other.
//
//sumtype:decl
type Form interface {
	Typed
	form()
}

// Logic is AND, OR and NOT.
type Logic[E Typed] struct {
	Op   string
	Args []E
}

// IsNull is IS [NOT] NULL.
type IsNull[E Typed] struct {
	Arg E
	Not bool
}

// IsBool is IS [NOT] TRUE, FALSE or UNKNOWN.
type IsBool[E Typed] struct {
	Arg  E
	What ast.IsWhat
	Not  bool
}

// Alternatives is COALESCE, GREATEST or LEAST.
type Alternatives[E Typed] struct {
	Name string
	Args []E
	T    types.T
}

// Case is CASE with its results brought to one type.
type Case[E Typed] struct {
	Arg                 E
	Conditions, Results []E
	Else                E
	T                   types.T
}

// Array is ARRAY[...] with its items brought to one type.
type Array[E Typed] struct {
	Items  []E
	Nested bool // the items are arrays
	T      types.T
}

// Subscript is a[i] or, with a slice, a[i:j].
type Subscript[E Typed] struct {
	Arg     E
	Indexes []Index[E]
	T       types.T
	Slice   bool
}

// Index is what stands in one pair of brackets. Without a slice there is only High.
type Index[E Typed] struct{ Low, High E }

// Row is ROW(...), a record or a row of a relation.
type Row[E Typed] struct {
	Args []E
	T    types.T
	Pos  ast.Pos
}

// Collate is COLLATE.
type Collate[E Typed] struct {
	Arg  E
	Name ast.Name
	To   types.Collation
	Pos  ast.Pos
}

// JSONQuery is JSON_EXISTS, JSON_VALUE or JSON_QUERY.
type JSONQuery[E Typed] struct {
	Tree    *ast.JSONQuery
	Args    []E // the document, the path, and the values of its variables
	OnEmpty replacement[E]
	OnError replacement[E]
	T       types.T
}

// replacement is what comes in the place of what is not found or fails.
type replacement[E Typed] struct {
	Word  string // empty: what is so without a clause
	Value E      // of an error, nothing
}

// Type implements Typed.
func (f *JSONQuery[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Logic[E]) Type() types.T { return types.Bool }

// Type implements Typed.
func (f *IsNull[E]) Type() types.T { return types.Bool }

// Type implements Typed.
func (f *IsBool[E]) Type() types.T { return types.Bool }

// Type implements Typed.
func (f *Alternatives[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Case[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Array[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Subscript[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Row[E]) Type() types.T { return f.T }

// Type implements Typed.
func (f *Collate[E]) Type() types.T { return f.Arg.Type().In(f.To) }

func (f *JSONQuery[E]) form()    {}
func (f *Logic[E]) form()        {}
func (f *IsNull[E]) form()       {}
func (f *IsBool[E]) form()       {}
func (f *Alternatives[E]) form() {}
func (f *Case[E]) form()         {}
func (f *Array[E]) form()        {}
func (f *Subscript[E]) form()    {}
func (f *Row[E]) form()          {}
func (f *Collate[E]) form()      {}
