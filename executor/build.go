package executor

import (
	"context"
	"errors"
	"sync/atomic"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
	"zproxy/types"
)

// Seen counts rows and entries as they are read, for others to look at. nil counts none.
type Seen struct{ n atomic.Int64 }

func (s *Seen) add(n int) {
	if s != nil {
		s.n.Add(int64(n))
	}
}

// Count is how many they are so far.
func (s *Seen) Count() int64 { return s.n.Load() }

// IndexBuild fills the space of an index, which is new and which nothing reads yet, from the
// rows of its table.
type IndexBuild struct {
	Tables *Tables
	Table  plan.Indexed
	Index  *catalog.Index
	Seen   *Seen // the rows
	// Routines runs functions of the catalog that expressions of the index call; nil: none can run.
	Routines expr.Routines
	// Limit bounds what InOwnTxns takes; nil: nothing does.
	Limit *budget.Units
	// Sorted says that the transaction of In finds equal keys by itself.
	Sorted bool
}

// InOwnTxns fills the space in transactions of its own, from the rows as they are when it begins. Rows that are
// written meanwhile are the caller's care.
func (x IndexBuild) InOwnTxns(ctx context.Context, st store.Store) error {
	read, err := st.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer read.Rollback()
	read = x.Limit.Limit(ctx, read, nil)
	if err = x.inOwnTxns(ctx, st, read, true); errors.As(err, new(*store.Duplicate)) {
		return x.inOwnTxns(ctx, st, read, false) // which tells of what rows
	}
	return err
}

// inOwnTxns fills the space from the rows that a transaction sees. If its own ones sort what they write they may find
// by themselves that two rows have one key.
func (x IndexBuild) inOwnTxns(ctx context.Context, st store.Store, read store.Txn, sorted bool) error {
	b, err := x.builder(ctx)
	if err != nil {
		return err
	}
	b.store, b.limit = st, x.Limit
	if err := b.beginBulk(); err != nil {
		return err
	}
	defer func() { b.env.Txn.Rollback() }()
	b.env.Sorted = sorted && b.env.Txn.Adopt() && b.index.keysPerRow == 1 && !b.index.deferrable()
	if err := b.fill(atOnce(ctx, read, x.Tables, b.table.Table)); err != nil {
		return err
	}
	return b.env.Txn.Commit(ctx)
}

// In fills the space in a transaction that goes on, from the rows that it sees.
func (x IndexBuild) In(ctx context.Context, txn store.Txn) error {
	b, err := x.builder(ctx)
	if err != nil {
		return err
	}
	b.env.Txn, b.env.Sorted = txn, x.Sorted
	rows := everything
	if !x.Tables.Store.Snapshots {
		rows = atOnce // the entries are written by another transaction of the store, see cluster.FillNew
	}
	return b.fill(rows(ctx, txn, x.Tables, b.table.Table))
}

// fill writes the entries of rows.
func (b *builder) fill(rows Rows) error {
	kept := slab{width: len(b.table.Columns)}
	var changes []change
	for batch, err := range rows {
		if err != nil {
			return err
		}
		b.seen.add(batch.Len())
		for i := range batch.Len() {
			changes = append(changes, change{new: kept.keep(batch.Row(i))})
		}
		if len(changes) >= writeChunk {
			if err := b.write(changes); err != nil {
				return err
			}
			changes, kept = changes[:0], slab{width: kept.width}
		}
	}
	return b.write(changes)
}

// everything reads all rows of a table, with all columns that are stored.
func everything(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table) Rows {
	return readAll(ctx, &Env{Txn: txn, Tables: tables}, t)
}

// segmentRows is how many rows a segment is to have, so that reading it is worth a request of its own.
const segmentRows = 1000

// atOnce is everything for a transaction that only reads meanwhile: of a table that is known to be large several
// segments at once.
func atOnce(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table) Rows {
	return readAll(ctx, inSegments(txn, tables, t), t)
}

// inSegments is where a table is read at once.
func inSegments(txn store.Txn, tables *Tables, t *catalog.Table) *Env {
	e := &Env{Txn: txn, Tables: tables, Total: &plan.NodeProfile{}}
	if t.Foreign == nil && t.Stats.Known {
		if n := int(min(t.Stats.Rows/segmentRows, float64(tables.Store.Segments))); n > 1 {
			e.parts, e.Parallel = store.Range{}.Segmented(n), n
		}
	}
	return e
}

func readAll(ctx context.Context, e *Env, t *catalog.Table) Rows {
	e.Expr = &expr.Context{}
	all := plan.Access{Path: plan.Whole{}}
	return Run(ctx, plan.Scan{Table: t, Reads: t.StoredOrdinals(nil), Access: &all}, e)
}

// builder writes entries of one index.
type builder struct {
	writer
	index *layout     // that of the writer
	store store.Store // nil: the entries are part of a transaction that goes on
	limit *budget.Units
	seen  *Seen
}

func (x IndexBuild) builder(ctx context.Context) (*builder, error) {
	f := frame{ctx: ctx, env: &Env{Tables: x.Tables, Expr: &expr.Context{Env: &types.Env{}, Routines: x.Routines}}}
	f.interruptible()
	w, err := newWriter(f, x.Table)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(x.Table.Table, x.Index)
	if err != nil {
		return nil, err
	}
	b := &builder{writer: *w, seen: x.Seen}
	b.index, b.layouts, b.inverted = l, nil, nil
	if l.elements != nil {
		b.inverted, err = newInvertings([]*layout{l}, x.Table.Holds, f.env.Expr)
	} else {
		b.layouts = []*layout{l}
		b.partial, err = partial(b.layouts, x.Table.Holds, f.env.Expr)
	}
	if err != nil {
		return nil, err
	}
	b.violation = func(l *layout, row types.Row) error {
		err := sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", x.Index.Name).
			WithDetail("Key %s is duplicated.", b.keyText(l, row))
		err.Schema, err.Table, err.Constraint = x.Table.Schema, x.Table.Name, x.Index.Name
		return err
	}
	return b, nil
}

// prepare computes what keys are made of rows from, and finds values that a key cannot have.
func (b *builder) prepare(changes []change) error {
	for _, c := range changes {
		if err := b.compute(c.new); err != nil {
			return err
		}
		if err := b.checkKeyValues(c.new); err != nil {
			return err
		}
	}
	return nil
}

// write writes the entries of some rows. A unique index looks for duplicates among the
// entries that are committed, so they are committed each time.
func (b *builder) write(changes []change) error {
	if err := b.prepare(changes); err != nil {
		return err
	}
	if _, err := b.apply(changes); err != nil || !b.index.unique || b.store == nil || b.env.Sorted {
		return err
	}
	if err := b.env.Txn.Commit(b.ctx); err != nil {
		return err
	}
	return b.beginBulk()
}

// beginBulk begins the next transaction that writes entries.
func (b *builder) beginBulk() error {
	mode := store.Mode{Bulk: true, Stats: &store.Stats{}}
	txn, err := b.store.Begin(b.ctx, mode)
	if err == nil {
		b.env.Txn = b.limit.Limit(b.ctx, txn, mode.Stats)
	}
	return err
}
