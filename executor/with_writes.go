package executor

import (
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// overlap keeps the parts of a statement whose WITH writes from seeing each other: all see the rows as they were before
// the statement, and a row that one of them has changed is changed by no other.
type overlap struct {
	before  *store.Mark // of the transaction's writes scans see those before it; nil: all
	changed rowSet      // the keys of rows, each with its space
	held    hold        // until the run is over
}

// parts are those of a statement whose WITH writes.
type parts struct{ frame }

// hideWrites begins to hide the writes of the parts. What writes looks at keys as they are now.
func (f parts) hideWrites() {
	if f.env.before != nil {
		return
	}
	f.env.Parallel = 1 // between the reads are writes
	m := f.env.Txn.Mark()
	f.env.before, f.env.overlap.held = &m, f.hold()
	f.env.changed = newRowSet(&f.env.overlap.held, types.Int8, types.Bytea, types.Bytea)
}

// changed says whether a part of the statement has changed a row, which is given as it was before.
func (f parts) changed(t *table, row types.Row) bool {
	if f.env.before == nil {
		return false
	}
	_, there := f.env.overlap.changed.find(spaceKey(t.rows, row))
	return there
}

// note notes rows that the statement changes.
func (f parts) note(t *table, changes []change) error {
	if f.env.before == nil {
		return nil
	}
	for _, c := range changes {
		for _, row := range []types.Row{c.old, c.new} {
			if row == nil {
				continue
			}
			if _, err := f.env.overlap.changed.add(spaceKey(t.rows, row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// spaceKey is the key of a row, with the space in which it lies.
func spaceKey(l *layout, row types.Row) types.Row {
	k := l.codec.Key(row)
	return types.Row{types.NewInt(int64(l.space.ID)), types.NewBytes(k.Partition), types.NewBytes(k.Sort)}
}

// writingPart is a query of a WITH that writes. It runs once.
type writingPart struct {
	frame
	query plan.Node
	back  *returned // nil: it has not run
}

func (p *writingPart) run() error {
	if p.back != nil {
		return nil
	}
	p.back = newReturned(p.frame, p.query)
	around := p.env.itemCounts
	_, err := p.write(p.query, p.back)
	p.env.itemCounts = around
	return err
}

func (p *writingPart) rows() Rows {
	if err := p.run(); err != nil {
		return failed(err)
	}
	return listed(p.frame, p.back.kept.width, p.back.rows)
}
