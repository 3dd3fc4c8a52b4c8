package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// started is a server that a test ends, and a template of how to connect to it.
func started(t *testing.T, args ...string) (as func(user, password string) error, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- newProgram(out).run(ctx, args)
		_ = out.Close()
	}()
	dsn := dsn(t, in)
	as = func(user, password string) error {
		conn, err := pgx.Connect(t.Context(), strings.Replace(dsn, "you@", user+":"+password+"@", 1))
		if err != nil {
			return err
		}
		return conn.Close(t.Context())
	}
	return as, func() {
		t.Helper()
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("%s: exit code %d", args, c)
		}
	}
}

// TestPasswordFile starts servers on one folder: the first sets the password, later ones
// leave it as it is.
func TestPasswordFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	args := []string{"--listen", "127.0.0.1:0", "--data", t.TempDir() + "/data", "--log-level", "error", "--superuser",
		"boss"}
	for i, test := range []struct{ file, user, password, want string }{
		{"", "anybody", "", ""},
		{"first\r\n", "boss", "first", ""},
		{"second", "boss", "first", ""},
		{"second", "boss", "second", `password authentication failed for user "boss"`},
		{"", "anybody", "first", `password authentication failed for user "anybody"`},
		{"", "boss", "first", ""},
	} {
		with := args
		if test.file != "" {
			if err := os.WriteFile(file, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			with = append(args[:len(args):len(args)], "--password-file", file)
		}
		as, end := started(t, with...)
		err := as(test.user, test.password)
		end()
		if test.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%d: %v, want %s", i, err, test.want)
		}
	}
}

// TestBadPasswordFile wants the program to end before it lets anybody in.
func TestBadPasswordFile(t *testing.T) {
	for content, want := range map[string]string{
		"": "one line of text", "\n": "one line of text", "a\nb": "one line of text", "\xff": "one line of text", "missing": "no such file",
	} {
		file := filepath.Join(t.TempDir(), "password")
		if content != "missing" {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		code := newProgram(&out).run(t.Context(),
			[]string{"--listen", "127.0.0.1:0", "--store", "memory", "--password-file", file})
		if code != exitFailed || !strings.Contains(out.String(), want) {
			t.Errorf("%q: exit code %d\n%s", content, code, out.String())
		}
	}
}
