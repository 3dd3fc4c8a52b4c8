package optimizer

import (
	"errors"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

func distinctOver(n plan.Node) plan.Node { return plan.Distinct{Input: n} }

func one() plan.Node {
	return plan.Values{Rows: [][]expr.Expr{{expr.Const{Value: types.NewInt(1), T: types.Int4}}},
		Cols: []plan.Column{{Name: "a", Type: types.Int4}}}
}

func TestPhaseThatDoesNotEnd(t *testing.T) {
	there := Rule{"There", func(_ *Options, n plan.Node) (plan.Node, bool) {
		d, ok := n.(plan.Distinct)
		if !ok {
			return n, false
		}
		return plan.Limit{Input: d.Input}, true
	}}
	back := Rule{"Back", func(_ *Options, n plan.Node) (plan.Node, bool) {
		l, ok := n.(plan.Limit)
		if !ok {
			return n, false
		}
		return distinctOver(l.Input), true
	}}
	_, err := optimize(distinctOver(one()), &Options{}, []Phase{{Name: "to and fro", Rules: []Rule{there, back}}})
	if err == nil || !strings.Contains(err.Error(), `phase "to and fro"`) {
		t.Errorf("%v", err)
	}
}

func TestRuleThatChangesColumns(t *testing.T) {
	rename := Rule{"Rename", func(_ *Options, n plan.Node) (plan.Node, bool) {
		v, ok := n.(plan.Values)
		v.Cols = []plan.Column{{Name: "b", Type: types.Int4}}
		return v, ok
	}}
	_, err := optimize(distinctOver(one()), &Options{}, []Phase{{Name: "rename", Rules: []Rule{rename}}})
	if err == nil || !strings.Contains(err.Error(), "rule Rename") {
		t.Errorf("%v", err)
	}
}

func TestOffAndObserve(t *testing.T) {
	drop := Rule{"Drop", func(_ *Options, n plan.Node) (plan.Node, bool) {
		d, ok := n.(plan.Distinct)
		if !ok {
			return n, false
		}
		return d.Input, true
	}}
	var seen []string
	o := Options{Observe: func(rule string, _, _ plan.Node) { seen = append(seen, rule) }}
	n, err := optimize(distinctOver(distinctOver(one())), &o, []Phase{{Name: "drop", Rules: []Rule{drop}}})
	if _, ok := n.(plan.Values); !ok || err != nil || len(seen) != 2 {
		t.Errorf("%v, %v, seen %v", n, err, seen)
	}
	n, err = optimize(distinctOver(one()), &Options{Off: []string{"Drop"}}, []Phase{{Name: "drop", Rules: []Rule{drop}}})
	if _, ok := n.(plan.Distinct); !ok || err != nil {
		t.Errorf("turned off: %v, %v", n, err)
	}
}

func TestChooseAccessPathCannotBeTurnedOff(t *testing.T) {
	if !required(chooseAccessPath) || required(dropSort) {
		t.Error("every scan needs a path")
	}
}

// TestInterrupted ends the work on a plan with the error that it is told.
func TestInterrupted(t *testing.T) {
	stop := errors.New("stop")
	asked := 0
	o := &Options{Interrupted: func() error {
		if asked++; asked > 3 {
			return stop
		}
		return nil
	}}
	n := plan.Limit{Input: plan.Distinct{Input: plan.Values{}}}
	if _, err := Optimize(n, o); err != stop || asked != 4 {
		t.Errorf("got %v after %d questions", err, asked)
	}
}
