// Package pglocal runs PostgreSQL 15, the reference for zproxy's answers, for tests. The queries, and how answers
// are recorded, are not here. Read Start first.
package pglocal

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"

	"zproxy/internal/freeport"
)

const binaries = "/usr/lib/postgresql/15/bin"

// Start makes an empty PostgreSQL that lives as long as the test, in UTC and ordering
// text by bytes, and returns its address; anybody may connect as postgres. The test is skipped
// where PostgreSQL is missing.
func Start(t testing.TB) (address string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(binaries, "initdb")); err != nil {
		t.Skipf("PostgreSQL is not run: %v", err)
	}
	dir, err := os.MkdirTemp("", "zproxy-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := server{t: t, root: os.Getuid() == 0}
	s.own(dir)
	data := filepath.Join(dir, "data")
	s.run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
		"--lc-collate", "C", "--lc-ctype", "C.UTF-8", "--no-sync")
	err = freeport.Start(func(port int) error {
		address = fmt.Sprintf("127.0.0.1:%d", port)
		options := fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=UTC", port, dir)
		return s.try("pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", options, "start")
	})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%v\n%s", err, log)
	}
	t.Cleanup(func() { s.run("pg_ctl", "-D", data, "-m", "immediate", "stop") })
	return address
}

// server refuses to run as root, so that root runs it as the user postgres.
type server struct {
	t    testing.TB
	root bool
}

// own gives a folder to the user that the server runs as.
func (s server) own(dir string) {
	s.t.Helper()
	if !s.root {
		return
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		s.t.Fatal(err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		s.t.Fatal(err1, err2)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		s.t.Fatal(err)
	}
}

func (s server) run(program string, args ...string) {
	s.t.Helper()
	if err := s.try(program, args...); err != nil {
		s.t.Fatal(err)
	}
}

func (s server) try(program string, args ...string) error {
	args = append([]string{filepath.Join(binaries, program)}, args...)
	if s.root {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	command := exec.Command(args[0], args[1:]...)
	command.Dir = "/"
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}
