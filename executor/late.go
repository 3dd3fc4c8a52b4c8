package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/store"
	"zproxy/store/late"
	"zproxy/types"
)

// earlyTests are the conditions of a scan, which its store may check before it makes columns that they do not read.
type earlyTests struct {
	tests
	known  bool          // it is known whether the store should
	late   *late.Columns // nil: it should not
	failed error         // of a condition
	of     *reader
	probes []*probe // of nodes above
}

// leastLate is how many whole numbers are as much work as a text.
const leastLate = 3

// lateOf is what the store may make later, nil if that is hardly anything, or if it is not the reader that checks the
// conditions. They are checked again on what comes.
func lateOf(r *reader) *late.Columns {
	t := r.first
	if t == nil {
		return nil
	}
	if !t.known {
		t.known = true
		if r.parallel() == 1 && !r.keeps() && !r.marks.wanted() && !slices.ContainsFunc(r.filter, mayAct) {
			if !r.looksUp() && r.scan.Access.Entries().Reads == nil {
				t.probes = probesOf(r.frame, r.scan.Access)
			}
			if len(r.filter)+len(t.probes) > 0 {
				t.prepare(r)
			}
		}
	}
	return t.late
}

// prepare finds the columns that are worth making later.
func (t *earlyTests) prepare(r *reader) {
	columns, tested := r.columns(), slices.Clone(r.filter)
	for _, p := range t.probes {
		tested = append(tested, p.keys...)
	}
	read := readBy(tested)
	early := make([]bool, len(columns))
	work := 0
	for at, ordinal := range columns {
		switch {
		case read[at] || ordinal == store.NoColumn:
			early[at] = true
		case r.from.space.Columns[ordinal].Type.Kind().Plain():
			work++
		default:
			work += leastLate
		}
	}
	if work < leastLate {
		return
	}
	t.tests, t.of = *newTests(r.filter, r.env.Expr), r
	t.late = &late.Columns{Early: early, Keep: t.keep}
}

// keep is what late.Columns want.
func (t *earlyTests) keep(batch *types.Batch) ([]int32, error) {
	sel, err := t.choose(batch)
	if err == nil && len(t.probes) > 0 {
		p, before := t.of.profile, t.of.profile.LeftOut()
		sel, err = chooseAll(t.probes, batch, sel, p)
		early := p.LeftOut() - before
		p.Early += early
		p.Stats.Filtered -= early // the store counts them, too
	}
	if err != nil {
		t.failed = err
	}
	return sel, err
}

// readBy are the columns that conditions read.
func readBy(conds []expr.Expr) map[int]bool {
	read := map[int]bool{}
	for _, cond := range conds {
		expr.Columns(cond, read)
	}
	return read
}
