package bind

import (
	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/stateful"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// userAggregates has aggregates of the catalog run.
type userAggregates struct{ *Binder }

func sameFunction(a, b *expr.Aggregate) bool {
	return a == b || a.Routine != nil && a.Routine == b.Routine
}

// complete makes an aggregate of the catalog that was chosen one that runs: its functions are calls over a row of the
// state and the arguments.
func (b userAggregates) complete(a *analyze.Aggregate[expr.Expr]) error {
	if a.Fn == nil || a.Fn.Routine == nil {
		return nil
	}
	f := a.Fn.Routine.(*catalog.Function)
	b.usesRoutine(f)
	if a.Gathered >= 0 {
		a.Args = gathered(a.Args, a.Gathered)
	}
	uses, of := b.Uses, b.stepsOf
	b.Uses, b.stepsOf = nil, f // what the aggregate calls, who calls the aggregate does not
	defer func() { b.Uses, b.stepsOf = uses, of }()
	s, err := b.state(f, analyze.Types(a.Args))
	if err != nil {
		return err
	}
	fn := *a.Fn
	fn.New = func([]types.T) expr.Accumulator { return s.Accumulator() }
	fn.Steps = []expr.Expr{s.Transition}
	if s.Final != nil {
		fn.Steps = append(fn.Steps, s.Final)
		a.T = s.Final.Type()
	}
	a.Fn = &fn
	return nil
}

// state is how an aggregate that is given arguments of some types comes to its result.
func (b userAggregates) state(f *catalog.Function, given []types.T) (*stateful.State, error) {
	d := &f.Aggregate.State
	t, err := b.stateType(f, given)
	if err != nil {
		return nil, err
	}
	args := append([]types.T{t}, given...)
	out := &stateful.State{Width: len(given), Initial: types.Null, Of: f}
	if d.Initial != nil {
		if out.Initial, err = types.ParseText(*d.Initial, t.Bare(), b.Env); err != nil {
			return nil, err
		}
	}
	if out.Transition, out.Strict, err = b.step(d.Transition, args); err != nil || d.Final == 0 {
		return out, err
	}
	if !d.FinalExtra {
		args = args[:1]
	}
	out.Final, out.FinalStrict, err = b.step(d.Final, args)
	return out, err
}

// stateType is the type of the state of an aggregate, which may depend on its arguments.
func (b *Binder) stateType(f *catalog.Function, given []types.T) (types.T, error) {
	var declared []types.OID
	for _, p := range f.Inputs() {
		declared = append(declared, p.Type.Number())
	}
	s, err := analyze.Signature{Args: declared, Result: f.Aggregate.Type.Number()}.Resolve(given)
	return b.Typed(s.Result), err
}

// step is a call of a function over a row of values of some types, and whether it is strict.
func (b *Binder) step(id uint32, args []types.T) (call expr.Expr, strict bool, err error) {
	fn := b.functionOf(id)
	if fn == nil {
		return nil, false, noFunctionNumbered(id)
	}
	list := make([]expr.Expr, len(args))
	for i, t := range args {
		list[i] = expr.Column{Index: i, T: t}
	}
	chosen := analyze.Unspread([]*expr.Function{fn}, args)
	if chosen == nil {
		return nil, false, analyze.Called{Name: fn.Name, Types: analyze.Types(list)}.NoFunction(0)
	}
	call, err = b.coercion().Call(analyze.Call[expr.Expr]{Chosen: chosen, Args: list})
	return call, !fn.NotStrict, err
}

func noFunctionNumbered(id uint32) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function with OID %d does not exist", id)
}

// functionOf is the function of a number in pg_proc, nil when it cannot be called.
func (n *Names) functionOf(id uint32) *expr.Function {
	if f := n.Catalog.FunctionByID(id); f != nil {
		return routine.Function(f)
	}
	if fn := builtin.FunctionByOID(id); fn != nil {
		return fn
	}
	return builtin.ListedByOID(id)
}
