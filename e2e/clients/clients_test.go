package clients

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write the list of differences, and what zproxy alone answers")

// TestClients runs each program against PostgreSQL and against zproxy and wants the same
// output, apart from what the file differences lists for it.
func TestClients(t *testing.T) {
	postgres := startPostgres(t)
	listed := readDifferences(t)
	for _, p := range programs(t) {
		t.Run(p.name, func(t *testing.T) {
			command, err := p.prepare(t, p.name)
			if err != nil {
				t.Skipf("%s is not run: %v", p.name, err)
			}
			servers := []server{startZproxy(t), postgres.emptied(t)}
			var outputs [2]string
			var both sync.WaitGroup
			for i, s := range servers {
				if !p.empty {
					s.psql(t, database, "-f", "schema.sql")
				}
				both.Go(func() { outputs[i] = s.run(t, command) })
			}
			both.Wait()
			listed.compare(t, p.name, outputs[0], outputs[1])
		})
	}
	if *rewrite && !t.Failed() {
		listed.write(t)
	}
}

// TestZorder wants psql to show of what PostgreSQL has not what zorder.out says.
func TestZorder(t *testing.T) {
	command, err := psqlScript(t, "zorder/zorder.sql")
	if err != nil {
		t.Skipf("psql is not run: %v", err)
	}
	got := startZproxy(t).run(t, command)
	if *rewrite {
		if err := os.WriteFile("zorder/zorder.out", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("zorder/zorder.out")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range hunks(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(got, "\n")) {
		t.Errorf("psql shows something else:\n%s", p)
	}
}

// limit ends a program that waits for something forever.
const limit = 3 * time.Minute

// loose are the parts of what programs print that are never the same.
var loose = []struct {
	found *regexp.Regexp
	put   string
}{
	{regexp.MustCompile(`((?m:^)Time: ).*`), "$1"},
	{regexp.MustCompile(`LOCATION:  .*\n`), ""}, // of PostgreSQL's source
	{regexp.MustCompile(`\b\d+ (bytes|[kMG]B)\b`), "SIZE"},
	// PostgreSQL says more of a line of COPY than its number.
	{regexp.MustCompile(`(COPY \w+, line \d+)[^\n]*`), "$1"},
}

// run gives what a program prints. What it writes as errors counts for psql, which says
// there what the server answered, and for others only when they fail.
func (s server) run(t *testing.T, command []string) string {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var out, errors bytes.Buffer
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env, c.Stdout, c.Stderr = s.environment(t), &out, &errors
	if strings.HasSuffix(command[0], "psql") {
		c.Stderr = &out
	}
	if err := c.Run(); err != nil {
		fmt.Fprintf(&out, "%v\n%s", err, errors.String())
	}
	host, port, _ := net.SplitHostPort(s.address)
	text := strings.NewReplacer(s.address, "ADDRESS", port, "PORT", host, "HOST").Replace(out.String())
	for _, l := range loose {
		text = l.found.ReplaceAllString(text, l.put)
	}
	return text
}
