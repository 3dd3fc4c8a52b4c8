package executor

import (
	"cmp"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/extended"
	"zproxy/planner/plan"
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
	ofKey    bool     // a key begins with them
	distinct distinctCount
}

// groupsOf are the columns that keys begin with, and those that statistics objects ask for.
func groupsOf(t *catalog.Table, computed []plan.Predicate, asked []*catalog.Statistics) []groupSurvey {
	out := groupsOfKeys(t)
	surveys := surveysOf(t, computed)
	for _, x := range asked {
		if !collects(x, extended.Distinct) {
			continue
		}
		for _, columns := range extended.Subsets(x.Members(), 2) {
			if groupOf(out, columns) >= 0 {
				continue
			}
			if g, ok := newGroup(surveys, columns); ok {
				out = append(out, g)
			}
		}
	}
	return out
}

// newGroup is a group of columns, ascending, and expressions; false if one is an axis, or a normal form.
func newGroup(surveys []columnSurvey, columns []uint32) (groupSurvey, bool) {
	g := groupSurvey{ids: columns}
	for _, id := range columns {
		at := slices.IndexFunc(surveys, func(s columnSurvey) bool { return s.of.ID == id })
		if at < 0 || axis.Is(id) {
			return g, false
		}
		g.at = append(g.at, at)
	}
	return g, true
}

// groupOf finds the group of some columns, -1 when there is none.
func groupOf(groups []groupSurvey, columns []uint32) int {
	return slices.IndexFunc(groups, func(g groupSurvey) bool { return slices.Equal(g.ids, columns) })
}

// groupsOfKeys are the columns that keys begin with, from two on, of each table and index. A key that no two rows share
// is none: it has as many values as there are rows.
func groupsOfKeys(t *catalog.Table) []groupSurvey {
	var out []groupSurvey
	surveys := surveysOf(t, nil)
	add := func(columns []uint32) {
		sorted := slices.Sorted(slices.Values(columns))
		if g, ok := newGroup(surveys, sorted); ok && groupOf(out, sorted) < 0 {
			g.ofKey = true
			out = append(out, g)
		}
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

// known is how many values the columns have together in so many rows, of which some were read.
func (g *groupSurvey) known(by *Sampling, rows float64) extended.Group {
	return extended.Group{Columns: g.ids, Distinct: math.Min(g.distinct.estimateAll(by.Parts, by.Of), rows)}
}

// add counts the values of the last row.
func (g *groupSurvey) add(columns []columnSurvey, part int) {
	g.distinct.add(hashOf(g.at, func(at int) uint64 { return columns[at].last }), part)
}
