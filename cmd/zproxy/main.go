// Command zproxy serves SQL over a key-value store to PostgreSQL clients. It reads flags and the environment and
// wires packages together; what a command does with SQL or a store is in those. Read program.run first, then serve.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // time zones also where the system has none

	"zproxy/store"
	"zproxy/store/pebblestore"
)

// program is what zproxy has of the process that it runs in.
type program struct {
	out io.Writer // what was asked for: the ready line, help, the demo
	err io.Writer // the log, and why it failed
	env func(name string) (string, bool)
}

// The exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	p := &program{out: os.Stdout, err: os.Stderr, env: os.LookupEnv}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// together is how long further signals mean the first one: a supervisor may send it to
// the process and again to its group.
const together = time.Second

// run runs a command and returns the exit code. A first signal ends the command in good
// order, a later one ends the process.
func (p *program) run(ctx context.Context, args []string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, func() {
		fmt.Fprintln(p.err, "zproxy: stopping; another signal ends it at once")
		time.AfterFunc(together, stop)
	})()
	command, args := "serve", args
	if len(args) > 0 && (!strings.HasPrefix(args[0], "-") || asksVersion(args[0])) {
		command, args = args[0], args[1:]
	}
	if asksVersion(command) {
		command = "version"
	}
	switch command {
	case "serve", "demo", "check", "inspect":
		return p.command(ctx, command, args)
	case "version":
		fmt.Fprintln(p.out, buildText(debug.ReadBuildInfo()))
		return 0
	case "help":
		help(p.out)
		return 0
	}
	fmt.Fprintf(p.err, "zproxy: there is no command %q; zproxy help lists them\n", command)
	return exitUsage
}

// command runs one that has settings.
func (p *program) command(ctx context.Context, name string, args []string) int {
	o, err := parse(name, args, p.env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		help(p.out)
		return 0
	case err != nil:
		fmt.Fprintf(p.err, "zproxy %s: %v\nzproxy help lists the settings\n", name, err)
		return exitUsage
	}
	pace(p.env, o.shares().heap)
	run := map[string]func(context.Context, *options) error{
		"serve": p.serve, "demo": p.demo, "check": p.check, "inspect": p.inspect,
	}[name]
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(p.err, "zproxy %s: %v\n", name, err)
		var refusal *pebblestore.Refusal
		if errors.As(err, &refusal) {
			fmt.Fprintf(p.err, "HINT:  %s\n", refusal.Hint)
		} else if errors.As(err, new(*store.Damaged)) {
			fmt.Fprintln(p.err, "HINT:  Put back the file, or its folder, from a copy, or copy what can be read to a new folder with zproxy check --salvage FOLDER.")
		}
		return exitFailed
	}
	return 0
}

func (p *program) logger(o *options) *slog.Logger {
	return slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: o.logLevel}))
}
