package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/certtest"
)

// TestCertificateChanges replaces the files of a certificate one after the other.
func TestCertificateChanges(t *testing.T) {
	first, second := certtest.New(t), certtest.New(t)
	var log bytes.Buffer
	get, err := openCertificate(&options{tlsCert: first.CertFile, tlsKey: first.KeyFile},
		slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	is := func(c *certtest.Certificate) bool { return bytes.Equal(get().Certificate[0], c.Pair.Certificate[0]) }
	if !is(first) {
		t.Error("not the certificate that was given")
	}
	later := time.Now().Add(time.Minute) // whatever the file system's clock resolves
	replace := func(file string, content []byte) {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, later, later); err != nil {
			t.Fatal(err)
		}
		later = later.Add(time.Minute)
	}
	replace(first.CertFile, second.CertPEM)
	for range 3 {
		if !is(first) {
			t.Error("a certificate without its key is used")
		}
	}
	if n := strings.Count(log.String(), "cannot be read again"); n != 1 {
		t.Errorf("told %d times", n)
	}
	replace(first.KeyFile, second.KeyPEM)
	if !is(second) {
		t.Error("the new certificate is not used")
	}
	if err := os.Remove(first.KeyFile); err != nil || !is(second) {
		t.Error("without files the last certificate is gone", err)
	}
}

func TestCertificateOptions(t *testing.T) {
	c := certtest.New(t)
	for _, test := range []struct {
		o    options
		want string
	}{
		{options{tlsRequire: true}, "--tls-require needs"},
		{options{tlsCert: c.CertFile}, "belong together"},
		{options{tlsKey: c.KeyFile}, "belong together"},
		{options{tlsCert: c.CertFile, tlsKey: "/nowhere"}, "no such file"},
		{options{tlsCert: c.KeyFile, tlsKey: c.CertFile}, "the certificate of TLS"},
	} {
		if _, err := openCertificate(&test.o, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
}

// TestServeTLS starts a server that wants TLS, on an address that others reach.
func TestServeTLS(t *testing.T) {
	c := certtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int, 1)
	args := []string{
		"--listen", "0.0.0.0:0", "--store", "memory", "--database", "mine",
		"--tls-cert", c.CertFile, "--tls-key", c.KeyFile, "--tls-require",
	}
	go func() {
		code <- newProgram(out).run(ctx, args)
		_ = out.Close()
	}()
	plain := strings.Replace(dsn(t, in), "/postgres?", "/mine?", 1)
	secure := strings.Replace(plain, "sslmode=disable", "sslmode=verify-full&sslrootcert="+c.CertFile, 1)
	for _, test := range []struct{ dsn, want string }{
		{secure, ""},
		{plain, "connections without TLS are not accepted"},
		{strings.Replace(secure, "/mine?", "/other?", 1), `database "other" does not exist (SQLSTATE 3D000)`},
	} {
		conn, err := pgx.Connect(t.Context(), test.dsn)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s: %v", test.dsn, err)
		}
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d", c)
	}
}
