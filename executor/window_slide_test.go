package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// slidingTexts are values of the types of aggregates that have parts; some are equal and differ.
var slidingTexts = map[types.Kind][]string{
	types.KindBool:     {"t", "t", "t", "f"},
	types.KindInt:      {"0", "1", "7", "300", "-32000"},
	types.KindNumeric:  {"0", "1", "1.0", "1.00", "-2.375", "1e20", "100000000000000000000.0"},
	types.KindText:     {"", "a", "b", "ab"},
	types.KindBpchar:   {"a", "a ", "b", "b "},
	types.KindDate:     {"2001-02-03", "1999-12-31"},
	types.KindInterval: {"1 mon", "30 days", "720:00:00", "-1 day"},
}

// TestSliding computes aggregates over large frames that move, in memory and in files, and wants what comes of the rows
// of each frame one after the other.
func TestSliding(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 6))
	files := tight(t, 1)
	slid := 0
	for _, a := range builtin.AllAggregates() {
		if a.Whole == nil || len(a.Args) > 1 {
			continue
		}
		args, values := slidingValues(t, random, a)
		if len(a.Args) > 0 && values == nil {
			continue
		}
		for range 6 {
			f := newTrialFrame(random, 2*fewSlid, 6*fewSlid, 3*fewSlid)
			f.Exclude = plan.Exclusion(max(0, random.IntN(16)-12))
			for i, r := range f.rows {
				v := types.Null
				if values != nil && random.IntN(8) > 0 {
					v = values[random.IntN(len(values))]
				}
				f.rows[i] = append(slices.Clone(r), v)
			}
			if slides(f) {
				slid++
			}
			checkSliding(t, f, a, args, files)
		}
	}
	if slid < 40 {
		t.Errorf("only %d frames slid", slid)
	}
}

// slides says whether a frame moves and has many rows at some row.
func slides(f *trialFrame) bool {
	return f.Exclude == plan.ExcludeNothing && f.Start.Kind != plan.UnboundedPreceding &&
		slices.ContainsFunc(f.rows, func(r []types.Value) bool {
			at, n := int(r[1].Int()), 0
			for row := range f.rows {
				if f.has(row, at) {
					n++
				}
			}
			return n > fewSlid
		})
}

// slidingValues are the types of the arguments of an aggregate, and values of them; nil: there are none.
func slidingValues(t *testing.T, random *rand.Rand, a *expr.Aggregate) (of []types.T, values []types.Value) {
	for _, oid := range a.Args {
		if oid == types.OIDAny {
			oid = types.OIDText
		}
		of = append(of, types.Of(oid))
		for _, text := range slidingTexts[of[0].Kind()] {
			if v, err := types.ParseText(text, of[0], &types.Env{}); err == nil {
				values = append(values, v)
			}
		}
	}
	random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	return of, values
}

func checkSliding(t *testing.T, f *trialFrame, a *expr.Aggregate, args []types.T, files *Env) {
	t.Helper()
	var want []types.Value
	for at := range f.rows {
		sum := a.New(args)
		for row := range f.rows {
			if !f.has(row, at) {
				continue
			}
			if err := sum.Add(newEnv().Expr, f.rows[row][2:]); err != nil {
				t.Fatal(err)
			}
		}
		v, err := sum.Result(newEnv().Expr)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, v)
	}
	call := plan.WindowCall{Aggregate: a, Frame: f.Frame, Type: types.Of(a.Result)}
	if len(args) > 0 {
		call.Args = []expr.Expr{expr.Column{Index: 2, T: args[0]}}
	}
	n := plan.Window{Input: listOf(3, f.rows...), Order: []plan.SortKey{{Expr: column(0), Desc: f.desc}}, Cols: cols(4),
		Calls: []plan.WindowCall{call}}
	for _, env := range []*Env{newEnv(), files} {
		for i, r := range runAll(t, n, env) {
			if !types.Identical(r[3], want[i]) {
				t.Fatalf("%s(%v) over %+v at row %d of %v: %v, not %v", a.Name, args, f.Frame, i, f.rows, r[3], want[i])
			}
		}
	}
}
