package session

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/remedy"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/store"
)

// unwanted are the scans of a statement's plan that read all of a table which may be large.
func (s admission) unwanted(st *Statement, n plan.Node, known *expr.Context) []plan.Scan {
	scans := st.readsAll
	if s.choosesPlan(st) {
		scans = cost.FullScans(plan.Scans(n))
	}
	return cost.Unbounded(scans, known)
}

// minds says whether the setting has a value, and the statement does not lift it.
func (s admission) minds(st *Statement, setting string) bool {
	return s.settings.FullScan == setting && !st.allowFiltering && (st.readsAll != nil || s.choosesPlan(st))
}

// refuseFullScans refuses to run a statement that reads all of a table, if the session wants
// that.
func (s admission) refuseFullScans(st *Statement, n plan.Node, known *expr.Context) error {
	if !s.minds(st, settings.RefuseFullScan) {
		return nil
	}
	for _, scan := range s.unwanted(st, n, known) {
		few, err := s.hasFew(scan.Table)
		if err != nil {
			return err
		}
		if !few {
			return s.remedy(st, known).RefuseFullScan(scan, s.settings.FullScan)
		}
	}
	return nil
}

// hasFew says whether a table of which nothing is known turns out to have few rows, which costs no more than a page.
func (s admission) hasFew(t *catalog.Table) (bool, error) {
	if t.Stats.Known || t.Foreign != nil {
		return false, nil // it would not be asked if they were few
	}
	ctx := s.bounds.Context()
	if sized, ok := s.db.Store.(store.Sized); ok {
		if items, known, err := sized.Items(ctx, t.TableSpace()); err != nil || known && items > cost.Few {
			return false, err
		}
	}
	txn, err := s.txn.Store(ctx, false)
	if err != nil {
		return false, err
	}
	return executor.HasFew(ctx, txn, s.db.tables, t, cost.Few)
}

// noticeFullScans tells the client that a statement reads all of a table, if the session wants
// that.
func (s admission) noticeFullScans(ctx context.Context, p *Portal, c Client) error {
	if !s.minds(p.statement, settings.NoticeFullScan) {
		return nil
	}
	known := s.reach.context(ctx, p.params)
	for _, scan := range s.unwanted(p.statement, s.planFor(p.statement, known, false), known) {
		if err := c.Notice(s.remedy(p.statement, known).NoticeFullScan(scan, s.settings.FullScan)); err != nil {
			return fmt.Errorf("notice: %w", err)
		}
	}
	return nil
}

// wholeSpace is what a scan asks before it reads everything because too many partitions would
// have to be named. It is nil when the statement may filter.
func (s admission) wholeSpace(st *Statement, known *expr.Context) func(plan.Scan) error {
	if s.settings.FullScan != settings.RefuseFullScan || st.allowFiltering {
		return nil
	}
	return func(scan plan.Scan) error {
		if cost.MayReadAll(scan, known) {
			return nil
		}
		if few, err := s.hasFew(scan.Table); err != nil || few {
			return err
		}
		return s.remedy(st, known).RefuseWholeSpace(scan, s.settings.FullScan)
	}
}

// remedy is what is known of a statement for which there may be one.
func (s admission) remedy(st *Statement, known *expr.Context) *remedy.Statement {
	return &remedy.Statement{
		Plan: st.plan, Known: known,
		Planned: func(t *catalog.Table) (plan.Node, error) {
			n, _, err := s.planning.optimized(s.txn.Schema().With(t), st)
			return n, err
		},
		Chosen: func(n plan.Node) plan.Node {
			chooser := optimizer.NewPlanChooser(n, s.reach.optimizerOptions())
			if chooser.Chooses() && !st.generic(&s.settings) {
				n = chooser.Run(known)
			}
			return chooser.Priced(n, known)
		},
		WithIndex: s.reach.indexes(nil).Proposed,
		Advised:   s.reach.indexes(nil).AdvisedAgainst,
		Same: func(a, b *catalog.Index) bool {
			return a.Method == b.Method && slices.Equal(a.Layout.Declared(), b.Layout.Declared()) &&
				define.SameKeyOptions(a.Options, b.Options)
		},
	}
}
