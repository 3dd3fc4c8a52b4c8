package executor

import (
	"cmp"
	"slices"

	"zproxy/catalog"
)

const (
	// mostGroups is of how many groups of columns of a table it is counted how many values they have together.
	mostGroups = 32
	// mostGrouped is how many columns a group has at the most.
	mostGrouped = 8
)

// groupSurvey is what has been seen of the values that some columns have together.
type groupSurvey struct {
	ids      []uint32 // of the columns, ascending
	at       []int    // of their surveys
	distinct distinctCount
}

// groupsOf are the columns that keys begin with, from two on, of each table and index. A key that no two rows share is
// none: it has as many values as there are rows.
func groupsOf(t *catalog.Table) []groupSurvey {
	var out []groupSurvey
	add := func(columns []uint32) {
		g := groupSurvey{ids: slices.Sorted(slices.Values(columns))}
		if slices.ContainsFunc(out, func(o groupSurvey) bool { return slices.Equal(o.ids, g.ids) }) {
			return
		}
		for _, id := range g.ids {
			at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == id })
			if at < 0 {
				return // an axis, or a normal form
			}
			g.at = append(g.at, at)
		}
		out = append(out, g)
	}
	of := func(l *catalog.Layout) {
		columns := l.Columns()
		if l.Unique {
			columns = columns[:max(len(columns)-1, 0)]
		}
		for n := 2; n <= min(len(columns), mostGrouped); n++ {
			add(columns[:n])
		}
	}
	of(&t.Primary)
	for i := range t.Indexes {
		if t.Indexes[i].Method == catalog.BTree {
			of(&t.Indexes[i].Layout)
		}
	}
	slices.SortStableFunc(out, func(a, b groupSurvey) int { return cmp.Compare(len(b.ids), len(a.ids)) })
	return out[:min(len(out), mostGroups)]
}

// add counts the values of the last row.
func (g *groupSurvey) add(columns []columnSurvey, part int) {
	h := uint64(len(g.at))
	for _, at := range g.at {
		h = mix(h*0x9e3779b97f4a7c15 + columns[at].last)
	}
	g.distinct.add(h, part)
}
