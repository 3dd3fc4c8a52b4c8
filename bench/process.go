package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = time.Minute
	stopTimeout  = 30 * time.Second
)

// process is a server that was started here, with the folder that goes when it goes.
type process struct {
	cmd    *exec.Cmd
	dir    string
	exited chan struct{} // closed when the process has ended
}

// launch starts cmd with its output in a file of dir, and waits until it answers at dsn. It owns dir from the call on.
func launch(ctx context.Context, cmd *exec.Cmd, dir, dsn string) (*process, error) {
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	p := &process{cmd: cmd, dir: dir, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in the log
		close(p.exited)
	}()
	if err := p.waitReady(ctx, dsn); err != nil {
		output, _ := os.ReadFile(log.Name())
		return nil, errors.Join(fmt.Errorf("%s: %w\n%s", cmd.Path, err, output), p.stop())
	}
	return p, nil
}

// waitReady returns when the server answers a query.
func (p *process) waitReady(ctx context.Context, dsn string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := ping(ctx, dsn)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("the server ended")
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func ping(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT 1")
	return errors.Join(err, conn.Close(ctx))
}

// stop asks the server to end, kills it if it does not, and removes its folder.
func (p *process) stop() error {
	// An interrupt is PostgreSQL's fast shutdown. It fails only where the process has ended, which exited tells.
	_ = p.cmd.Process.Signal(os.Interrupt)
	var err error
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		err = errors.Join(errors.New("killed after a shutdown that took too long"), p.cmd.Process.Kill())
		<-p.exited
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}
