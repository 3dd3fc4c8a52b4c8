package rows

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
	"zproxy/internal/valuetest"
	"zproxy/types"
	"zproxy/types/interval"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// TestValues writes values of every kind and reads them again.
func TestValues(t *testing.T) {
	path, err := jsonpath.Parse(`$.a[*] ? (@ > 1)`)
	if err != nil {
		t.Fatal(err)
	}
	record := types.NewRecord(&types.RecordValue{Names: []string{"f1"}, Types: []types.T{types.Int4},
		Values: []types.Value{types.NewInt(1)}})
	values := types.Row{
		types.Null, types.NewBool(true), types.NewBool(false), types.NewInt(-7), types.NewFloat(1.5),
		types.NewNumeric(apd.New(-1050, -2)),
		types.NewText("é"), types.NewBytes([]byte{0, 255}),
		types.NewDate(-3), types.NewTimestamp(1 << 60), types.NewUUID([16]byte{1, 15: 2}), types.NewPoint(1, -2),
		types.NewBpchar("a  "),
		types.NewTime(5), types.NewTimetz(5, -3600), types.NewInterval(interval.Interval{Months: -1, Days: 2,
			Micros: -3}), types.NewJSON("[1]"), types.NewJSONPath(path),
		types.NewArray(&types.ArrayValue{Element: types.OIDText, Dims: []types.Dim{{Length: 2, Lower: -3}},
			Items: []types.Value{types.Null, types.NewText("x")}}),
		types.NewArray(&types.ArrayValue{Element: types.OIDRecord, Dims: []types.Dim{{Length: 2, Lower: 1}},
			Items: []types.Value{types.Null, record}}),
		types.NewJSONB(json.NewObject([]string{"b", "a"}, []json.Value{{Kind: json.Number, Number: apd.New(15, -1)},
			{Kind: json.Array, Items: []json.Value{{Kind: json.String, Text: "s"}, {Kind: json.Bool, Bool: true}}}})),
		record,
	}
	kinds := map[types.Kind]bool{}
	var p []byte
	for _, v := range values {
		p = AppendValue(p, v)
	}
	var d Decoder
	rest := p
	for i, want := range values {
		var v types.Value
		if v, rest, err = d.ReadValue(rest); err != nil {
			t.Fatal(err)
		}
		kinds[v.Kind()] = true
		if string(AppendValue(nil, v)) != string(AppendValue(nil, want)) || v.Kind() != want.Kind() ||
			show(v) != show(want) && v.Kind() < types.KindJSON {
			t.Errorf("%d is another value", i)
		}
	}
	if len(rest) > 0 || len(kinds) != int(types.KindJSONPath)+1 {
		t.Errorf("%d bytes are left; %d kinds", len(rest), len(kinds))
	}
	for end := range p { // what is cut off is an error, not a panic
		rest := p[:end]
		for err = nil; err == nil; {
			_, rest, err = d.ReadValue(rest)
		}
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: %v", end, err)
		}
	}
}

// FuzzReadValue must never panic; what it reads must survive being written again.
func FuzzReadValue(f *testing.F) {
	for _, v := range samples(f) {
		f.Add(AppendValue(nil, v))
	}
	f.Add(AppendValue(nil, types.NewRecord(&types.RecordValue{Names: []string{"f1"}, Types: []types.T{types.Int4},
		Values: []types.Value{types.NewInt(1)}})))
	f.Fuzz(func(t *testing.T, p []byte) {
		var d Decoder
		v, _, err := d.ReadValue(p)
		if err != nil {
			return
		}
		first := AppendValue(nil, v)
		again, _, err := d.ReadValue(first)
		if err != nil || string(AppendValue(nil, again)) != string(first) {
			t.Fatalf("%x became %x, %v", p, first, err)
		}
	})
}

// TestValuesKeepTheirOrder writes and reads random values of all types with an order: they compare as before.
func TestValuesKeepTheirOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 3))
	all := slices.Concat(valuetest.Types(), valuetest.Composed())
	for _, x := range valuetest.Types() {
		if x.Collation.Order != 0 {
			array, _ := types.ArrayOf(x)
			all = append(all, array.In(x.Collation))
		}
	}
	var d Decoder
	for _, x := range all {
		for range 100 {
			var before, after [2]types.Value
			for i := range before {
				before[i] = x.Collate(valuetest.Random(random, x))
				v, rest, err := d.ReadValue(AppendValue(nil, before[i]))
				if err != nil || len(rest) > 0 {
					t.Fatalf("%v: %q is read with %d bytes left: %v", x, show(before[i]), len(rest), err)
				}
				if after[i] = v; before[i].IsNull() {
					continue
				}
				if v.Kind() != before[i].Kind() || types.Compare(v, before[i]) != 0 {
					t.Fatalf("%v: %q of kind %v is read as %q of kind %v", x, show(before[i]), before[i].Kind(),
						show(v), v.Kind())
				}
			}
			if before[0].IsNull() || before[1].IsNull() {
				continue
			}
			if want, got := types.Compare(before[0], before[1]), types.Compare(after[0], after[1]); got != want {
				t.Fatalf("%v: %q and %q compare as %d, not %d", x, show(before[0]), show(before[1]), got, want)
			}
		}
	}
}
