package wire

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zproxy/session"
)

// panicLog fails the test when the server logs a panic, which it survives.
type panicLog struct {
	slog.Handler
	t *testing.T
}

func (h panicLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "panic" {
		r.Attrs(func(a slog.Attr) bool {
			h.t.Errorf("%s: %s", a.Key, a.Value)
			return true
		})
	}
	return nil
}

func (panicLog) Enabled(context.Context, slog.Level) bool { return true }

// fuzzed are the options of a server that must not panic.
func fuzzed(t *testing.T) Options {
	return Options{Log: slog.New(panicLog{t: t}), MaxMessage: 1 << 20}
}

// answer serves a client that sends these bytes and leaves, and checks that the
// answers are messages.
func answer(t *testing.T, db *session.DB, send []byte) {
	nc := &scriptConn{in: bytes.NewReader(send)}
	newConn(NewServer(db, fuzzed(t)), nc, t.Context()).serve(t.Context())
	brief(t, nc.out.Bytes())
}

func FuzzStartup(f *testing.F) {
	f.Add([]byte(packet(version30, asUser)))
	f.Add([]byte(packet(codeSSL, "") + packet(version32, "options\x00-c a=1\x00"+asUser)))
	f.Add([]byte(packet(codeCancel, "\x00\x00\x00\x01\x00\x00\x00\x02")))
	db := openDB(f)
	f.Fuzz(func(t *testing.T, send []byte) { answer(t, db, send) })
}

// FuzzMessages starts from what the scripts send.
func FuzzMessages(f *testing.F) {
	scripts, err := filepath.Glob("testdata/scripts/*")
	if err != nil || len(scripts) == 0 {
		f.Fatal("no scripts", err)
	}
	for _, path := range scripts {
		f.Add(scriptBytes(f, path))
	}
	f.Fuzz(func(t *testing.T, messages []byte) {
		answer(t, openDB(t), append([]byte(packet(version30, asUser)), messages...))
	})
}

func scriptBytes(f *testing.F, path string) (sent []byte) {
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\nsend\n")[1:] {
		input, _, _ := strings.Cut(part, "\n----")
		for _, line := range lines(input) {
			if sent, err = parseMessage(f, line).Encode(sent); err != nil {
				f.Fatal(err)
			}
		}
	}
	return sent
}

// FuzzPassword sends what a client may say that is asked for a password, with something to
// bind it to and without.
func FuzzPassword(f *testing.F) {
	for _, bound := range []bool{false, true} {
		f.Add(bound, []byte(initialResponse(mechanism, "n,,n=,r=abc")+message(msgPassword, "c=biws,r=abc,p="+noProof)))
		f.Add(bound, []byte(initialResponse(mechanismBound, "p=tls-server-end-point,,n=x=2C,r=abc")+
			message(msgPassword, "c=cD10bHMtc2VydmVyLWVuZC1wb2ludCws,r=abc,x=y,p="+noProof)))
		f.Add(bound, []byte(message(msgPassword, "SCRAM-SHA-256\x00\xff\xff\xff\xff")))
	}
	db, credential := openDB(f), everybodysPassword(f, "pencil")
	f.Fuzz(func(t *testing.T, bound bool, sent []byte) {
		s := NewServer(db, fuzzed(t))
		s.credential = credential
		s.nonce = func() string { return "" }
		nc := &scriptConn{in: bytes.NewReader(append([]byte(packet(version30, asUser)), sent...))}
		c := newConn(s, nc, t.Context())
		if bound {
			c.binding = []byte("of the certificate")
		}
		c.serve(t.Context())
		for _, name := range brief(t, nc.out.Bytes()) {
			if name == "R" || name == "Z" {
				t.Errorf("let in by %q", sent)
			}
		}
	})
}
