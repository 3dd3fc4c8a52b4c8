package catalogstore

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"zproxy/store"
	"zproxy/store/nesting"
	"zproxy/types"
)

// Agreed is what all processes on a store go by. It changes only from the state that was read.
type Agreed struct {
	Seq     uint64 // grows when Version, Frozen or Closed change
	Version uint64 // of the catalog; each change of it makes the next
	By      uint64 `json:",omitempty"` // who made it
	// Owner is the process that is changing the schema; 0: none is.
	Owner uint64 `json:",omitempty"`
	// Frozen are the tables of which only the owner commits rows, and databases in which no session begins.
	Frozen []uint32 `json:",omitempty"`
	// Closed are those of the frozen tables that only transactions of the owner use, and of the databases those whose
	// sessions are ended.
	Closed []uint32 `json:",omitempty"`
}

// Given is what is agreed on when the owner of the change gives it back.
func (a Agreed) Given() Agreed {
	if len(a.Frozen) > 0 {
		a.Seq++
	}
	a.Owner, a.Frozen, a.Closed = 0, nil, nil
	return a
}

// Member is what a process tells the others of itself, again and again while it lives.
type Member struct {
	ID     uint64 `json:"-"`
	Beat   uint64 // grows
	Seen   uint64 // the Seq by which it goes
	Oldest uint64 // the version of the catalog by which its oldest open transaction goes
	// Sessions are how many use databases that another process closes.
	Sessions int `json:",omitempty"`
}

// PendingDrop is a space that a process has to drop, unless the catalog owns it.
type PendingDrop struct {
	Space  uint64 `json:"-"`
	Name   string
	Sorted bool          `json:",omitempty"`
	Host   *nesting.Host `json:",omitempty"` // whose items are removed one by one; nil: the space is dropped
	Member uint64        // that has to, or the one that evicts it
	// Version is that of the catalog without the space; 0: it has not been in any yet.
	Version uint64 `json:",omitempty"`
}

// ReadAgreed is what is agreed on, which the transaction may then change.
func ReadAgreed(ctx context.Context, txn store.Txn) (Agreed, error) {
	var a Agreed
	_, err := read(ctx, txn, kindAgreed, 0, &a)
	return a, err
}

// PutAgreed changes what ReadAgreed has read, unless another process does so first.
func PutAgreed(txn store.Txn, a Agreed) error { return putRead(txn, kindAgreed, 0, a) }

// ReadMember is what a process said last, which the transaction may then change; false if it is
// no member any more.
func ReadMember(ctx context.Context, txn store.Txn, id uint64) (Member, bool, error) {
	m := Member{ID: id}
	there, err := read(ctx, txn, kindMember, id, &m)
	return m, there, err
}

// PutMember changes what ReadMember has read.
func PutMember(txn store.Txn, m Member) error { return putRead(txn, kindMember, m.ID, m) }

// DeleteMember takes a member away that ReadMember has read.
func DeleteMember(txn store.Txn, id uint64) error {
	return txn.Delete(space, keyOf(kindMember, id), store.Unchanged)
}

// Members are all members.
func Members(ctx context.Context, txn store.Txn) ([]Member, error) {
	var out []Member
	err := each(ctx, txn, kindMember, func(id uint64, body string) error {
		m := Member{ID: id}
		err := json.Unmarshal([]byte(body), &m)
		out = append(out, m)
		return err
	})
	return out, err
}

// PutPendingDrop notes that a space has to be dropped.
func PutPendingDrop(txn store.Txn, d PendingDrop) error {
	body, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return put(txn, kindPendingDrop, d.Space, string(body))
}

// DeletePendingDrop forgets a drop that was carried out, if what is noted is still the same: a later change may have
// noted another drop of the space.
func DeletePendingDrop(ctx context.Context, txn store.Txn, d PendingDrop) error {
	now := PendingDrop{Space: d.Space}
	there, err := read(ctx, txn, kindPendingDrop, d.Space, &now)
	if err != nil || !there || !reflect.DeepEqual(now, d) {
		return err
	}
	return txn.Delete(space, keyOf(kindPendingDrop, d.Space), store.Unchanged)
}

// PendingDrops are all that are noted.
func PendingDrops(ctx context.Context, txn store.Txn) ([]PendingDrop, error) {
	var out []PendingDrop
	err := each(ctx, txn, kindPendingDrop, func(id uint64, body string) error {
		d := PendingDrop{Space: id}
		err := json.Unmarshal([]byte(body), &d)
		out = append(out, d)
		return err
	})
	return out, err
}

// read reads one item into a value as it is now, and lets the transaction change it.
func read(ctx context.Context, txn store.Txn, kind string, id uint64, into any) (there bool, err error) {
	out := types.NewBatch(1)
	get := &store.Get{Keys: []store.Key{keyOf(kind, id)}, Columns: []int{bodyColumn}, Remember: true,
		Latest: true, Stats: &store.Stats{}}
	found, err := txn.Get(ctx, space, get, out)
	if err != nil {
		return false, fmt.Errorf("catalog: %w", err)
	}
	if !found[0] {
		return false, nil
	}
	if err := json.Unmarshal([]byte(out.Row(0)[0].Text()), into); err != nil {
		return false, damaged(kind, id, err)
	}
	return true, nil
}

// putRead stores what read has read, unless another transaction changes it first.
func putRead(txn store.Txn, kind string, id uint64, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return txn.Put(space, itemOf(kind, id, types.NewText(string(body)), types.Null), store.Renewed)
}
