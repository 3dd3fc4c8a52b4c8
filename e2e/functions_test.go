package e2e

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/optimizer"
	"zproxy/session"
)

// TestRecordedFunctions asks in SQL what the tests of expr ask in Go, with
// constants folded by the optimizer, and not.
func TestRecordedFunctions(t *testing.T) {
	askRecorded(t, "functions", functionQuery)
}

// TestRecordedAggregates does so for aggregates.
func TestRecordedAggregates(t *testing.T) {
	askRecorded(t, "aggregates", aggregateQuery)
}

// askRecorded sends what query makes of the first half of each line, and wants the
// second half: the text of one value, or an error.
func askRecorded(t *testing.T, file string, query func(asked string) string) {
	lines, err := os.ReadFile("../expr/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range [][]string{nil, optimizer.Names()} {
		s := serve(t, inMemory.open(t), session.Options{Rules: optimizer.Options{Off: off}})
		c := s.connect(t).PgConn()
		if _, err := c.Exec(t.Context(), "SET timezone = 'America/New_York'").ReadAll(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(lines)) {
			asked, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if got := scalar(t.Context(), c, query(asked)); got != want {
				t.Errorf("without %q: %s\n got %s\nwant %s", off, query(asked), got, want)
			}
		}
	}
}

// scalar is the text of the one value of a query, or its error.
func scalar(ctx context.Context, c *pgconn.PgConn, sql string) string {
	results, err := c.Exec(ctx, sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return "ERROR " + e.Code + ": " + e.Message
	case err != nil:
		return err.Error()
	}
	return cell(results[0].Rows[0][0])
}

var calledName = regexp.MustCompile(`^[a-z_0-9]+\(`)

// functionQuery quotes the name of a function, so that it is a call and no special
// syntax.
func functionQuery(asked string) string {
	if name := calledName.FindString(asked); name != "" {
		asked = `"` + strings.TrimSuffix(name, "(") + `"(` + strings.TrimPrefix(asked, name)
	}
	return "SELECT " + asked
}

// aggregateQuery reads a name, a type and values.
func aggregateQuery(asked string) string {
	words := strings.Fields(asked)
	name, kind, values := words[0], words[1], words[2:]
	argument := "x::" + kind
	if name == "string_agg" {
		argument += ", '/'"
	}
	rows := make([]string, len(values))
	for i, v := range values {
		if rows[i] = "('" + v + "')"; v == "NULL" {
			rows[i] = "(NULL)"
		}
	}
	where := ""
	if len(rows) == 0 {
		rows, where = []string{"(NULL)"}, " WHERE false"
	}
	return "SELECT " + name + "(" + argument + ") FROM (VALUES " + strings.Join(rows, ", ") + ") v (x)" + where
}
