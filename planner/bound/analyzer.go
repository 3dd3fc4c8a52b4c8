package bound

import (
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// analyzer makes nodes of the expressions of one query.
type analyzer struct {
	*Source
	names *resolver // with the tables of WITH
	q     *Query
	outer *analyzer // around a subquery
	items []item    // what names can mean, so far

	windows []ast.Window // that have names
}

func (a *analyzer) analysis() analyze.Analysis[Node] {
	return analyze.New[Node](caster{a.Source}, maker{a})
}

// expr analyzes an expression.
func (a *analyzer) expr(e ast.Expr) (Node, error) {
	n, err := a.analysis().Analyze(e)
	if _, known := a.Positions[n]; a.Positions != nil && err == nil && !known {
		a.Positions[n] = e.Position()
	}
	return n, err
}

// maker makes nodes.
type maker struct{ *analyzer }

// Expr implements analyze.Maker.
func (m maker) Expr(e ast.Expr) (Node, error) { return m.expr(e) }

// TypeNamed implements analyze.Maker.
func (m maker) TypeNamed(tree ast.TypeName) (types.T, error) {
	return m.Constants.TypeNamed(&m.names.Names, tree)
}

// CollationNamed implements analyze.Maker.
func (m maker) CollationNamed(name ast.Name) (types.Collation, error) {
	return m.names.Names.Collation(name)
}

// HasSchema implements analyze.Maker.
func (m maker) HasSchema(name string) bool { return m.names.HasSchema(name) }

// Param implements analyze.Maker.
func (m maker) Param(*ast.Param) (Node, error) {
	return nil, sqlerr.Unsupported("printing a parameter")
}

// Constant implements analyze.Maker.
func (m maker) Constant(v types.Value, t types.T, _ ast.Pos) Node { return &Constant{v, typed{t}} }

// Form implements analyze.Maker.
func (m maker) Form(f analyze.Form) (Node, error) {
	var err error
	switch f := f.(type) {
	case *Case:
		if f.Else == nil {
			f.Else = &Constant{typed: typed{f.T}}
		}
	case *Collate:
		f.Arg, err = m.known(f.Arg)
	case *analyze.JSONQuery[Node]:
		return nil, sqlerr.Unsupported("printing a call of %s", f.Tree.Name)
	}
	return f, err
}

// RowIsNull implements analyze.Maker.
func (m maker) RowIsNull(args []Node, not bool) (Node, error) {
	return &IsNull{Arg: &Row{Args: args, T: types.Record}, Not: not}, nil
}

// Set implements analyze.Maker.
func (m maker) Set(call Node, _ ast.Pos) (Node, error) { return call, nil }
