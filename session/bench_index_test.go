package session

import (
	"fmt"
	"strings"
	"testing"

	"zproxy/store/pebblestore"
	"zproxy/types"
)

// indexed is a session with a table with one index, on the embedded store.
type indexed struct {
	*Session
	*silent
	last int64 // row that was written
}

func newIndexed(b *testing.B) *indexed {
	st, err := pebblestore.Open(b.TempDir(), pebblestore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	db, err := Open(b.Context(), st, Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	x := &indexed{Session: s, silent: &silent{}}
	err = s.Query(b.Context(), `CREATE TABLE t (p1 varchar, p2 int, c1 bigint, c2 float8, c3 varchar, PRIMARY KEY (p1, p2));
		CREATE INDEX t_c3 ON t (c3 DESC) INCLUDE (c1, c2)`, x.silent)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// row is the values of a row, by its number. Rows that follow each other lie apart in both orders.
func (x *indexed) row(n int64) []types.Value {
	mixed := uint64(n) * 0x9E3779B97F4A7C15
	return []types.Value{
		types.NewText(fmt.Sprintf("device-%08d", mixed>>20%10_000)), types.NewInt(n), types.NewInt(n),
		types.NewFloat(float64(n) / 4), types.NewText(fmt.Sprintf("%016x", mixed)),
	}
}

// run runs a prepared statement as the messages of a client do.
func (x *indexed) run(b *testing.B, params []types.Value, rows int) {
	x.rows = 0
	st, err := x.Statement("p")
	if err == nil {
		err = x.Bind(b.Context(), "", Binding{Statement: st, Params: params})
	}
	if err != nil {
		b.Fatal(err)
	}
	p, err := x.Portal("")
	if err == nil {
		err = x.Execute(b.Context(), p, Ask{Last: true}, x.silent)
	}
	if err == nil {
		err = x.Sync(b.Context())
	}
	if err != nil || x.rows != rows {
		b.Fatal(x.rows, err)
	}
}

func (x *indexed) prepare(b *testing.B, text string) {
	if err := x.Prepare(b.Context(), "p", text, nil); err != nil {
		b.Fatal(err)
	}
}

// benchPut inserts rows, so many with one statement, into tables whose INSERT looks at the keys and
// whose INSERT does not. Each statement is on disk at its end.
func benchPut(b *testing.B, rows int) {
	for _, class := range []string{"MUTABLE_LATEST", "IMMUTABLE"} {
		b.Run(class, func(b *testing.B) { benchPutInto(b, class, rows) })
	}
}

func benchPutInto(b *testing.B, class string, rows int) {
	x := newIndexed(b)
	if err := x.Query(b.Context(), "ALTER TABLE t SET (mutability = '"+class+"')", x.silent); err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, ", ($%d, $%d, $%d, $%d, $%d)", 5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5)
	}
	x.prepare(b, "INSERT INTO t VALUES "+text.String()[2:])
	params := make([]types.Value, 0, 5*rows)
	b.ReportAllocs()
	for b.Loop() {
		params = params[:0]
		for range rows {
			x.last++
			params = append(params, x.row(x.last)...)
		}
		x.run(b, params, 0)
	}
}

// BenchmarkPut inserts a row into a table with one index.
func BenchmarkPut(b *testing.B) { benchPut(b, 1) }

// BenchmarkBatchPut inserts 100 rows into a table with one index.
func BenchmarkBatchPut(b *testing.B) { benchPut(b, 100) }

// benchRead fills the table and runs a query.
func benchRead(b *testing.B, text string, params []types.Value, rows int) {
	x := newIndexed(b)
	err := x.Query(b.Context(),
		`INSERT INTO t SELECT 'device-' || i % 100, i, i, i / 4.0, md5(i::text) FROM generate_series(1, 20000) AS i`, x.silent)
	if err != nil {
		b.Fatal(err)
	}
	x.prepare(b, text)
	b.ReportAllocs()
	for b.Loop() {
		x.run(b, params, rows)
	}
}

// BenchmarkGet reads a row by the primary key.
func BenchmarkGet(b *testing.B) {
	benchRead(b, "SELECT c1, c3 FROM t WHERE p1 = $1 AND p2 = $2",
		[]types.Value{types.NewText("device-77"), types.NewInt(1277)}, 1)
}

// BenchmarkGetByIndex reads a row by an index that covers.
func BenchmarkGetByIndex(b *testing.B) {
	benchRead(b, "SELECT c1, p1 FROM t WHERE c3 = $1", []types.Value{types.NewText("c4ca4238a0b923820dcc509a6f75849b")},
		1)
}

// BenchmarkIndexScan reads 1000 rows in the order of an index.
func BenchmarkIndexScan(b *testing.B) {
	benchRead(b, "SELECT p1, p2, c1, c2, c3 FROM t WHERE c3 <= $1 ORDER BY c3 DESC LIMIT 1000",
		[]types.Value{types.NewText("c4ca4238a0b923820dcc509a6f75849b")}, 1000)
}
