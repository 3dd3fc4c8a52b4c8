package session

import (
	"context"
	"time"

	"zproxy/catalog/ddl"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
)

// filling is what EXPLAIN (ANALYZE) measures while a new table is filled.
type filling struct {
	query   plan.Node     // that of the rows, nil if the table was not filled
	whole   *plan.Profile // of what writes them, too
	profile *plan.Profile // of the query alone
	took    time.Duration
}

// measure has a run measure a plan that fills a table with the rows of a query, if that is asked for, until the answer
// is called.
func (f *filling) measure(env *executor.Env, n, query plan.Node) (end func()) {
	if f == nil {
		return func() {}
	}
	f.query, f.whole = query, plan.NewProfile(n)
	f.profile = f.whole.Below(plan.CountNodes(n) - plan.CountNodes(query))
	env.Profile = f.whole
	began := time.Now()
	return func() { f.took = time.Since(began) }
}

// profiledTable makes a table of the rows of a query and keeps it, as PostgreSQL does, and leaves what the query took
// in x.
func (s explainer) profiledTable(ctx context.Context, tree *ast.CreateTableAs, p *Portal, x *explain.Options) (
	plan.Node, time.Duration, error) {
	if err := s.txn.RefuseReadOnly(ddl.Tag(tree)); err != nil {
		return nil, 0, err
	}
	var f *filling
	err := s.txn.Retry(func() error {
		f = &filling{}
		_, err := s.runner.createTableAs(ctx, tree, p, s.calls.client, f)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if f.query == nil {
		n := p.statement.plan
		x.Profile = plan.NewProfile(n)
		return n, 0, nil
	}
	s.addProfile(f.whole)
	x.Profile = f.profile
	return f.query, f.took, nil
}
