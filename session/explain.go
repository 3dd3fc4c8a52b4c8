package session

import (
	"context"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/executor"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/explain"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/types"
)

// explainColumns are those of what EXPLAIN answers. Options that are wrong are found out when it runs.
func explainColumns(tree *ast.Explain) []plan.Column {
	options, _ := explain.AskedBy(tree.Options)
	return []plan.Column{{Name: "QUERY PLAN", Type: options.Format.Type()}}
}

// explainsGeneric says whether a statement is an EXPLAIN of the plan for all values of parameters, which may have none.
func explainsGeneric(tree ast.Statement) bool { return askedBy(tree).Generic }

// explainsWhy says whether a statement is an EXPLAIN of the plans that were thought of.
func explainsWhy(tree ast.Statement) bool { return askedBy(tree).Why }

// askedBy is what a statement asks of its plan, nothing if it is no EXPLAIN.
func askedBy(tree ast.Statement) (out explain.Asked) {
	if x, ok := tree.(*ast.Explain); ok {
		out, _ = explain.AskedBy(x.Options)
	}
	return out
}

// explainer runs EXPLAIN.
type explainer struct{ *Session }

// explainPlan tells of a plan, and with ANALYZE runs it.
func (s explainer) explainPlan(ctx context.Context, tree *ast.Explain, p *Portal, c Client) (Outcome, error) {
	options, err := explain.AskedBy(tree.Options)
	if err != nil {
		return Outcome{}, err
	}
	for _, n := range options.Notices() {
		if err := c.Notice(n); err != nil {
			return Outcome{}, err
		}
	}
	if made, ok := tree.Statement.(*ast.CreateTableAs); ok {
		name := made.Table
		name.Pos = -1
		skip, err := ddl.NameFree(ctx, s.reach.definer(c), s.txn.Schema(), name, made.IfNotExists)
		if err != nil {
			return Outcome{}, err
		}
		if skip {
			return Outcome{Tag: "EXPLAIN"}, sendTexts(p, c, explain.OnlyName(options.Format, ddl.Tag(made)))
		}
	}
	of := p
	if execute, ok := shownBy(tree.Statement).(*ast.ExecutePrepared); ok {
		inner, err := s.runner.executePrepared(ctx, execute, p)
		if err != nil {
			return Outcome{}, err
		}
		of = inner
		if !inner.explainable() {
			return Outcome{Tag: "EXPLAIN"}, sendTexts(p, c, explain.NoPlan(options.Format))
		}
	}
	if err := s.admission.allow(of.statement); err != nil {
		return Outcome{}, err
	}
	of.last = p.last
	options.Generic = options.Generic && of == p
	explanation, err := s.explained(ctx, tree, of, &options)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Tag: "EXPLAIN"}, sendTexts(p, c, explanation.In(options.Format))
}

// options are what is known of a run of a statement, and what is asked of its plan.
func (s explainer) options(ctx context.Context, tree *ast.Explain, p *Portal, asked *explain.Asked) *explain.Options {
	params := p.params
	if asked.Generic {
		params = nil
	}
	_, fills := tree.Statement.(*ast.CreateTableAs)
	x := &explain.Options{
		Values: s.reach.context(ctx, params), Store: s.db.Store.Capabilities(),
		Costs: asked.Costs, Memory: s.reach.memory(), Why: asked.Why, Verbose: asked.Verbose, Buffers: asked.Buffers, Untimed: !asked.Timing,
		AtCommit: s.runner.writesBlindly(p.statement, p.last), Eventual: s.txn.Reads(fills || p.statement.writes()),
		Validated: s.txn.Consistency().Any(),
	}
	x.Changed = func(t *catalog.Table) int64 { return s.db.Tally.Since(t.ID, t.Stats.Made()).Total() }
	x.Estimator = &cardinality.Estimator{Values: x.Values}
	return x
}

// explained tells of the plan of a statement; with ANALYZE it runs.
func (s explainer) explained(ctx context.Context, tree *ast.Explain, p *Portal, asked *explain.Asked) (
	*explain.Explanation, error) {
	x := s.options(ctx, tree, p, asked)
	if asked.Analyze {
		fired := &firing.Profile{}
		made, fills := tree.Statement.(*ast.CreateTableAs)
		run := func() (plan.Node, time.Duration, error) { return s.profiled(ctx, p, x, fired) }
		if fills {
			run = func() (plan.Node, time.Duration, error) { return s.profiledTable(ctx, made, p, x) }
		}
		n, took, err := run()
		if err != nil {
			return nil, err
		}
		if asked.Costs {
			x.Expected = thought{n, p.statement.chooser, known(x)}.scans()
		}
		out, err := s.describeCharged(ctx, x, n, p, fills || p.statement.writes())
		if err != nil {
			return nil, err
		}
		if err := s.attachActions(out, x, n); err != nil {
			return nil, err
		}
		s.behind(out, p, asked)
		if out.Ran(fired, plan.Targets(n), x); asked.Summary {
			out.Took(took)
		}
		return out, nil
	}
	n := p.statement.plan
	if !asked.Generic {
		n = s.admission.planFor(p.statement, x.Values, true)
	}
	out := x.Describe(n)
	if err := s.attachActions(out, x, n); err != nil {
		return nil, err
	}
	if cursor, ok := tree.Statement.(*ast.DeclareCursor); ok && cursor.Resumable {
		_, _, prevents := plan.Resumable(n, 0, 0)
		out.Resumable(prevents)
	}
	s.expected(out, x, n, p)
	s.behind(out, p, asked)
	return out, nil
}

// attachActions tells of the statements that foreign keys run for the rows that a plan deletes or gives other keys.
func (s explainer) attachActions(out *explain.Explanation, x *explain.Options, n plan.Node) error {
	for _, a := range referential.Actions(n) {
		st, err := foreignKeys{Session: s.Session}.keyStatement(&a)
		if err != nil {
			return err
		}
		separate := *x
		separate.Profile, separate.Estimator = nil, &cardinality.Estimator{Values: x.Values}
		out.Attach("Foreign Key "+a.Of.Key.Name, separate.Describe(st.plan))
	}
	return nil
}

// behind tells of the settings of a plan, of the number of the statement, and of how long making the plan took.
func (s explainer) behind(out *explain.Explanation, p *Portal, asked *explain.Asked) {
	if asked.Settings {
		var list []explain.Setting
		for _, p := range s.settings.OfPlans() {
			list = append(list, explain.Setting(p))
		}
		out.Set(list)
	}
	if text := parser.Explained(s.running.Of.Text); asked.Verbose && text != "" {
		out.Identified(parser.Fingerprint(text))
	}
	if asked.Summary {
		out.Planned(p.statement.planning)
	}
}

// expected tells what the whole statement is thought to be charged, on a store that charges in units.
func (s explainer) expected(out *explain.Explanation, x *explain.Options, n plan.Node, p *Portal) {
	if !x.Costs || !x.Store.Units {
		return
	}
	out.Expected(known(x).Total(p.statement.chooser.Priced(n, x.Values), x.Estimator.Rows))
}

// known is what the estimates of a plan rest on.
func known(x *explain.Options) cost.Known {
	return cost.Known{Values: x.Values, Store: x.Store, Eventual: x.Eventual, AtCommit: x.AtCommit,
		Validated: x.Validated}
}

// sendTexts sends rows of one text each.
func sendTexts(p *Portal, c Client, lines []string) error {
	out, value := types.NewBatch(1), types.NewText
	if p.Columns[0].Type.OID == types.OIDJSON {
		value = types.NewJSON
	}
	for _, l := range lines {
		out.Add()[0] = value(l)
	}
	return c.Rows(p, out)
}

// profiled runs a plan, throws its rows away, and leaves what it measured in x. What it
// writes is kept, as in PostgreSQL.
func (s explainer) profiled(ctx context.Context, p *Portal, x *explain.Options, fired *firing.Profile) (
	plan.Node, time.Duration, error) {
	if plan.Target(p.statement.plan) == nil {
		return s.profiledQuery(ctx, p, x, fired)
	}
	if err := s.txn.RefuseWrites(p.statement.written, writeName(p.statement.plan)); err != nil {
		return nil, 0, err
	}
	n, env, err := s.runner.env(ctx, run{statement: p.statement, params: p.params, write: true, shown: true})
	if err != nil {
		return nil, 0, err
	}
	e := &execution{statement: p.statement, params: p.params, last: p.last}
	env.Blind = s.runner.blindWrite(e)
	x.Profile = plan.NewProfile(n)
	env.Profile, env.Fired = x.Profile, fired
	s.retries.forget()
	s.txn.Wrote = append(s.txn.Wrote, p.statement.written...)
	s.txn.NoteWrites(p.statement.written, true)
	began := time.Now()
	_, _, err = executor.Write(ctx, n, env)
	s.txn.Tally = append(s.txn.Tally, env.Tally...)
	s.addProfile(x.Profile)
	if x.AtCommit = env.Blind != nil && env.Blind.Done; x.AtCommit {
		s.retries.redo = e
	}
	return n, time.Since(began), err
}

// addProfile counts what was measured node by node for the statement.
func (s explainer) addProfile(p *plan.Profile) {
	total := p.Total()
	s.running.Used.Add(&total)
}

// writeName is what a statement that writes is called in an error about it.
func writeName(n plan.Node) string {
	switch n := n.(type) {
	case plan.WriteEach:
		return writeName(n.In[0])
	case plan.Update:
		return "UPDATE"
	case plan.Delete:
		return "DELETE"
	case plan.MergeInto:
		return "MERGE"
	case plan.Instead:
		return n.Event.String()
	}
	return "INSERT"
}

func (s explainer) profiledQuery(ctx context.Context, p *Portal, x *explain.Options, fired *firing.Profile) (
	plan.Node, time.Duration, error) {
	n, env, err := s.runner.wholeEnv(ctx, p, true)
	if err != nil {
		return nil, 0, err
	}
	x.Profile = plan.NewProfile(n)
	env.Profile, env.Fired = x.Profile, fired
	defer s.addProfile(x.Profile)
	began := time.Now()
	for _, err := range executor.Run(ctx, n, env) {
		if err != nil {
			return nil, 0, err
		}
	}
	return n, time.Since(began), nil
}

// describeCharged tells of a plan that has run. Where the store is charged in units, that ends with
// what all of it cost: writes are charged at the commit, so a statement that writes commits
// before it is told of, if nothing follows in its transaction.
func (s explainer) describeCharged(ctx context.Context, x *explain.Options, n plan.Node, p *Portal, writes bool) (
	*explain.Explanation, error) {
	if !x.Store.Units {
		return x.Describe(n), nil
	}
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
	s.expected(explanation, x, n, p)
	explanation.Charged(&used, note)
	return explanation, nil
}
