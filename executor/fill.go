package executor

import (
	"context"
	"time"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Fill is one step of making the entries of rows that were there before their index was kept.
type Fill struct {
	Table plan.Indexed
	Index *catalog.Index
	// Range has the rows that the step is about: all, or a segment.
	Range store.Range
	After *store.Key // of the last row of the step before; nil: there was none
	Most  int        // rows
	Now   time.Time  // for rows that expire
	// Guard says that the rows are written back as they are, since the store has no Snapshots: it cannot tell that
	// an entry was put and deleted again. Otherwise the entries are guarded.
	Guard bool
}

// Filled is how far a Fill has come.
type Filled struct {
	Rows  int
	Last  *store.Key  // of the last row; nil: there was none
	Stats store.Stats // of what was read
}

// Do makes the entries of some rows in a transaction. The writers of rows write to the same keys
// of the index, so the transaction can be committed only if none of the rows has changed
// meanwhile. It does not keep the writers from their commits. An entry that is there is made again: a writer
// has made it, or a step of which it is not known how it ended. Fewer rows than Most are the last ones.
func (f *Fill) Do(ctx context.Context, txn store.Txn, tables *Tables) (Filled, error) {
	b, err := IndexBuild{Tables: tables, Table: f.Table, Index: f.Index}.builder(ctx)
	if err != nil {
		return Filled{}, err
	}
	b.env.Txn, b.watched = txn, !f.Guard
	rows, last, err := f.rows(b)
	if err != nil || len(rows) == 0 {
		return Filled{Stats: b.profile.Stats}, err
	}
	if f.Guard {
		if err := b.writeBack(rows); err != nil {
			return Filled{}, err
		}
	}
	if !f.Index.Follows {
		err = f.fillAlive(b, rows)
	}
	return Filled{Rows: len(rows), Last: last, Stats: b.profile.Stats}, err
}

// writeBack writes rows that were read to be remembered as they are, so that the commit fails if
// one of them has changed. They carry their keys in indexes that the store keeps.
func (b *builder) writeBack(rows []types.Row) error {
	l := b.table.rows
	for _, row := range rows {
		if err := b.compute(row); err != nil {
			return err
		}
		item := store.Item{Key: l.codec.Key(row), Values: l.item(nil, row)}
		if err := b.putItem(l, item, store.Unchanged); err != nil {
			return b.storeError(err, "put into", l.space.Name)
		}
	}
	return nil
}

// rows reads the next rows, and gives the key of the last one.
func (f *Fill) rows(b *builder) ([]types.Row, *store.Key, error) {
	l := b.table.rows
	var out []types.Row
	last := &store.Key{}
	kept := slab{width: len(l.stored)}
	scan := &store.Scan{
		Range: f.Range, Columns: l.columns(l.stored), After: f.After, Enough: f.Most, Remember: f.Guard || f.Table.TTL != nil,
		Stats: &b.profile.Stats,
		Keys: func(k store.Key) {
			last.Partition, last.Sort = append(last.Partition[:0], k.Partition...), append(last.Sort[:0], k.Sort...)
		},
	}
	for batch, err := range b.env.Txn.Scan(b.ctx, l.space, scan) {
		if err != nil {
			return nil, nil, b.storeError(err, "scan", l.space.Name)
		}
		for i := range batch.Len() {
			out = append(out, kept.keep(batch.Row(i)))
		}
		if len(out) >= f.Most {
			break
		}
	}
	return out, last, nil
}

// complete writes the entries of rows, as they are where they are there already. Keys that are
// taken may be released before that is an error.
func (b *builder) complete(changes []change, release func([]placement) error) error {
	if err := b.prepare(changes); err != nil {
		return err
	}
	placements, err := b.leave(changes)
	if err != nil {
		return err
	}
	if err := b.recognize(changes, placements); err != nil {
		return err
	}
	if err := release(placements); err != nil {
		return err
	}
	claimed := newClaims(len(changes))
	for i, c := range changes {
		if _, err := b.claim(c, placements[i*len(b.layouts):][:len(b.layouts)], claimed); err != nil {
			return err
		}
	}
	return b.putAll(changes, placements)
}

// recognize looks which unique keys are taken, and by which rows.
func (b *builder) recognize(changes []change, placements []placement) error {
	l, key := b.index, b.table.KeyOrdinals()
	get := &store.Get{Columns: l.columns(key), Remember: true, Stats: &b.profile.Stats}
	var asked []int
	for i, p := range placements {
		if p.alone {
			asked, get.Keys = append(asked, i), append(get.Keys, p.key)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	owners := types.NewBatch(len(key))
	found, err := b.env.Txn.Get(b.ctx, l.space, get, owners)
	if err != nil {
		return b.storeError(err, "get from", l.space.Name)
	}
	for at, i := range asked {
		switch p := &placements[i]; {
		case !found[at]:
		case b.owns(changes[i].new, owners.Row(at)):
			p.alone = false
		default:
			p.taken = true
		}
	}
	return nil
}

// Counted is what a table and an index hold.
type Counted struct {
	Rows    int64 // of the table
	Held    int64 // how many entries the index should have for them
	Entries int64
}

// Count counts the rows of the table and the entries of the index as a transaction sees them. It
// rests behind each batch.
func (f *Fill) Count(ctx context.Context, txn store.Txn, tables *Tables, rest func()) (n Counted, err error) {
	b, err := IndexBuild{Tables: tables, Table: f.Table, Index: f.Index}.builder(ctx)
	if err != nil {
		return n, err
	}
	for batch, err := range everything(ctx, txn, tables, f.Table.Table) {
		if err != nil {
			return n, err
		}
		rest()
		n.Rows += int64(batch.Len())
		for i := range batch.Len() {
			held, err := b.entriesOf(batch.Row(i))
			if err != nil {
				return n, err
			}
			n.Held += held
		}
	}
	entries := plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: f.Index}}}
	all := plan.Scan{Table: f.Table.Table, Access: &entries}
	for batch, err := range Run(ctx, all, &Env{Txn: txn, Tables: tables, Expr: &expr.Context{}}) {
		if err != nil {
			return n, err
		}
		rest()
		n.Entries += int64(batch.Len())
	}
	return n, nil
}

// entriesOf is how many entries the index should have of a row.
func (b *builder) entriesOf(row types.Row) (int64, error) {
	if b.index.elements == nil {
		held, err := b.holds(0, row)
		return map[bool]int64{true: 1}[held], err
	}
	if err := b.compute(row); err != nil {
		return 0, err
	}
	elements, err := postings{&b.writer}.elementsIn(b.inverted[0], row)
	return int64(len(elements)), err
}

// Check is the error about an index that does not hold what it should.
func (n Counted) Check(x *catalog.Index) error {
	if n.Held == n.Entries {
		return nil
	}
	return sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" has %d entries for %d rows", x.Name, n.Entries, n.Held)
}

// Empty says whether a table has no rows.
func Empty(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table) (bool, error) {
	for batch, err := range everything(ctx, txn, tables, t) {
		if err != nil {
			return false, err
		}
		if batch.Len() > 0 {
			return false, nil
		}
	}
	return true, nil
}
