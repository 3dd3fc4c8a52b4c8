package wire

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"zproxy/internal/certtest"
)

// over sends plain bytes, and what follows in TLS when there is a config, and returns all
// that is answered until the end.
func over(t *testing.T, address, plain string, config *tls.Config, inside string) string {
	t.Helper()
	c := newTestClient(t, dial(t, address))
	if _, err := io.WriteString(c.net, plain); err != nil {
		t.Fatal(err)
	}
	var answers []string
	if config != nil {
		if plain != "" {
			var answer [1]byte
			if _, err := io.ReadFull(c.net, answer[:]); err != nil || answer[0] != 'S' {
				t.Fatalf("TLS is refused: %q, %v", answer, err)
			}
		}
		secure := tls.Client(c.net, config)
		if err := secure.Handshake(); err != nil {
			return "no handshake: " + err.Error()
		}
		c.net, answers = secure, []string{"TLS"}
		if _, err := io.WriteString(secure, inside); err != nil {
			t.Fatal(err)
		}
		_ = secure.CloseWrite()
	} else {
		_ = c.net.(*net.TCPConn).CloseWrite() // the server may have left before
	}
	out, _ := io.ReadAll(c.net)
	if strings.HasPrefix(string(out), "S") {
		answers, out = append(answers, "S"), out[1:]
	}
	return strings.Join(append(answers, brief(t, out)...), " ")
}

func TestTLS(t *testing.T) {
	m := certtest.New(t)
	address := serve(t, withTLS(m))
	o := withTLS(m)
	o.RequireTLS = true
	strict := serve(t, o)
	bare := serve(t, quiet())

	ssl, gss, login := packet(codeSSL, ""), packet(codeGSS, ""), packet(version30, asUser)
	named, foreign, old := m.Client(), m.Client(), m.Client()
	named.NextProtos = []string{protocolName}
	foreign.NextProtos = []string{"h2"}
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	later := m.Client()
	later.MaxVersion = tls.VersionTLS12
	for _, test := range []struct {
		name, address, plain string
		config               *tls.Config
		inside, want         string
	}{
		{"asked for", address, ssl, m.Client(), login, "TLS R K4 Z"},
		{"TLS 1.2", address, ssl, later, login, "TLS R K4 Z"},
		{"TLS 1.1", address, ssl, old, login, "no handshake: remote error: tls: protocol version not supported"},
		{"after GSS", address, gss, nil, "", "N"},
		{"plain", address, login, nil, "", "R K4 Z"},
		{"plaintext behind the request", address, ssl + login, nil, "", "S E08P01"},
		{"request in TLS", address, ssl, m.Client(), ssl + login, "TLS E08P01"},
		{"GSS request in TLS", address, ssl, m.Client(), gss + login, "TLS E08P01"},
		{"at once", address, "", named, login, "TLS R K4 Z"},
		{"at once, request in TLS", address, "", named, ssl + login, "TLS E08P01"},
		{"at once, without a protocol", address, "", m.Client(), login, "TLS"},
		{"at once, for another protocol", address, "", foreign, login, "no handshake: remote error: tls: no application protocol"},
		{"at once inside", address, ssl, m.Client(), "\x16\x03\x01\x00\x00", "TLS"},
		{"required, with", strict, ssl, m.Client(), login, "TLS R K4 Z"},
		{"required, at once", strict, "", named, login, "TLS R K4 Z"},
		{"required, without", strict, login, nil, "", "E28000"},
		{"required, cancel", strict, packet(codeCancel, "\x00\x00\x00\x01\x00\x00\x00\x02"), nil, "", ""},
		{"none, at once", bare, "\x16\x03\x01\x00\x05hello", nil, "", ""},
		{"none, asked for", bare, ssl + login, nil, "", "N R K4 Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := over(t, test.address, test.plain, test.config, test.inside); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRequireTLSSaysWhatToDo reads what a client without TLS is told.
func TestRequireTLSSaysWhatToDo(t *testing.T) {
	o := withTLS(certtest.New(t))
	o.RequireTLS = true
	c := newTestClient(t, dial(t, serve(t, o)))
	if _, err := io.WriteString(c.net, packet(version30, asUser)); err != nil {
		t.Fatal(err)
	}
	want := `ErrorResponse {"Severity":"FATAL","Code":"28000","Message":"connections without TLS are not accepted",` +
		`"Hint":"Connect with sslmode=require, or with sslmode=verify-full to verify the server, too."}` + "\nclosed\n"
	if got := c.until(t, "closed"); got != want {
		t.Errorf("got %s", got)
	}
}

// TestNextCertificate changes the certificate of a running server.
func TestNextCertificate(t *testing.T) {
	first, second := certtest.New(t), certtest.New(t)
	var present atomic.Pointer[tls.Certificate]
	o := quiet()
	o.Certificate = func() *tls.Certificate { return present.Load() }
	address := serve(t, o)
	ssl, login := packet(codeSSL, ""), packet(version30, asUser)
	for _, m := range []*certtest.Certificate{first, second} {
		present.Store(&m.Pair)
		if got := over(t, address, ssl, m.Client(), login); got != "TLS R K4 Z" {
			t.Errorf("got %q", got)
		}
	}
}

// withTLS has a certificate.
func withTLS(c *certtest.Certificate) Options {
	o := quiet()
	o.Certificate = func() *tls.Certificate { return &c.Pair }
	return o
}
