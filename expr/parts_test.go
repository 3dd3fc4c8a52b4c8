package expr_test

import (
	"math/rand/v2"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestParts computes aggregates of groups first, and wants of what comes of them what the aggregate is of all rows;
// and of idempotent ones that rows which come again change nothing.
func TestParts(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	whole, idempotent := 0, 0
	for _, a := range builtin.AllAggregates() {
		if a.Whole == nil && !a.Idempotent {
			continue
		}
		for range 50 {
			args := make([]types.T, len(a.Args))
			for i, oid := range a.Args {
				switch args[i] = types.Of(oid); oid {
				case types.OIDAny, types.OIDAnyEnum:
					args[i] = types.Text
				case types.OIDAnyArray:
					args[i] = types.Of(types.OIDTextArray)
				case types.OIDAnyRange:
					args[i] = types.Of(int4range)
				case types.OIDAnyMultirange:
					args[i] = types.Of(int4multirange)
				}
			}
			var groups [][]types.Row
			var all []types.Row
			for range random.IntN(5) {
				var group []types.Row
				for range random.IntN(4) {
					row := make(types.Row, len(args))
					for i := range row {
						if random.IntN(5) > 0 {
							row[i] = oneOf(t, random, args[i])
						}
					}
					group = append(group, row)
				}
				groups, all = append(groups, group), append(all, group...)
			}
			if a.Whole != nil {
				whole++
				checkParts(t, a, args, groups, all)
			}
			if a.Idempotent {
				idempotent++
				once, onceErr := aggregated(a, args, all)
				twice, twiceErr := aggregated(a, args, append(all, all...))
				same := types.Equal(once, twice) || once.IsNull() && twice.IsNull()
				if !same || (onceErr == nil) != (twiceErr == nil) {
					t.Errorf("%s(%v) of %v is %v, and of them twice %v", a.Name, args, all, once, twice)
				}
			}
		}
	}
	if whole == 0 || idempotent == 0 {
		t.Error("nothing was computed in parts, or nothing was idempotent")
	}
}

// oneOf is one of a few values of a type, some of them with equal ones that differ.
func oneOf(t *testing.T, random *rand.Rand, of types.T) types.Value {
	texts := map[types.Kind][]string{
		types.KindBool:  {"t", "f"},
		types.KindInt:   {"0", "1", "7", "300", "32000"},
		types.KindFloat: {"0", "-0", "1.5", "NaN", "-Infinity", "1e30"},
		types.KindNumeric: {"0", "1", "1.0", "1.00", "-2.375", "1e40", "12345678901234567890.123", "NaN", "Infinity",
			"-Infinity"},
		types.KindText:      {"", "a", "b", "ab"},
		types.KindBpchar:    {"a", "a ", "b"},
		types.KindDate:      {"2001-02-03", "infinity", "1999-12-31"},
		types.KindTimestamp: {"2001-02-03 04:05:06", "infinity", "1999-12-31"},
		types.KindTime:      {"04:05:06", "23:59:59"},
		types.KindTimetz:    {"04:05:06+00", "05:05:06+01", "23:59:59-08"},
		types.KindArray:     {"{}", "{a}", "{a,b}", "{NULL}"},
		types.KindInterval:  {"1 mon", "30 days", "720:00:00", "-1 day"},
	}[of.Kind()]
	switch of.OID {
	case types.OIDBit:
		texts = []string{"101", "000", "011"}
	case types.OIDInet:
		texts = []string{"1.2.3.4", "1.2.3.4/8", "::1"}
	case int4range:
		texts = []string{"[1,5)", "[3,9)", "empty", "(,7)", "[4,5)"}
	case int4multirange:
		texts = []string{"{}", "{[1,5),[7,9)}", "{(,)}", "{[3,8)}"}
	}
	if texts == nil {
		t.Fatalf("there are no values of %s", of)
	}
	v, err := types.ParseText(texts[random.IntN(len(texts))], of, &types.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func checkParts(t *testing.T, a *expr.Aggregate, args []types.T, groups [][]types.Row, all []types.Row) {
	want, wantErr := aggregated(a, args, all)
	var results []types.Row
	var of []types.T
	for _, p := range a.Parts {
		if of = append(of, types.Of(p.Result)); len(p.Parts) != 1 || p.Parts[0] != p || p.Whole == nil {
			t.Fatalf("%s, a part of %s, is not its own only part", p.Name, a.Name)
		}
		if p != a {
			checkParts(t, p, args, groups, all)
		}
	}
	for _, group := range groups {
		row := make(types.Row, len(a.Parts))
		for i, p := range a.Parts {
			var err error
			if row[i], err = aggregated(p, args, group); err != nil && wantErr == nil {
				t.Fatalf("%s(%v) of %v: %v", p.Name, args, group, err)
			}
		}
		results = append(results, row)
	}
	got, err := aggregated(a.Whole, of, results)
	switch {
	case wantErr != nil: // a part may have it
	case err != nil:
		t.Errorf("%s(%v) of %v: %v", a.Name, args, groups, err)
	case !types.Identical(got, want) && (!a.Idempotent || !types.Equal(got, want)):
		t.Errorf("%s(%v) of %v is %v, and of its parts %v", a.Name, args, groups, want, got)
	}
}

func aggregated(a *expr.Aggregate, args []types.T, rows []types.Row) (types.Value, error) {
	c := &expr.Context{Env: &types.Env{}}
	sum := a.New(args)
	for _, row := range rows {
		if err := sum.Add(c, row); err != nil {
			return types.Null, err
		}
	}
	return sum.Result(c)
}
