package rows

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/interval"
)

var intArray, _ = types.ArrayOf(types.Int4)

// show is the exact content of a value, so that 1.0 and 1.00, or -0 and 0, differ.
func show(v types.Value) string {
	switch v.Kind() {
	case types.KindNull:
		return "NULL"
	case types.KindFloat:
		return fmt.Sprintf("float %x", math.Float64bits(v.Float()))
	case types.KindNumeric:
		d := v.Numeric()
		return fmt.Sprintf("numeric %v %v %v e%d", d.Form, d.Negative, &d.Coeff, d.Exponent)
	case types.KindPoint:
		x, y := v.Point()
		return fmt.Sprintf("point %x %x", math.Float64bits(x), math.Float64bits(y))
	case types.KindTimetz:
		return fmt.Sprintf("timetz %d %d", v.Micros(), v.West())
	case types.KindInterval:
		return "interval " + types.FormatText(v, types.Interval, nil)
	case types.KindUUID:
		return fmt.Sprintf("uuid %x", v.UUID())
	case types.KindJSONB:
		return "jsonb " + types.FormatText(v, types.JSONB, nil)
	case types.KindArray:
		a := v.Array()
		items := make([]string, len(a.Items))
		for i, item := range a.Items {
			items[i] = show(item)
		}
		return fmt.Sprint(a.Element, a.Dims, items)
	case types.KindText, types.KindBytes, types.KindBpchar:
		return fmt.Sprintf("%d %q", v.Kind(), v.Text())
	}
	return fmt.Sprintf("%d %d", v.Kind(), v.Int())
}

func number(t testing.TB, s string) types.Value {
	t.Helper()
	d, _, err := apd.NewFromString(s)
	if err != nil {
		t.Fatal(err)
	}
	return types.NewNumeric(d)
}

func jsonb(t testing.TB, s string) types.Value {
	t.Helper()
	v, err := types.ParseText(s, types.JSONB, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func samples(t testing.TB) []types.Value {
	return []types.Value{
		types.Null, types.NewBool(true), types.NewBool(false),
		types.NewInt(0), types.NewInt(-1), types.NewInt(math.MaxInt64), types.NewInt(math.MinInt64),
		types.NewFloat(0), types.NewFloat(math.Copysign(0, -1)), types.NewFloat(math.Inf(-1)),
		types.NewFloat(math.NaN()),
		number(t, "0"), number(t, "0.000"), number(t, "1.10"), number(t, "-1.1"), number(t, "1e100"),
		number(t, "-123456789012345678901234567890.123456789"), number(t, "NaN"), number(t, "Infinity"),
		number(t, "-Infinity"),
		types.NewText(""), types.NewText("a\x00é"), types.NewText(strings.Repeat("x", 70000)),
		types.NewTime(0), types.NewTime(86_400_000_000), types.NewTimetz(5, -3600), types.NewTimetz(0, 57599),
		types.NewInterval(interval.Interval{Days: 30}),
		types.NewInterval(interval.Interval{Months: math.MinInt32, Days: math.MaxInt32, Micros: math.MinInt64}),
		types.NewBytes(nil), types.NewBytes([]byte{0, 255}),
		types.NewDate(math.MinInt32), types.NewDate(math.MaxInt32), types.NewDate(-1),
		types.NewTimestamp(math.MinInt64), types.NewTimestamp(math.MaxInt64), types.NewTimestamp(1),
		types.NewUUID([16]byte{1, 15: 255}), types.NewPoint(1.5, math.Copysign(0, -1)),
		jsonb(t, "null"), jsonb(t, "true"), jsonb(t, "false"), jsonb(t, `"x"`), jsonb(t, "-1.50"), jsonb(t, "[]"),
		jsonb(t, "{}"),
		jsonb(t, `{"a": [1, 2e30, {"b": null, "cc": [true, "é"]}], "": "x"}`),
		types.NewBpchar("a  "), types.NewBpchar(""),
	}
}

// typeOf is a type whose values are held like v, as far as the format does not say it.
func typeOf(v types.Value) types.T {
	switch v.Kind() {
	case types.KindBpchar:
		return types.Bpchar
	case types.KindArray:
		return intArray
	}
	return types.Text
}

// TestRoundTrip writes random rows with random columns, in any order of their ids, and
// reads random columns of them under another set of columns.
func TestRoundTrip(t *testing.T) {
	rng, all := rand.New(rand.NewPCG(testseed.Of(t), 0)), samples(t)
	for range 3000 {
		written := map[uint32]types.Value{}
		var cols []store.Column
		var values []types.Value
		for range rng.IntN(12) {
			id := uint32(rng.IntN(30))
			if rng.IntN(20) == 0 {
				id = math.MaxUint32 - id
			}
			if _, twice := written[id]; twice {
				continue
			}
			v := all[rng.IntN(len(all))]
			written[id] = v
			cols, values = append(cols, store.Column{ID: id, Type: typeOf(v)}), append(values, v)
		}
		value := Append(nil, cols, values)
		cols = append(cols, store.Column{ID: 31}, store.Column{ID: uint32(40 + rng.IntN(9))})
		rng.Shuffle(len(cols), func(i, j int) { cols[i], cols[j] = cols[j], cols[i] })
		var wanted []int
		for range rng.IntN(6) {
			wanted = append(wanted, rng.IntN(len(cols)))
		}
		var d Decoder
		d.Prepare(cols, wanted)
		row := make(types.Row, len(wanted))
		if err := d.Decode(row, value); err != nil {
			t.Fatal(err)
		}
		for i, ordinal := range wanted {
			if got, want := show(row[i]), show(written[cols[ordinal].ID]); got != want {
				t.Fatalf("column %d of %v: %s, want %s", cols[ordinal].ID, cols, got, want)
			}
		}
	}
}

// TestKept decodes many rows out of one buffer that is overwritten each time.
func TestKept(t *testing.T) {
	cols := []store.Column{{ID: 1}, {ID: 2}}
	var d Decoder
	d.Prepare(cols, []int{1, 0})
	batch := types.NewBatch(2)
	var buf []byte
	for i := range 5000 {
		text := fmt.Sprint("row ", i)
		buf = Append(buf[:0], cols, []types.Value{types.NewText(text), number(t, fmt.Sprint(i, ".0"))})
		if err := d.Decode(batch.Add(), buf); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5000 {
		row := batch.Row(i)
		if row[1].Text() != fmt.Sprint("row ", i) || row[0].Numeric().Text('f') != fmt.Sprint(i, ".0") {
			t.Fatalf("row %d became %q, %s", i, row[1].Text(), row[0].Numeric())
		}
	}
}

// TestTruncated cuts a value at each byte: an error, or the columns before the cut.
func TestTruncated(t *testing.T) {
	values := slices.DeleteFunc(samples(t),
		func(v types.Value) bool { return v.Kind() == types.KindText && len(v.Text()) > 100 })
	cols := make([]store.Column, len(values))
	wanted := make([]int, len(values))
	for i := range cols {
		cols[i].ID, cols[i].Type, wanted[i] = uint32(i), typeOf(values[i]), i
	}
	value := Append(nil, cols, values)
	var d Decoder
	d.Prepare(cols, wanted)
	for n := range value {
		row := make(types.Row, len(cols))
		err := d.Decode(row, value[:n])
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
		for i, v := range row {
			if !v.IsNull() && show(v) != show(values[i]) {
				t.Fatalf("cut at %d: column %d is %s", n, i, show(v))
			}
		}
	}
}

// FuzzDecode must never panic; what it reads whole must survive being written again.
func FuzzDecode(f *testing.F) {
	cols := []store.Column{{ID: 0}, {ID: 1}, {ID: 2, Type: intArray}, {ID: 9}}
	for _, v := range samples(f) {
		f.Add(Append(nil, cols, []types.Value{v, types.NewInt(1), v, v}))
	}
	f.Add([]byte{version, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, value []byte) {
		var d Decoder
		for _, wanted := range [][]int{{0, 1, 2, 3}, {3}, {}} {
			d.Prepare(cols, wanted)
			if err := d.Decode(make(types.Row, len(wanted)), value); err != nil && !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
		}
		d.Prepare(cols, []int{0, 1, 2, 3})
		row, again := make(types.Row, 4), make(types.Row, 4)
		if d.Decode(row, value) != nil {
			return
		}
		if err := d.Decode(again, Append(nil, cols, row)); err != nil {
			t.Fatal(err)
		}
		for i := range row {
			if show(row[i]) != show(again[i]) {
				t.Fatalf("%s became %s", show(row[i]), show(again[i]))
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	cols := []store.Column{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}, {ID: 5}}
	value := Append(nil, cols, []types.Value{types.NewInt(123456), types.NewText("some words here"),
		types.NewFloat(1.5), types.NewTimestamp(800_000_000_000_000), types.NewInt(7)})
	for _, wanted := range [][]int{{0, 1, 2, 3, 4}, {0, 2, 3, 4}, {1}, {4}} {
		b.Run(fmt.Sprint(wanted), func(b *testing.B) {
			var d Decoder
			d.Prepare(cols, wanted)
			row := make(types.Row, len(wanted))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Decode(row, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	cols := []store.Column{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}, {ID: 5}}
	values := []types.Value{types.NewInt(123456), types.NewText("some words here"),
		types.NewFloat(1.5), types.NewTimestamp(800_000_000_000_000), types.NewInt(7)}
	var buf []byte
	for b.Loop() {
		buf = Append(buf[:0], cols, values)
	}
}
