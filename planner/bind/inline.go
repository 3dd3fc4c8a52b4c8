package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/inline"
	"zproxy/planner/plan"
	"zproxy/planner/sqlbody"
	"zproxy/types"
)

// inliner replaces calls of functions in SQL with what these do.
type inliner struct{ *Binder }

// may says whether a function may be replaced where it is called.
func (b inliner) may(f *catalog.Function) bool {
	if b.Inlining == nil || b.stepsOf != nil || !b.Inlining.Free(f) {
		return false
	}
	have, _ := b.Present().Privileges(b.Inlining.Role, f)
	return have&catalog.MayExecute != 0
}

// called binds a call that stays one, whatever it calls.
func called(b *Binder, bind func() (expr.Expr, error)) (expr.Expr, error) {
	in := b.Inlining
	b.Inlining = nil
	defer func() { b.Inlining = in }()
	return bind()
}

// inlinedClause is the clause of the expressions that functions select. They must be alone.
const inlinedClause = "functions that are inlined"

// inlined is what a function does for some arguments as an expression, nil where the call of it stays. A body that is
// wrong fails when it is run.
func (b inliner) inlined(c analyze.Call[expr.Expr], made expr.Call) expr.Expr {
	f := c.Fn.Routine.(*catalog.Function)
	if !inline.Value(f) || !b.may(f) || b.Inlining.Keeps(c.Tree) || made.T.IsComposite() || made.T.IsDomain() {
		return nil
	}
	params := b.parameters(f, made.Args)
	if params == nil {
		return nil
	}
	var body expr.Expr
	err := b.Body(f, params, func(list []ast.Parsed) error {
		tree := inline.Expression(list)
		if tree == nil {
			return nil
		}
		e, err := b.Over(NewScope(), nil, inlinedClause).Expr(tree)
		if err != nil {
			return err
		}
		cols := []plan.Column{{Type: e.Type()}}
		if _, err = sqlbody.CheckResult(f, made.T, list[0].Statement, cols); err == nil {
			body, _, err = b.Coerce(e, made.T.Bare(), types.Assignment, -1)
		}
		return err
	})
	if err != nil || body == nil {
		return nil
	}
	out, ok := inline.Put(f, body, made.Args)
	if !ok {
		return nil
	}
	return b.ofCall(f, out, made)
}

// ofCall is an expression as the call that it is put in place of. What an immutable function makes of constants is one;
// if it fails, the call does.
func (b inliner) ofCall(f *catalog.Function, out expr.Expr, made expr.Call) expr.Expr {
	isConst := func(e expr.Expr) bool { _, ok := e.(expr.Const); return ok }
	if f.Volatility == "i" && !slices.ContainsFunc(made.Args, func(e expr.Expr) bool { return !isConst(e) }) {
		out = expr.Rewrite(out, func(e expr.Expr) expr.Expr {
			known, _ := expr.Fold(e, b.Env)
			return known
		})
		if !isConst(out) {
			return nil
		}
	}
	return out
}

// parameters are those of a function for some arguments, nil if these are of other types.
func (b inliner) parameters(f *catalog.Function, args []expr.Expr) *sqlbody.Parameters {
	out := make([]types.T, len(args))
	for i, p := range f.Inputs() {
		switch out[i] = b.Typed(p.Type.Number()); {
		case routine.IsPolymorphic(p.Type.OID):
			out[i] = args[i].Type().Bare()
		case args[i].Type().OID != out[i].OID:
			return nil
		}
	}
	return sqlbody.ParametersOf(f, out)
}

// Body reads the body of a function, and does something with it in which names mean what they mean there.
func (b *Binder) Body(f *catalog.Function, params Variables, do func([]ast.Parsed) error) error {
	of, in := *f, b.Inlining
	if !f.Statements {
		var err error
		if of.Body, err = in.Read(f.Body); err != nil {
			return err
		}
	}
	list, err := sqlbody.Parse(&of)
	if err != nil {
		return err
	}
	defer inliner{b}.elsewhere(in)()
	if f.Statements {
		defer b.AsMeant(f.Uses, f.Path, nil)()
		end, err := b.Reading(f.Read)
		defer end()
		if err != nil {
			return err
		}
	}
	defer in.Enter(f)()
	b.Variables = params
	return do(list)
}

// elsewhere has names mean what they mean in a text of the session, until the function that it gives is called.
func (b inliner) elsewhere(in *inline.Bodies) (end func()) {
	names, constants, variables, kept := b.Names, b.Constants, b.Variables, in.Kept
	b.Catalog, b.SearchPath, b.Uses, b.rows, b.Role = b.Present(), in.Path, nil, nil, in.Role
	b.as, b.present, b.Literals, in.Kept = 0, nil, nil, nil
	return func() {
		needs := b.Needs
		b.Names, b.Constants, b.Variables, in.Kept = names, constants, variables, kept
		b.Needs = needs
	}
}

// Replaces gives the parameters of the query of a function that returns a set, which is put in place of a call in FROM,
// nil where the call stays.
func (b *Binder) Replaces(f *catalog.Function, args []expr.Expr) *sqlbody.Parameters {
	in := inliner{b}
	if !inline.Set(f) || !in.may(f) || !inline.Arguments(args) {
		return nil
	}
	out := in.parameters(f, args)
	if out != nil {
		out.Values = args
	}
	return out
}
