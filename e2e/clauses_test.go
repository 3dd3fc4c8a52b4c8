package e2e

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/testpage"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/store"
)

const clausesPage = "../docs/clauses.md"

// TestClauses runs statements that say each clause of session.Clauses, each on a connection of its
// own. Exactly of those that are not done anyway a NOTICE must say that they have no effect.
func TestClauses(t *testing.T) {
	served := openDB(t, onPebble)
	rows := map[string]settings.ClauseRow{}
	unread := map[string]bool{}
	for _, r := range settings.Clauses() {
		rows[r.Clause], unread[r.Clause] = r, true
	}
	datadriven.RunTest(t, "testdata/clauses", func(t *testing.T, d *datadriven.TestData) string {
		parsed, err := parser.Parse(d.Input)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, s := range parsed {
			if prepare, ok := s.Statement.(*ast.Prepare); ok { // they belong to what is run
				s.Clauses = prepare.Clauses
			}
			for _, says := range s.Clauses {
				delete(unread, string(says))
				if r, ok := rows[string(says)]; ok && r.Noticed(store.Capabilities{Dense: true, Snapshots: true}) {
					want = append(want, string(says))
				}
			}
		}
		p := newPlayer(t, served.url())
		if strings.HasPrefix(d.Input, "COPY") {
			_, err = p.conn.CopyTo(p.ctx, io.Discard, d.Input)
		} else {
			_, err = p.conn.Exec(p.ctx, d.Input).ReadAll()
		}
		if err != nil {
			t.Errorf("%s: %v", d.Input, err)
		}
		var noticed []string
		out := ""
		for _, n := range p.notices {
			if named, ok := strings.CutSuffix(n.Message, " has no effect"); ok {
				noticed = append(noticed, named)
				if n.Detail != rows[named].Why || n.Hint != rows[named].Hint {
					t.Errorf("%s: %s, %s", named, n.Detail, n.Hint)
				}
				out += n.Severity + " " + n.Code + ": " + n.Message + "\n"
			}
		}
		if !slices.Equal(noticed, want) {
			t.Errorf("%s: heard of %q, want %q", d.Input, noticed, want)
		}
		return out
	})
	for name := range unread {
		t.Errorf("no statement in testdata/clauses says %s", name)
	}
	testpage.Check(t, clausesPage, clausesText(settings.Clauses()), *writePage)
}

// TestClausesOnce hears of a clause once in a session, of capacity not on DynamoDB, and of locks only there.
func TestClausesOnce(t *testing.T) {
	p := newPlayer(t, openDB(t, onPebble).url())
	for i, want := range []int{1, 0, 0, 1} {
		out, err := p.say([]string{"CREATE UNLOGGED TABLE a (a int)", "CREATE UNLOGGED TABLE b (a int)", "DISCARD ALL",
			"CREATE UNLOGGED TABLE c (a int)"}[i])
		if err != nil || strings.Count(out, "UNLOGGED has no effect") != want {
			t.Error(out, err)
		}
	}
	p = newPlayer(t, openDB(t, onFake).url())
	if out, err := p.say("CREATE TABLE a (a int PRIMARY KEY) WITH (max_read_units = 50)"); err != nil ||
		strings.Contains(out, "has no effect") {
		t.Error(out, err)
	}
	if out, err := p.say("BEGIN; LOCK TABLE a; COMMIT"); err != nil ||
		!strings.Contains(out, "LOCK TABLE among processes has no effect") {
		t.Error(out, err)
	}
}

func clausesText(rows []settings.ClauseRow) string {
	var b strings.Builder
	b.WriteString("# Clauses without effect\n\n" +
		"A clause of a statement acts, is refused (see [unsupported.md](unsupported.md)), or is one of these. Of one that asks for what is not\n" +
		"there, a NOTICE says that it has no effect, once in a session. Settings are in [settings.md](settings.md). This page is made from the\n" +
		"table that the notices come from: `go test ./e2e -run TestClauses -write-page`.\n")
	for _, part := range []struct {
		title  string
		anyway bool
	}{{"Those that a NOTICE is about", false}, {"Those that say what is done anyway", true}} {
		fmt.Fprintf(&b, "\n## %s\n\n| clause | why | |\n|---|---|---|\n", part.title)
		for _, r := range rows {
			if r.Anyway == part.anyway {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", tableCell(r.Clause), tableCell(r.Why), tableCell(r.Hint))
			}
		}
	}
	return b.String()
}
