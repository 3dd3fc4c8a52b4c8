package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
)

// changesDuringCopy are changes of a table, each behind what makes it possible.
var changesDuringCopy = [][]string{
	{"CREATE INDEX x ON t (a)"}, {"CREATE UNIQUE INDEX x ON t (b)"},
	{"CREATE INDEX x ON t (a) INCLUDE (b) WHERE a > 3"},
	{"CREATE INDEX x ON t USING zorder (k, a)"}, {"ALTER TABLE t ADD COLUMN c int DEFAULT 7"},
	{"ALTER TABLE t ADD UNIQUE (b)"},
	{"ALTER TABLE t ADD CHECK (a < 100)"}, {"ALTER TABLE t ALTER a TYPE bigint"}, {"ALTER TABLE t DROP COLUMN a"},
	{"TRUNCATE t"}, {"DROP TABLE t"},
	{"CREATE INDEX x ON t (a)", "DROP INDEX x"}, {"CREATE INDEX x ON t (a)", "REINDEX INDEX x"},
}

// TestCopyDuringChanges wants a change of a table to wait for the end of a COPY into it, in the same process and in
// another one, and the next COPY to wait for the change.
func TestCopyDuringChanges(t *testing.T) {
	for i, texts := range changesDuringCopy {
		change := texts[len(texts)-1]
		t.Run(change, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{})
				processes := []*process{joined(t, f, "a"), joined(t, f, "b")}
				a, b := connect(t, processes[i%2].DB, "joe"), connect(t, processes[1].DB, "joe")
				accepted(t, a, append([]string{"CREATE TABLE t (k int PRIMARY KEY, a int, b text)"},
					texts[:len(texts)-1]...)...)
				changed := make(chan error, 1)
				data := &asking{Reader: strings.NewReader(lines(1, 1000)), at: 5000, do: func() {
					go func() { changed <- a.Query(context.WithoutCancel(t.Context()), change, &silent{}) }()
					time.Sleep(time.Minute)
					if len(changed) > 0 {
						t.Fatalf("the change did not wait: %v", <-changed)
					}
				}}
				if err := b.Query(t.Context(), "COPY t (k, a, b) FROM STDIN", &loader{data: data}); err != nil {
					t.Error(err)
				}
				if err := <-changed; err != nil {
					t.Error(err)
				}
				processes[0].agreesWithRows(t)
			})
		})
	}
}

// TestCopyBehindBurial wants the rest of a COPY of a process that others took for dead meanwhile to go by the table as
// they have changed it, however it ends.
func TestCopyBehindBurial(t *testing.T) {
	for _, change := range []string{"CREATE INDEX x ON t (a)", "CREATE UNIQUE INDEX x ON t (b)",
		"CREATE INDEX x ON t (a) ASYNC"} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprint(change, killed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { copyBehindBurial(t, change, killed) })
			})
		}
	}
}

func copyBehindBurial(t *testing.T, change string, killed bool) {
	f := dynamofake.New(dynamofake.Options{})
	pa, pb := joined(t, f, "a"), joined(t, f, "b")
	a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
	accepted(t, a, "CREATE TABLE t (k int PRIMARY KEY, a int, b text)")
	data := &asking{Reader: strings.NewReader(lines(1, 9000)), at: 60000, do: func() {
		pb.setDeaf(true)
		time.Sleep(time.Minute)
		accepted(t, a, change)
		pb.setDeaf(false)
		time.Sleep(time.Minute)
		if killed {
			pb.freezeIn(60)
		}
	}}
	ended := make(chan error, 1)
	go func() { ended <- b.Query(context.WithoutCancel(t.Context()), "COPY t FROM STDIN", &loader{data: data}) }()
	time.Sleep(5 * time.Minute)
	if !killed {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	reached(t, a, "x", "public")
	pa.agreesWithRows(t)
	accepted(t, a, "INSERT INTO t VALUES (-1, 5, 'last')")
	pb.thaw()
	time.Sleep(time.Minute)
	pa.agreesWithRows(t)
}

// TestCopyInLaterLife has a process take part anew in the middle of a COPY, after others had given it up. A change that
// wants the table to itself, for which the COPY no more holds it, must not wait for the COPY while that waits for the
// change.
func TestCopyInLaterLife(t *testing.T) {
	for _, change := range []string{"DROP INDEX x", "DROP TABLE t"} {
		t.Run(change, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{})
				pa, pb := joined(t, f, "a"), joined(t, f, "b")
				a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
				accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int, b text)", "CREATE INDEX x ON t (a)")
				var changed func() bool
				data := &asking{Reader: strings.NewReader(lines(1, 9000)), at: 60000, do: func() {
					pb.setDeaf(true)
					time.Sleep(time.Minute)
					pb.setDeaf(false)
					time.Sleep(time.Minute)
					changed = begun(t, a, change)
				}}
				ended := make(chan error, 1)
				go func() {
					ended <- b.Query(context.WithoutCancel(t.Context()), "COPY t FROM STDIN", &loader{data: data})
				}()
				time.Sleep(10 * time.Minute)
				select {
				case err := <-ended:
					if err != nil && !sqlerr.Has(err, sqlerr.SerializationFailure) {
						t.Error(err)
					}
				default:
					t.Fatal("the COPY has not ended")
				}
				if !changed() {
					t.Error("the change has not ended")
				}
				pa.agreesWithRows(t)
			})
		})
	}
}

// TestLateWrites wants a change of a table to wait for what is still on its way of statements that were given up,
// in transactions of every kind.
func TestLateWrites(t *testing.T) {
	late := []func(*testing.T, *Session) error{
		func(t *testing.T, s *Session) error {
			return s.Query(t.Context(), "COPY t FROM STDIN", &loader{data: strings.NewReader(lines(1, 30))})
		},
		func(t *testing.T, s *Session) error { return ask(t, s, "INSERT INTO t VALUES (40, 1, 'b')") },
		func(t *testing.T, s *Session) error {
			return ask(t, s, "BEGIN; INSERT INTO t VALUES (40, 1, 'b'), (41, 1, 'c'); COMMIT")
		},
		func(t *testing.T, s *Session) error { return ask(t, s, "UPDATE t SET a = 8 WHERE k = -1") },
	}
	first := testseed.Of(t)
	for seed := first; seed < first+40; seed++ {
		synctest.Test(t, func(t *testing.T) {
			f := dynamofake.New(dynamofake.Options{Seed: seed})
			pa, pb := joined(t, f, "a"), joined(t, f, "b")
			a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
			accepted(t, a, "CREATE TABLE t (k int PRIMARY KEY, a int, b text)")
			accepted(t, b, "INSERT INTO t VALUES (-1)", "SET statement_timeout = '300ms'")
			f.SetFaults(dynamofake.Faults{Delay: 0.8,
				Only: func(r *dynamofake.Request) bool { return strings.Contains(fmt.Sprint(r.Tables), ".t") }})
			_ = late[seed/2%4](t, b)
			f.SetFaults(dynamofake.Faults{})
			accepted(t, []*Session{a, connect(t, pb.DB, "joe")}[seed%2], "CREATE INDEX x ON t (a)")
			time.Sleep(2 * time.Minute)
			accepted(t, a, "INSERT INTO t VALUES (-2, 5, 'last')")
			pa.agreesWithRows(t)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestCopyDeadlock wants a COPY that waits for who waits for it to be told.
func TestCopyDeadlock(t *testing.T) {
	s, _ := loading(t)
	accepted(t, s, "CREATE TABLE numbered (k int PRIMARY KEY, n serial)")
	other, changed := connect(t, s.db, "joe"), make(chan error, 1)
	var keys strings.Builder
	for k := range 20000 {
		fmt.Fprintln(&keys, k)
	}
	data := &asking{Reader: strings.NewReader(keys.String()), at: 0, do: func() {
		accepted(t, other, "BEGIN", "ALTER SEQUENCE numbered_n_seq RESTART WITH 5000000")
		go func() { changed <- other.Query(t.Context(), "ALTER TABLE numbered ADD CHECK (n > 0)", &silent{}) }()
		for waits := false; !waits; _, waits = other.txn.Locks.Waiting() {
			time.Sleep(time.Millisecond)
		}
	}}
	err := s.Query(t.Context(), "COPY numbered (k) FROM STDIN", &loader{data: data})
	victims := 0
	for _, err := range []error{err, <-changed} {
		switch {
		case sqlerr.Has(err, sqlerr.DeadlockDetected):
			victims++
		case err != nil:
			t.Error(err)
		}
	}
	if victims != 1 {
		t.Errorf("%d victims", victims)
	}
}

// TestHoldsEnd wants nothing to be kept from others behind a COPY, however it ends.
func TestHoldsEnd(t *testing.T) {
	s, _ := loading(t)
	other := connect(t, s.db, "joe")
	accepted(t, s, "CREATE VIEW seen AS SELECT * FROM bare")
	copied := func(text, data string, do func()) func() error {
		return func() error {
			return s.Query(t.Context(), text, &loader{data: &asking{Reader: strings.NewReader(data), at: len(data) / 2,
				do: do}})
		}
	}
	for _, end := range []struct {
		name string
		run  func() error
	}{
		{"rows", copied("COPY bare FROM STDIN", lines(1, 9000), func() {})},
		{"few rows", copied("COPY bare FROM STDIN", lines(9001, 9002), func() {})},
		{"keys of rows", copied("COPY bare FROM STDIN", lines(5000, 5500), func() {})},
		{"wrong rows", copied("COPY bare FROM STDIN", lines(10000, 11000)+"x\n", func() {})},
		{"no table", copied("COPY none FROM STDIN", "", func() {})},
		{"a view", copied("COPY seen FROM STDIN", "", func() {})},
		{"no column", copied("COPY bare (c) FROM STDIN", "", func() {})},
		{"no option", copied("COPY bare FROM STDIN WITH (nonsense)", "", func() {})},
		{"canceled", copied("COPY bare FROM STDIN", lines(20000, 29000), func() { s.db.Cancel(s.pid, s.secret) })},
		{"two", copied("COPY bare FROM STDIN; COPY once FROM STDIN", lines(30000, 30010), func() {})},
		{"a block", copied("BEGIN; COPY bare FROM STDIN; COMMIT", lines(31000, 31010), func() {})},
		{"a query", copied("SELECT 1 FROM once; COPY bare FROM STDIN", lines(32000, 32010), func() {})},
		{"read only", copied("SET default_transaction_read_only = on; COPY bare FROM STDIN; SET default_transaction_read_only = off", "", func() {})},
		{"a panic", func() (err error) {
			defer func() { err = fmt.Errorf("%v", recover()); s.Survives(err) }()
			return copied("COPY bare FROM STDIN", lines(33000, 33300), func() { panic("at a row") })()
		}},
		{"a change", func() error {
			accepted(t, other, "BEGIN", "ALTER TABLE bare ALTER a SET DEFAULT 5")
			defer accepted(t, other, "ROLLBACK")
			return copied("SET lock_timeout = 1; COPY bare FROM STDIN", lines(34000, 34300), func() {})()
		}},
	} {
		t.Logf("%s: %v", end.name, end.run())
		accepted(t, s, "RESET ALL")
		if !s.db.Locks.Idle() {
			t.Errorf("%s: a lock of a table is left, or the schema is being changed", end.name)
		}
	}
	agreed(t, s)
}
