package bound

import (
	"slices"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// operator finds the operator of pg_operator that a sign means for operands, one or two, and the types that it
// takes then.
func operator(sign string, given []types.OID) (analyze.Signature, error) {
	same := slices.Clone(given)
	for i, t := range given {
		if t == types.OIDUnknown {
			same[i] = given[len(given)-1-i]
		}
	}
	var all []analyze.Shape
	for _, o := range pgproc.OperatorsNamed(sign) {
		s := analyze.Signature{Args: []types.OID{o.Left, o.Right}, Result: o.Result}
		if o.Left == 0 {
			s.Args = s.Args[1:]
		}
		if slices.Equal(s.Args, same) {
			return s, nil
		}
		all = append(all, analyze.Shape{Signature: s})
	}
	c, _ := analyze.Choose(all, analyze.Given{Types: given})
	if c == nil {
		return analyze.Signature{}, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", sign)
	}
	return c.Resolve(given)
}

// chooseProc is func_get_detail, for aggregates and window functions.
func chooseProc(e *ast.Call, given []types.OID) (*pgproc.Proc, analyze.Signature, error) {
	procs := builtin.ProcsNamed(e.Schema, e.Name)
	shapes := make([]analyze.Shape, len(procs))
	for i, p := range procs {
		shapes[i] = shapeOf(p)
	}
	c, _ := analyze.Choose(shapes, analyze.Given{Types: given, Names: e.ArgNames, Variadic: e.Variadic})
	if c == nil {
		return nil, analyze.Signature{}, sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", e.Name)
	}
	s, err := c.Resolve(given)
	return procs[c.Of], s, err
}

// shapeOf is the shape of a row of pg_proc, whose variadic argument is an array.
func shapeOf(p *pgproc.Proc) analyze.Shape {
	s := analyze.Shape{
		Signature: analyze.Signature{Args: p.Args, Result: p.Result},
		Params:    p.ArgNames, Defaults: len(p.Defaults), Variadic: p.Variadic != 0,
	}
	if s.Variadic {
		s.Args = slices.Clone(p.Args)
		s.Args[len(s.Args)-1] = p.Variadic
	}
	return s
}
