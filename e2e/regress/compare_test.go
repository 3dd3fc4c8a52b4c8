package regress

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// annotation is the form of the lines of an answer that are neither rows nor a tag nor the message of an error.
var annotation = regexp.MustCompile(
	`^(?:DETAIL|HINT|CONTEXT|NOTICE|WARNING|INFO|LOCATION|QUERY):  |^LINE \d+: |^ *\^$|^PL/pgSQL function |^SQL (?:statement|function) `)

// essence is what counts of an answer.
func essence(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), annotation.MatchString)
}

var orders = regexp.MustCompile(`(?i)\border\s+by\b`)

// alike tells whether two answers to a piece have the same rows, tags and errors. The order of rows counts where the
// statement has an ORDER BY.
func alike(p piece, want, got answer) bool {
	if want.state != got.state {
		return false
	}
	a, b := essence(want.text), essence(got.text)
	if !orders.MatchString(p.text) {
		slices.Sort(a)
		slices.Sort(b)
	}
	return slices.Equal(a, b)
}

// causes finds why answers of one file differ. What was not made, and what failed before in the block, is the cause of
// what fails for that reason later.
type causes struct {
	missing map[string]string
	last    string
}

var (
	errorLine = regexp.MustCompile(`(?m)^(?:ERROR|FATAL|PANIC|invalid command).*|^.*server closed the connection.*|^You are currently not.*`)
	names     = regexp.MustCompile(`"[^"]*"`)
	numbers   = regexp.MustCompile(`\d+`)
	functions = regexp.MustCompile(`\S+\([^)]*\)`)
	makes     = regexp.MustCompile(`(?is)^\s*create\s+(?:or\s+replace\s+)?(?:global\s+|local\s+|temp\s+|temporary\s+|unlogged\s+|` +
		`recursive\s+|materialized\s+|constraint\s+|unique\s+|trusted\s+|foreign\s+|event\s+)*(?:table|view|index|sequence|function|procedure|` +
		`type|domain|aggregate|trigger|rule|schema|collation|cast|operator|role|user|policy|extension|server|statistics)` +
		`\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?:\w+\.)?"?([\w$]+)`)
	identifiers = regexp.MustCompile(`[\w$]+`)
	aborted     = "current transaction is aborted"
)

// message is the first error of an answer.
func message(a answer) string { return errorLine.FindString(a.text) }

// without is a message without names and numbers.
func without(message string) string {
	message = strings.TrimPrefix(message, "ERROR:  ")
	message = names.ReplaceAllString(message, `"…"`)
	if strings.HasPrefix(message, "function ") || strings.HasPrefix(message, "operator ") {
		message = functions.ReplaceAllString(message, "…(…)")
	}
	return numbers.ReplaceAllString(message, "N")
}

// of is the cause of a difference, and whether it is that of an earlier statement.
func (c *causes) of(p piece, want, got answer) (cause string, consequence bool) {
	theirs, ours := message(want), message(got)
	defer func() {
		if ours != "" {
			c.last = cause
		}
		if m := makes.FindStringSubmatch(uncommented(p.text)); m != nil && ours != "" && theirs == "" {
			c.missing[strings.ToLower(m[1])] = cause
		}
	}()
	switch {
	case !got.reached:
		return "not reached: the server was silent, or psql ended", false
	case ours == "" && theirs != "":
		return "no error, where PostgreSQL has: " + without(theirs), false
	case ours == "":
		return "other rows or tag", false
	case strings.Contains(ours, aborted) && c.last != "":
		return c.last, true
	}
	if strings.Contains(ours, "does not exist") {
		for _, name := range identifiers.FindAllString(ours, -1) {
			if earlier := c.missing[strings.ToLower(name)]; earlier != "" {
				return earlier, true
			}
		}
	}
	if theirs != "" {
		return "another error than PostgreSQL's: " + without(ours), false
	}
	return without(ours), false
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		statement, want, got string
		same                 bool
	}{
		{"SELECT a FROM t", " a\n 1\n 2\n", " a\n 2\n 1\n", true},
		{"SELECT a FROM t ORDER BY a", " a\n 1\n 2\n", " a\n 2\n 1\n", false},
		{"SELECT x", "ERROR:  no x\nLINE 1: SELECT x\n               ^\n", "ERROR:  no x\nHINT:  y\n", true},
		{"SELECT x", "ERROR:  no x\n", "ERROR:  no y\n", false},
	} {
		if alike(piece{text: c.statement}, answer{c.want, "", true}, answer{c.got, "", true}) != c.same {
			t.Errorf("%s: %q and %q: want %v", c.statement, c.want, c.got, c.same)
		}
	}
}

func TestCauses(t *testing.T) {
	c := causes{missing: map[string]string{}}
	fine := answer{"CREATE TABLE\n", "00000", true}
	for _, s := range []struct {
		statement, got, cause string
		consequence           bool
	}{
		{"CREATE TABLE t1 (a x)", `ERROR:  type "x" does not exist`, `type "…" does not exist`, false},
		{"SELECT * FROM t1", `ERROR:  relation "t1" does not exist`, `type "…" does not exist`, true},
		{"SELECT * FROM u", `ERROR:  relation "u" does not exist`, `relation "…" does not exist`, false},
		{"SELECT 1", "ERROR:  current transaction is aborted, commands", `relation "…" does not exist`, true},
		{"SELECT 1", "other", "other rows or tag", false},
	} {
		cause, consequence := c.of(piece{text: s.statement}, fine, answer{s.got, "", true})
		if cause != s.cause || consequence != s.consequence {
			t.Errorf("%s: got %q, %v", s.statement, cause, consequence)
		}
	}
}
