package expr_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/window"
)

// TestMissing wants every function, aggregate, window function and operator of PostgreSQL's
// that takes and gives known types to be here, or in testdata/missing with a reason. A line
// there is a kind, a pattern of names, perhaps with arguments, and why it is missing.
func TestMissing(t *testing.T) {
	have := present()
	data, err := os.ReadFile("testdata/missing")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{} // how much each explains
	var patterns []string
	for line := range strings.Lines(string(data)) {
		pattern, reason, found := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || pattern == "" {
			continue
		}
		if !found || reason == "" {
			t.Errorf("%s: no reason", pattern)
		}
		patterns, reasons[pattern] = append(patterns, pattern), 0
	}
	for key := range procedures(t) {
		if have[key] || isComparison(key) {
			continue
		}
		known := false
		for _, pattern := range patterns {
			if explains(pattern, key) {
				reasons[pattern]++
				known = true
			}
		}
		if !known {
			t.Errorf("%s is missing, and testdata/missing does not say why", key)
		}
	}
	for pattern, n := range reasons {
		if n == 0 {
			t.Errorf("testdata/missing: nothing that is missing matches %q", pattern)
		}
	}
}

// explains reads a pattern as path.Match does; one without arguments is for all overloads.
func explains(pattern, key string) bool {
	if !strings.Contains(pattern, "(") {
		key, _, _ = strings.Cut(key, "(")
	}
	ok, _ := path.Match(pattern, key)
	return ok
}

// isComparison says of an operator that it is a node of its own, Compare.
func isComparison(key string) bool {
	sign, ok := strings.CutPrefix(key, "o ")
	sign, _, _ = strings.Cut(sign, "(")
	return ok && (sign == "=" || sign == "<>" || sign == "<" || sign == "<=" || sign == ">" || sign == ">=")
}

func present() map[string]bool {
	have := map[string]bool{}
	for _, f := range builtin.All() {
		args := "(" + argumentNames(f) + ")"
		have["f "+name(f)+args] = true
		if f.Operator != "" {
			have["o "+f.Operator+args] = true
		}
	}
	for _, a := range builtin.AllAggregates() {
		have["a "+a.Name+"("+typeNames(a.Args)+")"] = true
	}
	for _, w := range window.Functions {
		have["w "+w.Name+"("+typeNames(w.Args)+")"] = true
	}
	return have
}
