package parser

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// jsonTable makes a JSON_TABLE a query. Its rows are the items of a path, each with its number, and joined with them
// those of the nested paths, one after the other; its columns are what JSON_VALUE and its like make of an item.
type jsonTable struct {
	*converter
	raises bool            // an error of a path is one of the query
	names  map[string]bool // of columns and paths
}

// The names inside of the query, which nothing that is written sees.
const (
	tableDocument, tableVariables = "document", "variables"
	tableItem, tableNumber        = "item", "number"
)

func fromJSONTable(c *converter, n *pg.JsonTable) ast.From {
	t := jsonTable{converter: c, names: map[string]bool{}}
	if b := jsonBehavior(c, n.OnError); b != nil {
		t.raises = b.Word == "ERROR"
		if !t.raises && b.Word != "EMPTY ARRAY" {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "invalid ON ERROR behavior").
				WithDetail("Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.").At(int(b.Pos)))
		}
	}
	t.register(n.Pathspec.GetName(), c.at(n.Pathspec.GetNameLocation()))
	pos := c.at(n.Location)
	whole := &ast.JSONQuery{Name: "JSON_QUERY", Context: jsonParsed(c, n.ContextItem), Path: stringLiteral("$"),
		Pos: pos}
	vars := jsonCall("jsonb_build_object", pos)
	for _, v := range jsonPassing(c, n.Passing) {
		vars.Args = append(vars.Args, textOf(stringLiteral(v.Name)), textOf(v.Value))
	}
	given := &ast.Select{Pos: pos, Targets: []ast.Target{{Expr: whole, Alias: tableDocument, Pos: -1},
		{Expr: vars, Alias: tableVariables, Pos: -1}}}
	const source = "source"
	l := t.level(0, inside(source, tableDocument), n.Pathspec, n.Columns)
	around := &ast.FromSelect{Select: given, Lateral: true, Alias: source, Pos: pos}
	l.rows.From = append([]ast.From{around}, l.rows.From...)
	out := &ast.FromSelect{Select: l.rows, Lateral: true, Alias: n.GetAlias().GetAliasname(),
		Columns: names(n.GetAlias().GetColnames()), Pos: pos}
	if out.Alias == "" {
		out.Alias = "json_table"
	}
	return out
}

// register notes the name of a column or a path, which must be another than those before.
func (t *jsonTable) register(name string, pos ast.Pos) {
	if name != "" && t.names[name] {
		t.fail(sqlerr.New(sqlerr.DuplicateAlias, "duplicate JSON_TABLE column or path name: %s", name).At(int(pos)))
	}
	t.names[name] = true
}

// jsonLevel is the rows of one path, with their columns.
type jsonLevel struct {
	rows  *ast.Select
	names []string
	types []ast.TypeName
}

func (l *jsonLevel) add(name string, t ast.TypeName, e ast.Expr) {
	l.names, l.types = append(l.names, name), append(l.types, t)
	l.rows.Targets = append(l.rows.Targets, ast.Target{Expr: e, Alias: name, Pos: -1})
}

func inside(relation, column string) ast.Expr {
	return &ast.Column{Parts: []string{relation, column}, Pos: -1}
}

func stringLiteral(s string) *ast.Literal {
	return &ast.Literal{Kind: ast.LiteralString, Text: s, Pos: -1}
}

// level is the rows of a path over an item.
func (t *jsonTable) level(depth int, item ast.Expr, path *pg.JsonTablePathSpec, columns []*pg.Node) *jsonLevel {
	alias := "rows" + strconv.Itoa(depth)
	call := jsonCall("json_table_rows", t.at(path.GetLocation()), item, t.expr(path.GetString_()),
		inside("source", tableVariables), boolean(t.raises))
	rows := &ast.FromFunction{Calls: []ast.Expr{call}, Lateral: true, Ordinality: true, Alias: alias,
		Columns: []string{tableItem, tableNumber}, TypesPos: -1, Pos: -1}
	l := &jsonLevel{rows: &ast.Select{From: []ast.From{rows}, Pos: -1}}
	var nested []*jsonLevel
	numbered := false
	for _, c := range columns {
		n := c.GetJsonTableColumn()
		pos := t.at(n.GetLocation())
		if n.GetColtype() == pg.JsonTableColumnType_JTC_NESTED {
			t.register(n.Pathspec.GetName(), t.at(n.Pathspec.GetNameLocation()))
			nested = append(nested, t.level(depth+1, inside(alias, tableItem), n.Pathspec, n.Columns))
			continue
		}
		t.register(n.GetName(), pos)
		if n.GetColtype() != pg.JsonTableColumnType_JTC_FOR_ORDINALITY {
			l.add(n.Name, t.typeName(n.TypeName), t.column(n, inside(alias, tableItem)))
			continue
		}
		if numbered {
			t.fail(sqlerr.New(sqlerr.SyntaxError, "only one FOR ORDINALITY column is allowed").At(int(pos)))
		}
		numbered = true
		l.add(n.Name, ast.TypeName{Name: "int4", Pos: -1}, jsonCast(inside(alias, tableNumber), "int4", -1))
	}
	if nested != nil {
		t.join(l, depth, nested)
	}
	return l
}

// join joins the rows of a path with those of the paths nested in it. A row of one has NULLs for the columns of the
// others.
func (t *jsonTable) join(l *jsonLevel, depth int, nested []*jsonLevel) {
	alias := "nested" + strconv.Itoa(depth)
	var all *ast.Select
	for i, of := range nested {
		rows := &ast.FromSelect{Select: of.rows, Lateral: true, Alias: "one", Pos: -1}
		one := &ast.Select{From: []ast.From{rows}, Pos: -1}
		for k, other := range nested {
			for m, name := range other.names {
				e := inside("one", name)
				if k != i {
					e = &ast.Cast{Arg: &ast.Literal{Kind: ast.LiteralNull, Pos: -1}, Type: other.types[m], Pos: -1}
				}
				one.Targets = append(one.Targets, ast.Target{Expr: e, Alias: name, Pos: -1})
			}
		}
		if all == nil {
			all = one
			continue
		}
		all = &ast.Select{SetOp: &ast.SetOp{Kind: ast.Union, All: true, Left: all, Right: one}, Pos: -1}
	}
	l.rows.From = []ast.From{&ast.FromJoin{Kind: ast.LeftJoin, Left: l.rows.From[0], On: boolean(true), Pos: -1,
		Right: &ast.FromSelect{Select: all, Lateral: true, Alias: alias, Pos: -1}}}
	for _, of := range nested {
		for m, name := range of.names {
			l.add(name, of.types[m], inside(alias, name))
		}
	}
}

// column is the value of a column for an item.
func (t *jsonTable) column(n *pg.JsonTableColumn, item ast.Expr) ast.Expr {
	pos := t.at(n.Location)
	of := jsonType(t.converter, n.TypeName)
	out := &ast.JSONQuery{Name: "JSON_VALUE", Context: &ast.JSONInput{Arg: item, Pos: -1}, Returning: &of,
		Format: jsonFormat(t.converter, n.Format), Wrapper: jsonWrapper(n.Wrapper),
		Omits:   n.Quotes == pg.JsonQuotes_JS_QUOTES_OMIT,
		OnEmpty: jsonBehavior(t.converter, n.OnEmpty), OnError: jsonBehavior(t.converter, n.OnError),
		Column: n.Name, Pos: pos}
	switch {
	case n.Coltype == pg.JsonTableColumnType_JTC_EXISTS:
		out.Name = "JSON_EXISTS"
	case n.Coltype == pg.JsonTableColumnType_JTC_FORMATTED, n.Quotes > pg.JsonQuotes_JS_QUOTES_UNSPEC,
		n.Wrapper > pg.JsonWrapper_JSW_UNSPEC:
		out.Name = "JSON_QUERY"
	}
	out.Path = stringLiteral("$." + strconv.Quote(n.Name))
	if n.Pathspec != nil {
		out.Path = t.expr(n.Pathspec.String_)
	}
	if out.OnError == nil && t.raises {
		out.OnError = &ast.JSONBehavior{Word: "ERROR", Pos: -1}
	}
	return out
}
