package parser

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) call(n *pg.FuncCall) ast.Expr {
	out := &ast.Call{
		Variadic: n.FuncVariadic,
		Star:     n.AggStar,
		Distinct: n.AggDistinct,
		Syntax:   n.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX,
		Pos:      c.at(n.Location),
	}
	out.Schema, out.Name = c.qualified(n, names(n.Funcname))
	if out.Name == "json_object" { // a newer grammar has a form of its own, and adds pg_catalog
		out.Schema = ""
	}
	c.refuse(out.Syntax && out.Name == "xmlexists", n, "XML")
	c.arguments(out, n)
	c.refuse(n.AggWithinGroup && len(n.AggOrder) == 0, n, "WITHIN GROUP without ORDER BY")
	if n.AggWithinGroup {
		out.Within = c.orderBy(n.AggOrder)
	} else {
		out.OrderBy = c.orderBy(n.AggOrder)
	}
	out.Filter = c.maybe(n.AggFilter)
	out.Over = c.over(n.Over)
	return out
}

// arguments are those of a call, by position and then by name.
func (c *converter) arguments(call *ast.Call, n *pg.FuncCall) {
	values := make([]*pg.Node, len(n.Args))
	for i, a := range n.Args {
		values[i] = a
		named := a.GetNamedArgExpr()
		switch {
		case named != nil:
			if call.ArgNames == nil {
				call.ArgNames = make([]string, len(n.Args))
			}
			if slices.Contains(call.ArgNames, named.Name) {
				c.fail(sqlerr.New(sqlerr.SyntaxError, "argument name \"%s\" used more than once", named.Name).
					At(int(c.at(named.Location))))
			}
			values[i], call.ArgNames[i] = named.Arg, named.Name
		case call.ArgNames != nil:
			c.fail(sqlerr.New(sqlerr.SyntaxError, "positional argument cannot follow named argument").
				At(int(c.position(a))))
		}
	}
	call.Args = c.inTextOrder(values)
}

// qualified is a name with a schema or without.
func (c *converter) qualified(at *pg.FuncCall, parts []string) (schema, name string) {
	if at.Funcname = withoutDatabase(c, at.Funcname, 2); len(at.Funcname) < len(parts) {
		parts = parts[1:]
	}
	switch len(parts) {
	case 1:
		return "", parts[0]
	case 2:
		return parts[0], parts[1]
	}
	c.fail(crossing(parts).At(int(c.at(at.Location))))
	return "", ""
}

// valueFunction is current_date and its like; a precision becomes an argument.
func (c *converter) valueFunction(n *pg.SQLValueFunction) ast.Expr {
	name, precise := valueFunctionName(n.Op)
	c.refuse(name == "", n, "this value function")
	out := &ast.Call{Name: name, Syntax: true, Pos: c.at(n.Location)}
	if precise {
		c.reduced(valueFunctionType(name), []int{int(n.Typmod)}, out.Pos)
		out.Args = []ast.Expr{&ast.Literal{Kind: ast.LiteralInt, Text: strconv.Itoa(int(n.Typmod)), Pos: out.Pos}}
	}
	return out
}

// valueFunctionType is the type of a value function with a precision.
func valueFunctionType(name string) string {
	return map[string]string{
		"current_time": "timetz", "current_timestamp": "timestamptz", "localtime": "time",
		"localtimestamp": "timestamp",
	}[name]
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
