package executor

import (
	"context"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// BuildIndex fills the space of an index, which is new and which nobody reads yet, from
// the rows of its table as they are when it begins. Rows that are written meanwhile are
// the caller's care.
func BuildIndex(ctx context.Context, st store.Store, tables *Tables, t plan.Indexed, x *catalog.Index) error {
	read, err := st.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer read.Rollback()
	b, err := newBuilder(ctx, tables, t, x)
	if err != nil {
		return err
	}
	if b.env.Txn, err = st.Begin(ctx, store.Mode{Bulk: true}); err != nil {
		return err
	}
	b.store = st
	defer func() { b.env.Txn.Rollback() }()
	if err := b.fill(read); err != nil {
		return err
	}
	return b.env.Txn.Commit(ctx)
}

// BuildIndexIn fills the space of an index in a transaction that goes on, from the rows
// that it sees.
func BuildIndexIn(ctx context.Context, txn store.Txn, tables *Tables, t plan.Indexed, x *catalog.Index) error {
	b, err := newBuilder(ctx, tables, t, x)
	if err != nil {
		return err
	}
	b.env.Txn = txn
	return b.fill(txn)
}

// fill writes the entries of all rows.
func (b *builder) fill(read store.Txn) error {
	kept := slab{width: len(b.table.Columns)}
	var changes []change
	for batch, err := range everything(b.ctx, read, b.env.Tables, b.table.Table, nil) {
		if err != nil {
			return err
		}
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

// everything reads all rows of a table, or all entries of an index, with all columns
// that are stored.
func everything(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, x *catalog.Index) Rows {
	n := plan.Scan{Table: t, Reads: t.StoredOrdinals(x), Access: &plan.Access{Index: x}}
	return Run(ctx, n, &Env{Txn: txn, Tables: tables, Expr: &expr.Context{}})
}

// builder writes entries of one index.
type builder struct {
	writer
	store store.Store // nil: the entries are part of a transaction that goes on
}

func newBuilder(ctx context.Context, tables *Tables, t plan.Indexed, x *catalog.Index) (*builder, error) {
	f := frame{ctx: ctx, env: &Env{Tables: tables, Expr: &expr.Context{Env: &types.Env{}}}}
	f.interruptible()
	w, err := newWriter(f, t)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(t.Table, x)
	if err != nil {
		return nil, err
	}
	b := &builder{writer: *w}
	b.layouts = []*layout{l}
	if b.partial, err = partial(b.layouts, t.Holds, f.env.Expr); err != nil {
		return nil, err
	}
	b.violation = func(l *layout, row types.Row) error {
		err := sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", x.Name).
			WithDetail("Key %s is duplicated.", b.keyText(l, row))
		err.Schema, err.Table, err.Constraint = t.Schema, t.Name, x.Name
		return err
	}
	return b, nil
}

// write writes the entries of some rows. A unique index looks for duplicates among the
// entries that are committed, so they are committed each time.
func (b *builder) write(changes []change) error {
	for _, c := range changes {
		if err := b.checkKeyValues(c.new); err != nil {
			return err
		}
	}
	if _, err := b.apply(changes); err != nil || !b.layouts[0].unique || b.store == nil {
		return err
	}
	if err := b.env.Txn.Commit(b.ctx); err != nil {
		return err
	}
	var err error
	b.env.Txn, err = b.store.Begin(b.ctx, store.Mode{Bulk: true})
	return err
}
