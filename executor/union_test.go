package executor

import (
	"fmt"
	"testing"

	"zproxy/store"
)

// TestUnion leaves no key in two ranges.
func TestUnion(t *testing.T) {
	in := func(partition, from, to string) store.Range {
		r := store.Range{Partition: []byte(partition), From: []byte(from)}
		if to != "" {
			r.To = []byte(to)
		}
		return r
	}
	for _, c := range []struct {
		name      string
		all, want []store.Range
	}{
		{"none", nil, nil},
		{"apart, out of order", []store.Range{in("q", "a", "b"), in("p", "c", "d"), in("p", "a", "b")}, []store.Range{in("p", "a", "b"), in("p", "c", "d"), in("q", "a", "b")}},
		{"one in the other", []store.Range{in("p", "b", "c"), in("p", "a", "d")}, []store.Range{in("p", "a", "d")}},
		{"overlapping", []store.Range{in("p", "b", "e"), in("p", "a", "c")}, []store.Range{in("p", "a", "e")}},
		{"to the end of a partition", []store.Range{in("p", "b", ""), in("p", "c", "d"), in("q", "a", "b")}, []store.Range{in("p", "b", ""), in("q", "a", "b")}},
		{"everything", []store.Range{in("p", "b", "c"), {}, in("q", "a", ""), {}}, []store.Range{{}}},
	} {
		if got := union(c.all); fmt.Sprintf("%v", got) != fmt.Sprintf("%v", c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
