package regress

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	run     = flag.Bool("regress", false, "run the suite and write REPORT.md, which takes long")
	only    = flag.String("files", "", "run no other files than these and test_setup, and print the report")
	details = flag.String("details", "", "a folder for both answers to what is not the same")
)

// TestSuite runs the suite, and renews the report.
func TestSuite(t *testing.T) {
	if !*run {
		t.Skip("make regress runs it")
	}
	suite := suiteFolder(t)
	names := schedule(t, suite)
	if *only != "" {
		chosen := append([]string{"test_setup"}, strings.Split(*only, ",")...)
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(chosen, name) })
	}
	folder := publicCopy(t, suite)
	there, here := startPostgres(t), startZproxy(t)
	prepare(t, there)
	r := &report{causes: map[string]*tally{}, examples: map[string]string{}}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(suite, "sql", name+".sql"))
		if err != nil {
			t.Fatal(err)
		}
		pieces := split(string(text))
		if err := writeData(pieces, folder); err != nil {
			t.Fatal(err)
		}
		want, got, hung := both(t, there, here, pieces, folder)
		f := r.add(name, pieces, want, got, hung)
		t.Logf("%-24s %4d of %4d", name, f.same, f.statements)
		writeDetails(t, name, pieces, want, got)
		if err := here.restart(); err != nil {
			t.Fatal(err)
		}
	}
	if *only != "" {
		t.Log("\n" + r.String())
	} else if err := os.WriteFile("REPORT.md", []byte(r.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// both plays pieces on both servers at the same time.
func both(t *testing.T, there, here server, pieces []piece, folder string) (want, got []answer, hung bool) {
	t.Helper()
	var wait sync.WaitGroup
	var failed error
	wait.Add(1)
	go func() {
		defer wait.Done()
		want, _, failed = play(there, pieces, folder)
	}()
	got, hung, err := play(here, pieces, folder)
	wait.Wait()
	if failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	return want, got, hung
}

// suiteFolder is where .ci/deps put the suite.
func suiteFolder(t *testing.T) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("PostgreSQL's regression suite is missing: %v", err)
	}
	dir := filepath.Join(cache, "zproxy-test", "postgresql-15", "regress")
	if _, err := os.Stat(filepath.Join(dir, "parallel_schedule")); err != nil {
		t.Skip("PostgreSQL's regression suite is missing: .ci/deps gets it")
	}
	return dir
}

// schedule lists the files of the suite in the order in which PostgreSQL's runner takes them.
func schedule(t *testing.T, suite string) []string {
	text, err := os.ReadFile(filepath.Join(suite, "parallel_schedule"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if names, ok := strings.CutPrefix(line, "test:"); ok {
			out = append(out, strings.Fields(names)...)
		}
	}
	return out
}

// publicCopy copies the data of the suite to where the user that PostgreSQL runs as can read and write.
func publicCopy(t *testing.T, suite string) string {
	dir, err := os.MkdirTemp("", "zproxy-regress-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(filepath.Join(suite, "data"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "results")} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// prepare makes the database of the suite.
func prepare(t *testing.T, s server) {
	command := exec.Command("psql", "-X", "postgres://postgres@"+s.address+"/postgres", "-c",
		"CREATE DATABASE regression TEMPLATE template0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// writeDetails writes both answers to what is not the same.
func writeDetails(t *testing.T, name string, pieces []piece, want, got []answer) {
	if *details == "" {
		return
	}
	var b strings.Builder
	for i, p := range pieces {
		if p.counted && want[i].reached && !alike(p, want[i], got[i]) {
			fmt.Fprintf(&b, "=== %s\n--- PostgreSQL %s\n%s--- zproxy %s\n%s", strings.TrimSpace(p.text),
				want[i].state, want[i].text, got[i].state, got[i].text)
		}
	}
	if err := os.WriteFile(filepath.Join(*details, name), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
