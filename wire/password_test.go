package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"zproxy/catalog/password"
	"zproxy/internal/certtest"
	"zproxy/internal/pglocal"
	"zproxy/session/identity"
)

// withPassword is a server on which all roles have the same password, though only one
// is a role.
func withPassword(t testing.TB, o Options, secret string) *Server {
	t.Helper()
	s := NewServer(openDB(t), o)
	if err := s.db.SetBootstrap(context.Background(), "somebody", secret); err != nil {
		t.Fatal(err)
	}
	s.credential = everybodysPassword(t, secret)
	return s
}

// everybodysPassword is that of all users but stranger and expired, who cannot log in.
func everybodysPassword(t testing.TB, secret string) func(user string) identity.Credential {
	t.Helper()
	good, err := password.NewVerifier(secret)
	if err != nil {
		t.Fatal(err)
	}
	other, err := password.NewVerifier("of nobody")
	if err != nil {
		t.Fatal(err)
	}
	return func(user string) identity.Credential {
		switch user {
		case "stranger":
			return identity.Credential{Verifier: other, Doomed: true}
		case "expired":
			return identity.Credential{Verifier: good, Doomed: true}
		}
		return identity.Credential{Verifier: good}
	}
}

// TestVectorOfRFC7677 repeats the exchange that the RFC gives.
func TestVectorOfRFC7677(t *testing.T) {
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	pencil, err := scram.SHA256.NewClient("user", "pencil", "")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := pencil.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: 4096})
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(openDB(t), quiet())
	s.nonce = func() string { return "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0" }
	s.credential = func(string) identity.Credential {
		return identity.Credential{Verifier: password.Verifier{Iterations: 4096, Salt: salt, StoredKey: keys.StoredKey,
			ServerKey: keys.ServerKey}}
	}
	nc := &scriptConn{in: strings.NewReader(packet(version30, asUser) +
		initialResponse(mechanism, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO") +
		message(msgPassword, "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="))}
	newConn(s, nc, t.Context()).serve(t.Context())
	for _, want := range []string{
		"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
		"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
	} {
		if !strings.Contains(nc.out.String(), want) {
			t.Errorf("no %s in %q", want, nc.out.String())
		}
	}
}

// initialResponse makes a SASLInitialResponse.
func initialResponse(mechanism, data string) string {
	body := binary.BigEndian.AppendUint32(append([]byte(mechanism), 0), uint32(len(data)))
	return message(msgPassword, string(body)+data)
}

// TestSASL plays what clients say who are asked for a password. The answers in the scripts
// are those of a PostgreSQL, which -record asks; details are left out, since it has one for
// each way to write a message wrong.
//
//	exchange [tls] [user=NAME]
//	initial MECHANISM DATA      the first message; raw BYTES sends those as the body
//	final DATA                  $nonce stands for the nonce of the server
func TestSASL(t *testing.T) {
	m := certtest.New(t)
	address := serveWith(t, withPassword(t, withTLS(m), "pencil"))
	if *record {
		address = pglocal.Start(t)
		wantPasswords(t, address, m)
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.RunTest(t, "testdata/sasl", func(t *testing.T, d *datadriven.TestData) string {
		c := newTestClient(t, dial(t, address))
		if d.HasArg("tls") {
			c.encrypt(t, m)
		}
		user := "pencil"
		d.MaybeScanArgs(t, "user", &user)
		return c.exchange(t, user, lines(d.Input))
	})
}

// wantPasswords makes a PostgreSQL speak TLS and ask for passwords.
func wantPasswords(t *testing.T, address string, m *certtest.Certificate) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+address+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, sql := range []string{
		"CREATE ROLE pencil LOGIN PASSWORD 'pencil'",
		"CREATE ROLE expired LOGIN PASSWORD 'pencil' VALID UNTIL '2001-01-01'",
		writeFile("server.crt", string(m.CertPEM)), writeFile("server.key", string(m.KeyPEM)),
		writeFile("pg_hba.conf", "host all all 127.0.0.1/32 scram-sha-256"),
		"ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// writeFile makes a statement that writes a file in the server's folder.
func writeFile(name, text string) string {
	return fmt.Sprintf("COPY (SELECT unnest(string_to_array('%s', E'\\n'))) TO PROGRAM 'umask 077; cat > %s'", text,
		name)
}

// encrypt begins TLS.
func (c *testClient) encrypt(t *testing.T, m *certtest.Certificate) {
	t.Helper()
	var answer [1]byte
	if _, err := io.WriteString(c.net, packet(codeSSL, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c.net, answer[:]); err != nil || answer[0] != 'S' {
		t.Fatalf("TLS is refused: %q, %v", answer, err)
	}
	c.net = tls.Client(c.net, m.Client())
	c.Frontend = pgproto3.NewFrontend(c.net, c.net)
}

// exchange sends messages one after the other and returns what is answered.
func (c *testClient) exchange(t *testing.T, user string, typed []string) string {
	t.Helper()
	var out strings.Builder
	send := packet(version30, "user\x00"+user+"\x00database\x00postgres\x00\x00")
	nonce := ""
	for _, line := range append(typed, "") {
		if _, err := io.WriteString(c.net, send); err != nil {
			t.Fatal(err)
		}
		answer, more := c.challenge(t, &nonce)
		out.WriteString(answer + "\n")
		if !more {
			break
		}
		send = clientMessage(line, nonce)
	}
	return out.String()
}

func clientMessage(line, nonce string) string {
	line = strings.ReplaceAll(line, "$nonce", nonce)
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "initial":
		mechanism, data, _ := strings.Cut(rest, " ")
		return initialResponse(mechanism, data)
	case "final":
		return message(msgPassword, rest)
	case "raw":
		return message(msgPassword, strings.ReplaceAll(rest, `\0`, "\x00"))
	case "query":
		return message(msgQuery, rest+"\x00")
	}
	return message(msgPassword, "")
}

// challenge reads one answer, and the nonce in it.
func (c *testClient) challenge(t *testing.T, nonce *string) (answer string, more bool) {
	t.Helper()
	m, err := c.Receive()
	if err != nil {
		return "closed", false
	}
	switch m := m.(type) {
	case *pgproto3.AuthenticationSASL:
		return fmt.Sprintf("SASL %s", m.AuthMechanisms), true
	case *pgproto3.AuthenticationSASLContinue:
		*nonce, _, _ = strings.Cut(strings.TrimPrefix(string(m.Data), "r="), ",")
		return "challenge", true
	}
	if m, ok := m.(*pgproto3.ErrorResponse); ok {
		return fmt.Sprintf("%s %s: %s", m.Severity, m.Code, m.Message), false
	}
	return typeName(m), false
}

// noProof is a proof that is wrong.
var noProof = base64.StdEncoding.EncodeToString(make([]byte, 32))

// TestSameAnswers compares what clients see that guess a user and a password: messages of
// the same lengths.
func TestSameAnswers(t *testing.T) {
	address := serveWith(t, withPassword(t, quiet(), "pencil"))
	attempt := func(user string) (sizes []int) {
		c := newTestClient(t, dial(t, address))
		seen := &bytes.Buffer{}
		c.Frontend = pgproto3.NewFrontend(io.TeeReader(c.net, seen), c.net)
		answers := c.exchange(t, user, []string{
			"initial SCRAM-SHA-256 n,,n=,r=abcdefghijklmnopqrstuvwx",
			"final c=biws,r=$nonce,p=" + noProof,
		})
		want := `FATAL 28P01: password authentication failed for user "` + user + `"`
		if !strings.Contains(answers, want) {
			t.Errorf("%s: no %s in %s", user, want, answers)
		}
		for rest := seen.Bytes(); len(rest) > 0; {
			size := 1 + int(binary.BigEndian.Uint32(rest[1:]))
			sizes, rest = append(sizes, size), rest[size:]
		}
		return sizes
	}
	known := fmt.Sprint(attempt("somebody"))
	for _, user := range []string{"stranger", "stranger"} {
		if got := fmt.Sprint(attempt(user)); got != known {
			t.Errorf("%s: messages of %s bytes, want %s", user, got, known)
		}
	}
}

// TestClientsWithPasswords connects pgx and psql in the ways that they have.
func TestClientsWithPasswords(t *testing.T) {
	m := certtest.New(t)
	o := withTLS(m)
	o.RequireTLS = true
	strict, lax := serveWith(t, withPassword(t, o, "pencil")), serveWith(t, withPassword(t, quiet(), "pencil"))
	for _, test := range []struct {
		name, address, options, want string
	}{
		{"require", strict, "sslmode=require", ""},
		{"verify-full", strict, "sslmode=verify-full sslrootcert=" + m.CertFile, ""},
		{"bound", strict, "sslmode=verify-full channel_binding=require sslrootcert=" + m.CertFile, ""},
		{"no TLS", lax, "sslmode=disable", ""},
		{"TLS if there is", lax, "sslmode=prefer", ""},
		{"TLS is required", strict, "sslmode=disable", "connections without TLS are not accepted"},
		{"wrong password", strict, "sslmode=require password=pen", `password authentication failed for user "somebody"`},
		{"unknown", strict, "sslmode=require user=stranger", `password authentication failed for user "stranger"`},
		{"expired", strict, "sslmode=require user=expired", `password authentication failed for user "expired"`},
		{"none to bind to", lax, "sslmode=disable channel_binding=require", "channel binding"},
	} {
		host, port, err := net.SplitHostPort(test.address)
		if err != nil {
			t.Fatal(err)
		}
		dsn := fmt.Sprintf("host=localhost hostaddr=%s port=%s dbname=postgres user=somebody password=pencil %s", host,
			port, test.options)
		t.Run("psql/"+test.name, func(t *testing.T) { check(t, psql(t, dsn), test.want) })
		t.Run("pgx/"+test.name, func(t *testing.T) {
			check(t, viaPgx(strings.Replace(dsn, "hostaddr="+host, "", 1)),
				test.want)
		})
	}
}

// check wants an error that says something, or none.
func check(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %s", err, want)
	}
}

func psql(t *testing.T, dsn string) error {
	t.Helper()
	program, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("there is no psql")
	}
	command := exec.Command(program, "-XAtc", "", dsn)
	command.Env = append(os.Environ(), "PGCONNECT_TIMEOUT=30")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func viaPgx(dsn string) error {
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	return conn.Ping(context.Background())
}

// TestLogHasNoLinesOfClients fails to log in under a name that looks like a line.
func TestLogHasNoLinesOfClients(t *testing.T) {
	var log bytes.Buffer
	o := quiet()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := withPassword(t, o, "pencil")
	s.nonce = func() string { return "" }
	nc := &scriptConn{in: strings.NewReader(packet(version30, "user\x00x\nlevel=ERROR\x1b[2J\x00\x00") +
		initialResponse(mechanism, "n,,n=,r=abc") + message(msgPassword, "c=biws,r=abc,p="+noProof))}
	newConn(s, nc, t.Context()).serve(t.Context())
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `user="x\nlevel=ERROR\x1b[2J"`) {
		t.Errorf("logged %q", got)
	}
}

// TestNoTrustFromElsewhere refuses clients of other machines while no role has a password.
func TestNoTrustFromElsewhere(t *testing.T) {
	for _, test := range []struct{ from, want string }{
		{"127.0.0.1", "R K4 Z"}, {"127.8.9.1", "R K4 Z"}, {"::1", "R K4 Z"}, {"::ffff:127.0.0.1", "R K4 Z"},
		{"192.168.1.2", "E28000"}, {"10.0.0.1", "E28000"}, {"0.0.0.0", "E28000"}, {"fe80::1", "E28000"}, {"", "E28000"},
	} {
		nc := &farConn{from: net.ParseIP(test.from)}
		nc.in = strings.NewReader(packet(version30, asUser))
		newConn(NewServer(openDB(t), quiet()), nc, t.Context()).serve(t.Context())
		if got := strings.Join(brief(t, nc.out.Bytes()), " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.from, got, test.want)
		}
	}
}

// farConn is a connection from somewhere.
type farConn struct {
	scriptConn
	from net.IP
}

func (c *farConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: c.from} }
