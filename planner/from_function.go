package planner

import (
	"cmp"
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
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
	of     []int // each column: the number of its function, of the calls from 0, of the values from -1 down
	name   string
	row    types.T // of the rows of the last one, where a relation has such rows
}

// function plans functions in FROM.
func (f *from) function(item *ast.FromFunction, lateral *bind.Scope) (source, error) {
	list, err := clause.Functions(item)
	if err != nil {
		return source{}, err
	}
	sc := f.expressions(lateral.Inside(), "functions in FROM")
	all := functions{name: item.Alias}
	for _, fn := range list {
		e, err := sc.TopLevelSet(fn.Tree)
		if err == nil {
			e, err = f.defined(e, fn)
		}
		if err != nil {
			return source{}, err
		}
		all.add(sc, e, fn)
	}
	scalar := len(all.cols) == 1 && !slices.ContainsFunc(all.widths, func(w int) bool { return w > 0 })
	rows, err := f.inlined(item, &all)
	if err != nil {
		return source{}, err
	}
	if rows == nil {
		rows = all.node(item)
	}
	out, err := named(rows, all.name, item.Columns)
	if err == nil {
		out.rels[0].Scalar = scalar && !item.Ordinality
		if len(item.Calls) == 1 && !item.Ordinality {
			out.rels[0].RowType = all.row
		}
	}
	return out, err
}

// defined gives a call the columns that the query defines for it, which it must need.
func (f *from) defined(e expr.Expr, fn clause.Function) (expr.Expr, error) {
	call, is := e.(expr.Call)
	open := is && call.Fn.RowsAs != nil && call.T.OID == types.OIDRecord
	wrong := func(message string) error { return sqlerr.New(sqlerr.SyntaxError, "%s", message).At(int(fn.Pos)) }
	switch {
	case fn.Types == nil && open:
		return nil, sqlerr.New(sqlerr.SyntaxError,
			`a column definition list is required for functions returning "record"`).At(int(fn.Tree.Position()))
	case fn.Types == nil:
		return e, nil
	case is && call.Fn.Out != nil && !e.Type().OID.IsRow():
		return nil, wrong("a column definition list is redundant for a function with OUT parameters")
	case e.Type().OID.IsRow():
		return nil, wrong("a column definition list is redundant for a function returning a named composite type")
	case !open:
		return nil, wrong(`a column definition list is only allowed for functions returning "record"`)
	}
	row, err := fn.Defined(f.TypeNamed)
	if err != nil {
		return nil, err
	}
	return f.As(call, row)
}

// add adds a function and its columns.
func (fs *functions) add(sc *bind.Scalars, e expr.Expr, fn clause.Function) {
	fs.name = cmp.Or(fs.name, clause.ColumnName(fn.Tree))
	if e.Type().OID.IsRow() {
		fs.row = e.Type()
	}
	var fields analyze.Fields
	from := len(fs.calls)
	call, ok := e.(expr.Call)
	if ok && call.Fn.Rows != nil {
		if call.Fn.Out == nil && call.T.OID.IsRow() && call.T.Def != nil {
			call = call.As(call.T.Def)
		}
		fs.calls, fields = append(fs.calls, call), bind.OutFields(call)
	} else {
		fields.Names, fields.Types = sc.RecordFields(e)
		fs.values, fs.widths = append(fs.values, e), append(fs.widths, len(fields.Names))
		from = -len(fs.values)
		if len(fields.Names) == 0 && ok { // one that returns a value under a name
			fields = bind.OutFields(call)
		}
	}
	for _, c := range fn.Columns(fields, e.Type()) {
		fs.cols, fs.of = append(fs.cols, plan.Column{Name: c.Name, Type: c.Type}), append(fs.of, from)
	}
}

// node is the rows of the functions, side by side.
func (fs *functions) node(item *ast.FromFunction) plan.Node {
	made := fs.cols
	cols := slices.Clone(made)
	if item.Ordinality {
		c := clause.Ordinality()
		cols = append(cols, plan.Column{Name: c.Name, Type: c.Type})
	}
	for i, alias := range item.Columns[:min(len(item.Columns), len(cols))] {
		cols[i].Name = alias
	}
	if len(fs.calls) > 0 && len(fs.values) > 0 {
		return fs.withValues(item, cols)
	}
	if len(fs.calls) > 0 {
		return plan.FunctionScan{Calls: fs.calls, Ordinality: item.Ordinality, Alias: fs.name, Cols: cols}
	}
	one := expr.Const{Value: types.NewInt(1), T: types.Int8}
	if !slices.ContainsFunc(fs.widths, func(w int) bool { return w > 0 }) {
		row := fs.values
		if item.Ordinality {
			row = append(row, one)
		}
		return plan.Values{Rows: [][]expr.Expr{row}, Cols: cols}
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
	return plan.Project{Input: values, Exprs: fields, Cols: cols}
}
