package dynamostore

import (
	"errors"
	"testing"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// reading is a transaction that reads and writes one row, beside commits of others.
type reading struct {
	*testing.T
	tx     store.Txn
	theirs []func() // commits of this process, and of another one
	rows   *store.Space
	pinned store.Mark
	here   *Store
}

// steps are what a reading may do, by their letters.
func (r *reading) step(what rune) error {
	switch what {
	case 'r': // read
		return r.get(&store.Get{})
	case 'l': // read the latest
		return r.get(&store.Get{Latest: true})
	case 'u': // write by the first read
		return r.tx.Put(r.rows, bodied(1), store.Unchanged)
	case 'n': // write by the latest
		return r.tx.Put(r.rows, bodied(1), store.Renewed)
	case 's': // the next statement
		r.tx.Refresh()
	case 'p':
		r.pinned = r.tx.Pin()
	case 'd': // delete
		return r.tx.Delete(r.rows, key(1), store.Unchanged)
	case 'b': // back to the beginning
		r.tx.RollbackTo(store.Mark{})
	case 'o', 'x':
		r.theirs[map[rune]int{'o': 0, 'x': 1}[what]]()
	case 'c':
		return r.tx.Commit(r.Context())
	}
	return nil
}

func (r *reading) get(g *store.Get) error {
	g.Keys, g.Remember, g.Stats = []store.Key{key(1)}, true, &store.Stats{}
	_, err := r.tx.Get(r.Context(), r.rows, g, types.NewBatch(0))
	return err
}

// TestGuardOfWhatWasRead reads and writes a row in a transaction while others write it: o, of the same process, and x,
// of another one. What was computed from an older version is never committed.
func TestGuardOfWhatWasRead(t *testing.T) {
	for steps, conflict := range map[string]int{ // at which of the steps
		"ruc": -1, "roruc": 4, "rolnc": -1, "rxlnc": -1, "roluc": 4, "rolonc": 5, "lxnc": 3,
		"rolol":   4,                             // the latest is another one again
		"rolnu":   4,                             // a write of a value that was computed from the older version, over the newer one
		"rolnsuc": -1,                            // one that was computed from the own value
		"ruosruc": 6, "rosruc": -1, "rusxlnc": 6, // a write keeps its guard when the next statement reads
		"ruobsruc": -1, // unless it is undone
	} {
		r := newReading(t, store.Mode{})
		if at, err := r.run(steps); at != conflict || at >= 0 && !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: ends at %d (%v), want %d", steps, at, err, conflict)
		}
	}
}

// TestRepeatable wants a repeatable transaction to read a row as it has read it first, or to fail.
func TestRepeatable(t *testing.T) {
	for steps, conflict := range map[string]int{"rsruc": -1, "rosr": 3, "rxsr": 3, "rxsl": 3, "rosuc": 4} {
		r := newReading(t, store.Mode{Serializable: true})
		r.tx = noRefresh{r.tx}
		if at, err := r.run(steps); at != conflict || at >= 0 && !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: ends at %d (%v), want %d", steps, at, err, conflict)
		}
	}
}

// TestRepeatableFrom wants the same of a row that was not there at first.
func TestRepeatableFrom(t *testing.T) {
	for steps, conflict := range map[string]int{"rr": -1, "rorr": 2, "roruc": 2} {
		r := newReading(t, store.Mode{})
		if at, err := r.run("rdc"); err != nil {
			t.Fatal(at, err)
		}
		var err error
		if r.tx, err = r.here.Begin(t.Context(), store.Mode{Serializable: true}); err != nil {
			t.Fatal(err)
		}
		if at, err := r.run(steps); at != conflict || at >= 0 && !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: ends at %d (%v), want %d", steps, at, err, conflict)
		}
	}
}

// noRefresh is a transaction that keeps what it has read.
type noRefresh struct{ store.Txn }

func (noRefresh) Refresh() {}

// TestOvertaken asks whether a row that was read has been written since.
func TestOvertaken(t *testing.T) {
	for steps, want := range map[string]bool{
		"r": false, "ro": true, "rx": false, "ror": true, "rosr": false, "rol": true, "rolns": false, "ruo": false, "": true,
		"rolnsl": false,
	} {
		r := newReading(t, store.Mode{})
		if _, err := r.run(steps); err != nil {
			t.Fatal(err)
		}
		if got := r.tx.Overtaken(r.rows, key(1), nil); got != want {
			t.Errorf("%q: %v, want %v", steps, got, want)
		}
	}
	r := newReading(t, store.Mode{})
	if _, err := r.run("rpsr"); err != nil || !r.tx.Overtaken(r.rows, key(1), &r.pinned) || r.tx.Wrote(r.rows, key(1)) {
		t.Error("what was read before the present statement is not known to be the same", err)
	}
	if _, err := r.run("u"); err != nil || r.tx.Overtaken(r.rows, key(1), &r.pinned) || !r.tx.Wrote(r.rows, key(1)) {
		t.Error("what the transaction has written others have not", err)
	}
}

func newReading(t *testing.T, m store.Mode) *reading {
	t.Helper()
	f := dynamofake.New(dynamofake.Options{})
	here, there := createLoose(t, openOn(t, f, "here")), openOn(t, f, "there")
	here.late(1)
	r := &reading{T: t, rows: here.rows, here: here.Store}
	for _, st := range []*Store{here.Store, there} {
		other := &loose{t, st, here.rows, here.entries}
		r.theirs = append(r.theirs, func() {
			other.commit(func(tx store.Txn) error { return tx.Put(other.rows, bodied(1), store.Always) })
		})
	}
	var err error
	if r.tx, err = here.Begin(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return r
}

// run returns the number of the step that fails; -1: none.
func (r *reading) run(steps string) (int, error) {
	for i, what := range steps {
		if err := r.step(what); err != nil {
			return i, err
		}
	}
	return -1, nil
}
