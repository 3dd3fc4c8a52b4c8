package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// packet makes a startup packet: its length, a code and a body.
func packet(code uint32, body string) string {
	p := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return string(binary.BigEndian.AppendUint32(p, code)) + body
}

const (
	version2     = 2 << 16
	version30    = 3 << 16
	version31    = 3<<16 | 1
	version32    = 3<<16 | 2
	version39999 = 3<<16 | 9999

	asUser = "user\x00u\x00\x00"
)

// TestStartup sends bytes, which are all that the client sends at first, and expects
// the answers in brief: the type of a message, and what a test of it looks at.
func TestStartup(t *testing.T) {
	ssl, gss := packet(codeSSL, ""), packet(codeGSS, "")
	for _, test := range []struct{ name, send, want string }{
		{"3.0", packet(version30, asUser), "R K4 Z"},
		{"3.2", packet(version32, asUser), "R K32 Z"},
		{"3.1", packet(version31, asUser), "R K4 Z"},
		{"newer", packet(version39999, asUser), "v3.2[] R K32 Z"},
		{"option", packet(version32, "_pq_.a\x001\x00_pq_.b\x00\x00"+asUser), "v3.2[_pq_.a _pq_.b] R K32 Z"},
		{"option of 3.0", packet(version30, "_pq_.a\x001\x00"+asUser), "v3.0[_pq_.a] R K4 Z"},
		{"SSL", ssl + packet(version30, asUser), "N R K4 Z"},
		{"GSS and SSL", gss + ssl + packet(version30, asUser), "N N R K4 Z"},
		{"SSL twice", ssl + ssl, "N E08P01 closed"},
		{"SSL and GSS for ever", strings.Repeat(ssl+gss, 5000), "N N E08P01 closed"},
		{"2.0", packet(version2, asUser), "E0A000 closed"},
		{"no user", packet(version30, "\x00"), "E28000 closed"},
		{"no terminator", packet(version30, "user\x00u\x00"), "E08P01 closed"},
		{"no value", packet(version30, "user\x00"), "E08P01 closed"},
		{"behind the end", packet(version30, asUser+"x"), "E08P01 closed"},
		{"replication", packet(version30, "replication\x00true\x00"+asUser), "E0A000 closed"},
		{"no replication", packet(version30, "replication\x00off\x00"+asUser), "R K4 Z"},
		{"bad option", packet(version30, "options\x00-x\x00"+asUser), "E42601 closed"},
		{"cancel", packet(codeCancel, "\x00\x00\x00\x01\x00\x00\x00\x02"), "closed"},
		{"cancel nothing", packet(codeCancel, ""), "closed"},
		{"cancel after SSL", ssl + packet(codeCancel, "\x00\x00\x00\x01\x00\x00\x00\x02"), "N closed"},
		{"short", "\x00\x00\x00\x07abc", "closed"},
		{"long", "\x00\x00\x27\x11abcdefgh", "closed"},
		{"negative", "\xff\xff\xff\xff\x00\x03\x00\x00", "closed"},
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", "closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := converse(t, []byte(test.send))
			if !strings.HasSuffix(test.want, "closed") {
				got = strings.TrimSuffix(got, " closed")
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// converse returns what a server answers to these bytes and an end of file.
func converse(t testing.TB, send []byte) string {
	t.Helper()
	nc := &scriptConn{in: bytes.NewReader(send)}
	newConn(NewServer(openDB(t), quiet()), nc, t.Context()).serve(t.Context())
	return strings.Join(append(brief(t, nc.out.Bytes()), "closed"), " ")
}

// brief names the messages in p, ParameterStatus left out.
func brief(t testing.TB, p []byte) (names []string) {
	t.Helper()
	for len(p) > 0 && p[0] == 'N' {
		names, p = append(names, "N"), p[1:]
	}
	frontend := pgproto3.NewFrontend(bytes.NewReader(p), io.Discard)
	for {
		m, err := frontend.Receive()
		if err == io.ErrUnexpectedEOF {
			return names
		}
		if err != nil {
			t.Fatalf("answer: %v\n%q", err, p)
		}
		if name := briefly(m); name != "" {
			names = append(names, name)
		}
	}
}

func briefly(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.ParameterStatus:
		return ""
	case *pgproto3.AuthenticationOk:
		return "R"
	case *pgproto3.ReadyForQuery:
		return "Z"
	case *pgproto3.BackendKeyData:
		return "K" + map[int]string{4: "4", 32: "32"}[len(m.SecretKey)]
	case *pgproto3.ErrorResponse:
		return "E" + m.Code
	case *pgproto3.NegotiateProtocolVersion:
		version := map[uint32]string{version30: "3.0", version32: "3.2"}[m.NewestMinorProtocol]
		return "v" + version + "[" + strings.Join(m.UnrecognizedOptions, " ") + "]"
	}
	return typeName(m)
}

// scriptConn is a connection whose client has sent everything and left.
type scriptConn struct {
	net.Conn
	in  io.Reader
	out bytes.Buffer
}

func (c *scriptConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *scriptConn) Write(p []byte) (int, error)      { return c.out.Write(p) }
func (c *scriptConn) Close() error                     { return nil }
func (c *scriptConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (c *scriptConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *scriptConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptConn) SetWriteDeadline(time.Time) error { return nil }

func TestParseStartup(t *testing.T) {
	for _, test := range []struct {
		body string
		want map[string]string
	}{
		{asUser, nil},
		{"application_name\x00x\x00" + asUser, map[string]string{"application_name": "x"}},
		{"datestyle\x00ISO, MDY\x00" + asUser, map[string]string{"datestyle": "ISO, MDY"}},
		{"options\x00-c a=1  -cb=2 --c-d=3\x00" + asUser, map[string]string{"a": "1", "b": "2", "c_d": "3"}},
		{"options\x00-c a=x\\ y\\\\z -c b=\x00" + asUser, map[string]string{"a": `x y\z`, "b": ""}},
		{"options\x00-c a=1\x00a\x002\x00" + asUser, map[string]string{"a": "2"}},
		{"a\x00\x00" + asUser, map[string]string{"a": ""}},
	} {
		got, err := parseStartup([]byte(test.body))
		if err == nil {
			err = addOptions(got.Settings, got.options)
		}
		if err != nil {
			t.Errorf("%q: %v", test.body, err)
			continue
		}
		if !maps.Equal(got.Settings, test.want) || got.User != "u" || got.Database != "u" {
			t.Errorf("%q: got %+v", test.body, got)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for s, want := range map[string][]string{
		"":             nil,
		"  ":           nil,
		" a\tb\nc ":    {"a", "b", "c"},
		`a\ b c`:       {"a b", "c"},
		`a\`:           {`a\`},
		`\\`:           {`\`},
		`-c a="b" 'c'`: {"-c", `a="b"`, "'c'"},
	} {
		if got := splitWords(s); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
