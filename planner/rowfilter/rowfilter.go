// Package rowfilter reads the conditions of WHERE that publications have: those of columns, constants, and what is
// built in and immutable, as in PostgreSQL, whose subscribers evaluate them. How they are printed is not here. Read
// Condition first.
package rowfilter

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/bound"
	"zproxy/sqlerr"
	"zproxy/types"
)

// What a condition must not have.
const (
	systemColumns = "System columns are not allowed."
	userOperators = "User-defined operators are not allowed."
	userTypes     = "User-defined types are not allowed."
	userFunctions = "User-defined or built-in mutable functions are not allowed."
	userOrders    = "User-defined collations are not allowed."
	otherForms    = "Only columns, constants, built-in operators, built-in data types, built-in collations, and " +
		"immutable built-in functions are allowed."
)

// checker looks for what a condition must not have.
type checker struct {
	catalog   *catalog.Snapshot
	positions map[bound.Node]ast.Pos
}

// check refuses a condition over a table that a publication must not have. One that cannot be read is none of them.
func check(src bound.Source, t *catalog.Table, tree ast.Expr) error {
	c := checker{src.Now, map[bound.Node]ast.Pos{}}
	src.Positions = c.positions
	n, _, err := src.Expr(tree, bound.Renamed{Was: t, Is: t}, types.Bool)
	if err != nil {
		return nil
	}
	return c.check(n)
}

// check looks through a node from the top.
func (c checker) check(n bound.Node) error {
	below, detail := parts(n)
	if detail == "" && n.Type().Number() >= types.FirstObject {
		detail = userTypes
	}
	if detail == "" {
		detail = called(n)
	}
	for _, of := range append(below, n) {
		if detail == "" && c.catalog.PlainByID(of.Type().Collation.OID) != nil {
			detail = userOrders
		}
	}
	if detail != "" {
		return sqlerr.New(sqlerr.FeatureNotSupported, "invalid publication WHERE expression").
			WithDetail("%s", detail).At(int(c.begins(n)))
	}
	for _, sub := range below {
		if err := c.check(sub); err != nil {
			return err
		}
	}
	return nil
}

// begins is where the text of a node begins.
func (c checker) begins(n bound.Node) ast.Pos {
	least, known := c.positions[n]
	below, _ := parts(n)
	for _, sub := range below {
		if at := c.begins(sub); at >= 0 && (!known || at < least) {
			least, known = at, true
		}
	}
	if !known {
		return -1
	}
	return least
}

// parts are the nodes below a node, and what is wrong with its form; empty: nothing.
func parts(n bound.Node) (below []bound.Node, detail string) {
	switch n := n.(type) {
	case *bound.Variable:
		switch {
		case n.Whole():
			return nil, userTypes
		case n.Column < 0:
			return nil, systemColumns
		}
	case *bound.Constant, *bound.CaseTest:
	case *bound.Call:
		return n.Args, ""
	case *bound.Logic:
		return n.Args, ""
	case *bound.IsNull:
		return []bound.Node{n.Arg}, ""
	case *bound.IsBool:
		return []bound.Node{n.Arg}, ""
	case *bound.Alternatives:
		return n.Args, ""
	case *bound.Array:
		return n.Items, ""
	case *bound.Row:
		return n.Args, ""
	case *bound.NullIf:
		return n.Args, ""
	case *bound.Distinct:
		return []bound.Node{n.Left, n.Right}, ""
	case *bound.RowCompare:
		return append(append(below, n.Left...), n.Right...), ""
	case *bound.Operation:
		return n.Args, ofUsers(n.Via)
	case *bound.ArrayOperation:
		return []bound.Node{n.Left, n.Right}, ofUsers(n.Via)
	case *bound.Collate:
		return []bound.Node{n.Arg}, ""
	case *bound.Case:
		if n.Arg != nil {
			below = append(below, n.Arg)
		}
		return append(append(append(below, n.Conditions...), n.Results...), n.Else), ""
	case *bound.Cast:
		if n.Kind != bound.FunctionCast && !n.Relabels() || n.Type().Domain != nil {
			detail = otherForms
		}
		return []bound.Node{n.Arg}, detail
	default:
		return nil, otherForms
	}
	return nil, ""
}

func ofUsers(via *expr.Sign) string {
	if via != nil {
		return userOperators
	}
	return ""
}

// called says whether a node calls a function that it must not.
func called(n bound.Node) string {
	fixed := true
	switch n := n.(type) {
	case *bound.Call:
		fixed = n.Fn == nil || n.Fn.Routine == nil && n.Fn.Volatility == expr.Immutable
	case *bound.Operation:
		left := types.OIDInvalid
		if len(n.Args) == 2 {
			left = n.Args[0].Type().OID
		}
		fixed = operator(n.Sign, left, n.Args[len(n.Args)-1].Type().OID)
	case *bound.ArrayOperation:
		fixed = operator(n.Sign, n.Left.Type().OID, types.InfoOf(n.Right.Type().OID).Element)
	case *bound.Cast:
		if n.Kind == bound.FunctionCast {
			fixed = cast(n.Arg.Type().OID, n.Type().OID)
		}
	}
	if fixed {
		return ""
	}
	return userFunctions
}

// operator says whether an operator is immutable.
func operator(sign string, left, right types.OID) bool {
	for _, o := range pgproc.OperatorsNamed(sign) {
		if o.Left == left && o.Right == right {
			return immutable(o.Code)
		}
	}
	return true
}

// cast says whether the function of a cast is immutable.
func cast(from, to types.OID) bool {
	for _, c := range pgproc.CastRows() {
		if c.From == from && c.To == to && c.Function != 0 {
			return immutable(c.Function)
		}
	}
	return true
}

func immutable(function uint32) bool {
	p := builtin.ProcByOID(function)
	return p == nil || p.Volatility == 'i'
}
