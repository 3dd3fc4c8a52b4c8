package analyze

import (
	"zproxy/parser/ast"
	"zproxy/types"
)

// Maker makes expressions of one kind, but for casts and calls of functions.
type Maker[E Typed] interface {
	Surroundings
	Names[E]
	Comparisons[E]
	RowComparisons[E]
	Queries[E]
	Forms[E]
}

// Forms makes expressions of their parts.
type Forms[E Typed] interface {
	// Expr makes an expression that stands inside of another.
	Expr(e ast.Expr) (E, error)
	Constant(v types.Value, t types.T, pos ast.Pos) E
	Form(f Form) (E, error)
	// Grouping is GROUPING(...).
	Grouping(e *ast.GroupingCall) (E, error)
}

// Surroundings are what texts and names of types mean to a statement.
type Surroundings interface {
	Literal(e *ast.Literal) (types.Value, types.T, error)
	Negative(e *ast.Literal) (types.Value, types.T, error)
	TypeNamed(tree ast.TypeName) (types.T, error)
	CollationNamed(name ast.Name) (types.Collation, error)
	// HasSchema says whether there is a schema that a function may be in.
	HasSchema(name string) bool
}

// Names makes what names stand for.
type Names[E Typed] interface {
	Param(e *ast.Param) (E, error)
	Column(e *ast.Column) (E, error)
	// WholeRow is t.* where one value is wanted.
	WholeRow(e *ast.Star) (E, error)
	// Star is t.* where several values may stand.
	Star(e *ast.Star) ([]E, error)
	// FieldsOf are the fields of a row, as far as they are known.
	FieldsOf(row E) Fields
	Field(row E, i int, of Fields) E
}

// Fields are the fields of a row.
type Fields struct {
	Names    []string // nil: they are not known
	Types    []types.T
	Relation string // whose row it is, empty for others
}

// Comparisons makes what compares values. What runs leaves types alone that are held in the same way, so that an index
// serves; what is printed has the operators of pg_operator.
type Comparisons[E Typed] interface {
	Operation(sign string, args []E, pos ast.Pos) (E, error)
	Distinct(left, right E, e *ast.Distinct) (E, error)
	NullIf(left, right E, pos ast.Pos) (E, error)
	// In compares with all items of a list, and says false where each needs a comparison of its own.
	In(e *ast.In, arg E, list []E) (made E, ok bool, err error)
	Quantified(e *ast.Quantified, left, array E) (E, error)
	// Conditions makes those of CASE, and its argument.
	Conditions(e *ast.Case) (arg E, conditions []E, err error)
}

// RowComparisons makes what compares rows that are written out.
type RowComparisons[E Typed] interface {
	// Pairs compares the fields of two rows, each with its counterpart.
	Pairs(sign string, left, right []E, pos ast.Pos) ([]E, error)
	// RowCompare is the comparison by the first pair that differs.
	RowCompare(pairs []E) E
	RowsDistinct(left, right []E, e *ast.Distinct) (E, error)
	RowIsNull(args []E, not bool) (E, error)
}

// Queries makes what belongs to the query that an expression stands in, or has a query of its own.
type Queries[E Typed] interface {
	// MayQuery refuses a subquery where none may stand.
	MayQuery(e *ast.Subquery) error
	// Query makes a query, and the values of its columns in a row that has other values before them.
	Query(s *ast.Select, before int) (query E, columns []E, err error)
	// Subquery makes a value of a type of a query.
	Subquery(query E, kind ast.SubqueryKind, t types.T) E
	// Tested compares values with the columns of a query.
	Tested(query E, e *ast.Subquery, left, columns []E) (E, error)
	// Aggregate calls an aggregate or, with OVER, a window function.
	Aggregate(e *ast.Call) (E, error)
	// Set is a call that may return a set, where one may stand.
	Set(call E, pos ast.Pos) (E, error)
}
