package wire

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
)

const postgresBin = "/usr/lib/postgresql/15/bin"

// startPostgres makes an empty PostgreSQL that lives as long as the test, and returns
// its address. PostgreSQL refuses to run as root, so its user postgres runs it.
func startPostgres(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wire-postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	giveTo(t, dir, "postgres")
	data := filepath.Join(dir, "data")
	port := freePort(t)
	runPostgres(t, "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C", "--no-sync")
	options := fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=UTC", port, dir)
	runPostgres(t, "pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", options, "start")
	t.Cleanup(func() { runPostgres(t, "pg_ctl", "-D", data, "-m", "immediate", "stop") })
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func giveTo(t *testing.T, dir, name string) {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
}

func runPostgres(t *testing.T, program string, args ...string) {
	t.Helper()
	args = append([]string{"-u", "postgres", "--", filepath.Join(postgresBin, program)}, args...)
	command := exec.Command("runuser", args...)
	command.Dir = "/"
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
