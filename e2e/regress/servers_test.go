package regress

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"zproxy/internal/freeport"
	"zproxy/internal/pglocal"
)

// memory is what zproxy may take.
const memory = "2GB"

// server is where psql connects to.
type server struct {
	address string
	// restart starts the server again if it has ended.
	restart func() error
}

func startPostgres(t *testing.T) server {
	address := pglocal.Start(t)
	return server{address, func() error { return nil }}
}

// startZproxy builds a zproxy and runs it on an empty folder.
func startZproxy(t *testing.T) server {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "zproxy")
	if out, err := exec.Command("go", "build", "-o", program, "zproxy/cmd/zproxy").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	port, err := freeport.Pick()
	if err != nil {
		t.Fatal(err)
	}
	z := &zproxy{program: program, dir: dir, address: fmt.Sprintf("127.0.0.1:%d", port)}
	if err := z.restart(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.stop)
	return server{z.address, z.restart}
}

// zproxy is a process.
type zproxy struct {
	program, dir, address string
	command               *exec.Cmd
	ended                 chan struct{}
}

func (z *zproxy) restart() error {
	if z.ended != nil {
		select {
		case <-z.ended:
		default:
			return nil
		}
	}
	log, err := os.OpenFile(filepath.Join(z.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	z.command = exec.Command(z.program, "serve", "--data", filepath.Join(z.dir, "data"), "--listen", z.address,
		"--superuser", "postgres", "--memory", memory)
	z.command.Stderr, z.command.Stdout = log, log
	if err := z.command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	z.ended = ended
	go func(c *exec.Cmd) {
		_ = c.Wait()
		_ = log.Close()
		close(ended)
	}(z.command)
	return z.await()
}

// await returns when the process answers.
func (z *zproxy) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if c, err := net.Dial("tcp", z.address); err == nil {
			return c.Close()
		}
		select {
		case <-z.ended:
			return fmt.Errorf("zproxy ended: see %s", filepath.Join(z.dir, "log"))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (z *zproxy) stop() {
	_ = z.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-z.ended:
	case <-time.After(30 * time.Second):
		_ = z.command.Process.Kill()
		<-z.ended
	}
}
