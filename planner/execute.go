package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Arguments plans the arguments of an EXECUTE, as assigned to parameters of some types.
func (p *Planner) Arguments(args []ast.Expr, params []types.T) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(args))
	for i, arg := range args {
		sc := p.expressions(bind.NewScope(), "EXECUTE parameters")
		e, err := sc.Expr(arg)
		if err != nil {
			return nil, err
		}
		from := e.Type()
		e, ok, err := p.Coerce(e, params[i], types.Assignment, analyze.Start(arg))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, sqlerr.New(sqlerr.DatatypeMismatch,
				"parameter $%d of type %s cannot be coerced to the expected type %s",
				i+1, types.Of(from.OID), params[i]).
				WithHint("You will need to rewrite or cast the expression.").At(int(analyze.Start(arg)))
		}
		out[i] = e
	}
	if len(p.Params) > 0 {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", len(p.Params))
	}
	return out, nil
}
