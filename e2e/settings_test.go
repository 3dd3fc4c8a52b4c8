package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testpage"
)

const settingsPage = "../docs/settings.md"

// settingRow is a setting as pg_settings has it.
type settingRow struct{ name, kind, values, initial, low, high, doc, detail string }

func settingRows(t *testing.T, c *pgconn.PgConn) []settingRow {
	t.Helper()
	var out []settingRow
	results, err := c.Exec(t.Context(), `SELECT name, vartype, coalesce(array_to_string(enumvals, ','), ''), coalesce(boot_val, ''), coalesce(min_val, ''), coalesce(max_val, ''), short_desc, coalesce(extra_desc, '')
FROM pg_settings WHERE context <> 'internal' ORDER BY name`).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results[0].Rows {
		out = append(out, settingRow{string(r[0]), string(r[1]), string(r[2]), string(r[3]), string(r[4]), string(r[5]),
			string(r[6]), string(r[7])})
	}
	return out
}

// never and partly begin what pg_settings says of a setting that does not always act.
const (
	never  = "Has no effect: "
	partly = "Some values have "
)

// provedBy are the tests of settings that take more than one connection, or a log, to show.
var provedBy = map[string]string{
	"deadlock_timeout":                       "advisory_test.go TestDeadlockTimeout",
	"log_lock_waits":                         "../session/lock_waits_test.go TestLockWaitsAreLogged",
	"idle_in_transaction_session_timeout":    "settings_test.go TestIdleTimeouts",
	"idle_session_timeout":                   "settings_test.go TestIdleTimeouts",
	"lock_timeout":                           "ddl_test.go TestSchemaChangeIsolated",
	"transaction_deferrable":                 "deferrable_test.go TestDeferrable",
	"default_transaction_deferrable":         "deferrable_test.go TestDeferrable",
	"transaction_timeout":                    "lock_ends_test.go TestTransactionTimeout",
	"zproxy.resume_token_ttl":                "resume_writes_test.go TestResumeExpires",
	"zproxy.statement_cache":                 "../session/statement_cache_test.go TestStatementCacheSetting",
	"min_parallel_table_scan_size":           "workers_test.go TestWorkers",
	"zproxy.max_parallel_workers_per_gather": "workers_test.go TestWorkers",
	"zproxy.row_cache":                       "../session/row_cache_test.go TestRowCache",
	"log_duration":                           "../session/observe_test.go TestStatementsAreLogged",
	"log_min_duration_statement":             "../session/observe_test.go TestSlowStatementsAreLogged",
	"log_statement":                          "../session/observe_test.go TestStatementsAreLogged",
	"plan_cache_mode":                        "plan_choice_test.go TestChosenPlansGiveTheSameRows",
	"work_mem":                               "settings_test.go TestWorkMem",
	"zproxy.build_rate":                      "builds_test.go TestSlowBuildEnds",
	"zproxy.build_units":                     "builds_test.go TestBuildUnits",
	"zproxy.consistent_statements":           "../session/validation_test.go TestConsistentStatements",
	"zproxy.read_consistency":                "../session/eventual_test.go TestEventual",
	"zproxy.parallel_scans":                  "../session/scans_at_once_test.go TestScansAtOnce",
}

// TestIdleTimeouts is silent for longer than the server bears.
func TestIdleTimeouts(t *testing.T) {
	served := openDB(t, onPebble)
	for setting, begin := range map[string]string{"idle_session_timeout": "",
		"idle_in_transaction_session_timeout": "BEGIN"} {
		c := served.connect(t)
		must(t, c, "SET "+setting+" = 1; "+begin)
		_, err := c.PgConn().ReceiveMessage(t.Context())
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Severity != "FATAL" ||
			e.Code != map[string]string{"": "57P05", "BEGIN": "25P03"}[begin] {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// TestWorkMem sorts what work_mem holds, and what it does not.
func TestWorkMem(t *testing.T) {
	p := newPlayer(t, openDB(t, onPebble).url())
	for size, want := range map[string]string{"64MB": "quicksort", "64kB": "external merge"} {
		results, err := p.conn.Exec(p.ctx,
			"SET work_mem = '"+size+"'; EXPLAIN (ANALYZE) SELECT g FROM generate_series(1, 20000) g ORDER BY g DESC").ReadAll()
		if err != nil || !strings.Contains(fmt.Sprintf("%s", results[1].Rows), "Sort Method: "+want) {
			t.Errorf("work_mem = %s: %v, %s", size, err, results[1].Rows)
		}
	}
}

// another is a value that a setting does not have.
func (r settingRow) another() string {
	switch r.kind {
	case "bool":
		return map[string]string{"on": "off", "off": "on"}[r.initial]
	case "enum":
		values := strings.Split(r.values, ",")
		return values[slices.IndexFunc(values, func(v string) bool { return v != r.initial })]
	case "integer":
		if n, err := strconv.Atoi(r.high); err == nil && n < 4321 {
			return r.high
		}
		return "4321"
	case "real":
		if f, err := strconv.ParseFloat(r.low, 64); err == nil && f > 0.25 {
			return r.low
		}
		return "0.25"
	}
	return "xx"
}

// TestSettings walks all settings. Of one that has no effect another value must give a NOTICE that
// says so; one that acts, and each value of one that acts in part, must have a probe in
// testdata/settings, that is a statement which answers differently under that value.
func TestSettings(t *testing.T) {
	served := openDB(t, onPebble)
	rows := settingRows(t, served.connect(t).PgConn())
	probed := settingProbes(t)
	for name, proof := range provedBy {
		file, test, _ := strings.Cut(proof, " ")
		if source, err := os.ReadFile(file); err != nil || !strings.Contains(string(source), "func "+test+"(") ||
			!strings.Contains(string(source), name) {
			t.Errorf("%s is not shown by %s", name, proof)
		}
		probed[name] = true
	}
	for _, r := range rows {
		if detail, ok := strings.CutPrefix(r.detail, never); ok {
			p := newPlayer(t, served.url())
			out, err := p.say("SET " + r.name + " = '" + r.another() + "'; RESET " + r.name)
			if err != nil || !strings.Contains(out, `NOTICE 01000: setting "`+r.name+`" to "`) ||
				strings.Count(out, "NOTICE") != 1 || detail == "" {
				t.Errorf("%s has no effect, and SET says %s, %v", r.name, out, err)
			}
			continue
		}
		if !probed[r.name] {
			t.Errorf("nothing shows what %s does: it needs a probe in testdata/settings", r.name)
		}
		delete(probed, r.name)
	}
	for name := range probed {
		t.Errorf("%s is no setting that acts", name)
	}
	testpage.Check(t, settingsPage, settingsText(rows), *writePage)
}

// say runs statements and prints what comes of them.
func (p *player) say(sql string) (string, error) {
	return p.run(&datadriven.TestData{Cmd: "exec", Input: sql})
}

// settingProbes plays testdata/settings, on each store that a probe names and on Pebble otherwise,
// and returns the settings that are probed. Of
//
//	probe setting=name
//	value
//	statement
//
// the answer is printed twice: as the setting is at first, and with the value.
func settingProbes(t *testing.T) map[string]bool {
	probed := map[string]bool{}
	datadriven.RunTest(t, filepath.FromSlash("testdata/settings"), func(t *testing.T, d *datadriven.TestData) string {
		served := openDB(t, onPebble)
		if d.HasArg("fake") {
			served = openDB(t, onFake)
		}
		var name string
		d.ScanArgs(t, "setting", &name)
		probed[name] = true
		value, sql, _ := strings.Cut(d.Input, "\n")
		before := answerUnder(t, served, "", sql)
		after := answerUnder(t, served, "SET "+name+" = "+value, sql)
		if before == after && !d.HasArg("same") {
			t.Errorf("%s = %s changes nothing: %s", name, value, after)
		}
		return before + "--\n" + after
	})
	return probed
}

// answerUnder is what statements answer on a connection that has said something first.
func answerUnder(t *testing.T, served *server, first, sql string) string {
	p := newPlayer(t, served.url())
	out := ""
	lines := append([]string{first}, strings.Split(sql, "\n")...)
	for i, line := range lines {
		if line == "" {
			continue
		}
		results, err := p.conn.Exec(p.ctx, line).ReadAll()
		if i > 0 {
			out += p.takeNotices()
			for _, r := range results {
				for _, row := range r.Rows {
					out += string(slices.Concat(joined(row)...)) + "\n"
				}
			}
		} else {
			p.notices = slices.DeleteFunc(p.notices,
				func(n *pgconn.Notice) bool { return !strings.Contains(n.Message, " effect") })
			out += p.takeNotices()
		}
		var e *pgconn.PgError
		switch {
		case errors.As(err, &e):
			out += e.Code + " " + e.Message + "\n"
		case err != nil:
			out += "the connection is gone\n"
		}
	}
	return out
}

// joined puts bars between the values of a row.
func joined(row [][]byte) [][]byte {
	var out [][]byte
	for i, v := range row {
		if i > 0 {
			out = append(out, []byte(" | "))
		}
		out = append(out, v)
	}
	return out
}

func settingsText(rows []settingRow) string {
	var b strings.Builder
	b.WriteString("# Settings\n\n" +
		"What `SET` takes, and what becomes of it: a setting acts, or a NOTICE says that the value that is asked for has no effect. The NOTICE comes\n" +
		"once in a session for each value, also for `ALTER ROLE ... SET` and the options of a connection, and not where the value is what is done\n" +
		"anyway. `pg_settings.extra_desc` says the same. An unknown setting, also one that begins with `zproxy.`, is an error; other names with a dot are the\n" +
		"client's own. This page is made by `go test ./e2e -run TestSettings -write-page`.\n")
	for _, part := range []struct {
		title string
		of    func(settingRow) bool
	}{
		{"Those that act", func(r settingRow) bool { return r.detail == "" }},
		{"Those of which some values have no effect, or less than in PostgreSQL",
			func(r settingRow) bool { return strings.HasPrefix(r.detail, partly) }},
		{"Those that have no effect", func(r settingRow) bool { return strings.HasPrefix(r.detail, never) }},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| setting | default | what it is for | |\n|---|---|---|---|\n", part.title)
		for _, r := range rows {
			if part.of(r) {
				_, detail, _ := strings.Cut(r.detail, ": ")
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.name, tableCell(r.initial), tableCell(r.doc),
					tableCell(detail))
			}
		}
	}
	return b.String()
}
