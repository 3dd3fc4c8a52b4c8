// Package nodetest makes a process on a store in memory, with tables that are made by SQL, for tests of what a process
// does by itself. There are no sessions: statements run as the executor runs their plans. Read World first, then
// Faulty, which is a store that fails when it is told to.
package nodetest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster"
	"zproxy/encoding/keys"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// World is a process on a store.
type World struct {
	Node   *cluster.Node
	Tables *executor.Tables
	Store  *Faulty
	Clock  func() time.Time // nil: the system's
	t      testing.TB
	schema plantest.Schema
}

// firstID is above the numbers that the catalog's own spaces and objects have.
const firstID = 20_000

// New makes a process whose tables and indexes SQL defines, beside other objects.
func New(t testing.TB, sql string, others ...catalog.Object) *World {
	t.Helper()
	w := &World{Tables: executor.NewTables(), Store: &Faulty{Store: memstore.New(memstore.Options{})}, t: t}
	w.schema.Last = firstID
	w.must(w.schema.Define(sql))
	ctx := t.Context()
	w.must(catalogstore.Open(ctx, w.Store))
	txn, err := w.Store.Begin(ctx, store.Mode{})
	w.must(err)
	for _, o := range others {
		w.must(catalogstore.Put(txn, catalog.DatabaseID, o))
	}
	for _, table := range w.schema.Catalog.Tables() {
		w.must(catalogstore.Put(txn, catalog.DatabaseID, table))
		w.must(w.Store.Create(ctx, table.TableSpace()))
		for i := range table.Indexes {
			w.must(w.Store.Create(ctx, table.IndexSpace(&table.Indexes[i])))
		}
	}
	for _, q := range w.schema.Catalog.Sequences() {
		w.must(catalogstore.Put(txn, catalog.DatabaseID, q))
	}
	w.must(txn.Commit(ctx))
	w.load()
	return w
}

// load makes the node of the process.
func (w *World) load() {
	w.t.Helper()
	ctx := w.t.Context()
	w.Node = cluster.NewNode(w.Store, slog.New(slog.DiscardHandler), catalog.NewSystem(nil, nil),
		cluster.Hooks{Adopted: func() {}})
	txn, err := w.Store.Begin(ctx, store.Mode{ReadOnly: true})
	w.must(err)
	defer txn.Rollback()
	w.must(w.Node.Load(ctx, txn))
}

// Another is another process on the same store, or the same one when it is begun anew. It learns of no changes of the
// catalog.
func (w *World) Another() *World {
	w.t.Helper()
	other := *w
	other.Store = &Faulty{Store: w.Store.Store}
	other.load()
	return &other
}

func (w *World) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// Exec runs statements that write, each in a transaction.
func (w *World) Exec(statements ...string) {
	w.t.Helper()
	o := &optimizer.Options{Env: &types.Env{}, Store: access.StoreOf(w.Store.Capabilities())}
	w.schema.Catalog = w.Node.Snapshot()
	for _, sql := range statements {
		n, err := w.schema.Plan(sql)
		w.must(err)
		n, err = optimizer.Optimize(n, o)
		w.must(err)
		w.In(func(txn store.Txn) error {
			at := time.Now()
			if w.Clock != nil {
				at = w.Clock()
			}
			env := &executor.Env{Txn: txn, Store: w.Store.Capabilities(), Tables: w.Tables,
				Expr: &expr.Context{Env: &types.Env{}, Statement: at}}
			_, _, err := executor.Write(w.t.Context(), n, env)
			w.Node.Tally.Add(env.Tally)
			return err
		})
	}
}

// In does something in a transaction that meets no faults.
func (w *World) In(f func(store.Txn) error) {
	w.t.Helper()
	ctx := context.WithoutCancel(w.t.Context())
	txn, err := w.Store.Store.Begin(ctx, store.Mode{})
	w.must(err)
	defer txn.Rollback()
	w.must(f(txn))
	w.must(txn.Commit(ctx))
}

// Table is a table of the schema public.
func (w *World) Table(name string) *catalog.Table { return w.Node.Snapshot().Table("public", name) }

// Entry is the item that an index keeps of a row, which is given as text, with NULL for NULL.
func (w *World) Entry(t *catalog.Table, index string, row ...string) (*store.Space, store.Item) {
	w.t.Helper()
	x := t.Index(index)
	return t.IndexSpace(x), w.item(t, x, &x.Layout, row)
}

// Row is the item of a row.
func (w *World) Row(t *catalog.Table, row ...string) (*store.Space, store.Item) {
	w.t.Helper()
	return t.TableSpace(), w.item(t, nil, &t.Primary, row)
}

func (w *World) item(t *catalog.Table, x *catalog.Index, l *catalog.Layout, row []string) store.Item {
	w.t.Helper()
	codec, err := keys.NewCodec(t, l)
	w.must(err)
	values := make(types.Row, len(t.Columns))
	for i, text := range row {
		if text != "NULL" {
			values[i], err = types.ParseText(text, t.Columns[i].Type, &types.Env{})
			w.must(err)
		}
	}
	item := store.Item{Key: codec.Key(values)}
	for _, i := range t.StoredOrdinals(x) {
		item.Values = append(item.Values, values[i])
	}
	return item
}

// Stored are the items of a table, or with a name of its index, as texts: also those that no query finds.
func (w *World) Stored(t *catalog.Table, index string) []string {
	w.t.Helper()
	space := t.TableSpace()
	if index != "" {
		space = t.IndexSpace(t.Index(index))
	}
	scan := &store.Scan{Stats: &store.Stats{}}
	for i := range space.Columns {
		scan.Columns = append(scan.Columns, i)
	}
	var out []string
	w.In(func(txn store.Txn) error {
		for batch, err := range txn.Scan(context.WithoutCancel(w.t.Context()), space, scan) {
			if err != nil {
				return err
			}
			for i := range batch.Len() {
				var cells []string
				for at, v := range batch.Row(i) {
					cells = append(cells, fmt.Sprint(expr.Const{Value: v, T: space.Columns[at].Type}))
				}
				out = append(out, strings.Join(cells, " "))
			}
		}
		return nil
	})
	slices.Sort(out)
	return out
}
