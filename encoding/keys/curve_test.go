package keys

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/internal/valuetest"
	"zproxy/store"
	"zproxy/types"
)

// zorderCodec is the codec of a Z-order index over all columns of a table but the last,
// which is the tie-breaker.
func zorderCodec(t testing.TB, tab *catalog.Table, dims []catalog.Dimension) *Codec {
	t.Helper()
	tie := tab.Columns[len(tab.Columns)-1].ID
	c, err := NewCodec(tab, &catalog.Layout{
		Sort: []catalog.Part{{Kind: part.ZAddress, Curve: dims}}, Tie: []catalog.Part{{Column: tie}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// randomDimension has some number of bits, more than the type has among them, and some map.
func randomDimension(r *rand.Rand, column uint32, typ types.T) catalog.Dimension {
	d := catalog.Dimension{Column: column, Map: catalog.MapRaw}
	most := part.EncodedBits(typ)
	if most == 0 {
		most = 300
	}
	if d.Bits = 1 + r.IntN(most+9); r.IntN(2) == 0 {
		d.Bits = 1 + r.IntN(min(part.RawBits(typ)+9, catalog.MapBits))
	}
	if d.Bits > catalog.MapBits {
		return d
	}
	prefix := ""
	if text := filled(r, typ); part.EncodedBits(typ) == 0 && r.IntN(2) == 0 {
		prefix = text.Text()[:r.IntN(len(text.Text())+1)]
		d.Prefix = []byte(prefix)
	}
	sample := make([]uint64, 20)
	for i := range sample {
		sample[i] = CodeBehind(behind(r, d, typ, filled(r, typ)), typ, d.Prefix)
	}
	var m zorder.Map
	switch r.IntN(3) {
	case 0:
		d.Map, m = catalog.MapRange, zorder.Bounds(sample[0], sample[1])
	case 1:
		d.Map, m = catalog.MapQuantile, zorder.Quantiles(sample, 5)
	}
	if m.Knots == nil {
		d.Prefix = nil
	}
	if r.IntN(2) == 0 {
		m = m.Grown(FiniteCodes(typ))
	}
	d.Knots = m.Knots
	return d
}

// filled is a random value that is not NULL.
func filled(r *rand.Rand, typ types.T) types.Value {
	for {
		if v := valuetest.Random(r, typ); !v.IsNull() {
			return v
		}
	}
}

// behind is a value, often put behind the prefix of a dimension, a part of it or one that is near it.
func behind(r *rand.Rand, d catalog.Dimension, typ types.T, v types.Value) types.Value {
	if len(d.Prefix) == 0 || v.IsNull() || r.IntN(3) == 0 {
		return v
	}
	text := slices.Clone(d.Prefix)
	switch r.IntN(6) {
	case 0:
		text = text[:r.IntN(len(text))]
	case 1:
		text[len(text)-1] += byte(r.IntN(3) - 1)
	}
	if r.IntN(4) > 0 {
		text = append(text, v.Text()...)
	}
	switch typ.Kind() {
	case types.KindBytes:
		return types.NewBytes(text)
	case types.KindBpchar:
		return types.NewBpchar(types.TrimBlanks(string(text)))
	}
	return types.NewText(string(text))
}

// TestCodesKeepTheOrderOfValues tries all types as dimensions, of any width and with any map: a
// greater value never has a smaller code, NULL has the last one, and FiniteCodes are the
// ends of what is not infinite.
func TestCodesKeepTheOrderOfValues(t *testing.T) {
	r := newRand(t)
	for _, typ := range dimensionTypes() {
		low, high := FiniteCodes(typ)
		for range 200 {
			of := randomDimension(r, 1, typ)
			codec := zorderCodec(t, table(typ, types.Int8), []catalog.Dimension{of})
			d := &codec.curve.dims[0]
			for range 50 {
				a, b := behind(r, of, typ, valuetest.Random(r, typ)), behind(r, of, typ, valuetest.Random(r, typ))
				x, y := d.cell(a), d.cell(b)
				if c := valuetest.Compare(a, b, false) * bytes.Compare(x, y); c < 0 ||
					valuetest.Compare(a, b, false) == 0 && !bytes.Equal(x, y) {
					t.Fatalf("%s: %v has code %x, %v has %x in %+v", typ, a, x, b, y, d)
				}
				if a.IsNull() {
					continue
				}
				text := types.FormatText(a, typ, &types.Env{})
				endless := strings.Contains(strings.ToLower(text), "infinity") || text == "NaN"
				if c := Code(a, typ); endless != (c < low || c > high) && typ.Kind() != types.KindNumeric {
					t.Fatalf("%s: %s has code %x, finite ones are from %x to %x", typ, text, c, low, high)
				}
			}
		}
	}
}

// randomBounds is a set of random values of a type.
func randomBounds(r *rand.Rand, d catalog.Dimension, t types.T) span.Set {
	low, high := textOnly(behind(r, d, t, valuetest.Random(r, t))), textOnly(behind(r, d, t, valuetest.Random(r, t)))
	s := span.Everything
	switch r.IntN(6) {
	case 0, 1:
		s = span.Of(span.Interval{Low: low, High: high})
	case 2:
		s = span.Of(span.Interval{Low: low, High: high, LowOpen: !low.IsNull(), HighOpen: !high.IsNull()})
	case 3:
		s = span.Points(low, high)
	case 4:
		s = span.OnlyNull
	}
	s.Null = s.Null || r.IntN(5) == 0
	return s
}

// TestBoxHoldsWhatTheSetsHold checks the contract of a Z-order index: a box may hold too
// many rows, never too few.
func TestBoxHoldsWhatTheSetsHold(t *testing.T) {
	r := newRand(t)
	inside, exact := 0, 0
	for range 1000 {
		var columns []types.T
		var dims []catalog.Dimension
		kinds := dimensionTypes()
		for i := range 1 + r.IntN(8) {
			columns = append(columns, kinds[r.IntN(len(kinds))])
			dims = append(dims, randomDimension(r, uint32(i+1), columns[i]))
			if columns[i].Kind() == types.KindText && r.IntN(2) == 0 {
				dims[i].Form = []string{"NFC", "NFD", "NFKC", "NFKD"}[r.IntN(4)]
			}
		}
		tab := table(append(columns, types.Int8)...)
		codec := zorderCodec(t, tab, dims)
		sets := make([]span.Set, len(dims))
		for i := range sets {
			sets[i] = randomBounds(r, dims[i], columns[i])
		}
		b, some := codec.Boxes(func(c uint32) span.Set { return sets[c-1] })
		for range 100 {
			row := make(types.Row, len(dims)+1)
			in := true
			for i := range dims {
				row[i] = textOnly(memberOr(r, sets[i], dims[i], columns[i]))
				in = in && sets[i].Contains(row[i])
			}
			row[len(dims)] = types.NewInt(valuetest.Int(r, 64))
			found := some && inRange(b.Ranges[0], codec.Key(row)) && b.Skip.Wanted(codec.Key(row).Sort)
			switch {
			case in && !found:
				t.Fatalf("row %v of %v over %+v is not in the box of %+v", row, columns, dims, sets)
			case found && !in && b.Exact:
				t.Fatalf("row %v of %v over %+v is in the box of %+v, which is said to be exact", row, columns, dims,
					sets)
			case found && b.Exact:
				exact++
			}
			if in {
				inside++
			}
		}
	}
	if inside < 1000 || exact < 300 {
		t.Errorf("only %d rows were in the sets, %d in exact boxes", inside, exact)
	}
}

// textOnly is a value that SQL can have: no zero bytes in texts.
func textOnly(v types.Value) types.Value {
	switch {
	case v.IsNull():
	case v.Kind() == types.KindText:
		return types.NewText(strings.ReplaceAll(v.Text(), "\x00", "a"))
	case v.Kind() == types.KindBpchar:
		return types.NewBpchar(strings.ReplaceAll(v.Text(), "\x00", "a"))
	}
	return v
}

// memberOr is a random value, and often one at an end of the set.
func memberOr(r *rand.Rand, s span.Set, d catalog.Dimension, t types.T) types.Value {
	if len(s.Intervals) > 0 && r.IntN(3) == 0 {
		in := s.Intervals[r.IntN(len(s.Intervals))]
		return []types.Value{in.Low, in.High}[r.IntN(2)]
	}
	return behind(r, d, t, valuetest.Random(r, t))
}

// TestBoxSkipsWhatIsOutside walks the keys of a grid by the skipper alone and must meet
// exactly those in the box.
func TestBoxSkipsWhatIsOutside(t *testing.T) {
	dims := []catalog.Dimension{{Column: 1, Bits: 16, Map: catalog.MapRaw}, {Column: 2, Bits: 16, Map: catalog.MapRaw}}
	codec := zorderCodec(t, table(types.Int2, types.Int2, types.Int8), dims)
	var all, want [][]byte
	for x := range 16 {
		for y := range 16 {
			k := codec.Key(types.Row{types.NewInt(int64(x)), types.NewInt(int64(y)), types.NewInt(1)}).Sort
			all = append(all, k)
			if x >= 3 && x <= 6 && y >= 5 && y <= 6 {
				want = append(want, k)
			}
		}
	}
	slices.SortFunc(all, bytes.Compare)
	slices.SortFunc(want, bytes.Compare)
	between := func(low, high int64) span.Set {
		return span.Of(span.Interval{Low: types.NewInt(low), High: types.NewInt(high)})
	}
	sets := map[uint32]span.Set{1: between(3, 6), 2: between(5, 6)}
	b, _ := codec.Boxes(func(c uint32) span.Set { return sets[c] })
	g, skip := b.Ranges, b.Skip
	var got [][]byte
	for i, _ := slices.BinarySearchFunc(all, g[0].From, bytes.Compare); i < len(all) &&
		bytes.Compare(all[i], g[0].To) < 0; {
		if skip.Wanted(all[i]) {
			got = append(got, all[i])
			i++
			continue
		}
		next, ok := skip.Next(nil, all[i])
		if !ok {
			break
		}
		if bytes.Compare(next, all[i]) <= 0 {
			t.Fatalf("from %x, which is outside, the skipper goes on to %x", all[i], next)
		}
		i, _ = slices.BinarySearchFunc(all, next, bytes.Compare)
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("got %x\nwant %x", got, want)
	}
}

// TestBoxOfTextPrefixes takes words that begin alike in four bytes: the index cannot tell
// them apart, so the box holds more, and strict bounds inside a cell must not lose any.
func TestBoxOfTextPrefixes(t *testing.T) {
	codec := zorderCodec(t, table(types.Text, types.Int4),
		[]catalog.Dimension{{Column: 1, Bits: 32, Map: catalog.MapRaw}})
	text := types.NewText
	words := []string{"candle", "candor", "candy", "car", "cart", "carton", "cartographer", "cat"}
	for _, test := range []struct {
		in   span.Interval
		want []string
	}{
		{span.Interval{Low: text("candy"), High: text("cartographer")}, words[:7]},
		{span.Interval{Low: text("cart"), LowOpen: true}, words[4:]},
		{span.Interval{High: text("cart"), HighOpen: true}, words[:4]},
		{span.Interval{High: text("cart")}, words[:7]},
		{span.Interval{High: text("carton"), HighOpen: true}, words[:7]},
		{span.Prefix("ca"), words},
		{span.Prefix("car"), words[3:7]},
		{span.Interval{Low: text("car"), High: text("car")}, words[3:4]},
	} {
		b, _ := codec.Boxes(func(uint32) span.Set { return span.Of(test.in) })
		g, skip := b.Ranges, b.Skip
		var got []string
		for _, w := range words {
			key := codec.Key(types.Row{text(w), types.NewInt(1)})
			if inRange(g[0], key) && skip.Wanted(key.Sort) {
				got = append(got, w)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q, want %q", test.in, got, test.want)
		}
	}
}

// TestBoxOfNormalForms holds every spelling of a text in its box, and says that it is not exact.
func TestBoxOfNormalForms(t *testing.T) {
	text := types.NewText
	spellings := []string{"\u212b", "\u00c5", "A\u030a"} // the sign of the unit, the letter, the letter and its mark
	for _, form := range []string{"NFC", "NFD", "NFKC", "NFKD"} {
		codec := zorderCodec(t, table(types.Text, types.Int4),
			[]catalog.Dimension{{Column: 1, Bits: 64, Map: catalog.MapRaw, Form: form}})
		for _, asked := range spellings {
			in := span.Interval{Low: text(asked), High: text(asked)}
			b, _ := codec.Boxes(func(uint32) span.Set { return span.Of(in) })
			for _, w := range append(spellings, "A", "B") {
				key := codec.Key(types.Row{text(w), types.NewInt(1)})
				got := inRange(b.Ranges[0], key) && b.Skip.Wanted(key.Sort)
				if want := len(w) > 1; got != want || b.Exact {
					t.Errorf("%s: the box of %q holds %q: %t, exact: %t", form, asked, w, got, b.Exact)
				}
			}
		}
	}
}

// TestBoxOfSeveralNormalForms holds texts in the box of several whose codes are in another order than they are.
func TestBoxOfSeveralNormalForms(t *testing.T) {
	codec := zorderCodec(t, table(types.Text, types.Int4),
		[]catalog.Dimension{{Column: 1, Bits: 64, Map: catalog.MapRaw, Form: "NFC"}})
	asked := []types.Value{types.NewText("\u00e9"), types.NewText("\u212b"), types.NewText("z")}
	b, _ := codec.Boxes(func(uint32) span.Set { return span.Points(asked...) })
	for _, w := range []string{"\u00e9", "e\u0301", "\u00c5", "\u212b", "z"} {
		key := codec.Key(types.Row{types.NewText(w), types.NewInt(1)})
		if !slices.ContainsFunc(b.Ranges, func(r store.Range) bool { return inRange(r, key) }) ||
			!b.Skip.Wanted(key.Sort) {
			t.Errorf("the box does not hold %q", w)
		}
	}
}

// TestTextDimension holds the bytes of four-byte texts: cut, or filled up with zeros.
func TestTextDimension(t *testing.T) {
	codec := zorderCodec(t, table(types.Text, types.Int4),
		[]catalog.Dimension{{Column: 1, Bits: 32, Map: catalog.MapRaw}})
	for word, want := range map[string]string{
		"car": "car\x00", "cart": "cart", "cartographer": "cart", "carton": "cart", "": "\x00\x00\x00\x00", "caré": "car\xc3",
	} {
		if got := codec.Key(types.Row{types.NewText(word), types.Null}).Sort[:4]; string(got) != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestEmptyBoxHoldsNothing(t *testing.T) {
	codec := zorderCodec(t, table(types.Int4, types.Int4),
		[]catalog.Dimension{{Column: 1, Bits: 32, Map: catalog.MapRaw}})
	if _, some := codec.Boxes(func(uint32) span.Set { return span.Set{} }); some {
		t.Error("a box of an empty set holds something")
	}
}

func TestCurveNeedsBits(t *testing.T) {
	l := &catalog.Layout{Sort: []catalog.Part{{Kind: part.ZAddress, Curve: []catalog.Dimension{{Column: 1}}}}}
	if _, err := NewCodec(table(types.Int4), l); err == nil {
		t.Error("a dimension of no bits is taken")
	}
}

var _ store.Skipper = (*skipper)(nil)
