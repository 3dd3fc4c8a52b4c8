package bind

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
)

// tableOID is what stands for the column tableoid where its value is the same in all rows.
const tableOID = -2

// ofOneTable says whether all rows of a relation are of its table itself, and the relation has no column of its own
// for the number of the table.
func (r *Relation) ofOneTable() bool {
	return r.Table != nil &&
		!slices.ContainsFunc(r.Cols, func(c plan.Column) bool { return c.Name == tableoid.Name })
}

// AddTableOID adds tableoid behind the other columns, among which * does not have it.
func (r *Relation) AddTableOID(id uint32) {
	at := len(r.Cols)
	r.Cols = append(slices.Clip(r.Cols), tableoid.Column(id))
	if r.Marks != nil {
		r.Marks = append(slices.Clip(r.Marks), 0)
	}
	r.Mark(Hidden|System, func(i int) bool { return i == at })
}

func ambiguous(e *ast.Column) error {
	name := e.Parts[len(e.Parts)-1]
	return sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name).At(int(e.Pos))
}
