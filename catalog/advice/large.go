package advice

import (
	"fmt"
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// mostPartition is what DynamoDB keeps together of one partition key. It divides a larger one by the sort key, but not
// where there is a local secondary index, and each part has limits of its own.
const mostPartition = 10 << 30

// largePartition finds a partition that is known to be larger: one of the values of its column that many rows have.
func largePartition(k *key) (finding, bool) {
	of, heavy := k.layout.Partition, k.layout.Heavy()
	if heavy == nil && (len(of) != 1 || !of[0].Plain()) || !k.layout.Sorted() {
		return finding{}, false
	}
	shards := func(v types.Value) float64 {
		if heavy == nil {
			return 1
		}
		return float64(heavy.HeavyShards(v))
	}
	c := k.column(of[0].Column)
	rows, bytes, value := 0.0, 0.0, types.Null
	for _, v := range k.known.Stats.Columns[c.ID].Common {
		n := v.Share * k.known.Stats.Rows
		if b := n * k.table.EntryBytes(k.index) / shards(v.Value); b > bytes {
			rows, bytes, value = n, b, v.Value
		}
	}
	if bytes <= mostPartition {
		return finding{}, false
	}
	why := fmt.Sprintf("%s has a partition of about %.0f GB for a single value of %q, which %.0f rows have", k,
		bytes/(1<<30), c.Name, rows)
	if heavy == nil {
		return finding{why, k.sharded()}, true
	}
	more := 2 * math.Ceil(bytes/mostPartition) * shards(value) // there may be more rows
	heavy.SetHeavy(value, int(min(more, catalog.MaxShards)))
	return finding{why, spread(k, heavy)}, true
}

// spread is the DDL that gives a key other heavy keys while it is used.
func spread(k *key, heavy *catalog.Part) string {
	set := "SET (" + heavy.HeavySetting(k.column(heavy.Column).Type) + ")"
	if k.index == nil {
		return k.alter(set)
	}
	return "ALTER INDEX " + k.qualified(k.index.Name) + " " + set
}
