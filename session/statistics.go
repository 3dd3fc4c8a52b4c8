package session

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/store"
)

// measure reads a table once: what its values are like, and samples of the columns that
// an index has as dimensions.
func (db *DB) measure(ctx context.Context, t *catalog.Table, x *catalog.Index) (catalog.Stats, map[uint32][]uint64, error) {
	var sample []uint32
	if x != nil && x.Method == catalog.ZOrder {
		sample = x.Layout.Columns()
	}
	txn, err := db.store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return catalog.Stats{}, nil, fmt.Errorf("statistics: %w", err)
	}
	defer txn.Rollback()
	stats, codes, err := executor.Statistics(ctx, txn, db.tables, t, sample)
	samples := map[uint32][]uint64{}
	for i, list := range codes {
		samples[sample[i]] = list
	}
	return stats, samples, err
}

// mapKnots is how many pieces a learned map has; with 256 the keys read for a box came
// within a few per cent of the best on skewed data.
const mapKnots = 257

// learnedBits is the width of a dimension whose values a map spreads: 2^32 cells are
// more than there are rows.
const learnedBits = 32

// learnMaps decides how each dimension without a map of its own spreads its values: by
// quantiles of the rows that are there, or as they are in an empty table.
func learnMaps(t *catalog.Table, x *catalog.Index, stats catalog.Stats, samples map[uint32][]uint64) {
	curve := slices.Clone(x.Layout.Sort[0].Curve)
	for i := range curve {
		d := &curve[i]
		typ := t.Columns[t.Ordinal(d.Column)].Type
		known := stats.Columns[d.Column]
		plain := keys.DimensionBits(typ)
		switch {
		case d.Map == "" && d.Bits == 0 && len(samples[d.Column]) > 0 && plain > 1:
			d.Map = catalog.MapQuantile
		case d.Map == "":
			d.Map = catalog.MapRaw
		}
		switch {
		case d.Map == catalog.MapQuantile && len(samples[d.Column]) > 0:
			d.Knots = zorder.Quantiles(samples[d.Column], mapKnots).Knots
		case d.Map == catalog.MapRange && !known.Min.IsNull():
			d.Knots = zorder.Bounds(keys.Code(known.Min, typ), keys.Code(known.Max, typ)).Knots
		default: // nothing to learn from
			d.Map = catalog.MapRaw
		}
		if d.Bits == 0 {
			d.Bits = plain
			if d.Map != catalog.MapRaw {
				d.Bits = min(plain, learnedBits)
			}
		}
		d.Version = 1
	}
	x.Layout.Sort = slices.Clone(x.Layout.Sort)
	x.Layout.Sort[0].Curve = curve
}

// putStats stores what is known of a table.
func (db *DB) putStats(ctx context.Context, t *catalog.Table) error {
	if !t.Stats.Known {
		return nil
	}
	txn, err := db.store.Begin(ctx, store.Mode{})
	if err != nil {
		return fmt.Errorf("statistics: %w", err)
	}
	defer txn.Rollback()
	if err := catalogstore.PutStats(txn, t, t.Stats); err != nil {
		return err
	}
	return txn.Commit(ctx)
}

// analyzeTables runs ANALYZE.
func (s *Session) analyzeTables(ctx context.Context, tree *ast.Analyze) error {
	return s.changeSchema(ctx, func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error) {
		tables := snap.Tables()
		if len(tree.Tables) > 0 {
			tables = nil
		}
		for _, name := range tree.Tables {
			t, err := s.planner(snap).Table(name)
			if err != nil {
				return nil, nil, err
			}
			tables = append(tables, t)
		}
		for _, t := range tables {
			stats, _, err := s.db.measure(ctx, t, nil)
			if err != nil {
				return nil, nil, err
			}
			c := *t
			c.Stats = stats
			if err := s.db.putStats(ctx, &c); err != nil {
				return nil, nil, err
			}
			put = append(put, &c)
		}
		return put, nil, nil
	})
}
