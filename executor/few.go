package executor

import (
	"context"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
)

// HasFew says whether a table has no more than so many rows, by a look at no more than one page of the store.
func HasFew(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, most int) (bool, error) {
	e := &Env{Txn: txn, Tables: tables, Expr: &expr.Context{}, Total: &plan.NodeProfile{}}
	all, rows := plan.Access{Path: plan.Whole{}}, 0
	for batch, err := range Run(ctx, plan.Scan{Table: t, Access: &all}, e) {
		if err != nil {
			return false, err
		}
		if rows += batch.Len(); rows > most || e.Total.Stats.Pages > 1 {
			return false, nil
		}
	}
	return true, nil
}
