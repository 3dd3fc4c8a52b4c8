package pgxsuite

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unexplained is the reason of a test for which none was given yet.
const unexplained = "unexplained"

// reasons are why tests do not pass, by name. A name stands for its subtests, too.
type reasons map[string]string

// readReasons reads a file of reasons, each followed by its tests on indented lines.
func readReasons(t *testing.T, path string) reasons {
	t.Helper()
	out, reason := reasons{}, ""
	for _, line := range readNames(t, path) {
		name := strings.TrimLeft(line, " ")
		switch {
		case name == line:
			reason = line
		case out[name] != "":
			t.Fatalf("%s: %s stands there twice", path, name)
		default:
			out[name] = reason
		}
	}
	return out
}

// readNames are the lines of a file that say something.
func readNames(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !*record && !*rewrite {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" || line[0] == '#' })
}

func writeNames(t *testing.T, path string, lines []string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r reasons) write(t *testing.T, path string) {
	t.Helper()
	var lines []string
	for _, reason := range slices.Sorted(maps.Values(r)) {
		if slices.Contains(lines, reason) {
			continue
		}
		lines = append(lines, reason)
		for _, name := range slices.Sorted(maps.Keys(r)) {
			if r[name] == reason {
				lines = append(lines, "  "+name)
			}
		}
	}
	writeNames(t, path, lines)
}

// covering is the entry for a test or for what it is a part of.
func (r reasons) covering(name string) (entry string, listed bool) {
	for {
		if r[name] != "" {
			return name, true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return "", false
		}
		name = name[:i]
	}
}

// updated are the reasons of the tests that do not pass. One whose parts all fail for
// the same reason is one entry.
func (r reasons) updated(wanted []string, got results) reasons {
	out := reasons{}
	whole := map[string]string{} // by test without its parts; empty when the parts differ
	for _, name := range wanted {
		reason := ""
		if got.action(name) != "pass" {
			entry, _ := r.covering(name)
			if reason = r[entry]; reason == "" {
				reason = unexplained
			}
			out[name] = reason
		}
		top, _, _ := strings.Cut(name, "/")
		if before, seen := whole[top]; seen && before != reason {
			reason = ""
		}
		whole[top] = reason
	}
	for name, reason := range out {
		if top, _, _ := strings.Cut(name, "/"); whole[top] != "" {
			delete(out, name)
			out[top] = reason
		}
	}
	return out
}

// pattern matches all entries, which must be whole tests.
func (r reasons) pattern() string {
	var names []string
	for name := range r {
		_, test, _ := strings.Cut(name, ".")
		names = append(names, regexp.QuoteMeta(test))
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}
