package hstore

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

func randomPairs(r *rand.Rand) []Pair {
	words := []string{"", "a", "b", "ab", "é", `"\`, "null", " ,=>"}
	var out []Pair
	for range r.IntN(5) {
		p := Pair{Key: words[r.IntN(len(words))], Null: r.IntN(4) == 0}
		if !p.Null {
			p.Value = words[r.IntN(len(words))]
		}
		out = append(out, p)
	}
	return Unique(out)
}

// compareAsPostgres is hstore_cmp: by the texts of all pairs, then by how many pairs there are, then by where the texts
// end and which of them are NULL.
func compareAsPostgres(a, b []Pair) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(a), len(b))
	}
	texts := func(all []Pair) string {
		var out strings.Builder
		for _, p := range all {
			out.WriteString(p.Key + p.Value)
		}
		return out.String()
	}
	order := cmp.Or(strings.Compare(texts(a), texts(b)), cmp.Compare(len(a), len(b)))
	for i := 0; i < len(a) && order == 0; i++ {
		order = cmp.Or(cmp.Compare(len(a[i].Key), len(b[i].Key)), cmp.Compare(len(a[i].Value), len(b[i].Value)))
		if order == 0 && a[i].Null != b[i].Null {
			order = -1
			if a[i].Null {
				order = 1
			}
		}
	}
	return order
}

// TestSet wants sets to be ordered as in PostgreSQL, and read again as they are printed.
func TestSet(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		a, b := randomPairs(r), randomPairs(r)
		x, y := Encode(a), Encode(b)
		if got, want := bytes.Compare(x, y), compareAsPostgres(a, b); got != want {
			t.Fatalf("seed %d: %v and %v are in the order %d, not %d", seed, a, b, got, want)
		}
		if s := Set(x); s.Len() != len(a) || !slices.Equal(s.Pairs(), a) {
			t.Fatalf("seed %d: %v became %v", seed, a, s.Pairs())
		}
		for _, p := range b {
			got, ok := Set(x).Find(p.Key)
			at := slices.IndexFunc(a, func(q Pair) bool { return q.Key == p.Key })
			if ok != (at >= 0) || ok && got != a[at] {
				t.Fatalf("seed %d: in %v the key %q is %v, %v", seed, a, p.Key, got, ok)
			}
		}
		text := Set(x).AppendText(nil)
		if again, err := Parse(string(text), nil); err != nil || !bytes.Equal(again, x) {
			t.Fatalf("seed %d: %s is read as %q, %v", seed, text, again, err)
		}
		if again, err := ParseBinary(Set(x).AppendBinary(nil)); err != nil || !bytes.Equal(again, x) {
			t.Fatalf("seed %d: the binary format of %v is read as %q, %v", seed, a, again, err)
		}
	}
}

// TestLargeCount wants a message that says it has many pairs to be refused before there is memory for them.
func TestLargeCount(t *testing.T) {
	for count, want := range map[string]string{
		"\x00\x00\x00\x01":                 "insufficient data left in message",
		"\x01\x00\x00\x00":                 "insufficient data left in message",
		"\x7f\xff\xff\xff":                 "number of pairs (2147483647) exceeds the maximum allowed (26843545)",
		"\xff\xff\xff\xff":                 "number of pairs (-1) exceeds the maximum allowed (26843545)",
		"\x00\x00\x00\x01\xff\xff\xff\xff": "null value not allowed for hstore key",
		"\x00\x00\x00\x00x":                "incorrect binary data format",
	} {
		if _, err := ParseBinary([]byte(count)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", count, err, want)
		}
	}
}
