package executor

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// sort delivers the rows of its input ordered by keys, equal ones as they came. When only
// the first few are wanted it keeps no more of them.
func sort(f frame, n plan.Sort) Rows {
	most, err := wanted(n.Most, f.env.Expr)
	if err != nil {
		return failed(err)
	}
	if most == 0 {
		return nothing
	}
	width := plan.Width(n.Input)
	if most > mostHeaped && n.Each == 0 && sortsColumns(n.Keys) {
		return sortMany(f, n, width, most)
	}
	return produce(f, width, func(out *output) error {
		s := newSorter(f, n.Keys, width, most)
		defer s.close()
		if n.Each > 0 {
			g := newGroupSorter(s, n)
			err := f.each(f.input(n.Input), func(row types.Row) error { return g.add(row, f.env.Expr) })
			if err != nil {
				return err
			}
			return g.each(out.append)
		}
		defer pushFirst(f, n, &s.last)()
		err := f.each(f.input(n.Input), func(row types.Row) error { return s.add(row, f.env.Expr) })
		if err != nil {
			return err
		}
		return s.each(out.append)
	})
}

// mostHeaped is up to how many wanted rows are kept in a heap: more are sorted as columns in less time.
const mostHeaped = 1 << 15

// pushFirst lets a scan below leave out rows whose first key has a prefix behind the last one that is wanted, until it
// is taken back.
func pushFirst(f frame, n plan.Sort, last *atomic.Uint64) (takeBack func()) {
	by := n.Keys[0]
	scan, key, ok := scanOfColumn(n.Input, by.Expr)
	if !ok || !sortsColumns(n.Keys) {
		return func() {}
	}
	last.Store(math.MaxUint64)
	return push(f, scan.Access, pushed{[]expr.Expr{key}, func(keys *keyColumns) func(i int) bool {
		return func(i int) bool { return prefix(by, keys.of[0].Lent(i)) <= last.Load() }
	}, func(p *plan.NodeProfile) *int64 { return &p.Unsorted }})
}

// scanOfColumn finds the scan that has a column of a node, if the nodes between only pass columns on: what they would
// compute of a row that is left out might be an error.
func scanOfColumn(n plan.Node, column expr.Expr) (plan.Scan, expr.Expr, bool) {
	isColumn := func(e expr.Expr) bool { _, is := e.(expr.Column); return is }
	switch n := n.(type) {
	case plan.Scan:
		return n, column, isColumn(column) && takesTests(n)
	case plan.Gather:
		return scanOfColumn(n.Input, column)
	case plan.Project:
		if isColumn(column) && !slices.ContainsFunc(n.Exprs, func(e expr.Expr) bool { return !isColumn(e) }) {
			return scanOfColumn(n.Input, n.Exprs[column.(expr.Column).Index])
		}
	}
	return plan.Scan{}, nil, false
}

// sortMany delivers all rows of an input in order, or at least as many as are wanted: those that come a few at once one
// by one, others as columns.
func sortMany(f frame, n plan.Sort, width int, most int64) Rows {
	return produce(f, width, func(out *output) error {
		var s interface {
			take(*types.Batch) error
			deliver(*output) error
			close()
		}
		var last atomic.Uint64
		if most < math.MaxInt64 {
			defer pushFirst(f, n, &last)()
		}
		for batch, err := range f.input(n.Input) {
			if err == nil {
				err = f.canceled()
			}
			if err != nil {
				return err
			}
			if s == nil {
				if s = newSorter(f, n.Keys, width, most); batch.Len() > fewRows {
					s = newColumnSorter(f, n.Keys, width, wantedRows{most, &last})
				}
				defer s.close()
			}
			if err := s.take(batch); err != nil {
				return err
			}
		}
		if s == nil {
			return nil
		}
		return s.deliver(out)
	})
}

// take takes the rows of a batch.
func (s *sorter) take(batch *types.Batch) error {
	for i := range batch.Len() {
		if err := s.add(batch.Row(i), s.env.Expr); err != nil {
			return err
		}
	}
	return nil
}

// deliver delivers all rows in their order.
func (s *sorter) deliver(out *output) error { return s.each(out.append) }

// sorter keeps the first rows in an order: a heap with the last of them on top, once
// there are as many as are wanted (Knuth, The Art of Computer Programming, volume 3,
// 5.2.3). When it holds too much it writes what it has to a file, in order, and goes on.
type sorter struct {
	frame
	keys []plan.SortKey
	most int64
	rows []sortRow
	kept slab
	next types.Row // where the next row goes
	seen int64
	held hold
	runs []spillRun
	file *spill        // of the runs
	last atomic.Uint64 // the prefix of the last row of those that are kept, if they are as many as are wanted
}

// sortRow is a row behind the values of its keys, with its number in the input. Its prefix is
// of the first key: of two rows with different ones the lesser comes first. Most comparisons
// need look no further.
type sortRow struct {
	prefix  uint64
	values  types.Row
	arrival int64
}

// prefix is the abbreviation of a value of a key. NULLs may share theirs with others.
func prefix(k plan.SortKey, v types.Value) uint64 {
	switch {
	case v.IsNull() && k.NullsFirst:
		return 0
	case v.IsNull():
		return math.MaxUint64
	case k.Desc:
		return ^types.Abbreviate(v)
	}
	return types.Abbreviate(v)
}

func newSorter(f frame, keys []plan.SortKey, width int, most int64) *sorter {
	s := &sorter{frame: f, keys: keys, most: most, held: f.hold()}
	s.kept.width = len(keys) + width
	s.next = s.kept.add()
	return s
}

// close gives back what the sorter holds, and notes how much that was.
func (s *sorter) close() {
	p := s.profile()
	s.held.note(p)
	if s.file != nil {
		p.Spilled += s.file.size
	}
	s.held.release()
	s.file.close()
}

// add takes a row.
func (s *sorter) add(row types.Row, c *expr.Context) error {
	if err := s.evaluate(row, c); err != nil {
		return err
	}
	return s.keep(row)
}

// evaluate computes the keys of a row into next.
func (s *sorter) evaluate(row types.Row, c *expr.Context) error {
	for i, k := range s.keys {
		v, err := k.Expr.Eval(c, row)
		if err != nil {
			return err
		}
		s.next[i] = v
	}
	return nil
}

// keep takes a row whose keys are in next. When it pushes another one out, it takes over
// its memory later.
func (s *sorter) keep(row types.Row) error {
	r := sortRow{prefix: s.prefix(s.next), values: s.next, arrival: s.seen}
	s.seen++
	full := int64(len(s.rows)) == s.most
	if full && s.compare(r, s.rows[0]) > 0 {
		return nil
	}
	copy(s.next[len(s.keys):], row)
	if full {
		s.next, s.rows[0] = s.rows[0].values, r
		s.sink(0)
		s.last.Store(s.rows[0].prefix)
		return nil
	}
	s.rows, s.next = append(s.rows, r), s.kept.add()
	if err := s.held.addRow(r.values); err != nil {
		return err
	}
	if s.held.bytes > s.workMemory() {
		return s.flush()
	}
	if int64(len(s.rows)) == s.most {
		for i := len(s.rows)/2 - 1; i >= 0; i-- {
			if err := s.canceledAt(i); err != nil {
				return err
			}
			s.sink(i)
		}
		s.last.Store(s.rows[0].prefix)
	}
	return nil
}

// flush writes the rows at hand to a file as a run. Then all rows are kept, since which
// come first is only known at the end.
func (s *sorter) flush() error {
	s.most = math.MaxInt64
	s.last.Store(math.MaxUint64)
	if err := sortBy(s.frame, slices.SortFunc, s.rows, s.compare); err != nil {
		return err
	}
	err := s.run(func(file *spill) error {
		for i, r := range s.rows {
			if err := cmp.Or(s.canceledAt(i), file.append(r.values)); err != nil {
				return err
			}
		}
		return nil
	})
	s.held.note(s.profile())
	s.rows, s.kept = s.rows[:0], slab{width: s.kept.width}
	s.next = s.kept.add()
	s.held.release()
	return err
}

// run writes rows to the file as a run.
func (s *sorter) run(write func(*spill) error) error {
	if s.file == nil {
		var err error
		if s.file, err = s.spill(); err != nil {
			return err
		}
	}
	if err := write(s.file); err != nil {
		return err
	}
	run, err := s.file.end()
	s.runs = append(s.runs, run)
	return err
}

// each calls do with all rows in their order.
func (s *sorter) each(do func(types.Row) error) error {
	if s.file != nil {
		if err := s.flush(); err != nil {
			return err
		}
		return s.merged(func(values types.Row) error { return do(values[len(s.keys):]) })
	}
	if err := sortBy(s.frame, slices.SortFunc, s.rows, s.compare); err != nil {
		return err
	}
	for _, r := range s.rows {
		if err := do(r.values[len(s.keys):]); err != nil {
			return err
		}
	}
	return nil
}

// sortBy runs a sort of package slices, which ends with the statement: from then on it is told
// that everything is equal, and has nothing left to move.
func sortBy[T any](f frame, sort func(list []T, compare func(a, b T) int), list []T, compare func(a, b T) int) error {
	var err error
	compared := 0
	sort(list, func(a, b T) int {
		if compared++; err == nil {
			err = f.canceledAt(compared)
		}
		if err != nil {
			return 0
		}
		return compare(a, b)
	})
	return err
}

func (s *sorter) compare(a, b sortRow) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return cmp.Or(compareKeys(s.keys, a.values, b.values), cmp.Compare(a.arrival, b.arrival))
}

// compareKeys orders rows that begin with the values of keys.
func compareKeys(keys []plan.SortKey, a, b types.Row) int {
	for i, k := range keys {
		if order := compareBy(k, a[i], b[i]); order != 0 {
			return order
		}
	}
	return 0
}

// compareBy orders two values of a key.
func compareBy(k plan.SortKey, a, b types.Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull() == k.NullsFirst && (a.IsNull() || b.IsNull()):
		return -1
	case a.IsNull() || b.IsNull():
		return 1
	case k.Desc:
		return types.Compare(b, a)
	}
	return types.Compare(a, b)
}

// sink moves a row down until the rows below it come before it.
func (s *sorter) sink(i int) {
	for {
		last := 2*i + 1
		if last >= len(s.rows) {
			return
		}
		if last+1 < len(s.rows) && s.compare(s.rows[last+1], s.rows[last]) > 0 {
			last++
		}
		if s.compare(s.rows[i], s.rows[last]) > 0 {
			return
		}
		s.rows[i], s.rows[last] = s.rows[last], s.rows[i]
		i = last
	}
}
