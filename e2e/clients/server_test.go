package clients

import (
	"net"
	"os"
	"os/exec"
	"testing"

	"zproxy/internal/indextest"
	"zproxy/internal/pglocal"
	"zproxy/internal/testlog"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store/memstore"
	"zproxy/wire"
)

// database is where programs find the tables of schema.sql, and no others.
const database = "shop"

// server is a PostgreSQL or a zproxy that listens on this machine.
type server struct {
	address string
}

// startZproxy serves an empty store for as long as a test lasts.
func startZproxy(t *testing.T) server {
	t.Helper()
	st := memstore.New(memstore.Options{})
	indextest.AtEnd(t, st)
	return server{testserver.Start(t, st, session.Options{Log: testlog.New(t)}, wire.Options{}).Address}
}

// startPostgres starts a PostgreSQL for all programs of a test.
func startPostgres(t *testing.T) server {
	t.Helper()
	return server{pglocal.Start(t)}
}

// emptied gives a PostgreSQL whose database is new.
func (s server) emptied(t *testing.T) server {
	t.Helper()
	s.psql(t, "postgres", "-c", "DROP DATABASE IF EXISTS "+database+" WITH (FORCE)", "-c", "CREATE DATABASE "+database)
	return s
}

// psql runs psql, which must not fail.
func (s server) psql(t *testing.T, in string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "psql", append([]string{"-qX", "-v", "ON_ERROR_STOP=1"}, args...)...)
	c.Env = append(s.environment(t), "PGDATABASE="+in, "PGOPTIONS=-c client_min_messages=warning")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("psql %q: %v\n%s", args, err, out)
	}
}

// environment is all that a program learns of the outside.
func (s server) environment(t *testing.T) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"PGHOST=" + host, "PGPORT=" + port, "PGUSER=postgres", "PGDATABASE=" + database,
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "TZ=UTC", "PAGER=cat", "PYTHONDONTWRITEBYTECODE=1",
	}
}
