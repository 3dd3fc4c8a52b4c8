package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"zproxy/internal/freeport"
)

// launchOptions say where the servers' binaries are.
type launchOptions struct {
	zproxyPath  string
	postgresBin string
	goTPC       string
}

// startZproxy serves an empty Pebble store in a temporary folder, or what flags say.
func startZproxy(ctx context.Context, o launchOptions, flags ...string) (*process, string, error) {
	port, err := freeport.Pick()
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "zproxy-bench-")
	if err != nil {
		return nil, "", err
	}
	path := o.zproxyPath
	if path == "" {
		path = filepath.Join(dir, "zproxy")
		if err := runCommand(exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/zproxy")); err != nil {
			os.RemoveAll(dir)
			return nil, "", err
		}
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	dsn := fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", addr)
	if len(flags) == 0 {
		flags = []string{"--data", filepath.Join(dir, "data")}
	}
	cmd := exec.Command(path, append([]string{"serve", "--listen", addr}, flags...)...)
	p, err := launch(ctx, cmd, dir, dsn)
	return p, dsn, err
}

// postgresSettings are the ones that differ from PostgreSQL's defaults: all data fits in its cache, and a query has one
// core as in zproxy.
var postgresSettings = []string{
	"listen_addresses=127.0.0.1",
	"unix_socket_directories=",
	"shared_buffers=1GB",
	"jit=off",
	"max_parallel_workers_per_gather=0",
}

// startPostgres serves a new cluster in a temporary folder.
func startPostgres(ctx context.Context, o launchOptions) (*process, string, error) {
	port, err := freeport.Pick()
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "zproxy-bench-")
	if err != nil {
		return nil, "", err
	}
	data := filepath.Join(dir, "data")
	initdb, err := asPostgres(dir, filepath.Join(o.postgresBin, "initdb"),
		"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err == nil {
		err = runCommand(initdb)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	args := []string{"-D", data, "-p", strconv.Itoa(port)}
	for _, setting := range postgresSettings {
		args = append(args, "-c", setting)
	}
	cmd, err := asPostgres(dir, filepath.Join(o.postgresBin, "postgres"), args...)
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	dsn := fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	p, err := launch(ctx, cmd, dir, dsn)
	return p, dsn, err
}

// asPostgres returns a command that runs in dir. PostgreSQL refuses to run as root, so root runs it as the user
// postgres, who gets the folder.
func asPostgres(dir, path string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	if os.Geteuid() != 0 {
		return cmd, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd, os.Chown(dir, int(uid), int(gid))
}

func runCommand(cmd *exec.Cmd) error {
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd.Path, err, output)
	}
	return nil
}
