package keys

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/types"
)

// randomSkips is a layout of a few columns, a set of each, and the keys of all rows over small
// domains, in order.
func randomSkips(r *rand.Rand) (c *Codec, sets []span.Set, rows []types.Row) {
	pool := append(slices.Clone(computedFrom),
		small{types.Float8, []types.Value{types.Null, types.NewFloat(-1), types.NewFloat(0), types.NewFloat(2.5)}},
		small{types.Bool, []types.Value{types.Null, types.NewBool(false), types.NewBool(true)}})
	r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	pool = pool[:2+r.IntN(2)]
	var columns []types.T
	l := &catalog.Layout{Unique: true}
	for i, of := range pool {
		columns = append(columns, of.typ)
		part := catalog.Part{Column: uint32(i + 1), Desc: r.IntN(3) == 0, NullsSwapped: r.IntN(3) == 0}
		if i == 0 {
			l.Partition = append(l.Partition, part)
		} else {
			l.Sort = append(l.Sort, part)
		}
		sets = append(sets, randomOf(r, of.domain))
	}
	rows = []types.Row{{}}
	for _, of := range pool {
		var longer []types.Row
		for _, row := range rows {
			for _, v := range of.domain {
				longer = append(longer, append(slices.Clone(row), v))
			}
		}
		rows = longer
	}
	c, err := NewCodec(table(columns...), l)
	if err != nil {
		panic(err)
	}
	return c, sets, rows
}

// randomOf is a union of a few intervals between values of a domain.
func randomOf(r *rand.Rand, domain []types.Value) span.Set {
	if r.IntN(4) == 0 {
		return span.Everything
	}
	set := span.Set{Null: r.IntN(4) == 0}
	for range 1 + r.IntN(3) {
		in := span.Interval{Low: domain[r.IntN(len(domain))], High: domain[r.IntN(len(domain))]}
		in.LowOpen, in.HighOpen = !in.Low.IsNull() && r.IntN(3) == 0, !in.High.IsNull() && r.IntN(3) == 0
		if r.IntN(3) == 0 && !in.Low.IsNull() {
			in = span.Interval{Low: in.Low, High: in.Low}
		}
		set = set.Union(span.Of(in))
	}
	return set
}

// TestSkipper compares what is wanted with the sets, and the next wanted key with that of a
// search through all of them; the keys asked for are those of rows, cut off or a little longer.
func TestSkipper(t *testing.T) {
	r := newRand(t)
	jumps := 0
	for range 1500 {
		c, sets, rows := randomSkips(r)
		of := func(id uint32) span.Set { return sets[id-1] }
		whole := r.IntN(2) == 0
		from := 1
		if whole {
			from = 0
		}
		skip := c.Skipper(len(sets), of, whole)
		var all, wanted [][]byte
		for _, row := range rows {
			k := c.Key(row)
			key := k.Sort
			if whole {
				key = slices.Concat(k.Partition, k.Sort)
			}
			in := true
			for i := from; i < len(sets); i++ {
				in = in && sets[i].Contains(row[i])
			}
			if skip.Wanted(key) != in {
				t.Fatalf("row %v in %+v: wanted %t", row, sets, !in)
			}
			all = append(all, key)
			if in {
				wanted = append(wanted, key)
			}
		}
		slices.SortFunc(wanted, bytes.Compare)
		for range 30 {
			key := randomlyCut(r, all[r.IntN(len(all))])
			at, _ := slices.BinarySearchFunc(wanted, key, bytes.Compare)
			got, ok := skip.Next([]byte("x"), key)
			if !ok {
				if at < len(wanted) {
					t.Fatalf("%+v: nothing at or behind %x, want %x", sets, key, wanted[at])
				}
				continue
			}
			got = got[1:]
			if bytes.Compare(got, key) < 0 || at < len(wanted) && bytes.Compare(got, wanted[at]) > 0 {
				t.Fatalf("%+v: next of %x is %x, want %x", sets, key, got, wanted[at:])
			}
			if bytes.Equal(got, key) && slices.ContainsFunc(all, func(k []byte) bool { return bytes.Equal(k, key) }) &&
				!skip.Wanted(key) {
				t.Fatalf("%+v: %x is not wanted, and its own next", sets, key)
			}
			if !bytes.Equal(got, key) {
				jumps++
			}
		}
	}
	if jumps < 1000 {
		t.Errorf("only %d jumps", jumps)
	}
}

// randomlyCut is a key, or something near it.
func randomlyCut(r *rand.Rand, key []byte) []byte {
	switch r.IntN(4) {
	case 0:
		return slices.Clone(key[:r.IntN(len(key)+1)])
	case 1:
		return append(slices.Clone(key), byte(r.IntN(256)))
	}
	return slices.Clone(key)
}

// TestSkipperJumpsAtOnce wants jumps to go to the next value of a column with the least of those
// behind it, not in steps.
func TestSkipperJumpsAtOnce(t *testing.T) {
	c, err := NewCodec(table(types.Int4, types.Int4, types.Int4), &catalog.Layout{
		Unique: true, Sort: []catalog.Part{{Column: 1}, {Column: 2, Desc: true}, {Column: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	row := func(a, b, c int64) types.Row { return types.Row{types.NewInt(a), types.NewInt(b), types.NewInt(c)} }
	one := func(low, high int64) span.Set {
		return span.Of(span.Interval{Low: types.NewInt(low), High: types.NewInt(high)})
	}
	sets := []span.Set{one(1, 5), span.Everything, span.Points(types.NewInt(3), types.NewInt(7))}
	skip := c.Skipper(3, func(id uint32) span.Set { return sets[id-1] }, true)
	for _, test := range []struct{ from, to types.Row }{
		{row(0, 9, 9), types.Row{types.NewInt(1), types.Null, types.NewInt(3)}}, {row(1, 9, 2), row(1, 9, 3)}, {row(1, 9, 4), row(1, 9, 7)}, {row(1, 9, 8), row(1, 8, 3)}, {row(5, -9, 8), row(5, -10, 3)},
	} {
		got, ok := skip.Next(nil, c.Key(test.from).Sort)
		if want := c.Key(test.to).Sort; !ok || !bytes.Equal(got, want) {
			t.Errorf("next of %v is %x, want %x", test.from, got, want)
		}
	}
	if got, ok := skip.Next(nil, c.Key(row(6, 0, 0)).Sort); ok {
		t.Errorf("there is something behind the last: %x", got)
	}
}
