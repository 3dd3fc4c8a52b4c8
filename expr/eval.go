package expr

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Eval implements Expr.
func (e Const) Eval(*Context, types.Row) (types.Value, error) { return e.Value, nil }

// Eval implements Expr.
func (e Param) Eval(c *Context, _ types.Row) (types.Value, error) {
	if e.Number >= len(c.Params) {
		return types.Null, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", e.Number+1)
	}
	return c.Params[e.Number], nil
}

// Eval implements Expr.
func (e Column) Eval(_ *Context, row types.Row) (types.Value, error) { return row[e.Index], nil }

// Eval implements Expr.
func (e Call) Eval(c *Context, row types.Row) (types.Value, error) {
	switch f := e.Fn; {
	case f.Fn2 != nil:
		a, err := e.Args[0].Eval(c, row)
		if err != nil {
			return types.Null, err
		}
		b, err := e.Args[1].Eval(c, row)
		if err != nil || (a.IsNull() || b.IsNull()) && !f.NotStrict {
			return types.Null, err
		}
		return f.Fn2(c, a, b)
	case f.Fn1 != nil:
		a, err := e.Args[0].Eval(c, row)
		if err != nil || (a.IsNull() && !f.NotStrict) {
			return types.Null, err
		}
		return f.Fn1(c, a)
	case f.Fn0 != nil:
		return f.Fn0(c)
	default:
		return e.evalN(c, row)
	}
}

func (e Call) evalN(c *Context, row types.Row) (types.Value, error) {
	args, null := make([]types.Value, len(e.Args)), false
	for i, arg := range e.Args {
		v, err := arg.Eval(c, row)
		if err != nil {
			return types.Null, err
		}
		args[i], null = v, null || v.IsNull()
	}
	if null && !e.Fn.NotStrict {
		return types.Null, nil
	}
	if e.Fn.Typed == nil {
		return e.Fn.FnN(c, args)
	}
	of := make([]types.T, len(e.Args))
	for i, arg := range e.Args {
		of[i] = arg.Type()
	}
	return e.Fn.Typed(c, of, args)
}

// Spread makes a function whose last argument is an array of the arguments that a variadic
// one would take. A NULL for the array makes NULL, or counts as none.
func Spread(f *Function) *Function {
	g := *f
	g.Fn0, g.Fn1, g.Fn2, g.FnN = nil, nil, nil, nil
	g.Typed = func(c *Context, of []types.T, args []types.Value) (types.Value, error) {
		at := len(args) - 1
		var items []types.Value
		switch {
		case !args[at].IsNull():
			items = args[at].Array().Items
		case !f.NoneForNull:
			return types.Null, nil
		}
		if !f.NotStrict && slices.ContainsFunc(items, types.Value.IsNull) {
			return types.Null, nil
		}
		all := slices.Concat(args[:at], items)
		if f.Typed == nil {
			return f.FnN(c, all)
		}
		element, _ := types.ElementOf(of[at])
		return f.Typed(c, append(slices.Clone(of[:at]), slices.Repeat([]types.T{element}, len(items))...), all)
	}
	return &g
}

// Eval implements Expr.
func (e Compare) Eval(c *Context, row types.Row) (types.Value, error) {
	a, err := e.Left.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	b, err := e.Right.Eval(c, row)
	if err != nil || a.IsNull() || b.IsNull() {
		return types.Null, err
	}
	order, err := types.CompareRows(a, b)
	return types.NewBool(e.Op.Holds(order)), err
}

// Holds says whether the comparison holds for the sign of a comparison.
func (op CompareOp) Holds(sign int) bool {
	switch op {
	case EQ:
		return sign == 0
	case NE:
		return sign != 0
	case LT:
		return sign < 0
	case LE:
		return sign <= 0
	case GT:
		return sign > 0
	default:
		return sign >= 0
	}
}

// Flip is the comparison with its sides exchanged.
func (op CompareOp) Flip() CompareOp {
	switch op {
	case LT:
		return GT
	case LE:
		return GE
	case GT:
		return LT
	case GE:
		return LE
	default:
		return op
	}
}

// Negate is the comparison that holds when this one does not.
func (op CompareOp) Negate() CompareOp {
	return [...]CompareOp{EQ: NE, NE: EQ, LT: GE, LE: GT, GT: LE, GE: LT}[op]
}

// Eval implements Expr. It stops at the first argument that decides.
func (e Logic) Eval(c *Context, row types.Row) (types.Value, error) {
	null := false
	for _, arg := range e.Args {
		v, err := arg.Eval(c, row)
		switch {
		case err != nil:
			return types.Null, err
		case v.IsNull():
			null = true
		case v.Bool() == e.Or:
			return v, nil
		}
	}
	if null {
		return types.Null, nil
	}
	return types.NewBool(!e.Or), nil
}

// Eval implements Expr.
func (e Not) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	if err != nil || v.IsNull() {
		return types.Null, err
	}
	return types.NewBool(!v.Bool()), nil
}

// Eval implements Expr.
func (e IsNull) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	return types.NewBool(isNull(v, e.Not)), err
}

// Eval implements Expr.
func (e IsBool) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	is := !v.IsNull() && v.Bool() == e.Want
	return types.NewBool(is != e.Not), err
}

// Eval implements Expr.
func (e Distinct) Eval(c *Context, row types.Row) (types.Value, error) {
	a, err := e.Left.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	b, err := e.Right.Eval(c, row)
	if err != nil || a.IsNull() || b.IsNull() {
		return types.NewBool((a.IsNull() && b.IsNull()) == e.Not), err
	}
	order, err := types.CompareRows(a, b)
	return types.NewBool((order == 0) == e.Not), err
}

// Eval implements Expr. NULL in the list makes the answer NULL where it would be false.
func (e In) Eval(c *Context, row types.Row) (types.Value, error) {
	a, err := e.Arg.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	null := a.IsNull() // what the list has is computed all the same
	for _, item := range e.List {
		b, err := item.Eval(c, row)
		switch {
		case err != nil:
			return types.Null, err
		case a.IsNull() || b.IsNull():
			null = true
		default:
			order, err := types.CompareRows(a, b)
			if err != nil || order == 0 {
				return types.NewBool(!e.Not), err
			}
		}
	}
	if null {
		return types.Null, nil
	}
	return types.NewBool(e.Not), nil
}

// Eval implements Expr.
func (e Case) Eval(c *Context, row types.Row) (types.Value, error) {
	for _, when := range e.Whens {
		v, err := when.Cond.Eval(c, row)
		if err != nil {
			return types.Null, err
		}
		if v.IsTrue() {
			return when.Result.Eval(c, row)
		}
	}
	if e.Else == nil {
		return types.Null, nil
	}
	return e.Else.Eval(c, row)
}

// Eval implements Expr.
func (e Coalesce) Eval(c *Context, row types.Row) (types.Value, error) {
	for _, arg := range e.Args {
		v, err := arg.Eval(c, row)
		if err != nil || !v.IsNull() {
			return v, err
		}
	}
	return types.Null, nil
}

// Eval implements Expr.
func (e NullIf) Eval(c *Context, row types.Row) (types.Value, error) {
	a, err := e.Left.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	b, err := e.Right.Eval(c, row)
	switch {
	case err != nil || a.IsNull() || !b.IsNull() && types.Compare(a, b) == 0:
		return types.Null, err
	case e.Value != nil:
		return e.Value.Eval(c, row)
	}
	return a, nil
}

// Eval implements Expr.
func (e Extreme) Eval(c *Context, row types.Row) (types.Value, error) {
	best := types.Null
	for _, arg := range e.Args {
		v, err := arg.Eval(c, row)
		if err != nil {
			return types.Null, err
		}
		if v.IsNull() {
			continue
		}
		first, second := v, best
		if !e.Least {
			first, second = best, v
		}
		if best.IsNull() || types.Compare(first, second) < 0 { // the first of equal ones stays
			best = v
		}
	}
	return best, nil
}

// Eval implements Expr.
func (e Cast) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	if err != nil || v.IsNull() {
		return types.Null, err
	}
	if e.Fn != nil {
		if v, err = e.Fn(v, e.To, c.Env); err != nil {
			return types.Null, err
		}
	}
	if e.To.Mod < 0 {
		return v, nil
	}
	return types.ApplyMod(v, e.To, e.Explicit, c.Env)
}
