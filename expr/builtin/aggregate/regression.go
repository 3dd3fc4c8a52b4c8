package aggregate

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// regressionAggregates are of pairs (y, x) without those in which one is NULL.
var regressionAggregates = []*expr.Aggregate{
	regression("covar_pop", "Covariance of the whole population.", 1,
		func(r *pairs) (float64, bool) { return r.sxy / r.count, true }),
	regression("covar_samp", "Covariance of a sample.", 2,
		func(r *pairs) (float64, bool) { return r.sxy / (r.count - 1), true }),
	regression("corr", "Correlation coefficient.", 1, func(r *pairs) (float64, bool) {
		return r.sxy / math.Sqrt(r.sxx*r.syy), r.sxx != 0 && r.syy != 0
	}),
	regression("regr_avgx", "Average of the independent variable.", 1,
		func(r *pairs) (float64, bool) { return r.sx / r.count, true }),
	regression("regr_avgy", "Average of the dependent variable.", 1,
		func(r *pairs) (float64, bool) { return r.sy / r.count, true }),
	regression("regr_sxx", "Sum of squared differences of the independent variable from its average.", 1,
		func(r *pairs) (float64, bool) { return r.sxx, true }),
	regression("regr_syy", "Sum of squared differences of the dependent variable from its average.", 1,
		func(r *pairs) (float64, bool) { return r.syy, true }),
	regression("regr_sxy", "Sum of the products of both differences from the averages.", 1,
		func(r *pairs) (float64, bool) { return r.sxy, true }),
	regression("regr_slope", "Slope of the line of least squares.", 1,
		func(r *pairs) (float64, bool) { return r.sxy / r.sxx, r.sxx != 0 }),
	regression("regr_intercept", "Where the line of least squares meets the axis of the dependent variable.", 1,
		func(r *pairs) (float64, bool) {
			return (r.sy - r.sx*r.sxy/r.sxx) / r.count, r.sxx != 0
		}),
	regression("regr_r2", "Square of the correlation coefficient.", 1, func(r *pairs) (float64, bool) {
		if r.syy == 0 {
			return 1, r.sxx != 0
		}
		return r.sxy * r.sxy / (r.sxx * r.syy), r.sxx != 0
	}),
	{Name: "regr_count", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Int8, Doc: "Number of pairs in which neither is NULL.", New: func([]types.T) expr.Accumulator { return new(pairCount) }},
}

// regression makes an aggregate that is NULL for fewer pairs than least, and where
// result says false.
func regression(name, doc string, least float64, result func(*pairs) (float64, bool)) *expr.Aggregate {
	return &expr.Aggregate{Name: name, Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: doc,
		New: func([]types.T) expr.Accumulator {
			return &pairs{least: least, result: result}
		}}
}

// pairs is count, sums and sums of squared differences from the averages, kept up to date
// pair by pair (Youngs and Cramer 1971).
type pairs struct {
	count, sx, sxx, sy, syy, sxy float64

	least  float64
	result func(*pairs) (float64, bool)
}

// Add implements Accumulator.
func (r *pairs) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() || args[1].IsNull() {
		return nil
	}
	y, x, before := args[0].Float(), args[1].Float(), *r
	r.count++
	r.sx += x
	r.sy += y
	if before.count == 0 {
		// Infinity minus itself is no number, nor is anything that comes of it.
		if unusable(x) {
			r.sxx, r.sxy = math.NaN(), math.NaN()
		}
		if unusable(y) {
			r.syy, r.sxy = math.NaN(), math.NaN()
		}
		return nil
	}
	dx, dy, scale := x*r.count-r.sx, y*r.count-r.sy, 1/(r.count*before.count)
	r.sxx += dx * dx * scale
	r.syy += dy * dy * scale
	r.sxy += dx * dy * scale
	return r.checkOverflow(&before, x, y)
}

func unusable(f float64) bool { return f != f || math.IsInf(f, 0) }

// checkOverflow refuses infinities that do not come of infinite inputs, and makes the
// others NaN.
func (r *pairs) checkOverflow(before *pairs, x, y float64) error {
	inf := func(f float64) bool { return math.IsInf(f, 0) }
	if !inf(r.sx) && !inf(r.sxx) && !inf(r.sy) && !inf(r.syy) && !inf(r.sxy) {
		return nil
	}
	badX := (inf(r.sx) || inf(r.sxx)) && !inf(before.sx) && !inf(x)
	badY := (inf(r.sy) || inf(r.syy)) && !inf(before.sy) && !inf(y)
	badXY := inf(r.sxy) && !inf(before.sx) && !inf(x) && !inf(before.sy) && !inf(y)
	if badX || badY || badXY {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
	}
	for _, sum := range []*float64{&r.sxx, &r.syy, &r.sxy} {
		if inf(*sum) {
			*sum = math.NaN()
		}
	}
	return nil
}

// Result implements Accumulator.
func (r *pairs) Result(*expr.Context) (types.Value, error) {
	if r.count < r.least {
		return types.Null, nil
	}
	f, ok := r.result(r)
	if !ok {
		return types.Null, nil
	}
	return types.NewFloat(f), nil
}

type pairCount struct{ countRows }

// Add implements Accumulator.
func (n *pairCount) Add(_ *expr.Context, args []types.Value) error {
	if !args[0].IsNull() && !args[1].IsNull() {
		n.countRows++
	}
	return nil
}
