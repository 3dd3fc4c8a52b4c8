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
	result := spreadResult(sample, root)
	whole := &expr.Aggregate{Name: name, Args: pg.Sig{pg.Numeric, pg.Numeric, pg.Int8}, Result: pg.Numeric,
		New: func([]types.T) expr.Accumulator { return &spreadOfAll{numericSpread{result: result}} }}
	for _, oid := range (pg.Sig{pg.Int2, pg.Int4, pg.Int8, pg.Numeric}) {
		all = append(all, &expr.Aggregate{Name: name, Args: pg.Sig{oid}, Result: pg.Numeric, Doc: doc,
			New:   func([]types.T) expr.Accumulator { return &numericSpread{result: result} },
			Parts: partsOfSpread(oid), Whole: whole})
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

// numericSpread is the sum of numbers and that of their squares.
type numericSpread struct {
	numericSum
	squares squareSum
	result  func(*numericSpread) (types.Value, error)
}

// Add implements Accumulator.
func (s *numericSpread) Add(_ *expr.Context, args []types.Value) error {
	v := args[0]
	switch v.Kind() {
	case types.KindNull:
		return nil
	case types.KindInt:
		return s.addInt(v.Int())
	}
	if n, is := v.Small(); is {
		return s.addSmall(n)
	}
	return s.add(v.Numeric())
}

func (s *numericSpread) addInt(n int64) error {
	if small, is := numeric.SmallInt(n); is {
		return s.addSmall(small)
	}
	return s.add(apd.New(n, 0))
}

func (s *numericSpread) addSmall(n numeric.Small) error {
	if err := s.numericSum.addSmall(n); err != nil {
		return err
	}
	return s.squares.addSmall(n)
}

func (s *numericSpread) add(d *apd.Decimal) error {
	if err := s.numericSum.add(d); err != nil || d.Form != apd.Finite {
		return err
	}
	return s.squares.add(d)
}

// Result implements Accumulator.
func (s *numericSpread) Result(*expr.Context) (types.Value, error) {
	if s.count == 0 {
		return types.Null, nil
	}
	return s.result(s)
}

// squareSum is a sum of squares.
type squareSum struct {
	small numeric.Total
	sum   apd.Decimal // of those that are not in small
}

func (q *squareSum) addSmall(n numeric.Small) error {
	if q.small.AddSquare(n) {
		return nil
	}
	if err := addNumeric(&q.sum, q.small.Take()); err != nil || q.small.AddSquare(n) {
		return err
	}
	return q.add(n.Decimal())
}

func (q *squareSum) add(d *apd.Decimal) error { return addNumeric(&q.sum, numeric.MulWide(d, d)) }

// spreadResult is (N*sum of squares - square of sum) / (N*N), or N*(N-1) for a sample.
func spreadResult(sample, root bool) func(*numericSpread) (types.Value, error) {
	return func(s *numericSpread) (types.Value, error) {
		divisor := s.count
		if sample {
			divisor--
		}
		sum, err := s.total()
		switch {
		case divisor == 0 || err != nil:
			return types.Null, err
		case sum.Form != apd.Finite:
			return types.NewNumeric(number.NotANumber()), nil
		}
		squares, err := inAll(&s.squares.sum, s.squares.small)
		if err != nil {
			return types.Null, err
		}
		n := apd.New(s.count, 0)
		above := numeric.SubWide(numeric.MulWide(n, squares), numeric.MulWide(sum, sum))
		if above.Sign() <= 0 {
			return types.NewNumeric(apd.New(0, 0)), nil
		}
		variance, err := numeric.Div(above, numeric.MulWide(n, apd.New(divisor, 0)))
		if err != nil || !root {
			return number.NumericValue(variance, err)
		}
		return types.NewNumeric(number.Root(variance, int(-variance.Exponent))), nil
	}
}
