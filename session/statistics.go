package session

import (
	"context"
	"fmt"
	"maps"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/curve"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/declared"
	"zproxy/sqlerr"
	"zproxy/store"
)

// measure reads a table once and says what its rows are like. A transaction measures what it sees.
func (s *Session) measure(ctx context.Context, t *catalog.Table, seen *executor.Seen) (*executor.Survey, error) {
	txn := s.txn.Txn()
	if txn == nil {
		var err error
		if txn, err = s.db.Store.Begin(ctx, store.Mode{ReadOnly: true}); err != nil {
			return nil, fmt.Errorf("statistics: %w", err)
		}
		defer txn.Rollback()
	}
	return executor.Statistics(ctx, txn, s.db.tables, t, seen)
}

// analyzeTables runs ANALYZE.
func (s *Session) analyzeTables(ctx context.Context, tree *ast.Analyze, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	tables, err := s.named(change.Snap, tree)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !change.Snap.Owns(s.role(), t) && !change.Snap.Owns(s.role(), change.Snap.Database()) {
			if err := c.Notice(sqlerr.Warn(sqlerr.Warning, "skipping \"%s\" --- only table or database owner can analyze it", t.Name)); err != nil {
				return err
			}
			continue
		}
		survey, err := s.measure(ctx, t, nil)
		if err != nil {
			return err
		}
		if survey.Cut {
			if err := s.extrapolate(ctx, t, &survey.Stats); err != nil {
				return err
			}
		}
		known := *t
		known.Stats = survey.Stats
		indexed, err := s.planner(s.schema()).Stored().Indexed(&known)
		if err == nil {
			err = survey.Learn(indexed, &known.Stats)
		}
		if err != nil {
			return err
		}
		if err := s.txn.Put(ctx, &known); err != nil {
			return err
		}
		if t.Foreign != nil {
			continue // its keys are for others to choose
		}
		if err := s.adviseByValues(c, &known, survey); err != nil {
			return err
		}
	}
	return nil
}

// learnMaps decides how each dimension of a Z-order index that is to be built spreads its values.
func (s *Session) learnMaps(t *catalog.Table, x *catalog.Index, stats catalog.Stats, samples map[uint32][]uint64) error {
	checks, err := s.planner(s.schema()).Stored().Checks(t)
	if err == nil {
		curve.Learn(t, x, curve.Rows{Declared: declared.BoundsOf(t, checks), Stats: stats, Codes: samples})
	}
	return err
}

// adviseByValues tells the client what the values of the rows have shown of the keys of a table.
func (s *Session) adviseByValues(c Client, t *catalog.Table, survey *executor.Survey) error {
	known := advice.Known{Stats: t.Stats, Samples: map[uint32][]uint64{}, Anew: map[uint32][]catalog.Dimension{}}
	for _, x := range t.Indexes {
		if x.Method != catalog.ZOrder {
			continue
		}
		samples := curve.Samples(&x, survey.Codes)
		if err := s.learnMaps(t, &x, t.Stats, samples); err != nil {
			return err
		}
		known.Anew[x.ID] = x.Layout.Sort[0].Curve
		maps.Copy(known.Samples, samples)
	}
	return s.adviseTable(c, t, known, advice.ByValues)
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
	tables, err := s.named(s.schema(), &tree.Analyze)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.Foreign == nil || len(tree.Tables) == 0 {
			continue
		}
		err := c.Notice(sqlerr.Warn(sqlerr.Warning, "skipping \"%s\" --- cannot vacuum non-tables or special system tables", t.Name))
		if err != nil {
			return err
		}
	}
	if tree.Learn {
		return s.analyzeTables(ctx, &tree.Analyze, c)
	}
	return nil
}
