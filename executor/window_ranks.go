package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// ranked is windowed for functions that number rows by their order. Each row comes out when it comes in: no partition
// is kept, and no more rows are read than are wanted.
func ranked(f frame, n plan.Window) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		r := newRanking(f, n)
		err := out.each(f.input(n.Input), func(row types.Row) error { return r.next(out, row) })
		if err == errEnough {
			return nil
		}
		return err
	})
}

// ranking numbers the rows of a partition.
type ranking struct {
	*partition
	begun               bool
	over                bool // no more rows of the partition come out
	order, ask          types.Row
	number, rank, dense int64
}

func newRanking(f frame, n plan.Window) *ranking {
	return &ranking{partition: newPartition(f, n), order: make(types.Row, len(n.Order)),
		ask: make(types.Row, len(n.Order))}
}

// next delivers a row with its numbers, if it comes out.
func (r *ranking) next(out *output, row types.Row) error {
	if err := r.count(row); err != nil || r.over {
		return err
	}
	to, err := out.add()
	if err != nil {
		return err
	}
	copy(to, row)
	for i, call := range r.Calls {
		n := r.number
		switch call.Fn.Name {
		case "rank":
			n = r.rank
		case "dense_rank":
			n = r.dense
		}
		to[r.width+i] = types.NewInt(n)
	}
	ok, err := runsOn(r.Window, r.env.Expr, to[r.width:])
	if err == nil && ok {
		return nil
	}
	out.undo()
	if r.over = true; err == nil && len(r.Partition) == 0 {
		return errEnough
	}
	return err
}

// count numbers a row.
func (r *ranking) count(row types.Row) error {
	first, err := r.begins(row)
	if err != nil {
		return err
	}
	for i, k := range r.Order {
		if r.ask[i], err = k.Expr.Eval(r.env.Expr, row); err != nil {
			return err
		}
	}
	if first {
		r.over, r.number, r.rank, r.dense = false, 0, 0, 0
	}
	r.number++
	if first || !sameValues(r.order, r.ask) {
		r.rank, r.dense = r.number, r.dense+1
		r.order, r.ask = r.ask, r.order
	}
	return nil
}

// begins says whether a row is the first of a partition.
func (r *ranking) begins(row types.Row) (bool, error) {
	if err := evaluate(r.probe, r.Partition, r.env.Expr, row); err != nil {
		return false, err
	}
	if r.begun && sameValues(r.key, r.probe) {
		return false, nil
	}
	r.key, r.probe = r.probe, r.key
	if r.begun {
		return true, nil
	}
	r.begun = true
	for _, call := range r.Calls { // frames may be wrong, though these functions look at none
		if _, err := r.offsets(call.Frame); err != nil {
			return false, err
		}
	}
	return true, nil
}
