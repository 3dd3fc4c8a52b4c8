package backfill

import (
	"maps"
	"slices"

	"zproxy/catalog"
)

// readable says whether queries read an index that is to be replaced. The primary key is always read.
func readable(t *catalog.Table, index uint32) bool {
	x := t.IndexByID(index)
	return index == t.KeyID || x != nil && x.State.Reads()
}

// withOptions is a copy with some options of an index, or of the table by the number of its primary key, set to values;
// an empty value takes one away.
func withOptions(t *catalog.Table, index uint32, change map[string]string) *catalog.Table {
	c := *t
	options := &c.Options
	if index != t.KeyID {
		c.Indexes = slices.Clone(t.Indexes)
		options = &c.IndexByID(index).Options
	}
	after := maps.Clone(*options)
	if after == nil {
		after = map[string]string{}
	}
	for name, value := range change {
		if delete(after, name); value != "" {
			after[name] = value
		}
	}
	*options = after
	return &c
}
