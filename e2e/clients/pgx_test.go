package clients

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
)

// pgxRun is one walk through the driver, in one of the ways in which it can send a query.
type pgxRun struct {
	printer
	ctx  context.Context
	conn *pgx.Conn
	mode pgx.QueryExecMode
}

// pgxClient does the same in each mode.
func pgxClient(ctx context.Context, p printer) error {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		r := &pgxRun{printer: p, ctx: ctx, mode: mode}
		var err error
		if r.conn, err = r.connect(); err != nil {
			return err
		}
		for _, part := range []func() error{
			r.connection, r.catalogs, r.reads, r.kindsRead, r.kindsBackAgain, r.writes, r.transaction, r.errors,
			r.batch, r.copies,
			r.cursors, r.changedPlan, r.cancelled, r.notified,
		} {
			if err := part(); err != nil {
				p.line("FAILED", err)
			}
			if r.conn.PgConn().TxStatus() != 'I' {
				_, _ = r.conn.Exec(ctx, "ROLLBACK")
			}
		}
		if err := r.conn.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

// connect makes a connection that outlives a cancelled query, and prints notices.
func (r *pgxRun) connect() (*pgx.Conn, error) {
	config, err := pgx.ParseConfig("application_name=pgx")
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = r.mode
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { r.line("NOTICE", n.Severity, n.Code, n.Message) }
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: time.Minute}
	}
	return pgx.ConnectConfig(r.ctx, config)
}

// title names the mode too: a difference of one mode is found by it.
func (r *pgxRun) title(what string) { r.printer.title("%s, %v", what, r.mode) }

// rows prints a query's columns and rows.
func (r *pgxRun) rows(query string, args ...any) {
	rows, err := r.conn.Query(r.ctx, query, args...)
	if err != nil {
		r.line(err)
		return
	}
	r.print(rows)
}

func (r *pgxRun) print(rows pgx.Rows) {
	defer rows.Close()
	for _, f := range rows.FieldDescriptions() {
		fmt.Fprintf(r.w, "  %s:%d:%d:%d:%d:%d", f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Format,
			f.TableAttributeNumber)
	}
	fmt.Fprintln(r.w)
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			r.line(err)
			return
		}
		r.line(values...)
	}
	rows.Close()
	r.line(rows.CommandTag(), rows.Err())
}

// exec runs a statement and prints how it ended.
func (r *pgxRun) exec(statement string, args ...any) {
	tag, err := r.conn.Exec(r.ctx, statement, args...)
	r.line(tag, err, string(r.conn.PgConn().TxStatus()))
}

func (r *pgxRun) connection() error {
	r.title("connection")
	c := r.conn.PgConn()
	for _, name := range []string{
		"client_encoding", "server_encoding", "DateStyle", "IntervalStyle", "TimeZone", "integer_datetimes", "standard_conforming_strings",
		"is_superuser", "session_authorization", "application_name", "in_hot_standby", "default_transaction_read_only",
	} {
		r.line(name, c.ParameterStatus(name))
	}
	major, _, _ := strings.Cut(c.ParameterStatus("server_version"), ".")
	r.line(major, string(c.TxStatus()), r.conn.Ping(r.ctx))
	r.exec("")
	return nil
}

func (r *pgxRun) catalogs() error {
	r.title("catalogs")
	for _, query := range lookingAround() {
		r.rows(query)
	}
	// It asks for the types of a row by the names of a table and of its array.
	for _, name := range []string{"without_key", "_without_key", "int4", "nothing"} {
		t, err := r.conn.LoadType(r.ctx, name)
		if err != nil {
			r.line(err)
			continue
		}
		r.line(t.Name, fmt.Sprintf("%T", t.Codec))
	}
	return nil
}

func (r *pgxRun) reads() error {
	r.title("reads")
	r.rows("SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY($1) OR name = $2 ORDER BY id",
		[]int64{1, 3}, "bob")
	r.rows("SELECT * FROM orders WHERE total > $1 AND placed >= $2 ORDER BY total LIMIT $3", 12.5,
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 2)
	r.rows("SELECT $1::int + $2::int, $3::text, $4::int8 IS NULL", 1, 2, `it's 100% \`, nil)
	r.rows("SELECT c.name, count(*), sum(total), max(placed) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY 1 HAVING count(*) > $1 ORDER BY 1", 0)
	r.rows("SELECT name, total FROM large_orders WHERE total < @most ORDER BY number", pgx.NamedArgs{"most": 50})
	r.rows(`SELECT "with ""quotes""", "select" FROM "Odd Names" ORDER BY "Key" DESC OFFSET $1`, 1)
	r.rows("VALUES ($1::text, $2::int), ('x', 3)", "v", 4)
	r.rows("SHOW search_path")
	r.rows("SELECT generate_series(1, $1::int), CASE WHEN $2 THEN $3::numeric ELSE 0 END", 2, true, "1.50")
	r.rows("SELECT")
	type customer struct {
		ID   int64
		Name string
		Tags []string
	}
	rows, err := r.conn.Query(r.ctx, "SELECT id, name, tags FROM customers WHERE id <= $1 ORDER BY id", 3)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[customer])
	r.line(fmt.Sprint(found), err)
	return nil
}

// kindsRead prints what comes over the wire, too.
func (r *pgxRun) kindsRead() error {
	r.title("types")
	for _, k := range kinds() {
		rows, err := r.conn.Query(r.ctx, "SELECT "+k.name+" FROM kinds ORDER BY id")
		if err != nil {
			return err
		}
		f := rows.FieldDescriptions()[0]
		r.line(k.name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Format, f.TableAttributeNumber)
		for rows.Next() {
			values, err := rows.Values()
			r.line(fmt.Sprintf("%x", rows.RawValues()[0]), values, err)
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// kindsBackAgain sends what it read, as a parameter and into the table.
func (r *pgxRun) kindsBackAgain() error {
	r.title("types, there and back")
	r.exec("BEGIN")
	r.exec("INSERT INTO kinds (id, a_int4, a_text) VALUES (100, NULL, NULL)")
	for _, k := range kinds() {
		rows, err := r.conn.Query(r.ctx, "SELECT "+k.name+" FROM kinds WHERE id < 100 ORDER BY id")
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (any, error) {
			values, err := row.Values()
			return values[0], err
		})
		if err != nil {
			return err
		}
		for _, v := range found {
			r.exec("SAVEPOINT one")
			r.rows(fmt.Sprintf("SELECT $1::%s", k.kind), v)
			r.exec("ROLLBACK TO one")
			r.rows(fmt.Sprintf("UPDATE kinds SET %s = $1 WHERE id = 100 RETURNING %[1]s, %[1]s::text", k.name), v)
			r.exec("ROLLBACK TO one")
		}
	}
	r.exec("ROLLBACK")
	return nil
}

func (r *pgxRun) writes() error {
	r.title("writes")
	r.rows("INSERT INTO customers (name, profile) VALUES ($1, $2) RETURNING id, tags, created", "dan", `{"a": 1}`)
	for i := range 3 {
		r.exec("INSERT INTO orders (customer, total, note) VALUES ($1, $2, $3)", 4, i, fmt.Sprint("order ", i))
	}
	r.exec("UPDATE orders SET total = total + $1, note = $2 WHERE customer = $3", 2.5, nil, 4)
	r.rows("INSERT INTO \"Odd Names\" (\"Key\") VALUES ($1) ON CONFLICT (\"Key\") DO UPDATE SET \"select\" = $2 RETURNING *", 1, 9)
	r.exec("INSERT INTO \"Odd Names\" (\"Key\") VALUES ($1) ON CONFLICT DO NOTHING", 1)
	r.rows("DELETE FROM orders WHERE customer = $1 RETURNING total, note", 4)
	r.exec("UPDATE customers SET email = $1 WHERE id = $2", "x", 1000)
	r.exec("CREATE TABLE made AS SELECT 1 AS a")
	r.exec("DROP TABLE made")
	r.exec("DROP TABLE IF EXISTS made")
	r.exec("SET search_path TO archive, public")
	r.rows("SELECT * FROM orders WHERE year = $1", 2025)
	r.exec("RESET search_path")
	return nil
}

func (r *pgxRun) transaction() error {
	r.title("transactions")
	tx, err := r.conn.BeginTx(r.ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	r.exec("INSERT INTO without_key VALUES ($1, $2)", 1, "one")
	r.exec("INSERT INTO customers (name) VALUES ($1)", "")
	r.rows("SELECT 1")
	r.line(tx.Commit(r.ctx), string(r.conn.PgConn().TxStatus()))
	r.line(pgx.BeginFunc(r.ctx, r.conn, func(tx pgx.Tx) error {
		r.exec("INSERT INTO without_key VALUES ($1, $2)", 2, "two")
		r.line(pgx.BeginFunc(r.ctx, tx, func(pgx.Tx) error { // a savepoint
			r.exec("INSERT INTO without_key VALUES ($1, $2)", 3, "three")
			r.exec("SELECT 1 / $1::int", 0)
			return fmt.Errorf("given up")
		}))
		r.rows("SELECT * FROM without_key ORDER BY a")
		return nil
	}))
	r.line(pgx.BeginTxFunc(r.ctx, r.conn, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.Serializable,
		DeferrableMode: pgx.Deferrable}, func(pgx.Tx) error {
		r.rows("SHOW transaction_isolation")
		r.exec("DELETE FROM without_key")
		return nil
	}))
	r.exec("DELETE FROM without_key")
	return nil
}

func (r *pgxRun) errors() error {
	r.title("errors")
	for _, s := range []struct {
		text string
		args []any
	}{
		{"INSERT INTO customers (name, email) VALUES ('x', $1)", []any{"ann@example.org"}}, {"SELECT $1::int / 0", []any{1}}, {"SELECT * FROM nothing", nil},
		{"SELECT nothing FROM orders WHERE total = $1", []any{1}}, {"SELECT $1::int", []any{"x"}}, {"SELEC 1", nil}, {"SELECT 1; SELECT 2", nil},
		{"SELECT $1 + $2", []any{"a", "b"}}, {"INSERT INTO orders (total) VALUES ($1)", []any{-1}}, {"INSERT INTO kinds (id, a_varchar) VALUES (9, $1)", []any{strings.Repeat("x", 21)}},
		{"SELECT $1::int2", []any{70000}}, {"SELECT a FROM without_key WHERE a = $1", []any{"x"}}, {"SELECT $1", []any{1, 2}}, {"SELECT $2::int", []any{1}},
		{"INSERT INTO kinds (id) VALUES ($1)", []any{nil}}, {"SELECT no_such_function($1)", []any{1}},
	} {
		fmt.Fprintln(r.w, " ", s.text)
		r.rows(s.text, s.args...)
	}
	return nil
}

func (r *pgxRun) batch() error {
	r.title("a batch")
	send := func(values ...any) {
		b := &pgx.Batch{}
		for _, v := range values {
			b.Queue("INSERT INTO without_key VALUES ($1, $2)", v, "batch")
			b.Queue("SELECT a, 12 / a FROM without_key WHERE a = $1", v)
		}
		results := r.conn.SendBatch(r.ctx, b)
		for range values {
			tag, err := results.Exec()
			r.line(tag, err)
			rows, err := results.Query()
			if err != nil {
				r.line(err)
				continue
			}
			r.print(rows)
		}
		r.line(results.Close(), string(r.conn.PgConn().TxStatus()))
	}
	send(1, 2)
	send(3, 0, 4)
	r.rows("SELECT * FROM without_key ORDER BY a")
	r.exec("BEGIN")
	send(5, 0, 6)
	r.exec("COMMIT")
	send()
	r.exec("DELETE FROM without_key")
	return nil
}

func (r *pgxRun) copies() error {
	r.title("COPY")
	n, err := r.conn.CopyFrom(r.ctx, pgx.Identifier{"without_key"}, []string{"b", "a"},
		pgx.CopyFromRows([][]any{{"x\ty\\", 10}, {nil, 11}, {"", nil}}))
	r.line(n, err)
	n, err = r.conn.CopyFrom(r.ctx, pgx.Identifier{"public", "customers"}, []string{"name"},
		pgx.CopyFromRows([][]any{{"eve"}, {""}}))
	r.line(n, err)
	n, err = r.conn.CopyFrom(r.ctx, pgx.Identifier{"nothing"}, []string{"name"}, pgx.CopyFromRows([][]any{{"eve"}}))
	r.line(n, err)
	n, err = r.conn.CopyFrom(r.ctx, pgx.Identifier{"without_key"}, []string{"a"},
		pgx.CopyFromFunc(func() ([]any, error) { return nil, fmt.Errorf("no more") }))
	r.line(n, err)
	for _, text := range []string{"20\tt\\\\t\n21\t\\N\n", "22\n", "x\ty\n"} {
		tag, err := r.conn.PgConn().CopyFrom(r.ctx, strings.NewReader(text), "COPY without_key FROM STDIN")
		r.line(tag, err)
	}
	for _, query := range []string{
		"COPY (SELECT * FROM without_key ORDER BY a) TO STDOUT", "COPY (SELECT * FROM without_key ORDER BY a) TO STDOUT (FORMAT csv, HEADER)",
		"COPY (SELECT * FROM without_key ORDER BY a) TO STDOUT (FORMAT binary)", "COPY nothing TO STDOUT", "COPY (SELECT 1 / a FROM (VALUES (1), (0)) v (a)) TO STDOUT",
		"COPY kinds TO STDOUT", "COPY kinds TO STDOUT (FORMAT binary)",
	} {
		var out bytes.Buffer
		tag, err := r.conn.PgConn().CopyTo(r.ctx, &out, query)
		r.line(tag, err, out.Bytes())
	}
	r.exec("DELETE FROM without_key")
	return nil
}

func (r *pgxRun) cursors() error {
	r.title("cursors and streams")
	r.exec("BEGIN")
	r.exec("DECLARE c SCROLL CURSOR FOR SELECT n, n::text FROM generate_series(1, 10) n")
	for _, fetch := range []string{"FETCH 3 FROM c", "FETCH BACKWARD 2 FROM c", "MOVE 4 IN c", "FETCH ALL FROM c",
		"FETCH FIRST FROM c", "CLOSE c", "FETCH c"} {
		r.rows(fetch)
	}
	r.exec("ROLLBACK")
	rows, err := r.conn.Query(r.ctx, "SELECT n, repeat('x', 100), n::numeric / 3 FROM generate_series(1, $1::int) n",
		50000)
	if err != nil {
		return err
	}
	var count, sum int
	var text string
	var third pgtype.Numeric
	_, err = pgx.ForEachRow(rows, []any{&count, &text, &third}, func() error { sum += count + len(text); return nil })
	r.line(count, sum, third, err)
	rows, err = r.conn.Query(r.ctx, "SELECT n FROM generate_series(1, 100000) n")
	if err != nil {
		return err
	}
	rows.Next()
	rows.Close() // leaves the rest unread
	r.line(rows.CommandTag(), rows.Err())
	return nil
}

// changedPlan runs a query again whose columns are others by now.
func (r *pgxRun) changedPlan() error {
	r.title("a changed table")
	r.exec("CREATE TABLE changing (a int)")
	r.exec("INSERT INTO changing VALUES ($1)", 1)
	r.rows("SELECT * FROM changing")
	r.exec("ALTER TABLE changing ADD COLUMN b text DEFAULT 'new'")
	for range 2 {
		r.rows("SELECT * FROM changing")
	}
	r.exec("DROP TABLE changing")
	r.rows("SELECT * FROM changing")
	return nil
}

// cancelled cancels a query once another connection sees that it sleeps.
func (r *pgxRun) cancelled() error {
	r.title("a cancelled query")
	other, err := r.connect()
	if err != nil {
		return err
	}
	defer func() { _ = other.Close(r.ctx) }()
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	watched := make(chan error, 1)
	go func() {
		defer cancel()
		for sleeps, err := false, error(nil); ; {
			err = other.QueryRow(r.ctx, sleeping, int32(r.conn.PgConn().PID())).Scan(&sleeps)
			if sleeps || err != nil {
				watched <- err
				return
			}
		}
	}()
	_, err = r.conn.Exec(ctx, "SELECT pg_sleep($1)", 30.0)
	cancel()
	r.line(err, <-watched, r.conn.IsClosed())
	r.rows("SELECT 'still here'")
	r.exec("SET statement_timeout = 100")
	r.exec("SELECT pg_sleep(30)")
	r.exec("RESET statement_timeout")
	return nil
}

func (r *pgxRun) notified() error {
	r.title("notifications")
	other, err := r.connect()
	if err != nil {
		return err
	}
	defer func() { _ = other.Close(r.ctx) }()
	r.exec("LISTEN news")
	for _, query := range []string{
		"NOTIFY news, 'first'", "SELECT pg_notify('news', 'second')", "BEGIN", "NOTIFY news, 'lost'", "ROLLBACK", "NOTIFY others", "NOTIFY news",
	} {
		if _, err := other.Exec(r.ctx, query); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	for range 3 {
		n, err := r.conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		r.line(n.Channel, n.Payload, n.PID == other.PgConn().PID())
	}
	r.exec("NOTIFY news, 'own'")
	n, err := r.conn.WaitForNotification(ctx)
	if err != nil {
		return err
	}
	r.line(n.Channel, n.Payload, n.PID == r.conn.PgConn().PID())
	r.rows("SELECT pg_listening_channels()")
	r.exec("UNLISTEN *")
	return nil
}
