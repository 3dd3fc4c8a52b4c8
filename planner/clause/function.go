package clause

import (
	"cmp"
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Function is one of the functions of an item of FROM, with the columns that the query defines for it, if it does.
type Function struct {
	ast.ColumnList
	Tree  ast.Expr
	alias string
}

// Functions are the functions of an item of FROM. One unnest of several arrays is one for each of them.
func Functions(item *ast.FromFunction) (out []Function, err error) {
	lists, err := columnLists(item)
	if err != nil {
		return nil, err
	}
	for i, tree := range item.Calls {
		for _, one := range unnested(tree) {
			out = append(out, Function{ColumnList: lists[i], Tree: one})
		}
	}
	if len(out) == 1 {
		out[0].alias = item.Alias
	}
	return out, nil
}

// Columns are those that a function has in FROM: the fields of its rows, where they are known, or else its value, which
// is called as the item where that has no other function.
func (f Function) Columns(fields analyze.Fields, value types.T) []Column {
	if fields.Names == nil {
		return []Column{{cmp.Or(f.alias, ColumnName(f.Tree)), value}}
	}
	out := make([]Column, len(fields.Names))
	for i, name := range fields.Names {
		out[i] = Column{name, fields.Types[i]}
	}
	return out
}

// Ordinality is the column that numbers the rows of functions.
func Ordinality() Column { return Column{"ordinality", types.Int8} }

// Defined are the columns that the query defines for a function.
func (f Function) Defined(named func(ast.TypeName) (types.T, error)) (*types.Definition, error) {
	row := &types.Definition{Names: f.Names}
	for i, name := range f.Types {
		t, err := named(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(f.Names[:i], f.Names[i]) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column name %q specified more than once", f.Names[i])
		}
		if c := types.InfoOf(t.OID).Category; c == types.CategoryPseudo || c == types.CategoryUnknown {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", f.Names[i], t)
		}
		row.Types = append(row.Types, t)
	}
	return row, nil
}

// columnLists are the column definition lists of the functions of an item.
func columnLists(item *ast.FromFunction) ([]ast.ColumnList, error) {
	lists := make([]ast.ColumnList, len(item.Calls))
	for _, l := range item.Lists {
		lists[l.Call] = l
	}
	if item.Types == nil {
		return lists, nil
	}
	wrong := func(message, hint string) error {
		return sqlerr.New(sqlerr.SyntaxError, "%s", message).WithHint("%s", hint).At(int(item.TypesPos))
	}
	switch {
	case len(item.Calls) > 1:
		return nil, wrong("ROWS FROM() with multiple functions cannot have a column definition list",
			"Put a separate column definition list for each function inside ROWS FROM().")
	case len(unnested(item.Calls[0])) > 1:
		return nil, wrong("UNNEST() with multiple arguments cannot have a column definition list",
			"Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.")
	case item.Ordinality:
		return nil, wrong("WITH ORDINALITY cannot be used with a column definition list",
			"Put the column definition list inside ROWS FROM().")
	}
	lists[0] = ast.ColumnList{Names: item.Columns, Types: item.Types, Pos: item.TypesPos}
	return lists, nil
}

// unnested makes of unnest over several arrays one call for each of them.
func unnested(e ast.Expr) (out []ast.Expr) {
	c, ok := e.(*ast.Call)
	if !ok || c.Name != "unnest" || len(c.Args) < 2 {
		return []ast.Expr{e}
	}
	for _, arg := range c.Args {
		one := *c
		one.Args = []ast.Expr{arg}
		out = append(out, &one)
	}
	return out
}
