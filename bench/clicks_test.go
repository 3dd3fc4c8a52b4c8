package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestHits wants the same hits of the same seed, in the order of their ids, with the shares that the queries count on.
func TestHits(t *testing.T) {
	const rows = 20_000
	text := hitText(1, rows)
	if !bytes.Equal(text, hitText(1, rows)) {
		t.Error("the same seed makes other rows")
	}
	if bytes.Equal(text, hitText(2, rows)) {
		t.Error("another seed makes the same rows")
	}
	columns := strings.Count(hitColumns, ",") + 1
	count := map[string]int{}
	last, length := int64(0), 0
	for row := range strings.Lines(string(text)) {
		values := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		if len(values) != columns {
			t.Fatalf("%q has %d values, want %d", row, len(values), columns)
		}
		id, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil || id <= last {
			t.Fatalf("id %s after %d: %v", values[0], last, err)
		}
		last, length = id, length+len(values[7])
		for name, has := range map[string]bool{"referer": values[8] == "", "phrase": values[9] == "",
			"engine": values[11] == "0", "google": strings.Contains(values[7], "google"), "site": values[3] == "7"} {
			if has {
				count[name]++
			}
		}
	}
	for name, want := range map[string][2]int{"referer": {30, 36}, "phrase": {88, 92}, "engine": {95, 98},
		"google": {0, 2}, "site": {1, 8}} {
		if percent := 100 * count[name] / rows; count[name] == 0 || percent < want[0] || percent > want[1] {
			t.Errorf("%s: %d of %d rows", name, count[name], rows)
		}
	}
	if mean := length / rows; mean < 50 || mean > 70 {
		t.Errorf("addresses have %d bytes", mean)
	}
}

func hitText(seed uint64, rows int) (text []byte) {
	h := newHits(seed, rows)
	for i := range rows {
		text = h.appendRow(text, i)
	}
	return text
}

// TestClickQueries wants each query under a name of its own.
func TestClickQueries(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range clickQueries() {
		if seen[q.name] || q.name == "" {
			t.Errorf("two queries are called %q", q.name)
		}
		seen[q.name] = true
	}
}
