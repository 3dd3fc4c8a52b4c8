package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/types"
)

// lockRows passes on the rows of its input whose tables' rows it could lock. Each goes out by itself, so that no
// further one is locked unless it is asked for.
func lockRows(f frame, n plan.LockRows) Rows { return lockRowsBy(f, n, f.lockTarget) }

func lockRowsBy(f frame, n plan.LockRows, by rowLocker) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		l, err := newLocking(f, n, by)
		if err != nil {
			return err
		}
		return out.each(f.input(n.Input), func(row types.Row) error {
			kept, err := l.lock(row)
			if err != nil || !kept {
				return err
			}
			if err := out.append(row); err != nil {
				return err
			}
			return out.flush()
		})
	})
}

// locking locks the rows of tables that rows of the input are made of.
type locking struct {
	frame
	node plan.LockRows
	of   []lockedRows
	by   rowLocker
}

// lockedRows are those of one of these tables.
type lockedRows struct {
	*plan.LockTarget
	tables []*table  // its partitions, or itself
	at     []int     // where its columns are in the input
	row    types.Row // the present one
}

func newLocking(f frame, n plan.LockRows, by rowLocker) (*locking, error) {
	l := &locking{frame: f, node: n, by: by, of: make([]lockedRows, len(n.Targets))}
	for i := range n.Targets {
		t := &n.Targets[i]
		one := lockedRows{LockTarget: t, row: make(types.Row, len(t.Row))}
		for _, of := range t.Leaves() {
			leaf, err := f.env.Tables.of(of)
			if err != nil {
				return nil, err
			}
			one.tables = append(one.tables, leaf)
		}
		for _, e := range t.Row {
			one.at = append(one.at, e.(expr.Column).Index)
		}
		l.of[i] = one
	}
	return l, nil
}

// lock locks what a row of the input is made of, and says whether it comes out. What was written meanwhile is put
// into it. Whether a row comes out, and with what values, depends on nothing that is not durable.
func (l *locking) lock(row types.Row) (bool, error) {
	anew := false
	for i := range l.of {
		newest, verdict, err := l.of[i].lock(l.env.Expr, row, l.by)
		switch {
		case err != nil:
			return false, err
		case verdict == rowSkipped || verdict == rowGone && l.of[i].Wait == rowlock.Skip:
			return false, nil // nor would it come out while the other transaction has it locked
		case verdict == rowGone:
			return false, l.env.Txn.AwaitDurable(l.ctx)
		case verdict == rowChanged:
			l.of[i].put(row, newest)
			anew = true
		}
	}
	if !anew {
		return true, nil
	}
	if err := l.env.Txn.AwaitDurable(l.ctx); err != nil {
		return false, err
	}
	return l.recheck(l.node.Recheck, row)
}

// lock locks the row of one table.
func (t *lockedRows) lock(c *expr.Context, row types.Row, by rowLocker) (types.Row, lockVerdict, error) {
	for i, at := range t.at {
		t.row[i] = row[at]
	}
	leaf := 0
	if p := t.Partitions; p != nil {
		var err error
		if leaf, _, err = p.Find(c, t.row); err != nil {
			return nil, rowGone, err
		}
	}
	return by(t.tables[leaf], t.LockTarget, t.row)
}

// put puts the newest values of a row of the table into a row of the input.
func (t *lockedRows) put(row, newest types.Row) {
	for i, at := range t.at {
		row[at] = newest[i]
	}
}

// recheck says whether a row that has changed still meets the condition that it was chosen by; nil is none. The
// subqueries of the condition may have the slots of joins below, which go on with the values that they had.
func (f frame) recheck(cond expr.Expr, row types.Row) (bool, error) {
	if cond == nil {
		return true, nil
	}
	c := f.env.Expr
	before := slices.Clone(c.Outer)
	defer func() { c.Outer = before }()
	v, err := cond.Eval(c, row)
	return v.IsTrue(), err
}
