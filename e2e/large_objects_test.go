package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
)

// TestLargeObjectsByMessage takes files in and out by psql, whose library calls functions by messages of the protocol.
func TestLargeObjectsByMessage(t *testing.T) {
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skipf("psql is not run: %v", err)
	}
	file := filepath.Join(t.TempDir(), "in")
	content := bytes.Repeat([]byte("0123456789\x00\xff"), 20_000)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	numbers, want := regexp.MustCompile(`[0-9]{5,}`), ""
	addresses := []string{pglocal.Start(t), openDB(t, onPebble).address, openDB(t, onFake).address}
	for i, address := range addresses {
		out := filepath.Join(t.TempDir(), "out")
		commands := `\lo_import ` + file + ` 'a file' \\ SELECT :LASTOID AS o \gset
			\lo_list
			\lo_export :o ` + out + `
			SELECT length(lo_get(:o)), md5(lo_get(:o)), pg_typeof(:o);
			BEGIN; SELECT lo_open(:o, 393216); SELECT loread(0, 5); COMMIT;
			\lo_unlink :o
			\lo_unlink :o
			\lo_list
			\lo_export :o ` + out
		got := numbers.ReplaceAllString(clientOf(t, address, commands, "psql", "-X", "-d", "postgres"), "N")
		if written, err := os.ReadFile(out); err != nil || !bytes.Equal(written, content) {
			t.Errorf("%s: %d bytes of %d were exported: %v", address, len(written), len(content), err)
		}
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("%s: psql prints\n%s\nof PostgreSQL\n%s", address, got, want)
		}
	}
}

// TestLargeObjectsOfDriver reads and writes them by pgx.
func TestLargeObjectsOfDriver(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble, onFake} {
		c := openDB(t, k).connect(t)
		must(t, c, "SELECT count(*) FROM pg_largeobject", "SELECT description FROM pg_description WHERE objoid = 1")
		tx, err := c.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		objects := tx.LargeObjects()
		id, err := objects.Create(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		o, err := objects.Open(t.Context(), id, pgx.LargeObjectModeRead|pgx.LargeObjectModeWrite)
		if err != nil {
			t.Fatal(err)
		}
		data := strings.Repeat("some bytes ", 1000)
		if _, err := o.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Seek(5, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(o); err != nil || string(got) != data[5:] {
			t.Errorf("%s: read %d bytes: %v", k.name, len(got), err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		var size int
		err = c.QueryRow(t.Context(), "SELECT length(lo_get($1))", id).Scan(&size)
		if err != nil || size != len(data) {
			t.Errorf("%s: %d bytes: %v", k.name, size, err)
		}
	}
}

// TestLargeObjectConflicts writes to one object in two transactions, and removes one that is written to.
func TestLargeObjectConflicts(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble, onFake} {
		served := openDB(t, k)
		a, b := served.connect(t), served.connect(t)
		must(t, a, "SELECT lo_from_bytea(5001, 'abc')")
		must(t, a, "BEGIN", "SELECT lo_put(5001, 0, 'x')")
		must(t, b, "BEGIN", "SELECT lo_put(5001, 1, 'y')")
		must(t, a, "COMMIT")
		if _, err := b.Exec(t.Context(), "COMMIT"); err == nil || !strings.Contains(err.Error(), "40001") {
			t.Errorf("%s: two writes of a page: %v", k.name, err)
		}
		must(t, a, "BEGIN", "SELECT lo_put(5001, 5000, 'x')")
		must(t, b, "SELECT lo_unlink(5001)")
		if _, err := a.Exec(t.Context(), "COMMIT"); err == nil || !strings.Contains(err.Error(), "40001") {
			t.Errorf("%s: a write of what was removed: %v", k.name, err)
		}
		if got := spoken(t.Context(), b.PgConn(), "SELECT count(*) FROM pg_largeobject"); got != "0|" {
			t.Errorf("%s: %s pages are left", k.name, got)
		}
	}
}

// TestLargeObjectsOfDatabases makes objects of one number in two databases, and drops one of these.
func TestLargeObjectsOfDatabases(t *testing.T) {
	served := openDB(t, onPebble)
	c := served.connect(t)
	must(t, c, "CREATE DATABASE other", "SELECT lo_from_bytea(5001, 'here')")
	other := connect(t, strings.Replace(served.url(), "/postgres?", "/other?", 1))
	must(t, other, "SELECT lo_from_bytea(5001, 'there')")
	if got := spoken(t.Context(), other.PgConn(), "SELECT lo_get(5001)"); got != "\\x7468657265|" {
		t.Error(got)
	}
	_ = other.Close(t.Context())
	must(t, c, "DROP DATABASE other", "CREATE DATABASE other")
	if got := spoken(t.Context(), c.PgConn(), "SELECT lo_get(5001)"); got != "\\x68657265|" {
		t.Error(got)
	}
}
