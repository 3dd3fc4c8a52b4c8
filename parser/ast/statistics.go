package ast

func (*Statistics) statement() {}

// Statistics is CREATE STATISTICS over columns and expressions of a table, or with a Target ALTER STATISTICS ... SET
// STATISTICS.
type Statistics struct {
	Name    Name     // without a name: made from the columns
	Exists  bool     // IF NOT EXISTS, or of ALTER IF EXISTS
	Kinds   []string // as written; empty: all
	Columns []string // empty for one that is an expression
	Exprs   []Expr   // a column, or an expression
	Texts   []string // of Exprs, empty for columns
	Table   Name
	Target  *int // -1: the usual one
}
