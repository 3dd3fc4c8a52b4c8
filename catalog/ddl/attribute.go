package ddl

import (
	"slices"

	"zproxy/catalog"
	"zproxy/types"
)

// naming is what takes an attribute of rows of a composite type in an expression: views, policies, and of tables CHECK
// constraints, generated columns and indexes.
func (d *drop) naming(t *catalog.Type, attribute uint32) (out []dependent) {
	row, _ := types.RowOID(t.ID)
	names := func(l *catalog.Literals) bool {
		return l != nil && slices.ContainsFunc(l.Names, func(n catalog.Named) bool {
			return n.Type == row && n.ID == attribute
		})
	}
	add := func(t Target) { out = append(out, dependent{Target: t}) }
	relations, queries := catalog.Queries(d.snap)
	for i, v := range queries {
		if names(v.Read) {
			add(Target{Object: relations[i]})
		}
	}
	for _, of := range d.snap.Tables() {
		for _, c := range of.Checks {
			if names(c.Read) {
				add(Target{Object: of, Check: c.Name})
			}
		}
		for _, p := range of.Policies {
			if p.Using != nil && names(p.Using.Read) || p.Check != nil && names(p.Check.Read) {
				add(Target{Object: of, Policy: p.ID})
			}
		}
		for _, c := range of.Columns {
			if c.Generated != nil && names(&c.Generated.Literals) && !c.Expression() {
				add(Target{Object: of, Column: c.ID})
			}
		}
		for _, x := range of.Indexes {
			where := x.Where != nil && names(&x.Where.Literals)
			if where || slices.ContainsFunc(x.Layout.Columns(), func(id uint32) bool {
				c := &of.Columns[of.Ordinal(id)]
				return c.Expression() && names(&c.Generated.Literals)
			}) {
				add(Target{Object: of, Index: x.ID})
			}
		}
	}
	return out
}
