package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// pinnedCore is where pinned servers run: not the first one, which serves the machine's interrupts.
var pinnedCore = strconv.Itoa(runtime.NumCPU() - 1)

// pinSides has the servers that were started here run on one core, the same for both, and says so. What they start
// later, such as PostgreSQL's process for a new connection, runs there, too. The client stays free to use the others.
func pinSides(ctx context.Context, sides [2]*side) (note string, unpin func(), err error) {
	var undo []func()
	unpin = func() {
		for _, f := range undo {
			f()
		}
	}
	for _, s := range sides {
		if s.process == nil {
			return "Servers that were running already were left on the cores that they had.", unpin, nil
		}
		pid := strconv.Itoa(s.process.cmd.Process.Pid)
		before, err := exec.CommandContext(ctx, "taskset", "-c", "-p", pid).Output()
		if err == nil {
			err = runCommand(exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", pinnedCore, pid))
		}
		if err != nil {
			unpin()
			return "", nil, fmt.Errorf("taskset: %w", err)
		}
		_, cores, _ := strings.Cut(string(before), ": ")
		undo = append(undo, func() {
			// The measurements that follow would show it.
			_ = runCommand(exec.Command("taskset", "-a", "-c", "-p", strings.TrimSpace(cores), pid))
		})
	}
	return "Both servers run on one and the same core (`taskset -a -c -p` of each server, before it gets the connection), " +
		"PostgreSQL without parallel workers and without JIT.", unpin, nil
}
