package aggregate

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/money"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// sumAggregates are sum and avg. Integers are summed exactly; their sum and average have
// the types that cannot overflow where PostgreSQL gives them such.
var sumAggregates = []*expr.Aggregate{
	{Name: "sum", Args: pg.Sig{pg.Int2}, Result: pg.Int8, Doc: "Sum.", New: newIntSum(int8Sum)},
	{Name: "sum", Args: pg.Sig{pg.Int4}, Result: pg.Int8, Doc: "Sum.", New: newIntSum(int8Sum)},
	{Name: "sum", Args: pg.Sig{pg.Int8}, Result: pg.Numeric, Doc: "Sum.", New: newIntSum(exactSum)},
	{Name: "sum", Args: pg.Sig{pg.Float4}, Result: pg.Float4, Doc: "Sum.", New: newPlainSum(number.AddFloat4)},
	{Name: "sum", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Sum.", New: newPlainSum(number.AddFloat8)},
	{Name: "sum", Args: pg.Sig{pg.Money}, Result: pg.Money, Doc: "Sum.", New: newPlainSum(money.Add)},
	{Name: "sum", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Sum.", New: newNumericSum(numericTotal)},
	{Name: "avg", Args: pg.Sig{pg.Int2}, Result: pg.Numeric, Doc: "Average.", New: newIntSum(intAverage)},
	{Name: "avg", Args: pg.Sig{pg.Int4}, Result: pg.Numeric, Doc: "Average.", New: newIntSum(intAverage)},
	{Name: "avg", Args: pg.Sig{pg.Int8}, Result: pg.Numeric, Doc: "Average.", New: newIntSum(intAverage)},
	{Name: "avg", Args: pg.Sig{pg.Float4}, Result: pg.Float8, Doc: "Average.", New: newFloatMoments(floatAverage)},
	{Name: "avg", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Average.", New: newFloatMoments(floatAverage)},
	{Name: "avg", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Average.", New: newNumericSum(numericAverage)},
}

// intSum adds integers in 64 bits and moves the sum to big before it overflows.
type intSum struct {
	count  int64
	sum    int64
	big    apd.BigInt
	result func(*intSum) (types.Value, error)
}

func newIntSum(result func(*intSum) (types.Value, error)) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &intSum{result: result} }
}

// Add implements Accumulator.
func (s *intSum) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	s.add(args[0].Int())
	return nil
}

func (s *intSum) add(n int64) {
	s.count++
	if sum := s.sum + n; (sum > s.sum) == (n > 0) {
		s.sum = sum
		return
	}
	s.big.Add(&s.big, apd.NewBigInt(s.sum))
	s.sum = n
}

// Result implements Accumulator.
func (s *intSum) Result(*expr.Context) (types.Value, error) {
	if s.count == 0 {
		return types.Null, nil
	}
	return s.result(s)
}

// total is the sum as a numeric.
func (s *intSum) total() *apd.Decimal {
	var all apd.BigInt
	all.Add(&s.big, apd.NewBigInt(s.sum))
	return apd.NewWithBigInt(&all, 0)
}

func int8Sum(s *intSum) (types.Value, error) {
	if s.big.Sign() == 0 {
		return types.NewInt(s.sum), nil
	}
	n, err := s.total().Int64()
	if err != nil {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "bigint out of range")
	}
	return types.NewInt(n), nil
}

func exactSum(s *intSum) (types.Value, error) { return types.NewNumeric(s.total()), nil }

func intAverage(s *intSum) (types.Value, error) {
	return number.NumericValue(numeric.Div(s.total(), apd.New(s.count, 0)))
}

// plainSum adds with the type's own operator, overflow and rounding included.
type plainSum struct {
	add func(a, b types.Value) (types.Value, error)
	sum types.Value
}

func newPlainSum(add func(a, b types.Value) (types.Value, error)) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &plainSum{add: add} }
}

// Add implements Accumulator.
func (s *plainSum) Add(_ *expr.Context, args []types.Value) (err error) {
	switch {
	case args[0].IsNull():
	case s.sum.IsNull():
		s.sum = args[0]
	default:
		s.sum, err = s.add(s.sum, args[0])
	}
	return err
}

// Result implements Accumulator.
func (s *plainSum) Result(*expr.Context) (types.Value, error) { return s.sum, nil }

// numericSum adds numerics, and what is not finite apart from them.
type numericSum struct {
	count    int64
	small    numeric.Total
	sum      apd.Decimal // of the finite ones that are not in small
	nan      bool
	infinite [2]bool // infinity and -infinity
	result   func(sum *apd.Decimal, s *numericSum) (types.Value, error)
}

// plainNumericSum is nothing but a sum, of which there may be many.
type plainNumericSum struct{ numericSum }

func newNumericSum(result func(*apd.Decimal, *numericSum) (types.Value, error)) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &plainNumericSum{numericSum{result: result}} }
}

// Add implements Accumulator.
func (s *numericSum) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	if n, is := args[0].Small(); is {
		return s.addSmall(n)
	}
	return s.add(args[0].Numeric())
}

func (s *numericSum) addSmall(n numeric.Small) error {
	s.count++
	if s.small.Add(n) {
		return nil
	}
	if err := addNumeric(&s.sum, s.small.Take()); err != nil || s.small.Add(n) {
		return err
	}
	return addNumeric(&s.sum, n.Decimal())
}

func (s *numericSum) add(d *apd.Decimal) error {
	s.count++
	switch {
	case number.IsNaN(d):
		s.nan = true
		return nil
	case d.Form == apd.Infinite:
		s.infinite[sideOf(d)] = true
		return nil
	}
	return addNumeric(&s.sum, d)
}

// addNumeric adds a numeric to another. The arithmetic of apd, which takes no memory, ends with
// exponents that are less than those of numerics.
func addNumeric(z, d *apd.Decimal) error {
	const bits = 1 << 16
	if z.Coeff.BitLen() < bits && d.Coeff.BitLen() < bits {
		_, err := apd.BaseContext.Add(z, z, d)
		return err
	}
	z.Set(numeric.AddWide(z, d))
	return nil
}

func sideOf(d *apd.Decimal) int {
	if d.Negative {
		return 1
	}
	return 0
}

// Result implements Accumulator.
func (s *numericSum) Result(*expr.Context) (types.Value, error) {
	if s.count == 0 {
		return types.Null, nil
	}
	sum, err := s.total()
	if err != nil {
		return types.Null, err
	}
	return s.result(sum, s)
}

// total is the sum.
func (s *numericSum) total() (*apd.Decimal, error) {
	switch {
	case s.nan || s.infinite[0] && s.infinite[1]:
		return number.NotANumber(), nil
	case s.infinite[0] || s.infinite[1]:
		return number.Infinity(s.infinite[1]), nil
	}
	return inAll(&s.sum, s.small)
}

// inAll is a sum and what is not in it yet.
func inAll(sum *apd.Decimal, small numeric.Total) (*apd.Decimal, error) {
	all := new(apd.Decimal).Set(sum)
	err := addNumeric(all, small.Take())
	all.Negative = all.Negative && !all.IsZero()
	return all, err
}

func numericTotal(sum *apd.Decimal, _ *numericSum) (types.Value, error) {
	return number.NumericValue(numeric.Checked(sum))
}

func numericAverage(sum *apd.Decimal, s *numericSum) (types.Value, error) {
	return number.NumericValue(numeric.Div(sum, apd.New(s.count, 0)))
}

// floatMoments is count, sum and sum of squared differences from the mean, kept up to
// date row by row (Youngs and Cramer 1971).
type floatMoments struct {
	count, sum, squares float64
	result              func(*floatMoments) types.Value
}

func newFloatMoments(result func(*floatMoments) types.Value) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &floatMoments{result: result} }
}

// Add implements Accumulator.
func (m *floatMoments) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	f, before := args[0].Float(), *m
	m.count++
	m.sum += f
	switch {
	case before.count == 0:
		if math.IsInf(f, 0) || f != f {
			m.squares = math.NaN()
		}
		return nil
	}
	difference := f*m.count - m.sum
	m.squares += difference * difference / (m.count * before.count)
	if !math.IsInf(m.sum, 0) && !math.IsInf(m.squares, 0) {
		return nil
	}
	if !math.IsInf(before.sum, 0) && !math.IsInf(f, 0) {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
	}
	m.squares = math.NaN()
	return nil
}

// Result implements Accumulator.
func (m *floatMoments) Result(*expr.Context) (types.Value, error) {
	if m.count == 0 {
		return types.Null, nil
	}
	return m.result(m), nil
}

func floatAverage(m *floatMoments) types.Value { return types.NewFloat(m.sum / m.count) }
