package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"zproxy/catalog/catalogstore"
	"zproxy/store"
	"zproxy/store/pebblestore"
)

// checkFolder runs the command on a folder.
func checkFolder(t *testing.T, folder string, args ...string) (code int, out string) {
	t.Helper()
	var b strings.Builder
	code = newProgram(&b).run(t.Context(), append([]string{"check", "--data", folder, "--log-level", "error"}, args...))
	return code, b.String()
}

// wantSound wants the command to find nothing in a folder that no process has open.
func wantSound(t *testing.T, folder string) {
	t.Helper()
	if code, out := checkFolder(t, folder); code != 0 || out != "all indexes agree with their tables\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestCheck finds entries that are lost or left over, repairs them, and says so by its exit code.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error")
	exec(t, conn, "CREATE TABLE t (id int PRIMARY KEY, a text); CREATE INDEX ta ON t (a); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
	stop()
	wantSound(t, folder)
	damage(t, folder)

	const table = `table     index  class     key          row       detail  repaired
public.t  ta     missing   (a)=(one)    (id)=(1)          no
public.t  ta     dangling  (a)=(three)  (id)=(3)          no
`
	code, out := checkFolder(t, folder)
	if want := table + "zproxy check: 2 entries of indexes are not right; --repair repairs what can be repaired\n"; code != exitFailed || out != want {
		t.Errorf("exit code %d:\n%s, want\n%s", code, out, want)
	}
	code, out = checkFolder(t, folder, "--repair")
	want := strings.ReplaceAll(table, " no\n", " yes\n") + "2 entries of indexes were not right and are repaired\n"
	if code != 0 || out != want {
		t.Errorf("exit code %d:\n%s, want\n%s", code, out, want)
	}
	wantSound(t, folder)

	if code, out := checkFolder(t, filepath.Join(folder, "no", "such")); code != exitFailed || !strings.Contains(out, "no such file") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// damage takes the entry of the first row away, and the last row.
func damage(t *testing.T, folder string) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := pebblestore.Open(folder, pebblestore.Options{})
	must(err)
	txn, err := st.Begin(ctx, store.Mode{})
	must(err)
	snap, err := catalogstore.Load(ctx, txn)
	must(err)
	table := snap.Tables()[0]
	at := func(s *store.Space) (all []store.Key) {
		scan := store.Scan{Stats: &store.Stats{}, Keys: func(k store.Key) { all = append(all, k) }}
		for _, err := range txn.Scan(ctx, s, &scan) {
			must(err)
		}
		return all
	}
	rows, entries := table.TableSpace(), table.IndexSpace(&table.Indexes[0])
	must(txn.Delete(entries, at(entries)[0], store.Always)) // of 'one'
	must(txn.Delete(rows, at(rows)[2], store.Always))
	must(txn.Commit(ctx))
	must(st.Close())
}
