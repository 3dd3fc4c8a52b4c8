package executor

import (
	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/trigger"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// writeChunk is how many rows are checked and written together, or how many keys they may
// stand at.
const writeChunk = 4096

// insert writes the rows of its input. They are all read before the first is written, so
// that the statement does not meet its own rows; only those of a client or for a new table, of
// which nothing is read, are written as they come.
func insert(f frame, n plan.Insert, back *returned) (int64, error) {
	in, err := newInserters(f, n, back)
	if err != nil {
		return 0, err
	}
	f.env.fills = n.Anew
	if n.Anew || streams(n.Input) {
		err := insertStream(f, n, in)
		return in.total(), err
	}
	var rows []types.Row
	held, kept := f.hold(), slab{width: len(n.Table.Columns)}
	defer held.release()
	for batch, err := range f.input(n.Input) {
		if err != nil {
			return 0, err
		}
		for i := range batch.Len() {
			row := kept.keep(batch.Row(i))
			rows = append(rows, row)
			if err := held.addRow(row); err != nil {
				return 0, err
			}
		}
	}
	if in.first.blind = in.first.writesBlindly(rows); in.first.blind {
		in.first.replacing = n.Replaces()
		f.env.Blind.Done, f.env.Blind.Rows = true, rows
	}
	chunk := in.chunk()
	if len(plan.Subqueries(n)) > 0 && !in.first.alone {
		chunk = max(len(rows), 1) // which must not see rows of an earlier chunk
	}
	for done := 0; done < len(rows); done += chunk {
		if err := in.insert(rows[done:min(done+chunk, len(rows))], nil); err != nil {
			return 0, err
		}
	}
	return in.total(), nil
}

// chunk is how many rows are inserted together.
func (in *inserter) chunk() int {
	if in.alone {
		return 1
	}
	return max(writeChunk/in.table.rows.keysPerRow, 1)
}

// chunk is how many rows are inserted together.
func (s inserters) chunk() int { return s.first.chunk() }

// streams says whether all that a plan reads comes from the client.
func streams(n plan.Node) bool {
	in := n.Inputs()
	if len(in) == 0 {
		_, ok := n.(plan.Stream)
		return ok
	}
	return streams(in[0])
}

// line is that of the row which the client sent last, 0 if they are not counted.
func (e *Env) line() int64 {
	if e.Line == nil {
		return 0
	}
	return e.Line()
}

// LineError is an error about a row that a client has streamed, found when others had
// followed.
type LineError struct {
	error
	Line int64 // 0: it is about no line, and found when all had been read
}

// AtLine is an error about a row of the client's data.
func AtLine(err error, line int64) error { return &LineError{err, line} }

// Unwrap gives the error.
func (e *LineError) Unwrap() error { return e.error }

// complete fills in what only the table knows of a row, fires the triggers before it is inserted, and checks it. A
// streamed row is complete before the next one is read. It says false if triggers do not want the row.
func (in *inserter) complete(row types.Row) (bool, error) {
	for i := range in.table.Columns {
		c := &in.table.Columns[i]
		switch {
		case !c.Hidden || !row[i].IsNull() || c.Name == celltime.Deleted:
		case c.Shards > 0:
			row[i] = types.NewInt(int64(in.env.Tables.random(c.Shards)))
		case c.Name == catalog.InsertedAt:
			row[i] = types.TimestampAt(in.env.Expr.Statement)
		case c.Name == celltime.Times:
			row[i] = in.begin()
		default:
			row[i] = types.NewInt(in.env.Tables.nextRowID())
		}
	}
	if kept, err := (firedFor{&in.writer}).before(trigger.Insert, nil, row); err != nil || !kept {
		return false, err
	}
	return true, in.check(row, plan.InsertCheck)
}

// inserter is one run of an Insert.
type inserter struct {
	writer
	plan.Insert
	back   *returned
	total  int64
	upsert *upsert // of ConflictUpdate
	alone  bool    // each row is inserted before triggers see the next one
	// parts and number are those of a partition, and from is which it has returned of the rows that were given last.
	parts  *plan.Partitions
	number int
	from   []int
}

func newInserter(f frame, n plan.Insert, back *returned) (*inserter, error) {
	w, err := newWriter(f, n.Keeps())
	if err != nil {
		return nil, err
	}
	w.checks = n.Checks
	in := &inserter{writer: *w, Insert: n, back: back}
	in.set = assignedBy(n.Set)
	if in.alone, err = (firedFor{&in.writer}).oneByOne(trigger.Insert, n.Partitions); err != nil {
		return nil, err
	}
	switch n.Conflict {
	case plan.ConflictNothing:
		in.yields = arbiter(n)
	case plan.ConflictUpdate:
		in.upsert = newUpsert(in)
		in.looked = in.upsert.arbiters
	}
	if n.Overwrite {
		in.looked = []int{0}
	}
	if n.Stamp != nil {
		in.stamp = *n.Stamp
	}
	if in.table.cells != nil && !n.Anew {
		in.looked = append(in.looked, 0)
	}
	if n.Table.TTL != nil {
		in.looked = nil // an expired row counts as none, and still has its key
	}
	return in, nil
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
func (in *inserter) insert(rows []types.Row) error {
	changes := make([]change, 0, len(rows))
	for i, row := range rows {
		if in.lines == nil {
			if kept, err := in.complete(row); err != nil {
				return err
			} else if !kept {
				continue
			}
		}
		changes = append(changes, change{new: row, from: i})
	}
	var err error
	made, proposed := len(changes), len(changes)
	switch {
	case in.replacing:
		changes, err = blindly{&in.writer}.replace(changes)
	case in.upsert != nil:
		changes, err = in.upsert.resolve(changes)
		if !in.Overwrite {
			made = len(changes)
		}
	case in.Overwrite && in.table.KeyName() != "":
		if changes, err = in.replaced(changes); err == nil {
			err = timed{&in.writer}.overwrite(changes)
		}
	}
	if err != nil {
		return err
	}
	if changes, err = in.merged(changes); err != nil {
		return err
	}
	changes, placements, err := in.resolve(changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.left || in.gone(c.new) {
			continue
		}
		if err := in.back.add(c.new); err != nil {
			return err
		}
		if in.parts != nil {
			in.from = append(in.from, c.from)
		}
	}
	if in.yields != nil {
		made = len(changes)
		in.profile.Met += int64(proposed - made)
	}
	in.total += int64(made)
	if err := in.putAll(changes, placements); err != nil {
		return err
	}
	return note(&in.writer, changes)
}

// merged are changes of which those of new rows are merged with what is left at their keys.
func (in *inserter) merged(changes []change) ([]change, error) {
	if in.Anew || in.upsert == nil && in.Overwrite {
		return changes, nil
	}
	w := timed{&in.writer}
	changes, err := w.split(changes)
	if err != nil {
		return nil, err
	}
	return changes, w.meet(changes, in.free())
}

// replaced finds the rows that stand where rows are to be inserted. Of several rows with
// one key the last one is written.
func (w *writer) replaced(changes []change) ([]change, error) {
	l := w.table.rows
	get := store.Get{Columns: l.stored, Remember: true, Stats: &w.profile.Stats}
	byID := map[string]int{}
	var out []change
	var fresh []bool // which keys were not locked already
	for _, c := range changes {
		keys := l.codec.Everywhere(c.new)
		id := claimKey(0, keys[0])
		if at, ok := byID[id]; ok {
			out[at] = c
			continue
		}
		new, err := unique{w}.lock(l, keys[0])
		if err != nil {
			return nil, err
		}
		byID[id], fresh = len(out), append(fresh, new)
		out, get.Keys = append(out, c), append(get.Keys, keys...)
	}
	old := types.NewBatch(len(l.stored))
	get.Latest = unique{w}.late(l, get.Keys) != nil
	found, err := w.env.Txn.Get(w.ctx, l.space, &get, old)
	if err != nil {
		return nil, w.storeError(err, "get from", l.space.Name)
	}
	for i, ok := range found {
		if ok {
			c := &out[i/l.keysPerRow]
			held, err := unique{w}.holder(l, c.new, old.Row(i), fresh[i/l.keysPerRow])
			if err != nil {
				return nil, err
			}
			if c.old, c.anew = held.row, held.anew; c.old != nil {
				w.stay(c)
			}
		}
	}
	return out, nil
}

// stay leaves a row that is replaced in the shard where it is.
func (w *writer) stay(c *change) {
	for i := range w.table.Columns {
		if w.table.Columns[i].Shards > 0 {
			c.new[i] = c.old[i]
		}
	}
}
