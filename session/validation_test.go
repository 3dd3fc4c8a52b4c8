package session

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// torn is a DynamoDB with two accounts on two pages: between these, when a query reads them, another session moves
// money, so many times.
type torn struct {
	reader, mover *Session
	moves         atomic.Int32
	pages         atomic.Int32
}

func newTorn(t *testing.T) *torn {
	t.Helper()
	w := &torn{}
	fake := dynamofake.New(dynamofake.Options{PageItems: 1, Before: func(r *dynamofake.Request) {
		if r.Op == "Scan" && w.moves.Load() > 0 && w.pages.Add(1)%2 == 0 {
			w.moves.Add(-1)
			w.pages.Store(-1000) // the mover asks, too
			accepted(t, w.mover, "BEGIN", "UPDATE a SET n = n - 1 WHERE id = 1",
				"UPDATE a SET n = n + 1 WHERE id = 2", "COMMIT")
			w.pages.Store(0)
		}
	}})
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	db, err := Open(t.Context(), st, Options{Settings: map[string]string{"zproxy.full_scan": "allow"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w.reader, w.mover = connect(t, db, "joe"), connect(t, db, "joe")
	accepted(t, w.mover, "CREATE TABLE a (id int PRIMARY KEY, n int)", "INSERT INTO a VALUES (1, 5), (2, 5)")
	return w
}

const total = "SELECT sum(n) FROM a"

// TestConsistentStatements wants a query to see what others move on one side alone, if zproxy.consistent_statements
// says so, and not to go on for ever for that.
func TestConsistentStatements(t *testing.T) {
	w := newTorn(t)
	w.moves.Store(1)
	if got := answer(t, w.reader, total)[0]; got == "10" {
		t.Error("nothing comes between two pages")
	}
	accepted(t, w.reader, "SET zproxy.consistent_statements = on")
	for _, moves := range []int32{1, 3} {
		w.moves.Store(moves)
		if got := answer(t, w.reader, total)[0]; got != "10" || w.moves.Load() != 0 {
			t.Errorf("%s, with %d of %d moves to come", got, w.moves.Load(), moves)
		}
	}
	accepted(t, w.reader, "BEGIN", "INSERT INTO a VALUES (3, 0)")
	w.moves.Store(1)
	if got := answer(t, w.reader, total)[0]; got != "10" {
		t.Errorf("in a block %s", got)
	}
	accepted(t, w.reader, "COMMIT")
}

// TestConsistentLevels wants the queries of transactions above READ COMMITTED, too, to see one state with
// zproxy.consistent_statements: they are repeated, or fail where rows were sent or written before.
func TestConsistentLevels(t *testing.T) {
	w := newTorn(t)
	accepted(t, w.reader, "SET zproxy.consistent_statements = on")
	for _, level := range []string{"REPEATABLE READ", "SERIALIZABLE", "SERIALIZABLE READ ONLY"} {
		accepted(t, w.reader, "BEGIN ISOLATION LEVEL "+level)
		w.moves.Store(2)
		if got := answer(t, w.reader, total)[0]; got != "10" || w.moves.Load() != 0 {
			t.Errorf("%s: %s, with %d moves to come", level, got, w.moves.Load())
		}
		accepted(t, w.mover, "UPDATE a SET n = n")
		refused(t, w.reader, "SELECT n FROM a WHERE id = 2", sqlerr.SerializationFailure)
		accepted(t, w.reader, "ROLLBACK")
	}
	accepted(t, w.reader, "BEGIN ISOLATION LEVEL SERIALIZABLE", "INSERT INTO a VALUES (3, 0)")
	w.moves.Store(1)
	refused(t, w.reader, total, sqlerr.SerializationFailure)
	accepted(t, w.reader, "ROLLBACK")
}

// TestCauses wants a statement that fails for what it has read of two states to say that, and only that one.
func TestCauses(t *testing.T) {
	w := newTorn(t)
	const torn = "(sum(n) - 9) * (sum(n) - 11)"
	for _, c := range []struct {
		sql   string
		moves int32
		want  sqlerr.Code
	}{
		{"SELECT 1 / (" + torn + ") FROM a", 1, sqlerr.SerializationFailure},
		{"INSERT INTO a SELECT 9, 1 / (" + torn + ") FROM a", 1, sqlerr.SerializationFailure},
		{"SELECT 1 / (sum(n) - 10) FROM a", 0, sqlerr.DivisionByZero},
		{"INSERT INTO a SELECT 1, sum(n) FROM a", 0, sqlerr.UniqueViolation},
	} {
		accepted(t, w.reader, "BEGIN ISOLATION LEVEL SERIALIZABLE")
		w.moves.Store(c.moves)
		refused(t, w.reader, c.sql, c.want)
		accepted(t, w.reader, "ROLLBACK")
	}
}

// TestValidation wants transactions above READ COMMITTED to fail where they have read two states, or what was read has
// changed when they commit, and a deferrable one to read again.
func TestValidation(t *testing.T) {
	w := newTorn(t)
	for _, level := range []string{"REPEATABLE READ", "SERIALIZABLE", "SERIALIZABLE READ ONLY"} {
		accepted(t, w.reader, "BEGIN ISOLATION LEVEL "+level)
		w.moves.Store(1)
		answer(t, w.reader, total)
		refused(t, w.reader, "COMMIT", sqlerr.SerializationFailure)
	}
	accepted(t, w.reader, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE")
	w.moves.Store(2)
	if got := answer(t, w.reader, total)[0]; got != "10" {
		t.Errorf("deferrable: %s", got)
	}
	accepted(t, w.mover, "UPDATE a SET n = n WHERE id = 1")
	accepted(t, w.reader, "COMMIT")

	for _, c := range []struct{ read, other, write string }{
		{"SELECT n FROM a WHERE id = 1", "UPDATE a SET n = n WHERE id = 1", "UPDATE a SET n = n + 1 WHERE id = 2"},
		{"SELECT n FROM a WHERE id = 1", "UPDATE a SET n = n WHERE id = 1", "UPDATE a SET n = n + 1 WHERE id = 1"},
		{"SELECT n FROM a WHERE id = 9", "INSERT INTO a VALUES (9, 0)", "INSERT INTO a VALUES (8, 0)"},
		{"SELECT n FROM a WHERE n > 100", "INSERT INTO a VALUES (19, 101)", "INSERT INTO a VALUES (18, 0)"},
		{"SELECT id FROM a WHERE n > 100", "DELETE FROM a WHERE id = 19", "INSERT INTO a VALUES (18, 0)"},
	} {
		for _, meanwhile := range []bool{true, false} {
			accepted(t, w.reader, "BEGIN ISOLATION LEVEL SERIALIZABLE", c.read)
			if meanwhile {
				accepted(t, w.mover, c.other)
			}
			err := w.reader.Query(t.Context(), c.write, &silent{})
			if err == nil {
				err = w.reader.Query(t.Context(), "COMMIT", &silent{})
			}
			if sqlerr.Has(err, sqlerr.SerializationFailure) != meanwhile || !meanwhile && err != nil {
				t.Errorf("%s, then %s: %v; others wrote: %v", c.read, c.write, err, meanwhile)
			}
			accepted(t, w.reader, "ROLLBACK")
		}
		accepted(t, w.mover, "DELETE FROM a WHERE id IN (8, 18)")
	}
}

// TestValidatedWrites wants transactions to commit that meet no others, whatever they have read and written: what they
// write themselves is not what has changed.
func TestValidatedWrites(t *testing.T) {
	s := newTorn(t).reader
	accepted(t, s, "CREATE TABLE once (id int PRIMARY KEY, a int) WITH (MUTABILITY = 'IMMUTABLE_ROWS')",
		"CREATE INDEX ON once (a)", "INSERT INTO once VALUES (1, 1), (2, 1)", "CREATE TABLE p (id int PRIMARY KEY)",
		"CREATE TABLE child (id int, n int, PRIMARY KEY (id, n)) INTERLEAVE IN PARENT p", "INSERT INTO p VALUES (1), (2)")
	for _, statements := range [][]string{
		{"SELECT count(*) FROM once WHERE a = 1", "INSERT INTO once VALUES (3, 1)"},
		{"SELECT count(*) FROM once WHERE id = 1", "INSERT INTO once VALUES (4, 1)"},
		{"SELECT count(*) FROM once WHERE a = 1", "DELETE FROM once WHERE id = 1"},
		{"SELECT * FROM p WHERE id = 1", "INSERT INTO child VALUES (1, 1)"},
		{"SELECT * FROM p", "INSERT INTO child VALUES (2, 1)"},
		{"SELECT * FROM a WHERE id = 2 FOR UPDATE", "SELECT * FROM a", "INSERT INTO a VALUES (7)", "SELECT * FROM a",
			"DELETE FROM a WHERE id = 7", "SELECT * FROM a"},
		{"SELECT * FROM a", "SAVEPOINT s", "INSERT INTO a VALUES (8)", "SELECT * FROM a", "ROLLBACK TO s", "SELECT * FROM a",
			"INSERT INTO a VALUES (9)"},
		{"DECLARE k CURSOR FOR SELECT * FROM a", "FETCH 1 FROM k", "INSERT INTO a VALUES (10)", "FETCH 1 FROM k"},
		{"CREATE TABLE d (id int PRIMARY KEY, s serial, a int)", "CREATE INDEX ON d (a)", "INSERT INTO d VALUES (1, 1)",
			"SELECT * FROM d"},
	} {
		accepted(t, s, "BEGIN ISOLATION LEVEL SERIALIZABLE")
		accepted(t, s, statements...)
		accepted(t, s, "COMMIT")
	}
	if got := answer(t, s, "SELECT count(*) FROM once WHERE a = 1")[0]; got != "3" {
		t.Errorf("%s rows by the index", got)
	}
}

// TestReadersWait wants a transaction that only reads to wait for one that is about to commit what it has read: that
// one has looked a second time before a third has changed what it read, and so comes before both.
func TestReadersWait(t *testing.T) {
	var deciding func()
	fake := dynamofake.New(dynamofake.Options{Before: func(r *dynamofake.Request) {
		if r.Op == "UpdateItem" && strings.Contains(r.Tables[0], "transactions") && deciding != nil {
			do := deciding
			deciding = nil
			do()
		}
	}})
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client(""), MostTogether: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	first, second, reader := connect(t, db, "joe"), connect(t, db, "joe"), connect(t, db, "joe")
	accepted(t, first, "CREATE TABLE a (id int PRIMARY KEY, n int)", "INSERT INTO a VALUES (1, 0), (2, 0), (3, 0)")
	accepted(t, first, "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT n FROM a WHERE id IN (1, 2)",
		"UPDATE a SET n = 1 WHERE id IN (2, 3)")
	outcome := make(chan error)
	deciding = func() {
		accepted(t, second, "UPDATE a SET n = 5 WHERE id = 1")
		accepted(t, reader, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY")
		got := answer(t, reader, "SELECT id, n FROM a WHERE id IN (1, 2) ORDER BY id")
		if got[0] != "1 5" || got[1] != "2 0" {
			t.Errorf("%q", got)
		}
		go func() { outcome <- reader.Query(t.Context(), "COMMIT", &silent{}) }()
		select {
		case err := <-outcome:
			t.Errorf("the reader does not wait: %v", err)
			go func() { outcome <- err }()
		case <-time.After(50 * time.Millisecond):
		}
	}
	accepted(t, first, "COMMIT")
	if err := <-outcome; !sqlerr.Has(err, sqlerr.SerializationFailure) {
		t.Errorf("the reader sees a state that never was, and gets %v", err)
	}
}
