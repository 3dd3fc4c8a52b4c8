package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// column is a column of a test with the way its values are made.
type column struct {
	typ  types.T
	make func(r *rand.Rand, i int) types.Value
}

func words(r *rand.Rand, letters string, least, most int) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteByte(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func columnsOfAllKinds(r *rand.Rand) []column {
	zipf := rand.NewZipf(r, 1.3, 1, 10_000)
	return []column{
		{types.Int4, func(_ *rand.Rand, i int) types.Value { return types.NewInt(int64(i)) }},
		{types.Int4, func(r *rand.Rand, _ int) types.Value { return types.NewInt(int64(r.IntN(10))) }},
		{types.Int8, func(*rand.Rand, int) types.Value { return types.NewInt(int64(zipf.Uint64())) }},
		{types.Float8, func(r *rand.Rand, _ int) types.Value { return types.NewFloat(r.NormFloat64()) }},
		{types.Text, func(r *rand.Rand, _ int) types.Value { return types.NewText("item-" + words(r, "0123456789", 6, 6)) }},
		{types.Text, func(r *rand.Rand, _ int) types.Value {
			return types.NewText(words(r, "abcdefghijklmnopqrstuvwxyz", 0, 12))
		}},
		{types.T{OID: types.OIDTimestamp, Mod: -1}, func(r *rand.Rand, _ int) types.Value {
			return types.NewTimestamp(int64(r.ExpFloat64() * 1e12))
		}},
		{types.T{OID: types.OIDUUID, Mod: -1}, func(r *rand.Rand, _ int) types.Value {
			var u [16]byte
			for i := range u {
				u[i] = byte(r.Uint32())
			}
			return types.NewUUID(u)
		}},
		{types.Bool, func(r *rand.Rand, _ int) types.Value { return types.NewBool(r.IntN(5) == 0) }},
	}
}

// filled is a table with statistics of its rows.
func filled(t *testing.T, columns []column, r *rand.Rand, rows int) (*catalog.Table, [][]types.Value) {
	t.Helper()
	table := &catalog.Table{ID: 7, Schema: "public", Name: "t", Space: catalog.NewSpace(70, "t")}
	for i, c := range columns {
		table.Columns = append(table.Columns,
			catalog.Column{ID: uint32(i + 1), Name: fmt.Sprint("c", i), Type: c.typ, NotNull: i == 0})
	}
	table.Primary = catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Unique: true}
	st := memstore.New(memstore.Options{})
	if err := st.Create(t.Context(), table.TableSpace()); err != nil {
		t.Fatal(err)
	}
	txn, err := st.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	values, all := plan.Values{Cols: plan.TableColumns(table, table.StoredOrdinals(nil))},
		make([][]types.Value, len(columns))
	for i := range rows {
		row := make([]expr.Expr, len(columns))
		for c := range columns {
			v := types.Null
			if c == 0 || c%3 > 0 || r.IntN(4) > 0 {
				v = columns[c].make(r, i)
			}
			all[c], row[c] = append(all[c], v), expr.Const{Value: v, T: columns[c].typ}
		}
		values.Rows = append(values.Rows, row)
	}
	env := &executor.Env{Txn: txn, Tables: executor.NewTables(), Expr: &expr.Context{Env: &types.Env{}},
		Store: st.Capabilities()}
	if _, _, err := executor.Write(t.Context(), plan.Insert{Table: table, Input: values}, env); err != nil {
		t.Fatal(err)
	}
	survey, err := executor.Statistics(t.Context(), txn, env.Tables, table, executor.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	table.Stats = survey.Stats
	return table, all
}

func constant(v types.Value, t types.T) expr.Expr { return expr.Const{Value: v, T: t} }

// someTerms bounds a column by values that are in it, or nearly.
func someTerms(r *rand.Rand, c column, values []types.Value) []plan.Term {
	pick := func() types.Value {
		for {
			if v := values[r.IntN(len(values))]; !v.IsNull() {
				return v
			}
		}
	}
	term := func(op plan.TermOp, list ...types.Value) plan.Term {
		t := plan.Term{Op: op}
		for _, v := range list {
			t.Args = append(t.Args, constant(v, c.typ))
		}
		return t
	}
	low, high := pick(), pick()
	if types.Compare(low, high) > 0 {
		low, high = high, low
	}
	one := [][]plan.Term{
		{term(plan.TermEQ, pick())}, {term(plan.TermIn, pick(), pick(), pick())}, {term(plan.TermNull)}, {term(plan.TermNotNull)},
		{term(plan.TermLT, pick())}, {term(plan.TermLE, pick())}, {term(plan.TermGT, pick())}, {term(plan.TermGE, pick())},
		{term(plan.TermGE, low), term(plan.TermLE, high)}, {term(plan.TermGT, low), term(plan.TermLT, high)},
		{term(plan.TermIn, pick(), pick(), pick()), term(plan.TermLT, pick())},
	}
	if c.typ.Kind() == types.KindText {
		text := pick().Text()
		one = append(one, []plan.Term{term(plan.TermPrefix, types.NewText(text[:r.IntN(len(text)+1)]))})
	}
	return one[r.IntN(len(one))]
}

// TestFractions holds estimates against the rows that there are: they are off by no more than a piece
// of a histogram on each side, what a sample can say, and what values between two bounds are
// apart from being spread evenly.
func TestFractions(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	columns := columnsOfAllKinds(r)
	table, all := filled(t, columns, r, 40_000)
	known := &expr.Context{Env: &types.Env{}}
	for i, col := range columns {
		worst := 0.0
		for range 400 {
			b := plan.Bound{Column: uint32(i + 1), Terms: someTerms(r, col, all[i])}
			set, err := b.Set(known)
			if err != nil {
				t.Fatal(err)
			}
			met := 0
			for _, v := range all[i] {
				if set.Contains(v) {
					met++
				}
			}
			want, got := float64(met)/float64(len(all[i])), Fraction(table, b, known)
			worst = math.Max(worst, math.Abs(got-want))
			if math.Abs(got-want) > 0.02 {
				t.Errorf("%v column %d: %v: %.4f, is %.4f", col.typ, i, set, got, want)
			}
		}
		t.Logf("column %d, %v: off by %.4f at most", i, col.typ, worst)
	}
}

// TestCellFractions holds estimates of how many rows have the codes that values of a bound have, in a dimension of few
// bits and in one of a text with a common prefix, against the rows that there are.
func TestCellFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	columns := columnsOfAllKinds(r)
	table, all := filled(t, columns, r, 8_000)
	known := &expr.Context{Env: &types.Env{}}
	for i, col := range columns {
		for _, bits := range []int{8, 16, 48, 64} {
			of := catalog.Dimension{Column: uint32(i + 1), Bits: min(bits, part.RawBits(col.typ))}
			d := keys.NewDimension(table, of)
			for range 40 {
				b := plan.Bound{Column: of.Column, Terms: someTerms(r, col, all[i])}
				set, err := b.Set(known)
				if err != nil {
					t.Fatal(err)
				}
				codes, met, kept := d.Codes(set), 0, 0
				for _, v := range all[i] {
					if slices.ContainsFunc(codes, func(c keys.Codes) bool { return c.Has(d.Code(v)) }) {
						met++
					}
					if set.Contains(v) {
						kept++
					}
				}
				if !d.Lossy() {
					met = kept
				}
				keeps := Fraction(table, b, known)
				want, got := float64(met)/float64(len(all[i])), CellFraction(table, of, b, known, keeps)
				if math.Abs(got-want) > 0.03 {
					t.Errorf("%v in %d bits: %v: %.4f, is %.4f; %.4f without others of these codes", col.typ, of.Bits, set, got,
						want, keeps)
				}
			}
		}
	}
}

// TestGuesses holds that PostgreSQL's defaults are assumed where nothing is known.
func TestGuesses(t *testing.T) {
	open := expr.Param{Number: 1, T: types.Int4}
	known := func(op plan.TermOp, v int64) plan.Term {
		return plan.Term{Op: op, Args: []expr.Expr{constant(types.NewInt(v), types.Int4)}}
	}
	unknown := func(op plan.TermOp) plan.Term { return plan.Term{Op: op, Args: []expr.Expr{open}} }
	measured := catalog.Stats{Known: true, Rows: 1000, Columns: map[uint32]catalog.ColumnStats{1: {
		Min: types.NewInt(1), Max: types.NewInt(100), Distinct: 100, Nulls: 0.1,
		Common: []catalog.Common{{Value: types.NewInt(7), Share: 0.3}, {Value: types.NewInt(8), Share: 0.005}},
	}}}
	for _, c := range []struct {
		stats catalog.Stats
		terms []plan.Term
		want  float64
	}{
		{catalog.Stats{}, []plan.Term{known(plan.TermEQ, 1)}, 1. / 200},
		{catalog.Stats{}, []plan.Term{known(plan.TermGT, 1)}, 1. / 3},
		{catalog.Stats{}, []plan.Term{known(plan.TermGT, 1), known(plan.TermLT, 5)}, 1. / 200},
		{catalog.Stats{}, []plan.Term{unknown(plan.TermGT), unknown(plan.TermLT)}, 1. / 200},
		{catalog.Stats{}, []plan.Term{unknown(plan.TermAny)}, float64(UnknownPoints) / 200},
		{catalog.Stats{}, nil, 1},
		{measured, []plan.Term{unknown(plan.TermEQ)}, 0.9 / 100},
		{measured, []plan.Term{unknown(plan.TermLE)}, 1. / 3},
		{measured, []plan.Term{known(plan.TermEQ, 7)}, 0.3},
		{measured, []plan.Term{known(plan.TermEQ, 9)}, 0.005},                            // no more than a common value has
		{measured, []plan.Term{known(plan.TermGE, 1), unknown(plan.TermLT)}, 0.9 / 200},  // all that is not NULL, and a guess
		{measured, []plan.Term{known(plan.TermGT, 100)}, 0.005},                          // what was known may be old
		{measured, []plan.Term{known(plan.TermLT, 1), known(plan.TermGT, 1)}, 1. / 1000}, // a row
		{measured, []plan.Term{{Op: plan.TermNull}}, 0.1},
		{measured, []plan.Term{{Op: plan.TermNotNull}, known(plan.TermIn, 7)}, 0.3},
		{measured, []plan.Term{known(plan.TermGE, 7), known(plan.TermLE, 8)}, 0.305 + 0.01}, // two of a hundred: about 0.6 * 1/99 + one
	} {
		table := &catalog.Table{Columns: []catalog.Column{{ID: 1, Name: "a", Type: types.Int4}}, Stats: c.stats}
		got := Fraction(table, plan.Bound{Column: 1, Terms: c.terms}, &expr.Context{Env: &types.Env{}})
		if math.Abs(got-c.want) > 0.003 {
			t.Errorf("%v: %g, want %g", c.terms, got, c.want)
		}
	}
}

// TestTextPositions holds that texts between two others lie in their order, about as far apart as
// their characters are.
func TestTextPositions(t *testing.T) {
	for _, c := range []struct {
		low, high, text string
		want            float64
	}{
		{"item-000", "item-999", "item-500", 0.5}, {"a", "z", "m", 0.48}, {"", "z", "m", 0.5}, {"Aa", "Az", "An", 0.52}, {"x", "x", "x", 0.5},
	} {
		got := within(types.NewText(c.low), types.NewText(c.high), types.NewText(c.text))
		if math.Abs(got-c.want) > 0.03 {
			t.Errorf("%q is %.3f of the way from %q to %q, want %.2f", c.text, got, c.low, c.high, c.want)
		}
	}
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 10_000 {
		list := []string{words(r, "aB0 ~\xff\x00z", 0, 5), words(r, "aB0 ~\xff\x00z", 0, 5),
			words(r, "aB0 ~\xff\x00z", 0, 5)}
		slices.Sort(list)
		if a, b, x := textPositions(list[0], list[2], list[1]); a > x || x > b {
			t.Fatalf("%q: %g %g %g", list, a, x, b)
		}
	}
}

// TestLongLists holds that a list is found in common values wherever it has them.
func TestLongLists(t *testing.T) {
	s := &spread{ColumnStats: &catalog.ColumnStats{Distinct: 1000}, rows: 1e6, distinct: 1000}
	for i := range 10 {
		s.Common = append(s.Common, catalog.Common{Value: types.NewInt(int64(97 * i)), Share: 0.05})
		s.common += 0.05
	}
	var list []types.Value
	for i := range 500 {
		list = append(list, types.NewInt(int64(i)))
	}
	want := 6*0.05 + 494*0.5/990 // 0, 97, 194, 291, 388, 485
	if got := s.share(span.Points(list...)); math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
}

// TestPrefixesOfWords estimates prefixes of texts that are made of few words, as names are: nearly each piece of the
// histogram has one of them.
func TestPrefixesOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	var vocabulary []string
	for range 90 {
		vocabulary = append(vocabulary, words(r, "abcdefghijklmnopqrstuvwxyz", 5, 9))
	}
	name := column{types.Text, func(r *rand.Rand, _ int) types.Value {
		return types.NewText(vocabulary[r.IntN(90)] + " " + vocabulary[r.IntN(90)] + " " + vocabulary[r.IntN(90)])
	}}
	table, all := filled(t, []column{columnsOfAllKinds(r)[0], name}, r, 20_000)
	for _, word := range vocabulary {
		n := 0
		for _, v := range all[1] {
			if strings.HasPrefix(v.Text(), word) {
				n++
			}
		}
		bound := plan.Bound{Column: 2, Terms: []plan.Term{{Op: plan.TermPrefix,
			Args: []expr.Expr{constant(types.NewText(word), types.Text)}}}}
		got := Fraction(table, bound, &expr.Context{Env: &types.Env{}}) * 20_000
		if got > 3*float64(n) || 3*got < float64(n) {
			t.Errorf("%d texts begin with %q, and %.0f are expected", n, word, got)
		}
	}
}

// TestBeyond reckons intervals with what was written beyond the values that are known: 50 rows of 100 above, up to 200,
// and 20 below, down to -200.
func TestBeyond(t *testing.T) {
	s := &spread{ColumnStats: &catalog.ColumnStats{Distinct: 100, Min: types.NewInt(1), Max: types.NewInt(100),
		Beyond: extent.Tails{Below: extent.Tail{Rows: 20, Value: types.NewInt(-200)},
			Above: extent.Tail{Rows: 50, Value: types.NewInt(200)}}}, rows: 100, distinct: 100}
	n := func(i int64) types.Value { return types.NewInt(i) }
	for _, tc := range []struct {
		in   span.Interval
		want float64 // rows
	}{
		{span.Interval{Low: n(100), LowOpen: true}, 51},
		{span.Interval{Low: n(150)}, 26},
		{span.Interval{Low: n(120), High: n(140)}, 11},
		{span.Interval{Low: n(200), LowOpen: true}, 1},
		{span.Interval{Low: n(300)}, 1},
		{span.Interval{High: n(0)}, 21},
		{span.Interval{High: n(-300)}, 1},
		{span.Interval{Low: n(-100), High: n(0)}, 11},
		{span.Interval{High: n(100)}, 120},
		{span.Interval{Low: n(51)}, 100},
	} {
		if got := 100 * s.between(tc.in); math.Abs(got-tc.want) > 1 {
			t.Errorf("%v: %g rows, want %g", tc.in, got, tc.want)
		}
	}
}
