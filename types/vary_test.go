package types

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/calendar"
	"zproxy/types/interval"
	"zproxy/types/json"
	"zproxy/types/numeric"
)

// Vary makes of a value one that is equal, and another one where its type has such: with
// more zeros or blanks, another sign of zero, other bits of NaN, other units of an interval.
func Vary(r *rand.Rand, v Value) Value {
	switch v.Kind() {
	case KindFloat:
		return NewFloat(varyFloat(v.Float()))
	case KindPoint:
		x, y := v.Point()
		return NewPoint(varyFloat(x), varyFloat(y))
	case KindNumeric:
		return NewNumeric(varyNumeric(r, v.Numeric()))
	case KindBpchar:
		return NewBpchar(TrimBlanks(v.Text()) + strings.Repeat(" ", r.IntN(3)))
	case KindInterval:
		i := v.Interval()
		if r.IntN(2) == 0 && i.Months < math.MaxInt32 && i.Days > math.MinInt32+30 {
			return NewInterval(interval.Interval{Months: i.Months + 1, Days: i.Days - 30, Micros: i.Micros})
		}
		if i.Days > math.MinInt32 && i.Micros < math.MaxInt64-calendar.MicrosPerDay {
			return NewInterval(interval.Interval{Months: i.Months, Days: i.Days - 1,
				Micros: i.Micros + calendar.MicrosPerDay})
		}
	case KindArray:
		a := *v.Array()
		a.Items = varyAll(r, a.Items)
		return NewArray(&a)
	case KindRecord:
		rec := *v.Record()
		rec.Values = varyAll(r, rec.Values)
		return NewRecord(&rec)
	case KindJSONB:
		return NewJSONB(varyJSON(r, v.JSONB()))
	}
	return v
}

func varyAll(r *rand.Rand, in []Value) []Value {
	out := make([]Value, len(in))
	for i, v := range in {
		out[i] = Vary(r, v)
	}
	return out
}

func varyFloat(f float64) float64 {
	switch {
	case f == 0:
		return math.Copysign(0, -math.Copysign(1, f))
	case f != f:
		return math.Float64frombits(math.Float64bits(f) ^ 1<<7)
	}
	return f
}

func varyNumeric(r *rand.Rand, d *apd.Decimal) *apd.Decimal {
	if d.Form != apd.Finite {
		return d
	}
	return numeric.Round(d, int(-d.Exponent)+r.IntN(3))
}

func varyJSON(r *rand.Rand, j *json.Value) *json.Value {
	out := *j
	if j.Kind == json.Number {
		out.Number = varyNumeric(r, j.Number)
	}
	out.Items = nil
	for i := range j.Items {
		out.Items = append(out.Items, *varyJSON(r, &j.Items[i]))
	}
	return &out
}
