package e2e

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/pglocal"
)

// postgresScripts are those that PostgreSQL answers.
const postgresScripts = "testdata/postgres"

// TestPostgresScripts plays the scripts that PostgreSQL answers, too: -record asks one
// that is started for the purpose.
func TestPostgresScripts(t *testing.T) {
	if !*record {
		playOnEvery(t, postgresScripts)
		return
	}
	rewrite(t)
	url := "postgres://postgres@" + pglocal.Start(t) + "/postgres?sslmode=disable"
	datadriven.Walk(t, postgresScripts, func(t *testing.T, path string) {
		c := connect(t, url)
		must(t, c, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		play(t, path, "postgres", url)
		_ = c.Close(context.Background())
	})
}

// rewrite makes datadriven write what it is answered.
func rewrite(t *testing.T) {
	t.Helper()
	if err := flag.Set("rewrite", "true"); err != nil {
		t.Fatal(err)
	}
}

// TestScripts plays those that have only us to ask: plans, hints, and the forms of
// other vendors.
func TestScripts(t *testing.T) { playOnEvery(t, "testdata/zproxy") }

func playOnEvery(t *testing.T, folder string) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			datadriven.Walk(t, folder, func(t *testing.T, path string) {
				play(t, path, k.name, openDB(t, k).url())
			})
		})
	}
}

// TestPriced plays the scripts for a store where each range is a request.
func TestPriced(t *testing.T) {
	datadriven.Walk(t, "testdata/priced", func(t *testing.T, path string) {
		play(t, path, priced.name, openDB(t, priced).url())
	})
}

// TestCharged plays the scripts for a store that is charged in units.
func TestCharged(t *testing.T) {
	datadriven.Walk(t, "testdata/charged", func(t *testing.T, path string) {
		play(t, path, charged.name, openDB(t, charged).url())
	})
}

// play plays a script on a connection of its own. Where stores answer differently,
// only=(...) names those for which the answer stands. The commands:
//
//	exec      runs statements, and prints their notices and tags
//	query     prints the columns, with their types, and the rows; rowsort sorts them
//	eval      prints the value and type of each line, an expression
//	prints    prints how views of these queries are printed, or with from=t of expressions, one a line
//	error     runs statements of which one fails, and prints how
//	errors    prints the error of each line, a statement
//	copy      runs the COPY of the first line with the data of the following ones
//	explain   prints the plan of a statement, in the format that is asked for; analyze runs it and leaves the
//	          times out. In each of the other formats, too, it must be well-formed, and have the same nodes
func play(t *testing.T, path, store, url string) {
	p := newPlayer(t, url)
	p.quiet = strings.HasPrefix(path, postgresScripts)
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		if only, ok := d.Arg("only"); ok && !slices.Contains(only.Vals, store) {
			return d.Expected
		}
		out, err := p.run(d)
		if err != nil && !strings.HasPrefix(d.Cmd, "error") && !d.HasArg("fails") {
			d.Fatalf(t, "%v\n%s", err, out)
		}
		return out
	})
}
