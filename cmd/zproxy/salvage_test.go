package main

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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

const salvagedRows = 3000

// salvagedFolder is the folder of a server that was stopped, with rows in files and in the log: of each table the text is
// the md5 of the number.
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
	rng := rand.New(rand.NewPCG(7, 7))
	for _, name := range names {
		for _, how := range []string{"missing", "flipped", "cut", "zeroed"} {
			files := map[string]string{}
			for n, content := range whole {
				files[n] = content
			}
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

func salvageOne(t *testing.T, files map[string]string) {
	from, to := folderOf(t, files), filepath.Join(t.TempDir(), "new")
	code, out := runCheck(t, "--data", from, "--salvage", to)
	if sumOf(filesOf(t, from)) != sumOf(files) {
		t.Error("the source is changed")
	}
	t.Logf("exit code %d:\n%s", code, out)
	if strings.Contains(out, "the catalog") && code == exitFailed && !strings.Contains(out, "is a store that can be served") {
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
}
