package vector_test

import (
	"fmt"
	"testing"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/vector"
	"zproxy/types"
	"zproxy/types/numeric"
)

// timed are the types of the columns of a batch that is timed.
var timed = []types.T{types.Int4, types.Int8, types.Numeric, types.Timestamp, types.Date, types.Text, types.Bool,
	types.Timestamptz, types.Bpchar}

func timedColumn(at int) expr.Expr {
	return expr.Column{Index: at, Name: fmt.Sprint("c", at), T: timed[at]}
}

func timedBatch(b *testing.B) *types.Batch {
	batch := types.NewBatch(len(timed))
	for i := range types.BatchRows {
		row := batch.Add()
		for at, s := range []string{fmt.Sprint(i), fmt.Sprint(i * 1000), fmt.Sprintf("%d.25", i),
			fmt.Sprintf("2024-02-%02d 12:%02d:00", 1+i%28, i%60), fmt.Sprintf("199%d-02-%02d", i%10, 1+i%28),
			fmt.Sprintf("https://www.river-shelf%d.example/places/planets/silver-%d.html", i, i%7), []string{"t", "f"}[i%2],
			fmt.Sprintf("2024-03-%02d 12:%02d:00+00", 1+i/10, i%60), fmt.Sprintf("%d-555      ", i%40)} {
			v, err := types.ParseText(s, timed[at], &types.Env{})
			if err != nil {
				b.Fatal(err)
			}
			if row[at] = v; i%16 == 3 && at < 3 {
				row[at] = types.Null
			}
		}
	}
	batch.ToColumns()
	return batch
}

func callOf(name string, result types.T, args ...expr.Expr) expr.Expr {
	for _, f := range builtin.Tables() {
		fits := (f.Operator == name || f.Name == name) && f.Result == result.OID && len(f.Args) == len(args)
		for i := range f.Args {
			fits = fits && f.Args[i] == args[i].Type().OID
		}
		if fits {
			return expr.Call{Fn: f, Args: args, T: result}
		}
	}
	panic(name)
}

func text(s string) expr.Expr { return expr.Const{Value: types.NewText(s), T: types.Text} }
func num(n int64) expr.Expr   { return expr.Const{Value: types.NewInt(n), T: types.Int4} }

func castOf(e expr.Expr, to types.T) expr.Expr {
	by, _ := types.FindCast(e.Type().OID, to.OID)
	return expr.Cast{Arg: e, To: to, Fn: by.Fn}
}

// BenchmarkConditions keeps rows of a batch, in ns a row.
func BenchmarkConditions(b *testing.B) {
	number, long, flag := timedColumn(0), timedColumn(1), timedColumn(6)
	rare := callOf("~~", types.Bool, timedColumn(5), text("%silver-3%"))
	for _, c := range []struct {
		name string
		of   expr.Expr
	}{
		{"like part", rare},
		{"like prefix", callOf("~~", types.Bool, timedColumn(5), text("https://www.river-shelf1%"))},
		{"like suffix", callOf("~~", types.Bool, timedColumn(5), text("%-3.html"))},
		{"like escaped", callOf("~~", types.Bool, timedColumn(5), text(`%silver\-3%`))},
		{"ilike", callOf("~~*", types.Bool, timedColumn(5), text("%Silver-3%"))},
		{"not like", expr.Not{Arg: rare}},
		{"text equal", expr.Compare{Op: expr.EQ, Left: timedColumn(5), Right: text("x")}},
		{"text unequal", expr.Compare{Op: expr.NE, Left: timedColumn(5), Right: text("")}},
		{"text less", expr.Compare{Op: expr.LT, Left: timedColumn(5), Right: text("i")}},
		{"is null", expr.IsNull{Arg: number}},
		{"is true", expr.IsBool{Arg: flag, Want: true}},
		{"flag", flag},
		{"distinct", expr.Distinct{Left: long, Right: timedColumn(1)}},
		{"year", expr.Compare{Op: expr.EQ, Right: expr.Const{Value: types.NewInt(1995), T: types.Int8},
			Left: castOf(callOf("extract", types.Numeric, text("year"), timedColumn(4)), types.Int8)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			batch, set := timedBatch(b), vector.NewSet(&expr.Context{Env: &types.Env{}})
			p := set.Compile(c.of)
			var sel []int32
			for b.Loop() {
				set.Begin(batch)
				sel = sel[:0]
				for i := range batch.Len() {
					sel = append(sel, int32(i))
				}
				if _, err := p.Keep(sel); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Len()), "ns/row")
		})
	}
}

// BenchmarkValues computes expressions for a batch, in ns a row.
func BenchmarkValues(b *testing.B) {
	number, exact, at := timedColumn(0), timedColumn(2), timedColumn(3)
	for _, c := range []struct {
		name string
		of   expr.Expr
	}{
		{"extract minute", callOf("extract", types.Numeric, text("minute"), at)},
		{"extract year of date", callOf("extract", types.Numeric, text("year"), timedColumn(4))},
		{"date_trunc minute", callOf("date_trunc", types.Timestamp, text("minute"), at)},
		{"date_trunc month", callOf("date_trunc", types.Timestamp, text("month"), at)},
		{"extract hour in a zone", callOf("extract", types.Numeric, text("hour"), timedColumn(7))},
		{"date_trunc day in a zone", callOf("date_trunc", types.Timestamptz, text("day"), timedColumn(7))},
		{"substring of char(n)", callOf("substring", types.Text, castOf(timedColumn(8), types.Text), num(1), num(2))},
		{"round", callOf("round", types.Numeric, exact, num(1))},
		{"length", callOf("length", types.Int4, timedColumn(5))},
		{"substring", callOf("substring", types.Text, timedColumn(5), num(1), num(2))},
		{"upper", callOf("upper", types.Text, timedColumn(5))},
		{"concatenation", callOf("||", types.Text, timedColumn(5), text("!"))},
		{"coalesce", expr.Coalesce{Args: []expr.Expr{number, num(0)}, T: types.Int4}},
		{"coalesce texts", expr.Coalesce{Args: []expr.Expr{timedColumn(5), text("")}, T: types.Text}},
		{"int4 to numeric", castOf(number, types.Numeric)},
		{"numeric to float8", castOf(exact, types.Float8)},
		{"minus", callOf("-", types.Numeric, exact)},
		{"abs", callOf("abs", types.Int4, number)},
		{"quotient", callOf("/", types.Int4, number, num(7))},
	} {
		b.Run(c.name, func(b *testing.B) {
			zone, err := time.LoadLocation("America/New_York")
			if err != nil {
				b.Fatal(err)
			}
			batch, set := timedBatch(b), vector.NewSet(&expr.Context{Env: &types.Env{Location: zone}})
			p := set.Compile(c.of)
			sel := allOf(batch)
			for b.Loop() {
				set.Begin(batch)
				if _, err := p.Values(sel); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Len()), "ns/row")
		})
	}
}

// BenchmarkShared computes what TPC-H's first query sums up, by one set and by a set for each sum.
func BenchmarkShared(b *testing.B) {
	price, discount, tax := timedColumn(2), timedColumn(2), timedColumn(2)
	one := expr.Const{Value: types.NewSmall(numeric.Small{Coefficient: 1}), T: types.Numeric}
	reduced := callOf("*", types.Numeric, price, callOf("-", types.Numeric, one, discount))
	charge := callOf("*", types.Numeric, reduced, callOf("+", types.Numeric, one, tax))
	sums := []expr.Expr{price, reduced, charge, discount}
	for _, together := range []bool{false, true} {
		b.Run(fmt.Sprintf("together=%v", together), func(b *testing.B) {
			batch := timedBatch(b)
			var sets []*vector.Set
			var programs []*vector.Program
			for i, e := range sums {
				if i == 0 || !together {
					sets = append(sets, vector.NewSet(&expr.Context{Env: &types.Env{}}))
				}
				programs = append(programs, sets[len(sets)-1].Compile(e))
			}
			sel := allOf(batch)
			for b.Loop() {
				for _, set := range sets {
					set.Begin(batch)
				}
				for _, p := range programs {
					if _, err := p.Values(sel); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Len()), "ns/row")
		})
	}
}

func allOf(batch *types.Batch) (sel []int32) {
	for i := range batch.Len() {
		sel = append(sel, int32(i))
	}
	return sel
}

// BenchmarkCompile compiles thirty sums.
func BenchmarkCompile(b *testing.B) {
	var sums []expr.Expr
	for i := range 30 {
		sums = append(sums, callOf("+", types.Int4, timedColumn(0), num(int64(i))))
	}
	for b.Loop() {
		set := vector.NewSet(&expr.Context{Env: &types.Env{}})
		for _, e := range sums {
			set.Compile(e)
		}
	}
}
