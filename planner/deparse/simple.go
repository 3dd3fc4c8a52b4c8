package deparse

import (
	"strings"

	"zproxy/planner/bound"
)

// simple says whether an expression needs no parentheses inside another where as few as can
// be are printed, by PostgreSQL's isSimpleNode.
func simple(n, parent bound.Node) bool {
	switch n := n.(type) {
	case *bound.Variable, *bound.Merged, *bound.Constant, *bound.CaseTest, *bound.Subscript, *bound.Array, *bound.Row,
		*bound.Alternatives, *bound.ValueFunction, *bound.NullIf, *bound.Aggregate, *bound.Call, *bound.Case:
		return true
	case *bound.Field:
		_, nested := parent.(*bound.Field)
		return !nested
	case *bound.Cast:
		return n.Kind == bound.FunctionCast || simple(n.Arg, n)
	case *bound.Operation:
		if o, ok := parent.(*bound.Operation); ok {
			return simpleOperation(n, o)
		}
		return encloses(parent, true)
	case *bound.Subquery, *bound.IsNull, *bound.IsBool, *bound.Distinct:
		return encloses(parent, true)
	case *bound.Logic:
		if l, ok := parent.(*bound.Logic); ok {
			if n.Op == "OR" {
				return l.Op == "OR"
			}
			return l.Op == "AND" || l.Op == "OR"
		}
		return encloses(parent, false)
	}
	return false
}

// encloses says whether an expression keeps those in it apart by itself.
func encloses(parent bound.Node, overLogic bool) bool {
	switch parent := parent.(type) {
	case *bound.Call:
		return !parent.Syntax
	case *bound.Logic:
		return overLogic
	case *bound.Subscript, *bound.Array, *bound.Row,
		*bound.Alternatives, *bound.NullIf, *bound.Aggregate, *bound.Case:
		return true
	}
	return false
}

// simpleOperation knows the arithmetic operators and how they bind.
func simpleOperation(n, parent *bound.Operation) bool {
	binds := func(o *bound.Operation) int {
		switch {
		case len(o.Args) != 2 || len(o.Sign) != 1:
			return 0
		case strings.Contains("+-", o.Sign):
			return 1
		case strings.Contains("*/%", o.Sign):
			return 2
		}
		return 0
	}
	inner, outer := binds(n), binds(parent)
	switch {
	case inner == 0 || outer == 0:
		return false
	case inner != outer:
		return inner > outer
	}
	return parent.Args[0] == bound.Node(n)
}
