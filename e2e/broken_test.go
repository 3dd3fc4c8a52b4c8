package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/wire"
)

// alive wants a server to answer a new client.
func (s *server) alive(t *testing.T) {
	t.Helper()
	c, err := pgx.Connect(context.Background(), s.url())
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, "SELECT 1")
	_ = c.Close(context.Background())
}

func (s *server) dial(t *testing.T) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return nc
}

// packet is a message with a length that is right.
func packet(kind, body string) string {
	return kind + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))) + body
}

const version30 = "\x00\x03\x00\x00"

var login = packet("", version30+"user\x00tester\x00\x00")

// TestBrokenPackets sends bytes that are no conversation. The answer is an error or the
// end of the connection, and the server goes on.
func TestBrokenPackets(t *testing.T) {
	s := openDB(t, inMemory)
	for _, test := range []struct{ name, bytes, want string }{
		{"nothing", "", ""},
		{"half a length", "\x00\x00", ""},
		{"no length", "\x00\x00\x00\x00", ""},
		{"a giant startup packet", "\x7f\xff\xff\xff", ""},
		{"a startup packet that ends early", "\x00\x00\x00\x40" + version30, ""},
		{"an old version", packet("", "\x00\x02\x00\x00"), "0A000"},
		{"a startup without an end", packet("", version30+"user"), "08P01"},
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", ""},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", ""},
		{"an unknown message", login + "?\x00\x00\x00\x04", "08P01"},
		{"a giant query", login + "Q\x7f\xff\xff\xff", "08P01"},
		{"a negative length", login + "Q\xff\xff\xff\xff", "08P01"},
		{"a query that ends early", login + "Q\x00\x00\x10\x00SELECT", ""},
		{"a query without an end", login + packet("Q", "SELECT 1"), "08P01"},
		{"a bind of many parameters", login + packet("B", "\x00\x00\x00\x00\xff\xff"), "08P01"},
		{"a bind with a giant value", login + packet("P", "\x00SELECT $1\x00\x00\x00") + packet("B", "\x00\x00\x00\x00\x00\x01\x7f\xff\xff\xff"), "08P01"},
		{"a bind with an unknown format", login + packet("P", "\x00SELECT $1\x00\x00\x00") + packet("B", "\x00\x00\x00\x01\x00\x09\x00\x01\x00\x00\x00\x01x\x00\x00"), "22023"},
		{"execution of nothing", login + packet("E", "none\x00\x00\x00\x00\x00"), "34000"},
		{"a portal of nothing", login + packet("B", "\x00none\x00\x00\x00\x00\x00\x00\x00"), "26000"},
		{"a description of nothing", login + packet("D", "Xnone\x00"), "08P01"},
		{"data without a COPY", login + packet("d", "x") + packet("Q", "SELECT nothing\x00"), "42703"},
	} {
		nc := s.dial(t)
		if _, err := io.WriteString(nc, test.bytes); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(test.bytes, login) {
			_, _ = io.WriteString(nc, packet("S", "")) // the server may have left already
		}
		if err := nc.(*net.TCPConn).CloseWrite(); err != nil && !errors.Is(err, net.ErrClosed) &&
			!strings.Contains(err.Error(), "not connected") {
			t.Fatal(err)
		}
		if got := errorCodes(nc); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		s.alive(t)
	}
}

// errorCodes reads to the end of a connection.
func errorCodes(nc net.Conn) string {
	var codes []string
	f := pgproto3.NewFrontend(nc, nc)
	for {
		m, err := f.Receive()
		if err != nil {
			return strings.Join(codes, " ")
		}
		if e, ok := m.(*pgproto3.ErrorResponse); ok {
			codes = append(codes, e.Code)
		}
	}
}

// TestBrokenStatements sends texts and values that no client should.
func TestBrokenStatements(t *testing.T) {
	s := openDB(t, inMemory)
	c := s.connect(t).PgConn()
	ctx := context.Background()
	many := func(n int, piece, between string) string {
		return strings.TrimSuffix(strings.Repeat(piece+between, n), between)
	}
	for _, test := range []struct{ name, sql, want string }{
		{"invalid UTF-8", "SELECT 'a\xff'", "22021"},
		{"half a character", "SELECT '\xc3'", "22021"},
		{"a surrogate", "SELECT '\xed\xa0\x80'", "22021"},
		{"a million parentheses", "SELECT " + strings.Repeat("(", 1e6) + "1" + strings.Repeat(")", 1e6), "54000"},
		{"a million open parentheses", "SELECT " + strings.Repeat("(", 1e6), "54001"},
		{"a hundred thousand minus signs", "SELECT " + strings.Repeat("- ", 1e5) + "1", "54001"},
		{"a hundred thousand NOTs", "SELECT " + strings.Repeat("NOT ", 1e5) + "true", "54001"},
		{"a hundred thousand subqueries", strings.Repeat("SELECT * FROM (", 1e5), "54001"},
		{"a hundred thousand casts", "SELECT 1" + strings.Repeat("::int", 1e5), "54001"},
		{"a long sum", "SELECT " + many(1e5, "1", "+"), "54001"},
		{"a hundred thousand ANDs", "SELECT 1 WHERE " + many(1e5, "1=1", " AND "), ""},
		{"a hundred thousand ORs", "SELECT 1 WHERE " + many(1e5, "1=2", " OR "), ""},
		{"a long list", "SELECT 1 WHERE 1 IN (" + many(1e5, "2", ",") + ")", ""},
		{"many columns", "SELECT " + many(1665, "1", ","), "54011"},
		{"a long name", "SELECT 1 AS " + strings.Repeat("x", 1e6), ""},
		{"a long literal", "SELECT length('" + strings.Repeat("x", 1e7) + "')", ""},
		{"digits", "SELECT " + strings.Repeat("9", 2e5), "22003"},
		{"a digit far behind the point", "SELECT 1e-20000", "22003"},
		{"repeat", "SELECT repeat('x', 2000000000)", "54000"},
		{"lpad", "SELECT lpad('x', 2000000000)", "54000"},
		{"power", "SELECT 9999999999::numeric ^ 9999999999", "22003"},
		{"too many columns", "CREATE TABLE wide (" + many(1601, "a int", ",") + ")", "54011"},
		{"comments in comments", "SELECT 1 " + strings.Repeat("/*", 1e5) + strings.Repeat("*/", 1e5), "54000"},
		{"signs", "SELECT " + strings.Repeat("+", 1e6) + "1", "54000"},
		{"a parameter of a simple query", "SELECT $1", "42P02"},
		{"parameter 0", "SELECT $0", "42P02"},
		{"a comment without an end", "SELECT 1 /* " + strings.Repeat("/* ", 1e5), "42601"},
		{"a bad pattern", "SELECT 'x' ~ '" + strings.Repeat("(", 1e4) + "'", "2201B"},
	} {
		results, err := c.Exec(ctx, test.sql).ReadAll()
		got := ""
		if err != nil {
			got = codeOf(err)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q (%d results)", test.name, got, test.want, len(results))
		}
		if c.IsClosed() {
			t.Fatalf("%s: the connection is closed", test.name)
		}
		s.alive(t)
	}
}

// TestBrokenParameters sends values that are not of their types.
func TestBrokenParameters(t *testing.T) {
	s := openDB(t, inMemory)
	c := s.connect(t).PgConn()
	ctx := context.Background()
	for _, test := range []struct {
		name, sql string
		value     []byte
		format    int16
		want      string
	}{
		{"invalid UTF-8", "SELECT $1::text", []byte("a\xff"), 0, "22021"},
		{"invalid binary UTF-8", "SELECT $1::text", []byte("a\xff"), 1, "22021"},
		{"a zero byte", "SELECT $1::text", []byte("a\x00b"), 0, "22021"},
		{"a word for a number", "SELECT $1::int4", []byte("x"), 0, "22P02"},
		{"a large number", "SELECT $1::int2", []byte("70000"), 0, "22003"},
		{"a short binary number", "SELECT $1::int4", []byte{1}, 1, "08P01"},
		{"a long binary number", "SELECT $1::int4", make([]byte, 9), 1, "22P03"},
		{"no bytes for a number", "SELECT $1::int8", []byte{}, 1, "08P01"},
		{"a binary numeric that ends early", "SELECT $1::numeric", []byte{0, 9, 0, 0, 0, 0, 0, 0}, 1, "08P01"},
		{"a binary numeric with a wrong sign", "SELECT $1::numeric", []byte{0, 0, 0, 0, 0x12, 0x34, 0, 0}, 1, "22P03"},
		{"a short uuid", "SELECT $1::uuid", make([]byte, 15), 1, "08P01"},
		{"a date far away", "SELECT $1::date", []byte{0x7f, 0xff, 0xff, 0xf0}, 1, "22008"},
		{"a timestamp far away", "SELECT $1::timestamp", []byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0}, 1, "22008"},
	} {
		r := c.ExecParams(ctx, test.sql, [][]byte{test.value}, nil, []int16{test.format}, nil).Read()
		if got := codeOf(r.Err); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		s.alive(t)
	}
}

// TestManyParameters uses as many parameters as the protocol can count.
func TestManyParameters(t *testing.T) {
	s := openDB(t, inMemory)
	c := s.connect(t)
	must(t, c, "CREATE TABLE m (id int PRIMARY KEY)")
	const most = 65535
	marks, values := make([]string, most), make([][]byte, most)
	for i := range marks {
		marks[i], values[i] = fmt.Sprintf("($%d)", i+1), fmt.Append(nil, i)
	}
	r := c.PgConn().ExecParams(context.Background(), "INSERT INTO m VALUES "+strings.Join(marks, ","), values, nil, nil,
		nil).Read()
	if r.Err != nil || r.CommandTag.RowsAffected() != most {
		t.Error(r.Err, r.CommandTag)
	}
	in := strings.NewReplacer("(", "", ")", "").Replace(strings.Join(marks, ","))
	r = c.PgConn().ExecParams(context.Background(), "SELECT count(*) FROM m WHERE id IN ("+in+")", values, nil, nil,
		nil).Read()
	if r.Err != nil || string(r.Rows[0][0]) != "65535" {
		t.Error(r.Err, r.Rows)
	}
}

// TestBrokenCopy ends a COPY badly: nothing is written.
func TestBrokenCopy(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE c (id int PRIMARY KEY, s text)", "CREATE INDEX c_s ON c (s)")
		good := bytes.Repeat([]byte("x"), 100)
		var data bytes.Buffer
		for i := range 5000 {
			fmt.Fprintf(&data, "%d\t%s\n", i, good)
		}
		for _, test := range []struct{ name, tail, want string }{
			{"invalid UTF-8", "9999\t\xff\n", "22021"},
			{"a zero byte", "9999\ta\x00b\n", "22021"},
			{"a wrong value", "x\ty\n", "22P02"},
			{"too few fields", "9999\n", "22P04"},
			{"a row that is there", "1\tagain\n", "23505"},
		} {
			_, err := c.PgConn().CopyFrom(context.Background(),
				io.MultiReader(bytes.NewReader(data.Bytes()), strings.NewReader(test.tail)), "COPY c FROM STDIN")
			if got := codeOf(err); got != test.want {
				t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
		}
		_, err := c.PgConn().CopyFrom(context.Background(), io.MultiReader(bytes.NewReader(data.Bytes()), failing{}),
			"COPY c FROM STDIN")
		if err == nil {
			t.Error("a COPY that the client gave up went well")
		}
		if n := count(t, c, "c"); n != 0 {
			t.Errorf("%d rows", n)
		}
	})
}

// failing is a reader that cannot be read.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("lost") }

func count(t *testing.T, c *pgx.Conn, table string) int {
	t.Helper()
	var n int
	if err := c.QueryRow(context.Background(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestClientsVanish cuts connections in the middle of things. Each has the only place of
// the server, which the next client gets when nothing is left of the one before.
func TestClientsVanish(t *testing.T) {
	st := onPebble.open(t)
	indextest.AtEnd(t, st)
	s := serveWire(t, st, session.Options{}, wire.Options{MaxConnections: 1})
	c := s.insist(t)
	fill(t, c, 20000)
	must(t, c, "CREATE TABLE v (id int PRIMARY KEY, s text)", "CREATE INDEX v_s ON v (s)")
	_ = c.Close(context.Background())
	for name, vanish := range map[string]func(c *pgx.Conn){
		"mid-result": func(c *pgx.Conn) {
			f := c.PgConn().Frontend()
			f.Send(&pgproto3.Query{String: "SELECT * FROM big"})
			_ = f.Flush()
			_, _ = f.Receive()
		},
		"mid-query": func(c *pgx.Conn) {
			f := c.PgConn().Frontend()
			f.Send(&pgproto3.Query{String: "SELECT count(DISTINCT body || id) FROM big"})
			_ = f.Flush()
		},
		"mid-portal": func(c *pgx.Conn) {
			f := c.PgConn().Frontend()
			f.Send(&pgproto3.Parse{Query: "SELECT * FROM big"})
			f.Send(&pgproto3.Bind{})
			f.Send(&pgproto3.Execute{MaxRows: 10})
			f.Send(&pgproto3.Flush{})
			_ = f.Flush()
			_, _ = f.Receive()
		},
		"mid-COPY": func(c *pgx.Conn) {
			f := c.PgConn().Frontend()
			f.Send(&pgproto3.Query{String: "COPY v FROM STDIN"})
			_ = f.Flush()
			_, _ = f.Receive()
			for i := range 10000 {
				f.Send(&pgproto3.CopyData{Data: fmt.Appendf(nil, "%d\tx\n", i)})
			}
			_ = f.Flush()
		},
		"mid-transaction": func(c *pgx.Conn) { must(t, c, "BEGIN; INSERT INTO v VALUES (1, 'x')") },
		"mid-message": func(c *pgx.Conn) {
			_, _ = io.WriteString(c.PgConn().Conn(), "Q\x00\x00\x10\x00INSERT INTO v VALUES (1, 'x')")
		},
	} {
		c := s.insist(t)
		vanish(c)
		_ = c.PgConn().Conn().Close()
		next := s.insist(t)
		if n := count(t, next, "v"); n != 0 {
			t.Errorf("%s: %d rows were written", name, n)
		}
		_ = next.Close(context.Background())
	}
}

// insist connects as soon as there is a place.
func (s *server) insist(t *testing.T) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, s.url())
		if err == nil {
			return c
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// TestAbandonedResult closes a result after its first row; the connection goes on.
func TestAbandonedResult(t *testing.T) {
	c := openDB(t, onPebble).connect(t)
	fill(t, c, 2000)
	for _, mode := range execModes {
		rows, err := c.Query(context.Background(), "SELECT * FROM big", mode)
		if err != nil || !rows.Next() {
			t.Fatal(mode, err)
		}
		rows.Close()
		must(t, c, "SELECT 1")
	}
}
