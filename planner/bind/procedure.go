package bind

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// Procedure binds a call of a procedure, which has an argument for what is given out, too. Those are into.
func (s *Scalars) Procedure(e *ast.Call) (call expr.Expr, into []expr.Expr, err error) {
	args, err := s.exprs(e.Args)
	if err != nil {
		return nil, nil, err
	}
	given := analyze.Given{Types: analyze.Types(args), Names: e.ArgNames, Variadic: e.Variadic}
	called := analyze.Called{Schema: e.Schema, Name: e.Name, Types: analyze.Types(args), Names: e.ArgNames}
	chosen, ambiguous := analyze.ChooseFunction(s.Procedures(e.Schema, e.Name), given)
	const advice = " You might need to add explicit type casts."
	switch {
	case ambiguous:
		return nil, nil, sqlerr.New(sqlerr.AmbiguousFunction, "procedure %s is not unique", called).
			WithHint("Could not choose a best candidate procedure." + advice).At(int(e.Pos))
	case chosen == nil:
		if fn, _ := analyze.ChooseFunction(s.Functions(e.Schema, e.Name), given); fn != nil {
			return nil, nil, sqlerr.New(sqlerr.WrongObjectType, "%s is not a procedure", called).
				WithHint("To call a function, use SELECT.").At(int(e.Pos))
		}
		return nil, nil, sqlerr.New(sqlerr.UndefinedFunction, "procedure %s does not exist", called).
			WithHint("No procedure matches the given name and argument types." + advice).At(int(e.Pos))
	}
	for i, p := range chosen.Fn.Routine.(*catalog.Function).Params {
		at := i
		if chosen.Ordinals != nil {
			at = chosen.Ordinals[i]
		}
		if p.Returned() && at >= 0 {
			into = append(into, args[at])
		}
	}
	call, err = s.coercion().Call(analyze.Call[expr.Expr]{Chosen: chosen, Tree: e, Args: args, Pos: e.Pos})
	return call, into, err
}

// givenTo are those of the arguments of a call that a function is given: what a procedure only gives out is none.
func givenTo(f *catalog.Function, args []expr.Expr) (out []expr.Expr) {
	if !f.Procedure {
		return args
	}
	for i, p := range f.Params {
		if p.Given() {
			out = append(out, args[i])
		}
	}
	return out
}
