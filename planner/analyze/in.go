package analyze

import "zproxy/parser/ast"

// in makes x IN (list): of all items at once, or else of comparisons with each of them. Rows are compared one by one.
func (a Analysis[E]) in(e *ast.In) (none E, err error) {
	if _, row := e.Arg.(*ast.Row); row {
		return a.inByOne(e)
	}
	arg, err := a.make.Expr(e.Arg)
	if err != nil {
		return none, err
	}
	list, err := a.Exprs(e.List)
	if err != nil {
		return none, err
	}
	out, ok, err := a.make.In(e, arg, list)
	if err == nil && !ok {
		return a.inByOne(e)
	}
	return out, err
}

func (a Analysis[E]) inByOne(e *ast.In) (E, error) {
	sign := "="
	if e.Not {
		sign = "<>"
	}
	all := &ast.Logic{Or: !e.Not, Pos: e.Pos}
	for _, item := range e.List {
		all.Args = append(all.Args, &ast.Operator{Name: sign, Left: e.Arg, Right: item, Pos: e.Pos})
	}
	if len(all.Args) == 1 {
		return a.make.Expr(all.Args[0])
	}
	return a.make.Expr(all)
}
