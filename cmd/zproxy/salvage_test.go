package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/catalog/catalogstore"
	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/pebblestore"
)

// filesOf are the contents of a folder.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = string(b)
	}
	return files
}

// folderOf makes a folder of some files.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func sumOf(files map[string]string) string {
	h := sha256.New()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(h, "%s %d %s", name, len(files[name]), files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// statsOf are the modes, sizes and times of a folder and its files.
func statsOf(t *testing.T, folder string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&out, path, info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const salvagedRows = 3000

// salvagedFolder is the folder of a server that was stopped, with rows in files and in the log: of each table the
// text is the md5 of the number.
func salvagedFolder(t *testing.T) map[string]string {
	t.Helper()
	folder := t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder}
	for i, sql := range []string{
		`CREATE TABLE t (id int PRIMARY KEY, a text, s serial); CREATE INDEX ta ON t (a); CREATE UNIQUE INDEX tu ON t (a) INCLUDE (s);
		CREATE TABLE u (id int PRIMARY KEY, a text); CREATE INDEX ua ON u (a) WHERE id % 3 = 0; CREATE VIEW v AS SELECT a FROM u;
		INSERT INTO t (id, a) SELECT i, md5(i::text) FROM generate_series(1, 2000) i; INSERT INTO u SELECT i, md5(i::text) FROM generate_series(1, 3000) i`,
		`INSERT INTO t (id, a) SELECT i, md5(i::text) FROM generate_series(2001, 2500) i`,
		`INSERT INTO t (id, a) SELECT i, md5(i::text) FROM generate_series(2501, 3000) i`,
	} {
		conn, stop := running(t, args...)
		for _, one := range strings.Split(sql, ";") {
			exec(t, conn, one)
		}
		_ = i
		stop()
	}
	return filesOf(t, folder)
}

var lostLine = regexp.MustCompile(`(?m)^(\S+)  +(all|public\.\w+|the catalog)  +(\w*)? +(the first|/\S+)  +(the last|/\S+)  +(\S.*)$`)

// lostIn says which rows of a table a salvage lists as lost.
func lostIn(out, table string) func(id int64) bool {
	var ranges [][2]int64
	for _, m := range lostLine.FindAllStringSubmatch(out, -1) {
		if m[3] != "" || m[2] != table && m[2] != "all" {
			continue
		}
		r := [2]int64{math.MinInt64, math.MaxInt64}
		for i, end := range m[4:6] {
			if n, err := strconv.ParseInt(strings.TrimPrefix(end, "/"), 10, 64); err == nil {
				r[i] = n
			}
		}
		ranges = append(ranges, r)
	}
	return func(id int64) bool {
		return slices.ContainsFunc(ranges, func(r [2]int64) bool { return r[0] <= id && id <= r[1] })
	}
}

// TestSalvage damages each kind of files of a store. What is copied is right, what is not is in the list, the indexes
// agree with the rows, and nothing of the source is changed.
func TestSalvage(t *testing.T) {
	whole := salvagedFolder(t)
	names := make([]string, 0, len(whole))
	for name := range whole {
		if name != "LOCK" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(testseed.Of(t), 7))
	for _, name := range names {
		for _, how := range []string{"missing", "flipped", "cut", "zeroed"} {
			files := maps.Clone(whole)
			b := []byte(whole[name])
			switch {
			case how == "missing":
				delete(files, name)
			case len(b) == 0:
				continue
			case how == "flipped":
				b[rng.IntN(len(b))] ^= 1
			case how == "cut":
				b = b[:rng.IntN(len(b))]
			case how == "zeroed":
				at := rng.IntN(len(b)) &^ 511
				clear(b[at:min(len(b), at+4096)])
			}
			if how != "missing" {
				files[name] = string(b)
			}
			t.Run(name+" "+how, func(t *testing.T) { salvageOne(t, files) })
		}
	}
}

// TestSalvageWithoutManifest has neither a manifest nor its copy, and in another round no ledger either.
func TestSalvageWithoutManifest(t *testing.T) {
	files := salvagedFolder(t)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasPrefix(name, "MANIFEST") || strings.HasPrefix(name, "MIRROR") ||
			strings.HasPrefix(name, "marker")
	})
	t.Run("ledger", func(t *testing.T) { salvageOne(t, maps.Clone(files)) })
	delete(files, "LEDGER")
	t.Run("nothing", func(t *testing.T) { salvageOne(t, files) })
}

// TestSalvageCatalog damages the block of the catalog, of which there is a copy in another one.
func TestSalvageCatalog(t *testing.T) {
	files := salvagedFolder(t)
	for name, content := range files {
		if strings.HasSuffix(name, ".sst") {
			files[name] = content[:7] + string(content[7]^1) + content[8:]
		}
	}
	if out := salvageOne(t, files); strings.Contains(out, "the catalog") || !strings.Contains(out, "public.u  3000") {
		t.Error("the catalog is there twice, and not used")
	}
}

// TestSalvageRecords salvages stores whose catalog lacks one record after the other: they are served, and no statement
// fails as none should.
func TestSalvageRecords(t *testing.T) {
	folder := t.TempDir()
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder)
	for _, sql := range []string{
		"CREATE ROLE owner LOGIN", "CREATE ROLE member IN ROLE owner", "CREATE SCHEMA s AUTHORIZATION owner",
		"CREATE TABLE s.t (id serial PRIMARY KEY, a text UNIQUE)", "ALTER TABLE s.t OWNER TO owner", "GRANT SELECT ON s.t TO member",
		"INSERT INTO s.t (a) VALUES ('x'), ('y')", "CREATE VIEW s.v AS SELECT a FROM s.t", "CREATE VIEW w AS SELECT * FROM s.v", "CREATE INDEX ON s.t (id, a)", "ANALYZE s.t",
	} {
		exec(t, conn, sql)
	}
	stop()
	files := filesOf(t, folder)
	catalog := &store.Space{ID: catalogstore.SpaceID, Sorted: true}
	for i, more := 0, true; more; i++ {
		from, to := folderOf(t, files), filepath.Join(t.TempDir(), "new")
		more = deleteAt(t, from, catalog, i)
		if code, out := runCheck(t, "--data", from, "--salvage", to); code != 0 {
			t.Errorf("without record %d: exit code %d: %s", i, code, out)
			continue
		}
		conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", to)
		for _, sql := range []string{
			"SELECT * FROM pg_class", "SELECT * FROM pg_roles", "SELECT * FROM pg_auth_members", "SELECT viewname, definition FROM pg_views", "SELECT * FROM information_schema.columns",
			"SELECT * FROM zproxy.indexes", "SELECT * FROM pg_sequences", "SELECT * FROM s.t", "SELECT * FROM s.v", "SELECT * FROM w", "INSERT INTO s.t (a) VALUES ('z')",
			"SELECT * FROM information_schema.table_privileges", "ALTER TABLE s.t ADD COLUMN b int", "DROP VIEW w", "DROP TABLE s.t CASCADE", "DROP SCHEMA s CASCADE", "DROP ROLE member", "DROP ROLE owner",
			"CREATE SCHEMA fresh", "CREATE TABLE fresh.t (id serial PRIMARY KEY, a text UNIQUE)", "INSERT INTO fresh.t (a) VALUES ('x')",
		} {
			_, err := conn.Exec(context.Background(), sql)
			var e *pgconn.PgError
			if err != nil && (!errors.As(err, &e) || strings.HasPrefix(e.Code, "XX")) {
				t.Errorf("without record %d: %s: %v", i, sql, err)
			}
		}
		if got := numbers(t, conn, "SELECT count(*) FROM fresh.t"); got[0] != 1 {
			t.Errorf("without record %d: a new table has %d rows", i, got[0])
		}
		stop()
	}
}

// deleteAt deletes one item of a space, and says whether there are more.
func deleteAt(t *testing.T, folder string, space *store.Space, i int) bool {
	t.Helper()
	st, err := pebblestore.Open(folder, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	txn, err := st.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	var at []store.Key
	scan := store.Scan{Stats: &store.Stats{}, Keys: func(k store.Key) { at = append(at, k) }}
	for _, err := range txn.Scan(t.Context(), space, &scan) {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("record %d is %s", i, catalogstore.FormatKey(slices.Concat(at[i].Partition, at[i].Sort)))
	if err := errors.Join(txn.Delete(space, at[i], store.Always), txn.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	return i+1 < len(at)
}

func salvageOne(t *testing.T, files map[string]string) string {
	from, to := folderOf(t, files), filepath.Join(t.TempDir(), "new")
	stats := statsOf(t, from)
	defer func() {
		if after := statsOf(t, from); after != stats {
			t.Errorf("the source is changed: %s, before %s", after, stats)
		}
	}()
	code, out := runCheck(t, "--data", from, "--salvage", to)
	if sumOf(filesOf(t, from)) != sumOf(files) {
		t.Error("the source is changed")
	}
	t.Logf("exit code %d:\n%s", code, out)
	if strings.Contains(out, "the catalog") && code == exitFailed &&
		!strings.Contains(out, "is a store that can be served") {
		t.Fatal("nothing was saved")
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the new folder: %v, %v", info, err)
	}
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", to)
	missing := 0
	catalogLost := strings.Contains(out, "the catalog  ")
	for _, table := range []string{"t", "u"} {
		if n := numbers(t, conn, "SELECT count(*) FROM pg_class WHERE relname = '"+table+"'"); n[0] == 0 {
			if !catalogLost {
				t.Errorf("the table %s is gone", table)
			}
			missing++
			continue
		}
		if wrong := numbers(t, conn, "SELECT count(*) FROM "+table+" WHERE a <> md5(id::text)"); wrong[0] != 0 {
			t.Errorf("%d rows of %s are wrong", wrong[0], table)
		}
		there := map[int64]bool{}
		for _, id := range numbers(t, conn, "SELECT id::bigint FROM "+table) {
			there[id] = true
		}
		lost := lostIn(out, "public."+table)
		for id := int64(1); id <= salvagedRows; id++ {
			if !there[id] {
				if missing++; !lost(id) {
					t.Errorf("row %d of %s is missing, and not in the list", id, table)
				}
			}
		}
	}
	exec(t, conn, "CREATE TABLE fresh (id serial PRIMARY KEY, a text UNIQUE); INSERT INTO fresh (a) VALUES ('x')")
	stop()
	wantSound(t, to)
	if code == 0 && missing > 0 || (code == 0) != strings.Contains(out, "no row is lost") {
		t.Errorf("%d rows are missing, and the exit code is %d", missing, code)
	}
	return out
}

// TestDamagedBlock reads a table of which a block is damaged, and another one.
func TestDamagedBlock(t *testing.T) {
	files := salvagedFolder(t)
	file := ""
	for name, content := range files {
		if strings.HasSuffix(name, ".sst") && len(content) > len(files[file]) {
			file = name
		}
	}
	damaged := 0
	const damages = 8
	for i := range damages {
		b := []byte(files[file])
		b[len(b)*i/damages+7] ^= 1
		some := maps.Clone(files)
		some[file] = string(b)
		folder := folderOf(t, some)
		if i > 0 {
			damaged += readDamaged(t, file, folder)
			continue
		}
		var out strings.Builder // the first block has the catalog
		code := newProgram(&out).run(t.Context(), []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error",
			"--data", folder})
		if code != exitFailed || !strings.Contains(out.String(), "zproxy serve: catalog: file "+file+" is damaged") ||
			!strings.Contains(out.String(), "HINT:  Put back the file") {
			t.Errorf("exit code %d: %s", code, &out)
		}
	}
	if damaged < damages {
		t.Errorf("%d statements meet %d damages", damaged, damages)
	}
}

// readDamaged runs statements where a file is damaged, and says how many find that out.
func readDamaged(t *testing.T, file, folder string) (damaged int) {
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder)
	defer stop()
	for _, sql := range []string{
		"SELECT a FROM t ORDER BY a", "SELECT id, a, s FROM t ORDER BY id", "CHECK INDEXES ON t",
		"SELECT * FROM u ORDER BY id", "CHECK INDEXES ON u",
		"UPDATE t SET s = s + 1", "DELETE FROM u", "REINDEX TABLE t",
	} {
		_, err := conn.Exec(context.Background(), sql)
		if err == nil {
			continue
		}
		damaged++
		e := wantCode(t, conn, sql, "XX001")
		if e == nil || !strings.Contains(e.Message, file) || !strings.Contains(e.Detail, "It may have rows of ") ||
			!strings.Contains(e.Hint, "--salvage") {
			t.Errorf("%s: %v: %+v", sql, e, e)
		}
	}
	exec(t, conn, "CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (1)")
	if got := numbers(t, conn, "SELECT id::bigint FROM other"); len(got) != 1 {
		t.Errorf("another table has %v", got)
	}
	return damaged
}

// TestSalvageRefused wants a salvage that cannot be made to say why, and to leave both folders alone.
func TestSalvageRefused(t *testing.T) {
	files := salvagedFolder(t)
	from, empty, filled := folderOf(t, files), t.TempDir(), folderOf(t, map[string]string{"notes": "x"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(from, link); err != nil {
		t.Fatal(err)
	}
	fresh := func() string { return filepath.Join(t.TempDir(), "new") }
	refused := func(why string, args ...string) {
		t.Helper()
		code, out := runCheck(t, args...)
		if code == 0 || !strings.Contains(out, why) {
			t.Errorf("%s: exit code %d: %s", args, code, out)
		}
		if sumOf(filesOf(t, from)) != sumOf(files) {
			t.Fatalf("%s: the source is changed", args)
		}
	}
	refused("is inside of", "--data", from, "--salvage", filepath.Join(from, "new"))
	refused("is inside of", "--data", from, "--salvage", filepath.Join(link, "a", "new"))
	refused("is inside of", "--data", link, "--salvage", from)
	refused("is not empty", "--data", from, "--salvage", filled)
	refused("is no store", "--data", empty, "--salvage", fresh())
	refused("no such file", "--data", fresh(), "--salvage", fresh())
	refused("not a directory", "--data", from, "--salvage", filepath.Join(filled, "notes", "new"))
	refused("which is less than", "--data", from, "--salvage", fresh(), "--min-free-disk", "2000000000")
	refused("--repair", "--data", from, "--salvage", fresh(), "--repair")
	refused("only the store pebble", "--store", "memory", "--salvage", fresh())

	_, at := process(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", from)
	exec(t, dial(t, at), "SELECT 1")
	code, out := runCheck(t, "--data", from, "--salvage", fresh())
	if code == 0 || !strings.Contains(out, "another process has the folder") {
		t.Errorf("beside a server: exit code %d: %s", code, out)
	}
}

// TestSalvageUnfinished fills the disk of the new folder: what is there is not served.
func TestSalvageUnfinished(t *testing.T) {
	to := filepath.Join(t.TempDir(), "new")
	cmd := osexec.Command(os.Args[0], "check", "--log-level", "error", "--data", folderOf(t, salvagedFolder(t)),
		"--salvage", to)
	cmd.Env = append(os.Environ(), asProgram+"=yes", fileLimit+"=100000")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the store can no longer write") ||
		strings.Contains(string(out), "can be served") {
		t.Errorf("%v: %s", err, out)
	}
	for _, command := range []string{"serve", "check"} {
		var log strings.Builder
		code := newProgram(&log).run(t.Context(), []string{command, "--data", to})
		if code != exitFailed || !strings.Contains(log.String(), "a salvage into this folder did not end") ||
			!strings.Contains(log.String(), "HINT:  Remove the folder") {
			t.Errorf("%s: exit code %d: %s", command, code, &log)
		}
	}
}

// TestSalvageDuplicate salvages a store whose log has lost the change that made room for a unique key: the index cannot
// have both rows, and the salvage says so.
func TestSalvageDuplicate(t *testing.T) {
	folder := t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", folder}
	conn, stop := running(t, args...)
	exec(t, conn, "CREATE TABLE t (id int PRIMARY KEY, a text UNIQUE, b text); INSERT INTO t VALUES (1, 'x', '')")
	stop()
	conn, stop = running(t, args...)
	exec(t, conn, "UPDATE t SET a = 'y', b = 'needle' WHERE id = 1")
	exec(t, conn, "INSERT INTO t VALUES (2, 'z', repeat(md5('1'), 2000))")
	exec(t, conn, "INSERT INTO t VALUES (3, 'x', '')")
	stop()
	files := filesOf(t, folder)
	for name, content := range files {
		if at := strings.Index(content, "needle"); strings.HasSuffix(name, ".log") && at >= 0 {
			files[name] = content[:at] + "N" + content[at+1:]
		}
	}
	code, out := runCheck(t, "--data", folderOf(t, files), "--salvage", filepath.Join(t.TempDir(), "new"))
	if code == 0 || !strings.Contains(out, "duplicate") ||
		!strings.Contains(out, "1 entry of indexes is not right and could not be repaired") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
