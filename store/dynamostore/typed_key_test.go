package dynamostore

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/ordered"
	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// typedItems is a space whose keys are strings or numbers, with the items that were put.
type typedItems struct {
	space *store.Space
	keys  []store.Key // sorted
}

// typedValue draws few values, so that keys are near each other, with those at the ends of what a key holds.
func typedValue(r *rand.Rand, k types.Kind) types.Value {
	if k == types.KindInt {
		return types.NewInt([]int64{-2, -1, 0, 1, 2, 3, 100, math.MinInt64, math.MaxInt64}[r.IntN(9)])
	}
	return types.NewText([]string{"a", "ab", "a#1", "b", "\x00", "é", "z\x00", "zz", "10",
		strings.Repeat("l", maxSort)}[r.IntN(10)])
}

func newTypedItems(t *testing.T, s *Store, r *rand.Rand, id store.SpaceID) typedItems {
	t.Helper()
	kinds := []types.Kind{types.KindInt, types.KindText}
	sp := &store.Space{ID: id, Name: "typed", Sorted: r.IntN(4) > 0,
		Columns: []store.Column{{ID: 1, Name: "pk", Type: types.Int8}}}
	if sp.KeyKinds[0] = kinds[r.IntN(2)]; sp.Sorted {
		sp.KeyKinds[1] = kinds[r.IntN(2)]
	}
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	out := typedItems{space: sp}
	tx := begin(t, s)
	for range 1 + r.IntN(30) {
		k := store.Key{Partition: ordered.Append(nil, typedValue(r, sp.KeyKinds[0]), false)}
		if r.IntN(2) == 0 && out.keys != nil {
			k.Partition = out.keys[0].Partition
		}
		if sp.Sorted {
			k.Sort = ordered.Append(nil, typedValue(r, sp.KeyKinds[1]), false)
		}
		if err := tx.Put(sp, store.Item{Key: k, Values: types.Row{types.NewInt(1)}}, store.Always); err != nil {
			t.Fatal(err)
		}
		out.keys = append(out.keys, k)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	order := func(a, b store.Key) int {
		return bytes.Compare(slices.Concat(a.Partition, a.Sort), slices.Concat(b.Partition, b.Sort))
	}
	slices.SortFunc(out.keys, order)
	out.keys = slices.CompactFunc(out.keys, func(a, b store.Key) bool { return order(a, b) == 0 })
	return out
}

// edge draws an end of a range: that of a value, behind it, behind all that begin with it, a part of it, or none.
func (n *typedItems) edge(r *rand.Rand) []byte {
	if !n.space.Sorted || r.IntN(5) == 0 {
		return nil
	}
	key := ordered.Append(nil, typedValue(r, n.space.KeyKinds[1]), false)
	switch r.IntN(4) {
	case 0:
		return append(key, 0)
	case 1:
		return ordered.Successor(key)
	case 2:
		return key[:1+r.IntN(len(key))]
	}
	return key
}

// TestTypedKeys puts items with keys of strings and numbers, and finds by ranges, gets and whole scans what their bytes
// say, with short pages, in both directions, by large and small transactions.
func TestTypedKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, items := range []int{0, 1, 3} {
		f := dynamofake.New(dynamofake.Options{Seed: r.Uint64(), PageItems: items})
		s := openOn(t, f, "")
		s.together = 1 + 9*r.IntN(2)
		for id := range store.SpaceID(12) {
			n := newTypedItems(t, s, r, id+1)
			n.checkWhole(t, s)
			for range 20 {
				n.checkRange(t, s, r)
			}
			n.checkGets(t, s)
		}
	}
}

// read are the keys that a scan tells, each with its row.
func (n *typedItems) read(t *testing.T, s *Store, ask store.Scan) (keys []store.Key) {
	t.Helper()
	ask.Columns, ask.Stats = []int{0}, &store.Stats{}
	ask.Keys = func(k store.Key) { keys = append(keys, k) }
	rows := 0
	for batch, err := range begin(t, s).Scan(t.Context(), n.space, &ask) {
		if err != nil {
			t.Fatal(err)
		}
		rows += batch.Len()
	}
	if rows != len(keys) {
		t.Fatalf("%d rows with %d keys", rows, len(keys))
	}
	return keys
}

func (n *typedItems) checkWhole(t *testing.T, s *Store) {
	t.Helper()
	if got := n.read(t, s, store.Scan{}); len(got) != len(n.keys) {
		t.Fatalf("%d items, want %d", len(got), len(n.keys))
	}
}

func (n *typedItems) checkRange(t *testing.T, s *Store, r *rand.Rand) {
	t.Helper()
	ask := store.Scan{Reverse: r.IntN(2) == 0, Enough: r.IntN(3)}
	ask.Range = store.Range{Partition: n.keys[r.IntN(len(n.keys))].Partition, From: n.edge(r), To: n.edge(r)}
	var want []store.Key
	for _, k := range n.keys {
		if bytes.Equal(k.Partition, ask.Range.Partition) && bytes.Compare(k.Sort, ask.Range.From) >= 0 &&
			(ask.Range.To == nil || bytes.Compare(k.Sort, ask.Range.To) < 0) {
			want = append(want, k)
		}
	}
	if ask.Reverse {
		slices.Reverse(want)
	}
	same := func(a, b store.Key) bool { return bytes.Equal(a.Partition, b.Partition) && bytes.Equal(a.Sort, b.Sort) }
	if got := n.read(t, s, ask); !slices.EqualFunc(got, want, same) {
		t.Fatalf("range %+v of %+v:\n%x\nwant\n%x", ask.Range, n.space.KeyKinds, got, want)
	}
}

func (n *typedItems) checkGets(t *testing.T, s *Store) {
	t.Helper()
	ask := store.Get{Keys: n.keys, Columns: []int{0}, Stats: &store.Stats{}}
	found, err := begin(t, s).Get(t.Context(), n.space, &ask, types.NewBatch(1))
	if err != nil || slices.Contains(found, false) {
		t.Fatalf("gets: %v, %v", found, err)
	}
}

// TestTypedKeysOfOthers reads with a plain client what was put, by keys that it forms itself.
func TestTypedKeysOfOthers(t *testing.T) {
	s := openOn(t, dynamofake.New(dynamofake.Options{}), "")
	sp := &store.Space{ID: 1, Name: "orders", Sorted: true,
		KeyKinds: [2]types.Kind{types.KindText, types.KindInt},
		Columns:  []store.Column{{ID: 1, Name: "note", Type: types.Text}}}
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	key := func(customer string) store.Key {
		return store.Key{Partition: ordered.Append(nil, types.NewText(customer), false),
			Sort: ordered.Append(nil, types.NewInt(-5), false)}
	}
	tx := begin(t, s)
	put := func(customer string) error {
		return tx.Put(sp, store.Item{Key: key(customer), Values: types.Row{types.NewText("here")}}, store.Absent)
	}
	if err := put("c#1"); err != nil {
		t.Fatal(err)
	}
	if err := put(""); err == nil {
		t.Error("an empty string was put as a key")
	}
	if err := put(strings.Repeat("x", maxPartition+1)); err == nil {
		t.Error("a string was put that is too long for a key")
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := s.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table(sp)), Key: item{
		"pk": &ddb.AttributeValueMemberS{Value: "c#1"}, "sk": &ddb.AttributeValueMemberN{Value: "-5"}}})
	if err != nil {
		t.Fatal(err)
	}
	if note, _ := out.Item["note"].(*ddb.AttributeValueMemberS); note == nil || note.Value != "here" {
		t.Errorf("the item is %v", out.Item)
	}
	ask := store.Get{Keys: []store.Key{key("")}, Columns: []int{0}, Stats: &store.Stats{}}
	found, err := begin(t, s).Get(t.Context(), sp, &ask, types.NewBatch(1))
	if err != nil || found[0] {
		t.Errorf("a get by an empty string: %v, %v", found, err)
	}
}
