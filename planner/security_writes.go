package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/policy"
	"zproxy/planner/plan"
)

// readsRows says whether the statement reads the rows that it writes, so that the policies for SELECT bear on them,
// too.
func (g *goal) readsRows() bool {
	for _, need := range g.rel.Needs {
		if need.Relation == g.table.ID && need.Privileges&catalog.MaySelect != 0 {
			return true
		}
	}
	return false
}

// secured is the input of an UPDATE or DELETE, or of a MERGE, with the rows of the table alone that policies for some
// commands leave. It is known only when all of the statement is planned whether it reads them.
func (g *goal) secured(input plan.Node, commands ...string) (plan.Node, error) {
	if g.security == nil {
		return input, nil
	}
	if g.readsRows() {
		commands = append(commands, policy.Select)
	}
	return onTarget(input, func(rows plan.Node) (plan.Node, error) { return g.security.visible(rows, commands...) })
}

// onTarget changes the rows of the table that a statement writes, which are the leftmost ones of its input.
func onTarget(n plan.Node, change func(plan.Node) (plan.Node, error)) (plan.Node, error) {
	switch n.(type) {
	case plan.Filter, plan.Barrier, plan.Join:
		in := slices.Clone(n.Inputs())
		var err error
		in[0], err = onTarget(in[0], change)
		return n.WithInputs(in), err
	}
	return change(n)
}

// rule is a set of policies that rows must meet in some part of a statement.
type rule struct {
	kind    plan.CheckKind
	command string
	says    part
}

// policyChecks are the checks of some rules. Where the statement reads the rows, those of the kinds of the rules that
// are about new rows must be rows that it may see.
func (g *goal) policyChecks(rules ...rule) (out []plan.Check, err error) {
	reads := g.readsRows()
	for _, r := range rules {
		list, err := g.security.checks(r.kind, r.command, r.says)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
		if !reads || r.kind == plan.MergeUpdateCheck || r.kind == plan.MergeDeleteCheck {
			continue
		}
		if list, err = g.security.checks(r.kind, policy.Select, using); err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// insertRules are those of an INSERT.
func insertRules(updates bool) []rule {
	out := []rule{{plan.InsertCheck, policy.Insert, checking}}
	if updates {
		out = append(out, rule{plan.ConflictCheck, policy.Update, using},
			rule{plan.UpdateCheck, policy.Update, checking})
	}
	return out
}

// mergeRules are those of a MERGE.
func mergeRules() []rule {
	return []rule{
		{plan.MergeUpdateCheck, policy.Update, using}, {plan.MergeDeleteCheck, policy.Delete, using},
		{plan.UpdateCheck, policy.Update, checking}, {plan.InsertCheck, policy.Insert, checking},
	}
}
