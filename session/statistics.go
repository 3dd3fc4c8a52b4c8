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

// measure reads a table once and says what its rows are like. A transaction measures what it sees.
func (s *Session) measure(ctx context.Context, t *catalog.Table) (*executor.Survey, error) {
	txn := s.txn.txn
	if txn == nil {
		var err error
		if txn, err = s.db.store.Begin(ctx, store.Mode{ReadOnly: true}); err != nil {
			return nil, fmt.Errorf("statistics: %w", err)
		}
		defer txn.Rollback()
	}
	return executor.Statistics(ctx, txn, s.db.tables, t)
}

// samplesOf are codes of the sampled values of the columns that a Z-order index has as
// dimensions, by column ID.
func samplesOf(survey *executor.Survey, x *catalog.Index) map[uint32][]uint64 {
	samples := map[uint32][]uint64{}
	if x.Method == catalog.ZOrder {
		for _, id := range x.Layout.Columns() {
			samples[id] = survey.Codes(id)
		}
	}
	return samples
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
		plain := catalog.RawBits(typ)
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
		survey, err := s.measure(ctx, t)
		if err != nil {
			return err
		}
		known := *t
		known.Stats = survey.Stats
		if err := s.put(ctx, &known); err != nil {
			return err
		}
		if err := s.adviseTable(c, &known, advice.Known{Stats: known.Stats}, advice.ByValues); err != nil {
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
