package dynamostore

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/store"
)

// newRand prints its seed, to run a failure again with -seed.
func newRand(t *testing.T) *rand.Rand {
	n := testseed.Of(t)
	return rand.New(rand.NewPCG(n, n))
}

func TestNonEmptyKeepsOrder(t *testing.T) {
	parts := [][]byte{{}}
	for begin, length := 0, 0; length < 4; length++ {
		end := len(parts)
		for _, p := range parts[begin:end] {
			for _, b := range []byte{0x00, 0x01, 0xff} {
				parts = append(parts, append(bytes.Clone(p), b))
			}
		}
		begin = end
	}
	for _, a := range parts {
		back, err := fromNonEmpty(nonEmpty(a))
		if err != nil || !bytes.Equal(back, a) {
			t.Errorf("%x came back as %x, %v", a, back, err)
		}
		for _, b := range parts {
			if bytes.Compare(a, b) != bytes.Compare(nonEmpty(a), nonEmpty(b)) {
				t.Errorf("%x and %x change order", a, b)
			}
		}
	}
	if _, err := fromNonEmpty(nil); err == nil {
		t.Error("an empty attribute is no key")
	}
}

// randomBound is short or about as long as the limit, of few different bytes.
func randomBound(r *rand.Rand) []byte {
	length := r.IntN(4)
	if r.IntN(2) == 0 {
		length = maxSort - 2 + r.IntN(5)
	}
	b := bytes.Repeat([]byte{[]byte{0x00, 0x01, 0xff}[r.IntN(3)]}, length)
	for range r.IntN(3) {
		if length > 0 {
			b[length-1-r.IntN(min(length, 3))] = []byte{0x00, 0x01, 0xfe, 0xff}[r.IntN(4)]
		}
	}
	return b
}

func TestSortBoundsAreExact(t *testing.T) {
	r := newRand(t)
	for range 20000 {
		from, to, key := randomBound(r), randomBound(r), randomBound(r)
		if r.IntN(4) == 0 {
			to = nil
		}
		attribute := nonEmpty(key)
		if len(attribute) > maxSort {
			continue
		}
		want := bytes.Compare(key, from) >= 0 && (to == nil || bytes.Compare(key, to) < 0)
		b, ok := sortBounds(from, to)
		got := ok && bytes.Compare(attribute, b.least) >= 0 &&
			(b.greatest == nil || bytes.Compare(attribute, b.greatest) <= 0)
		if got != want {
			t.Fatalf("key %x in [%x, %x): %v", key, from, to, got)
		}
		if ok && (len(b.least) > maxSort || len(b.greatest) > maxSort) {
			t.Fatalf("a bound of [%x, %x) is too long", from, to)
		}
	}
}

func TestTableNames(t *testing.T) {
	s := Store{prefix: "shop"}
	sp := store.Space{ID: 12, Name: "public.orders"}
	if got := s.table(&sp); got != "shop.public.orders.12" {
		t.Errorf("table %s", got)
	}
	if got, ok := s.space("shop.public.orders.12"); !ok || got.ID != sp.ID || got.Name != sp.Name {
		t.Errorf("space %+v, %v", got, ok)
	}
	for _, other := range []string{"shop2.orders.12", "orders.12", "shop.12", "shop.orders", "shop.orders.012",
		"shop.orders.x"} {
		if _, ok := s.space(other); ok {
			t.Errorf("%s is not ours", other)
		}
	}
}

func TestAttributeNamesDiffer(t *testing.T) {
	columns := []string{"a", "pk", "sk", "_pk", "_sk", "_v", "__v", "_", "__pk", "v"}
	taken := map[string]bool{partitionAttribute: true, sortAttribute: true, versionAttribute: true}
	for _, c := range columns {
		if taken[attributeName(c)] {
			t.Errorf("attribute %s of column %s is taken", attributeName(c), c)
		}
		taken[attributeName(c)] = true
	}
}

func TestLoopback(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"http://127.0.0.1:8000": true, "http://localhost:8000": true, "http://[::1]:8000": true,
		"": false, "http://10.0.0.1:8000": false, "https://dynamodb.eu-west-1.amazonaws.com": false,
		"http://localhost.example.com": false, "127.0.0.1:8000": false, "http://127.0.0.1@example.com": false,
	} {
		if isLoopback(endpoint) != want {
			t.Errorf("%q: %v", endpoint, !want)
		}
	}
}

func TestPrefixHasNoDot(t *testing.T) {
	if _, err := Open(t.Context(), Options{TablePrefix: "a.b", Endpoint: "http://127.0.0.1:1"}); err == nil {
		t.Error("a prefix with a dot is taken")
	}
}
