package parser

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

func (c *converter) call(n *pg.FuncCall) ast.Expr {
	c.refuse(n.Over != nil, n, "OVER (a window function)")
	c.refuse(n.AggWithinGroup, n, "WITHIN GROUP")
	c.refuse(n.FuncVariadic, n, "VARIADIC")
	out := &ast.Call{
		Args:     c.exprs(n.Args),
		Star:     n.AggStar,
		Distinct: n.AggDistinct,
		OrderBy:  c.orderBy(n.AggOrder),
		Filter:   c.maybe(n.AggFilter),
		Pos:      c.at(n.Location),
	}
	out.Schema, out.Name = c.qualified(n, names(n.Funcname))
	return out
}

// qualified is a name with a schema or without.
func (c *converter) qualified(at *pg.FuncCall, parts []string) (schema, name string) {
	switch len(parts) {
	case 1:
		return "", parts[0]
	case 2:
		return parts[0], parts[1]
	}
	c.refuse(true, at, "a name of a function with more than two parts")
	return "", ""
}

// valueFunction is current_date and its like; a precision becomes an argument.
func (c *converter) valueFunction(n *pg.SQLValueFunction) ast.Expr {
	name, precise := valueFunctionName(n.Op)
	c.refuse(name == "", n, "this value function")
	out := &ast.Call{Name: name, Pos: c.at(n.Location)}
	if precise {
		out.Args = []ast.Expr{&ast.Literal{Kind: ast.LiteralInt, Text: strconv.Itoa(int(n.Typmod)), Pos: out.Pos}}
	}
	return out
}

func valueFunctionName(op pg.SQLValueFunctionOp) (name string, precise bool) {
	switch op {
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return "current_date", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME:
		return "current_time", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:
		return "current_time", true
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:
		return "current_timestamp", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N:
		return "current_timestamp", true
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIME:
		return "localtime", false
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N:
		return "localtime", true
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:
		return "localtimestamp", false
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:
		return "localtimestamp", true
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:
		return "current_role", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_USER:
		return "current_user", false
	case pg.SQLValueFunctionOp_SVFOP_USER:
		return "user", false
	case pg.SQLValueFunctionOp_SVFOP_SESSION_USER:
		return "session_user", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:
		return "current_catalog", false
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:
		return "current_schema", false
	}
	return "", false
}
