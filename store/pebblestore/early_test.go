package pebblestore

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"zproxy/store"
	"zproxy/types"
)

// heldSyncs holds back syncs of the log while it is locked, and lets them fail afterwards if it is to.
type heldSyncs struct {
	sync.RWMutex
	failure error
}

func (h *heldSyncs) MaybeError(op errorfs.Op) error {
	sync := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData
	if !sync || !strings.HasSuffix(op.Path, ".log") {
		return nil
	}
	h.RLock()
	defer h.RUnlock()
	return h.failure
}

func (h *heldSyncs) String() string { return "(HeldSyncs)" }

// latestText reads a text as it is now.
func latestText(t *testing.T, tx store.Txn, key store.Key) string {
	t.Helper()
	return textOf(t, tx, store.Get{Keys: []store.Key{key}, Columns: []int{0}, Remember: true, Latest: true})
}

func textOf(t *testing.T, tx store.Txn, g store.Get) string {
	t.Helper()
	g.Stats = &store.Stats{}
	rows := types.NewBatch(1)
	there, err := tx.Get(ctx, texts, &g, rows)
	if err != nil || !there[0] {
		return ""
	}
	return rows.Row(0)[0].Text()
}

// answers gathers what calls return that are to wait.
type answers struct {
	sync.WaitGroup
	done atomic.Int32
}

func (a *answers) of(call func() error, out *error) {
	a.Go(func() {
		*out = call()
		a.done.Add(1)
	})
}

// TestEarly looks at a commit that is applied and not durable. Those that ask for the latest see it and may go on, all
// others do not; whatever depends on it is answered when it is durable, or with an error if that fails.
func TestEarly(t *testing.T) {
	for _, fails := range []bool{false, true} {
		syncs := &heldSyncs{}
		s, err := Open("db", Options{FS: errorfs.Wrap(vfs.NewMem(), syncs)})
		must(t, err)
		must(t, s.Create(ctx, texts))
		e := &early{T: t, Store: s}
		syncs.Lock()
		e.run()
		time.Sleep(20 * time.Millisecond)
		if n := e.done.Load(); n > 0 {
			t.Errorf("%d answers of %d came before the sync", n, len(e.results))
		}
		if fails {
			syncs.failure = errors.New("a failure of the disk")
		}
		syncs.Unlock()
		e.Wait()
		for i, err := range e.results {
			conflict := i == 1 && !fails
			if (err != nil) != (fails || conflict) || conflict && !errors.Is(err, store.ErrConflict) {
				t.Errorf("fails %v: answer %d is %v", fails, i, err)
			}
		}
		if got := latestText(t, e.begin(store.Mode{}), textAt(1, "").Key); !fails && got != "one more" {
			t.Errorf("in the end there is %q", got)
		}
	}
}

// early is transactions beside one that is not durable yet.
type early struct {
	*testing.T
	*Store
	answers
	results [6]error
}

func (e *early) begin(m store.Mode) store.Txn {
	tx, err := e.Begin(ctx, m)
	must(e, err)
	e.Cleanup(tx.Rollback)
	return tx
}

// run begins them: the results are those of the commit, of one that writes the same, and of reads of the latest.
func (e *early) run() {
	first, second := textAt(1, "one"), textAt(2, "two")
	late := e.begin(store.Mode{})
	applied := make(chan bool)
	writer := e.begin(store.Mode{Applied: func() { close(applied) }})
	must(e, writer.Put(texts, first, store.Absent))
	must(e, writer.Put(texts, second, store.Absent))
	e.of(func() error { return writer.Commit(ctx) }, &e.results[0])
	<-applied

	asked := store.Get{Keys: []store.Key{first.Key}, Columns: []int{0}}
	if got := textOf(e.T, e.begin(store.Mode{ReadOnly: true}), asked); got != "" {
		e.Errorf("a reader sees %q, which is not durable", got)
	}
	for _, tx := range []store.Txn{late, e.begin(store.Mode{})} {
		if !tx.Overtaken(texts, first.Key, nil) {
			e.Error("a transaction that does not see a commit is not overtaken by it")
		}
	}
	must(e, late.Put(texts, textAt(1, "other"), store.Absent))
	e.of(func() error { return late.Commit(ctx) }, &e.results[1])
	for i, step := range []func(store.Txn) error{
		func(tx store.Txn) error { return tx.AwaitDurable(ctx) },
		func(tx store.Txn) error { return tx.Commit(ctx) },
		func(tx store.Txn) error {
			tx.Refresh()
			if got := textOf(e.T, tx, store.Get{Keys: []store.Key{second.Key}, Columns: []int{0}}); got != "two" {
				e.Errorf("a transaction that has seen one write of a commit sees %q in place of the other", got)
			}
			return tx.AwaitDurable(ctx)
		},
		func(tx store.Txn) error {
			must(e, tx.Put(texts, textAt(1, "one more"), store.Renewed))
			return tx.Commit(ctx)
		},
	} {
		tx := e.begin(store.Mode{})
		if got := latestText(e.T, tx, first.Key); got != "one" {
			e.Errorf("the latest is %q", got)
		}
		e.of(func() error { return step(tx) }, &e.results[2+i])
	}
}

// TestEarlyCrash counts in one item, from several transactions that each go on from the latest, and cuts the power at
// any time: what a commit or a reader was answered is there afterwards.
func TestEarlyCrash(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := Open("db", Options{FS: fs})
	must(t, err)
	must(t, s.Create(ctx, texts))
	c := &counted{T: t, Store: s, stop: make(chan bool)}
	writeText(t, s, "0")
	for range 4 {
		c.each(c.count)
	}
	c.each(func() { // a reader of what is durable
		tx := begin(t, s, store.Mode{ReadOnly: true})
		c.answer(readText(t, tx))
		tx.Rollback()
	})
	c.each(func() { // and one of the latest
		tx := begin(t, s, store.Mode{})
		n := latestText(t, tx, c.key())
		must(t, tx.AwaitDurable(ctx))
		c.answer(n)
		tx.Rollback()
	})
	for range 20 {
		time.Sleep(time.Millisecond)
		was := c.answered.Load()
		left, err := Open("db", Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		must(t, err)
		tx := begin(t, left, store.Mode{ReadOnly: true})
		n, err := strconv.ParseInt(readText(t, tx), 10, 64)
		if err != nil || n < was {
			t.Errorf("%d was answered, and after a crash there is %d, %v", was, n, err)
		}
		tx.Rollback()
		must(t, left.Close())
	}
	close(c.stop)
	c.work.Wait()
	if n := c.answered.Load(); n < 20 {
		t.Errorf("only %d commits", n)
	}
	must(t, s.Close())
}

// counted is an item in which transactions count, one after the other.
type counted struct {
	*testing.T
	*Store
	row      sync.Mutex
	work     sync.WaitGroup
	stop     chan bool
	answered atomic.Int64 // the greatest number that a client knows of
}

func (c *counted) key() store.Key { return textAt(1, "").Key }

func (c *counted) each(step func()) {
	c.work.Go(func() {
		for {
			select {
			case <-c.stop:
				return
			default:
				step()
			}
		}
	})
}

func (c *counted) count() {
	c.row.Lock()
	tx := begin(c.T, c.Store, store.Mode{Applied: c.row.Unlock})
	n, err := strconv.Atoi(latestText(c.T, tx, c.key()))
	must(c, err)
	next := strconv.Itoa(n + 1)
	must(c, tx.Put(texts, textAt(1, next), store.Renewed))
	must(c, tx.Commit(ctx))
	c.answer(next)
}

func (c *counted) answer(text string) {
	n, err := strconv.ParseInt(text, 10, 64)
	must(c, err)
	for was := c.answered.Load(); n > was && !c.answered.CompareAndSwap(was, n); was = c.answered.Load() {
	}
}

// TestLargeValues reads texts that are too large for many of them to be in a batch.
func TestLargeValues(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	defer s.Close()
	space := &store.Space{ID: 3, Name: "large", Columns: []store.Column{{ID: 1, Name: "v", Type: types.Text}}}
	const items, size = 40, 2 << 20
	tx := begin(t, s, store.Mode{})
	for i := range items {
		it := store.Item{Key: store.Key{Partition: []byte{byte(i)}},
			Values: types.Row{types.NewText(strings.Repeat(string(rune('a'+i%26)), size))}}
		must(t, tx.Put(space, it, store.Always))
	}
	must(t, tx.Commit(ctx))
	tx = begin(t, s, store.Mode{ReadOnly: true})
	defer tx.Rollback()
	n := 0
	for batch, err := range tx.Scan(ctx, space, &store.Scan{Columns: []int{0}, Stats: &store.Stats{}}) {
		must(t, err)
		if bytes := batch.ColumnBytes(); bytes > mostBatchBytes+size+1<<10 {
			t.Errorf("a batch has %d bytes", bytes)
		}
		for i := range batch.Len() {
			if v := batch.Row(i)[0].Text(); len(v) != size || v[0] != byte('a'+(n+i)%26) {
				t.Fatalf("row %d has %d bytes of %q", n+i, len(v), v[0])
			}
		}
		n += batch.Len()
	}
	if n != items {
		t.Errorf("%d of %d rows", n, items)
	}
}
