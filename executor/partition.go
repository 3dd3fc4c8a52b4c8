package executor

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// leaves are the writers of the tables that have the rows of one table: of its partitions, or of itself. Keys that
// only one row may have contain the column that divides the rows, so each partition finds its conflicts alone.
type leaves struct {
	*writer                  // of the table itself, which holds no rows if it has partitions
	parts   *plan.Partitions // of the table
	of      []*writer        // made when a first row goes there
}

func newLeaves(f frame, t plan.Indexed, checks []plan.Check, parts *plan.Partitions) (*leaves, error) {
	w, err := newWriter(f, t)
	if err != nil {
		return nil, err
	}
	w.checks = checks
	l := &leaves{writer: w, parts: parts}
	if parts != nil {
		l.of = make([]*writer, len(parts.Of))
	}
	return l, nil
}

// leaf is the writer of a row.
func (l *leaves) leaf(row types.Row) (*writer, error) {
	if l.parts == nil {
		return l.writer, nil
	}
	at, err := findPartition(l.writer, l.parts, row)
	if err != nil {
		return nil, err
	}
	return l.at(at)
}

// at is the writer of a partition.
func (l *leaves) at(i int) (*writer, error) {
	if l.of[i] == nil {
		p := &l.parts.Of[i]
		w, err := newWriter(l.frame, *p)
		if err != nil {
			return nil, err
		}
		w.checks, w.set, w.among, l.of[i] = p.Checks, l.set, l.parts, w
	}
	return l.of[i], nil
}

// check finds what forbids a row where it is to be written.
func (l *leaves) check(row types.Row, policies ...plan.CheckKind) error {
	w, err := l.leaf(row)
	if err != nil {
		return err
	}
	return w.check(row, policies...)
}

// apply makes changes, and counts them. A row that moves is deleted from one partition and inserted into another.
func (l *leaves) apply(changes []change) (int64, error) {
	if l.parts == nil {
		return l.writer.apply(changes)
	}
	lists, waiting := make([][]change, len(l.of)), l.env.outermost().firings.waiting()
	for i := range changes {
		changes[i].from = i
		if err := l.divide(&changes[i], lists); err != nil {
			return 0, err
		}
	}
	for i, list := range lists {
		if len(list) == 0 {
			continue
		}
		w, err := l.at(i)
		if err != nil {
			return 0, err
		}
		if _, err := w.apply(list); err != nil {
			return 0, err
		}
	}
	l.env.outermost().firings.inOrder(waiting)
	return int64(len(changes)), referring{l.writer}.note(changes)
}

// divide adds a change to those of the partitions that it concerns, and notes in it whether the row moves.
func (l *leaves) divide(c *change, lists [][]change) error {
	from, to := -1, -1
	var err error
	if c.old != nil {
		from, err = findPartition(l.writer, l.parts, c.old)
	}
	if c.new != nil && err == nil {
		to, err = findPartition(l.writer, l.parts, c.new)
	}
	switch {
	case err != nil:
		return err
	case from < 0 || to < 0 || from == to:
		i := max(from, to)
		c.moves = from == to && !agree(c.old, c.new, l.parts.Of[i].Table.KeyOrdinals())
		lists[i] = append(lists[i], *c)
	default:
		c.moves = true
		lists[from] = append(lists[from], change{old: c.old, from: c.from, anew: c.anew})
		lists[to] = append(lists[to], change{new: c.new, from: c.from})
	}
	return nil
}

// findPartition is the number of the partition of a table that a row belongs to.
func findPartition(w *writer, parts *plan.Partitions, row types.Row) (int, error) {
	if parts.Bound != nil {
		within, err := parts.Bound.Eval(w.env.Expr, row)
		if err != nil {
			return 0, err
		}
		if !within.IsTrue() {
			return 0, outsideRange(w, row)
		}
	}
	at, stop, err := parts.Find(w.env.Expr, row)
	if err != nil || stop == nil {
		return at, err
	}
	e := sqlerr.New(sqlerr.CheckViolation, "no partition of relation \"%s\" found for row", stop.Table.Name).
		WithDetail("%s", w.detail("Partition key of the failing row contains %s.", func() string {
			var keys, values []string
			for i, key := range stop.Keys {
				keys = append(keys, key.String())
				values = append(values, w.shortText(stop.Values[i], key.Type()))
			}
			return fmt.Sprintf("(%s) = (%s)", strings.Join(keys, ", "), strings.Join(values, ", "))
		}))
	e.Schema, e.Table = stop.Table.Schema, stop.Table.Name
	return 0, e
}

// outsideRange is the error about a row that is written to a partition to which it does not belong.
func outsideRange(w *writer, row types.Row) error {
	err := sqlerr.New(sqlerr.CheckViolation, "new row for relation \"%s\" violates partition constraint",
		w.table.Name).
		WithDetail("%s", w.detail("Failing row contains (%s).", func() string { return w.rowText(row) }))
	err.Schema, err.Table = w.table.Schema, w.table.Name
	return err
}

// inserters are those of the tables that have the rows of one table.
type inserters struct {
	first *inserter   // of the table itself
	of    []*inserter // of its partitions, made when a first row goes there
}

func newInserters(f frame, n plan.Insert, back *returned) (inserters, error) {
	first, err := newInserter(f, n, back)
	s := inserters{first: first}
	if n.Partitions != nil {
		s.of = make([]*inserter, len(n.Partitions.Of))
	}
	return s, err
}

// leaf is the inserter of a row.
func (s inserters) leaf(row types.Row) (*inserter, error) {
	if s.first.Partitions == nil {
		return s.first, nil
	}
	at, err := findPartition(&s.first.writer, s.first.Partitions, row)
	if err != nil {
		return nil, err
	}
	return s.at(at)
}

// at is the inserter of a partition.
func (s inserters) at(i int) (*inserter, error) {
	if s.of[i] == nil {
		p := &s.first.Partitions.Of[i]
		in, err := newInserter(s.first.frame, s.first.Into(p), s.first.back)
		if err != nil {
			return nil, err
		}
		in.parts, in.number, s.of[i] = s.first.Partitions, i, in
		in.among = in.parts
	}
	return s.of[i], nil
}

// complete fills in what only the table of a row knows of it, and checks it. It says false if the row is not wanted.
func (s inserters) complete(row types.Row) (bool, error) {
	in, err := s.leaf(row)
	if err != nil {
		return false, err
	}
	return in.complete(row)
}

// completeAll completes rows, and leaves out those that are not wanted.
func (s inserters) completeAll(rows []types.Row) ([]types.Row, error) {
	out := make([]types.Row, 0, len(rows))
	for _, row := range rows {
		kept, err := s.complete(row)
		if err != nil {
			return nil, err
		}
		if kept {
			out = append(out, row)
		}
	}
	return out, nil
}

// insert writes rows. They have been completed if there are the lines of the client's data that they are from. What
// is returned of them is in their order.
func (s inserters) insert(rows []types.Row, lines []int64) error {
	if s.first.Partitions == nil {
		s.first.lines = lines
		return s.first.insert(rows)
	}
	if lines == nil { // triggers see the rows in their order, whatever partitions these are in
		var err error
		if rows, err = s.completeAll(rows); err != nil {
			return err
		}
		lines = make([]int64, len(rows)) // they are of no client's data
	}
	groups, err := s.groups(rows, lines)
	if err != nil {
		return err
	}
	env := s.first.env.outermost()
	start, waiting := len(s.first.back.rows), env.firings.waiting()
	var from []int // which rows are returned
	for i, g := range groups {
		if g.rows == nil {
			continue
		}
		in, err := s.at(i)
		if err != nil {
			return err
		}
		in.lines, in.from = g.lines, nil
		queued := env.firings.waiting()
		if err := in.insert(g.rows); err != nil {
			return err
		}
		env.firings.renumber(queued, g.at)
		for _, at := range in.from {
			from = append(from, g.at[at])
		}
	}
	env.firings.inOrder(waiting)
	s.first.back.reorder(start, from)
	return nil
}

// group is the rows for one partition, and where they stand among all.
type group struct {
	rows  []types.Row
	lines []int64
	at    []int
}

func (s inserters) groups(rows []types.Row, lines []int64) ([]group, error) {
	out := make([]group, len(s.of))
	for i, row := range rows {
		at, err := findPartition(&s.first.writer, s.first.Partitions, row)
		if err != nil {
			return nil, err
		}
		g := &out[at]
		g.rows, g.lines, g.at = append(g.rows, row), append(g.lines, lines[i]), append(g.at, i)
	}
	return out, nil
}

// total is how many rows were inserted, or updated for a conflict.
func (s inserters) total() int64 {
	n := s.first.total
	for _, in := range s.of {
		if in != nil {
			n += in.total
		}
	}
	return n
}

// reorder puts rows from a place on into the order of numbers.
func (r *returned) reorder(start int, numbers []int) {
	if r.exprs == nil {
		return
	}
	rows := slices.Clone(r.rows[start:])
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return numbers[a] - numbers[b] })
	for i, at := range order {
		r.rows[start+i] = rows[at]
	}
}

// moves refuses the update of a row for a conflict that would belong to another partition.
func (in *inserter) moves(row types.Row) error {
	if in.parts == nil {
		return nil
	}
	if at, _, err := in.parts.Find(in.env.Expr, row); err != nil || at == in.number {
		return err
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "invalid ON UPDATE specification").
		WithDetail("The result tuple would appear in a different partition than the original tuple.")
}
