package session

import (
	"testing"

	"zproxy/sqlerr"
	"zproxy/store/memstore"
	"zproxy/types"
)

// silent is a client that looks at nothing, and copies nothing.
type silent struct {
	Client
	rows int
}

func (*silent) Columns(*Portal) error      { return nil }
func (*silent) Done(Outcome) error         { return nil }
func (*silent) Notice(*sqlerr.Error) error { return nil }
func (c *silent) Rows(_ *Portal, b *types.Batch) error {
	c.rows += b.Len()
	return nil
}

// benchSession has a table of 10,000 rows.
func benchSession(b *testing.B, o Options) (*Session, *silent) {
	db, err := Open(b.Context(), memstore.New(memstore.Options{}), o)
	if err != nil {
		b.Fatal(err)
	}
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	c := &silent{}
	err = s.Query(b.Context(), `CREATE TABLE t (id int PRIMARY KEY, a int, b text);
		INSERT INTO t SELECT i, i % 100, 'some text' FROM generate_series(1, 10000) AS i`, c)
	if err != nil {
		b.Fatal(err)
	}
	return s, c
}

// benchPrepared runs a prepared statement with the parameter 7, as its messages do.
func benchPrepared(b *testing.B, o Options, text string, rows int) {
	s, c := benchSession(b, o)
	if err := s.Prepare(b.Context(), "p", text, []types.OID{types.OIDInt4}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.rows = 0
		st, err := s.Statement("p")
		if err == nil {
			err = s.Bind(b.Context(), "", Binding{Statement: st, Params: []types.Value{types.NewInt(7)}})
		}
		if err != nil {
			b.Fatal(err)
		}
		p, err := s.Portal("")
		if err == nil {
			err = s.Execute(b.Context(), p, Ask{Last: true}, c)
		}
		if err == nil {
			err = s.Sync(b.Context())
		}
		if err != nil || c.rows != rows {
			b.Fatal(c.rows, err)
		}
	}
}

// BenchmarkPoint is SELECT by the primary key.
func BenchmarkPoint(b *testing.B) { benchPrepared(b, Options{}, "SELECT * FROM t WHERE id = $1", 1) }

// BenchmarkScan reads 10,000 rows and delivers 100.
func BenchmarkScan(b *testing.B) { benchPrepared(b, Options{}, "SELECT * FROM t WHERE a = $1", 100) }

// BenchmarkUpdate is UPDATE by the primary key.
func BenchmarkUpdate(b *testing.B) {
	benchPrepared(b, Options{}, "UPDATE t SET a = a + 1 WHERE id = $1", 0)
}
