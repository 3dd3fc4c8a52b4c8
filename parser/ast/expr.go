package ast

// Expr is a scalar expression.
//
//sumtype:decl
type Expr interface {
	expr()
	// Position is where the expression is reported, as PostgreSQL does: an operator at
	// its sign, a function at its name.
	Position() Pos
}

// LiteralKind is how a literal was written.
type LiteralKind uint8

// The kinds of literals.
const (
	LiteralNull    LiteralKind = iota
	LiteralBool                // Text is true or false
	LiteralInt                 // digits that fit int8
	LiteralNumeric             // any other number
	LiteralString              // of type unknown
	LiteralBits                // b and binary digits, or x and hexadecimal ones
)

// Literal is a constant.
type Literal struct {
	Kind LiteralKind
	Text string
	Pos  Pos
}

// Param is $n, from 1.
type Param struct {
	Number int
	Pos    Pos
}

// Column is a column reference: c, t.c, s.t.c.
type Column struct {
	Parts []string
	Pos   Pos
}

// Star is * or t.*.
type Star struct {
	Table []string
	Pos   Pos
}

// Operator is a binary operator, or a prefix operator when Left is nil.
type Operator struct {
	Name   string
	System bool // it is written with pg_catalog
	Left   Expr
	Right  Expr
	Pos    Pos
}

// Logic is AND or OR of two or more.
type Logic struct {
	Or   bool
	Args []Expr
	Pos  Pos
}

// Not is NOT.
type Not struct {
	Arg Expr
	Pos Pos
}

// Is is IS [NOT] NULL, TRUE, FALSE or UNKNOWN.
type Is struct {
	Arg  Expr
	What IsWhat
	Not  bool
	Pos  Pos
}

// IsWhat is what Is asks.
type IsWhat uint8

// What Is can ask.
const (
	IsNull IsWhat = iota
	IsTrue
	IsFalse
	IsUnknown
)

// Distinct is Left IS [NOT] DISTINCT FROM Right.
type Distinct struct {
	Left, Right Expr
	Not         bool
	Pos         Pos
}

// Between is Arg [NOT] BETWEEN [SYMMETRIC] Low AND High.
type Between struct {
	Arg, Low, High Expr
	Not            bool
	Symmetric      bool
	Pos            Pos
}

// In is Arg [NOT] IN (List).
type In struct {
	Arg  Expr
	List []Expr
	Not  bool
	Pos  Pos
}

// Like is Arg [NOT] LIKE | ILIKE Pattern [ESCAPE Escape].
type Like struct {
	Arg, Pattern, Escape Expr
	Not                  bool
	Insensitive          bool
	Pos                  Pos
}

// Case is CASE; Arg is nil for the searched form.
type Case struct {
	Arg   Expr
	Whens []When
	Else  Expr
	Pos   Pos
}

// When is one branch of a CASE.
type When struct {
	Cond, Result Expr
	Pos          Pos
}

// Coalesce is COALESCE.
type Coalesce struct {
	Args []Expr
	Pos  Pos
}

// NullIf is NULLIF.
type NullIf struct {
	Left, Right Expr
	Pos         Pos
}

// CurrentOf is WHERE CURRENT OF of UPDATE and DELETE: the row that a cursor is on.
type CurrentOf struct {
	Cursor string
	Pos    Pos
}

// Extreme is GREATEST or LEAST.
type Extreme struct {
	Least bool
	Args  []Expr
	Pos   Pos
}

// Cast is CAST, :: and type 'text'.
type Cast struct {
	Arg  Expr
	Type TypeName
	Pos  Pos
}

// Call is a function or aggregate call; current_date and its like are calls without
// arguments, too.
type Call struct {
	Schema   string // pg_catalog when SQL has syntax for it: extract, timezone, btrim
	Name     string
	Args     []Expr
	ArgNames []string // parallel to Args, "" where the notation is positional; nil: all
	Variadic bool     // the last argument is an array of the rest
	Star     bool     // count(*)
	Distinct bool
	OrderBy  []Sort
	Within   []Sort // WITHIN GROUP (ORDER BY ...)
	Filter   Expr
	Over     *Window
	Syntax   bool // SQL's own syntax for it was written
	Pos      Pos
}

// Window is a window: OVER w, OVER (...), or WINDOW w AS (...).
type Window struct {
	Name        string // of WINDOW w AS
	Ref         string // OVER w, or the w of OVER (w ...)
	Bare        bool   // OVER w: nothing but Ref
	PartitionBy []Expr
	OrderBy     []Sort
	Frame       *Frame
	Pos         Pos
}

// Frame is the frame of a window.
type Frame struct {
	Mode       FrameMode
	Start, End FrameBound
	Between    bool // BETWEEN was written; else End is CURRENT ROW
	Exclude    Exclusion
	Pos        Pos
}

// FrameMode is what the offsets of a frame count.
type FrameMode uint8

// The modes.
const (
	RangeFrame FrameMode = iota
	RowsFrame
	GroupsFrame
)

// FrameBound is one end of a frame.
type FrameBound struct {
	Kind   BoundKind
	Offset Expr // of Preceding and Following
}

// BoundKind is the kind of a FrameBound, in the order of the rows.
type BoundKind uint8

// The bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Exclusion is what a frame leaves out.
type Exclusion uint8

// The exclusions.
const (
	ExcludeNothing Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Subquery is a query in an expression. NOT IN is Not over Any.
type Subquery struct {
	Kind     SubqueryKind
	Select   *Select
	Left     Expr   // of Any and All; several values are a Row
	Operator string // of Any and All; = for IN
	Pos      Pos
}

// SubqueryKind is how a Subquery is used.
type SubqueryKind uint8

// The kinds of subqueries.
const (
	ScalarSubquery SubqueryKind = iota
	ExistsSubquery
	ArraySubquery
	AnySubquery
	AllSubquery
)

// SubqueryColumn is one of the columns that UPDATE ... SET (a, b) = (SELECT ...) assigns;
// the columns of one query share its Select.
type SubqueryColumn struct {
	Select *Select
	Column int // from 0
	Of     int // columns in all
	Pos    Pos
}

// Row is ROW(...) or (a, b).
type Row struct {
	Args []Expr
	Pos  Pos
}

// GroupingCall is GROUPING(...).
type GroupingCall struct {
	Args []Expr
	Pos  Pos
}

// Quantified is Left Operator ANY | ALL (Array).
type Quantified struct {
	Left     Expr
	Operator string
	All      bool
	Array    Expr
	Pos      Pos
}

// ArrayLiteral is ARRAY[...]; nested brackets are ArrayLiterals.
type ArrayLiteral struct {
	Items []Expr
	Pos   Pos
}

// Subscript is a[i], a[i:j].
type Subscript struct {
	Arg     Expr
	Indexes []SubscriptIndex
	Pos     Pos
}

// SubscriptIndex is one pair of brackets; of a slice either bound may be nil.
type SubscriptIndex struct {
	Slice bool
	Low   Expr // of a slice
	High  Expr // the index where there is no slice
}

// Step is a part of a path: subscripts beside each other, or a field where there is a name.
type Step struct {
	Subscripts []SubscriptIndex
	Field      string
}

// Field is (record).name; the name * stands for all fields.
type Field struct {
	Arg  Expr
	Name string
	Pos  Pos
}

// Collate is Arg COLLATE "name".
type Collate struct {
	Arg  Expr
	Name Name
	Pos  Pos
}

// Default is DEFAULT in VALUES and SET.
type Default struct{ Pos Pos }

func (*Literal) expr()        {}
func (*Param) expr()          {}
func (*Column) expr()         {}
func (*Star) expr()           {}
func (*Operator) expr()       {}
func (*Logic) expr()          {}
func (*Not) expr()            {}
func (*Is) expr()             {}
func (*Distinct) expr()       {}
func (*Between) expr()        {}
func (*In) expr()             {}
func (*Like) expr()           {}
func (*Case) expr()           {}
func (*Coalesce) expr()       {}
func (*NullIf) expr()         {}
func (*CurrentOf) expr()      {}
func (*Extreme) expr()        {}
func (*GroupingCall) expr()   {}
func (*Cast) expr()           {}
func (*Call) expr()           {}
func (*Default) expr()        {}
func (*Collate) expr()        {}
func (*Field) expr()          {}
func (*Subscript) expr()      {}
func (*ArrayLiteral) expr()   {}
func (*Quantified) expr()     {}
func (*Row) expr()            {}
func (*SubqueryColumn) expr() {}
func (*Subquery) expr()       {}

// Position implements Expr.
func (e *Literal) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Param) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Column) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Star) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Operator) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Logic) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Not) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Is) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Distinct) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Between) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *In) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Like) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Case) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Coalesce) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *NullIf) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *CurrentOf) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Extreme) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *GroupingCall) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Cast) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Call) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Default) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Subquery) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *SubqueryColumn) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Row) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Quantified) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *ArrayLiteral) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Subscript) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Field) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *Collate) Position() Pos { return e.Pos }
