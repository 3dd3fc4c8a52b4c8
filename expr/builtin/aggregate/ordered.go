package aggregate

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/interval"
)

// orderedAggregates are the ordered-set aggregates. Their rows come in the order of
// WITHIN GROUP, which is the last argument; NULLs of it do not count.
var orderedAggregates = []*expr.Aggregate{
	{Name: "mode", Args: pg.Sig{types.OIDAnyElement}, Result: types.OIDAnyElement, Ordered: true, Sorted: 1, Doc: "Most frequent value, the first of several.", New: newMode},
	{Name: "percentile_disc", Args: pg.Sig{pg.Float8, types.OIDAnyElement}, Result: types.OIDAnyElement, Ordered: true, Sorted: 1, Doc: "First value whose place is not before a fraction of all.", Keeps: true, New: newPercentile(discrete)},
	{Name: "percentile_cont", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Ordered: true, Sorted: 1, Doc: "Value at a fraction of all, between two if need be.", Keeps: true, New: newPercentile(continuousFloat)},
	{Name: "percentile_cont", Args: pg.Sig{pg.Float8, types.OIDInterval}, Result: types.OIDInterval, Ordered: true, Sorted: 1, Doc: "Value at a fraction of all, between two if need be.", Keeps: true, New: newPercentile(continuousInterval)},
	{Name: "percentile_disc", Args: pg.Sig{pg.Float8Array, types.OIDAnyElement}, Result: types.OIDAnyArray, Ordered: true, Sorted: 1, Doc: "First values whose places are not before fractions of all.", Keeps: true, New: newPercentiles(discrete)},
	{Name: "percentile_cont", Args: pg.Sig{pg.Float8Array, pg.Float8}, Result: pg.Float8Array, Ordered: true, Sorted: 1, Doc: "Values at fractions of all, between two if need be.", Keeps: true, New: newPercentiles(continuousFloat)},
	{Name: "percentile_cont", Args: pg.Sig{pg.Float8Array, types.OIDInterval}, Result: pg.IntervalArray, Ordered: true, Sorted: 1, Doc: "Values at fractions of all, between two if need be.", Keeps: true, New: newPercentiles(continuousInterval)},
}

// mode counts runs of equal values.
type mode struct {
	best, present types.Value
	most, run     int64
}

func newMode([]types.T) expr.Accumulator { return new(mode) }

// Add implements Accumulator.
func (m *mode) Add(_ *expr.Context, args []types.Value) error {
	v := args[len(args)-1]
	if v.IsNull() {
		return nil
	}
	if m.run == 0 || !types.Equal(v, m.present) {
		m.present, m.run = v, 0
	}
	if m.run++; m.run > m.most {
		m.best, m.most = m.present, m.run
	}
	return nil
}

// Result implements Accumulator.
func (m *mode) Result(*expr.Context) (types.Value, error) { return m.best, nil }

// percentile keeps the values, and the fraction or the array of fractions.
type percentile struct {
	fraction types.Value
	values   []types.Value
	at       func(sorted []types.Value, fraction float64) (types.Value, error)
	many     bool
	element  types.OID
}

func newPercentile(at func([]types.Value, float64) (types.Value, error)) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &percentile{at: at} }
}

func newPercentiles(at func([]types.Value, float64) (types.Value, error)) func([]types.T) expr.Accumulator {
	return func(args []types.T) expr.Accumulator {
		return &percentile{at: at, many: true, element: args[len(args)-1].OID}
	}
}

// Add implements Accumulator.
func (p *percentile) Add(_ *expr.Context, args []types.Value) error {
	p.fraction = args[0]
	if v := args[1]; !v.IsNull() {
		p.values = append(p.values, v)
	}
	return nil
}

// Result implements Accumulator.
func (p *percentile) Result(*expr.Context) (types.Value, error) {
	if p.fraction.IsNull() {
		return types.Null, nil
	}
	if !p.many {
		return p.one(p.fraction)
	}
	if len(p.values) == 0 {
		return types.Null, nil
	}
	fractions := p.fraction.Array()
	items := make([]types.Value, len(fractions.Items))
	for i, fraction := range fractions.Items {
		if fraction.IsNull() {
			continue
		}
		var err error
		if items[i], err = p.one(fraction); err != nil {
			return types.Null, err
		}
	}
	return types.NewArray(&types.ArrayValue{Element: p.element, Dims: slices.Clone(fractions.Dims), Items: items}), nil
}

func (p *percentile) one(fraction types.Value) (types.Value, error) {
	f := fraction.Float()
	if !(f >= 0 && f <= 1) {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "percentile value %g is not between 0 and 1", f)
	}
	if len(p.values) == 0 {
		return types.Null, nil
	}
	return p.at(p.values, f)
}

func discrete(sorted []types.Value, fraction float64) (types.Value, error) {
	rank := int(math.Ceil(fraction * float64(len(sorted))))
	return sorted[max(rank-1, 0)], nil
}

// neighbours are the values on both sides of a rank, and how far it is from the first.
func neighbours(sorted []types.Value, fraction float64) (low, high types.Value, share float64) {
	rank := fraction * float64(len(sorted)-1)
	return sorted[int(math.Floor(rank))], sorted[int(math.Ceil(rank))], rank - math.Floor(rank)
}

func continuousFloat(sorted []types.Value, fraction float64) (types.Value, error) {
	low, high, share := neighbours(sorted, fraction)
	return types.NewFloat(low.Float() + share*(high.Float()-low.Float())), nil
}

// continuousInterval carries the fraction of months to days of a month of thirty, and
// that of days to time.
func continuousInterval(sorted []types.Value, fraction float64) (types.Value, error) {
	low, high, share := neighbours(sorted, fraction)
	const daysPerMonth, microsPerDay = 30, 86_400_000_000
	m1, d1, u1 := low.Interval().Fields()
	m2, d2, u2 := high.Interval().Fields()
	months := float64(m2-m1) * share
	days := float64(d2-d1)*share + (months-math.Trunc(months))*daysPerMonth
	micros := math.RoundToEven(float64(u2-u1)*share + (days-math.Trunc(days))*microsPerDay)
	return types.NewInterval(interval.Interval{
		Months: m1 + int32(months), Days: d1 + int32(days), Micros: u1 + int64(micros),
	}), nil
}
