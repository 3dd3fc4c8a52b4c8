package build

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/curve"
	"zproxy/cluster/check"
	"zproxy/executor"
	"zproxy/planner/declared"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
)

// prepare gives an index what its entries are to have, and learns the maps of a Z-order index.
func (b *Builds) prepare(
	ctx context.Context, limit *budget.Units, t *catalog.Table, x *catalog.Index,
) (*catalog.Stats, error) {
	t.IncludeExpiry(x)
	x.Loose = t.StartsLoose(x)
	if x.Method != catalog.ZOrder {
		return nil, nil
	}
	txn, err := b.node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	defer txn.Rollback()
	survey, err := executor.Statistics(ctx, limit.Limit(ctx, txn, nil), b.tables, t,
		executor.Reading{Extended: b.node.Snapshot().Statistics(t.ID)}.On(b.node.Store))
	if err != nil {
		return nil, err
	}
	checks, err := stored.In(b.node.Snapshot()).Known(t)
	if err != nil {
		return nil, err
	}
	stats := survey.Stats
	stats.Analyzed, stats.Renewed = t.Stats.Analyzed, b.now()
	curve.Learn(t, &x.Layout, curve.Rows{
		Declared: declared.BoundsOf(t, checks), Stats: stats, Samples: curve.Samples(&x.Layout, survey.Sample),
	})
	with := t.WithStep(func(to *catalog.Index) {
		if to.ID == x.ID {
			*to = *x
		}
	})
	indexed, err := stored.In(b.node.Snapshot()).Indexed(with)
	if err == nil {
		err = survey.Learn(indexed, &stats)
	}
	if err != nil || stats.Rows == 0 {
		return nil, err // of nothing there is nothing to be known for long
	}
	return &stats, nil
}

// compare is backfill.Builder's Compare: what others write meanwhile is looked at again.
func (b *Builds) compare(ctx context.Context, limit *budget.Units, t plan.Indexed, x *catalog.Index) error {
	txn, _, err := b.node.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	c := check.Table{
		Checker: check.Checker{Node: b.node, Tables: b.tables, Now: b.now},
		Table:   t, Repair: true, Read: executor.IndexCheck{Txn: limit.Limit(ctx, txn, nil)},
	}
	for f, err := range c.Findings(ctx, x.Name) {
		switch {
		case err != nil:
			return err
		case f.Repaired:
		case f.Class == executor.Duplicate:
			return sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", x.Name).
				WithDetail("Key %s is duplicated.", f.Key)
		default:
			return sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" does not agree with its table: %s: key %s",
				x.Name, f.Class, f.Key)
		}
	}
	return nil
}
