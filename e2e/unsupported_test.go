package e2e

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testpage"
)

var writePage = flag.Bool("write-page", false, "write the pages of docs that tests make")

const unsupportedPage = "../docs/unsupported.md"

// TestUnsupported runs the lists of what is refused, that of the grammar and that of what
// is found out later, and wants 0A000 for each statement, or 22023 for the value of an option, and
// the page for users to say what the lists say. The first statements of the second list make what the others name.
func TestUnsupported(t *testing.T) {
	c := openDB(t, onPebble).connect(t).PgConn()
	sections := map[string][]string{}
	seen := map[string]bool{}
	for _, list := range []string{"testdata/unsupported",
		filepath.FromSlash("../parser/testdata/scripts/unsupported")} {
		datadriven.RunTest(t, list, func(t *testing.T, d *datadriven.TestData) string {
			_, err := c.Exec(t.Context(), d.Input).ReadAll()
			if d.Cmd == "define" {
				if err != nil {
					t.Error(err)
				}
				return ""
			}
			var e *pgconn.PgError
			if !errors.As(err, &e) || e.Code != "0A000" && e.Code != "22023" {
				t.Errorf("%s: %v", d.Input, err)
				return d.Expected
			}
			if !seen[e.Message] {
				seen[e.Message] = true
				s := section(d.Input)
				if e.Code == "22023" {
					s = badValues
				}
				sections[s] = append(sections[s], fmt.Sprintf("| %s | %s | `%s` |\n", tableCell(e.Message), e.Code,
					tableCell(strings.Join(strings.Fields(d.Input), " "))))
			}
			if list == "testdata/unsupported" {
				return e.Message + "\n"
			}
			return d.Expected
		})
	}
	testpage.Check(t, unsupportedPage, page(sections), *writePage)
}

// The sections of the page, by the first word of a statement, and the one for options that exist.
var sectionNames = []string{"Queries and expressions", "Changing rows", "Definitions", "The session and the server",
	badValues}

const badValues = "Values that options cannot have"

func section(sql string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.ToUpper(sql)), " ")
	switch word {
	case "SELECT", "WITH", "VALUES", "TABLE":
		return sectionNames[0]
	case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "REPLACE":
		return sectionNames[1]
	case "CREATE", "ALTER", "DROP", "COMMENT", "TRUNCATE":
		return sectionNames[2]
	}
	return sectionNames[3]
}

func tableCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func page(sections map[string][]string) string {
	var b strings.Builder
	b.WriteString("# Not supported\n\n" +
		"Each of these is refused with the message beside it. What PostgreSQL refuses, too, is refused in its words and not listed here;\n" +
		"what is taken without effect is in [clauses.md](clauses.md) and [settings.md](settings.md); nothing is silently ignored.\n" +
		"This page is made from the lists that test the refusals: `go test ./e2e -run TestUnsupported -write-page`. A test holds it against the code.\n")
	for _, name := range sectionNames {
		lines := sections[name]
		slices.Sort(lines)
		fmt.Fprintf(&b, "\n## %s\n\n| message | SQLSTATE | for example |\n|---|---|---|\n%s", name,
			strings.Join(lines, ""))
	}
	return b.String()
}
