package dynamofake

import (
	"strconv"
	"strings"
	"time"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// table is one table with its indexes.
type table struct {
	name     string
	schema   schema
	base     *tree
	indexes  []*index // in the order of their making
	settings settings
	created  time.Time
	active   time.Time // from when on it can be used
	dropped  time.Time // when it is gone; zero: it stays
	items    int
	bytes    int
	ttl      string // the attribute, empty: none
	untied   bool   // see Options.UnorderedTies
}

// tie is what orders the entries of an index that are equal in its own key.
func (t *table) tie(i attribute.Item) []string {
	own, _ := t.schema.itemKey(i)
	key := append([]string{own.partition}, own.sort...)
	if t.untied {
		return append([]string{strconv.FormatUint(mix(strings.Join(key, "\x00")), 36)}, key...)
	}
	return key
}

// index is a secondary index.
type index struct {
	name       string
	local      bool // an LSI
	schema     schema
	projection projection
	entries    *tree
	settings   settings
	// What follows is of an index that UpdateTable makes or removes, and otherwise zero: when it has
	// its resources, when it can be read from, and when it is gone.
	allocated, ready, dropped time.Time
}

// projection says which attributes an index has.
type projection struct {
	kind  string // ALL, KEYS_ONLY or INCLUDE
	names []string
}

// covers says whether an index of a table has an attribute.
func (x *index) covers(t *table, name string) bool {
	if x.projection.kind == "ALL" || x.schema.has(name) || t.schema.has(name) {
		return true
	}
	for _, n := range x.projection.names {
		if n == name {
			return true
		}
	}
	return false
}

// entry is what an index has of an item, and where. It says false for an item that lacks an
// attribute of the index's key, or has one that no index has: it is older than the index.
func (x *index) entry(t *table, i attribute.Item) (itemKey, attribute.Item, bool) {
	p, ok := x.schema.itemKey(i)
	if i == nil || !ok {
		return p, nil, false
	}
	for _, part := range x.schema.parts() {
		if x.fault(part, i[part.name]) != nil {
			return p, nil, false
		}
	}
	p.sort = append(p.sort, t.tie(i)...)
	if x.projection.kind == "ALL" {
		return p, i, true
	}
	out := attribute.Item{}
	for n, v := range i {
		if x.covers(t, n) {
			out[n] = v
		}
	}
	return p, out, true
}

// checkIndexes says what is wrong with an item for an index: a key attribute of another type.
func (t *table) checkIndexes(i attribute.Item) error {
	for _, x := range t.indexes {
		for _, p := range x.schema.parts() {
			if v, ok := i[p.name]; ok {
				if err := x.fault(p, v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t *table) index(name string) *index {
	for _, x := range t.indexes {
		if x.name == name {
			return x
		}
	}
	return nil
}

// item is what is at a key now.
func (t *table) item(p itemKey) attribute.Item {
	if e := t.base.find(p); e != nil {
		return e.last()
	}
	return nil
}

// indexChange is what a write does to one index.
type indexChange struct {
	index    *index
	from, to itemKey
	old, new attribute.Item
}

// changes are those that a write makes to the indexes.
func (t *table) changes(old, new attribute.Item) (out []indexChange) {
	for _, x := range t.indexes {
		c := indexChange{index: x}
		c.from, c.old, _ = x.entry(t, old)
		c.to, c.new, _ = x.entry(t, new)
		if (c.old != nil || c.new != nil) && !attribute.EqualItems(c.old, c.new) {
			out = append(out, c)
		}
	}
	return out
}
