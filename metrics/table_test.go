package metrics

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"zproxy/internal/testpage"
)

var writePage = flag.Bool("write-page", false, "write docs/metrics.md anew")

const page = "../docs/metrics.md"

// TestPage wants the page for users to say what the table says.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Metrics\n\n" +
		"With `--http 127.0.0.1:9433` zproxy answers Prometheus at `/metrics`. Besides these metrics there are those of the Go runtime (`go_`)\n" +
		"and of the process (`process_`). Counters begin at 0 when zproxy starts. Only Pebble has `zproxy_store_` metrics, and only\n" +
		"DynamoDB has `zproxy_dynamodb_` metrics.\n" +
		"This page is made from the table of metrics: `go test ./metrics -run TestPage -write-page`.\n\n" +
		"| metric | kind | labels | meaning |\n|---|---|---|---|\n")
	for _, m := range table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.name, m.kind, strings.Join(m.labels, ", "), m.help)
	}
	testpage.Check(t, page, b.String(), *writePage)
}

// TestNames holds the names to Prometheus's rules.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range table() {
		if seen[m.name] || !regexp.MustCompile(`^zproxy_[a-z_]+$`).MatchString(m.name) {
			t.Errorf("%q is no name, or is there twice", m.name)
		}
		seen[m.name] = true
		if strings.HasSuffix(m.name, "_total") != (m.kind == typeCounter) {
			t.Errorf("%s is a %s", m.name, m.kind)
		}
	}
}

// Names are those of all metrics in the table, for tests from outside.
func Names() (list []string) {
	for _, m := range table() {
		list = append(list, m.name)
	}
	return list
}
