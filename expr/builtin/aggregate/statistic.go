package aggregate

import (
	"math"
	"slices"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/numeric"
)

// statisticAggregates are variance and standard deviation. Integers are taken as
// numerics.
var statisticAggregates = slices.Concat(
	spread("var_pop", "Variance of the whole population.", false, false),
	spread("var_samp", "Variance of a sample.", true, false),
	spread("variance", "Variance of a sample.", true, false),
	spread("stddev_pop", "Standard deviation of the whole population.", false, true),
	spread("stddev_samp", "Standard deviation of a sample.", true, true),
	spread("stddev", "Standard deviation of a sample.", true, true),
)

// spread makes the overloads of one of them.
func spread(name, doc string, sample, root bool) (all []*expr.Aggregate) {
	for _, oid := range (pg.Sig{pg.Int2, pg.Int4, pg.Int8, pg.Numeric}) {
		all = append(all, &expr.Aggregate{Name: name, Args: pg.Sig{oid}, Result: pg.Numeric, Doc: doc,
			New: newNumericSpread(sample, root)})
	}
	for _, oid := range (pg.Sig{pg.Float4, pg.Float8}) {
		all = append(all, &expr.Aggregate{Name: name, Args: pg.Sig{oid}, Result: pg.Float8, Doc: doc,
			New: newFloatMoments(floatSpread(sample, root))})
	}
	return all
}

func floatSpread(sample, root bool) func(*floatMoments) types.Value {
	return func(m *floatMoments) types.Value {
		n := m.count
		if sample {
			n--
		}
		switch {
		case n == 0:
			return types.Null
		case root:
			return types.NewFloat(math.Sqrt(m.squares / n))
		}
		return types.NewFloat(m.squares / n)
	}
}

// numericSpread feeds a sum that keeps the squares as well. It takes how far values are from the first
// one, which spread in the same way, so that large ones do not overflow.
type numericSpread struct {
	numericSum
	first *apd.Decimal
}

func newNumericSpread(sample, root bool) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator {
		return &numericSpread{numericSum: numericSum{doSquares: true, result: spreadResult(sample, root)}}
	}
}

// Add implements Accumulator.
func (s *numericSpread) Add(_ *expr.Context, args []types.Value) error {
	var d *apd.Decimal
	switch v := args[0]; v.Kind() {
	case types.KindNull:
		return nil
	case types.KindInt:
		d = apd.New(v.Int(), 0)
	default:
		d = v.Numeric()
	}
	if d.Form != apd.Finite {
		return s.add(d)
	}
	if s.first == nil {
		s.first = new(apd.Decimal).Set(d)
	}
	d, err := numeric.Sub(d, s.first)
	if err != nil {
		return err
	}
	return s.add(d)
}

// spreadResult is (N*sum of squares - square of sum) / (N*N), or N*(N-1) for a sample.
func spreadResult(sample, root bool) func(*apd.Decimal, *numericSum) (types.Value, error) {
	return func(sum *apd.Decimal, s *numericSum) (types.Value, error) {
		divisor := s.count
		if sample {
			divisor--
		}
		switch {
		case divisor == 0:
			return types.Null, nil
		case sum.Form != apd.Finite:
			return types.NewNumeric(number.NotANumber()), nil
		}
		n := apd.New(s.count, 0)
		square, err := numeric.Mul(sum, sum)
		if err != nil {
			return types.Null, err
		}
		squares, err := numeric.Mul(n, &s.squares)
		if err != nil {
			return types.Null, err
		}
		above, err := numeric.Sub(squares, square)
		if err != nil || above.Sign() <= 0 {
			return types.NewNumeric(apd.New(0, 0)), err
		}
		below, err := numeric.Mul(n, apd.New(divisor, 0))
		if err != nil {
			return types.Null, err
		}
		variance, err := numeric.Div(above, below)
		if err != nil || !root {
			return number.NumericValue(variance, err)
		}
		return number.NumericValue(number.Rounded(number.AdjustedExponent(variance)/2+1, int(-variance.Exponent),
			func(c *apd.Context, z *apd.Decimal) (apd.Condition, error) {
				return c.Sqrt(z, variance)
			}))
	}
}
