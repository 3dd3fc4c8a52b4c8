package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// explainOptions are what the parentheses of EXPLAIN say.
type explainOptions struct {
	analyze, why, costs, timing, summary bool
	format                               explain.Format
	ignored                              []string // options that are on, and that nothing is told for
}

// explainSwitches are the options that are on or off.
var explainSwitches = map[string]func(o *explainOptions, on bool){
	"analyze":  func(o *explainOptions, on bool) { o.analyze = on },
	"why":      func(o *explainOptions, on bool) { o.why = on },
	"costs":    func(o *explainOptions, on bool) { o.costs = on },
	"timing":   func(o *explainOptions, on bool) { o.timing = on },
	"summary":  func(o *explainOptions, on bool) { o.summary = on },
	"verbose":  nil,
	"buffers":  nil,
	"settings": nil,
	"wal":      nil,
}

// explainOptionsOf reads options, of which the last one of a name counts.
func explainOptionsOf(list []ast.Option) (explainOptions, error) {
	out, said := explainOptions{costs: true}, map[string]bool{}
	for _, o := range list {
		set, isSwitch := explainSwitches[o.Name]
		switch {
		case isSwitch:
			on, err := switchedOn(o)
			if err != nil {
				return out, err
			}
			said[o.Name] = on
			if set != nil {
				set(&out, on)
			}
		case o.Name != "format":
			return out, sqlerr.New(sqlerr.SyntaxError, "unrecognized EXPLAIN option %q", o.Name).At(int(o.Pos))
		case o.Value == "":
			return out, sqlerr.New(sqlerr.SyntaxError, "format requires a parameter")
		default:
			if out.format, isSwitch = explain.FormatNamed(o.Value); !isSwitch {
				return out, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized value for EXPLAIN option %q: %q",
					o.Name, o.Value).At(int(o.Pos))
			}
		}
	}
	return out, out.complete(said)
}

// switchedOn reads the value of a switch.
func switchedOn(o ast.Option) (bool, error) {
	switch strings.ToLower(o.Value) {
	case "", "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
}

// complete gives the options that were not said their defaults, and refuses those that need others.
func (o *explainOptions) complete(said map[string]bool) error {
	if _, ok := said["timing"]; !ok {
		o.timing = o.analyze
	}
	if _, ok := said["summary"]; !ok {
		o.summary = o.analyze
	}
	for _, name := range []string{"wal", "timing"} {
		if said[name] && !o.analyze {
			return sqlerr.New(sqlerr.InvalidParameterValue, "EXPLAIN option %s requires ANALYZE", strings.ToUpper(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if said[name] && explainSwitches[name] == nil {
			o.ignored = append(o.ignored, name)
		}
	}
	return nil
}

// notices tell of options without effect.
func (o *explainOptions) notices(c Client) error {
	for _, name := range o.ignored {
		if err := c.Notice(sqlerr.Notice(sqlerr.Warning, "EXPLAIN option %s has no effect",
			strings.ToUpper(name))); err != nil {
			return err
		}
	}
	return nil
}

// explainColumns are those of what EXPLAIN answers. Options that are wrong are found out when it runs.
func explainColumns(tree *ast.Explain) []plan.Column {
	options, _ := explainOptionsOf(tree.Options)
	return []plan.Column{{Name: "QUERY PLAN", Type: options.format.Type()}}
}

// explainPlan tells of a plan, and with ANALYZE runs it.
func (s *Session) explainPlan(ctx context.Context, tree *ast.Explain, p *Portal, c Client) (Outcome, error) {
	options, err := explainOptionsOf(tree.Options)
	if err != nil {
		return Outcome{}, err
	}
	if err := options.notices(c); err != nil {
		return Outcome{}, err
	}
	of := p
	if execute, ok := shownBy(tree.Statement).(*ast.ExecutePrepared); ok {
		inner, err := s.executePrepared(ctx, execute, p)
		if err != nil {
			return Outcome{}, err
		}
		of = inner
		if !inner.explainable() {
			return Outcome{Tag: "EXPLAIN"}, sendTexts(p, c, explain.NoPlan(options.format))
		}
	}
	if err := s.allow(of.statement); err != nil {
		return Outcome{}, err
	}
	of.last = p.last
	x := &explain.Options{
		Values: s.context(ctx, of.params), Store: s.db.Store.Capabilities(), Rows: s.db.optimizerOptions(s).Rows,
		Costs: options.costs, Why: options.why, Untimed: !options.timing,
		AtCommit: s.insertsBlindly(of.statement, p.last), Eventual: s.readsEventually(of.statement),
	}
	var told *explain.Explanation
	switch {
	case !options.analyze:
		told = x.Describe(s.planFor(of.statement, x.Values, true))
	case tree.Statement != shownBy(tree.Statement):
		return Outcome{}, sqlerr.Unsupported("EXPLAIN (ANALYZE) of a statement that keeps its rows").
			WithHint("Explain its query.")
	default:
		if told, err = s.explainRun(ctx, of, x, options.summary); err != nil {
			return Outcome{}, err
		}
	}
	return Outcome{Tag: "EXPLAIN"}, sendTexts(p, c, told.In(options.format))
}

// explainRun runs a plan and tells of it, with a summary of how long that took.
func (s *Session) explainRun(ctx context.Context, p *Portal, x *explain.Options, summary bool) (*explain.Explanation,
	error) {
	n, elapsed, err := s.profiled(ctx, p, x)
	if err != nil {
		return nil, err
	}
	told, err := s.describeCharged(ctx, x, n, p)
	if err != nil {
		return nil, err
	}
	if summary {
		told.Took(elapsed)
	}
	return told, nil
}

// sendTexts sends rows of one text each.
func sendTexts(p *Portal, c Client, lines []string) error {
	out := types.NewBatch(1)
	for _, l := range lines {
		out.Add()[0] = types.NewText(l)
	}
	return c.Rows(p, out)
}

// profiled runs a plan, throws its rows away, and leaves what it measured in x. What it
// writes is kept, as in PostgreSQL.
func (s *Session) profiled(ctx context.Context, p *Portal, x *explain.Options) (plan.Node, time.Duration, error) {
	if plan.Target(p.statement.plan) == nil {
		return s.profiledQuery(ctx, p, x)
	}
	if err := s.refuseWrites(p.statement.written, writeName(p.statement.plan)); err != nil {
		return nil, 0, err
	}
	n, env, err := s.env(ctx, run{statement: p.statement, params: p.params, write: true, shown: true})
	if err != nil {
		return nil, 0, err
	}
	e := &execution{statement: p.statement, params: p.params, last: p.last}
	env.Blind = s.blindInsert(e)
	x.Profile = plan.NewProfile(n)
	env.Profile = x.Profile
	s.txn.redo, s.txn.Wrote = nil, append(s.txn.Wrote, p.statement.written...)
	s.noteWrites(p.statement.written, true)
	began := time.Now()
	_, _, err = executor.Write(ctx, n, env)
	s.addProfile(x.Profile)
	if x.AtCommit = env.Blind != nil && env.Blind.Rows != nil; x.AtCommit {
		s.txn.redo = e
	}
	return n, time.Since(began), err
}

// addProfile counts what was measured node by node for the statement.
func (s *Session) addProfile(p *plan.Profile) {
	total := p.Total()
	s.running.used.Add(&total)
}

// writeName is what a statement that writes is called in an error about it.
func writeName(n plan.Node) string {
	switch n.(type) {
	case plan.Update:
		return "UPDATE"
	case plan.Delete:
		return "DELETE"
	}
	return "INSERT"
}

func (s *Session) profiledQuery(ctx context.Context, p *Portal, x *explain.Options) (plan.Node, time.Duration, error) {
	n, env, err := s.wholeEnv(ctx, p, true)
	if err != nil {
		return nil, 0, err
	}
	x.Profile = plan.NewProfile(n)
	env.Profile = x.Profile
	defer s.addProfile(x.Profile)
	began := time.Now()
	for _, err := range executor.Run(ctx, n, env) {
		if err != nil {
			return nil, 0, err
		}
	}
	return n, time.Since(began), nil
}
