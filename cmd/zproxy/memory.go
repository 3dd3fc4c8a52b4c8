package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// shares is how the memory of the process is divided.
type shares struct {
	cache    int64 // of the store, outside of Go's heap
	memTable int64 // one of the store's, of which there may be memTables, outside of the heap
	heap     int64 // the limit of the collector
	sessions int64 // what sessions may hold of the heap, by their own estimates
	rows     int64 // what the cache of rows may hold of it
}

const (
	memTables   = 4
	mostCache   = 4 << 30
	mostTable   = 64 << 20
	leastMemory = 256 << 20
)

// divide gives an eighth to the cache and as much to memtables, and leaves a tenth to what is not
// counts: the program, stacks, PostgreSQL's grammar. Half of the heap is for the cache of
// rows, which gets an eighth of that, for garbage, and for estimates that were too low.
func divide(total int64) shares {
	s := shares{cache: min(total/8, mostCache), memTable: min(total/8/memTables, mostTable)}
	s.heap = total - s.cache - memTables*s.memTable - total/10
	s.sessions, s.rows = s.heap/2, s.heap/16
	return s
}

// shares are those of the memory that was given, or of the least where none was.
func (o *options) shares() shares { return divide(max(o.memory, leastMemory)) }

// memoryOf reads the setting: an amount, or a percentage of what the machine or the control group
// allows.
func memoryOf(value string) (int64, error) {
	if percent, ok := strings.CutSuffix(value, "%"); ok {
		n, err := strconv.Atoi(percent)
		if err != nil || n < 1 || n > 100 {
			return 0, fmt.Errorf("%q is not a percentage between 1%% and 100%%", value)
		}
		return allowed(os.DirFS("/")) / 100 * int64(n), nil
	}
	for i, unit := range []string{"kB", "MB", "GB", "TB"} {
		if digits, ok := strings.CutSuffix(value, unit); ok {
			n, err := strconv.ParseInt(digits, 10, 32)
			if bytes := n << (10 * (i + 1)); err == nil && bytes >= leastMemory {
				return bytes, nil
			}
			break
		}
	}
	return 0, fmt.Errorf("%q is not an amount of at least %dMB, such as 2GB, nor a percentage such as 75%%", value,
		leastMemory>>20)
}

// allowed is the memory of the machine, or less if a control group of the process allows less.
func allowed(root fs.FS) int64 {
	least := meminfo(root)
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		switch fields[1] {
		case "":
		case "memory":
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if limit, err := amount(root, path.Join(folder, group, file)); err == nil {
				least = min(cmp.Or(least, limit), limit)
			}
			if group == "/" {
				break
			}
		}
	}
	return cmp.Or(least, defaultMachine)
}

// defaultMachine is the memory of a machine that does not tell.
const defaultMachine = 2 << 30

func amount(root fs.FS, file string) (int64, error) {
	content, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
}

// meminfo is the memory of the machine, 0 where the system does not tell it.
func meminfo(root fs.FS) int64 {
	content, _ := fs.ReadFile(root, "proc/meminfo")
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}
