package pgxsuite

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// packages are those of pgx whose tests talk to a server.
var packages = []string{".", "./pgconn", "./pgtype/...", "./pgxpool", "./stdlib", "./tracelog", "./multitracer"}

const module = "github.com/jackc/pgx/v5"

// results are how tests ended, by package and name: pgtype.TestDate/#00.
type results map[string]*result

type result struct {
	action string // pass, fail, skip; run for one that never ended
	output strings.Builder
}

// runSuite runs pgx's tests, from the module cache, against a server.
func runSuite(t *testing.T, address string, notRun reasons) results {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-json", "-count=1", "-vet=off", "-timeout=200s", "-skip", notRun.pattern(), "-run", *only}
	command := exec.CommandContext(t.Context(), "go", append(args, packages...)...)
	command.Dir = strings.TrimSpace(string(dir))
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off",
		"PGX_TEST_DATABASE="+url(address), "PGX_TEST_TCP_CONN_STRING="+url(address))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	got := readResults(out)
	if len(got) == 0 {
		t.Fatalf("no test ran: %v\n%s%s", err, stderr.Bytes(), out)
	}
	return got
}

// readResults reads the events that go test -json prints.
func readResults(out []byte) results {
	got := results{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/")
		if name == "" {
			name = "pgx"
		}
		name += "." + e.Test
		if got[name] == nil {
			got[name] = &result{}
		}
		switch e.Action {
		case "output":
			got[name].output.WriteString(e.Output)
		case "run", "pass", "fail", "skip":
			got[name].action = e.Action
		}
	}
	return got
}

// action is how a test ended, empty when it did not run.
func (r results) action(name string) string {
	if r[name] == nil {
		return ""
	}
	return r[name].action
}

// leaves are the names of tests without subtests that ended in a way.
func (r results) leaves(action string) []string {
	parents := map[string]bool{}
	for name := range r {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			parents[name[:i]] = true
		}
	}
	var out []string
	for name, test := range r {
		if test.action == action && !parents[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// output is what a test printed, or the test that it is a part of.
func (r results) output(name string) string {
	for r[name] == nil {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return "it did not run"
		}
		name = name[:i]
	}
	return r[name].output.String()
}

// failures is what all tests printed that did not pass.
func (r results) failures() string {
	var b strings.Builder
	for _, action := range []string{"run", "fail"} {
		for _, name := range r.leaves(action) {
			b.WriteString(action + " " + name + "\n" + r.output(name))
		}
	}
	return b.String()
}
