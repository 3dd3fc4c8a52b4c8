package access

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
)

// lives says whether a condition of a scan is the one that its table's TTL makes. Nearly all
// rows meet it, since those that do not are soon removed: so it narrows the spans of paths that
// are taken anyway, and is no reason to take one.
func lives(s plan.Scan, cond expr.Expr) bool {
	if s.Table.TTL == nil {
		return false
	}
	alive := expr.Renumber(lifetime.Alive(s.Table), func(column int) int { return slices.Index(s.Reads, column) })
	return expr.Equal(cond, alive)
}

// asked are the constraints that the statement itself makes.
func (c *chooser) asked() []constraint {
	if c.scan.Table.TTL == nil {
		return c.constraints
	}
	return slices.DeleteFunc(slices.Clone(c.constraints), func(k constraint) bool { return k.lives })
}
