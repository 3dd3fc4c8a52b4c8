package bound

import (
	"slices"
	"strings"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// operator finds the operator of pg_operator that a sign means for operands, one or two, and the types that it
// takes then.
func operator(sign string, given []types.OID) (bind.Signature, error) {
	same := slices.Clone(given)
	for i, t := range given {
		if t == types.OIDUnknown {
			same[i] = given[len(given)-1-i]
		}
	}
	var all []bind.Shape
	for _, o := range pgproc.OperatorsNamed(sign) {
		s := bind.Signature{Args: []types.OID{o.Left, o.Right}, Result: o.Result}
		if o.Left == 0 {
			s.Args = s.Args[1:]
		}
		if slices.Equal(s.Args, same) {
			return s, nil
		}
		all = append(all, bind.Shape{Signature: s})
	}
	c, _ := bind.Choose(all, bind.Given{Types: given})
	if c == nil {
		return bind.Signature{}, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", sign)
	}
	return c.Resolve(given)
}

// chooseProc is func_get_detail; it finds nothing where a type of the name is meant.
func chooseProc(e *ast.Call, given []types.OID) (*pgproc.Proc, bind.Signature, error) {
	procs := builtin.ProcsNamed(e.Schema, e.Name)
	shapes := make([]bind.Shape, len(procs))
	for i, p := range procs {
		shapes[i] = shapeOf(p)
	}
	c, _ := bind.Choose(shapes, bind.Given{Types: given, Names: e.ArgNames, Variadic: e.Variadic})
	exact := c != nil && slices.Equal(c.Args, given)
	if !exact && len(given) == 1 && e.ArgNames == nil && isTypeCall(e.Name, given[0]) {
		return nil, bind.Signature{}, nil
	}
	if c == nil {
		return nil, bind.Signature{}, sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", e.Name)
	}
	s, err := c.Resolve(given)
	return procs[c.Of], s, err
}

// shapeOf is the shape of a row of pg_proc, whose variadic argument is an array.
func shapeOf(p *pgproc.Proc) bind.Shape {
	s := bind.Shape{
		Signature: bind.Signature{Args: p.Args, Result: p.Result},
		Params:    p.ArgNames, Defaults: len(p.Defaults), Variadic: p.Variadic != 0,
	}
	if s.Variadic {
		s.Args = slices.Clone(p.Args)
		s.Args[len(s.Args)-1] = p.Variadic
	}
	return s
}

// isTypeCall says whether a call of a type's name is a cast.
func isTypeCall(name string, given types.OID) bool {
	info, ok := types.Lookup(strings.ToLower(name))
	if !ok || info.Name != name {
		return false
	}
	if given == types.OIDUnknown {
		return true
	}
	p, ok := findPathway(given, info.OID, types.Explicit)
	return ok && (p.kind == relabelCast || p.kind == textCast)
}
