package executor

import (
	"time"

	"zproxy/expr"
	"zproxy/expr/vector"
	"zproxy/types"
)

// filter passes on the rows for which all conditions are true, and counts the others. It
// drops them from the batch that it is given.
func filter(f frame, input Rows, conds []expr.Expr, removed *int64) Rows {
	if len(conds) == 0 {
		return input
	}
	return func(yield func(*types.Batch, error) bool) {
		tests := newTests(conds, f.env.Expr)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			before := 0
			if err == nil {
				before = batch.Len()
				err = tests.keep(batch)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			*removed += int64(before - batch.Len())
			if batch.Len() > 0 && !yield(batch, nil) {
				return
			}
		}
	}
}

// tests are conditions that rows must meet.
type tests struct {
	conds   []expr.Expr
	by      *expr.Context
	byRow   []expr.Predicate
	set     *vector.Set
	vectors []vectorTest // of many rows at once; nil: none came yet
	all     []int32
	sel     []int32
}

// vectorTest is one of the tests of many rows, and what it took so far.
type vectorTest struct {
	*vector.Program
	mayFail    bool
	took       time.Duration
	rows, left int64
}

// rank is what it takes to drop a row (Hellerstein, Stonebraker: Predicate Migration, 1993).
func (t *vectorTest) rank() float64 {
	return float64(t.took) / (float64(t.rows-t.left) + 0.5)
}

func newTests(conds []expr.Expr, by *expr.Context) *tests {
	return &tests{conds: conds, by: by, byRow: expr.Predicates(conds, by)}
}

// fewRows is up to how many rows are tested one by one.
const fewRows = 8

// keep leaves the rows in a batch for which all tests hold. A row that one of them takes out is not tested further.
func (t *tests) keep(batch *types.Batch) error {
	if batch.Len() <= fewRows {
		return keep(batch, t.byRow)
	}
	sel, err := t.choose(batch)
	if err == nil {
		batch.Select(sel)
	}
	return err
}

// choose gives the numbers of the rows for which all tests hold.
func (t *tests) choose(batch *types.Batch) ([]int32, error) {
	if t.vectors == nil { // a statement about few rows does without
		t.set = vector.NewSet(t.by)
		for _, cond := range t.conds {
			p := t.set.Compile(cond)
			t.vectors = append(t.vectors, vectorTest{Program: p, mayFail: p.MayFail()})
		}
	}
	t.set.Begin(batch)
	t.all = rowNumbers(t.all, batch.Len())
	t.sel = append(t.sel[:0], t.all...)
	for i := range t.vectors {
		test, begin, rows := &t.vectors[i], time.Now(), len(t.sel)
		var err error
		if t.sel, err = test.Keep(t.sel); err != nil {
			return nil, err
		}
		test.took += time.Since(begin)
		test.rows, test.left = test.rows+int64(rows), test.left+int64(len(t.sel))
	}
	t.reorder()
	return t.sel, nil
}

// reorder moves a test forward that drops rows for less than the one before it. One that may fail is not moved: it is
// not asked about rows that those before it drop.
func (t *tests) reorder() {
	for i := 1; i < len(t.vectors); i++ {
		before, test := &t.vectors[i-1], &t.vectors[i]
		if !test.mayFail && test.rows > 0 && test.rank() < before.rank() {
			*before, *test = *test, *before
		}
	}
}

// keep leaves the rows in a batch for which all tests hold.
func keep(batch *types.Batch, tests []expr.Predicate) error {
	kept := 0
	for i := range batch.Len() {
		row := batch.Row(i)
		ok, err := all(tests, row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if kept < i {
			copy(batch.Row(kept), row)
		}
		kept++
	}
	batch.Truncate(kept)
	return nil
}

func all(tests []expr.Predicate, row types.Row) (bool, error) {
	for _, test := range tests {
		if ok, err := test(row); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
