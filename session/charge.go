package session

import (
	"context"

	"zproxy/planner/explain"
	"zproxy/planner/plan"
)

// readsEventually says whether a statement that began now would read what may miss the last
// commits, at a lower price.
func (s admission) readsEventually(st *Statement) bool {
	if !s.settings.Eventual || st.written != nil || st.locked != nil {
		return false
	}
	if s.txn.Txn() != nil {
		return s.txn.Lags()
	}
	return !s.txn.InBlock() || s.txn.ReadOnly()
}

// describeCharged tells of a plan that has run. Where the store is charged in units, that ends with
// what all of it cost: writes are charged at the commit, so a statement that writes commits
// before it is told of, if nothing follows in its transaction.
func (s explainer) describeCharged(ctx context.Context, x *explain.Options, n plan.Node,
	p *Portal) (*explain.Explanation, error) {
	if !x.Store.Units {
		return x.Describe(n), nil
	}
	writes := p.statement.written != nil || p.statement.locked != nil
	if writes && p.last {
		if err := s.retries.finish(ctx); err != nil {
			return nil, err
		}
	}
	note := ""
	if writes && (s.txn.InBlock() || !p.last) {
		note = "; writes are charged at COMMIT"
	}
	used := s.running.Used.Stats
	explanation := x.Describe(n)
	explanation.Charged(&used, note)
	return explanation, nil
}
