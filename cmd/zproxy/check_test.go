package main

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog/catalogstore"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/pebblestore"
)

// runCheck runs the command on a store.
func runCheck(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var b strings.Builder
	code = newProgram(&b).run(t.Context(), append([]string{"check", "--log-level", "error"}, args...))
	return code, b.String()
}

// wantSound wants the command to find nothing in a folder that no process has open.
func wantSound(t *testing.T, folder string) {
	t.Helper()
	if code, out := runCheck(t, "--data", folder); code != 0 || out != "all indexes agree with their tables\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestCheck finds entries that are lost or left over, repairs them, and says so by its exit code.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	testCheck(t, func() store.Store {
		st, err := pebblestore.Open(folder, pebblestore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}, "--data", folder)
	if code, out := runCheck(t, "--data", filepath.Join(folder, "no", "such")); code != exitFailed ||
		!strings.Contains(out, "no such file") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestCheckDynamoDB is TestCheck of one prefix among others on DynamoDB.
func TestCheckDynamoDB(t *testing.T) {
	endpoint := fakeEndpoint(t)
	other, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--store", "dynamodb",
		"--endpoint", endpoint, "--table-prefix", "other")
	exec(t, other, "CREATE TABLE t (id int PRIMARY KEY, a text)")
	defer stop()
	testCheck(t, func() store.Store {
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: endpoint, TablePrefix: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}, "--store", "dynamodb", "--endpoint", endpoint, "--table-prefix", "shop")
}

// fakeEndpoint is the URL of a DynamoDB in this process.
func fakeEndpoint(t *testing.T) string {
	t.Helper()
	f := dynamofake.New(dynamofake.Options{})
	endpoint, err := f.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return endpoint
}

// testCheck is TestCheck on the store that the settings name.
func testCheck(t *testing.T, open func() store.Store, settings ...string) {
	t.Helper()
	sound := func() {
		t.Helper()
		if code, out := runCheck(t, settings...); code != 0 || out != "all indexes agree with their tables\n" {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	conn, stop := running(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error"},
		settings...)...)
	exec(t, conn, "CREATE TABLE t (id int PRIMARY KEY, a text); CREATE INDEX ta ON t (a); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
	stop()
	sound()
	damage(t, open())

	const table = `table     index  class     key          row       detail  repaired
public.t  ta     missing   (a)=(one)    (id)=(1)          no
public.t  ta     dangling  (a)=(three)  (id)=(3)          no
`
	code, out := runCheck(t, settings...)
	if want := table + "zproxy check: 2 entries of indexes are not right; --repair repairs what can be repaired\n"; code != exitFailed || out != want {
		t.Errorf("exit code %d:\n%s, want\n%s", code, out, want)
	}
	code, out = runCheck(t, append([]string{"--repair"}, settings...)...)
	want := strings.ReplaceAll(table, " no\n", " yes\n") + "2 entries of indexes were not right and are repaired\n"
	if code != 0 || out != want {
		t.Errorf("exit code %d:\n%s, want\n%s", code, out, want)
	}
	sound()
}

// damage takes the entry of the first row away, and the last row.
func damage(t *testing.T, st store.Store) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
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
		slices.SortFunc(all, func(a, b store.Key) int {
			return cmp.Or(bytes.Compare(a.Partition, b.Partition), bytes.Compare(a.Sort, b.Sort))
		})
		return all
	}
	rows, entries := table.TableSpace(), table.IndexSpace(&table.Indexes[0])
	must(txn.Delete(entries, at(entries)[0], store.Always)) // of 'one'
	must(txn.Delete(rows, at(rows)[2], store.Always))
	must(txn.Commit(ctx))
	must(st.Close())
}

// TestCheckDamaged damages each block of the store's one file of rows in turn: the check names the file, and
// goes on with the indexes that it can read.
func TestCheckDamaged(t *testing.T) {
	folder := t.TempDir()
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder)
	exec(t, conn, `CREATE TABLE t (id int PRIMARY KEY, a text); CREATE INDEX ta ON t (a); CREATE TABLE u (id int PRIMARY KEY, a text); CREATE INDEX ua ON u (a);
		INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 4000) i; INSERT INTO u SELECT i, md5(i::text) FROM generate_series(1, 4000) i`)
	stop()
	wantSound(t, folder)
	files, err := filepath.Glob(filepath.Join(folder, "*.sst"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files of rows: %v, %v", files, err)
	}
	file := slices.MaxFunc(files, func(a, b string) int { return cmp.Compare(sizeOf(t, a), sizeOf(t, b)) })
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const damages = 6
	for i := range damages {
		damaged := slices.Clone(whole)
		damaged[len(whole)/2*i/damages+len(whole)/8] ^= 1
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := runCheck(t, "--data", folder)
		if code != exitFailed || !strings.Contains(out, "1 file is damaged") ||
			!strings.Contains(out, filepath.Base(file)) || !strings.Contains(out, "It may have rows of") {
			t.Errorf("place %d: exit code %d: %s", i, code, out)
		}
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	wantSound(t, folder)
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestCheckOrphans finds a row that refers to none, which no repair changes, and counts it by itself.
func TestCheckOrphans(t *testing.T) {
	folder := t.TempDir()
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder)
	exec(t, conn, `CREATE TABLE p (id int PRIMARY KEY);
		CREATE TABLE c (id int PRIMARY KEY, pid int CONSTRAINT k REFERENCES p) PARTITION BY LIST (id);
		CREATE TABLE c1 PARTITION OF c FOR VALUES IN (1, 2);
		INSERT INTO p VALUES (1);
		SET session_replication_role = replica;
		INSERT INTO c VALUES (1, 1), (2, 7)`)
	stop()
	want := `table      index  class   key        row       detail                            repaired
public.c1  k      orphan  (pid)=(7)  (id)=(2)  No row of table "p" has the key.  no
zproxy check: 1 row refers to a row that is not there
`
	for _, args := range [][]string{{"--data", folder}, {"--data", folder, "--repair"}} {
		if code, out := runCheck(t, args...); code != exitFailed || out != want {
			t.Errorf("exit code %d:\n%s, want\n%s", code, out, want)
		}
	}
}

// TestVerdict puts what a check has found into words.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		found   tally
		damages int
		repair  bool
		want    string
	}{
		{tally{}, 0, false, "all indexes agree with their tables\n"},
		{tally{orphans: 2}, 0, true, "error: 2 rows refer to rows that are not there"},
		{tally{found: 2, left: 2, orphans: 1}, 0, false, "error: 1 row refers to a row that is not there, " +
			"and 2 entries of indexes are not right; --repair repairs what can be repaired"},
		{tally{found: 3, left: 1, orphans: 2}, 0, true, "error: 2 rows refer to rows that are not there, " +
			"and 1 entry of indexes is not right and could not be repaired, of 3 that were found"},
		{tally{found: 3, orphans: 1}, 0, true,
			"3 entries of indexes were not right and are repaired\nerror: 1 row refers to a row that is not there"},
		{tally{found: 1, orphans: 1}, 0, false, "1 entry of indexes is left over, which changes no answer; " +
			"--repair takes away what can be taken away\nerror: 1 row refers to a row that is not there"},
		{tally{unread: 2, orphans: 1}, 1, false, "error: 1 file is damaged, 2 indexes or foreign keys could not be " +
			"checked for that, and 1 row refers to a row that is not there; --salvage copies what can be read"},
		{tally{unread: 1}, 1, false, "error: 1 file is damaged, 1 index or foreign key could not be " +
			"checked for that, and 0 entries of the others are not right; --salvage copies what can be read"},
	} {
		var out strings.Builder
		if err := newProgram(&out).verdict(test.found, test.damages, test.repair); err != nil {
			out.WriteString("error: " + err.Error())
		}
		if out.String() != test.want {
			t.Errorf("%+v: %s, want %s", test, &out, test.want)
		}
	}
}
