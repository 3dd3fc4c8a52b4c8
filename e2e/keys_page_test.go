package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const keysPage = "../docs/keys.md"

// TestKeysPage runs the SQL of the page about keys, and wants the plans that it shows, on
// every store. -write-page writes what a store without ordered partitions answers.
func TestKeysPage(t *testing.T) {
	text, err := os.ReadFile(keysPage)
	if err != nil {
		t.Fatal(err)
	}
	onEvery(t, func(t *testing.T, s *server) {
		parts, shown := strings.Split(string(text), "```"), 0
		for i := 1; i < len(parts); i += 2 { // those between are not code
			if sql, ok := strings.CutPrefix(parts[i], "sql\n"); ok {
				must(t, s.connect(t), sql)
			} else if strings.HasPrefix(parts[i], "\nEXPLAIN") {
				parts[i], shown = explained(t, s.connect(t), parts[i]), shown+1
			}
		}
		got := strings.Join(parts, "```")
		switch {
		case shown == 0:
			t.Error("the page shows no plan")
		case *writePage && s.store.Capabilities().OrderedPartitions:
		case *writePage:
			if err := os.WriteFile(keysPage, []byte(got), 0o644); err != nil {
				t.Error(err)
			}
		case got != string(text):
			t.Errorf("%s shows other plans: go test ./e2e -run TestKeysPage -write-page\n%s", keysPage, got)
		}
	})
}

// explained answers the EXPLAINs of a block: each, an empty line, and its plan.
func explained(t *testing.T, c *pgx.Conn, block string) string {
	var out strings.Builder
	for _, text := range strings.Split(strings.TrimSpace(block), "\n\n") {
		if !strings.HasPrefix(text, "EXPLAIN") {
			continue // a plan
		}
		rows, err := c.Query(t.Context(), text, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		out.WriteString("\n" + text + "\n\n " + strings.Join(plan, "\n ") + "\n")
	}
	return out.String()
}
