package storetest

import (
	"fmt"
	"slices"

	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/store/nesting"
	"zproxy/types"
)

var nestedTests = []test{
	{name: "nested spaces", run: testNested},
	{name: "held items", run: testHeld},
}

// family is a host, the children of its items, of two kinds, and the grandchildren of one kind. A key is the numbers
// of an item and its ancestors.
func (e *env) family() []*store.Space {
	host := e.named()
	host.Host = &nesting.Host{ID: uint64(host.ID), Name: host.Name, Partition: 1, Parts: make([]nesting.Part, 2)}
	out := []*store.Space{host}
	nest := func(in *store.Space, marker string) *store.Space {
		n := *in.Host
		n.Parts = slices.Concat(n.Parts, []nesting.Part{{Marker: mark(marker)}, {}})
		s := &store.Space{ID: store.SpaceID(e.ids.Add(1)), Name: "nested" + marker, Sorted: true, Host: &n}
		s.Columns = []store.Column{{ID: uint32(10 + len(out)), Name: fmt.Sprint("c", marker), Type: types.Text}}
		out = append(out, s)
		return s
	}
	child := nest(host, "1")
	nest(host, "2")
	nest(child, "3")
	return out
}

func mark(marker string) []byte { return ordered.Append(nil, types.NewText(marker), false) }

// nestedKey is the key of an item in a space of a family; the first two numbers are of the host's.
func nestedKey(s *store.Space, numbers [4]int) store.Key {
	var key []byte
	at, partition := 0, 0
	for i, p := range s.Host.Parts {
		if p.Marker != nil {
			key = append(key, p.Marker...)
		} else {
			key = ordered.Append(key, types.NewInt(int64(numbers[at])), p.Desc)
			at++
		}
		if i+1 == s.Host.Partition {
			partition = len(key)
		}
	}
	return store.Key{Partition: key[:partition:partition], Sort: key[partition:]}
}

// testNested writes items of several spaces that lie in one, at random, and reads each space as if it lay alone.
func testNested(e *env) {
	family := e.family()
	models := make([]model, len(family))
	for i := range models {
		models[i] = model{}
	}
	for range 30 {
		e.do(func(tx store.Txn) {
			for range 20 {
				i := e.rng.IntN(len(family))
				key := nestedKey(family[i], [4]int{e.rng.IntN(4), e.rng.IntN(4), e.rng.IntN(3), e.rng.IntN(3)})
				at := [2]string{string(key.Partition), string(key.Sort)}
				if e.rng.IntN(4) == 0 {
					e.must(tx.Delete(family[i], key, store.Always))
					delete(models[i], at)
					continue
				}
				value := fmt.Sprint(i, " ", e.rng.Uint32())
				it := store.Item{Key: key, Values: []types.Value{types.NewText(value)}}
				e.must(tx.Put(family[i], it, store.Always))
				models[i][at] = value
			}
			for i, s := range family {
				e.tryNested(tx, s, models[i])
			}
		})
	}
}

// tryNested reads a space, and a part of one of its partitions.
func (e *env) tryNested(tx store.Txn, s *store.Space, m model) {
	e.Helper()
	e.equal("a nested space", e.sorted(e.scan(tx, s, store.Scan{})), e.sorted(m.read(store.Scan{})))
	numbers := [4]int{e.rng.IntN(4), e.rng.IntN(4), e.rng.IntN(3), e.rng.IntN(3)}
	from := nestedKey(s, numbers)
	numbers[1] += e.rng.IntN(3)
	to := nestedKey(s, numbers)
	r := store.Scan{Reverse: e.rng.IntN(2) == 0, Enough: e.rng.IntN(5),
		Range: store.Range{Partition: from.Partition, From: from.Sort, To: to.Sort}}
	got := e.scan(tx, s, r)
	if want := m.read(r); r.Enough == 0 || len(got) < r.Enough {
		e.equal("a range of a nested space", got, want)
	} else {
		e.equal("the first of a range of a nested space", got[:r.Enough], want)
	}
}

// testHeld holds items: any number of transactions may do so at once, and none may write what another holds.
func testHeld(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "k", "parent"), store.Absent)) })
	find := func(tx store.Txn, hold bool) {
		get := store.Get{Keys: []store.Key{key("p", "k")}, Remember: true, Hold: hold, Stats: &store.Stats{}}
		found, err := tx.Get(ctx, s, &get, types.NewBatch(0))
		e.must(err)
		if !found[0] {
			e.Fatal("the parent is not found")
		}
	}
	hold := func(tx store.Txn, child string) {
		find(tx, true)
		e.must(tx.Put(s, text("p", child, child), store.Absent))
	}
	remove := func(tx store.Txn) {
		find(tx, false)
		e.must(tx.Delete(s, key("p", "k"), store.Unchanged))
	}
	first, second := e.begin(store.Mode{}), e.begin(store.Mode{})
	hold(first, "k1")
	if e.Capabilities().Snapshots {
		hold(second, "k2")
		e.must(first.Commit(ctx))
	} else { // that gives a new version, which is a conflict
		e.must(first.Commit(ctx))
		hold(second, "k2")
	}
	e.must(second.Commit(ctx))
	e.holds("two that hold it", s, "parent", "k1", "k2")

	writer, holder := e.begin(store.Mode{}), e.begin(store.Mode{})
	remove(writer)
	hold(holder, "k3")
	e.must(holder.Commit(ctx))
	e.wantErr("a delete of what was held meanwhile", writer.Commit(ctx), store.ErrConflict)

	writer, holder = e.begin(store.Mode{}), e.begin(store.Mode{})
	hold(holder, "k4")
	remove(writer)
	e.must(writer.Commit(ctx))
	e.wantErr("a commit that needs what was deleted meanwhile", holder.Commit(ctx), store.ErrConflict)
	e.holds("one was deleted", s, "k1", "k2", "k3")

	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, text("p", "k", "anew"), store.Absent))
		hold(tx, "k5")
	})
	e.holds("an own item is held", s, "anew", "k1", "k2", "k3", "k5")
}
