package dynamostore

import (
	"fmt"
	"testing"

	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// tenth wants the keys of which the number is a multiple of ten, below a bound.
type tenth int

func (tenth) number(key []byte) (n int) {
	for i := range 4 {
		n *= 10
		if i < len(key) {
			n += int(key[i] - '0')
		}
	}
	return n
}

func (s tenth) Wanted(key []byte) bool { return s.number(key)%10 == 0 && s.number(key) < int(s) }

func (s tenth) Next(dst, key []byte) ([]byte, bool) {
	n := s.number(key)
	if up := (n + 9) / 10 * 10; up > n || len(key) < 4 {
		return fmt.Appendf(dst, "%04d", up), up < int(s)
	} else if len(key) > 4 { // behind the key of n
		return fmt.Appendf(dst, "%04d", up+10), up+10 < int(s)
	}
	return append(dst, key...), n < int(s)
}

// TestPagesWithSkipper reads short pages. Each ends inside the range, and the next one begins at the
// next wanted key; behind the last of them nothing is asked for.
func TestPagesWithSkipper(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{PageItems: 3})
	s, sp := openOn(t, f, ""), items(1)
	load(t, s, sp, 100, 1)
	for _, c := range []struct {
		below    tenth
		enough   int
		rows     int
		requests int64
	}{
		{100, 0, 10, 10}, {55, 0, 6, 6}, {0, 0, 0, 0}, {100, 2, 2, 2},
	} {
		ask := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: []int{0}, Skip: c.below,
			Enough: c.enough}
		rows, stats := scanned(t, begin(t, s), sp, ask)
		if rows != c.rows || stats.Requests != c.requests {
			t.Errorf("%+v: %d rows, %+v", c, rows, stats)
		}
		ask.Reverse = true
		if rows, _ := scanned(t, begin(t, s), sp, ask); rows != c.rows {
			t.Errorf("%+v in reverse: %d rows", c, rows)
		}
	}
}

// TestPagesWithFilter reads pages of which many are empty. Where few items do, pages grow until they
// come, and none is asked for when they have come.
func TestPagesWithFilter(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	s := openOn(t, f, "")
	sp := &store.Space{ID: 1, Name: "items", Sorted: true,
		Columns: []store.Column{{ID: 1, Name: "n", Type: types.Int4}}}
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	putFiltered(t, s, sp, 1000, func() func(int) types.Value {
		n := int64(-1)
		return func(int) types.Value { n++; return types.NewInt(n % 100) }
	}())
	for _, c := range []struct {
		enough, rows   int
		each           float64
		requests, most int64 // without a guess pages double
	}{{0, 10, 0, 1, 1}, {1, 1, 0, 1, 12}, {10, 10, 0, 1, 12}, {1, 1, 100, 1, 1}, {2, 2, 100, 1, 1}, {1, 1, 2, 2, 8}, {10, 10, 1e300, 1, 1}} {
		ask := store.Scan{Columns: []int{0}, Enough: c.enough, Stats: &store.Stats{}}
		ask.Each = c.each
		ask.Range = store.Range{Partition: []byte("p")}
		ask.Filter = []store.Test{{Column: 0, Set: span.Points(types.NewInt(7))}}
		rows := 0
		for batch, err := range begin(t, s).Scan(t.Context(), sp, &ask) {
			if err != nil {
				t.Fatal(err)
			}
			if rows += batch.Len(); c.enough > 0 && rows >= c.enough {
				break
			}
		}
		if rows != c.rows || ask.Stats.Requests < c.requests || ask.Stats.Requests > c.most || ask.Stats.Filtered == 0 {
			t.Errorf("%+v: %d rows, %+v", c, rows, *ask.Stats)
		}
		if c.enough == 1 && ask.Stats.Examined > 600 {
			t.Errorf("%d items were read for one", ask.Stats.Examined)
		}
	}
}

// TestManyKeys gets more keys than a batch takes: batches run at once, and some twice, for their parts.
func TestManyKeys(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{Seed: 1})
	s, sp := openOn(t, f, ""), items(1)
	load(t, s, sp, 350, 1)
	f.SetFaults(dynamofake.Faults{Partial: 0.5})
	ask := store.Get{Columns: []int{0}, Stats: &store.Stats{}}
	for i := range 500 {
		ask.Keys = append(ask.Keys, key(i))
	}
	out := types.NewBatch(1)
	there, err := begin(t, s).Get(t.Context(), sp, &ask, out)
	if err != nil || ask.Stats.Items != 350 || ask.Stats.Requests < 5 {
		t.Fatalf("%+v, %v", *ask.Stats, err)
	}
	for i, ok := range there {
		if ok != (i < 350) {
			t.Errorf("key %d: %v", i, ok)
		}
	}
}
