package bound

import (
	"slices"

	"zproxy/expr/builtin/pgproc"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// operator finds the operator of pg_operator that a sign means for operands, one or two, and the types that it
// takes then.
func (s *Source) operator(sign string, given []types.OID) (analyze.Signature, error) {
	same := analyze.Alike(given)
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
	for _, f := range s.stored().ExtensionOperators(sign, len(given)) {
		s := analyze.Signature{Args: f.Args, Result: f.Result}
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
