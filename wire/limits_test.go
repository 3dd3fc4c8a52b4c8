package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestStatementsThatAreTooMuch sends statements that would exhaust a stack. Each is
// answered, and the server goes on.
func TestStatementsThatAreTooMuch(t *testing.T) {
	c := newTestClient(t, dial(t, serve(t, quiet())))
	c.start(t)
	const tooDeep = "54001: stack depth limit exceeded"
	repeat := strings.Repeat
	for _, test := range []struct{ name, sql, want string }{
		{"1,000,000 parentheses", "SELECT " + repeat("(", 1_000_000) + "1" + repeat(")", 1_000_000), "54000: statement has more than 1048576 words"},
		{"1,000,000 open parentheses", "SELECT " + repeat("(", 1_000_000), tooDeep},
		{"100,000 ANDs", "SELECT 1 WHERE true" + repeat(" AND true", 100_000), ""},
		{"100,000 sums", "SELECT 1" + repeat(" + 1", 100_000), tooDeep},
		{"10,000 subqueries", "SELECT " + repeat("(SELECT ", 10_000) + "1" + repeat(")", 10_000), tooDeep},
		{"10,000 UNIONs", "SELECT 1" + repeat(" UNION ALL SELECT 1", 10_000), tooDeep},
		{"100,000 casts", "SELECT 1" + repeat("::int", 100_000), tooDeep},
		{"JSON", "SELECT '" + repeat("[", 1_000_000) + "'::json", tooDeep},
	} {
		if got := c.run(t, test.sql); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestTextIsUTF8 sends statements that are no text, in either protocol: what is behind wire relies on it.
func TestTextIsUTF8(t *testing.T) {
	c := newTestClient(t, dial(t, serve(t, quiet())))
	c.start(t)
	for text, want := range map[string]string{
		"SELECT '\xff'":       "0xff",
		"SELECT '\xe2\x82'":   "0xe2 0x82 0x27",
		"SELECT '\xc3":        "0xc3",
		"SELECT '\ufffd\xf8'": "0xf8",
	} {
		want = `22021: invalid byte sequence for encoding "UTF8": ` + want
		if got := c.run(t, text); got != want {
			t.Errorf("query %q: %s, want %s", text, got, want)
		}
		c.Send(&pgproto3.Parse{Query: text})
		c.Send(&pgproto3.Sync{})
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := c.failure(t); got != want {
			t.Errorf("parse %q: %s, want %s", text, got, want)
		}
	}
}

// run runs a simple query and returns the error.
func (c *testClient) run(t *testing.T, sql string) string {
	t.Helper()
	c.Send(&pgproto3.Query{String: sql})
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	return c.failure(t)
}

// failure reads up to ReadyForQuery and returns the error on the way.
func (c *testClient) failure(t *testing.T) (failed string) {
	t.Helper()
	for {
		m, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			failed = m.Code + ": " + m.Message
		case *pgproto3.ReadyForQuery:
			return failed
		}
	}
}

// TestMostParameters binds as many parameters as a message can count, and names more. What
// is said of the last one is PostgreSQL's.
func TestMostParameters(t *testing.T) {
	c := newTestClient(t, dial(t, serve(t, quiet())))
	c.start(t)
	const most = 65535
	var sql strings.Builder
	sql.WriteString("SELECT 1 WHERE 7 IN ($1")
	for i := 2; i <= most; i++ {
		fmt.Fprintf(&sql, ",$%d", i)
	}
	values := make([][]byte, most)
	for i := range values {
		values[i] = []byte("7")
	}
	for _, test := range []struct{ sql, want string }{
		{sql.String() + ")", ""},
		{sql.String() + ",$65536)", "42P02: there is no parameter $65536"},
		{"SELECT $2147483648", "42P02: there is no parameter $-2147483648"},
	} {
		c.Send(&pgproto3.Parse{Query: test.sql})
		c.Send(&pgproto3.Bind{Parameters: values})
		c.Send(&pgproto3.Execute{})
		c.Send(&pgproto3.Sync{})
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := c.failure(t); got != test.want {
			t.Errorf("%.30s: got %q, want %q", test.sql, got, test.want)
		}
	}
}

// TestMostOfASession opens statements and portals until there may be no more; closing one
// makes room.
func TestMostOfASession(t *testing.T) {
	c := newTestClient(t, dial(t, serve(t, quiet())))
	c.start(t)
	for _, test := range []struct {
		kind    byte
		most    int
		open    func(name string)
		tooMany string
	}{
		{'S', 10_000, func(name string) { c.Send(&pgproto3.Parse{Name: name}) }, "53400: a session can have at most 10000 prepared statements"},
		{'P', 1_000, func(name string) { c.Send(&pgproto3.Bind{DestinationPortal: name, PreparedStatement: "1"}) },
			"53400: a session can have at most 1000 open cursors and portals"},
	} {
		for _, step := range []struct {
			close string
			open  int
			want  string
		}{{open: test.most + 1, want: test.tooMany}, {close: "1", open: 1}} {
			c.Send(&pgproto3.Query{String: "BEGIN"}) // portals last as long as the transaction
			if step.close != "" {
				c.Send(&pgproto3.Close{ObjectType: test.kind, Name: step.close})
			}
			for i := range step.open {
				test.open(fmt.Sprint(i + 1))
			}
			c.Send(&pgproto3.Sync{})
			c.Send(&pgproto3.Query{String: "COMMIT"})
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			var failed string
			for range 3 {
				failed += c.failure(t)
			}
			if failed != step.want {
				t.Errorf("%c: got %q, want %q", test.kind, failed, step.want)
			}
		}
	}
}

// TestNoWayToTheHost asks for what would reach the files, the programs and the network of
// the server's machine.
func TestNoWayToTheHost(t *testing.T) {
	c := newTestClient(t, dial(t, serve(t, quiet())))
	c.start(t)
	if got := c.run(t, "CREATE TABLE host_t (a text PRIMARY KEY)"); got != "" {
		t.Fatal(got)
	}
	const unsupported, undefined, noFile = "0A000", "42883", "58P01"
	for sql, want := range map[string]string{
		"COPY host_t FROM '/etc/passwd'":                          unsupported,
		"COPY host_t TO '/tmp/host_t'":                            unsupported,
		"COPY host_t FROM PROGRAM 'id'":                           unsupported,
		"COPY host_t TO PROGRAM 'cat'":                            unsupported,
		"SELECT pg_read_file('/etc/passwd')":                      undefined,
		"SELECT pg_read_binary_file('/etc/passwd')":               undefined,
		"SELECT pg_ls_dir('/')":                                   undefined,
		"SELECT pg_stat_file('/etc/passwd')":                      undefined,
		"SELECT lo_import('/etc/passwd')":                         unsupported,
		"SELECT lo_export(1, '/tmp/x')":                           unsupported,
		"SELECT dblink('host=127.0.0.1')":                         undefined,
		"LOAD 'x'":                                                noFile,
		"CREATE EXTENSION dblink":                                 unsupported,
		"CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'x', 'y'":  noFile,
		"CREATE SERVER s FOREIGN DATA WRAPPER w":                  "42704",
		"CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p": unsupported,
		"ALTER SYSTEM SET wal_level = 'logical'":                  "55P02",
		"CREATE TABLESPACE s LOCATION '/tmp'":                     unsupported,
	} {
		if got := c.run(t, sql); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %s", sql, got, want)
		}
	}
}
