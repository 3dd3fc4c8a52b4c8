package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushKeyIntoVirtual lets a relation of the system compute the rows of some objects only.
//
//	Filter ((oid = 5) AND (kind = 'r'))      Filter ((oid = 5) AND (kind = 'r'))
//	└─ Virtual pg_class                   →  └─ Virtual pg_class only = 5
//
// The filter stays: the relation may compute more than it must. It must not fire twice.
var pushKeyIntoVirtual = Rule{"PushKeyIntoVirtual", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	v, ok := f.Input.(plan.Virtual)
	if !ok || v.Only != nil || v.Relation.Key < 0 {
		return n, false
	}
	for _, cond := range expr.Conjuncts(f.Cond) {
		column, term, _, ok := plan.TermOf(cond)
		if !ok || v.Reads[column] != v.Relation.Key {
			continue
		}
		switch term.Op {
		case plan.TermEQ, plan.TermIn, plan.TermAny:
			v.Only = append(v.Only, term)
		}
	}
	if v.Only == nil {
		return n, false
	}
	f.Input = v
	return f, true
}}
