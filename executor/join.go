package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// join delivers the pairs of rows of its inputs that belong together, and as its kind says
// the rows without a partner.
func join(f frame, n plan.Join) Rows {
	run := (*joiner).loop
	switch {
	case n.Slots != nil:
		run = (*joiner).lateral
	case n.Method == nil || n.Method.Strategy == plan.Loop:
	case n.Method.Strategy == plan.Hash:
		run = (*joiner).hash
	case n.Method.Strategy == plan.Merged:
		run = (*joiner).merge
	case n.Method.Strategy == plan.Interleaved:
		run = (*joiner).interleaved
	default:
		run = (*joiner).lookup
	}
	return produce(f, plan.Width(n), func(out *output) error {
		done, err := f.share(n)
		defer done()
		if err != nil {
			return err
		}
		return run(newJoiner(out, n))
	})
}

// joiner is one run of a join.
type joiner struct {
	*output
	plan.Join
	left, right int // how many columns the inputs have
	pairs       bool
	test        expr.Predicate // over both rows; nil: true
	both        types.Row      // a pair that does not come out
	compared    int
}

func newJoiner(out *output, n plan.Join) *joiner {
	j := &joiner{output: out, Join: n, left: plan.Width(n.Left), right: plan.Width(n.Right)}
	j.pairs = n.Kind != plan.SemiJoin && n.Kind != plan.AntiJoin
	j.both = make(types.Row, j.left+j.right)
	cond := n.On
	if n.Method != nil {
		cond = n.Method.Residual
	}
	if cond != nil {
		j.test = expr.Predicates([]expr.Expr{cond}, out.env.Expr)[0]
	}
	return j
}

// match says whether two rows are partners, as far as the join's keys do not. A pair comes
// out, unless only one side's rows do.
func (j *joiner) match(left, right types.Row) (bool, error) {
	if err := j.look(); err != nil {
		return false, err
	}
	if !j.pairs {
		if j.test == nil {
			return true, nil
		}
		copy(j.both, left)
		copy(j.both[j.left:], right)
		return j.passes(j.both)
	}
	if err := j.room(); err != nil {
		return false, err
	}
	ok, err := j.passes(j.batch.AppendPair(left, right))
	if !ok {
		j.undo()
	}
	return ok, err
}

// look is called for every pair that is looked at.
func (j *joiner) look() error {
	j.compared++
	return j.canceledAt(j.compared)
}

// passes counts the pairs that the condition drops.
func (j *joiner) passes(both types.Row) (bool, error) {
	if j.test == nil {
		return true, nil
	}
	ok, err := j.test(both)
	if !ok && err == nil {
		j.profile().Removed++
	}
	return ok, err
}

// leftDone delivers what comes of a left row all of whose partners have been met.
func (j *joiner) leftDone(left types.Row, matched bool) error {
	switch {
	case j.Kind == plan.SemiJoin && matched, j.Kind == plan.AntiJoin && !matched:
		return j.append(left)
	case j.Kind == plan.LeftJoin && !matched, j.Kind == plan.FullJoin && !matched:
		row, err := j.add()
		copy(row, left)
		return err
	}
	return nil
}

// rightDone delivers a right row without a partner.
func (j *joiner) rightDone(right types.Row) error {
	row, err := j.add()
	if err == nil {
		copy(row[j.left:], right)
	}
	return err
}

// keepsRight says whether right rows without a partner come out.
func (j *joiner) keepsRight() bool { return j.Kind == plan.RightJoin || j.Kind == plan.FullJoin }

// one says whether a left row needs no more than one partner.
func (j *joiner) one() bool { return !j.pairs }
