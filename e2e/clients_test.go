package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

var execModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// driverValues are Go values of each type, and the text that the server makes of them.
var driverValues = []struct {
	sql   string
	value any
	text  string
}{
	{"bool", true, "true"},
	{"int2", int16(-32768), "-32768"},
	{"int4", int32(2147483647), "2147483647"},
	{"int8", int64(-9223372036854775808), "-9223372036854775808"},
	{"float4", float32(1.5), "1.5"},
	{"float8", 1e300, "1e+300"},
	{"numeric", pgtype.Numeric{Int: big.NewInt(-12345), Exp: -3, Valid: true}, "-12.345"},
	{"numeric(10,2)", pgtype.Numeric{Int: big.NewInt(12), Exp: 2, Valid: true}, "1200.00"},
	{"numeric", pgtype.Numeric{NaN: true, Valid: true}, "NaN"},
	{"text", "it's é \\ \n", "it's é \\ \n"},
	{"varchar(3)", "abcd", "abc"},
	{"bytea", []byte{0, 0xff, '\\'}, `\x00ff5c`},
	{"date", pgtype.Date{Time: time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), Valid: true}, "2024-02-29"},
	{"date", pgtype.Date{InfinityModifier: pgtype.Infinity, Valid: true}, "infinity"},
	{"timestamp", pgtype.Timestamp{Time: time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC), Valid: true}, "1999-12-31 23:59:59.999999"},
	{"timestamptz", time.Date(2024, 7, 1, 12, 0, 0, 0, time.FixedZone("", 7200)), "2024-07-01 10:00:00+00"},
	{"json", `{"a":[1.5,"x",null]}`, `{"a":[1.5,"x",null]}`},
	{"jsonb", `{"a":[1.5,"x",null]}`, `{"a": [1.5, "x", null]}`},
	{"uuid", pgtype.UUID{Bytes: [16]byte{0xa0, 15: 1}, Valid: true}, "a0000000-0000-0000-0000-000000000001"},
}

// TestDriverValues sends values as parameters, reads them as results, and sends what it
// read again, in each of the ways in which pgx runs a query.
func TestDriverValues(t *testing.T) {
	ctx := context.Background()
	c := openDB(t, inMemory).connect(t)
	for _, mode := range execModes {
		for _, v := range driverValues {
			got := reflect.New(reflect.TypeOf(v.value))
			if err := c.QueryRow(ctx, "SELECT $1::"+v.sql, mode, v.value).Scan(got.Interface()); err != nil {
				t.Errorf("%s, %s %v: %v", mode, v.sql, v.value, err)
				continue
			}
			var text string
			var null bool
			err := c.QueryRow(ctx, "SELECT $1::"+v.sql+"::text, $2::"+v.sql+" IS NULL", mode, got.Elem().Interface(),
				nil).Scan(&text, &null)
			if err != nil || text != v.text || !null {
				t.Errorf("%s, %s: got %q %v %v, want %q", mode, v.sql, text, null, err, v.text)
			}
		}
	}
}

// TestDriverTable writes and finds rows by parameters, whose types the server infers.
func TestDriverTable(t *testing.T) {
	ctx := context.Background()
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE d (id int8, name text, n numeric, at timestamptz, u uuid, PRIMARY KEY (id, name))",
			"CREATE INDEX d_at ON d (at DESC)")
		at := time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)
		for i, mode := range execModes {
			tag, err := c.Exec(ctx, "INSERT INTO d VALUES ($1, $2, $3, $4, $5), ($6, $7, NULL, NULL, NULL)", mode,
				i, "a", "1.50", at, "a0000000-0000-0000-0000-000000000001", i, "b")
			if err != nil || tag.RowsAffected() != 2 {
				t.Fatal(mode, tag, err)
			}
			var n string
			err = c.QueryRow(ctx, "SELECT n::text FROM d WHERE id = $1 AND name = $2 AND at <= $3 LIMIT $4 OFFSET $5",
				mode, i, "a", at, 1, 0).Scan(&n)
			if err != nil || n != "1.50" {
				t.Error(mode, n, err)
			}
			tag, err = c.Exec(ctx, "UPDATE d SET n = $1, at = $2 WHERE id = $3 AND name IN ($4, $5)", mode, "2.5", at,
				i, "b", "c")
			if err != nil || tag.RowsAffected() != 1 {
				t.Error(mode, tag, err)
			}
			tag, err = c.Exec(ctx, "DELETE FROM d WHERE at = $1 AND name = $2 AND id = $3", mode, at, "b", i)
			if err != nil || tag.RowsAffected() != 1 {
				t.Error(mode, tag, err)
			}
		}
	})
}

// codeOf is the SQLSTATE of an error.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

// TestBatch sends statements together: they are one transaction.
func TestBatch(t *testing.T) {
	ctx := context.Background()
	c := openDB(t, onPebble).connect(t)
	must(t, c, "CREATE TABLE b (id int PRIMARY KEY)")
	send := func(statements ...string) error {
		b := &pgx.Batch{}
		for _, sql := range statements {
			b.Queue(sql)
		}
		return c.SendBatch(ctx, b).Close()
	}
	if err := send("INSERT INTO b VALUES (1)", "INSERT INTO b VALUES (2)", "SELECT * FROM b"); err != nil {
		t.Fatal(err)
	}
	if err := send("INSERT INTO b VALUES (3)", "INSERT INTO b VALUES (1)",
		"INSERT INTO b VALUES (4)"); codeOf(err) != "23505" {
		t.Error(err)
	}
	if err := send("INSERT INTO b VALUES (3)", "SELECT 1/0"); codeOf(err) != "22012" {
		t.Error(err)
	}
	rows, _ := c.Query(ctx, "SELECT id FROM b ORDER BY id")
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || !reflect.DeepEqual(ids, []int{1, 2}) {
		t.Error(ids, err)
	}
}

func TestNotices(t *testing.T) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(openDB(t, inMemory).url())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	config.OnNotice = func(_ *pgconn.PgConn,
		n *pgconn.Notice) {
		got = append(got, n.Severity+" "+n.Code+" "+n.Message)
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(ctx) }()
	must(t, c, "CREATE TABLE n (id int PRIMARY KEY)", "CREATE TABLE IF NOT EXISTS n (id int)",
		"DROP TABLE IF EXISTS other", "COMMIT")
	want := []string{
		`NOTICE 42P07 relation "n" already exists, skipping`, `NOTICE 00000 table "other" does not exist, skipping`,
		"WARNING 25P01 there is no transaction in progress",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// fill makes a table of n rows that are together larger than what sockets buffer.
func fill(t *testing.T, c *pgx.Conn, n int) {
	t.Helper()
	must(t, c, "CREATE TABLE big (id int PRIMARY KEY, body text)")
	var data strings.Builder
	for i := range n {
		fmt.Fprintf(&data, "%d\t%s\n", i, strings.Repeat("x", 1000))
	}
	if _, err := c.PgConn().CopyFrom(context.Background(), strings.NewReader(data.String()),
		"COPY big FROM STDIN"); err != nil {
		t.Fatal(err)
	}
}

// TestCancelByContext ends a query half-way by a cancel request, and keeps the connection.
func TestCancelByContext(t *testing.T) {
	config, err := pgx.ParseConfig(openDB(t, onPebble).url())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &canceller{conn: c, ended: ended}
	}
	c, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	fill(t, c, 20000)
	for _, mode := range execModes {
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := c.Query(ctx, "SELECT * FROM big", mode)
		if err != nil || !rows.Next() {
			t.Fatal(mode, err)
		}
		cancel()
		<-ended
		for rows.Next() {
		}
		if codeOf(rows.Err()) != "57014" {
			t.Error(mode, rows.Err())
		}
	}
	must(t, c, "SET statement_timeout = 1")
	if _, err := c.PgConn().Exec(context.Background(),
		"SELECT count(*), max(body || id) FROM big").ReadAll(); codeOf(err) != "57014" {
		t.Error(err)
	}
	must(t, c, "SET statement_timeout = 0", "SELECT 1")
}

// canceller sends a cancel request when the context of a query ends.
type canceller struct {
	conn  *pgconn.PgConn
	ended chan struct{}
}

func (h *canceller) HandleCancel(context.Context) {
	_ = h.conn.CancelRequest(context.Background())
	h.ended <- struct{}{}
}

func (*canceller) HandleUnwatchAfterCancel() {}

// TestRowLimits reads a portal in pieces.
func TestRowLimits(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE r (id int PRIMARY KEY)", "INSERT INTO r VALUES (1), (2), (3), (4), (5)")
		f := c.PgConn().Frontend()
		f.Send(&pgproto3.Parse{Query: "SELECT id FROM r WHERE id < $1 ORDER BY id",
			ParameterOIDs: []uint32{pgtype.Int4OID}})
		f.Send(&pgproto3.Bind{DestinationPortal: "p", Parameters: [][]byte{[]byte("5")}})
		for range 3 {
			f.Send(&pgproto3.Execute{Portal: "p", MaxRows: 2})
		}
		f.Send(&pgproto3.Sync{})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, want := received(t,
			f), "ParseComplete BindComplete 1 2 PortalSuspended 3 4 PortalSuspended SELECT 0 ReadyForQuery"; got != want {
			t.Errorf("got %s", got)
		}
	})
}

// received are the messages up to ReadyForQuery, in brief.
func received(t *testing.T, f *pgproto3.Frontend) string {
	t.Helper()
	var out []string
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			out = append(out, string(m.Values[0]))
		case *pgproto3.CommandComplete:
			out = append(out, string(m.CommandTag))
		case *pgproto3.ErrorResponse:
			out = append(out, m.Code)
		case *pgproto3.ReadyForQuery:
			return strings.Join(append(out, "ReadyForQuery"), " ")
		default:
			out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3."))
		}
	}
}
