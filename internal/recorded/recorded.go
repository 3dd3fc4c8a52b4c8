// Package recorded reads tables of PostgreSQL's answers, which types/testdata/record.sh records, for tests. The
// questions are in the tests. Begin with Each.
package recorded

import (
	"bufio"
	"crypto/md5"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"zproxy/sqlerr"
)

// Zone is the session's TimeZone in record.sh.
func Zone(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Each calls answer with the inputs of every line of a table, and wants what PostgreSQL answered.
func Each(t *testing.T, path string, answer func(in []string) string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) < 2 {
			continue
		}
		for i := range columns {
			columns[i] = copyUnescape.Replace(columns[i])
		}
		in, want := columns[:len(columns)-1], columns[len(columns)-1]
		if got := shorten(answer(in)); got != want {
			t.Errorf("%s:%d: %q\n got %s\nwant %s", path, n, in, got, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// copyUnescape undoes COPY's text format.
var copyUnescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\N`, "NULL")

// shorten does to long answers what record.sh does.
func shorten(s string) string {
	if len(s) > 300 && !strings.HasPrefix(s, "ERROR") {
		return fmt.Sprintf("md5 %x", md5.Sum([]byte(s)))
	}
	return s
}

// Error is an error as record.sh prints it.
func Error(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return "not an SQL error: " + err.Error()
	}
	s := fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
	if e.Detail != "" {
		s += " DETAIL " + e.Detail
	}
	if e.Hint != "" {
		s += " HINT " + e.Hint
	}
	if e.Where != "" {
		s += " CONTEXT " + e.Where
	}
	return s
}
