package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// mortal sends requests until it has died, and nothing from then on.
type mortal struct {
	next  *dynamofake.Client
	after atomic.Int64 // requests that are still made
}

func (m *mortal) Do(r *http.Request) (*http.Response, error) {
	if m.after.Add(-1) < 0 {
		return nil, errors.New("the process has died")
	}
	return m.next.Do(r)
}

// group is rows of which each transaction puts all, with one value, or deletes all; each row has an entry.
type group struct {
	t             *testing.T
	rows, entries *store.Space
	size          int
	mu            sync.Mutex
	may           map[int]bool // values that the group may have: -1 for none
}

// counter is the row behind those of the group that counts the commits.
func (g *group) counter() int { return g.size }

func newGroup(t *testing.T, s *Store, size int) *group {
	g := &group{t: t, rows: items(1), entries: items(2), size: size, may: map[int]bool{-1: true}}
	g.rows.Columns[0].Type, g.entries.Columns[0].Type = types.Int8, types.Int8
	for _, sp := range []*store.Space{g.rows, g.entries} {
		if err := s.Create(t.Context(), sp); err != nil {
			t.Fatal(err)
		}
	}
	tx := begin(t, s)
	err := tx.Put(g.rows, numberedItem(g.counter(), 0), store.Absent)
	if err := errors.Join(err, tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	return g
}

// counted is how many commits the counter has counted.
func (g *group) counted(ctx context.Context, tx store.Txn) (int, error) {
	ask := store.Get{Keys: []store.Key{key(g.counter())}, Remember: true, Columns: []int{0}, Stats: &store.Stats{}}
	out := types.NewBatch(1)
	if _, err := tx.Get(ctx, g.rows, &ask, out); err != nil {
		return 0, err
	}
	return int(out.Row(0)[0].Int()), nil
}

// get reads values of the rows, or of the entries, -1 for what is not there.
func (g *group) get(ctx context.Context, tx store.Txn, sp *store.Space) ([]int, error) {
	ask := store.Get{Remember: true, Columns: []int{0}, Stats: &store.Stats{}}
	for n := range g.size {
		ask.Keys = append(ask.Keys, key(n))
	}
	out := types.NewBatch(1)
	there, err := tx.Get(ctx, sp, &ask, out)
	values := make([]int, g.size)
	for i := range there {
		if values[i] = -1; there[i] {
			values[i] = int(out.Row(i)[0].Int())
		}
	}
	return values, err
}

// whole is the value that all have.
func whole(values []int) (int, error) {
	for _, v := range values {
		if v != values[0] {
			return 0, fmt.Errorf("torn: %v", values)
		}
	}
	return values[0], nil
}

// write makes a value that of the whole group, -1 to delete it.
func (g *group) write(ctx context.Context, s *Store, value int) error {
	tx, err := s.Begin(ctx, store.Mode{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, err := g.get(ctx, tx, g.rows)
	if err != nil {
		return err
	}
	commits, err := g.counted(ctx, tx)
	if err != nil {
		return err
	}
	if err := tx.Put(g.rows, numberedItem(g.counter(), commits+1), store.Unchanged); err != nil {
		return err
	}
	for n, v := range now {
		switch {
		case value < 0 && v < 0:
			err = tx.Delete(g.rows, key(n), store.Absent)
		case value < 0:
			err = errors.Join(tx.Delete(g.rows, key(n), store.Unchanged), tx.Delete(g.entries, key(n), store.Always))
		default:
			guard := store.Unchanged
			if v < 0 {
				guard = store.Absent
			}
			err = errors.Join(tx.Put(g.rows, numberedItem(n, value), guard),
				tx.Put(g.entries, numberedItem(n, value), store.Always))
		}
		if err != nil {
			return err
		}
	}
	err = tx.Commit(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		g.may = map[int]bool{value: true}
	case errors.Is(err, store.ErrUnknown):
		g.may[value] = true
	}
	return err
}

// holds wants the group whole, and of a value that it may have.
func (g *group) holds(s *Store) int {
	g.t.Helper()
	rows, err := g.get(g.t.Context(), begin(g.t, s), g.rows)
	entries, err2 := g.get(g.t.Context(), begin(g.t, s), g.entries)
	if err := errors.Join(err, err2); err != nil {
		g.t.Fatal(err)
	}
	v, err := whole(append(rows, entries...))
	if err != nil || !g.may[v] {
		g.t.Fatalf("%v; values may be %v", err, g.may)
	}
	return v
}

// quiet wants no intent left in some tables, and nothing in that of the records.
func (g *group) quiet(f *dynamofake.Fake, tables ...string) {
	g.t.Helper()
	s := openOn(g.t, f, "looks")
	for _, table := range tables {
		out, err := s.client.Scan(g.t.Context(), &dynamodb.ScanInput{TableName: &table})
		if err != nil {
			g.t.Fatal(err)
		}
		for _, of := range out.Items {
			if of[intentAttribute] != nil || of[beneathAttribute] != nil || table == s.records.table() {
				g.t.Errorf("left in %s: %v", table, of)
			}
		}
	}
}

// TestIntentsOfTheDead kills a process at each of the requests of a commit by intents. Another one finds all of it or
// nothing, writes over it, and leaves nothing of it.
func TestIntentsOfTheDead(t *testing.T) {
	const size = 4
	for _, change := range [][2]int{{-1, 1}, {1, 2}, {1, -1}} {
		for dies, done := 0, false; !done; dies++ {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{Seed: uint64(dies)})
				defer f.Close()
				s := openOn(t, f, "steady")
				if err := s.records.ensure(t.Context()); err != nil {
					t.Fatal(err)
				}
				g := newGroup(t, s, size)
				if err := g.write(t.Context(), s, change[0]); err != nil {
					t.Fatal(err)
				}
				m := &mortal{next: f.Client("mortal")}
				m.after.Store(1 << 40)
				o := Options{Endpoint: "http://127.0.0.1:1", HTTPClient: m, MostTogether: 1}
				victim, err := Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				victim.records.there.Store(true)
				ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
				defer stop()
				m.after.Store(int64(dies))
				_ = g.write(ctx, victim, change[1])
				g.may = map[int]bool{change[0]: true, change[1]: true}
				done = m.after.Load() > 0
				v := g.holds(s)
				if dies%2 == 0 { // a writer finds the dead, or none does
					if err := g.write(t.Context(), s, 7); err != nil {
						t.Fatal(err)
					}
					v = 7
				}
				_ = victim.Close()
				time.Sleep(2 * ownerLease)
				if g.holds(s) != v {
					t.Errorf("it was %d, and is %d", v, g.holds(s))
				}
				tables := []string{s.table(g.rows), s.table(g.entries)}
				g.quiet(f, tables...)
				time.Sleep(lateness + ownerLease)
				g.quiet(f, append(tables, s.records.table())...)
			})
			if dies > 200 {
				t.Fatal("a commit does not end")
			}
		}
	}
}

// TestIntentsChaos has processes write a group by intents, or by one request, through stores that fail in all ways and
// die. It is always whole, as a writer reads it, and in the end nothing is left but what was committed.
func TestIntentsChaos(t *testing.T) {
	first := testseed.Of(t)
	for i := range 2 * *chaosRuns {
		seed := first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { intentsChaos(t, seed) })
		})
	}
}

// tally counts what became of commits.
type tally struct{ value, commits, unknown, conflicts atomic.Int64 }

// live has a process write the group until it dies.
func (c *tally) live(g *group, client *dynamofake.Client, rng *rand.Rand) {
	m := &mortal{next: client}
	m.after.Store(50 + rng.Int64N(300))
	s, err := Open(g.t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: m,
		MostTogether: []int{1, maxTransactItems}[rng.IntN(2)]})
	if err != nil {
		g.t.Error(err)
		return
	}
	for m.after.Load() > 0 {
		ctx, stop := context.WithTimeout(g.t.Context(), time.Minute)
		to := int(c.value.Add(1))
		if rng.IntN(3) == 0 {
			to = -1
		}
		err := g.write(ctx, s, to)
		stop()
		switch {
		case err == nil:
			c.commits.Add(1)
		case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrTooLarge): // of the fake's faults
			c.conflicts.Add(1)
		case errors.Is(err, store.ErrUnknown):
			c.unknown.Add(1)
		case m.after.Load() > 0 && !errors.Is(err, store.ErrBusy) && !errors.Is(err, store.ErrUnreachable):
			g.t.Error(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(200 * time.Millisecond))))
	}
	_ = s.Close()
}

func intentsChaos(t *testing.T, seed uint64) {
	f := dynamofake.New(dynamofake.Options{Seed: seed})
	defer f.Close()
	rng := rand.New(rand.NewPCG(seed, 1))
	steady := openOn(t, f, "steady")
	g := newGroup(t, steady, 2+rng.IntN(6))
	if err := steady.records.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	often := func() float64 { return rng.Float64() * 0.05 * float64(rng.IntN(2)) }
	f.SetFaults(dynamofake.Faults{
		Throttle: often(), ErrorBefore: often(), ErrorAfter: often(), CutBefore: often(), CutAfter: often(),
		Delay: often(), Conflict: often(), Cancel: often(), InProgress: often(), Partial: often(), Pages: often(),
	})
	var clients sync.WaitGroup
	var c tally
	for i := range 4 {
		rng := rand.New(rand.NewPCG(seed, uint64(i+2)))
		clients.Go(func() {
			for life := range 3 {
				c.live(g, f.Client(fmt.Sprint(i, life)), rng)
			}
		})
	}
	clients.Wait()
	f.EndFaults()
	time.Sleep(3*ownerLease + lateness + sweepEvery) // for what arrives late

	rows, err := g.get(t.Context(), begin(t, steady), g.rows)
	entries, err2 := g.get(t.Context(), begin(t, steady), g.entries)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	v, err := whole(append(rows, entries...))
	if err != nil {
		t.Error(err)
	}
	counted, err := g.counted(t.Context(), begin(t, steady))
	known, perhaps := c.commits.Load(), c.unknown.Load()
	if n := int64(counted); err != nil || n < known || n > known+perhaps {
		t.Errorf("%d commits were counted, %v; %d were made, and perhaps %d", counted, err, known, perhaps)
	}
	g.quiet(f, steady.table(g.rows), steady.table(g.entries), steady.records.table())
	t.Logf("value %d of %d, %d commits, %d unknown, %d conflicts", v, c.value.Load(), known, perhaps,
		c.conflicts.Load())
}
