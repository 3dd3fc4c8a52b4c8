package serial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// keysOfPlay are the keys of a play.
const keysOfPlay = 4

// play runs transactions on a few keys, in steps that are drawn.
type play struct {
	*testing.T
	*rand.Rand
	order     *Order
	store     store.Store
	space     *store.Space
	versions  [keysOfPlay][]int // the transactions that wrote a key, in order; 0 has none
	committed []*actor
	refused   int
	deferred  bool // those that write nothing wait for a safe snapshot
	waited    int  // of these
	taken     int  // snapshots for them
	begun     int  // transactions
	open      []*actor
}

// mostOfPlay is how many transactions a play has.
const mostOfPlay = 12

// committing is a transaction of the store behind whose commit others begin before its order knows of the commit.
type committing struct {
	store.Txn
	*play
}

func (c committing) Commit(ctx context.Context) error {
	err := c.Txn.Commit(ctx)
	for c.begun < mostOfPlay && c.IntN(2) == 0 {
		c.open = append(c.open, c.begin())
	}
	return err
}

// actor is a transaction of a play: what it read of each key, and which it wrote.
type actor struct {
	id    int
	txn   store.Txn
	reads map[int]int // the transaction that had written the key
	wrote map[int]bool
	begun chan error // of one that waits; nil: it does not
}

// TestOrder wants the committed transactions of random schedules to have an order, also with those that only read. A
// few are refused for that.
func TestOrder(t *testing.T) {
	seed, refused, skewed := testseed.Of(t), 0, 0
	for round := range uint64(300) {
		p := newPlay(t, rand.New(rand.NewPCG(seed, round)), NewOrder())
		p.run()
		if circle := p.circle(); circle != nil {
			t.Fatalf("round %d: transactions in a circle: %v", round, circle)
		}
		if len(p.order.known) > 0 {
			t.Errorf("round %d: %d transactions are not forgotten", round, len(p.order.known))
		}
		refused += p.refused
		without := newPlay(t, rand.New(rand.NewPCG(seed, round)), nil)
		without.run()
		if without.circle() != nil {
			skewed++
		}
	}
	if refused == 0 || skewed == 0 {
		t.Errorf("%d transactions were refused, and %d rounds have circles without that", refused, skewed)
	}
	t.Logf("%d transactions were refused, and %d rounds have circles without that", refused, skewed)
}

func newPlay(t *testing.T, r *rand.Rand, o *Order) *play {
	p := &play{T: t, Rand: r, order: o, store: memstore.New(memstore.Options{}), space: &store.Space{ID: 9, Name: "s",
		Sorted: true, Columns: []store.Column{{ID: 1, Name: "by", Type: types.Int8}}}}
	p.must(p.store.Create(t.Context(), p.space))
	return p
}

func (p *play) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *play) run() {
	for p.begun < mostOfPlay || len(p.open) > 0 {
		if p.begun < mostOfPlay && len(p.open) < 4 && p.IntN(2) == 0 {
			p.open = append(p.open, p.begin())
			continue
		}
		if len(p.open) == 0 {
			continue
		}
		i := p.IntN(len(p.open))
		a := p.open[i]
		err, ended := p.step(a)
		if err != nil && !errors.Is(err, store.ErrConflict) {
			p.Fatal(err)
		}
		if sqlerr.Has(err, sqlerr.SerializationFailure) {
			p.refused++
		}
		if err != nil || ended {
			a.txn.Rollback()
			p.open = slices.Delete(p.open, i, i+1)
		}
	}
}

// TestDeferred wants transactions that only read, and wait for a safe snapshot, to have an order with those that are
// watched, though they are not. Each gets a snapshot, some wait, and some snapshots are not safe.
func TestDeferred(t *testing.T) {
	seed, waited, dropped := testseed.Of(t), 0, 0
	for round := range uint64(600) {
		synctest.Test(t, func(t *testing.T) {
			p := newPlay(t, rand.New(rand.NewPCG(seed, round)), NewOrder())
			p.deferred = true
			p.run()
			if circle := p.circle(); circle != nil {
				t.Fatalf("round %d: transactions in a circle: %v", round, circle)
			}
			if len(p.order.known) > 0 || len(p.order.deferred) > 0 {
				t.Errorf("round %d: %d transactions and %d snapshots are not forgotten", round, len(p.order.known),
					len(p.order.deferred))
			}
			waited, dropped = waited+p.waited, dropped+p.taken-3
		})
	}
	if waited == 0 || dropped == 0 {
		t.Errorf("%d transactions waited, %d snapshots were not safe", waited, dropped)
	}
	t.Logf("%d transactions waited, %d snapshots were not safe", waited, dropped)
}

// TestDeferredCanceled ends the wait for a safe snapshot.
func TestDeferredCanceled(t *testing.T) {
	o := NewOrder()
	o.Begin(1, false)
	cause, dropped := errors.New("canceled"), 0
	ctx, cancel := context.WithCancelCause(t.Context())
	err := o.Defer(ctx, 2, func() error { cancel(cause); return nil }, func() { dropped++ })
	if err != cause || dropped != 1 || len(o.deferred) != 0 {
		t.Errorf("%v, %d snapshots are dropped, %d are left", err, dropped, len(o.deferred))
	}
}

// wait begins a transaction that waits for its snapshot.
func (p *play) wait(a *actor) *actor {
	a.begun = make(chan error, 1)
	go func() {
		a.begun <- p.order.Defer(p.Context(), uint32(a.id), func() (err error) {
			p.taken++
			a.txn, err = p.store.Begin(p.Context(), store.Mode{})
			return err
		}, func() { a.txn.Rollback() })
	}()
	return a
}

// waits says whether a transaction still waits for its snapshot.
func (p *play) waits(a *actor) bool {
	if a.begun == nil {
		return false
	}
	synctest.Wait()
	select {
	case err := <-a.begun:
		p.must(err)
		a.begun = nil
		return false
	default:
		p.waited++
		if p.order.Blocking(uint32(a.id)) == nil {
			p.Errorf("transaction %d waits for none", a.id)
		}
		return true
	}
}

func (p *play) begin() *actor {
	p.begun++
	id := p.begun
	a := &actor{id: id, reads: map[int]int{}, wrote: map[int]bool{}}
	if p.deferred && readsOnly(id) {
		return p.wait(a)
	}
	var b Begun
	if p.order != nil {
		b = p.order.Begin(uint32(id), readsOnly(id))
	}
	txn, err := p.store.Begin(p.Context(), store.Mode{})
	p.must(err)
	a.txn = b.Watch(committing{txn, p})
	return a
}

// readsOnly says which transactions say that they write nothing.
func readsOnly(id int) bool { return id%4 == 0 }

func keyOf(k int) store.Key {
	return store.Key{Partition: []byte("p"), Sort: []byte{byte('a' + k)}}
}

// step reads a key or a range, writes a key, or commits.
func (p *play) step(a *actor) (err error, ended bool) {
	if p.waits(a) {
		return nil, false
	}
	k := p.IntN(keysOfPlay)
	switch p.IntN(6) {
	case 0, 1:
		return p.get(a, k), false
	case 2:
		return p.scan(a, k), false
	case 3, 4:
		if err := p.get(a, k); err != nil || readsOnly(a.id) { // guards the write
			return err, false
		}
		a.wrote[k] = true
		return a.txn.Put(p.space, store.Item{Key: keyOf(k), Values: []types.Value{types.NewInt(int64(a.id))}},
			store.Unchanged), false
	}
	if err := a.txn.Commit(context.Background()); err != nil {
		return err, true
	}
	p.committed = append(p.committed, a)
	for k := range a.wrote {
		p.versions[k] = append(p.versions[k], a.id)
	}
	return nil, true
}

func (p *play) get(a *actor, k int) error {
	out := types.NewBatch(1)
	_, err := a.txn.Get(p.Context(), p.space, &store.Get{Keys: []store.Key{keyOf(k)}, Columns: []int{0}, Remember: true,
		Stats: &store.Stats{}}, out)
	if err == nil {
		a.saw(k, out.Row(0)[0])
	}
	return err
}

// scan reads the keys from one on; those that are not there were read, too.
func (p *play) scan(a *actor, from int) error {
	seen := map[int]types.Value{}
	next := from
	r := &store.Scan{Range: store.Range{Partition: []byte("p"), From: keyOf(from).Sort}, Columns: []int{0},
		Stats: &store.Stats{}, Keys: func(k store.Key) { next = int(k.Sort[0] - 'a'); seen[next] = types.Null }}
	for batch, err := range a.txn.Scan(p.Context(), p.space, r) {
		if err != nil {
			return err
		}
		at := 0
		for k := from; k < keysOfPlay; k++ {
			if _, there := seen[k]; there && at < batch.Len() {
				seen[k] = batch.Row(at)[0]
				at++
			}
		}
	}
	for k := from; k < keysOfPlay; k++ {
		v, there := seen[k]
		if !there {
			v = types.Null
		}
		a.saw(k, v)
	}
	return nil
}

// saw notes whose version of a key was read, unless it is its own.
func (a *actor) saw(k int, v types.Value) {
	by := 0
	if !v.IsNull() {
		by = int(v.Int())
	}
	if _, again := a.reads[k]; !again && by != a.id {
		a.reads[k] = by
	}
}

// circle is the transactions of a circle in which each must come before the next one; nil: there is none.
func (p *play) circle() []int {
	before := map[int][]int{}
	for k, versions := range p.versions {
		for i := 1; i < len(versions); i++ {
			before[versions[i-1]] = append(before[versions[i-1]], versions[i])
		}
		for _, a := range p.committed {
			by, read := a.reads[k]
			if !read {
				continue
			}
			if by != 0 {
				before[by] = append(before[by], a.id)
			}
			if at := slices.Index(versions, by) + 1; at < len(versions) && versions[at] != a.id {
				before[a.id] = append(before[a.id], versions[at])
			}
		}
	}
	state := map[int]int{} // 1: on the path, 2: done
	var path []int
	var visit func(int) []int
	visit = func(id int) []int {
		switch state[id] {
		case 1:
			return append(slices.Clone(path), id)
		case 2:
			return nil
		}
		state[id] = 1
		path = append(path, id)
		for _, next := range before[id] {
			if c := visit(next); c != nil {
				return c
			}
		}
		path, state[id] = path[:len(path)-1], 2
		return nil
	}
	for _, a := range p.committed {
		if c := visit(a.id); c != nil {
			return c
		}
	}
	return nil
}

// String is for failures.
func (a *actor) String() string { return fmt.Sprintf("%d read %v, wrote %v", a.id, a.reads, a.wrote) }
