package e2e

import (
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/pglocal"
)

// TestPsql feeds scripts to psql. Like those of testdata/postgres they are answered by
// PostgreSQL when they are recorded.
//
//	file      psql -f of the input
//	command   psql -c of the input
func TestPsql(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skipf("psql is not run: %v", err)
	}
	address := ""
	if *record {
		address = pglocal.Start(t)
		rewrite(t)
	}
	datadriven.Walk(t, "testdata/psql", func(t *testing.T, path string) {
		if !*record {
			address = openDB(t, onPebble).address
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return runPsql(t, psql, address, d)
		})
	})
}

// loose are the times that \timing prints.
var loose = regexp.MustCompile(`((?m:^)Time: ).*`)

func runPsql(t *testing.T, psql, address string, d *datadriven.TestData) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-X", "-h", host, "-p", port, "-U", "postgres", "-d", "postgres"}
	command := exec.CommandContext(t.Context(), psql, args...)
	command.Env = []string{"LC_ALL=C.UTF-8", "PAGER=cat"}
	switch d.Cmd {
	case "file":
		command.Args = append(command.Args, "-f", "-")
		command.Stdin = strings.NewReader(d.Input + "\n")
	case "command":
		command.Args = append(command.Args, "-c", d.Input)
	default:
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	out, err := command.CombinedOutput()
	text := loose.ReplaceAllString(string(out), "$1")
	if err != nil {
		text += err.Error() + "\n"
	}
	return text
}
