package plan

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"zproxy/encoding/keys"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/types"
	"zproxy/types/datetime"
)

// cast is a value of a column, or of a function of it, as another type.
func cast(e expr.Expr, to types.T) expr.Expr {
	c, ok := types.FindCast(e.Type().OID, to.OID)
	if !ok {
		panic(fmt.Sprint(e, " to ", to))
	}
	to.Mod = -1
	return expr.Cast{Arg: e, To: to, Fn: c.Fn, Explicit: true}
}

// call is a function of a unit and a time.
func call(name, unit string, e expr.Expr) expr.Expr {
	for _, f := range builtin.Functions(name) {
		if len(f.Args) == 2 && f.Args[1] == e.Type().OID && f.Args[0] == types.OIDText {
			return expr.Call{Fn: f, Args: []expr.Expr{text(unit), e}, T: types.Of(f.Result)}
		}
	}
	panic(name)
}

var (
	cutUnits = []string{"microseconds", "ms", "second", "minute", "hour", "day", "week", "month", "quarter", "year",
		"decade", "century", "millennium"}
	zones = []string{
		"UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca",
		"America/New_York", "Antarctica/Troll", "Pacific/Kwajalein", "Africa/Monrovia", "Asia/Manila",
	}
)

// rising draws a function that rises with a column.
func rising(r *rand.Rand) expr.Expr {
	column := func(t types.T) expr.Expr { return expr.Column{T: t, Name: "c"} }
	unit := cutUnits[r.IntN(len(cutUnits))]
	at := []types.T{types.Timestamp, types.Timestamptz}[r.IntN(2)]
	zone := zones[r.IntN(len(zones))]
	switch r.IntN(14) {
	case 0:
		return cast(column(at), types.Date)
	case 1:
		return cast(column(types.Date), at)
	case 2:
		return cast(column(types.Timestamp), types.Timestamptz)
	case 3:
		return cast(column(types.Timestamptz), types.Timestamp)
	case 4:
		return call("date_trunc", unit, column(at))
	case 5:
		return call("date_trunc", unit, cast(column(types.Date), types.Timestamptz))
	case 6:
		return cast(call("date_trunc", unit, column(at)), types.Date)
	case 7:
		return call("date_trunc", unit, cast(column(types.Timestamp), types.Timestamptz))
	case 8:
		return call([]string{"extract", "date_part"}[r.IntN(2)], "year",
			column(append([]types.T{types.Date}, types.Timestamp, types.Timestamptz)[r.IntN(3)]))
	case 10:
		return call("timezone", zone, column(at))
	case 11:
		return call("date_trunc", unit, call("timezone", zone, column(types.Timestamptz)))
	case 12:
		e := call("date_trunc", unit, column(types.Timestamptz)).(expr.Call)
		cuts := builtin.Functions("date_trunc")
		three := slices.IndexFunc(cuts, func(f *expr.Function) bool { return len(f.Args) == 3 })
		e.Fn, e.Args = cuts[three], append(e.Args, text(zone))
		return e
	case 9:
		return call("extract", "year", cast(column(types.Timestamptz), types.Timestamp))
	default:
		return cast(column([]types.T{types.Int2, types.Int4, types.Int8}[r.IntN(3)]),
			[]types.T{types.Numeric, types.Float8}[r.IntN(2)])
	}
}

// moment draws a time, often near one at which the zone changes its offset, or a unit begins.
func moment(r *rand.Rand, zone *time.Location) int64 {
	at := time.Date(1850+r.IntN(250), time.Month(1+r.IntN(12)), 1+r.IntN(31), r.IntN(24), 0, 0, 0, zone)
	switch r.IntN(6) {
	case 0:
		at = time.Date([]int{-4000, -1, 0, 1, 2, 1000, 2000, 2001, 99999, 250000}[r.IntN(10)], 1, 1, 0, 0, 0, 0,
			time.UTC)
	case 1:
		at = time.Date(at.Year(), 1+3*time.Month(r.IntN(4)), 1, 0, 0, 0, 0, time.UTC)
	case 2, 3:
		if _, change := at.ZoneBounds(); !change.IsZero() {
			at = change
		}
	}
	micros := types.TimestampAt(at).Micros()
	for _, scale := range []int64{1, 1_000_000, 3_600_000_000, 24 * 3_600_000_000} {
		if r.IntN(3) == 0 {
			micros += (r.Int64N(7) - 3) * scale
		}
	}
	return micros
}

// valueOf draws a value of a column.
func valueOf(r *rand.Rand, t types.T, zone *time.Location) types.Value {
	end := r.IntN(30)
	switch t.Kind() {
	case types.KindTimestamp:
		return types.NewTimestamp([]int64{math.MaxInt64, math.MinInt64, moment(r, zone)}[min(end, 2)])
	case types.KindDate:
		return types.NewDate([]int32{math.MaxInt32, math.MinInt32, datetime.DateOf(moment(r, zone))}[min(end, 2)])
	default:
		limit := map[types.OID]int64{types.OIDInt2: math.MaxInt16, types.OIDInt4: math.MaxInt32,
			types.OIDInt8: math.MaxInt64}[t.OID]
		return types.NewInt([]int64{limit, -limit - 1, r.Int64N(9) - 4, limit - r.Int64N(3),
			1<<min(53, 14) + r.Int64N(3)}[min(end, 2+r.IntN(3))])
	}
}

// near is a value beside one of a function, of the same type.
func near(r *rand.Rand, v types.Value) types.Value {
	if r.IntN(2) == 0 {
		return v
	}
	switch v.Kind() {
	case types.KindTimestamp:
		if !infiniteTime(v) {
			return types.NewTimestamp(v.Micros() + []int64{1, -1, 3_600_000_000, -1_800_000_000}[r.IntN(4)])
		}
	case types.KindDate:
		if !infiniteDate(v) {
			return types.NewDate(v.Days() + int32(r.IntN(3)) - 1)
		}
	case types.KindFloat:
		return types.NewFloat([]float64{v.Float() + 0.5, v.Float() - 0.25, math.NaN(), math.Inf(1),
			math.Inf(-1)}[r.IntN(5)])
	case types.KindNumeric:
		d := new(apd.Decimal)
		tiny := apd.New(1-2*r.Int64N(2), -int32(r.IntN(30)))
		if _, err := apd.BaseContext.WithPrecision(100).Add(d, v.Numeric(), tiny); err != nil {
			panic(err)
		}
		return types.NewNumeric(d)
	}
	return v
}

// TestRisingFunctions compares what conditions on functions leave of a column with the values for which
// they hold.
func TestRisingFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	held, bounded, rounds := 0, 0, 20_000
	for range rounds {
		zone, err := datetime.LoadLocation(zones[r.IntN(len(zones))])
		if err != nil {
			t.Fatal(err)
		}
		ctx := &expr.Context{Env: &types.Env{Location: zone}}
		of := rising(r)
		column, ok := risen(of)
		if !ok {
			t.Fatalf("%s does not rise", of)
		}
		sample := valueOf(r, column.T, zone)
		like, err := of.Eval(ctx, types.Row{sample})
		if err != nil {
			continue // out of range
		}
		value := expr.Const{Value: near(r, like), T: of.Type()}
		op := []expr.CompareOp{expr.EQ, expr.LT, expr.LE, expr.GT, expr.GE}[r.IntN(5)]
		var cond expr.Expr = expr.Compare{Op: op, Left: of, Right: value}
		if r.IntN(8) == 0 {
			cond = expr.In{Arg: of, List: []expr.Expr{value, expr.Const{Value: near(r, like), T: of.Type()}}}
		}
		_, term, exact, ok := TermOf(cond)
		set, err := term.Set(ctx)
		if !ok || exact || err != nil {
			t.Fatalf("%s: %v %v %v", cond, ok, exact, err)
		}
		if !set.IsEverything() && (len(set.Intervals) != 1 || !set.Intervals[0].All()) {
			bounded++
		}
		for range 20 {
			v := valueOf(r, column.T, zone)
			if r.IntN(2) == 0 {
				v = near(r, sample)
			}
			holds, err := cond.Eval(ctx, types.Row{v})
			if err != nil || holds.IsNull() || !holds.Bool() {
				continue
			}
			if held++; !set.Contains(v) {
				t.Fatalf("%s: %s holds for %v in %s, which %v leaves out", zone, cond, v, column.T, set)
			}
		}
	}
	if bounded < rounds*9/10 || held < rounds {
		t.Errorf("of %d conditions %d bound the column; %d values held", rounds, bounded, held)
	}
}

// TestOrigins tells how narrow bounds are where no zone changes.
func TestOrigins(t *testing.T) {
	column := func(t types.T) expr.Expr { return expr.Column{T: t, Name: "c"} }
	at, day := column(types.Timestamp), column(types.Date)
	for _, test := range []struct {
		of         expr.Expr
		op         TermOp
		value      string
		want, zone string
	}{
		{of: cast(at, types.Date), op: TermEQ, value: "2016-09-01", want: "[2016-09-01 00:00:00 - 2016-09-02 00:00:00)"},
		{of: cast(at, types.Date), op: TermGT, value: "2016-09-01", want: "[2016-09-02 00:00:00 - )"},
		{of: cast(at, types.Date), op: TermLT, value: "2016-09-01", want: "( - 2016-09-01 00:00:00)"},
		{of: cast(at, types.Date), op: TermGE, value: "infinity", want: "[infinity - )"},
		{of: cast(day, types.Timestamp), op: TermEQ, value: "2016-09-01", want: "= 2016-09-01"},
		{of: cast(day, types.Timestamp), op: TermEQ, value: "2016-09-01 01:00", want: "none"},
		{of: cast(day, types.Timestamp), op: TermLT, value: "2016-09-01 01:00", want: "( - 2016-09-01]"},
		{of: call("date_trunc", "month", at), op: TermEQ, value: "2016-02-01", want: "[2016-02-01 00:00:00 - 2016-03-01 00:00:00)"},
		{of: call("date_trunc", "month", at), op: TermEQ, value: "2016-02-02", want: "none"},
		{of: call("date_trunc", "quarter", at), op: TermLT, value: "2016-04-01", want: "( - 2016-04-01 00:00:00)"},
		{of: call("extract", "year", day), op: TermEQ, value: "2016", want: "[2016-01-01 - 2016-12-31]"},
		{of: call("date_part", "year", at), op: TermGE, value: "2016", want: "[2016-01-01 00:00:00 - )"},
		{of: cast(column(types.Int4), types.Numeric), op: TermEQ, value: "5.0", want: "= 5"},
		{of: cast(column(types.Int4), types.Numeric), op: TermEQ, value: "5.5", want: "none"},
		{of: cast(column(types.Int4), types.Numeric), op: TermLT, value: "NaN", want: "( - )"},
		{of: cast(at, types.Timestamptz), op: TermGE, value: "2016-09-01 00:00Z", zone: "Europe/Berlin", want: "[2016-09-01 02:00:00 - )"},
		{of: cast(at, types.Timestamptz), op: TermGE, value: "2016-10-30 00:00Z", zone: "Europe/Berlin", want: "[2016-10-28 02:00:00 - )"},
		{of: cast(column(types.Timestamptz), types.Date), op: TermEQ, value: "2016-09-01", zone: "America/New_York", want: "[2016-09-01 04:00:00+00 - 2016-09-02 04:00:00+00)"},
	} {
		zone, err := datetime.LoadLocation(cmp.Or(test.zone, "UTC"))
		if err != nil {
			t.Fatal(err)
		}
		env := &types.Env{Location: zone}
		value, err := types.ParseText(test.value, test.of.Type(), env)
		if err != nil {
			t.Fatal(err)
		}
		_, term, _, ok := termOn(test.of,
			Term{Op: test.op, Args: []expr.Expr{expr.Const{Value: value, T: test.of.Type()}}})
		set, err := term.Set(&expr.Context{Env: env})
		if err != nil || !ok {
			t.Fatal(test, err)
		}
		c, _ := risen(test.of)
		if got := keys.FormatSet(set, c.T); got != test.want {
			t.Errorf("%s %s %s: %s, want %s", test.of, test.op, test.value, got, test.want)
		}
	}
}
