package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// groupSorter is a sorter that keeps the first few rows of each group: of those that agree in the first keys. When it
// holds too much, it keeps all rows from then on, which are more than are wanted.
type groupSorter struct {
	*sorter
	of, most int
	numbers  keyTable
	groups   [][]sortRow // each in order; nil when all rows are kept
	all      bool
	key      []byte
}

func newGroupSorter(s *sorter, n plan.Sort) *groupSorter {
	return &groupSorter{sorter: s, of: n.Of, most: int(n.Each)}
}

// add takes a row.
func (g *groupSorter) add(row types.Row, c *expr.Context) error {
	if g.all {
		return g.sorter.add(row, c)
	}
	if err := g.evaluate(row, c); err != nil {
		return err
	}
	g.key = g.key[:0]
	for _, v := range g.next[:g.of] {
		g.key = types.AppendKey(g.key, v)
	}
	number, there := g.numbers.ofBytes(g.key, true)
	if !there {
		g.groups = append(g.groups, nil)
		if err := g.held.add(int64(len(g.key)) + rowOverhead); err != nil {
			return err
		}
	}
	return g.keepIn(&g.groups[number], row)
}

// keepIn takes a row whose keys are in next into its group. When it pushes another one out, it takes over its memory
// later.
func (g *groupSorter) keepIn(group *[]sortRow, row types.Row) error {
	r := sortRow{prefix: g.prefix(g.next), values: g.next, arrival: g.seen}
	g.seen++
	at, _ := slices.BinarySearchFunc(*group, r, g.compare)
	full := len(*group) == g.most
	if full && at == g.most {
		return nil
	}
	copy(g.next[len(g.keys):], row)
	if full {
		g.next = (*group)[g.most-1].values
		*group = slices.Insert((*group)[:g.most-1], at, r)
		return nil
	}
	*group, g.next = slices.Insert(*group, at, r), g.kept.add()
	if err := g.held.addRow(r.values); err != nil || g.held.bytes <= g.workMemory() {
		return err
	}
	g.gather()
	g.all = true
	return g.flush()
}

// gather gives the rows of the groups to the sorter.
func (g *groupSorter) gather() {
	for _, rows := range g.groups {
		g.rows = append(g.rows, rows...)
	}
	g.groups, g.numbers = nil, keyTable{}
}

// each calls do with all rows in their order.
func (g *groupSorter) each(do func(types.Row) error) error {
	g.gather()
	return g.sorter.each(do)
}
