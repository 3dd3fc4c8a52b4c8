package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// TestResume reads random queries page by page, each page by the token of the one before and in another process on the
// same store, and wants the rows that one cursor reads.
func TestResume(t *testing.T) {
	kinds := []kind{inMemory, unordered, onPebble, onFake, fakeOf("pages", dynamofake.Options{PageItems: 3})}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			pages := 0
			for _, seed := range seeds(t, 3) {
				r := &resumed{T: t, dice: newDice(seed)}
				st := k.open(t)
				indextest.AtEnd(t, st)
				for range 2 {
					c := serve(t, st, session.Options{Shared: true}).connect(t)
					r.conns = append(r.conns, c.PgConn())
				}
				r.round()
				pages += r.pages
			}
			if pages < 100 {
				t.Errorf("only %d pages", pages)
			}
		})
	}
}

// resumed is one table, and the processes that serve it.
type resumed struct {
	*testing.T
	dice
	conns []*pgconn.PgConn
	pages int
}

func (r *resumed) round() {
	table := r.table()
	sql := []string{table.create() + table.layout}
	for _, x := range table.indexes {
		sql = append(sql, x.sql)
	}
	for range 10 {
		sql = append(sql, r.insert(&table, 8))
	}
	for _, s := range sql {
		_, _ = r.read(0, s) // some rows are not valid
	}
	queries := []string{"SELECT * FROM t"}
	for range 60 {
		queries = append(queries, r.query(&table).sql)
	}
	for _, c := range table.columns {
		for _, form := range []string{"SELECT * FROM t ORDER BY %s",
			"SELECT * FROM t ORDER BY %s DESC LIMIT 7 OFFSET 2", "SELECT %[1]s FROM t WHERE %[1]s IS NOT NULL",
			"SELECT %[1]s FROM t UNION ALL SELECT %[1]s FROM t WHERE %[1]s IS NOT NULL UNION ALL SELECT %[1]s FROM t LIMIT 70 OFFSET 9",
			"SELECT %[1]s FROM t UNION ALL SELECT %[1]s FROM t WHERE %[1]s IS NOT NULL ORDER BY 1"} {
			queries = append(queries, fmt.Sprintf(form, c.name))
		}
	}
	for _, q := range queries {
		if strings.Contains(q, "$") {
			continue
		}
		r.compare(q)
		if r.Failed() {
			r.Log(strings.Join(sql, ";\n"))
			return
		}
	}
}

// compare reads a query in pages, if it can be, and at once.
func (r *resumed) compare(query string) {
	var got []string
	token, size := "", 1+r.IntN(5)
	for page := 0; ; page++ {
		rows, next, err := r.page(page%len(r.conns), query, token, size)
		if err != nil {
			if page > 0 || !strings.Contains(err.Error(), "42P11") {
				if _, failed := r.read(0, query); failed == nil {
					r.Errorf("%s: page %d: %v", query, page, err)
				}
			}
			return
		}
		got = append(got, rows...)
		if r.pages++; next == "" {
			break
		}
		token = next
	}
	want, err := r.read(0, query)
	if err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	if !slices.Equal(got, want) {
		r.Errorf("%s\npages of %d:\n%s\nat once:\n%s", query, size, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// page reads some rows behind a token, and the next token: empty when there are no more rows.
func (r *resumed) page(conn int, query, token string, size int) (rows []string, next string, err error) {
	options := "resumable"
	if token != "" {
		options += ", token = '" + token + "'"
	}
	defer func() { _, _ = r.read(conn, "ROLLBACK") }()
	for _, sql := range []string{"BEGIN", fmt.Sprintf("DECLARE c CURSOR WITH (%s) FOR %s", options, query)} {
		if _, err := r.read(conn, sql); err != nil {
			return nil, "", err
		}
	}
	if rows, err = r.read(conn, fmt.Sprintf("FETCH %d FROM c", size)); err != nil {
		return nil, "", err
	}
	answer, err := r.read(conn, "SELECT coalesce(zproxy.resume_token('c'), '')")
	if err != nil {
		return nil, "", err
	}
	return rows, strings.Trim(answer[0], "|"), nil
}

// read is the rows of a statement, as text.
func (r *resumed) read(conn int, sql string) (rows []string, err error) {
	results, err := r.conns[conn].Exec(r.Context(), sql).ReadAll()
	for _, result := range results {
		for _, row := range result.Rows {
			text := ""
			for _, v := range row {
				text += string(v) + "|"
			}
			rows = append(rows, text)
		}
	}
	return rows, err
}

// TestResumeAmongWrites deletes the row that the first token stands at. Each page examines about as many keys as the
// first, however many rows are before it.
func TestResumeAmongWrites(t *testing.T) {
	for _, k := range []kind{inMemory, unordered, onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			st := k.open(t)
			indextest.AtEnd(t, st)
			r := &resumed{T: t}
			for range 2 {
				r.conns = append(r.conns, serve(t, st, session.Options{Shared: true}).connect(t).PgConn())
			}
			fill := []string{"CREATE TABLE t (p int, id int, a int, PRIMARY KEY (p, id)) PARTITION BY HASH (p)",
				"CREATE INDEX t_a ON t (p, a)"}
			for from := 1; from < 4000; from += 40 { // as many as a transaction may write everywhere
				fill = append(fill, fmt.Sprintf("INSERT INTO t SELECT g %% 4, g * 10, -g "+
					"FROM generate_series(%d, %d) AS g", from, from+39))
			}
			for _, sql := range fill {
				if _, err := r.read(0, sql); err != nil {
					t.Fatal(err)
				}
			}
			r.amongWrites("SELECT id FROM t WHERE p IN (0, 1, 2, 3) ORDER BY id", 300, 4000)
			r.amongWrites("SELECT id FROM t WHERE p IN (0, 1, 2, 3) ORDER BY id LIMIT 1001 OFFSET 7", 100, 1001)
			// Rows that OFFSET skips are of partitions of which the first page delivers none.
			r.amongWrites("SELECT id FROM t WHERE p IN (0, 1, 2, 3) ORDER BY id LIMIT 5 OFFSET 2", 1, 5)
			r.amongWrites("SELECT id FROM t WHERE p = 1 UNION ALL SELECT id FROM t WHERE p = 3", 150, 2000)
			r.amongWrites("SELECT id FROM t WHERE p = 1 UNION ALL SELECT id FROM t WHERE p = 3 ORDER BY id", 300, 2000)
			r.amongWrites("SELECT * FROM t WHERE p = 2 AND a IS NOT NULL ORDER BY id DESC", 200, 1000)
			r.amongWrites("SELECT id FROM t WHERE p = 3", 200, 1000)
		})
	}
}

// amongWrites reads a query in pages, and wants each row that is not written meanwhile once.
func (r *resumed) amongWrites(query string, size, most int) {
	r.Helper()
	want, err := r.read(0, query)
	if err != nil {
		r.Fatal(err)
	}
	if len(want) != most {
		r.Fatalf("%s: %d rows, want %d", query, len(want), most)
	}
	var got []string
	token, moved := "", false
	for page := 0; page == 0 || token != ""; page++ {
		conn := page % 2
		most := 4 * (size + 2*types.BatchRows)
		if _, err := r.read(conn, fmt.Sprintf("SET zproxy.max_rows_read = %d", most)); err != nil {
			r.Fatal(err)
		}
		rows, next, err := r.page(conn, query, token, size)
		if err != nil {
			r.Fatalf("%s: page %d: %v", query, page, err)
		}
		got, token = append(got, rows...), next
		if _, err := r.read(conn, "SET zproxy.max_rows_read = 0"); err != nil {
			r.Fatal(err)
		}
		if len(rows) > 0 && !moved { // the row that the token stands at is gone
			id, _, _ := strings.Cut(rows[len(rows)-1], "|")
			if strings.HasPrefix(query, "SELECT *") {
				id = strings.Split(rows[len(rows)-1], "|")[1]
			}
			if _, err := r.read(conn, "DELETE FROM t WHERE id = "+id); err != nil {
				r.Fatal(err)
			}
			defer func() {
				n, _ := strconv.Atoi(id)
				if _, err := r.read(0, fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d)", n/10%4, n, -n/10)); err != nil {
					r.Fatal(err)
				}
			}()
			moved = true
		}
	}
	if !slices.Equal(got, want) {
		r.Errorf("%s: %d rows in pages, want %d", query, len(got), len(want))
	}
}
