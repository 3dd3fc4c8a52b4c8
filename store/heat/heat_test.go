package heat

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// stream draws keys by Zipf's law, in an order of keys that has nothing to do with how often they are drawn.
type stream struct {
	zipf  *rand.Zipf
	names []int
}

func newStream(r *rand.Rand, s float64, keys int) *stream {
	return &stream{rand.NewZipf(r, s, 1, uint64(keys-1)), r.Perm(keys)}
}

func (s *stream) next() []byte { return fmt.Appendf(nil, "%06d", s.names[s.zipf.Uint64()]) }

// TestTop compares a top with exact counts: no key is counted too low with its error, or too high without, no error is
// above a share of all, and no key above that share is missing.
func TestTop(t *testing.T) {
	seed := testseed.Of(t)
	for round := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, round))
		keys := newStream(r, 1.01+r.Float64(), 10+r.IntN(5000))
		exact, of, all := map[string]int64{}, top{}, int64(0)
		for range 20_000 {
			key, c := keys.next(), Counts{Reads: int64(r.IntN(3)), Writes: int64(r.IntN(2))}
			of.add(key, c)
			exact[string(key)] += c.Sum()
			all += c.Sum()
		}
		there := map[string]bool{}
		for _, k := range of.keys {
			there[string(k.Key)] = true
			n := exact[string(k.Key)]
			if n < k.Sum() || n > k.estimate() || k.Over > all/mostKeys {
				t.Errorf("round %d: %s was counted %d times of %d, at most %d too low, and is there %d times", round, k.Key,
					k.Sum(), all, k.Over, n)
			}
		}
		for key, n := range exact {
			if n > all/mostKeys && !there[key] {
				t.Errorf("round %d: %s is missing, with %d of %d", round, key, n, all)
			}
		}
	}
}

// TestRanges compares a histogram with exact counts: each range has what its keys have.
func TestRanges(t *testing.T) {
	seed := testseed.Of(t)
	for round := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, round))
		keys := newStream(r, 1.01+r.Float64(), 1+r.IntN(2000))
		exact, of := map[string]Counts{}, ranges{}
		for range 5000 {
			key, c := keys.next(), Counts{Reads: int64(r.IntN(3)), Writes: 1, Throttles: int64(r.IntN(2))}
			of.add(key, c)
			n := exact[string(key)]
			n.add(c)
			exact[string(key)] = n
		}
		if len(of) > mostRanges {
			t.Fatalf("round %d: there are %d ranges", round, len(of))
		}
		var sum Counts
		for i, g := range of {
			if i > 0 && bytes.Compare(of[i-1].To, g.From) >= 0 || bytes.Compare(g.From, g.To) > 0 {
				t.Errorf("round %d: the ranges %q and %q are not in order", round, of[max(i-1, 0)].From, g.From)
			}
			sum.add(g.Counts)
		}
		var want Counts
		for key, c := range exact {
			want.add(c)
			within := false
			for _, g := range of {
				within = within || string(g.From) <= key && key <= string(g.To)
			}
			if !within {
				t.Errorf("round %d: no range has %s", round, key)
			}
		}
		if sum != want {
			t.Errorf("round %d: the ranges have %v, want %v", round, sum, want)
		}
	}
}

// TestGrowingKeys wants the end of growing keys to be in short ranges, however many there were.
func TestGrowingKeys(t *testing.T) {
	var of ranges
	for i := range 10_000 {
		of.add(fmt.Appendf(nil, "%06d", i), aWrite)
	}
	for _, g := range of {
		if g.Writes > 10_000/mostRanges*3 {
			t.Errorf("the range from %s to %s has %d of 10000 keys", g.From, g.To, g.Writes)
		}
	}
}

// clock is one that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// TestSampling wants many requests to be sampled thinly, and their counts to be about right for that.
func TestSampling(t *testing.T) {
	testseed.Of(t)
	c := &clock{time.Unix(6000, 0)}
	m := NewMeter(c.now)
	s := &store.Space{ID: 7}
	const seconds, each = 20, 200_000
	taken := 0
	for range seconds {
		for i := range each {
			before := m.taken
			m.count(s, store.Key{Partition: fmt.Appendf(nil, "%d", i%4)}, aRead)
			if m.taken != before {
				taken++
			}
		}
		c.at = c.at.Add(time.Second)
	}
	if taken > seconds*3*budget {
		t.Errorf("%d samples were taken in %d seconds", taken, seconds)
	}
	got := m.Report(7)
	if math.Abs(float64(got.Reads)/(seconds*each)-1) > 0.1 || got.Seconds != seconds {
		t.Errorf("%d reads were counted in %g s, of %d", got.Reads, got.Seconds, seconds*each)
	}
	for _, k := range got.Keys() {
		if math.Abs(float64(k.Reads)/(seconds*each/4)-1) > 0.2 {
			t.Errorf("%d reads of %s were counted, of %d", k.Reads, k.Key, seconds*each/4)
		}
	}
	c.at = c.at.Add(time.Hour)
	m.count(s, store.Key{Partition: []byte("x")}, aRead)
	for range 100 * mostEvery {
		m.count(s, store.Key{Partition: []byte("x")}, aRead)
	}
	if got := m.Report(7); got.Reads == 0 || len(got.Keys()) != 1 || len(got.Minutes) != 2 {
		t.Errorf("after an hour there is %+v", got)
	}
}

// TestRefused wants each refusal counted at its key, however many requests there are for others, and no key
// among the most frequent ones for it.
func TestRefused(t *testing.T) {
	m := NewMeter((&clock{time.Unix(6000, 0)}).now)
	s := &store.Space{ID: 7}
	partition := func(i int) store.Key { return store.Key{Partition: fmt.Appendf(nil, "%05d", i)} }
	for i := range 20_000 {
		m.count(s, partition(i), aRead)
		if i%1000 == 0 {
			m.Refused(7, partition(500))
		}
	}
	m.Refused(8, store.Key{})
	throttles := int64(0)
	r := m.Report(7)
	for _, g := range r.Minutes[0].Ranges {
		throttles += g.Throttles
		if within := string(g.From) <= "00500" && "00500" <= string(g.To); within != (g.Throttles > 0) {
			t.Errorf("from %s to %s there are %d refusals", g.From, g.To, g.Throttles)
		}
	}
	if throttles != 20 || r.Throttles != 20 {
		t.Errorf("%d and %d refusals are counted, of 20", throttles, r.Throttles)
	}
	other := m.Report(8)
	if other.Throttles != 1 || other.Sum() != 0 || len(other.Keys()) != 0 {
		t.Errorf("of a space without requests there is %+v", other)
	}
}

// TestBounds wants memory to be bounded: spaces, minutes, and keys.
func TestBounds(t *testing.T) {
	c := &clock{time.Unix(6000, 0)}
	m := NewMeter(c.now)
	for i := range 3 * mostMinutes {
		for id := range store.SpaceID(mostSpaces + 9) {
			m.add(&store.Space{ID: id}, store.Key{Partition: fmt.Append(nil, i), Sort: []byte("x")}, aWrite)
			m.add(&store.Space{ID: id}, store.Key{Partition: make([]byte, mostKey+1)}, aWrite)
		}
		c.at = c.at.Add(resolution)
	}
	last := m.Report(mostSpaces + 8)
	if len(m.spaces) != mostSpaces || last == nil || m.Report(mostSpaces+9) != nil {
		t.Errorf("there are %d spaces", len(m.spaces))
	}
	for id := range m.spaces {
		s := m.spaces[id]
		n := len(s.minutes)
		if n > mostMinutes || n > keptKeys && s.minutes[n-1-keptKeys].items != nil {
			t.Errorf("space %d has %d minutes", id, len(s.minutes))
		}
		for _, at := range s.minutes {
			if at.counts.Writes != 2*at.ranges[0].Writes {
				t.Errorf("long keys are not counted for their space: %+v", at)
			}
		}
	}
	if (*Meter)(nil).Report(1) != nil || (*Meter)(nil).Watch(nil, nil) != nil {
		t.Error("no meter counts something")
	}
}

// TestWatch counts what a transaction asks for.
func TestWatch(t *testing.T) {
	c := &clock{time.Unix(6000, 0)}
	m := NewMeter(c.now)
	st := memstore.New(memstore.Options{})
	s := &store.Space{ID: 1, Name: "s", Sorted: true, Columns: []store.Column{{ID: 1, Name: "a", Type: types.Int4}}}
	if err := st.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	inner, err := st.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	tx := m.Watch(inner, &Txn{})
	defer tx.Rollback()
	key := func(p, q string) store.Key { return store.Key{Partition: []byte(p), Sort: []byte(q)} }
	for i := range 4 {
		it := store.Item{Key: key("a", fmt.Sprint(i)), Values: []types.Value{types.NewInt(1)}}
		if err := tx.Put(s, it, store.Always); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Delete(s, key("b", "0"), store.Always); err != nil {
		t.Fatal(err)
	}
	out := types.NewBatch(1)
	if _, err := tx.Get(t.Context(), s, &store.Get{Keys: []store.Key{key("b", "0"), key("a", "1")}, Columns: []int{0},
		Stats: &store.Stats{}}, out); err != nil {
		t.Fatal(err)
	}
	reported := 0
	scan := &store.Scan{Range: store.Range{Partition: []byte("a")}, Columns: []int{0}, Stats: &store.Stats{},
		Keys: func(store.Key) { reported++ }}
	for _, err := range tx.Scan(t.Context(), s, scan) {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := m.Report(1)
	if got.Counts != (Counts{Reads: 6, Writes: 5}) || len(got.Items) != 5 || reported != 4 {
		t.Errorf("counted was %+v, and %d keys were reported", got, reported)
	}
	if p := got.Partitions; len(p) != 2 || string(p[0].Key) != "a" || p[0].Counts != (Counts{Reads: 5, Writes: 4}) ||
		p[1].Counts != (Counts{Reads: 1, Writes: 1}) {
		t.Errorf("the partitions are %+v", p)
	}
}

// BenchmarkCount is what a request pays for being counted.
func BenchmarkCount(b *testing.B) {
	m := NewMeter(time.Now)
	s := &store.Space{ID: 1}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		key := store.Key{Partition: []byte("partition"), Sort: []byte("12345678")}
		for pb.Next() {
			m.count(s, key, aRead)
		}
	})
}
