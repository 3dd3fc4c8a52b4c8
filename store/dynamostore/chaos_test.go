package dynamostore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

var (
	chaosRuns = flag.Int("chaos.runs", 6, "how many runs TestChaos has")
)

// outcomes count what became of writes.
type outcomes struct{ done, unknown int }

// world is a run of TestChaos: rows with counters, and rows that come and go with an entry each.
type world struct {
	t             *testing.T
	rows, entries *store.Space
	mu            sync.Mutex
	added         [4]outcomes // to the counters
	put, deleted  [4]outcomes // of the rows that come and go
	conflicts     int
}

// TestChaos has clients write through stores that fail in all ways. In the end each write that was
// acknowledged was carried out once, no write that was refused was, sums of what transactions
// move are what they were, and each row has its entry.
func TestChaos(t *testing.T) {
	first := testseed.Of(t)
	for i := range *chaosRuns {
		seed := first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { chaos(t, seed) })
		})
	}
}

func chaos(t *testing.T, seed uint64) {
	f := dynamofake.New(dynamofake.Options{Seed: seed})
	defer f.Close()
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &world{t: t, rows: items(1), entries: items(2)}
	w.rows.Columns[0].Type, w.entries.Columns[0].Type = types.Int8, types.Int8
	steady := openOn(t, f, "steady")
	for _, sp := range []*store.Space{w.rows, w.entries} {
		if err := steady.Create(t.Context(), sp); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * len(w.added) {
		w.must(steady, func(tx store.Txn) error { return tx.Put(w.rows, numberedItem(i, 0), store.Absent) })
	}
	often := func() float64 { return rng.Float64() * 0.1 * float64(rng.IntN(2)) }
	f.SetFaults(dynamofake.Faults{
		Throttle: often(), ErrorBefore: often(), ErrorAfter: often(), CutBefore: often(), CutAfter: often(),
		Delay: often(), Conflict: often(), Cancel: often(), InProgress: often(), Partial: often(), Pages: often(),
	})
	pause := time.Duration(1)
	if rng.IntN(2) == 0 {
		pause = time.Minute // so that entries go meanwhile that had to wait
	}
	var clients sync.WaitGroup
	inOne := []int{1, maxTransactItems}[seed%2] // writes together, more by intents
	for i := range 6 {
		s, rng := openWith(t, f, fmt.Sprint("client ", i%2), Options{MostTogether: inOne}),
			rand.New(rand.NewPCG(seed, uint64(i+2)))
		clients.Go(func() {
			for range 40 {
				w.step(s, rng)
				time.Sleep(time.Duration(rng.Int64N(int64(pause))))
			}
		})
	}
	clients.Wait()
	f.EndFaults()
	w.check(steady)
	time.Sleep(lateness + together)
	w.check(steady)
}

func numberedItem(n, value int) store.Item {
	return store.Item{Key: key(n), Values: []types.Value{types.NewInt(int64(value))}}
}

// must makes a transaction while nothing fails.
func (w *world) must(s *Store, do func(store.Txn) error) {
	w.t.Helper()
	tx := begin(w.t, s)
	if err := errors.Join(do(tx), tx.Commit(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
}

// read remembers rows, and gives their values, -1 for one that is not there.
func (w *world) read(ctx context.Context, tx store.Txn, rows ...int) ([]int, error) {
	ask := store.Get{Remember: true, Columns: []int{0}, Stats: &store.Stats{}}
	for _, n := range rows {
		ask.Keys = append(ask.Keys, key(n))
	}
	out := types.NewBatch(1)
	there, err := tx.Get(ctx, w.rows, &ask, out)
	if err != nil {
		return nil, err
	}
	values := make([]int, len(rows))
	for i := range rows {
		values[i] = -1
		if there[i] {
			values[i] = int(out.Row(i)[0].Int())
		}
	}
	return values, nil
}

// step does something to some rows and notes what became of it.
func (w *world) step(s *Store, rng *rand.Rand) {
	ctx, done := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer done()
	tx, err := s.Begin(ctx, store.Mode{})
	if err != nil {
		w.t.Error(err)
		return
	}
	defer tx.Rollback()
	n := rng.IntN(len(w.added))
	var of *outcomes
	switch rng.IntN(3) {
	case 0:
		of, err = &w.added[n], w.add(ctx, tx, n)
	case 1:
		err = w.move(ctx, tx, n, rng.IntN(len(w.added)))
	default:
		of, err = w.toggle(ctx, tx, n)
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrUnreachable),
		errors.Is(err, store.ErrTooLarge):
		w.conflicts++
	case err != nil && !errors.Is(err, store.ErrUnknown):
		w.t.Error(err)
	case of == nil:
	case err == nil:
		of.done++
	default:
		of.unknown++
	}
}

// add adds one to a counter.
func (w *world) add(ctx context.Context, tx store.Txn, n int) error {
	v, err := w.read(ctx, tx, n)
	if err != nil {
		return err
	}
	return tx.Put(w.rows, numberedItem(n, v[0]+1), store.Unchanged)
}

// move takes from one balance and gives to another.
func (w *world) move(ctx context.Context, tx store.Txn, from, to int) error {
	if from == to {
		return nil
	}
	from, to = from+len(w.added), to+len(w.added)
	v, err := w.read(ctx, tx, from, to)
	if err != nil {
		return err
	}
	return errors.Join(tx.Put(w.rows, numberedItem(from, v[0]-1), store.Unchanged),
		tx.Put(w.rows, numberedItem(to, v[1]+1), store.Unchanged))
}

// toggle puts a row with its entry, or deletes both.
func (w *world) toggle(ctx context.Context, tx store.Txn, n int) (*outcomes, error) {
	row := n + 2*len(w.added)
	v, err := w.read(ctx, tx, row)
	if err != nil {
		return nil, err
	}
	if v[0] < 0 {
		return &w.put[n], errors.Join(tx.Put(w.rows, numberedItem(row, 0), store.Absent),
			tx.Put(w.entries, numberedItem(row, 0), store.Loose))
	}
	return &w.deleted[n], errors.Join(tx.Delete(w.rows, key(row), store.Unchanged),
		tx.Delete(w.entries, key(row), store.Loose))
}

// check reads everything when all writes have come to their end.
func (w *world) check(s *Store) {
	var all []int
	for i := range 3 * len(w.added) {
		all = append(all, i)
	}
	v, err := w.read(w.t.Context(), begin(w.t, s), all...)
	if err != nil {
		w.t.Fatal(err)
	}
	k, sum := len(w.added), 0
	ask := store.Get{Stats: &store.Stats{}}
	for i := range k {
		if a := w.added[i]; v[i] < a.done || v[i] > a.done+a.unknown {
			w.t.Errorf("counter %d is %d after %+v", i, v[i], a)
		}
		sum += v[k+i]
		p, d, there := w.put[i], w.deleted[i], v[2*k+i]+1
		if there < p.done-d.done-d.unknown || there > p.done+p.unknown-d.done {
			w.t.Errorf("row %d is there %d times after %+v puts and %+v deletes", i, there, p, d)
		}
		ask.Keys = append(ask.Keys, key(2*k+i))
	}
	if sum != 0 {
		w.t.Errorf("balances %v", v[k:2*k])
	}
	entries, err := begin(w.t, s).Get(w.t.Context(), w.entries, &ask, types.NewBatch(0))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range k {
		if v[2*k+i] >= 0 && !entries[i] {
			w.t.Errorf("row %d has no entry", i)
		}
	}
	w.t.Logf("added %v, put %v, deleted %v, %d conflicts, entries %v", w.added, w.put, w.deleted, w.conflicts, entries)
}
