package wire

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/internal/pglocal"
)

var record = flag.Bool("record", false, "write into testdata/scripts what a PostgreSQL 15 of this machine answers")

// TestScripts plays each script on a connection of its own. The answers in the scripts
// are PostgreSQL's: -record asks one that is started for the purpose.
//
//	send              messages to send, one on a line: a type and its fields as JSON
//	until             reads until messages of these types have come, one after the other
func TestScripts(t *testing.T) {
	connect := connectZproxy
	if *record {
		address := pglocal.Start(t)
		connect = func(t *testing.T) net.Conn { return dial(t, address) }
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		client := newTestClient(t, connect(t))
		client.start(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "send":
				client.send(t, lines(d.Input)...)
				return ""
			case "until":
				return client.until(t, lines(d.Input)...)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return nc
}

// testClient is the client's end of a connection.
type testClient struct {
	net net.Conn
	*pgproto3.Frontend
}

// newTestClient closes the connection with the test. A server that does not answer
// fails the test at the deadline.
func newTestClient(t *testing.T, nc net.Conn) *testClient {
	t.Helper()
	t.Cleanup(func() { _ = nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &testClient{net: nc, Frontend: pgproto3.NewFrontend(nc, nc)}
}

func (c *testClient) start(t *testing.T) {
	t.Helper()
	c.Send(&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersion30,
		Parameters:      map[string]string{"user": "postgres", "database": "postgres"},
	})
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	c.until(t, "ReadyForQuery")
}

func (c *testClient) send(t *testing.T, messages ...string) {
	t.Helper()
	for _, line := range messages {
		c.Send(parseMessage(t, line))
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
}

// until returns the messages up to the last awaited one. The type closed is the end of
// the connection.
func (c *testClient) until(t *testing.T, awaited ...string) string {
	t.Helper()
	var out strings.Builder
	for len(awaited) > 0 {
		m, err := c.Receive()
		if err != nil {
			if awaited[0] == "closed" {
				return out.String() + "closed\n"
			}
			t.Fatalf("awaiting %s: %v after\n%s", awaited[0], err, out.String())
		}
		kind, text := formatMessage(t, m)
		out.WriteString(text + "\n")
		if kind == awaited[0] {
			awaited = awaited[1:]
		}
	}
	return out.String()
}

var frontendMessages = []pgproto3.FrontendMessage{
	&pgproto3.Bind{}, &pgproto3.Close{}, &pgproto3.CopyDone{}, &pgproto3.CopyFail{}, &pgproto3.Describe{},
	&pgproto3.Execute{}, &pgproto3.Flush{}, &pgproto3.FunctionCall{}, &pgproto3.Parse{}, &pgproto3.Query{},
	&pgproto3.Sync{}, &pgproto3.Terminate{},
}

func typeName(m any) string { return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.") }

// parseMessage reads a message to send. CopyData takes its data as a JSON string, or in
// hex behind 0x.
func parseMessage(t testing.TB, line string) pgproto3.FrontendMessage {
	t.Helper()
	name, fields, _ := strings.Cut(line, " ")
	switch {
	case name == "CopyData" && strings.HasPrefix(fields, "0x"):
		data, err := hex.DecodeString(strings.ReplaceAll(fields[2:], " ", ""))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return &pgproto3.CopyData{Data: data}
	case name == "CopyData":
		var data string
		if err := json.Unmarshal([]byte(fields), &data); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return &pgproto3.CopyData{Data: []byte(data)}
	}
	i := slices.IndexFunc(frontendMessages, func(m pgproto3.FrontendMessage) bool { return typeName(m) == name })
	if i < 0 {
		t.Fatalf("unknown message: %s", line)
	}
	m := reflect.New(reflect.TypeOf(frontendMessages[i]).Elem()).Interface().(pgproto3.FrontendMessage)
	if fields == "" {
		return m
	}
	if err := json.Unmarshal([]byte(fields), m); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return m
}

// formatMessage prints a message without what differs from server to server.
func formatMessage(t *testing.T, m pgproto3.BackendMessage) (kind, text string) {
	t.Helper()
	kind = typeName(m)
	var fields any
	switch m := m.(type) {
	case *pgproto3.ErrorResponse:
		fields = errorFields(t, m)
	case *pgproto3.NoticeResponse:
		fields = errorFields(t, (*pgproto3.ErrorResponse)(m))
	case *pgproto3.DataRow:
		fields = rowFields(m)
	case *pgproto3.CopyData:
		kind, text := kind, strconv.Quote(string(m.Data))
		if !utf8.Valid(m.Data) || slices.Contains(m.Data, 0) {
			text = "0x" + hex.EncodeToString(m.Data)
		}
		return kind, kind + " " + text
	case *pgproto3.NotificationResponse:
		m.PID = min(m.PID, 1)
		fields = m
	case *pgproto3.RowDescription:
		for i := range m.Fields {
			m.Fields[i].TableOID = min(m.Fields[i].TableOID, 1)
		}
		fields = m
	default:
		fields = m
	}
	p, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Replace(string(p), fmt.Sprintf(`"Type":%q`, kind), "", 1)
	s = strings.Replace(s, "{,", "{", 1)
	return kind, strings.TrimSuffix(kind+" "+s, " {}")
}

// errorFields are those of a message but for the place that made it, which every message has.
func errorFields(t *testing.T, m *pgproto3.ErrorResponse) any {
	t.Helper()
	if !strings.HasSuffix(m.File, ".go") || m.Line == 0 || m.Routine == "" {
		t.Errorf("%s: where was it made? %q line %d, %q", m.Message, m.File, m.Line, m.Routine)
	}
	routine := "" // that drivers know
	if m.Routine == "RevalidateCachedQuery" {
		routine = m.Routine
	}
	return struct {
		Severity, Code, Message           string
		Detail, Hint, Where               string `json:",omitempty"`
		Position                          int32  `json:",omitempty"`
		Schema, Table, Column, Constraint string `json:",omitempty"`
		Routine                           string `json:",omitempty"`
	}{
		m.Severity, m.Code, m.Message, m.Detail, m.Hint, m.Where, m.Position,
		m.SchemaName, m.TableName, m.ColumnName, m.ConstraintName, routine,
	}
}

// rowFields prints values as text when they are, and in hex otherwise.
func rowFields(m *pgproto3.DataRow) any {
	values := make([]map[string]string, len(m.Values))
	for i, v := range m.Values {
		isControl := func(r rune) bool { return unicode.IsControl(r) }
		switch {
		case v == nil:
		case utf8.Valid(v) && !strings.ContainsFunc(string(v), isControl):
			values[i] = map[string]string{"text": string(v)}
		default:
			values[i] = map[string]string{"binary": hex.EncodeToString(v)}
		}
	}
	return values
}
