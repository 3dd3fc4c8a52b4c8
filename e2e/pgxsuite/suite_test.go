package pgxsuite

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/indextest"
	"zproxy/internal/pglocal"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

var (
	record = flag.Bool("record", false,
		"write into testdata/postgres which tests pass on a PostgreSQL 15 of this machine")
	rewrite = flag.Bool("rewrite", false, "write into testdata/missing which tests do not pass")
	only    = flag.String("only", "", "run the tests that match this, as -run of go test, and say what they print")
	given   = flag.String("address", "", "test the server of this address")
)

const (
	postgresFile = "testdata/postgres"
	missingFile  = "testdata/missing"
	notRunFile   = "testdata/notrun"
)

func TestPgxSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	notRun := readReasons(t, notRunFile)
	if *record {
		address := pglocal.Start(t)
		prepare(t, address, true)
		passes := runSuite(t, address, notRun).leaves("pass")
		writeNames(t, postgresFile, passes)
		t.Logf("%d tests pass on PostgreSQL 15", len(passes))
		return
	}
	address := *given
	if address == "" {
		address = serve(t)
	}
	prepare(t, address, false)
	got := runSuite(t, address, notRun)
	if *only != "" {
		t.Log(got.failures())
		return
	}
	wanted, missing := readNames(t, postgresFile), readReasons(t, missingFile)
	if *rewrite {
		missing = missing.updated(wanted, got)
		missing.write(t, missingFile)
	}
	passed := compare(t, wanted, missing, got)
	t.Logf("%d of the %d tests that pass on PostgreSQL 15 pass here", passed, len(wanted))
	if passed*100 < len(wanted)*80 {
		t.Error("less than 80 %")
	}
}

// compare says what fails without being listed, and what is listed and does not fail.
func compare(t *testing.T, wanted []string, missing reasons, got results) (passed int) {
	t.Helper()
	used := map[string]bool{}
	for _, name := range wanted {
		entry, listed := missing.covering(name)
		used[entry] = true
		passes := got.action(name) == "pass"
		switch {
		case passes && listed:
			t.Errorf("%s passes and stands in %s", name, missingFile)
		case !passes && !listed:
			t.Errorf("%s does not pass and does not stand in %s\n%s", name, missingFile, got.output(name))
		}
		if passes {
			passed++
		}
	}
	for entry, reason := range missing {
		if reason == unexplained {
			t.Errorf("%s: %s has no reason", missingFile, entry)
		}
		if !used[entry] {
			t.Errorf("%s: %s does not pass on PostgreSQL, or is covered by another line", missingFile, entry)
		}
	}
	return passed
}

// prepare makes what pgx's testsetup/postgresql_setup.sql makes, so far as a server has it.
func prepare(t *testing.T, address string, must bool) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url(address))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, sql := range []string{
		"CREATE EXTENSION hstore", "CREATE EXTENSION ltree", "CREATE DOMAIN uint64 AS numeric(20,0)",
		`CREATE USER " tricky, ' } "" \ test user " SUPERUSER`,
	} {
		if _, err := c.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil && must {
			t.Fatal(err)
		}
	}
}

func url(address string) string {
	host, port, _ := strings.Cut(address, ":")
	return fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=disable", host, port)
}

// serve starts a zproxy for as long as the test lasts.
func serve(t *testing.T) (address string) {
	t.Helper()
	st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{CacheBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	indextest.AtEnd(t, st)
	return testserver.Start(t, st, session.Options{}, wire.Options{}).Address
}
