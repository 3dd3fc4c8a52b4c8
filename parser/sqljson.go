package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
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
		key, value := c.expr(agg.GetArg().GetKey()), jsonValue(c, agg.GetArg().GetValue())
		if agg.Unique {
			return jsonAggregate(c, uniqueAggregate(agg), agg.Constructor, false, key, value)
		}
		return jsonAggregate(c, "json_object_agg", agg.Constructor, agg.AbsentOnNull, key, value)
	case *pg.Node_JsonArrayAgg:
		agg := n.JsonArrayAgg
		return jsonAggregate(c, "json_agg", agg.Constructor, agg.AbsentOnNull, jsonValue(c, agg.Arg))
	case *pg.Node_JsonFuncExpr:
		return jsonQuery(c, n.JsonFuncExpr)
	case *pg.Node_JsonParseExpr:
		value, pos := jsonParsed(c, n.JsonParseExpr.Expr), c.at(n.JsonParseExpr.Location)
		value.Casts = true
		if !n.JsonParseExpr.UniqueKeys {
			return value
		}
		return jsonCall("json_of", pos, jsonCast(value, "text", pos))
	case *pg.Node_JsonScalarExpr:
		value, pos := textOf(c.expr(n.JsonScalarExpr.Expr)), c.at(n.JsonScalarExpr.Location)
		return jsonCall("to_json", pos, value)
	case *pg.Node_JsonSerializeExpr:
		value, pos := jsonParsed(c, n.JsonSerializeExpr.Expr), c.at(n.JsonSerializeExpr.Location)
		if n.JsonSerializeExpr.Output != nil {
			out := returning(c, value, n.JsonSerializeExpr.Output, pos).(*ast.JSONOutput)
			out.Text = "JSON_SERIALIZE()"
			return out
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
	if f := jsonFormat(c, n.GetFormat()); f != nil {
		return &ast.JSONInput{Arg: e, Format: f, Pos: position(e)}
	}
	return e
}

// jsonParsed is a value that is JSON also without FORMAT JSON.
func jsonParsed(c *converter, n *pg.JsonValueExpr) *ast.JSONInput {
	e := c.expr(n.GetRawExpr())
	return &ast.JSONInput{Arg: e, Format: jsonFormat(c, n.GetFormat()), Pos: position(e)}
}

// jsonFormat is FORMAT JSON, nil where it is not written.
func jsonFormat(c *converter, f *pg.JsonFormat) *ast.JSONFormat {
	if f.GetFormatType() != pg.JsonFormatType_JS_FORMAT_JSON {
		return nil
	}
	encodings := map[pg.JsonEncoding]string{pg.JsonEncoding_JS_ENC_UTF8: "UTF8", pg.JsonEncoding_JS_ENC_UTF16: "UTF16",
		pg.JsonEncoding_JS_ENC_UTF32: "UTF32"}
	return &ast.JSONFormat{Encoding: encodings[f.Encoding], Pos: c.at(f.Location)}
}

// returning is a value as the type that RETURNING says.
func returning(c *converter, e ast.Expr, n *pg.JsonOutput, pos ast.Pos) ast.Expr {
	if n == nil {
		return e
	}
	format := jsonFormat(c, n.Returning.GetFormat())
	return &ast.JSONOutput{Arg: e, Type: jsonType(c, n.TypeName), Format: format, Pos: pos}
}

// jsonType is a type of RETURNING, which cannot have sets.
func jsonType(c *converter, n *pg.TypeName) ast.TypeName {
	if n.GetSetof() {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "returning SETOF types is not supported in SQL/JSON functions"))
	}
	return c.typeName(n)
}

func jsonTest(c *converter, n *pg.JsonIsPredicate) ast.Expr {
	kinds := map[pg.JsonValueType]string{pg.JsonValueType_JS_TYPE_OBJECT: "object",
		pg.JsonValueType_JS_TYPE_ARRAY: "array", pg.JsonValueType_JS_TYPE_SCALAR: "scalar"}
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
	value := &ast.Column{Parts: []string{"a"}, Pos: -1}
	var item ast.Expr = value
	if f := jsonFormat(c, n.Format); f != nil {
		item = &ast.JSONInput{Arg: value, Format: f, Pos: -1}
	}
	all := jsonCall("json_agg", pos, item)
	all.Filter = notNull(value)
	from := &ast.FromSelect{Select: c.query(n.Query), Alias: "q", Columns: []string{"a"}, Pos: -1}
	s := &ast.Select{Targets: []ast.Target{{Expr: all, Pos: -1}}, From: []ast.From{from}, Pos: pos}
	return returning(c, &ast.Subquery{Kind: ast.ScalarSubquery, Select: s, Pos: pos}, n.Output, pos)
}

func notNull(e ast.Expr) ast.Expr { return &ast.Is{Arg: e, What: ast.IsNull, Not: true, Pos: -1} }

// uniqueAggregate is the aggregate that refuses to have a key twice.
func uniqueAggregate(n *pg.JsonObjectAgg) string {
	name := "json_object_agg_unique"
	if t := n.GetConstructor().GetOutput().GetTypeName(); t != nil {
		if parts := names(t.Names); parts[len(parts)-1] == "jsonb" {
			name = "jsonb_object_agg_unique"
		}
	}
	if n.AbsentOnNull {
		name += "_strict"
	}
	return name
}

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
