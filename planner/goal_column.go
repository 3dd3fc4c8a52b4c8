package planner

import (
	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/planner/bind"
)

// inserts notes that a statement gives columns values in new rows.
func (g *goal) inserts(list ...target) {
	for _, to := range list {
		g.writes(to, func(n *bind.Need) *[]int16 { return &n.Inserted })
	}
}

// updates notes that a statement gives a column another value.
func (g *goal) updates(to target) {
	g.writes(to, func(n *bind.Need) *[]int16 { return &n.Updated })
}

// named notes that a statement reads a column by which it finds rows that are there.
func (g *goal) named(to target) {
	bind.Also(g.rel.Needs, catalog.MaySelect)
	g.writes(to, func(n *bind.Need) *[]int16 { return &n.Read })
}

// reads notes that a statement reads columns of the table by which it finds rows that are there.
func (g *goal) reads(columns ...uint32) {
	for _, id := range columns {
		g.named(target{ordinal: g.table.Ordinal(id)})
	}
}

// writes notes a column with what the statement wants to do with the table, and with each view through which it does.
func (g *goal) writes(to target, columns func(*bind.Need) *[]int16) {
	if g.rel.Needs == nil {
		return
	}
	if to.through == 0 {
		privilege.Note(columns(g.rel.Needs[0]), int16(g.table.Columns[to.ordinal].ID))
		return
	}
	number := uint32(to.through)
	for i, n := range g.rel.Needs {
		privilege.Note(columns(n), int16(number))
		if at := len(g.of) - 1 - i; at >= 0 && number > 0 {
			number = g.of[at][number-1]
		}
	}
}
