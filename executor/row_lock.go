package executor

import (
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// rowLocker locks a row of a table, with the values that the statement has read.
type rowLocker func(t *table, target *plan.LockTarget, row types.Row) (newest types.Row, v lockVerdict, err error)

// lockVerdict says what has become of a row since it was read.
type lockVerdict uint8

const (
	rowSame    lockVerdict = iota // it is as it was read
	rowChanged                    // it has other values by now, and is to be checked again
	rowGone                       // it was deleted
	rowSkipped                    // another transaction has locked it, and is not waited for
)

// lockRow guards a row until the commit: it is written back as it is, so that the commit fails if another
// transaction has written it meanwhile. So it is never found to have changed before.
func (f frame) lockRow(t *table, _ *plan.LockTarget, row types.Row) (types.Row, lockVerdict, error) {
	item := store.Item{Key: t.rows.codec.Key(row), Values: row}
	if err := f.putItem(t.rows, item, store.Unchanged); err != nil {
		return nil, rowSame, f.storeError(err, "put into", t.rows.space.Name)
	}
	return row, rowSame, nil
}
