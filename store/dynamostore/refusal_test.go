package dynamostore

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// step is a part of a transaction on some items of one partition, p.
type step func(*testing.T, store.Txn) error

func putting(n int, g store.Guard) step {
	return func(_ *testing.T, tx store.Txn) error { return tx.Put(items(1), bodied(n), g) }
}

// holding reads items that must still be there at the commit.
func holding(keys ...int) step {
	return func(t *testing.T, tx store.Txn) error {
		g := store.Get{Columns: []int{0}, Stats: &store.Stats{}, Remember: true, Hold: true}
		for _, n := range keys {
			g.Keys = append(g.Keys, key(n))
		}
		_, err := tx.Get(t.Context(), items(1), &g, types.NewBatch(1))
		return err
	}
}

func scanning(r store.Range) step {
	return func(t *testing.T, tx store.Txn) error {
		scanned(t, tx, items(1), store.Scan{Range: r, Columns: []int{0}})
		return nil
	}
}

// TestRefusalsReported refuses the first request of an operation, and wants a report of the items that it is about.
func TestRefusalsReported(t *testing.T) {
	for _, c := range []struct {
		op   string
		do   []step
		want []string
	}{
		{op: "PutItem", do: []step{putting(1, store.Always)}, want: []string{"p/0001"}},
		{op: "GetItem", do: []step{holding(2)}, want: []string{"p/0002"}},
		{op: "BatchGetItem", do: []step{holding(2, 3)}, want: []string{"p/0002", "p/0003"}},
		{op: "Query", do: []step{scanning(store.Range{Partition: []byte("p")})}, want: []string{"p/"}},
		{op: "Scan", do: []step{scanning(store.Range{})}, want: []string{"/"}},
		{op: "BatchWriteItem", do: []step{putting(7, store.Loose), putting(8, store.Loose)},
			want: []string{"p/0007", "p/0008"}},
		// an item that is held is updated with the writes
		{op: "TransactWriteItems", do: []step{holding(0), putting(7, store.Always)},
			want: []string{"p/0000", "p/0007"}},
	} {
		t.Run(c.op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{PageItems: 2})
				s := openOn(t, f, "")
				load(t, s, items(1), 4, 1)
				var reported []string
				s.OnRefusal(func(of store.SpaceID, k store.Key) {
					reported = append(reported, fmt.Sprintf("%s/%s", k.Partition, k.Sort))
					if of != 1 {
						t.Errorf("the space is %d", of)
					}
				})
				refused := false
				f.SetFaults(dynamofake.Faults{Throttle: 1, Reasons: []string{"TableReadKeyRangeThroughputExceeded"},
					Only: func(r *dynamofake.Request) bool {
						first := r.Op == c.op && !refused
						refused = refused || first
						return first
					}})
				tx := begin(t, s)
				for _, do := range c.do {
					if err := do(t, tx); err != nil {
						t.Fatal(err)
					}
				}
				if err := tx.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				slices.Sort(reported)
				if !slices.Equal(reported, c.want) {
					t.Errorf("reported is %q, want %q", reported, c.want)
				}
			})
		})
	}
}

// TestThrottledTables holds that a table which is not made for the load is no refusal of what was asked.
func TestThrottledTables(t *testing.T) {
	for _, op := range []string{"CreateTable", "DescribeTable"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{})
				s := openOn(t, f, "")
				f.SetFaults(dynamofake.Faults{Throttle: 1, Reasons: []string{"TableWriteMaxOnDemandThroughputExceeded"},
					Only: func(r *dynamofake.Request) bool { return r.Op == op }})
				for table, err := range map[string]error{
					"a table": s.Create(t.Context(), items(1)), "that of transactions": s.records.ensure(t.Context()),
				} {
					if !errors.Is(err, store.ErrBusy) || errors.As(err, new(*store.Refused)) {
						t.Errorf("%s: %v", table, err)
					}
				}
				f.EndFaults()
				if err := s.Create(t.Context(), items(1)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
