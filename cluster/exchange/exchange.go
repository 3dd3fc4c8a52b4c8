// Package exchange lets several stores that have the same table take over each other's writes. Each gives its rows as
// documents with the timestamps of their cells, and merges those of others into its own, in any order and as often as
// they come. What a merge is belongs to package cells, and making entries of indexes to executor.
//
// Read `Exchange` first, then document.go.
package exchange

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/tally"
	"zproxy/cluster"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/encoding/cells"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/json"
)

// batchRows is how many rows one transaction merges.
const batchRows = 500

// Exchange gives the changes of one table, and takes those of others.
type Exchange struct {
	Node   *cluster.Node
	Tables *executor.Tables
	Schema *catalog.Snapshot
	Table  *catalog.Table
	// Env reads and prints values, the same in all sessions.
	Env *types.Env
	// Exec makes what a plan runs in.
	Exec func(context.Context, store.Txn) *executor.Env
}

// Changes are the documents of all rows that a transaction sees and of which anything was written or deleted since a
// millisecond, with all of their cells.
func (x Exchange) Changes(ctx context.Context, txn store.Txn, since int64) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if err := celltime.Missing(x.Table); err != nil {
			yield(nil, err)
			return
		}
		err := x.each(ctx, txn, func(row types.Row, s *cells.State) bool {
			if newest(s).Milli() < since {
				return true
			}
			doc := documentsOf(x.Table, x.Env).of(row, s)
			return yield(types.Row{types.NewJSONB(doc)}, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// each reads the rows of the table, also those that are there only for the timestamp of their delete, until one is not
// wanted.
func (x Exchange) each(ctx context.Context, txn store.Txn, row func(types.Row, *cells.State) bool) error {
	indexed, err := stored.In(x.Schema).Indexed(x.Table)
	if err != nil {
		return err
	}
	scan := plan.Scan{Table: x.Table, Alias: x.Table.Name, Reads: x.Table.StoredOrdinals(nil), Holds: indexed.Holds}
	scan.Cols = plan.TableColumns(x.Table, scan.Reads)
	path := access.Choose(scan, access.StoreOf(x.Node.Store.Capabilities()), access.Off{}, x.Env)
	scan.Access = &path
	layout := celltime.Layout(x.Table)
	for batch, err := range executor.Run(ctx, scan, x.Exec(ctx, txn)) {
		if err != nil {
			return err
		}
		for i := range batch.Len() {
			s, err := layout.State(batch.Row(i))
			if err != nil {
				return err
			}
			if !row(batch.Row(i), &s) {
				return nil
			}
		}
	}
	return nil
}

// Apply merges the changes of another store, an array of documents, in transactions of some rows each. It says how
// many rows are others now. What was merged before an error stays, and may be merged again.
func (x Exchange) Apply(ctx context.Context, changes *json.Value) (int64, error) {
	if err := celltime.Missing(x.Table); err != nil {
		return 0, err
	}
	list := changes.Items
	if changes.Kind == json.Object {
		list = []json.Value{*changes}
	} else if changes.Kind != json.Array {
		return 0, invalid("changes are not an array of objects")
	}
	total := int64(0)
	for len(list) > 0 {
		some := list[:min(batchRows, len(list))]
		list = list[len(some):]
		n, err := retry.InParts(ctx, some, func(docs []json.Value) (int, error) { return x.applyOnce(ctx, docs) })
		if total += int64(n); err != nil {
			return total, err
		}
	}
	return total, nil
}

// applyOnce merges changes into the table as it is now.
func (x Exchange) applyOnce(ctx context.Context, docs []json.Value) (int, error) {
	txn, schema, err := x.Node.Begin(ctx, store.Mode{})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(x.Table.ID).(*catalog.Table)
	if t == nil {
		return 0, sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", x.Table.ID)
	}
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return 0, err
	}
	checks, err := stored.In(schema).Enforced(t)
	if err != nil {
		return 0, err
	}
	rows := make([]types.Row, len(docs))
	for i := range docs {
		if rows[i], err = documentsOf(t, x.Env).row(&docs[i]); err != nil {
			return 0, err
		}
	}
	arrivals := executor.Arrivals{Txn: txn, Tables: x.Tables, Table: indexed, Checks: checks}
	arrivals.Expr = x.Exec(ctx, txn).Expr
	n, err := arrivals.Merge(ctx, rows)
	if err != nil || n == 0 {
		return 0, err
	}
	if err := x.Node.CommitRows(lock.Wait{Ctx: ctx}, txn, []*catalog.Table{t}, nil); err != nil {
		return 0, err
	}
	x.Node.Tally.Add(tally.Log{{Table: t.ID, Changes: tally.Changes{Updated: int64(n)}}})
	return n, nil
}
