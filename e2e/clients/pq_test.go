package clients

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"
)

// pqRun is a walk through database/sql and lib/pq. It has one connection.
type pqRun struct {
	printer
	ctx context.Context
	db  *sql.DB
}

// asker is what a database and a transaction have in common.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// pqClient does all of it twice: with parameters in messages of their own, as texts and in binary form.
func pqClient(ctx context.Context, p printer) error {
	for _, binary := range []string{"no", "yes"} {
		connector, err := pq.NewConnector("sslmode=disable application_name=pq binary_parameters=" + binary)
		if err != nil {
			return err
		}
		noticed := pq.ConnectorWithNoticeHandler(connector, func(e *pq.Error) { p.line("NOTICE", e) })
		r := &pqRun{printer: p, ctx: ctx, db: sql.OpenDB(noticed)}
		r.db.SetMaxOpenConns(1)
		p.title("binary_parameters=%s", binary)
		p.line(r.db.PingContext(ctx))
		for _, part := range []func() error{r.catalogs, r.reads, r.kinds, r.arrays, r.prepared, r.transaction, r.errors,
			r.copies, r.cursors, r.cancelled, r.listens} {
			if err := part(); err != nil {
				p.line("FAILED", err)
			}
		}
		if err := r.db.Close(); err != nil {
			return err
		}
	}
	return nil
}

// rows prints all results of a query, with their columns.
func (r *pqRun) rows(in asker, query string, args ...any) {
	rows, err := in.QueryContext(r.ctx, query, args...)
	if err != nil {
		r.line(err)
		return
	}
	r.print(rows)
}

func (r *pqRun) print(rows *sql.Rows) {
	defer func() { _ = rows.Close() }()
	for more := true; more; more = rows.NextResultSet() {
		types, err := rows.ColumnTypes()
		if err != nil {
			r.line(err)
			return
		}
		for _, t := range types {
			length, _ := t.Length()
			precision, scale, _ := t.DecimalSize()
			fmt.Fprintf(r.w, "  %s:%s:%d:%d:%d:%v", t.Name(), t.DatabaseTypeName(), length, precision, scale,
				t.ScanType())
		}
		fmt.Fprintln(r.w)
		values, targets := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			targets[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(targets...); err != nil {
				r.line(err)
				return
			}
			r.line(values...)
		}
	}
	r.line(rows.Err())
}

// exec runs a statement and prints how many rows it touched.
func (r *pqRun) exec(in asker, statement string, args ...any) {
	result, err := in.ExecContext(r.ctx, statement, args...)
	if err != nil {
		r.line(err)
		return
	}
	n, err := result.RowsAffected()
	r.line(n, err)
}

func (r *pqRun) catalogs() error {
	r.title("catalogs")
	for _, query := range lookingAround() {
		r.rows(r.db, query)
	}
	return nil
}

func (r *pqRun) reads() error {
	r.title("reads and writes")
	r.rows(r.db, "SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY($1) OR name = $2 ORDER BY id", pq.Array([]int64{1, 3}), "bob")
	r.rows(r.db, "SELECT * FROM orders WHERE total > $1 AND placed >= $2 ORDER BY total LIMIT $3", 12.5,
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 2)
	r.rows(r.db, "SELECT $1::int + $2::int, $3::text, $4::int8 IS NULL", 1, 2, `it's 100% \`, nil)
	r.rows(r.db, "SELECT 1 AS one; SELECT 'two' AS two, NULL; SELECT")
	r.rows(r.db, "INSERT INTO customers (name, profile) VALUES ($1, $2) RETURNING id, tags, created", "dan", `{"a": 1}`)
	r.exec(r.db, "INSERT INTO orders (customer, total) SELECT 4, n FROM generate_series(1, $1::int) n", 3)
	r.exec(r.db, "UPDATE orders SET total = total * $1, placed = $2 WHERE customer = 4", "1.5",
		time.Date(2026, 3, 4, 5, 6, 7, 8_999_000, time.FixedZone("", 3600)))
	r.rows(r.db, "SELECT total, placed, note FROM orders WHERE customer = $1 ORDER BY total", 4)
	r.exec(r.db, "DELETE FROM orders WHERE customer = $1", 4)
	r.exec(r.db, "UPDATE customers SET name = 'x' WHERE false; DELETE FROM without_key")
	r.exec(r.db, "DROP TABLE IF EXISTS nothing")
	var name sql.NullString
	r.line(r.db.QueryRowContext(r.ctx, "SELECT email FROM customers WHERE id = $1", 2).Scan(&name), name)
	r.line(r.db.QueryRowContext(r.ctx, "SELECT email FROM customers WHERE id = $1", 1000).Scan(&name))
	return nil
}

// kinds reads each type, and sends what it read as a parameter and into the table.
func (r *pqRun) kinds() error {
	r.title("types, there and back")
	tx, err := r.db.BeginTx(r.ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	r.exec(tx, "INSERT INTO kinds (id, a_int4, a_text) VALUES (100, NULL, NULL)")
	for _, k := range kinds() {
		for id := 1; id <= 3; id++ {
			var v any
			if err := tx.QueryRowContext(r.ctx, "SELECT "+k.name+" FROM kinds WHERE id = $1", id).Scan(&v); err != nil {
				return err
			}
			r.exec(tx, "SAVEPOINT one")
			r.rows(tx, fmt.Sprintf("SELECT $1::%s", k.kind), v)
			r.exec(tx, "ROLLBACK TO one")
			r.rows(tx, fmt.Sprintf("UPDATE kinds SET %s = $1 WHERE id = 100 RETURNING %[1]s, %[1]s::text", k.name), v)
			r.exec(tx, "ROLLBACK TO one")
		}
	}
	return nil
}

func (r *pqRun) arrays() error {
	r.title("arrays")
	for _, v := range []any{
		pq.Array([]string{"a b", "", `"`, "NULL", `\`}), pq.Array([]sql.NullInt64{{Int64: 1, Valid: true}, {}}),
		pq.Array([]float64{1.5, -2}), pq.Array([]bool{true, false}),
		pq.Array([][]byte{{0, 255}, nil}), pq.Array([][]int64{{1, 2}, {3, 4}}), pq.Array([]string(nil)),
		pq.Array([]time.Time{time.Unix(0, 0).UTC()}),
	} {
		r.rows(r.db, "SELECT $1::text[]", v)
	}
	var ints []int64
	var texts []sql.NullString
	r.line(r.db.QueryRowContext(r.ctx, "SELECT ARRAY[3, 1, 2], some_text FROM kinds WHERE id = 1").Scan(pq.Array(&ints),
		pq.Array(&texts)), fmt.Sprint(ints, texts))
	r.rows(r.db, "SELECT $1::bytea, $2::bytea[], $3::float8[]", []byte{0, '\'', 255}, pq.Array([][]byte{{0, 255}}),
		pq.Array([]float64{0.1}))
	return nil
}

func (r *pqRun) prepared() error {
	r.title("prepared statements")
	s, err := r.db.PrepareContext(r.ctx, "SELECT n, $2 || n::text FROM generate_series(1, $1) n")
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for _, args := range [][]any{{2, "a"}, {0, ""}, {1, nil}, {"x", "y"}, {1}} {
		rows, err := s.QueryContext(r.ctx, args...)
		if err != nil {
			r.line(err)
			continue
		}
		r.print(rows)
	}
	_, err = r.db.PrepareContext(r.ctx, "SELECT * FROM nothing WHERE a = $1")
	r.line(err)
	r.rows(r.db, "SELECT statement, parameter_types::text, from_sql FROM pg_prepared_statements ORDER BY name")
	return nil
}

func (r *pqRun) transaction() error {
	r.title("transactions")
	tx, err := r.db.BeginTx(r.ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	r.exec(tx, "INSERT INTO without_key VALUES ($1, $2)", 1, "one")
	r.exec(tx, "SAVEPOINT one")
	r.exec(tx, "INSERT INTO customers (name) VALUES ($1)", "")
	r.rows(tx, "SELECT 1")
	r.exec(tx, "ROLLBACK TO SAVEPOINT one")
	r.rows(tx, "SELECT * FROM without_key WHERE a = $1", 1)
	r.line(tx.Rollback())
	r.rows(r.db, "SELECT * FROM without_key")
	if tx, err = r.db.BeginTx(r.ctx, nil); err != nil {
		return err
	}
	r.exec(tx, "INSERT INTO without_key VALUES (2, 'lost')")
	r.exec(tx, "SELECT 1 / $1::int", 0)
	r.line(tx.Commit())
	if tx, err = r.db.BeginTx(r.ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return err
	}
	r.exec(tx, "DELETE FROM without_key")
	r.line(tx.Rollback())
	r.rows(r.db, "SELECT count(*) FROM without_key")
	return nil
}

func (r *pqRun) errors() error {
	r.title("errors")
	for _, s := range []struct {
		text string
		args []any
	}{
		{"INSERT INTO customers (name, email) VALUES ('x', $1)", []any{"ann@example.org"}}, {"SELECT $1::int / 0", []any{1}}, {"SELECT * FROM nothing", nil},
		{"SELECT nothing FROM orders WHERE total = $1", []any{1}}, {"SELECT $1::int", []any{"x"}}, {"SELEC 1", nil}, {"SELECT 1; SELECT 1/0; SELECT 3", nil},
		{"SELECT $1 + $2", []any{"a", "b"}}, {"INSERT INTO orders (total) VALUES ($1)", []any{-1}}, {"SELECT $1::int2", []any{70000}}, {"SELECT $1", []any{1, 2}},
		{"SELECT 1; SELECT $1", []any{1}}, {"INSERT INTO kinds (id) VALUES ($1)", []any{nil}}, {"INSERT INTO kinds (id, a_char) VALUES (9, $1)", []any{"sixsix"}},
	} {
		fmt.Fprintln(r.w, " ", s.text)
		r.rows(r.db, s.text, s.args...)
	}
	return nil
}

func (r *pqRun) copies() error {
	r.title("COPY")
	for _, c := range []struct {
		statement string
		rows      [][]any
	}{
		{pq.CopyIn("without_key", "b", "a"), [][]any{{"x\ty\\\n", 10}, {nil, 11}, {"", nil}}},
		{pq.CopyInSchema("public", "kinds", "id", "a_bytea", "a_timestamptz", "a_float8", "a_bool"), [][]any{{50, []byte{0, '\\'}, time.Unix(0, 0).UTC(), 1e100, true}}},
		{pq.CopyIn("customers", "name"), [][]any{{"eve"}, {""}}}, {pq.CopyIn("without_key", "a"), [][]any{{"x"}}}, {pq.CopyIn("nothing", "a"), nil},
	} {
		tx, err := r.db.BeginTx(r.ctx, nil)
		if err != nil {
			return err
		}
		s, err := tx.PrepareContext(r.ctx, c.statement)
		if err != nil {
			r.line(err, tx.Rollback())
			continue
		}
		for _, row := range c.rows {
			if _, err := s.ExecContext(r.ctx, row...); err != nil {
				r.line(err)
			}
		}
		result, err := s.ExecContext(r.ctx)
		if err != nil {
			r.line(err, tx.Rollback())
			continue
		}
		n, err := result.RowsAffected()
		r.line(n, err, s.Close())
		r.rows(tx, "SELECT * FROM without_key ORDER BY a")
		r.rows(tx, "SELECT a_bytea, a_timestamptz, a_float8, a_bool FROM kinds WHERE id = 50")
		r.line(tx.Rollback())
	}
	r.exec(r.db, "COPY customers TO STDOUT")
	return nil
}

func (r *pqRun) cursors() error {
	r.title("cursors and streams")
	tx, err := r.db.BeginTx(r.ctx, nil)
	if err != nil {
		return err
	}
	r.exec(tx, "DECLARE c SCROLL CURSOR FOR SELECT n, n::text FROM generate_series(1, 10) n")
	for _, fetch := range []string{"FETCH 3 FROM c", "FETCH BACKWARD 2 FROM c", "FETCH ALL FROM c", "CLOSE c",
		"FETCH c"} {
		r.rows(tx, fetch)
	}
	r.line(tx.Rollback())
	rows, err := r.db.QueryContext(r.ctx, "SELECT n, repeat('x', 100) FROM generate_series(1, $1::int) n", 50000)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var n, sum int
	var text string
	for rows.Next() {
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
		sum += n + len(text)
	}
	r.line(n, sum, rows.Err())
	return nil
}

// cancelled cancels a query, on a connection that lib/pq gives up then, and lets the server end another.
func (r *pqRun) cancelled() error {
	r.title("a cancelled query")
	other, err := sql.Open("postgres", "sslmode=disable")
	if err != nil {
		return err
	}
	defer func() { _ = other.Close() }()
	var pid int
	if err := r.db.QueryRowContext(r.ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.ctx)
	watched := make(chan error, 1)
	go func() {
		defer cancel()
		for sleeps := false; ; {
			if err := other.QueryRowContext(r.ctx, sleeping, pid).Scan(&sleeps); sleeps || err != nil {
				watched <- err
				return
			}
		}
	}()
	_, err = r.db.ExecContext(ctx, "SELECT pg_sleep($1)", 30.0)
	cancel()
	r.line(err, <-watched)
	r.rows(r.db, "SELECT 'here again', pg_backend_pid() = $1", pid)
	r.exec(r.db, "SET statement_timeout = 100")
	r.exec(r.db, "SELECT pg_sleep($1)", 30.0)
	r.exec(r.db, "RESET statement_timeout")
	r.rows(r.db, "SELECT 'still here'")
	return nil
}

func (r *pqRun) listens() error {
	r.title("notifications")
	events := make(chan string, 10)
	l := pq.NewListener("sslmode=disable", time.Second, time.Minute,
		func(e pq.ListenerEventType, err error) { events <- fmt.Sprint(e, " ", err) })
	defer func() { _ = l.Close() }()
	r.line(l.Listen("news"), <-events)
	r.line(l.Listen("news"))
	r.exec(r.db, "SELECT pg_notify('news', $1)", "first")
	r.exec(r.db, "NOTIFY other; NOTIFY news, 'second'; NOTIFY news")
	for range 3 {
		select {
		case n := <-l.Notify:
			r.line(n.Channel, n.Extra)
		case <-time.After(10 * time.Second):
			return fmt.Errorf("nothing is heard")
		}
	}
	r.line(l.Unlisten("news"), l.Ping(), l.Close())
	return nil
}
