package dynamostore

import (
	"errors"
	"math/rand/v2"
	"testing"

	"zproxy/encoding/span"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// TestOutsideOnFake is TestOutsideRangesAreThoseOfTheirKeys with short pages, which end among items
// with equal keys, too.
func TestOutsideOnFake(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, items := range []int{0, 1, 3} {
		f := dynamofake.New(dynamofake.Options{Seed: r.Uint64(), PageItems: items})
		f.SetFaults(dynamofake.Faults{Partial: 0.2, Throttle: 0.02, ErrorBefore: 0.02, Pages: 0.1})
		s := openOn(t, f, "")
		for range 2 {
			checkOutside(t, s, r, 40)
		}
	}
}

// TestOutsideFilters reads tables of others through tests of attributes that are in no key: just the
// items with a value come, and others are left out by DynamoDB.
func TestOutsideFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	s := openOn(t, dynamofake.New(dynamofake.Options{Seed: r.Uint64(), PageItems: 7}), "")
	for range 3 {
		n := newNative(t, s, r)
		sp := n.space(n.table.Outside)
		const g = 2
		with := map[string]int64{}
		values := map[string]types.Value{}
		kind := keyType(n.forms["g"])
		ask := store.Scan{Columns: []int{g}, Stats: &store.Stats{}}
		for batch, err := range begin(t, s).Scan(t.Context(), sp, &ask) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch.Len() {
				if v := batch.Row(i)[0]; !v.IsNull() {
					text := types.FormatText(v, kind, nil)
					values[text] = v
					with[text]++
				}
			}
		}
		for text, v := range values {
			stats := &store.Stats{}
			ask := store.Scan{Columns: []int{g}, Filter: []store.Test{{Column: g, Set: span.Points(v)}}, Stats: stats}
			for _, err := range begin(t, s).Scan(t.Context(), sp, &ask) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if all := int64(len(n.items)); stats.Items != with[text] || stats.Filtered != all-with[text] ||
				stats.Examined != all {
				t.Errorf("%s %q: %+v, want %d of %d items", n.forms["g"], text, *stats, with[text], all)
			}
		}
	}
}

// TestOutsideGarbage reads tables of others from a fake that spoils items. What comes is rows, or an
// error with a code.
func TestOutsideGarbage(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	f := dynamofake.New(dynamofake.Options{Seed: r.Uint64(), PageItems: 10})
	s := openOn(t, f, "")
	n := newNative(t, s, r)
	all := n.keysOf(t, &n.table.Outside)
	f.SetFaults(dynamofake.Faults{Garbage: 0.7})
	defer f.EndFaults()
	failed := 0
	check := func(what string, err error) {
		var known *sqlerr.Error
		if err != nil && (!errors.As(err, &known) || known.Code == sqlerr.InternalError) {
			t.Errorf("%s: %v", what, err)
		}
		failed += map[bool]int{true: 1}[err != nil]
	}
	for i := range 200 {
		for _, o := range []store.Outside{n.table.Outside, n.table.Indexes[0].Outside, n.table.Indexes[1].Outside} {
			keys := n.keysOf(t, &o)
			ask := store.Scan{Columns: []int{0, 1, 2, 3, 4}, Stats: &store.Stats{}, Reverse: i%2 == 0}
			if i%3 > 0 {
				ask.Range = store.Range{Partition: keys[r.IntN(len(keys))].Partition, From: bound(r, keys, &o),
					To: bound(r, keys, &o)}
			}
			for _, err := range begin(t, s).Scan(t.Context(), n.space(o), &ask) {
				check("scan", err)
			}
		}
		get := store.Get{Keys: all[i%len(all):], Columns: []int{4}, Stats: &store.Stats{}}
		_, err := begin(t, s).Get(t.Context(), n.space(n.table.Outside), &get, types.NewBatch(1))
		check("get", err)
	}
	if failed == 0 {
		t.Error("nothing was spoilt")
	}
}
