package dynamostore

import (
	"errors"
	"testing"
	"time"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamolocal"
)

// TestBlindVersions writes without a look over an item of a process whose clock is ahead. A put with a lower version
// is a conflict, since another transaction could take the item for the one that it has read; a delete leaves none.
func TestBlindVersions(t *testing.T) {
	s, sp := open(t), items(1)
	load(t, s, sp, 0, 0)
	write := func(do func(store.Txn) error) error {
		tx := begin(t, s)
		return errors.Join(do(tx), tx.Commit(t.Context()))
	}
	put := func(tx store.Txn) error { return tx.Put(sp, bodied(1), store.Blind) }
	s.clock = clock{now: func() time.Time { return time.Now().Add(time.Hour) }}
	if err := write(put); err != nil {
		t.Fatal(err)
	}
	s.clock = clock{now: time.Now}
	if err := write(put); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a put of a lower version: %v", err)
	}
	if err := write(func(tx store.Txn) error { return tx.Delete(sp, key(1), store.Blind) }); err != nil {
		t.Errorf("a delete: %v", err)
	}
	if err := write(put); err != nil {
		t.Errorf("a put where nothing is: %v", err)
	}
}

// TestBlindOnce loses the answer to a blind write. It is not asked for a second time, which could undo what others have
// written meanwhile.
func TestBlindOnce(t *testing.T) {
	real, sp := open(t), items(1)
	load(t, real, sp, 0, 0)
	pass, asked := through(t, dynamolocal.Start(t)), map[string]int{}
	lossy := openFake(t, func(action string, body []byte) (int, string, error) {
		asked[action]++
		status, answer, err := pass(action, body)
		if action == "PutItem" || action == "DeleteItem" {
			return 500, `{}`, err
		}
		return status, answer, err
	})
	lossy.prefix = real.prefix
	tx := begin(t, lossy)
	if err := errors.Join(tx.Put(sp, bodied(1), store.Blind), tx.Commit(t.Context())); err != nil {
		t.Errorf("a put that is there: %v", err)
	}
	tx = begin(t, lossy)
	err := errors.Join(tx.Delete(sp, key(1), store.Blind), tx.Commit(t.Context()))
	if !errors.Is(err, store.ErrUnknown) {
		t.Errorf("a delete: %v", err)
	}
	if asked["PutItem"] != 1 || asked["DeleteItem"] != 1 {
		t.Errorf("asked %v", asked)
	}
}
