package charge

import (
	"testing"

	"zproxy/internal/memory"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// TestRemembered charges for what a transaction has read and must find again, once for each item, until it is
// forgotten.
func TestRemembered(t *testing.T) {
	ctx := t.Context()
	st, err := dynamostore.Open(ctx, dynamostore.Options{Endpoint: "http://127.0.0.1:1",
		HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := &store.Space{ID: 1, Name: "s", Sorted: true}
	if err := st.Create(ctx, s); err != nil {
		t.Fatal(err)
	}
	keys := []store.Key{{Partition: []byte("p"), Sort: []byte("a")}, {Partition: []byte("p"), Sort: []byte("b")}}
	account := memory.NewPool(1 << 30).Account()
	begin := func() *Txn {
		inner, err := st.Begin(ctx, store.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		return &Txn{Txn: inner, Account: &account}
	}
	tx := begin()
	for _, k := range keys {
		if err := tx.Put(s, store.Item{Key: k}, store.Always); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(ctx); err != nil || account.Held() != 0 {
		t.Fatal(err, account.Held())
	}
	tx = begin()
	get := &store.Get{Keys: keys[:1], Stats: &store.Stats{}}
	scan := &store.Scan{Range: store.Range{Partition: []byte("p")}, Stats: &store.Stats{}, Remember: true}
	for _, step := range []struct {
		do   func() error
		want int64
	}{
		{func() error { _, err := tx.Get(ctx, s, get, types.NewBatch(0)); return err }, 0},
		{func() error { get.Remember = true; _, err := tx.Get(ctx, s, get, types.NewBatch(0)); return err }, 1},
		{func() (err error) {
			for _, e := range tx.Scan(ctx, s, scan) {
				err = e
			}
			return err
		}, 2},
		{func() error { tx.Refresh(); return nil }, 0},
	} {
		if err := step.do(); err != nil || account.Held() != step.want*rememberedBytes {
			t.Errorf("%v, and %d bytes are charged, want %d items", err, account.Held(), step.want)
		}
	}
	tx.Rollback()
}
