package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// jsonQuery is JSON_EXISTS, JSON_VALUE or JSON_QUERY.
func jsonQuery(c *converter, n *pg.JsonFuncExpr) *ast.JSONQuery {
	out := &ast.JSONQuery{Name: jsonOperation(n.Op), Context: jsonParsed(c, n.ContextItem), Path: c.expr(n.Pathspec),
		Passing: jsonPassing(c, n.Passing), Wrapper: jsonWrapper(n.Wrapper),
		Omits:   n.Quotes == pg.JsonQuotes_JS_QUOTES_OMIT,
		OnEmpty: jsonBehavior(c, n.OnEmpty), OnError: jsonBehavior(c, n.OnError), Pos: c.at(n.Location)}
	if n.Output != nil {
		t := jsonType(c, n.Output.TypeName)
		out.Returning, out.Format = &t, jsonFormat(c, n.Output.Returning.GetFormat())
	}
	return out
}

func jsonOperation(op pg.JsonExprOp) string {
	switch op {
	case pg.JsonExprOp_JSON_EXISTS_OP:
		return "JSON_EXISTS"
	case pg.JsonExprOp_JSON_VALUE_OP:
		return "JSON_VALUE"
	}
	return "JSON_QUERY"
}

func jsonPassing(c *converter, list []*pg.Node) (out []ast.JSONVariable) {
	for _, n := range list {
		arg := n.GetJsonArgument()
		out = append(out, ast.JSONVariable{Name: arg.GetName(), Value: jsonValue(c, arg.GetVal())})
	}
	return out
}

func jsonWrapper(w pg.JsonWrapper) string {
	return map[pg.JsonWrapper]string{pg.JsonWrapper_JSW_CONDITIONAL: "CONDITIONAL",
		pg.JsonWrapper_JSW_UNCONDITIONAL: "UNCONDITIONAL"}[w]
}

// jsonBehavior is ON EMPTY or ON ERROR, nil where it is not written.
func jsonBehavior(c *converter, n *pg.JsonBehavior) *ast.JSONBehavior {
	if n == nil {
		return nil
	}
	words := map[pg.JsonBehaviorType]string{
		pg.JsonBehaviorType_JSON_BEHAVIOR_NULL: "NULL", pg.JsonBehaviorType_JSON_BEHAVIOR_ERROR: "ERROR",
		pg.JsonBehaviorType_JSON_BEHAVIOR_EMPTY: "EMPTY ARRAY", pg.JsonBehaviorType_JSON_BEHAVIOR_TRUE: "TRUE",
		pg.JsonBehaviorType_JSON_BEHAVIOR_FALSE: "FALSE", pg.JsonBehaviorType_JSON_BEHAVIOR_UNKNOWN: "UNKNOWN",
		pg.JsonBehaviorType_JSON_BEHAVIOR_EMPTY_ARRAY:  "EMPTY ARRAY",
		pg.JsonBehaviorType_JSON_BEHAVIOR_EMPTY_OBJECT: "EMPTY OBJECT",
		pg.JsonBehaviorType_JSON_BEHAVIOR_DEFAULT:      "DEFAULT",
	}
	return &ast.JSONBehavior{Word: words[n.Btype], Default: c.maybe(n.Expr), Pos: c.at(n.Location)}
}
