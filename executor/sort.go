package executor

import (
	"cmp"
	"slices"

	"zproxy/planner/expr"
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
	input := f.input(n.Input)
	return func(yield func(*types.Batch, error) bool) {
		s := newSorter(n, most)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			for i := 0; err == nil && i < batch.Len(); i++ {
				err = s.add(batch.Row(i), f.env.Expr)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		slices.SortFunc(s.rows, s.compare)
		emit(f, len(s.rows), s.kept.width-len(n.Keys), func(i int) types.Row { return s.rows[i].values[len(n.Keys):] }, yield)
	}
}

// sorter keeps the first rows in an order: a heap with the last of them on top, once
// there are as many as are wanted (Knuth, The Art of Computer Programming, volume 3,
// 5.2.3).
type sorter struct {
	keys []plan.SortKey
	most int64
	rows []sortRow
	kept slab
	next types.Row // where the next row goes
	seen int64
}

// sortRow is a row behind the values of its keys, with its place in the input.
type sortRow struct {
	values types.Row
	place  int64
}

func newSorter(n plan.Sort, most int64) *sorter {
	s := &sorter{keys: n.Keys, most: most}
	s.kept.width = len(n.Keys) + len(n.Input.Columns())
	s.next = s.kept.add()
	return s
}

// add takes a row. When it pushes another one out, it takes over its memory later.
func (s *sorter) add(row types.Row, c *expr.Context) error {
	for i, k := range s.keys {
		v, err := k.Expr.Eval(c, row)
		if err != nil {
			return err
		}
		s.next[i] = v
	}
	r := sortRow{values: s.next, place: s.seen}
	s.seen++
	full := int64(len(s.rows)) == s.most
	if full && s.compare(r, s.rows[0]) > 0 {
		return nil
	}
	copy(s.next[len(s.keys):], row)
	if full {
		s.next, s.rows[0] = s.rows[0].values, r
		s.sink(0)
		return nil
	}
	s.rows, s.next = append(s.rows, r), s.kept.add()
	if int64(len(s.rows)) == s.most {
		for i := len(s.rows)/2 - 1; i >= 0; i-- {
			s.sink(i)
		}
	}
	return nil
}

func (s *sorter) compare(a, b sortRow) int {
	for i, k := range s.keys {
		if order := compareBy(k, a.values[i], b.values[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(a.place, b.place)
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

// emit delivers n rows in batches.
func emit(f frame, n, width int, row func(int) types.Row, yield func(*types.Batch, error) bool) {
	out := types.NewBatch(width)
	for i := range n {
		out.Append(row(i))
		if last := i == n-1; !last && !out.Full() {
			continue
		}
		if err := f.canceled(); err != nil {
			yield(nil, err)
			return
		}
		if !yield(out, nil) {
			return
		}
		out.Reset(width)
	}
}
