package planner

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/inline"
	"zproxy/planner/plan"
	"zproxy/planner/sqlbody"
	"zproxy/types"
)

// inlined are the rows of a function in SQL as those of its query, nil where the function is called.
func (f *from) inlined(item *ast.FromFunction, fs *functions) (out plan.Node, err error) {
	if len(fs.calls) != 1 || len(fs.values) > 0 || item.Ordinality || item.Types != nil || item.Lists != nil {
		return nil, nil
	}
	call := fs.calls[0]
	fn, ok := call.Fn.Routine.(*catalog.Function)
	if !ok {
		return nil, nil
	}
	params := f.Replaces(fn, call.Args)
	if params == nil {
		return nil, nil
	}
	needs := f.Needs
	err = f.Body(fn, params, func(body []ast.Parsed) error {
		tree := inline.Query(body)
		if tree == nil {
			return nil
		}
		n, err := f.newQuery(bind.NewScope()).plan(tree)
		if err == nil {
			out, err = f.delivered(n, fn, tree, call.T, fs.cols)
		}
		return err
	})
	if out == nil {
		f.Needs = needs
	}
	return out, sqlbody.Failed(err, fn, sqlbody.Inlining)
}

// delivered are the rows of a query as a function returns them, nil where they are records in a column.
func (f *from) delivered(n plan.Node, fn *catalog.Function, tree *ast.Select, result types.T,
	cols []plan.Column) (plan.Node, error) {
	given := n.Columns()
	whole, err := sqlbody.CheckResult(fn, result, tree, given)
	if err != nil || whole {
		return nil, err
	}
	to := sqlbody.ResultTypes(fn, result)
	if to == nil {
		to = []types.T{result}
	}
	if len(to) != len(cols) {
		return nil, nil
	}
	out := plan.Project{Input: n, Cols: cols}
	for i, t := range to {
		from := expr.Column{Index: i, Name: given[i].Name, T: given[i].Type}
		e, _, err := f.Coerce(from, t.Bare(), types.Assignment, -1)
		if err != nil {
			return nil, err
		}
		out.Exprs = append(out.Exprs, e)
	}
	return out, nil
}
