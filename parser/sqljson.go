package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// sqlJSON is a constructor or a test of SQL/JSON: a call, or what SQL has for it already; nil of another node.
func sqlJSON(c *converter, node *pg.Node) ast.Expr {
	switch n := node.GetNode().(type) {
	case *pg.Node_JsonIsPredicate:
		return jsonTest(c, n.JsonIsPredicate)
	case *pg.Node_JsonObjectConstructor:
		return jsonObject(c, n.JsonObjectConstructor)
	case *pg.Node_JsonArrayConstructor:
		return jsonArray(c, n.JsonArrayConstructor)
	case *pg.Node_JsonArrayQueryConstructor:
		return jsonArrayOf(c, n.JsonArrayQueryConstructor)
	case *pg.Node_JsonObjectAgg:
		agg := n.JsonObjectAgg
		c.refuse(agg.Unique, agg.Constructor, "JSON_OBJECTAGG WITH UNIQUE KEYS")
		key, value := c.expr(agg.GetArg().GetKey()), jsonValue(c, agg.GetArg().GetValue())
		return jsonAggregate(c, "json_object_agg", agg.Constructor, agg.AbsentOnNull, key, value)
	case *pg.Node_JsonArrayAgg:
		agg := n.JsonArrayAgg
		return jsonAggregate(c, "json_agg", agg.Constructor, agg.AbsentOnNull, jsonValue(c, agg.Arg))
	case *pg.Node_JsonParseExpr:
		value, pos := jsonValue(c, n.JsonParseExpr.Expr), c.at(n.JsonParseExpr.Location)
		if !n.JsonParseExpr.UniqueKeys {
			return jsonCast(value, "json", pos)
		}
		return jsonCall("json_of", pos, value)
	case *pg.Node_JsonScalarExpr:
		value, pos := textOf(c.expr(n.JsonScalarExpr.Expr)), c.at(n.JsonScalarExpr.Location)
		return jsonCall("to_json", pos, value)
	case *pg.Node_JsonSerializeExpr:
		value, pos := jsonValue(c, n.JsonSerializeExpr.Expr), c.at(n.JsonSerializeExpr.Location)
		if _, plain := value.(*ast.Literal); plain {
			value = jsonCast(value, "json", pos)
		}
		if n.JsonSerializeExpr.Output != nil {
			return returning(c, value, n.JsonSerializeExpr.Output, pos)
		}
		return jsonCast(value, "text", pos)
	}
	return nil
}

// systemSchema is where the functions are that SQL has syntax for.
const systemSchema = "pg_catalog"

// jsonName is how a column is called whose value comes from SQL/JSON, empty for another one.
func jsonName(node *pg.Node) string {
	switch node.GetNode().(type) {
	case *pg.Node_JsonIsPredicate:
		return "?column?"
	case *pg.Node_JsonObjectConstructor:
		return "json_object"
	case *pg.Node_JsonArrayConstructor, *pg.Node_JsonArrayQueryConstructor:
		return "json_array"
	case *pg.Node_JsonObjectAgg:
		return "json_objectagg"
	case *pg.Node_JsonArrayAgg:
		return "json_arrayagg"
	case *pg.Node_JsonParseExpr:
		return "json"
	case *pg.Node_JsonScalarExpr:
		return "json_scalar"
	case *pg.Node_JsonSerializeExpr:
		return "json_serialize"
	}
	return ""
}

// jsonCall calls a function that SQL has syntax for.
func jsonCall(name string, pos ast.Pos, args ...ast.Expr) *ast.Call {
	return &ast.Call{Schema: systemSchema, Name: name, Args: args, Syntax: true, Pos: pos}
}

func jsonCast(e ast.Expr, to string, pos ast.Pos) ast.Expr {
	return &ast.Cast{Arg: e, Type: ast.TypeName{Name: to, Pos: -1}, Pos: pos}
}

func boolean(on bool) ast.Expr {
	text := "false"
	if on {
		text = "true"
	}
	return &ast.Literal{Kind: ast.LiteralBool, Text: text, Pos: -1}
}

// textOf gives a string or a NULL without a type one.
func textOf(e ast.Expr) ast.Expr {
	if l, ok := e.(*ast.Literal); ok && (l.Kind == ast.LiteralString || l.Kind == ast.LiteralNull) {
		return jsonCast(l, "text", l.Pos)
	}
	return e
}

// jsonValue is a value, which FORMAT JSON makes JSON of.
func jsonValue(c *converter, n *pg.JsonValueExpr) ast.Expr {
	e := c.expr(n.GetRawExpr())
	if n.GetFormat().GetFormatType() == pg.JsonFormatType_JS_FORMAT_JSON {
		formatted(c, n.Format)
		return jsonCast(e, "json", c.at(n.Format.Location))
	}
	return e
}

// formatted refuses encodings of bytes.
func formatted(c *converter, f *pg.JsonFormat) {
	c.refuse(f.GetEncoding() > pg.JsonEncoding_JS_ENC_DEFAULT, f, "ENCODING of FORMAT JSON")
}

// returning is a value as the type that RETURNING says.
func returning(c *converter, e ast.Expr, n *pg.JsonOutput, pos ast.Pos) ast.Expr {
	if n == nil {
		return e
	}
	formatted(c, n.Returning.GetFormat())
	return &ast.Cast{Arg: e, Type: c.typeName(n.TypeName), Pos: pos}
}

func jsonTest(c *converter, n *pg.JsonIsPredicate) ast.Expr {
	kinds := map[pg.JsonValueType]string{pg.JsonValueType_JS_TYPE_OBJECT: "object",
		pg.JsonValueType_JS_TYPE_ARRAY: "array", pg.JsonValueType_JS_TYPE_SCALAR: "scalar"}
	formatted(c, n.Format)
	kind := &ast.Literal{Kind: ast.LiteralString, Text: kinds[n.ItemType], Pos: -1}
	return jsonCall("is_json", c.at(n.Location), textOf(c.expr(n.Expr)), kind, boolean(n.UniqueKeys))
}

func jsonObject(c *converter, n *pg.JsonObjectConstructor) ast.Expr {
	args := []ast.Expr{boolean(n.AbsentOnNull), boolean(n.Unique)}
	for _, e := range n.Exprs {
		pair := e.GetJsonKeyValue()
		args = append(args, textOf(c.expr(pair.GetKey())), textOf(jsonValue(c, pair.GetValue())))
	}
	pos := c.at(n.Location)
	return returning(c, jsonCall("json_object_of", pos, args...), n.Output, pos)
}

func jsonArray(c *converter, n *pg.JsonArrayConstructor) ast.Expr {
	args := []ast.Expr{boolean(n.AbsentOnNull)}
	for _, e := range n.Exprs {
		args = append(args, textOf(jsonValue(c, e.GetJsonValueExpr())))
	}
	pos := c.at(n.Location)
	return returning(c, jsonCall("json_array_of", pos, args...), n.Output, pos)
}

// jsonArrayOf is the array of what a query returns, without its NULLs, in its order.
func jsonArrayOf(c *converter, n *pg.JsonArrayQueryConstructor) ast.Expr {
	pos := c.at(n.Location)
	formatted(c, n.Format)
	value := &ast.Column{Parts: []string{"a"}, Pos: -1}
	all := jsonCall("json_agg", pos, value)
	all.Filter = notNull(value)
	from := &ast.FromSelect{Select: c.query(n.Query), Alias: "q", Columns: []string{"a"}, Pos: -1}
	s := &ast.Select{Targets: []ast.Target{{Expr: all, Pos: -1}}, From: []ast.From{from}, Pos: pos}
	return returning(c, &ast.Subquery{Kind: ast.ScalarSubquery, Select: s, Pos: pos}, n.Output, pos)
}

func notNull(e ast.Expr) ast.Expr { return &ast.Is{Arg: e, What: ast.IsNull, Not: true, Pos: -1} }

// jsonAggregate is a call of an aggregate, which may leave out NULLs.
func jsonAggregate(c *converter, name string, n *pg.JsonAggConstructor, absent bool, args ...ast.Expr) ast.Expr {
	pos := c.at(n.GetLocation())
	for i := range args {
		args[i] = textOf(args[i])
	}
	call := jsonCall(name, pos, args...)
	call.Syntax = false
	call.OrderBy, call.Over, call.Filter = c.orderBy(n.GetAggOrder()), c.over(n.GetOver()), c.maybe(n.GetAggFilter())
	if absent {
		given := notNull(args[len(args)-1])
		if call.Filter == nil {
			call.Filter = given
		} else {
			call.Filter = &ast.Logic{Args: []ast.Expr{call.Filter, given}, Pos: pos}
		}
	}
	return returning(c, call, n.GetOutput(), pos)
}
