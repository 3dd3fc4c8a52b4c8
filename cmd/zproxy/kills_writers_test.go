package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// writer writes rows of its own to the tables that all share, and does with a table of its own
// whatever can be done in a transaction.
type writer struct {
	number int
	conn   *pgx.Conn
	rng    *rand.Rand
	rows   *rowsOfWriter
	report func(format string, args ...any)
}

const rowsOfTable = "(w int, n int, a int, b int, u int, m int, s text, PRIMARY KEY (w, n))"

// own is the table that no other writer writes to.
func (w *writer) own() string { return fmt.Sprintf("own_%d", w.number) }

// operation is a statement, and what it makes of the rows.
type operation struct {
	sql  string
	copy string // rows for COPY; empty: it is none
	does func()
}

// write does one transaction. It says false when the connection is broken. What the server
// refuses has not happened, and what was sent before the commit has not either.
func (w *writer) write() bool {
	var err error
	if w.rng.IntN(3) > 0 {
		err = w.do(w.operation())
	} else {
		err = w.block()
	}
	switch {
	case err == nil:
		w.rows.keep()
		return true
	case broken(err):
		return false // and made is what may be there
	}
	w.rows.forget()
	return w.conn.PgConn().TxStatus() == 'I' || !broken(w.run("ROLLBACK"))
}

// block does several operations between BEGIN and COMMIT.
func (w *writer) block() error {
	if err := w.run("BEGIN"); err != nil {
		return err
	}
	for range 1 + w.rng.IntN(5) {
		if w.rng.IntN(5) == 0 {
			if err := w.mistake(); err != nil {
				return w.undone(err)
			}
		}
		d := w.operation()
		if w.rng.IntN(6) == 0 {
			d = w.change()
		}
		if err := w.do(d); err != nil {
			return w.undone(err)
		}
	}
	if w.rng.IntN(8) == 0 {
		w.rows.forget()
		return w.run("ROLLBACK")
	}
	return w.run("COMMIT")
}

// undone is an error before COMMIT was sent: nothing of the block may be there.
func (w *writer) undone(err error) error {
	w.rows.forget()
	return err
}

// mistake does an operation and takes it back.
func (w *writer) mistake() error {
	if err := w.run("SAVEPOINT mistake"); err != nil {
		return err
	}
	if err := w.send(w.operation()); err != nil && broken(err) {
		return err
	}
	return w.run("ROLLBACK TO mistake")
}

// do does an operation. It is among what was made before it is sent, as its commit may be the last
// thing that the server does.
func (w *writer) do(d operation) error {
	d.does()
	return w.send(d)
}

func (w *writer) send(d operation) error {
	if d.copy == "" {
		return w.run(d.sql)
	}
	_, err := w.conn.PgConn().CopyFrom(context.Background(), strings.NewReader(d.copy), d.sql)
	return w.judge(d.sql, err)
}

func (w *writer) run(sql string) error {
	_, err := w.conn.PgConn().Exec(context.Background(), sql).ReadAll()
	return w.judge(sql, err)
}

// judge reports errors that are bugs.
func (w *writer) judge(sql string, err error) error {
	if refused := new(pgconn.PgError); errors.As(err, &refused) && strings.HasPrefix(refused.Code, "XX") {
		w.report("%s: %s: %v", sql, refused.Code, err)
	}
	return err
}

// broken says whether a connection broke, rather than that the server refused something.
func broken(err error) bool {
	return err != nil && !errors.As(err, new(*pgconn.PgError))
}

func (w *writer) values() values {
	v := values{a: w.rng.Int64N(1000), b: w.rng.Int64N(60), u: w.rng.Int64N(1 << 30), m: w.rng.Int64N(500)}
	if w.rng.IntN(300) == 0 {
		v.u = w.rng.Int64N(5) // others may have it
	}
	v.s = strings.Repeat("s", w.rng.IntN(20)) + fmt.Sprint(v.a)
	return v
}

// table is one to write to.
func (w *writer) table() string {
	return []string{"small", "small", "big", "big", w.own()}[w.rng.IntN(5)]
}

// free are IDs without rows.
func (w *writer) free(table string, count int) []rowID {
	var out []rowID
	for len(out) < count {
		p := rowID{table, w.rng.Int64N(1 << 24)}
		if w.rows.get(p) == nil {
			out = append(out, p)
		}
	}
	return out
}

// some are the IDs of a few neighbouring rows, and the condition for them.
func (w *writer) some(table string) ([]rowID, string) {
	all := w.rows.among(table, 0, 1<<40)
	if len(all) == 0 {
		return nil, "false"
	}
	first := w.rng.IntN(len(all))
	last := min(first+w.rng.IntN(5), len(all)-1)
	return all[first : last+1], fmt.Sprintf("w = %d AND n BETWEEN %d AND %d", w.number, all[first].n, all[last].n)
}

// operation is any statement that writes rows.
func (w *writer) operation() operation {
	table := w.table()
	v := w.values()
	at, where := w.some(table)
	set := func(sql string, f func(*values)) operation {
		return operation{
			sql:  fmt.Sprintf("UPDATE %s SET %s WHERE %s", table, sql, where),
			does: func() { w.rows.change(at, f) },
		}
	}
	switch w.rng.IntN(10) {
	case 0, 1:
		return set(fmt.Sprintf("a = %d, b = b + 1", v.a), func(r *values) { r.a, r.b = v.a, r.b+1 })
	case 2:
		return set(fmt.Sprintf("s = '%s', m = -m", v.s), func(r *values) { r.s, r.m = v.s, -r.m })
	case 3:
		return set(fmt.Sprintf("u = u + %d", v.u%7), func(r *values) { r.u += v.u % 7 })
	case 4:
		return w.move(table)
	case 5:
		return operation{sql: "DELETE FROM " + table + " WHERE " + where, does: func() {
			for _, p := range at {
				w.rows.made[p] = nil
			}
		}}
	case 6:
		return w.copyIn(table)
	case 7:
		return w.upsert(table, at)
	}
	return w.insert(table, 1+w.rng.IntN(4))
}

// insert makes rows.
func (w *writer) insert(table string, count int) operation {
	made := map[rowID]values{}
	var lines []string
	for _, p := range w.free(table, count) {
		if _, twice := made[p]; !twice {
			made[p] = w.values()
			lines = append(lines, fmt.Sprintf("(%d, %d, %s)", w.number, p.n, made[p].sql()))
		}
	}
	return operation{sql: fmt.Sprintf("INSERT INTO %s (w, n, a, b, u, m, s) VALUES %s", table,
		strings.Join(lines, ", ")), does: w.makes(made)}
}

func (w *writer) makes(made map[rowID]values) func() {
	return func() {
		for p, v := range made {
			w.rows.made[p] = &v
		}
	}
}

// copyIn makes some more rows by COPY.
func (w *writer) copyIn(table string) operation {
	made := map[rowID]values{}
	var lines strings.Builder
	for _, p := range w.free(table, 1+w.rng.IntN(60)) {
		if _, twice := made[p]; !twice {
			v := w.values()
			made[p] = v
			fmt.Fprintf(&lines, "%d\t%d\t%d\t%d\t%d\t%d\t%s\n", w.number, p.n, v.a, v.b, v.u, v.m, v.s)
		}
	}
	return operation{sql: "COPY " + table + " (w, n, a, b, u, m, s) FROM STDIN", copy: lines.String(),
		does: w.makes(made)}
}

// upsert makes a row, or changes the one that is there.
func (w *writer) upsert(table string, at []rowID) operation {
	if len(at) == 0 || w.rng.IntN(2) == 0 {
		at = w.free(table, 1)
	}
	p, v := at[0], w.values()
	sql := fmt.Sprintf("INSERT INTO %s (w, n, a, b, u, m, s) VALUES (%d, %d, %s) ON CONFLICT (w, n) DO UPDATE SET a = excluded.a, m = %[1]s.m + 1", table, w.number, p.n, v.sql())
	return operation{sql: sql, does: func() {
		if old := w.rows.get(p); old != nil {
			w.rows.change(at[:1], func(r *values) { r.a, r.m = v.a, r.m+1 })
		} else {
			w.rows.made[p] = &v
		}
	}}
}

// move gives a row another primary key.
func (w *writer) move(table string) operation {
	at, _ := w.some(table)
	if len(at) == 0 {
		return w.insert(table, 2)
	}
	from, to := at[0], w.free(table, 1)[0]
	sql := fmt.Sprintf("UPDATE %s SET n = %d, a = a + 1 WHERE w = %d AND n = %d", table, to.n, w.number, from.n)
	return operation{sql: sql, does: func() {
		v := *w.rows.get(from)
		v.a++
		w.rows.made[from], w.rows.made[to] = nil, &v
	}}
}

// change changes the schema of the writer's own table, as part of a transaction.
func (w *writer) change() operation {
	own := w.own()
	empty := func() {
		for _, p := range w.rows.among(own, 0, 1<<40) {
			w.rows.made[p] = nil
		}
	}
	nothing := func() {}
	switch w.rng.IntN(7) {
	case 0:
		return operation{sql: "TRUNCATE " + own, does: empty}
	case 1:
		return operation{sql: fmt.Sprintf("DROP TABLE %s; CREATE TABLE %[1]s %s; CREATE INDEX ON %[1]s (s) INCLUDE (a)",
			own, rowsOfTable), does: empty}
	case 2:
		return operation{sql: fmt.Sprintf("ALTER TABLE %s ADD COLUMN IF NOT EXISTS x int DEFAULT 7; CREATE INDEX IF NOT EXISTS own_x ON %[1]s (x, b)", own), does: nothing}
	case 3:
		return operation{sql: fmt.Sprintf("ALTER TABLE %s DROP COLUMN IF EXISTS x", own), does: nothing}
	case 4:
		of := []string{"int", "bigint"}[w.rng.IntN(2)]
		return operation{sql: fmt.Sprintf("ALTER TABLE %s ALTER m TYPE %s", own, of), does: nothing}
	case 5:
		sql := fmt.Sprintf("CREATE INDEX IF NOT EXISTS own_z ON %s USING zorder (a, b)", own)
		return operation{sql: sql, does: nothing}
	}
	return operation{sql: fmt.Sprintf("DROP INDEX IF EXISTS own_z ON %s; ALTER TABLE %[1]s RENAME TO renamed_%d; ALTER TABLE renamed_%[2]d RENAME TO %[1]s", own, w.number), does: nothing}
}
