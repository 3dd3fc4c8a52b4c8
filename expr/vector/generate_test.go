package vector_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/vector"
	"zproxy/internal/testseed"
	"zproxy/types"
)

func newGenerator(t *testing.T) generator {
	return generator{rand.New(rand.NewPCG(testseed.Of(t), 0)), t, map[string]types.Value{},
		map[types.OID][]expr.Expr{}}
}

// generator draws expressions over the columns of a batch, and batches.
type generator struct {
	*rand.Rand
	t      *testing.T
	parsed map[string]types.Value    // by type and text
	drawn  map[types.OID][]expr.Expr // that may be drawn again
}

// columns are the types of the columns that there are.
var columns = []types.T{types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric, types.Numeric,
	types.Bool, types.Date, types.Timestamp, types.Timestamptz, types.Text, types.Text, types.Varchar, types.Bpchar, types.Int4}

// literals are values of types, of which those at an end make functions fail.
var literals = map[types.OID][]string{
	types.OIDInt2:   {"0", "1", "-7", "32767", "-32768"},
	types.OIDInt4:   {"0", "1", "2", "-7", "100", "2147483647", "-2147483648"},
	types.OIDInt8:   {"0", "3", "-9", "9223372036854775807", "-9223372036854775808", "4294967296"},
	types.OIDFloat4: {"0", "1.5", "-2.25", "-0", "3e38", "NaN"},
	types.OIDFloat8: {"0", "1.5", "2.5", "-2.25", "1e308", "-1e308", "1e-300", "NaN", "Infinity", "3e9"},
	types.OIDNumeric: {"0", "1.5", "-2.125", "0.5", "2.49", "-0.50", "123456789012345678901234567890", "NaN", "Infinity",
		"0.000000000000000001", "92233720368547758.07", "9.223372036854775807"},
	types.OIDBool: {"t", "f"},
	types.OIDDate: {"2024-02-29", "1999-12-31", "infinity", "-infinity", "0044-03-15 BC", "2000-01-01", "300000-01-01",
		"4714-11-24 BC", "5874897-12-31", "2023-01-01"},
	types.OIDTimestamp: {"2024-02-29 23:59:59.999999", "1999-12-31 00:00:00", "infinity", "-infinity",
		"0044-03-15 01:02:03 BC", "2000-01-03 12:34:56.5", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59", "1969-12-31 23:59:59.000001"},
	types.OIDTimestamptz: {"2024-03-10 06:59:59.5+00", "2024-03-10 07:00:00+00", "2024-11-03 05:30:00+00",
		"2024-11-03 06:30:00+00", "2024-03-31 00:59:00+00", "2024-03-31 01:00:00+00", "1850-01-01 00:00:00+00",
		"infinity", "-infinity", "4714-11-24 01:00:00+00 BC", "294276-12-31 23:00:00+00", "2050-07-01 22:30:00+00"},
	types.OIDText: {"", "a", "b", "aé%", "éa", "abab", `a\`, "100%", "日本語", "A_b", "abcdefgé",
		"a longer text", "a b  ", "%", "ÉA"},
	types.OIDVarchar: {"", "ab", "é"},
	types.OIDBpchar:  {"", "a ", "a", "b  ", "éa  "},
}

// plain are numerics of one scale, as a column of numeric(12,2) has them.
var plain = []string{"0.00", "1.25", "-3.10", "99999999.99", "922337203685477.58", "0.50", "-0.50"}

var units = []string{"year", "years", "MONTH", "day", "hour", "minute", "second", "dow", "isodow", "doy", "quarter",
	"week", "epoch", "decade", "nonsense", "microseconds", "milliseconds"}

var patterns = []string{"", "%", "a%", "%a", "%a%", "%é%",
	"a", "_", "_%", "%_a%", `a\%%`, `%\%`, `\`, `a\`, `%\\`, "é%a",
	"a%b%", "%ab%ab%", `\é%`, "%%", "A%", "É%", `%a\`}

func (g generator) oneOf(list []string) string { return list[g.IntN(len(list))] }

func (g generator) parse(s string, t types.T) types.Value {
	key := t.String() + " " + s
	v, ok := g.parsed[key]
	if !ok {
		var err error
		if v, err = types.ParseText(s, t, &types.Env{}); err != nil {
			g.t.Fatal(err)
		}
		g.parsed[key] = v
	}
	return v
}

// zone draws a time zone.
func (g generator) zone() *time.Location {
	zone, err := time.LoadLocation(g.oneOf([]string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu"}))
	if err != nil {
		g.t.Fatal(err)
	}
	return zone
}

// value is a value of a type, or NULL.
func (g generator) value(t types.T, nulls bool) types.Value {
	if nulls && g.IntN(8) == 0 {
		return types.Null
	}
	return g.parse(g.oneOf(literals[t.OID]), t)
}

func (g generator) batch() *types.Batch {
	b := types.NewBatch(len(columns))
	nulls, only := make([]bool, len(columns)), make([][]string, len(columns))
	for i, t := range columns {
		nulls[i], only[i] = g.IntN(2) == 0, literals[t.OID]
		if g.IntN(2) == 0 { // few values, so that one at an end is not in each batch
			only[i] = []string{g.oneOf(only[i]), g.oneOf(only[i])}
		}
	}
	only[5] = plain
	for range 1 + g.IntN(60) {
		row := b.Add()
		for i, t := range columns {
			if !nulls[i] || g.IntN(8) > 0 {
				row[i] = g.parse(g.oneOf(only[i]), t)
			}
		}
	}
	return b
}

// leaf draws a constant or a column of a type.
func (g generator) leaf(t types.T) expr.Expr {
	if g.IntN(3) == 0 {
		return expr.Const{Value: g.value(t, true), T: t}
	}
	var of []expr.Expr
	for i, c := range columns {
		if c.OID == t.OID {
			of = append(of, expr.Column{Index: i, Name: fmt.Sprint("c", i), T: t})
		}
	}
	return of[g.IntN(len(of))]
}

// of draws an expression of a type, perhaps one that was drawn before.
func (g generator) of(t types.T, depth int) expr.Expr {
	before := g.drawn[t.OID]
	if len(before) > 0 && g.IntN(4) == 0 {
		return before[g.IntN(len(before))]
	}
	e := g.another(t, depth)
	if len(e.Inputs()) > 0 {
		g.drawn[t.OID] = append(before, e)
	}
	return e
}

func (g generator) another(t types.T, depth int) expr.Expr {
	if depth <= 0 || g.IntN(5) == 0 {
		return g.leaf(t)
	}
	switch g.IntN(10) {
	case 0:
		e := expr.Case{T: t, Whens: []expr.When{{Cond: g.of(types.Bool, depth-1), Result: g.of(t, depth-1)}}}
		if g.IntN(3) > 0 {
			e.Else = g.of(t, depth-1)
		}
		return e
	case 1:
		return expr.Coalesce{T: t, Args: []expr.Expr{g.of(t, depth-1), g.of(t, depth-1), g.of(t, 0)}[:1+g.IntN(3)]}
	case 2:
		return expr.NullIf{Left: g.of(t, depth-1), Right: g.of(t, depth-1)}
	case 3, 4:
		if e := g.cast(t, depth); e != nil {
			return e
		}
	}
	if t.OID == types.OIDBool && g.IntN(8) > 0 {
		return g.condition(depth)
	}
	if e := g.call(t, depth); e != nil {
		return e
	}
	return g.leaf(t)
}

// functions are those with a kernel, and some that have none, by their results.
var functions = func() map[types.OID][]*expr.Function {
	out := map[types.OID][]*expr.Function{}
	known := func(oid types.OID) bool { return literals[oid] != nil }
	for _, f := range builtin.Tables() {
		some := slices.Contains([]string{"upper", "textcat", "numeric_div", "left", "round", "text_concat", "power",
			"concat", "num_nulls"}, f.Name)
		if (some || vector.HasKernel(f) || f.Bind != nil) && known(f.Result) && !slices.ContainsFunc(f.Args,
			func(oid types.OID) bool { return !known(oid) }) {
			out[f.Result] = append(out[f.Result], f)
		}
	}
	return out
}()

// call draws a call of a function with a result of a type, nil if there is none.
func (g generator) call(t types.T, depth int) expr.Expr {
	list := functions[t.OID]
	if len(list) == 0 {
		return nil
	}
	f := list[g.IntN(len(list))]
	e := expr.Call{Fn: f, T: t}
	for _, oid := range f.Args {
		e.Args = append(e.Args, g.of(types.Of(oid), depth-1))
	}
	switch {
	case vector.TakesUnit(f) && g.IntN(8) > 0:
		e.Args[0] = expr.Const{Value: types.NewText(g.oneOf(units)), T: types.Text}
	case t.OID == types.OIDBool && len(f.Args) == 2 && g.IntN(8) > 0:
		e.Args[1] = expr.Const{Value: types.NewText(g.oneOf(patterns)), T: types.Text}
	}
	return e
}

// cast draws a cast to a type, nil if there is none.
func (g generator) cast(t types.T, depth int) expr.Expr {
	var from []types.OID
	for _, pair := range vector.Casts() {
		if pair[1] == t.OID {
			from = append(from, pair[0])
		}
	}
	slices.Sort(from)
	switch {
	case t.OID == types.OIDNumeric && g.IntN(4) == 0:
		t.Mod = 12<<16 + 2 + 4 // numeric(12,2)
		return expr.Cast{Arg: g.of(types.Numeric, depth-1), To: t, Explicit: true}
	case t.OID == types.OIDText:
		from = []types.OID{types.OIDVarchar, types.OIDBpchar, types.OIDInt4}
	case len(from) == 0:
		return nil
	}
	source := types.Of(from[g.IntN(len(from))])
	by, _ := types.FindCast(source.OID, t.OID)
	return expr.Cast{Arg: g.of(source, depth-1), To: t, Fn: by.Fn, Explicit: true}
}

func (g generator) condition(depth int) expr.Expr {
	t := columns[g.IntN(len(columns))]
	switch g.IntN(9) {
	case 0, 1, 2:
		args := []expr.Expr{g.of(types.Bool, depth-1), g.of(types.Bool, depth-1), g.of(types.Bool, depth-1)}
		return expr.Logic{Or: g.IntN(2) == 0, Args: args[:2+g.IntN(2)]}
	case 3:
		in := expr.In{Arg: g.of(t, g.IntN(2)), Not: g.IntN(2) == 0}
		for range 1 + g.IntN(4) {
			in.List = append(in.List, g.of(t, g.IntN(2)))
		}
		return in
	case 4:
		return expr.IsNull{Arg: g.of(t, depth-1), Not: g.IntN(2) == 0}
	case 5:
		return expr.IsBool{Arg: g.of(types.Bool, depth-1), Want: g.IntN(2) == 0, Not: g.IntN(2) == 0}
	case 6:
		return expr.Not{Arg: g.of(types.Bool, depth-1)}
	case 7:
		return expr.Distinct{Left: g.of(t, depth-1), Right: g.of(t, depth-1), Not: g.IntN(2) == 0}
	}
	return expr.Compare{Op: expr.CompareOp(g.IntN(6)), Left: g.of(t, depth-1), Right: g.of(t, depth-1)}
}
