package advice

import (
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/part"
)

// shardsNarrow finds shards in the place of partitions of one row each. Where a client thinks of stores
// with hot ends, the shards are for these.
func shardsNarrow(k *key) (finding, bool) {
	parts, declared := k.layout.Partition, k.layout.Declared()
	if k.index != nil || len(parts) != 1 || parts[0].Kind != part.Shard || len(declared) != 1 || k.known.Split {
		return finding{}, false
	}
	c := k.column(declared[0].ID)
	if sourceOf(c) != sequence && (isTime(c.Type) || !k.known.hasGrown(c)) {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s has %d partitions by its shards, where each value of %q would have a partition of its own",
		k, parts[0].Count, c.Name), k.with(k.plain())}, true
}

// A column follows from others if in nearly all rows that share their values it has one value, too.
const (
	followsRows  = 100
	followsShare = 0.99
)

// followingColumn finds a column of the partition key that divides no partition of the columns before it.
func followingColumn(k *key) (finding, bool) {
	var before []uint32
	var names []string
	for _, p := range k.layout.Partition {
		if !p.Plain() && p.Kind != part.Text {
			return finding{}, false
		}
		for _, id := range p.Columns() {
			if len(before) > 0 && k.known.follows(id, before) {
				return finding{fmt.Sprintf("%s has %q in its partition key, which follows from %s, so that it divides no partition",
					k, k.column(id).Name, list(names)), k.sharded()}, true
			}
			before, names = append(before, id), append(names, strconv.Quote(k.column(id).Name))
		}
	}
	return finding{}, false
}

// follows says whether the rows show that a column follows from others.
func (k *Known) follows(id uint32, of []uint32) bool {
	if k.Follows == nil {
		return false
	}
	rows, share := k.Follows(id, of)
	return rows >= followsRows && share >= followsShare
}

// Rows are read newest first if most reads of the first rows are reversed, and there are some.
const newestReads = 100

// newestBehind finds a key with an ascending time whose newest rows are read first.
func newestBehind(k *key) (finding, bool) {
	declared := k.layout.Declared()
	if k.known.Newest == nil || k.layout.Curve() != nil {
		return finding{}, false
	}
	number := (catalog.TableIndex{Table: k.table, Index: k.index}).Number()
	if reversed, forward := k.known.Newest(number); reversed < newestReads || reversed <= forward {
		return finding{}, false
	}
	for i, c := range declared {
		if i == 0 || c.Desc || !isTime(k.column(c.ID).Type) {
			continue
		}
		keys := append(append([]catalog.KeyColumn{}, declared[:i]...), catalog.KeyColumn{ID: c.ID, Desc: true})
		columns := k.columns(append(keys, declared[i+1:]...))
		ddl := ""
		if k.index == nil {
			ddl = k.rekeyed(columns, k.table.Options)
		} else {
			ddl = k.rebuilt(columns, k.index.Options)
		}
		return finding{fmt.Sprintf("%s ends with the ascending time %q, and its newest %s are read first", k,
			k.column(c.ID).Name, k.items()), ddl}, true
	}
	return finding{}, false
}
