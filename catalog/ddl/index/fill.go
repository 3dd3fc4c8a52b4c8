package index

import (
	"cmp"
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/curve"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/planner/declared"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
	"zproxy/types"
)

// Fill fills an index, which is new or takes the place of one with its ID, and puts it into
// the schema. It gives the table with it, and what was learned of the rows. It is filled in bulk
// where the transaction will see the entries.
func (d *Definer) Fill(ctx context.Context, t *catalog.Table, x *catalog.Index) (*catalog.Table, advice.Known, error) {
	var known advice.Known
	if !t.Kept() {
		out, err := Partitions{d}.fill(ctx, t, x)
		return out, known, err
	}
	if err := d.Txn.WithoutWriters(ctx, t); err != nil {
		return nil, known, err
	}
	d.Txn.EndReading()
	var txn store.Txn // nil: the transaction has not begun to read, and will see entries that are made beside it
	var err error
	if d.Txn.Txn() != nil {
		if txn, err = d.Txn.RowsOf(ctx, t); err != nil {
			return nil, known, err
		}
	}
	if x.Unique {
		if err := d.Expiry.RemoveBefore(ctx, d.Txn, t); err != nil {
			return nil, known, err
		}
	}
	command, index := createIndexCommand, uint32(0)
	if t.IndexByID(x.ID) != nil {
		command, index = reindexCommand, x.ID
	}
	progress := &Progress{command: command, relation: t.ID}
	defer d.Tell(progress)()
	limit := budget.Of(buildUnits(d))
	survey, err := d.measure(ctx, t, limit, progress.enter(index, "building index: scanning table", d.rowsOf(ctx, t)))
	if err = cmp.Or(err, rowsCarryKeys(x, survey)); err != nil {
		return nil, known, err
	}
	known.Stats, known.Samples = survey.Stats, curve.Samples(&x.Layout, survey.Sample)
	if x.Method == catalog.ZOrder {
		if err := d.learnMaps(t, x, known.Stats, known.Samples); err != nil {
			return nil, known, err
		}
		known.Anew = map[uint32][]catalog.Dimension{x.ID: x.Layout.Curve()}
	}
	out := t.WithIndex(*x)
	if known.Stats.Rows > 0 {
		out.Stats = known.Stats
		out.Stats.Analyzed, out.Stats.Renewed = t.Stats.Analyzed, d.Now()
	}
	x = out.IndexByID(x.ID)
	if err := d.Txn.Create(ctx, out.IndexSpace(x)); err != nil {
		return nil, known, err
	}
	indexed, err := d.Planner(d.Schema()).Stored().Indexed(out)
	if err != nil {
		return nil, known, err
	}
	if err = survey.Learn(indexed, &out.Stats); err != nil {
		return nil, known, err
	}
	build := executor.IndexBuild{Tables: d.Tables, Table: indexed, Index: x,
		Seen: progress.enter(index, "building index", known.Stats.Rows), Limit: limit,
		Routines: d.Exec(ctx, txn).Expr.Routines}
	if txn != nil {
		err = fillHere(ctx, d.Txn, build, out)
	} else {
		err = build.InOwnTxns(ctx, d.Node.Store)
	}
	if err == nil {
		err = d.Txn.Put(ctx, out)
	}
	return out, known, err
}

// fillHere fills an index with the rows that the transaction sees.
func fillHere(ctx context.Context, in *cluster.Transaction, build executor.IndexBuild, t *catalog.Table) error {
	space := []store.Space{*t.IndexSpace(build.Index)}
	return in.FillNew(ctx, cluster.NewSpaces{Spaces: space, Table: t, Limit: build.Limit},
		func(f cluster.Filling) error {
			build.Sorted = f.Sorted
			return build.In(ctx, f.Txn)
		})
}

// rowsCarryKeys refuses an index that the store keeps and that is to be filled while writers wait, if there are rows.
func rowsCarryKeys(x *catalog.Index, s *executor.Survey) error {
	if !x.Follows || s == nil || s.Stats.Rows == 0 {
		return nil
	}
	return sqlerr.Unsupported("building index %q of a table that has rows while writers wait", x.Name).
		WithDetail("The store keeps its entries, and the rows must be written again to carry their keys.").
		WithHint("Use the form with CONCURRENTLY.")
}

// buildUnits are those that a build may take a second, where the store charges units; 0: any number.
func buildUnits(d *Definer) int64 {
	if !d.Node.Store.Capabilities().Units {
		return 0
	}
	return d.BuildUnits
}

// Measure reads a table once and says what its rows are like. A transaction measures what it sees.
func (d *Definer) Measure(ctx context.Context, t *catalog.Table, seen *executor.Seen) (*executor.Survey, error) {
	return d.measure(ctx, t, nil, seen)
}

// measure is Measure within a bound.
func (d *Definer) measure(
	ctx context.Context, t *catalog.Table, limit *budget.Units, seen *executor.Seen,
) (*executor.Survey, error) {
	txn := d.Txn.Txn()
	if txn == nil {
		var err error
		if txn, err = d.Node.Store.Begin(ctx, store.Mode{ReadOnly: true}); err != nil {
			return nil, fmt.Errorf("statistics: %w", err)
		}
		defer txn.Rollback()
	}
	by, err := reading(d, t)
	if err != nil {
		return nil, err
	}
	by.Seen, by.Units = seen, float64(d.AnalyzeUnits)
	return executor.Statistics(ctx, limit.Limit(ctx, txn, nil), d.Tables, t, by)
}

// reading is how a table is read for its statistics, and those of the table of which it is a partition.
func reading(d *Definer, t *catalog.Table) (executor.Reading, error) {
	schema := d.Schema()
	by := executor.Reading{Extended: schema.Statistics(t.ID)}
	var err error
	if by.Computed, err = d.Planner(schema).Stored().Computed(t); err != nil || t.PartitionOf == nil {
		return by.On(d.Node.Store), err
	}
	by.Above = schema.Statistics(t.PartitionOf.Parent)
	above, err := d.Planner(schema).Stored().ComputedOver(t, by.Above)
	by.Computed = append(by.Computed, above...)
	return by.On(d.Node.Store), err
}

// learnMaps decides how each dimension of a Z-order index that is to be built spreads its values.
func (d *Definer) learnMaps(t *catalog.Table, x *catalog.Index, stats catalog.Stats,
	samples map[uint32][]types.Value) error {
	checks, err := d.Planner(d.Schema()).Stored().Known(t)
	if err == nil {
		curve.Learn(t, &x.Layout, curve.Rows{Declared: declared.BoundsOf(t, checks), Stats: stats, Samples: samples})
	}
	return err
}
