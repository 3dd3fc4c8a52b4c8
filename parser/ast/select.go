package ast

// Select is a SELECT; VALUES when Values is set; a set operation when SetOp is set, which
// then has only With, OrderBy, Limit, Offset and Locking beside it.
type Select struct {
	With       *With
	SetOp      *SetOp
	Distinct   bool // also when DistinctOn is set
	DistinctOn []Expr
	Targets    []Target
	From       []From // several items are a cross join
	Where      Expr
	GroupBy    GroupBy
	Having     Expr
	Windows    []Window // WINDOW w AS (...)
	Values     [][]Expr
	OrderBy    []Sort
	Limit      Expr // nil: none
	Offset     Expr
	LimitAll   bool // LIMIT ALL or NULL was written
	WithTies   bool // FETCH FIRST ... WITH TIES
	Locking    []Locking
	Hints      []Hint
	Pos        Pos
}

// With is WITH: queries that others can name.
type With struct {
	Recursive bool
	Queries   []CommonTable
}

// CommonTable is one query of a WITH.
type CommonTable struct {
	Name         string
	Columns      []string // aliases of its columns
	Statement    Statement
	Materialized Materialized
	Search       *Search
	Cycle        *Cycle
	Pos          Pos
}

// Search is SEARCH BREADTH | DEPTH FIRST BY Columns SET Sequence, of a recursive query.
type Search struct {
	Breadth  bool
	Columns  []string
	Sequence string // a column to order by
	Pos      Pos
}

// Cycle is CYCLE Columns SET Mark TO Value DEFAULT Default USING Path, of a recursive query.
type Cycle struct {
	Columns        []string
	Mark           string
	Value, Default Expr // of the column Mark, where rows came back and elsewhere
	Path           string
	Pos            Pos
}

// Materialized says whether a common table runs once.
type Materialized uint8

// It runs once when several name it, unless the query says otherwise.
const (
	MaterializedAlways Materialized = iota + 1
	MaterializedNever
)

// SetOp is UNION, INTERSECT or EXCEPT.
type SetOp struct {
	Kind        SetKind
	All         bool
	Left, Right *Select
}

// SetKind is what a SetOp does.
type SetKind uint8

// The kinds of set operations.
const (
	Union SetKind = iota
	Intersect
	Except
)

// Locking is FOR UPDATE and its kin.
type Locking struct {
	Strength   string // update, no key update, share, key share
	Tables     []Name // empty: all
	NoWait     bool
	SkipLocked bool
	Pos        Pos
}

// Target is one expression of a select list or a RETURNING list.
type Target struct {
	Expr  Expr
	Alias string
	Pos   Pos
}

// Sort is one expression of an ORDER BY.
type Sort struct {
	Expr  Expr
	Desc  bool
	Using string // the operator of USING, which says what Desc else does; empty: none is written
	Nulls NullsOrder
	Pos   Pos // of the operator
}

// GroupBy is GROUP BY, without items where there is none.
type GroupBy struct {
	Items []Grouping
	Once  bool // GROUP BY DISTINCT
}

// Grouping is an item of GROUP BY: an expression, or what stands for several sets of expressions.
type Grouping struct {
	Kind  GroupingKind
	Expr  Expr       // of GroupingExpr
	Parts []Grouping // of the others
	Pos   Pos
}

// GroupingKind is what an item of GROUP BY is.
type GroupingKind uint8

// The kinds of items.
const (
	GroupingExpr GroupingKind = iota
	GroupingList              // expressions in parentheses, perhaps none
	GroupingRollup
	GroupingCube
	GroupingSets
)

// NullsOrder says where NULLs sort.
type NullsOrder uint8

// The orders of NULLs. The default is last in ascending and first in descending order.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// From is an item of a FROM list.
//
//sumtype:decl
type From interface{ from() }

// FromTable is a table or view, or a common table, by name.
type FromTable struct {
	Name    Name
	Alias   string
	Columns []string // aliases of its columns
	Sample  *Sample  // nil: all of it
}

// Sample is TABLESAMPLE.
type Sample struct {
	Method     string
	Args       []Expr
	Repeatable Expr // nil: another sample each time
	Pos        Pos  // of the method
}

// FromSelect is a subquery in FROM.
type FromSelect struct {
	Select  *Select
	Lateral bool
	Alias   string
	Columns []string
	Pos     Pos
}

// FromFunction is functions in FROM, side by side when there are several: ROWS FROM (...).
type FromFunction struct {
	Calls      []Expr // Calls, or what SQL has syntax for, such as current_date
	Lateral    bool
	Ordinality bool
	Alias      string
	Columns    []string
	Types      []TypeName // AS t(a int, b text); parallel to Columns, nil without types
	TypesPos   Pos
	Lists      []ColumnList // those of ROWS FROM (f(...) AS (a int, b text))
	Pos        Pos
}

// ColumnList is the columns that a query defines for a function.
type ColumnList struct {
	Names []string
	Types []TypeName
	Call  int // its place in Calls
	Pos   Pos
}

// FromJoin is a join. An alias hides the names of both sides.
type FromJoin struct {
	Kind        JoinKind
	Left, Right From
	Natural     bool
	Using       []ColumnName
	UsingAlias  string
	On          Expr // nil for CROSS, NATURAL and USING
	Alias       string
	Columns     []string
	Pos         Pos
}

// JoinKind says which rows without a partner a join keeps.
type JoinKind uint8

// The kinds of joins.
const (
	InnerJoin JoinKind = iota // also CROSS
	LeftJoin
	RightJoin
	FullJoin
)

func (*FromTable) from()    {}
func (*FromSelect) from()   {}
func (*FromFunction) from() {}
func (*FromJoin) from()     {}
