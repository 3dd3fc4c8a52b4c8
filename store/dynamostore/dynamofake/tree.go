package dynamofake

import (
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// itemKey names an item in a table or an index: the values of its key as bytes in their
// order. In an index those of the table's key come last.
type itemKey struct {
	partition string
	sort      []string
}

// tree holds items, or their projections in an index, in the order in which they are read:
// partitions by a hash, and items by their sort keys.
type tree struct {
	partitions []*partition
	byKey      map[string]*partition
}

// partition has the items of one value of the partition key.
type partition struct {
	key     string
	hash    uint64
	entries []*entry
	spent   spent
}

// entry is what was at one key: its last version, and those that a reader that lags may see.
type entry struct {
	sort     []string
	versions []version
}

// version is an item, or none, and the number of the write that it came with. It is there until
// the next version.
type version struct {
	item attribute.Item
	at   uint64
}

func newTree() *tree { return &tree{byKey: map[string]*partition{}} }

// at is what was there after a write, nil for nothing.
func (e *entry) at(write uint64) attribute.Item {
	for i := len(e.versions) - 1; i >= 0; i-- {
		if e.versions[i].at <= write {
			return e.versions[i].item
		}
	}
	return nil
}

// last is what is there.
func (e *entry) last() attribute.Item { return e.versions[len(e.versions)-1].item }

// find is the entry at a key, if there ever was one.
func (t *tree) find(p itemKey) *entry {
	if part := t.byKey[p.partition]; part != nil {
		if i, ok := part.search(p.sort); ok {
			return part.entries[i]
		}
	}
	return nil
}

func (p *partition) search(sort []string) (int, bool) {
	return slices.BinarySearchFunc(p.entries, sort, func(e *entry, sort []string) int {
		return slices.Compare(e.sort, sort)
	})
}

// set adds a version at a key.
func (t *tree) set(p itemKey, v version) *entry {
	part := t.partition(p.partition)
	i, ok := part.search(p.sort)
	if !ok {
		part.entries = slices.Insert(part.entries, i, &entry{sort: p.sort})
	}
	e := part.entries[i]
	e.versions = append(e.versions, v)
	return e
}

// partition finds a partition or makes it.
func (t *tree) partition(key string) *partition {
	if p := t.byKey[key]; p != nil {
		return p
	}
	p := &partition{key: key, hash: mix(key)}
	i, _ := t.search(p)
	t.partitions = slices.Insert(t.partitions, i, p)
	t.byKey[key] = p
	return p
}

// search is the index of a partition among the others.
func (t *tree) search(p *partition) (int, bool) {
	return slices.BinarySearchFunc(t.partitions, p, func(a, b *partition) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return strings.Compare(a.key, b.key)
	})
}

// prune forgets what readers that see all writes up to one cannot see any more.
func (t *tree) prune(p itemKey, write uint64) {
	part := t.byKey[p.partition]
	if part == nil {
		return
	}
	i, ok := part.search(p.sort)
	if !ok {
		return
	}
	e := part.entries[i]
	for len(e.versions) > 1 && e.versions[1].at <= write {
		e.versions = e.versions[1:]
	}
	if len(e.versions) == 1 && e.last() == nil {
		part.entries = slices.Delete(part.entries, i, i+1)
	}
}
