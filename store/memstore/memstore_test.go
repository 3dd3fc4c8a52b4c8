package memstore

import (
	"errors"
	"testing"

	"zproxy/store"
	"zproxy/store/storetest"
	"zproxy/types"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{}) })
}

func TestContractUnordered(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Unordered: true}) })
}

func TestContractPriced(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Unordered: true, RangePrice: 5}) })
}

func TestContractLagging(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Lag: 3}) })
}

func TestContractLoose(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Loose: true}) })
}

// TestLoose wants what Options.Loose says to become of writes.
func TestLoose(t *testing.T) {
	s := New(Options{Loose: true})
	sp := &store.Space{ID: 1, Name: "s", Sorted: true}
	put := func(tx store.Txn, key string, g store.Guard) {
		t.Helper()
		if err := tx.Put(sp, store.Item{Key: store.Key{Partition: []byte("p"), Sort: []byte(key)}}, g); err != nil {
			t.Fatal(err)
		}
	}
	now := func() (keys string) {
		tx := begin(t, s, sp)
		ask := store.Scan{Stats: &store.Stats{},
			Keys: func(k store.Key) { keys += string(k.Partition[1:]) + string(k.Sort) }}
		for _, err := range tx.Scan(t.Context(), sp, &ask) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return keys
	}
	step := func(want error, keys string, do func(store.Txn)) {
		t.Helper()
		tx := begin(t, s, sp)
		do(tx)
		if err := tx.Commit(t.Context()); !errors.Is(err, want) || now() != keys {
			t.Fatalf("commit: %v, %s; want %v, %s", err, now(), want, keys)
		}
	}
	step(nil, "a", func(tx store.Txn) { put(tx, "a", store.Absent) })
	step(store.ErrConflict, "ax", func(tx store.Txn) {
		put(tx, "a", store.Absent)
		put(tx, "b", store.Absent)
		put(tx,
			"x", store.Loose)
	})
	step(nil, "abxyz", func(tx store.Txn) {
		put(tx, "a", store.Always)
		put(tx, "b", store.Absent)
		put(tx, "y", store.Loose)
		put(tx, "z", store.Loose)
	})
	step(nil, "abxy", func(tx store.Txn) {
		for _, key := range []string{"y", "z"} {
			if err := tx.Delete(sp, store.Key{Partition: []byte("p"), Sort: []byte(key)}, store.Loose); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// every wants keys of one byte that its number divides.
type every byte

func (n every) Wanted(key []byte) bool { return key[0]%byte(n) == 0 }

func (n every) Next(dst, key []byte) ([]byte, bool) {
	at := (int(key[0]) + int(n) - 1) / int(n) * int(n)
	return append(dst, byte(at)), at < 256
}

// TestPrice reads keys 0 to 99 of which some are wanted. A store with a price jumps over those
// between when they are more than the price, and a jump is a request.
func TestPrice(t *testing.T) {
	for _, c := range []struct {
		price    float64
		every    every
		reverse  bool
		examined int64
		jumps    int64
	}{
		{0, 50, false, 100, 0},
		{10, 1, false, 100, 0},
		{10, 10, false, 100, 0},
		{10, 20, false, 5 + 5*10, 5},
		{10, 50, false, 2 + 2*10, 2},
		{10, 50, true, 100, 0},
		{200, 50, false, 100, 0},
	} {
		s := New(Options{RangePrice: c.price})
		sp := &store.Space{ID: 1, Name: "s", Sorted: true, Columns: []store.Column{{ID: 1, Type: types.Int4}}}
		tx := begin(t, s, sp)
		for i := range 100 {
			it := store.Item{Key: store.Key{Partition: []byte("p"), Sort: []byte{byte(i)}},
				Values: []types.Value{types.NewInt(int64(i))}}
			if err := tx.Put(sp, it, store.Always); err != nil {
				t.Fatal(err)
			}
		}
		var got store.Stats
		ask := store.Scan{Range: store.Range{Partition: []byte("p")}, Skip: c.every, Reverse: c.reverse,
			Columns: []int{0}, Stats: &got}
		rows := int64(0)
		for batch, err := range tx.Scan(t.Context(), sp, &ask) {
			if err != nil {
				t.Fatal(err)
			}
			rows += int64(batch.Len())
		}
		want := (100 + int64(c.every) - 1) / int64(c.every)
		if rows != want || got.Requests != 1+c.jumps || got.Seeks != c.jumps || got.Examined != c.examined {
			t.Errorf("price %v, one of %d wanted: %d rows, %+v; want %d, %d jumps, %d examined", c.price, c.every, rows,
				got, want, c.jumps, c.examined)
		}
	}
}

func begin(t *testing.T, s *Store, sp *store.Space) store.Txn {
	t.Helper()
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	tx, err := s.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}
