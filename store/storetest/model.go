package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zproxy/store"
)

var modelTests = []test{
	{name: "random transactions", run: testRandom},
	{name: "random interleaving", needs: NoSnapshot, run: testInterleaved},
	{name: "latest before a view", needs: NoSnapshot, run: testLatestBeforeView},
}

// model is what a space should hold: texts by partition and sort key.
type model map[[2]string]string

// read is what a scan should deliver.
func (m model) read(r store.Scan) []string {
	keys := slices.Collect(maps.Keys(m))
	bytes := func(k [2]string) string {
		if r.Range.Partition == nil {
			return k[0] + k[1]
		}
		return k[1]
	}
	keys = slices.DeleteFunc(keys, func(k [2]string) bool {
		b := bytes(k)
		return r.Range.Partition != nil && k[0] != string(r.Range.Partition) ||
			b < string(r.Range.From) || r.Range.To != nil && b >= string(r.Range.To)
	})
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(bytes(a), bytes(b)) })
	if r.Reverse {
		slices.Reverse(keys)
	}
	if r.Enough > 0 && len(keys) > r.Enough {
		keys = keys[:r.Enough]
	}
	rows := []string{}
	for _, k := range keys {
		rows = append(rows, m[k])
	}
	return rows
}

// try makes a random scan and compares.
func (e *env) try(tx store.Txn, s *store.Space, m model) {
	e.Helper()
	if e.rng.IntN(4) == 0 {
		e.equal("whole space", e.sorted(e.scan(tx, s, store.Scan{})), e.sorted(m.read(store.Scan{})))
		return
	}
	edges := append([]string{"-", "-"}, bounds...)
	r := store.Scan{Reverse: e.rng.IntN(2) == 0, Enough: e.rng.IntN(5)}
	r.Range = store.Range{Partition: []byte(pick(e, partitions)), From: bound(pick(e, edges)),
		To: bound(pick(e, edges))}
	if e.Capabilities().OrderedPartitions && e.rng.IntN(2) == 0 {
		r.Range.Partition = nil
	}
	e.equal(describe(r.Range), e.scan(tx, s, r), m.read(r))
}

// change makes a random write with a guard that holds, in the transaction and in the
// model of what it sees.
func (e *env) change(tx store.Txn, s *store.Space, m model) (k [2]string, guard store.Guard) {
	e.Helper()
	k = [2]string{pick(e, partitions), pick(e, sorts)}
	where := key(k[0], k[1])
	_, there := m[k]
	switch {
	case !there && e.rng.IntN(2) == 0:
		guard = store.Absent
	case e.rng.IntN(2) == 0:
		guard = store.Unchanged
		e.getting(tx, s, store.Get{Keys: []store.Key{where}, Columns: []int{0}, Remember: true})
	}
	if e.rng.IntN(3) == 0 {
		e.must(tx.Delete(s, where, guard))
		delete(m, k)
		return k, guard
	}
	m[k] = fmt.Sprint("value ", e.rng.IntN(1000))
	e.must(tx.Put(s, text(k[0], k[1], m[k]), guard))
	return k, guard
}

// testRandom runs random transactions one after the other.
func testRandom(e *env) {
	s := e.named()
	committed := model{}
	for range 25 {
		tx, seen := e.begin(store.Mode{}), maps.Clone(committed)
		mark, then := store.Mark{}, maps.Clone(committed)
		for range 20 {
			switch k := [2]string{pick(e, partitions), pick(e, sorts)}; e.rng.IntN(7) {
			case 5:
				mark, then = tx.Mark(), maps.Clone(seen)
			case 6:
				tx.RollbackTo(mark)
				seen = maps.Clone(then)
			case 0:
				e.try(tx, s, seen)
			case 1:
				want := "none"
				if v, there := seen[k]; there {
					want = v
				}
				e.equal("get", e.get(tx, s, key(k[0], k[1])), []string{want})
			default:
				e.change(tx, s, seen)
			}
		}
		if e.rng.IntN(3) == 0 {
			tx.Rollback()
			continue
		}
		e.must(tx.Commit(ctx))
		committed = seen
	}
}
