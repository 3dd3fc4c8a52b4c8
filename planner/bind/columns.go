package bind

import (
	"iter"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/planner/plan"
	"zproxy/types"
)

// ColumnsOf are the columns of a relation that can be named; those of nil are none. The number of a
// column stays when it is renamed.
func ColumnsOf(r catalog.Relation) iter.Seq2[catalog.Bound, types.T] {
	return func(yield func(catalog.Bound, types.T) bool) {
		switch r := r.(type) {
		case *catalog.Table:
			for _, c := range r.Columns {
				if !c.Hidden && !yield(catalog.Bound{ID: c.ID, Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.View:
			for i, c := range r.Columns {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.Virtual:
			for i, c := range r.Columns {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.Sequence:
			for i, c := range system.SequenceRow.Out {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, types.Of(c.Type)) {
					return
				}
			}
		}
	}
}

// Origin is the column that an expression is, with its table, or a new column. One that a join has merged
// with another may have lost its modifier, and is then new.
func (s *Scope) Origin(e expr.Expr, name string) plan.Column {
	for i := range s.Relations {
		r := &s.Relations[i]
		at := r.ordinal(e)
		if at >= 0 && r.Cols[at].Type.Mod == e.Type().Mod && r.Cols[at].Type.Domain == e.Type().Domain {
			col := r.Cols[at]
			col.Name = name
			return col
		}
	}
	t := e.Type()
	if t.OID == types.OIDInvalid {
		t = types.Unknown
	}
	return plan.Column{Name: name, Type: t}
}

// ordinal is which column of the relation an expression is, -1 if it is none.
func (r *Relation) ordinal(e expr.Expr) int {
	if r.Exprs != nil {
		return slices.IndexFunc(r.Exprs, func(x expr.Expr) bool { return expr.Equal(x, e) })
	}
	c, ok := e.(expr.Column)
	if i := c.Index - r.First; ok && i >= 0 && i < len(r.Cols) {
		return i
	}
	return -1
}
