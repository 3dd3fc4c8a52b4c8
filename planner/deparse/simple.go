package deparse

import "strings"

// simple says whether an expression needs no parentheses inside another where as few as can
// be are printed, by PostgreSQL's isSimpleNode.
func simple(n, parent node) bool {
	switch n := n.(type) {
	case *variable, *merged, *constant, *caseTest, *subscript, *array, *row, *function, *valueFunction, *nullIf, *aggregate, *call, *caseExpr:
		return true
	case *field:
		_, nested := parent.(*field)
		return !nested
	case *cast:
		return n.kind == functionCast || simple(n.arg, n)
	case *operation:
		if o, ok := parent.(*operation); ok {
			return simpleOperation(n, o)
		}
		return encloses(parent, true)
	case *subquery, *nullTest, *boolTest, *distinct:
		return encloses(parent, true)
	case *logic:
		if l, ok := parent.(*logic); ok {
			if n.op == "OR" {
				return l.op == "OR"
			}
			return l.op == "AND" || l.op == "OR"
		}
		return encloses(parent, false)
	}
	return false
}

// encloses says whether an expression keeps those in it apart by itself.
func encloses(parent node, overLogic bool) bool {
	switch parent := parent.(type) {
	case *call:
		return parent.form == explicitCall
	case *logic:
		return overLogic
	case *subscript, *array, *row, *function, *nullIf, *aggregate, *caseExpr:
		return true
	}
	return false
}

// simpleOperation knows the arithmetic operators and how they bind.
func simpleOperation(n, parent *operation) bool {
	binds := func(o *operation) int {
		switch {
		case len(o.args) != 2 || len(o.sign) != 1:
			return 0
		case strings.Contains("+-", o.sign):
			return 1
		case strings.Contains("*/%", o.sign):
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
	return parent.args[0] == node(n)
}
