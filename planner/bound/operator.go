package bound

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// signed is an operator that was chosen: its types, and which one of the catalog it is.
type signed struct {
	analyze.Signature
	via *expr.Sign // nil: it is built in
}

// operator finds the operator of pg_operator that a sign means for operands, one or two, and the types that it
// takes then.
func (s *Source) operator(sign string, given []types.T) (out signed, err error) {
	first, last := s.stored().UserOperators(sign, len(given))
	same := analyze.Alike(given)
	var all []analyze.Shape
	sign = strings.TrimPrefix(sign, pg.CatalogSchema+".")
	for _, o := range pgproc.OperatorsNamed(sign) {
		s := analyze.Signature{Args: []types.OID{o.Left, o.Right}, Result: o.Result}
		if o.Left == 0 {
			s.Args = s.Args[1:]
		}
		if slices.Equal(s.Args, same) {
			return signed{Signature: s}, nil
		}
		all = append(all, analyze.Shape{Signature: s})
	}
	for _, f := range s.stored().ExtensionOperators(sign, len(given)) {
		s := analyze.Signature{Args: f.Args, Result: f.Result}
		if slices.Equal(s.Args, same) {
			return signed{Signature: s}, nil
		}
		all = append(all, analyze.Shape{Signature: s})
	}
	builtIn := len(all)
	users := append(first, last...)
	for _, f := range users {
		s := analyze.Signature{Args: f.Args, Result: f.Result}
		if slices.Equal(s.Args, same) {
			return signed{s, f.Via}, nil
		}
		all = append(all, analyze.Shape{Signature: s})
	}
	c, _ := analyze.Choose(all, analyze.Given{Types: given})
	if c == nil {
		return out, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", sign)
	}
	if c.Of >= builtIn {
		out.via = users[c.Of-builtIn].Via
	}
	out.Signature, err = c.Resolve(given)
	return out, err
}
