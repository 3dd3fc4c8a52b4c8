package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// writeChunk is how many rows are checked and written together.
const writeChunk = 4096

// insert writes the rows of its input. They are all read before the first is written, so
// that the statement does not meet its own rows; only what a client streams, which reads
// nothing, is written as it comes.
func insert(f frame, n plan.Insert) (int64, error) {
	w, err := newWriter(f, n.Table)
	if err != nil {
		return 0, err
	}
	if n.Conflict == plan.ConflictNothing {
		w.yields = arbiter(n)
	}
	streaming := streams(n.Input)
	kept := slab{width: len(n.Table.Columns)}
	var rows []types.Row
	total := int64(0)
	for batch, err := range f.input(n.Input) {
		if err != nil {
			return 0, err
		}
		for i := range batch.Len() {
			rows = append(rows, kept.keep(batch.Row(i)))
		}
		if streaming && len(rows) >= writeChunk {
			made, err := w.insert(rows, n.Overwrite)
			if err != nil {
				return 0, err
			}
			total += made
			rows, kept = rows[:0], slab{width: kept.width}
		}
	}
	for chunk := range slices.Chunk(rows, writeChunk) {
		made, err := w.insert(chunk, n.Overwrite)
		if err != nil {
			return 0, err
		}
		total += made
	}
	return total, nil
}

// streams says whether all that a plan reads comes from the client.
func streams(n plan.Node) bool {
	in := n.Inputs()
	if len(in) == 0 {
		_, ok := n.(plan.Stream)
		return ok
	}
	return streams(in[0])
}

// arbiter says on which unique keys a conflict drops the row.
func arbiter(n plan.Insert) func(*layout) bool {
	return func(l *layout) bool {
		switch {
		case n.Primary:
			return l.index == nil
		case n.Arbiter != nil:
			return l.index != nil && l.index.ID == n.Arbiter.ID
		}
		return true
	}
}

// insert writes rows that are the writer's to change.
func (w *writer) insert(rows []types.Row, overwrite bool) (int64, error) {
	changes := make([]change, len(rows))
	for i, row := range rows {
		for c := range w.table.Columns {
			if w.table.Columns[c].Hidden && row[c].IsNull() {
				row[c] = types.NewInt(w.env.Tables.nextRowID())
			}
		}
		if err := w.checkNotNull(row); err != nil {
			return 0, err
		}
		changes[i].new = row
	}
	if !overwrite || w.table.PrimaryKey == "" {
		return w.apply(changes)
	}
	changes, err := w.replaced(changes)
	if err != nil {
		return 0, err
	}
	_, err = w.apply(changes)
	return int64(len(rows)), err
}

// replaced finds the rows that stand where rows are to be inserted. Of several rows with
// one key the last one is written.
func (w *writer) replaced(changes []change) ([]change, error) {
	l := w.table.rows
	get := store.Get{Columns: l.stored, Remember: true, Stats: &w.stats}
	place := map[string]int{}
	var out []change
	for _, c := range changes {
		key := l.codec.Key(c.new)
		id := claimKey(0, key)
		if at, ok := place[id]; ok {
			out[at] = c
			continue
		}
		place[id] = len(out)
		out, get.Keys = append(out, c), append(get.Keys, key)
	}
	old := types.NewBatch(len(l.stored))
	found, err := w.env.Txn.Get(w.ctx, l.space, &get, old)
	if err != nil {
		return nil, w.storeError(err, "get from", l.space.Name)
	}
	for i, ok := range found {
		if ok {
			out[i].old = old.Row(i)
		}
	}
	return out, nil
}
