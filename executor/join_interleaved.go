package executor

import (
	"fmt"
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// interleaved reads the rows of a parent and of its child in one scan, and joins each row of the child with that of the
// parent, which comes before it.
func (j *joiner) interleaved() error {
	parent, isParent := j.Left.(plan.Scan)
	child, isChild := j.Right.(plan.Scan)
	if !isParent || !isChild || j.keepsRight() {
		return fmt.Errorf("a join of kind %d with %T cannot read both sides at once", j.Kind, j.Right)
	}
	b := &interleavedJoin{joiner: j, row: make(types.Row, j.left), above: newFamilySide(j.below(), parent),
		below: newFamilySide(j.below(j.Left), child)}
	r, err := newReader(b.above.frame, parent)
	if err != nil {
		return err
	}
	rows, err := b.read(r, child)
	if err != nil {
		return err
	}
	b.below.profile.Loops++
	err = j.each(b.above.profileSome(rows, func(*types.Batch) int { return 0 }), func(row types.Row) error {
		if row[j.left+b.key].IsNull() {
			return b.parent(row[:j.left])
		}
		return b.child(row[j.left:])
	})
	if err != nil {
		return err
	}
	return b.done()
}

// interleavedJoin joins rows with the one in front of them.
type interleavedJoin struct {
	*joiner
	above, below familySide
	key          int       // a column of a child's row that is never NULL
	row          types.Row // of the parent
	there        bool      // it is wanted, and the rows behind it with it
	matched      bool
}

// familySide is what is counted of the rows of one table, and asked of them.
type familySide struct {
	frame
	profile *plan.NodeProfile
	tests   []expr.Predicate
}

func newFamilySide(f frame, s plan.Scan) familySide {
	return familySide{f, f.profile(), expr.Predicates(s.Access.Entries().Filter, f.env.Expr)}
}

// wants says whether a row passes the filter of its side.
func (s *familySide) wants(row types.Row) (bool, error) {
	ok, err := all(s.tests, row)
	switch {
	case err != nil:
	case ok:
		s.profile.Rows++
	default:
		s.profile.Removed++
	}
	return ok, err
}

// read reads the rows of both tables that are in the spans of the parent's: in each, the columns of the
// other table are missing.
func (b *interleavedJoin) read(r *reader, child plan.Scan) (Rows, error) {
	of, err := r.env.Tables.of(child.Table)
	if err != nil {
		return nil, err
	}
	both := *r.from
	both.space = r.from.space.With(of.rows.space)
	r.from, r.need = &both, math.MaxInt64
	r.asked = append(r.asked, r.scan.Reads...)
	for _, c := range child.Reads {
		r.asked = append(r.asked, len(both.stored)+c)
	}
	key, ok := b.Method.Keys[0].Right.(expr.Column)
	if !ok {
		return nil, fmt.Errorf("%v is no column of the key of %s", b.Method.Keys[0].Right, child.Table.Name)
	}
	b.key = key.Index
	path, _ := r.scan.Access.Spans()
	in := spanReader{r, path}
	spans, sets, err := in.spans()
	if err != nil || sets == nil {
		return nothing, err
	}
	return r.sequentially(in.rangesOf(spans), false), nil
}

// parent goes on to the next row of the parent.
func (b *interleavedJoin) parent(row types.Row) error {
	if err := b.done(); err != nil {
		return err
	}
	ok, err := b.above.wants(row)
	copy(b.row, row)
	b.there, b.matched = ok, false
	return err
}

// child joins a row of the child with that in front of it.
func (b *interleavedJoin) child(row types.Row) error {
	if !b.there || b.one() && b.matched {
		return nil
	}
	ok, err := b.below.wants(row)
	if err != nil || !ok {
		return err
	}
	if ok, err = b.related(row); err != nil || !ok {
		return err
	}
	ok, err = b.match(b.row, row)
	b.matched = b.matched || ok
	return err
}

// related says whether a row of the child is one of the present parent's, as it is unless its own is lost.
func (b *interleavedJoin) related(row types.Row) (bool, error) {
	for _, k := range b.Method.Keys {
		l, err := k.Left.Eval(b.env.Expr, b.row)
		if err != nil {
			return false, err
		}
		r, err := k.Right.Eval(b.env.Expr, row)
		if err != nil || !types.Equal(l, r) {
			return false, err
		}
	}
	return true, nil
}

// done delivers what comes of a parent's row behind its last child.
func (b *interleavedJoin) done() error {
	if !b.there {
		return nil
	}
	return b.leftDone(b.row, b.matched)
}
