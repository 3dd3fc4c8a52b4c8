package session

import (
	"context"
	"fmt"
	"slices"

	"zproxy/advice"
	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// measure reads a table once: what its values are like, and samples of the columns that
// an index has as dimensions. A transaction measures what it sees.
func (s *Session) measure(ctx context.Context, t *catalog.Table, x *catalog.Index) (catalog.Stats, map[uint32][]uint64, error) {
	var sample []uint32
	if x != nil && x.Method == catalog.ZOrder {
		sample = x.Layout.Columns()
	}
	txn := s.txn.txn
	if txn == nil {
		var err error
		if txn, err = s.db.store.Begin(ctx, store.Mode{ReadOnly: true}); err != nil {
			return catalog.Stats{}, nil, fmt.Errorf("statistics: %w", err)
		}
		defer txn.Rollback()
	}
	stats, codes, err := executor.Statistics(ctx, txn, s.db.tables, t, sample)
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

// analyzeTables runs ANALYZE.
func (s *Session) analyzeTables(ctx context.Context, tree *ast.Analyze, c Client) error {
	change, err := s.changes(ctx)
	if err != nil {
		return err
	}
	tables, err := s.named(change.snap, tree)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !change.snap.Owns(s.role(), t) && !change.snap.Owns(s.role(), change.snap.Database()) {
			if err := c.Notice(warning(sqlerr.Warning, "skipping \""+t.Name+"\" --- only table or database owner can analyze it")); err != nil {
				return err
			}
			continue
		}
		stats, _, err := s.measure(ctx, t, nil)
		if err != nil {
			return err
		}
		known := *t
		known.Stats = stats
		if err := s.put(ctx, &known); err != nil {
			return err
		}
		if err := s.adviseTable(c, &known, advice.Known{Stats: stats}, advice.ByValues); err != nil {
			return err
		}
	}
	return nil
}

// adviseTable tells the client what is wrong with the keys of a table: all of it, or what
// the values of its rows have shown.
func (s *Session) adviseTable(c Client, t *catalog.Table, known advice.Known, on func(*catalog.Table, *catalog.Index, advice.Known) []*sqlerr.Error) error {
	if err := s.advise(c, on(t, nil, known)); err != nil {
		return err
	}
	for i := range t.Indexes {
		if err := s.advise(c, on(t, &t.Indexes[i], known)); err != nil {
			return err
		}
	}
	return nil
}

// advise sends advice to a client that wants it.
func (s *Session) advise(c Client, list []*sqlerr.Error) error {
	if !s.settings.advice {
		return nil
	}
	for _, n := range list {
		if err := c.Notice(n); err != nil {
			return err
		}
	}
	return nil
}

// named are the tables that a statement names, or all.
func (s *Session) named(snap *catalog.Snapshot, tree *ast.Analyze) ([]*catalog.Table, error) {
	if len(tree.Tables) == 0 {
		return snap.Tables(), nil
	}
	var out []*catalog.Table
	for _, name := range tree.Tables {
		t, err := s.planner(snap).Table(name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// vacuum runs VACUUM. A store gives room back by itself, so that only ANALYZE is something
// to do.
func (s *Session) vacuum(ctx context.Context, tree *ast.Vacuum, c Client) error {
	if err := s.notInBlock("VACUUM"); err != nil {
		return err
	}
	if tree.Learn {
		return s.analyzeTables(ctx, &tree.Analyze, c)
	}
	_, err := s.named(s.schema(), &tree.Analyze)
	return err
}
