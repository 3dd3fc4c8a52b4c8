package proof

import (
	"errors"

	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/expr/builtin/text"
	"zproxy/expr/work"
	"zproxy/types"
)

// truth is for which values of an expression a condition is true: for those in the set, or,
// when it is not exact, for none but those.
type truth struct {
	of    expr.Expr
	set   span.Set
	exact bool
}

// truthOf reads a condition on the value of one expression.
func truthOf(cond expr.Expr) (truth, bool) {
	switch e := cond.(type) {
	case expr.Logic:
		return truthOfLogic(e)
	case expr.Not:
		return falsehoodOf(e.Arg)
	case expr.IsBool:
		return truthOfIs(e)
	case expr.Compare:
		return truthOfCompare(e)
	case expr.In:
		return truthOfIn(e)
	case expr.Quantified:
		return truthOfQuantified(e)
	case expr.IsNull:
		set := span.OnlyNull
		if e.Not {
			set = span.NotNull
		}
		return truth{expr.Uncast(e.Arg), set, true}, true
	case expr.Distinct:
		return truthOfDistinct(e)
	case expr.Call:
		if t, ok := truthOfLike(e); ok {
			return t, true
		}
	}
	return whole(cond, true), cond.Type().OID == types.OIDBool
}

// whole takes a condition itself for the expression, which is true or false.
func whole(cond expr.Expr, value bool) truth {
	return truth{cond, span.Points(types.NewBool(value)), true}
}

// falsehoodOf is for which values a condition is false.
func falsehoodOf(cond expr.Expr) (truth, bool) {
	switch e := cond.(type) {
	case expr.Not:
		return truthOf(e.Arg)
	case expr.Logic:
		flipped := expr.Logic{Or: !e.Or}
		for _, arg := range e.Args {
			flipped.Args = append(flipped.Args, expr.Not{Arg: arg})
		}
		return truthOfLogic(flipped)
	case expr.Compare:
		e.Op = inverse[e.Op]
		return truthOfCompare(e)
	case expr.In:
		e.Not = !e.Not
		return truthOfIn(e)
	case expr.IsNull:
		e.Not = !e.Not
		return truthOf(e)
	case expr.IsBool:
		e.Not = !e.Not
		return truthOfIs(e)
	case expr.Distinct:
		e.Not = !e.Not
		return truthOfDistinct(e)
	}
	return whole(cond, false), cond.Type().OID == types.OIDBool
}

var inverse = map[expr.CompareOp]expr.CompareOp{
	expr.EQ: expr.NE, expr.NE: expr.EQ, expr.LT: expr.GE, expr.GE: expr.LT, expr.GT: expr.LE, expr.LE: expr.GT,
}

// truthOfLogic is that of an AND or OR all of whose arguments are about the same expression.
func truthOfLogic(l expr.Logic) (truth, bool) {
	out, ok := truthOf(l.Args[0])
	if !ok {
		return truth{}, false
	}
	for _, arg := range l.Args[1:] {
		t, ok := truthOf(arg)
		if !ok || !expr.Equal(t.of, out.of) {
			return truth{}, false
		}
		if out.exact = out.exact && t.exact; l.Or {
			out.set = out.set.Union(t.set)
		} else {
			out.set = out.set.Intersect(t.set)
		}
	}
	return out, true
}

// truthOfIs reads IS [NOT] TRUE and FALSE.
func truthOfIs(e expr.IsBool) (truth, bool) {
	t, ok := truthOf(e.Arg)
	if !e.Want {
		t, ok = falsehoodOf(e.Arg)
	}
	if !e.Not {
		return t, ok
	}
	t.set = t.set.Complement() // NULL is neither
	return t, ok && t.exact
}

func truthOfCompare(e expr.Compare) (truth, bool) {
	of, op := e.Left, e.Op
	v, ok := valueOf(e.Right)
	if !ok {
		of, op = e.Right, e.Op.Flip()
		v, ok = valueOf(e.Left)
	}
	return truth{expr.Uncast(of), compared(op, v), true}, ok
}

// compared is the values that compare with one as an operator wants it.
func compared(op expr.CompareOp, v types.Value) span.Set {
	if v.IsNull() {
		return span.Set{}
	}
	switch op {
	case expr.LT:
		return span.Of(span.Interval{High: v, HighOpen: true})
	case expr.LE:
		return span.Of(span.Interval{High: v})
	case expr.GT:
		return span.Of(span.Interval{Low: v, LowOpen: true})
	case expr.GE:
		return span.Of(span.Interval{Low: v})
	case expr.NE:
		return others(v)
	}
	return span.Points(v)
}

// others is all values but some, and NULL.
func others(values ...types.Value) span.Set {
	return span.Points(values...).Complement().Intersect(span.NotNull)
}

func truthOfIn(e expr.In) (truth, bool) {
	values := make([]types.Value, len(e.List))
	for i, item := range e.List {
		var ok bool
		if values[i], ok = valueOf(item); !ok {
			return truth{}, false
		}
	}
	return truth{expr.Uncast(e.Arg), amongOrNot(values, e.Not), true}, true
}

// amongOrNot is the values that are IN a list, or NOT IN it: then a NULL in it lets none pass.
func amongOrNot(values []types.Value, not bool) span.Set {
	switch {
	case !not:
		return span.Points(values...)
	case hasNull(values):
		return span.Set{}
	}
	return others(values...)
}

func hasNull(values []types.Value) bool {
	for _, v := range values {
		if v.IsNull() {
			return true
		}
	}
	return false
}

// truthOfQuantified reads = ANY and <> ALL of an array.
func truthOfQuantified(e expr.Quantified) (truth, bool) {
	test, ok := e.Test.(expr.Compare)
	if !ok || test.Op != map[bool]expr.CompareOp{false: expr.EQ, true: expr.NE}[e.All] {
		return truth{}, false
	}
	l, isLeft := test.Left.(expr.Column)
	r, isRight := test.Right.(expr.Column)
	array, known := valueOf(e.Array)
	if !isLeft || !isRight || l.Index != 0 || r.Index != 1 || !known {
		return truth{}, false
	}
	t := truth{expr.Uncast(e.Arg), span.Set{}, true}
	if array.IsNull() {
		return t, true
	}
	if items := array.Array().Items; len(items) > 0 {
		t.set = amongOrNot(items, e.All)
	} else if e.All {
		t.set = span.Everything // also for NULL
	}
	return t, true
}

// truthOfDistinct reads IS [NOT] DISTINCT FROM something known.
func truthOfDistinct(e expr.Distinct) (truth, bool) {
	of := e.Left
	v, ok := valueOf(e.Right)
	if !ok {
		of = e.Right
		v, ok = valueOf(e.Left)
	}
	set := span.Points(v)
	if v.IsNull() {
		set = span.OnlyNull
	}
	if !e.Not {
		set = set.Complement()
	}
	return truth{expr.Uncast(of), set, true}, ok
}

// truthOfLike reads LIKE 'prefix...'. Texts are in byte order, so a prefix is an interval.
func truthOfLike(e expr.Call) (truth, bool) {
	if e.Fn.Operator != "~~" {
		return truth{}, false
	}
	of := expr.Uncast(e.Args[0])
	pattern, ok := valueOf(e.Args[1])
	if !ok || pattern.Kind() != types.KindText || of.Type().Kind() != types.KindText {
		return truth{}, false
	}
	prefix, rest := text.LikePrefix(pattern.Text())
	if rest == "" {
		return truth{of, span.Points(types.NewText(prefix)), true}, true
	}
	return truth{of, span.Of(span.Prefix(prefix)), rest == "%"}, true
}

// valueOf computes what has one value for every row, for ever.
func valueOf(e expr.Expr) (types.Value, bool) {
	if c, ok := e.(expr.Const); ok {
		return c.Value, true
	}
	reads := map[int]bool{}
	if expr.Columns(e, reads); len(reads) > 0 || expr.Mutable(e) {
		return types.Null, false
	}
	v, err := e.Eval(brief(), nil)
	return v, err == nil
}

// errLong ends what takes long.
var errLong = errors.New("takes too long for a proof")

// brief is a context that ends what takes longer than a plan is worth.
func brief() *expr.Context {
	c := &expr.Context{Env: &types.Env{}, Meter: work.Meter{Interrupt: func() error { return errLong }}}
	c.Env.Work = c
	return c
}
