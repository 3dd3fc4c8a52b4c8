package optimizer_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestScripts runs testdata, one file for each rule. define takes CREATE TABLE and CREATE
// INDEX, know what is known of a table, as plantest does, plan and steps a query; plan shows the
// plan that comes out, steps the one that goes in and the tree below each rule that did something,
// as the rule left it.
//
// expect=Rule and expect-not=Rule say that a rule must or must not do something, off=Rule
// leaves one out, memory=n is how many bytes a hash table may hold.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s plantest.Schema
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "define":
				if err := s.Define(d.Input); err != nil {
					return err.Error()
				}
				return ""
			case "know":
				if err := s.Know(d.CmdArgs[0].Key, d.Input); err != nil {
					return err.Error()
				}
				return ""
			case "plan", "steps":
				return optimized(t, &s, d)
			}
			d.Fatalf(t, "there is no command %q", d.Cmd)
			return ""
		})
	})
}

func optimized(t *testing.T, s *plantest.Schema, d *datadriven.TestData) string {
	n, err := s.Plan(d.Input)
	if err != nil {
		return err.Error()
	}
	r := recorder{t: t}
	o := optimizer.Options{
		Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}, Off: values(d, "off"), Observe: r.observe,
	}
	for _, bytes := range values(d, "memory") {
		if _, err := fmt.Sscan(bytes, &o.Memory); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	for _, n := range values(d, "workers") {
		if _, err := fmt.Sscan(n, &o.Workers); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	before := plantest.Tree(n)
	after, err := optimizer.Optimize(n, &o)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	if plantest.Tree(n) != before {
		d.Fatalf(t, "the plan was changed in place to\n%s", plantest.Tree(n))
	}
	r.checkUnchanged()
	for _, rule := range values(d, "expect") {
		if !slices.Contains(r.rules, rule) {
			d.Fatalf(t, "%s did nothing", rule)
		}
	}
	for _, rule := range values(d, "expect-not") {
		if slices.Contains(r.rules, rule) {
			d.Fatalf(t, "%s did something", rule)
		}
	}
	if d.Cmd == "steps" {
		return before + r.steps.String() + "= all\n" + plantest.Tree(after)
	}
	return plantest.Tree(after)
}

func values(d *datadriven.TestData, name string) []string {
	for _, arg := range d.CmdArgs {
		if arg.Key == name {
			return arg.Vals
		}
	}
	return nil
}

// recorder keeps what each rule saw and made, and how it looked then.
type recorder struct {
	t     *testing.T
	rules []string
	steps strings.Builder
	plans []plan.Node
	trees []string
}

func (r *recorder) observe(rule string, before, after plan.Node) {
	r.rules = append(r.rules, rule)
	fmt.Fprintf(&r.steps, "= %s\n%s", rule, plantest.Tree(after))
	for _, n := range []plan.Node{before, after} {
		r.plans, r.trees = append(r.plans, n), append(r.trees, plantest.Tree(n))
	}
	if plantest.Tree(before) == plantest.Tree(after) {
		r.t.Errorf("%s says that it did something to\n%s", rule, plantest.Tree(after))
	}
}

// checkUnchanged wants every plan that a rule has seen to be as it was: plans are values.
func (r *recorder) checkUnchanged() {
	r.t.Helper()
	for i, n := range r.plans {
		if now := plantest.Tree(n); now != r.trees[i] {
			r.t.Errorf("%s: a plan was changed in place from\n%sto\n%s", r.rules[i/2], r.trees[i], now)
		}
	}
}

// TestEveryRuleHasAScript wants a file for each rule, named after it, that says where it
// does something and where it must not.
func TestEveryRuleHasAScript(t *testing.T) {
	for _, rule := range optimizer.Names() {
		text, err := os.ReadFile("testdata/" + snake(rule))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, arg := range []string{" expect=" + rule, " expect-not=" + rule} {
			if !strings.Contains(string(text), arg+"\n") {
				t.Errorf("testdata/%s has no%s", snake(rule), arg)
			}
		}
		if _, err := os.Stat(snake(rule) + ".go"); err != nil {
			t.Errorf("rule %s is not in a file of its name: %v", rule, err)
		}
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.ContainsFunc(optimizer.Names(), func(rule string) bool { return snake(rule) == f.Name() }) {
			t.Errorf("testdata/%s is named after no rule", f.Name())
		}
	}
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
