package expr

import (
	"errors"
	"slices"

	"zproxy/types"
)

// Type implements Expr.
func (e Const) Type() types.T { return e.T }

// Type implements Expr.
func (e Param) Type() types.T { return e.T }

// Type implements Expr.
func (e Column) Type() types.T { return e.T }

// Type implements Expr.
func (e Call) Type() types.T { return e.T }

// Type implements Expr.
func (Compare) Type() types.T { return types.Bool }

// Type implements Expr.
func (Logic) Type() types.T { return types.Bool }

// Type implements Expr.
func (Not) Type() types.T { return types.Bool }

// Type implements Expr.
func (IsNull) Type() types.T { return types.Bool }

// Type implements Expr.
func (IsBool) Type() types.T { return types.Bool }

// Type implements Expr.
func (Distinct) Type() types.T { return types.Bool }

// Type implements Expr.
func (In) Type() types.T { return types.Bool }

// Type implements Expr.
func (e Case) Type() types.T { return e.T }

// Type implements Expr.
func (e Coalesce) Type() types.T { return e.T }

// Type implements Expr.
func (e NullIf) Type() types.T {
	if e.Value != nil {
		return e.Value.Type()
	}
	return e.Left.Type()
}

// Type implements Expr.
func (e Extreme) Type() types.T { return e.T }

// Type implements Expr.
func (e Cast) Type() types.T { return e.To }

// Inputs implements Expr.
func (Const) Inputs() []Expr { return nil }

// Inputs implements Expr.
func (Param) Inputs() []Expr { return nil }

// Inputs implements Expr.
func (Column) Inputs() []Expr { return nil }

// Inputs implements Expr.
func (e Call) Inputs() []Expr { return e.Args }

// Inputs implements Expr.
func (e Compare) Inputs() []Expr { return []Expr{e.Left, e.Right} }

// Inputs implements Expr.
func (e Logic) Inputs() []Expr { return e.Args }

// Inputs implements Expr.
func (e Not) Inputs() []Expr { return []Expr{e.Arg} }

// Inputs implements Expr.
func (e IsNull) Inputs() []Expr { return []Expr{e.Arg} }

// Inputs implements Expr.
func (e IsBool) Inputs() []Expr { return []Expr{e.Arg} }

// Inputs implements Expr.
func (e Distinct) Inputs() []Expr { return []Expr{e.Left, e.Right} }

// Inputs implements Expr.
func (e In) Inputs() []Expr { return append([]Expr{e.Arg}, e.List...) }

// Inputs implements Expr.
func (e Case) Inputs() []Expr {
	var in []Expr
	for _, w := range e.Whens {
		in = append(in, w.Cond, w.Result)
	}
	if e.Else != nil {
		in = append(in, e.Else)
	}
	return in
}

// Inputs implements Expr.
func (e Coalesce) Inputs() []Expr { return e.Args }

// Inputs implements Expr.
func (e NullIf) Inputs() []Expr {
	if e.Value != nil {
		return []Expr{e.Left, e.Right, e.Value}
	}
	return []Expr{e.Left, e.Right}
}

// Inputs implements Expr.
func (e Extreme) Inputs() []Expr { return e.Args }

// Inputs implements Expr.
func (e Cast) Inputs() []Expr { return []Expr{e.Arg} }

// WithInputs implements Expr.
func (e Const) WithInputs([]Expr) Expr { return e }

// WithInputs implements Expr.
func (e Param) WithInputs([]Expr) Expr { return e }

// WithInputs implements Expr.
func (e Column) WithInputs([]Expr) Expr { return e }

// WithInputs implements Expr.
func (e Call) WithInputs(in []Expr) Expr { e.Args = in; return e }

// WithInputs implements Expr.
func (e Compare) WithInputs(in []Expr) Expr { e.Left, e.Right = in[0], in[1]; return e }

// WithInputs implements Expr.
func (e Logic) WithInputs(in []Expr) Expr { e.Args = in; return e }

// WithInputs implements Expr.
func (e Not) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// WithInputs implements Expr.
func (e IsNull) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// WithInputs implements Expr.
func (e IsBool) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// WithInputs implements Expr.
func (e Distinct) WithInputs(in []Expr) Expr { e.Left, e.Right = in[0], in[1]; return e }

// WithInputs implements Expr.
func (e In) WithInputs(in []Expr) Expr { e.Arg, e.List = in[0], in[1:]; return e }

// WithInputs implements Expr.
func (e Case) WithInputs(in []Expr) Expr {
	whens := make([]When, len(e.Whens))
	for i := range whens {
		whens[i] = When{in[2*i], in[2*i+1]}
	}
	e.Whens = whens
	if e.Else != nil {
		e.Else = in[len(in)-1]
	}
	return e
}

// WithInputs implements Expr.
func (e Coalesce) WithInputs(in []Expr) Expr { e.Args = in; return e }

// WithInputs implements Expr.
func (e NullIf) WithInputs(in []Expr) Expr {
	e.Left, e.Right = in[0], in[1]
	if e.Value != nil {
		e.Value = in[2]
	}
	return e
}

// WithInputs implements Expr.
func (e Extreme) WithInputs(in []Expr) Expr { e.Args = in; return e }

// WithInputs implements Expr.
func (e Cast) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// Rewrite replaces expressions from the bottom up: f sees each one with its inputs
// already rewritten.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	in := e.Inputs()
	if len(in) == 0 {
		return f(e)
	}
	out := make([]Expr, len(in))
	for i, x := range in {
		out[i] = Rewrite(x, f)
	}
	return f(e.WithInputs(out))
}

// Renumber moves the columns of an expression to other places.
func Renumber(e Expr, to func(int) int) Expr {
	return Rewrite(e, func(x Expr) Expr {
		if c, ok := x.(Column); ok {
			c.Index = to(c.Index)
			return c
		}
		return x
	})
}

// Shift moves the columns of an expression by some places.
func Shift(e Expr, by int) Expr { return Renumber(e, func(i int) int { return i + by }) }

// Any says whether f holds for e or an expression below it.
func Any(e Expr, f func(Expr) bool) bool {
	if f(e) {
		return true
	}
	for _, in := range e.Inputs() {
		if Any(in, f) {
			return true
		}
	}
	return false
}

// Columns adds the places of the columns that e reads to set.
func Columns(e Expr, set map[int]bool) {
	if c, ok := e.(Column); ok {
		set[c.Index] = true
	}
	for _, in := range e.Inputs() {
		Columns(in, set)
	}
}

// Fixed says whether e has one value for a whole run of a plan: it reads no column and
// calls nothing volatile.
func Fixed(e Expr) bool {
	return !Any(e, func(x Expr) bool {
		switch x := x.(type) {
		case Column:
			return true
		case Subquery:
			return len(x.Depends) > 0
		case Call:
			return x.Fn.Volatility == Volatile
		}
		return false
	})
}

// Uncast looks through the casts between types of texts, which change nothing: varchar's
// operators are those of text.
func Uncast(e Expr) Expr {
	for {
		c, ok := e.(Cast)
		if !ok || c.To.Mod >= 0 || !sameText(c.Arg.Type().OID, c.To.OID) {
			return e
		}
		e = c.Arg
	}
}

func sameText(from, to types.OID) bool {
	return (from == types.OIDText || from == types.OIDVarchar || from == types.OIDName) &&
		(to == types.OIDText || to == types.OIDVarchar)
}

// Fold computes an expression whose inputs are constants, or that is strict and has a NULL among them. It says
// false where the value belongs to the run: that of a function which is not immutable, and an error.
func Fold(e Expr, env *types.Env) (Expr, bool) {
	in := e.Inputs()
	if known := foregone(e); known != nil && !slices.ContainsFunc(in, mustFail) {
		return known, true
	}
	if call, ok := e.(Call); ok && !call.Fn.folds() || !ok && len(in) == 0 {
		return e, false
	}
	if c, ok := e.(Constrained); ok && c.Rules.mutable() {
		return e, false
	}
	if q, ok := e.(JSONQuery); ok && q.mutable() {
		return e, false
	}
	for _, x := range in {
		if _, ok := x.(Const); !ok {
			return e, false
		}
	}
	c := Beforehand(env)
	c.Memory = foldedBytes{}
	v, err := e.Eval(c, nil)
	if err != nil {
		return e, false
	}
	return Const{Value: v, T: e.Type()}, true
}

// foregone is what one constant among the inputs of an expression makes of it, whatever the others are; nil: nothing.
func foregone(e Expr) Expr {
	switch e := e.(type) {
	case Logic:
		for _, arg := range e.Args {
			if c, ok := arg.(Const); ok && !c.Value.IsNull() && c.Value.Bool() == e.Or {
				return c
			}
		}
	case NullIf:
		if isNullConst(e.Left) {
			return Const{T: e.Type()}
		}
	case In:
		if isNullConst(e.Arg) && !computesList(e.List) {
			return Const{T: e.Type()}
		}
	default:
		if isStrict(e) && slices.ContainsFunc(e.Inputs(), isNullConst) {
			return Const{T: e.Type()}
		}
	}
	return nil
}

// computesList says whether items of a list are computed before they are compared: several that read no column are an
// array, also in PostgreSQL.
func computesList(list []Expr) bool {
	items, computed := 0, false
	for _, e := range list {
		if !Any(e, func(x Expr) bool { _, ok := x.(Column); return ok }) {
			_, known := e.(Const)
			items, computed = items+1, computed || !known
		}
	}
	return items > 1 && computed
}

// isStrict says whether an expression is NULL if one of its inputs is.
func isStrict(e Expr) bool {
	switch e := e.(type) {
	case Call:
		return !e.Fn.NotStrict && e.Fn.Rows == nil && !e.Fn.Syntax
	case Compare: // of a column: bounds of keys come from it
		return !isColumn(e.Left) && !isColumn(e.Right)
	}
	return false
}

func isColumn(e Expr) bool {
	if c, ok := e.(Cast); ok {
		e = c.Arg
	}
	_, ok := e.(Column)
	return ok
}

func isNullConst(e Expr) bool {
	c, ok := e.(Const)
	return ok && c.Value.IsNull()
}

// mustFail says whether an expression has a part of constants alone that was not folded, which is since it fails.
func mustFail(e Expr) bool {
	return Any(e, func(x Expr) bool {
		in := x.Inputs()
		call, ok := x.(Call)
		return len(in) > 0 && (!ok || call.Fn.folds()) && !slices.ContainsFunc(in, func(y Expr) bool {
			_, ok := y.(Const)
			return !ok
		})
	})
}

// foldedBytes keeps large values from being computed before they are needed, and kept in plans.
type foldedBytes struct{}

var errFolded = errors.New("the value is too large to be kept in a plan")

// Grow implements Memory.
func (foldedBytes) Grow(bytes int64) error {
	if bytes > 64<<10 {
		return errFolded
	}
	return nil
}

// Conjuncts are the conditions that must all hold for e to hold.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	l, ok := e.(Logic)
	if !ok || l.Or {
		return []Expr{e}
	}
	var all []Expr
	for _, arg := range l.Args {
		all = append(all, Conjuncts(arg)...)
	}
	return all
}

// Conjoin is the AND of some conditions, nil when there are none.
func Conjoin(all []Expr) Expr {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return Logic{Args: all}
}
