package main

import (
	"testing"
	"testing/fstest"
)

// TestAllowed reads machines and control groups of both versions.
func TestAllowed(t *testing.T) {
	machine := "MemTotal:       1000 kB\nMemFree: 5 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is told": {nil, defaultMachine},
		"machine":         {map[string]string{"proc/meminfo": machine}, 1000 << 10},
		"no limit of the group": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n"}, 1000 << 10},
		"group above": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "5000\n"}, 5000},
		"a container's own": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "6000\n"}, 6000},
		"first version": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "3:cpu:/x\n4:memory:/a\nbroken\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "7000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n"}, 7000},
	} {
		files := fstest.MapFS{}
		for path, content := range test.files {
			files[path] = &fstest.MapFile{Data: []byte(content)}
		}
		if got := allowed(files); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// TestDivide wants the parts to be less than the whole, with room for what is not counted.
func TestDivide(t *testing.T) {
	for total := int64(leastMemory); total < 1<<42; total = total*3/2 + 1 {
		s := divide(total)
		if sum := s.cache + memTables*s.memTable + s.heap; sum > total-total/10 || s.sessions > s.heap/2 ||
			s.sessions < total/4 || s.memTable <= 0 {
			t.Errorf("%d: %+v", total, s)
		}
	}
}

// TestMemorySetting reads amounts.
func TestMemorySetting(t *testing.T) {
	for value, want := range map[string]int64{"256MB": 256 << 20, "2GB": 2 << 30, "300000kB": 300000 << 10,
		"1TB": 1 << 40} {
		if got, err := memoryOf(value); err != nil || got != want {
			t.Errorf("%s: %d, %v", value, got, err)
		}
	}
	for _, value := range []string{"", "2", "2 GB", "255MB", "-1GB", "0%", "101%", "x%", "99999999999GB"} {
		if got, err := memoryOf(value); err == nil {
			t.Errorf("%q is %d", value, got)
		}
	}
	if half, err := memoryOf("50%"); err != nil || half <= 0 {
		t.Error(half, err)
	}
}

// TestGarbagePercent wants much garbage of little, and little of much.
func TestGarbagePercent(t *testing.T) {
	for _, test := range []struct {
		live, most uint64
		want       int
	}{{0, 1 << 30, 400}, {100 << 20, 1 << 30, 400}, {1 << 30, 8 << 30, 100}, {1 << 30, 512 << 20, 50},
		{20 << 30, 8 << 30, 25}} {
		if got := garbagePercent(test.live, test.most); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}
