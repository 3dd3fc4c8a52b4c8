package planner

import (
	"cmp"
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// functions are those of one FROM item while they are planned: calls that return sets, or
// values, each with its columns.
type functions struct {
	calls  []expr.Call
	values []expr.Expr
	widths []int // of the values: the fields of a row, or 0
	cols   []plan.Column
	name   string
	row    types.T // of the rows of the last one, where a relation has such rows
}

// function plans functions in FROM.
func (f *from) function(item *ast.FromFunction, lateral *bind.Scope) (source, error) {
	lists, err := columnLists(item)
	if err != nil {
		return source{}, err
	}
	sc := f.expressions(lateral.Inside(), "functions in FROM")
	all := functions{name: item.Alias}
	for i, tree := range item.Calls {
		for _, one := range unnested(tree) {
			e, err := sc.TopLevelSet(one)
			if err != nil {
				return source{}, err
			}
			if e, err = f.listed(e, lists[i], one.Position()); err != nil {
				return source{}, err
			}
			all.add(sc, e, item.Alias, clause.ColumnName(one))
		}
	}
	scalar := len(all.cols) == 1 && !slices.ContainsFunc(all.widths, func(w int) bool { return w > 0 })
	node, err := all.node(item)
	if err != nil {
		return source{}, err
	}
	out, err := named(node, all.name, item.Columns)
	if err == nil {
		out.rels[0].Scalar = scalar && !item.Ordinality
		if len(item.Calls) == 1 && !item.Ordinality {
			out.rels[0].RowType = all.row
		}
	}
	return out, err
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

// listed gives a call the columns that the query defines for it, which it must need.
func (f *from) listed(e expr.Expr, list ast.ColumnList, pos ast.Pos) (expr.Expr, error) {
	call, is := e.(expr.Call)
	open := is && call.Fn.RowsAs != nil && call.T.OID == types.OIDRecord
	wrong := func(message string) error { return sqlerr.New(sqlerr.SyntaxError, "%s", message).At(int(list.Pos)) }
	switch {
	case list.Types == nil && open:
		return nil, sqlerr.New(sqlerr.SyntaxError,
			`a column definition list is required for functions returning "record"`).At(int(pos))
	case list.Types == nil:
		return e, nil
	case is && call.Fn.Out != nil && !e.Type().OID.IsRow():
		return nil, wrong("a column definition list is redundant for a function with OUT parameters")
	case e.Type().OID.IsRow():
		return nil, wrong("a column definition list is redundant for a function returning a named composite type")
	case !open:
		return nil, wrong(`a column definition list is only allowed for functions returning "record"`)
	}
	row := &types.RowType{Names: list.Names}
	for i, name := range list.Types {
		t, err := f.TypeNamed(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list.Names[:i], list.Names[i]) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column name %q specified more than once", list.Names[i])
		}
		if c := types.InfoOf(t.OID).Category; c == types.CategoryPseudo || c == types.CategoryUnknown {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", list.Names[i], t)
		}
		row.Types = append(row.Types, t)
	}
	return call.As(row), nil
}

// add adds a function and its columns. A single column without a name of its own takes the alias.
func (fs *functions) add(sc *bind.Scalars, e expr.Expr, alias, name string) {
	fs.name = cmp.Or(fs.name, name)
	if e.Type().OID.IsRow() {
		fs.row = e.Type()
	}
	if call, ok := e.(expr.Call); ok && call.Fn.Rows != nil {
		if call.Fn.Out == nil && call.T.OID.IsRow() && call.T.Row != nil {
			call = call.As(call.T.Row)
		}
		fs.calls, fs.cols = append(fs.calls, call), append(fs.cols, bind.SetColumns(call, alias)...)
		return
	}
	names, ts := sc.RecordFields(e)
	fs.values, fs.widths = append(fs.values, e), append(fs.widths, len(names))
	if names == nil {
		fs.cols = append(fs.cols, plan.Column{Name: cmp.Or(alias, name), Type: e.Type()})
	}
	for i, name := range names {
		fs.cols = append(fs.cols, plan.Column{Name: name, Type: ts[i]})
	}
}

// node is the rows of the functions, side by side.
func (fs *functions) node(item *ast.FromFunction) (plan.Node, error) {
	if len(fs.values) > 0 && len(fs.calls) > 0 {
		return nil, sqlerr.Unsupported("a function that returns no set beside one that does in ROWS FROM").
			At(int(item.Pos))
	}
	made := fs.cols
	cols := slices.Clone(made)
	if item.Ordinality {
		cols = append(cols, plan.Column{Name: "ordinality", Type: types.Int8})
	}
	for i, alias := range item.Columns[:min(len(item.Columns), len(cols))] {
		cols[i].Name = alias
	}
	if len(fs.calls) > 0 {
		return plan.FunctionScan{Calls: fs.calls, Ordinality: item.Ordinality, Alias: fs.name, Cols: cols}, nil
	}
	one := expr.Const{Value: types.NewInt(1), T: types.Int8}
	if !slices.ContainsFunc(fs.widths, func(w int) bool { return w > 0 }) {
		row := fs.values
		if item.Ordinality {
			row = append(row, one)
		}
		return plan.Values{Rows: [][]expr.Expr{row}, Cols: cols}, nil
	}
	values, fields := plan.Values{Rows: [][]expr.Expr{fs.values}}, []expr.Expr(nil)
	for i, e := range fs.values {
		values.Cols = append(values.Cols, plan.Column{Name: fs.name, Type: e.Type()})
		whole := expr.Column{Index: i, Name: fs.name, T: e.Type()}
		if fs.widths[i] == 0 {
			fields = append(fields, whole)
		}
		for k := range fs.widths[i] {
			c := made[len(fields)]
			fields = append(fields, expr.Field{Arg: whole, Ordinal: k, Name: c.Name, T: c.Type})
		}
	}
	if item.Ordinality {
		fields = append(fields, one)
	}
	return plan.Project{Input: values, Exprs: fields, Cols: cols}, nil
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
