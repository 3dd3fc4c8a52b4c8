package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// content is what a directory has: names, with what is in the files.
func content(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Name()+"="+string(text))
	}
	return out
}

// TestFiles wants a file to have its name only when it is whole, and nothing else to be left.
func TestFiles(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) *File {
		f, err := d.Create("a.csv")
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	wants := func(when, want string) {
		t.Helper()
		if got := strings.Join(content(t, path), " "); got != want {
			t.Errorf("%s there is %q, want %q", when, got, want)
		}
	}
	wants("at first", "")
	first := write("old")
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	wants("after a commit", "a.csv=old")
	about, err := os.Stat(filepath.Join(path, "a.csv"))
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", about, err)
	}
	left := write("left by a process that died")
	if err := left.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); len(got) != 2 || got[1] != "a.csv=old" {
		t.Errorf("while another one is written there is %q", got)
	}
	if err := write("dropped").Discard(); err != nil {
		t.Fatal(err)
	}
	wants("after another attempt was discarded", "a.csv=old")
	if err := left.Commit(); err == nil {
		t.Error("a file is committed that another attempt has removed")
	}
	if err := write("new").Commit(); err != nil {
		t.Fatal(err)
	}
	wants("after another commit", "a.csv=new")
	if _, err := Open(filepath.Join(path, "none")); err == nil {
		t.Error("a directory is opened that is not there")
	}
}

// TestName holds that no name of the catalog leads out of the directory, or is too long.
func TestName(t *testing.T) {
	at := time.Date(2026, 11, 25, 17, 5, 9, 0, time.FixedZone("CET", 3600))
	for _, c := range []struct{ schema, table, want string }{
		{"public", "log_2026_03", "public.log_2026_03.7.20261125T160509Z.csv"},
		{"..", "a/../b.c", "%2E%2E.a%2F%2E%2E%2Fb%2Ec.7.20261125T160509Z.csv"},
		{"s*", "ü\x00\\", "s%2A.%C3%BC%00%5C.7.20261125T160509Z.csv"},
		{"s", strings.Repeat("/", 63), "s." + strings.Repeat("%2F", 30) + ".7.20261125T160509Z.csv"},
	} {
		if got := Name(c.schema, c.table, 7, at); got != c.want {
			t.Errorf("%q.%q: %s, want %s", c.schema, c.table, got, c.want)
		}
	}
	if n := len(Name(strings.Repeat("/", 63), strings.Repeat("/", 63), 1<<32-1, at)); n > 230 {
		t.Errorf("a name has %d bytes", n)
	}
}
