package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/encoding/rows"
	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/store/storetest"
	"zproxy/types"
)

var ctx = context.Background()

func openMem(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open("db", Options{FS: fs, CacheBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func begin(t testing.TB, s *Store, m store.Mode) *txn {
	t.Helper()
	tx, err := s.Begin(ctx, m)
	must(t, err)
	return tx.(*txn)
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return openMem(t, vfs.NewMem()) })
}

var texts = &store.Space{ID: 5, Name: "texts", Sorted: true,
	Columns: []store.Column{{ID: 1, Name: "c", Type: types.Text}}}

func textAt(i int, value string) store.Item {
	return store.Item{Key: store.Key{Partition: []byte("p"), Sort: fmt.Appendf(nil, "%06d", i)},
		Values: []types.Value{types.NewText(value)}}
}

// loadTexts writes n texts in bulk.
func loadTexts(t testing.TB, s *Store, n int) {
	t.Helper()
	load := begin(t, s, store.Mode{Bulk: true})
	for i := range n {
		must(t, load.Put(texts, textAt(i, "x"), store.Absent))
	}
	must(t, load.Commit(ctx))
}

// skipped reads all that a Skipper leaves of them, and says what that cost.
func skipped(t testing.TB, s *Store, skip store.Skipper) store.Stats {
	t.Helper()
	tx := begin(t, s, store.Mode{ReadOnly: true})
	defer tx.Rollback()
	r := store.Scan{Range: store.Range{Partition: []byte("p")}, Skip: skip, Stats: &store.Stats{}}
	for _, err := range tx.Scan(ctx, texts, &r) {
		must(t, err)
	}
	return *r.Stats
}

// contents is the texts by sort key.
func contents(t testing.TB, s *Store) map[string]string {
	t.Helper()
	tx := begin(t, s, store.Mode{ReadOnly: true})
	defer tx.Rollback()
	found := map[string]string{}
	it, err := tx.snapshot.NewIter(nil)
	must(t, err)
	defer it.Close()
	from, to := overlay.AppendBounds(nil, texts.ID, store.Range{})
	var d rows.Decoder
	d.Prepare(texts.Columns, []int{0})
	for ok := it.SeekGE(from); ok && string(it.Key()) < string(to); ok = it.Next() {
		row := make(types.Row, 1)
		must(t, d.Decode(row, it.Value()))
		found[string(it.Key()[overlay.SpaceBytes+1:])] = row[0].Text()
	}
	must(t, it.Error())
	return found
}

// acknowledged is how many transactions of each writer were committed.
type acknowledged struct {
	mu    sync.Mutex
	count map[int]int
}

// TestCrash takes images of the disk while transactions commit, with none, some or all
// of the data that was not synced. Each image must hold all transactions that had been
// acknowledged, and each transaction whole or not at all.
func TestCrash(t *testing.T) {
	seed := testseed.Of(t)
	fs := vfs.NewCrashableMem()
	s := openMem(t, fs)
	const writers, commits, keys = 4, 60, 3
	acked := acknowledged{count: map[int]int{}}
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range commits {
				tx := begin(t, s, store.Mode{})
				for k := range keys {
					if err := tx.Put(texts, textAt((w*commits+n)*keys+k, fmt.Sprint("commit ", n)),
						store.Absent); err != nil {
						t.Error(err)
					}
				}
				if err := tx.Commit(ctx); err != nil {
					t.Error(err)
				}
				acked.mu.Lock()
				acked.count[w] = n + 1
				acked.mu.Unlock()
			}
		})
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, percent := range []int{0, 30, 70, 100, 0, 50} {
		acked.mu.Lock()
		before := map[int]int{}
		for w, n := range acked.count {
			before[w] = n
		}
		acked.mu.Unlock()
		after := openMem(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}))
		found := contents(t, after)
		for i := range writers * commits {
			whole := 0
			for k := range keys {
				if _, there := found[fmt.Sprintf("%06d", i*keys+k)]; there {
					whole++
				}
			}
			if whole != 0 && whole != keys || whole == 0 && i%commits < before[i/commits] {
				t.Errorf("commit %d of writer %d: %d of %d items, %d were acknowledged", i%commits, i/commits, whole,
					keys, before[i/commits])
			}
		}
		must(t, after.Close())
	}
	group.Wait()
	must(t, s.Close())
}

// TestBulkDurable loses a load in a crash, but not one that a commit came after.
func TestBulkDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := openMem(t, fs)
	must(t, s.Create(ctx, texts))
	load := begin(t, s, store.Mode{Bulk: true})
	for i := range 1000 {
		must(t, load.Put(texts, textAt(i, "loaded"), store.Absent))
	}
	must(t, load.Commit(ctx))
	for _, want := range []int{0, 1001} {
		after := openMem(t, fs.CrashClone(vfs.CrashCloneCfg{}))
		if n := len(contents(t, after)); n != want {
			t.Errorf("%d items after the crash, want %d", n, want)
		}
		must(t, after.Close())
		tx := begin(t, s, store.Mode{})
		must(t, tx.Put(texts, textAt(5000, "committed"), store.Always))
		must(t, tx.Commit(ctx))
	}
	must(t, s.Close())
}

// TestReopen finds spaces and items again, also of a load that made tables.
func TestReopen(t *testing.T) {
	fs := vfs.NewMem()
	s := openMem(t, fs)
	must(t, s.Create(ctx, texts))
	load := begin(t, s, store.Mode{Bulk: true})
	for i := range 500 {
		must(t, load.Put(texts, textAt(i, "loaded"), store.Absent))
	}
	must(t, load.emit(0)) // as if it were much
	must(t, load.Commit(ctx))
	must(t, s.Close())
	s = openMem(t, fs)
	list, err := s.Spaces(ctx)
	if err != nil || len(list) != 1 || list[0].ID != texts.ID || list[0].Name != texts.Name {
		t.Errorf("spaces %+v, %v", list, err)
	}
	if n := len(contents(t, s)); n != 500 {
		t.Errorf("%d items, want 500", n)
	}
	must(t, s.Close())
}

// TestCloseEarly closes under a transaction and a scan, which release the files later.
func TestCloseEarly(t *testing.T) {
	fs := vfs.NewMem()
	s := openMem(t, fs)
	loadTexts(t, s, 1000)
	tx := begin(t, s, store.Mode{})
	var last error
	batches := 0
	for _, err := range tx.Scan(ctx, texts, &store.Scan{Columns: []int{0}, Stats: &store.Stats{}}) {
		batches, last = batches+1, err
		if batches == 1 {
			must(t, s.Close())
			tx.Rollback()
		}
	}
	if batches != 2 || !errors.Is(last, store.ErrClosed) {
		t.Errorf("%d batches, then %v", batches, last)
	}
	must(t, openMem(t, fs).Close())
}

func TestDamaged(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	key := textAt(1, "").Key
	must(t, s.db.Set(overlay.AppendKey(nil, texts.ID, key), []byte{99}, pebble.Sync))
	s.snapshots.offer(s.snapshots.make())
	tx := begin(t, s, store.Mode{})
	var last error
	for _, last = range tx.Scan(ctx, texts, &store.Scan{Columns: []int{0}, Stats: &store.Stats{}}) {
	}
	_, err := tx.Get(ctx, texts, &store.Get{Keys: []store.Key{key}, Columns: []int{0}, Stats: &store.Stats{}},
		types.NewBatch(1))
	for _, err := range []error{last, err} {
		var damaged *store.Damaged
		if !errors.As(err, &damaged) || !strings.Contains(damaged.Reason, rows.ErrCorrupt.Error()) {
			t.Error(err)
		}
	}
	tx.Rollback()
	must(t, s.Close())
}

// every wants each hundredth of 10,000 keys.
type every struct{}

func (every) Wanted(key []byte) bool { return string(key[len(key)-2:]) == "00" }

func (every) Next(dst, key []byte) ([]byte, bool) {
	next := fmt.Appendf(nil, "%06s", key)
	copy(next[4:], "00")
	for string(next) < string(key) {
		var n int
		fmt.Sscanf(string(next), "%06d", &n)
		next = fmt.Appendf(nil, "%06d", n+100)
	}
	return append(dst, next...), true
}

// TestSeeks checks that a scan seeks over long runs of unwanted keys.
func TestSeeks(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	loadTexts(t, s, 10_000)
	want := store.Stats{Requests: 1, Examined: 100 * (lazySkips + 2 + reach), Items: 100, Seeks: 100, Bytes: 700}
	if got := skipped(t, s, every{}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	must(t, s.Close())
}

// hopeful wants none of the keys that there are, and always one just behind.
type hopeful struct{ asked int }

func (*hopeful) Wanted([]byte) bool { return false }

func (h *hopeful) Next(dst, key []byte) ([]byte, bool) {
	h.asked++
	return append(append(dst, key...), 'x'), true
}

// TestSeeksInVain checks that a scan seeks nothing that is near, and seldom asks where it never
// is far.
func TestSeeksInVain(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	loadTexts(t, s, 10_000)
	hope := &hopeful{}
	if got := skipped(t, s, hope); got.Examined != 10_000 || got.Seeks > 0 || hope.asked == 0 || hope.asked > 20 {
		t.Errorf("%+v, asked %d times; want no seeks, and to ask no more than 20 times", got, hope.asked)
	}
	must(t, s.Close())
}

// step wants the numbers that it divides.
type step uint32

func (n step) Wanted(key []byte) bool { return binary.BigEndian.Uint32(key)%uint32(n) == 0 }

func (n step) Next(dst, key []byte) ([]byte, bool) {
	var b [4]byte
	copy(b[:], key)
	return binary.BigEndian.AppendUint32(dst, (binary.BigEndian.Uint32(b[:])+uint32(n)-1)/uint32(n)*uint32(n)), true
}

func (step) Even() bool { return true }

func (step) WantsAll(_, _ []byte, _ int) bool { return false }

// TestEven checks that a scan of keys that lie evenly neither seeks what is near, nor passes
// many keys on its way to what is far.
func TestEven(t *testing.T) {
	const n = 20_000
	s := openMem(t, vfs.NewMem())
	load := begin(t, s, store.Mode{Bulk: true})
	for i := range uint32(n) {
		at := store.Key{Partition: []byte("p"), Sort: binary.BigEndian.AppendUint32(nil, i*7)}
		must(t, load.Put(texts, store.Item{Key: at, Values: textAt(1, "x").Values}, store.Absent))
	}
	must(t, load.Commit(ctx))
	for _, c := range []struct {
		step, seeks, examined int64
	}{{28, 0, n}, {14, 0, n}, {700, n/100 - 2, n/100*(evenSkips+2) + walkMost + lazySkips}} {
		if st := skipped(t, s, step(c.step)); st.Items != n*7/c.step || st.Examined > c.examined ||
			(st.Seeks > 0) != (c.seeks > 0) || st.Seeks < c.seeks {
			t.Errorf("step %d: %+v, want no more than %d examined, and %d seeks", c.step, st, c.examined, c.seeks)
		}
	}
	must(t, s.Close())
}

// TestSizesAcrossFlushes asks for the size of a space whose items are in memory, in tables, in both, and
// gone: a flush counts nothing twice and forgets nothing.
func TestSizesAcrossFlushes(t *testing.T) {
	s, err := Open("db", Options{FS: vfs.NewMem(), CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	space := &store.Space{ID: 7, Name: "sized", Sorted: true,
		Columns: []store.Column{{ID: 1, Name: "c", Type: types.Bytea}}}
	if err := s.Create(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	want := 0.0
	check := func(what string) {
		t.Helper()
		got, known, err := s.Bytes(t.Context(), space)
		if err != nil || !known || float64(got) < 0.9*want || float64(got) > 1.5*want {
			t.Errorf("%s: %d bytes, want about %v (%v)", what, got, want, err)
		}
	}
	for round := range 4 {
		tx, err := s.Begin(t.Context(), store.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			value := make([]byte, 1000)
			for j := range value {
				value[j] = byte(rng.Uint32())
			}
			key := store.Key{Partition: []byte{1}, Sort: []byte{byte(round), byte(i)}}
			if err := tx.Put(space, store.Item{Key: key, Values: []types.Value{types.NewBytes(value)}},
				store.Always); err != nil {
				t.Fatal(err)
			}
			want += 1000
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("written")
		if round != 2 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
			check("flushed")
		}
	}
	if err := s.Drop(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	want = 0
	check("dropped")
}
