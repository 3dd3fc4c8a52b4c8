package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/indextest"
	"zproxy/internal/testseed"
	"zproxy/session"
	"zproxy/store/memstore"
)

// processes serves a store by several processes, with a connection to each.
func (r *resumed) processes(k kind, n int) {
	st := k.open(r.T)
	indextest.AtEnd(r.T, st)
	for range n {
		r.conns = append(r.conns, serve(r.T, st, session.Options{Shared: true}).connect(r.T).PgConn())
	}
}

// must is read of what must not fail.
func (r *resumed) must(conn int, sql string) []string {
	r.Helper()
	rows, err := r.read(conn, sql)
	if err != nil {
		r.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// TestResumeBetweenWrites writes and deletes rows before and behind the token between any two pages. Each page must be
// the first rows that are there behind the last that its partition gave.
func TestResumeBetweenWrites(t *testing.T) {
	queries := []string{
		"SELECT id FROM t WHERE p IN (0, 1, 2, 3) ORDER BY id",
		"SELECT id FROM t WHERE p IN (0, 1, 2, 3) ORDER BY id DESC",
		"SELECT id FROM t WHERE p IN (0, 3) AND note <> 'x' ORDER BY id",
		"SELECT id FROM t WHERE p = 2 ORDER BY id",
		"SELECT id FROM t WHERE p = 2 ORDER BY id DESC",
		"SELECT id, note FROM t FORCE INDEX (t_a) WHERE p = 1 ORDER BY a DESC",
		"SELECT /*+ USE_INDEX(t, t_a) */ id, note FROM t WHERE p IN (1, 2) ORDER BY a",
	}
	for _, k := range []kind{inMemory, unordered, onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			r := &resumed{T: t, dice: newDice(testseed.Of(t))}
			r.processes(k, 2)
			r.must(0, "CREATE TABLE t (p int, id int, a int, note text, PRIMARY KEY (p, id)) PARTITION BY HASH (p)")
			r.must(0, "CREATE INDEX t_a ON t (p, a)")
			for _, q := range queries {
				r.betweenWrites(q)
			}
			if r.pages < 10*len(queries) && !t.Failed() {
				t.Errorf("only %d pages", r.pages)
			}
		})
	}
}

// written is a table of which a test knows the rows: the partition of a row is its id modulo 4, and a is -id.
type written struct {
	*resumed
	ids map[int]bool
}

// write puts some rows into the table, and takes some out, and that at an id.
func (w *written) write(puts, id int) {
	for range puts {
		n := w.IntN(4000)
		w.must(w.IntN(2), fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, '') ON CONFLICT DO NOTHING", n%4, n, -n))
		w.ids[n] = true
	}
	for _, n := range []int{id, w.IntN(4000)} {
		if w.ids[n] {
			w.must(w.IntN(2), fmt.Sprintf("DELETE FROM t WHERE p = %d AND id = %d", n%4, n))
			delete(w.ids, n)
		}
	}
}

// behind are the first ids of some partitions behind the last that each gave, in order.
func (w *written) behind(partitions string, last map[int]int, reverse bool, size int) (out []string) {
	var ids []int
	for id := range w.ids {
		from, begun := last[id%4]
		if strings.Contains(partitions, fmt.Sprint(id%4)) && (!begun || id != from && id < from == reverse) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int) int {
		if reverse {
			a, b = b, a
		}
		return cmp.Compare(a, b)
	})
	for _, id := range ids[:min(size, len(ids))] {
		out = append(out, fmt.Sprint(id))
	}
	return out
}

// betweenWrites reads a query in pages, with writes between them.
func (r *resumed) betweenWrites(query string) {
	for p := range 4 { // a transaction writes no more everywhere
		r.must(0, fmt.Sprintf("DELETE FROM t WHERE p = %d", p))
	}
	w := &written{resumed: r, ids: map[int]bool{}}
	w.write(60, 0)
	_, condition, _ := strings.Cut(query, "WHERE p ")
	partitions, order, _ := strings.Cut(condition, "ORDER BY ")
	partitions, _, _ = strings.Cut(partitions, "AND")
	reverse := order == "id DESC" || order == "a"
	last := map[int]int{}
	token := ""
	for page := 0; page == 0 || token != ""; page++ {
		size := 1 + r.IntN(6)
		want := w.behind(partitions, last, reverse, size)
		rows, next, err := r.page(page%2, query, token, size)
		if err != nil {
			r.Fatalf("%s: page %d: %v", query, page, err)
		}
		id := 0
		for i, row := range rows {
			rows[i], _, _ = strings.Cut(row, "|")
			_, _ = fmt.Sscan(rows[i], &id)
			last[id%4] = id
		}
		if !slices.Equal(rows, want) || (next == "") != (len(rows) < size) {
			r.Errorf("%s: page %d of %d: %v, want %v; token %q", query, page, size, rows, want, next)
			return
		}
		token = next
		r.pages++
		w.write(3, id)
	}
}

// TestResumeRefuses goes on with a token where it must not.
func TestResumeRefuses(t *testing.T) {
	r := &resumed{T: t}
	r.processes(onPebble, 2)
	for _, sql := range []string{"CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX t_a ON t (a)",
		"INSERT INTO t SELECT g, -g FROM generate_series(1, 9) AS g",
		"CREATE ROLE reader", "GRANT SELECT ON t TO reader"} {
		r.must(0, sql)
	}
	const byID, byA = "SELECT id FROM t ORDER BY id", "SELECT a FROM t WHERE a < 0 ORDER BY a"
	const both = "SELECT id FROM t WHERE id < 3 OR id > 99 UNION ALL SELECT id FROM t WHERE id BETWEEN 3 AND 9"
	for _, c := range []struct {
		name, query   string
		before, after string // what is done before the second page, and to put things back
		then          string // the query of the second page; empty: the same
		code          string // empty: it goes on
	}{
		{name: "same", query: byID},
		{name: "blanks", query: byID, then: "SELECT id\n FROM t -- all\n ORDER  BY id"},
		{name: "another role", query: byID, before: "SET ROLE reader", after: "RESET ROLE", code: "42501"},
		{name: "another query", query: byID, then: byA, code: "55000"},
		{name: "another search_path", query: byID, before: "SET search_path = public, pg_catalog",
			after: "RESET search_path", code: "55000"},
		{name: "another time zone", query: byID, before: "SET TimeZone = 'Asia/Tokyo'", after: "RESET TimeZone",
			code: "55000"},
		{name: "one more column", query: byID, before: "ALTER TABLE t ADD COLUMN b int DEFAULT 3"},
		{name: "one more index", query: byID, before: "CREATE INDEX t_b ON t (b)"},
		{name: "written", query: byID, before: "BEGIN; INSERT INTO t VALUES (100, 1)", after: "ROLLBACK", code: "25001"},
		{name: "another index", query: byA, before: "DROP INDEX t_a; CREATE INDEX t_a ON t (a)", code: "55000"},
		{name: "a row of an earlier input", query: both, before: "INSERT INTO t VALUES (100, 1)",
			after: "DELETE FROM t WHERE id = 100"},
		{name: "no index any more", query: byA, before: "DROP INDEX t_a", code: "42P11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &resumed{T: t, conns: r.conns}
			rows, token, err := r.page(0, c.query, "", 4)
			if err != nil || len(rows) != 4 || token == "" {
				t.Fatalf("%q %q %v", rows, token, err)
			}
			if c.before != "" {
				r.must(1, c.before)
			}
			rows, _, err = r.page(1, cmp.Or(c.then, c.query), token, 9)
			if c.after != "" {
				r.must(1, c.after)
			}
			var failed *pgconn.PgError
			switch {
			case c.code == "" && (err != nil || len(rows) != 5):
				t.Errorf("%q %v", rows, err)
			case c.code != "" && (!errors.As(err, &failed) || failed.Code != c.code):
				t.Errorf("%q %v, want %s", rows, err, c.code)
			}
		})
	}
}

// TestResumeExpires goes on with tokens as long as they are valid by the setting with which they were made.
func TestResumeExpires(t *testing.T) {
	began := time.Now()
	var later atomic.Int64
	c := serve(t, memstore.New(memstore.Options{}), session.Options{Now: func() time.Time {
		return began.Add(time.Duration(later.Load()))
	}}).connect(t)
	r := &resumed{T: t, conns: []*pgconn.PgConn{c.PgConn()}}
	r.must(0, "CREATE TABLE t (id int PRIMARY KEY)")
	r.must(0, "INSERT INTO t SELECT g FROM generate_series(1, 9) AS g")
	const query = "SELECT id FROM t ORDER BY id"
	first := func(ttl string) string {
		r.must(0, "SET zproxy.resume_token_ttl = '"+ttl+"'")
		_, token, err := r.page(0, query, "", 4)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	next := func(token string) error {
		_, _, err := r.page(0, query, token, 4)
		return err
	}
	forEver, hour := first("0"), first("1h")
	later.Add(int64(time.Hour))
	if err := next(hour); err != nil {
		t.Errorf("after an hour: %v", err)
	}
	r.must(0, "SET zproxy.resume_token_ttl = 0") // which is about new tokens
	later.Add(int64(time.Millisecond))
	var failed *pgconn.PgError
	if err := next(hour); !errors.As(err, &failed) || failed.Message != "resume token has expired" {
		t.Errorf("after more than an hour: %v", err)
	}
	later.Add(int64(1000 * time.Hour))
	if err := next(forEver); err != nil {
		t.Errorf("of a token that does not expire: %v", err)
	}
}

// TestResumeAfterRestarts reads each page from a server that was started for it.
func TestResumeAfterRestarts(t *testing.T) {
	fs := vfs.NewMem()
	token := ""
	for page := range 4 {
		st := openPebble(t, fs)
		s := serve(t, st, session.Options{})
		r := &resumed{T: t, conns: []*pgconn.PgConn{s.connect(t).PgConn()}}
		if page == 0 {
			r.must(0, "CREATE TABLE t (id int PRIMARY KEY)")
			r.must(0, "INSERT INTO t SELECT generate_series(1, 9)")
		}
		rows, next, err := r.page(0, "SELECT id FROM t ORDER BY id", token, 3)
		var want []string
		for id := 3*page + 1; id <= min(3*page+3, 9); id++ {
			want = append(want, fmt.Sprintf("%d|", id))
		}
		if err != nil || !slices.Equal(rows, want) {
			t.Fatalf("page %d: %v, %v, want %v", page, rows, err, want)
		}
		token = next
		s.stop()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if token != "" {
		t.Errorf("the last page has the token %s", token)
	}
}
