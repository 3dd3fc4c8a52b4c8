package advice

import (
	"fmt"

	"zproxy/catalog"
)

// mostPartition is what DynamoDB keeps together of one partition key. It divides a larger one by the sort key, but not
// where there is a local secondary index, and each part has limits of its own.
const mostPartition = 10 << 30

// largePartition finds a partition that is known to be larger: that of the most common value of its column.
func largePartition(k *key) (finding, bool) {
	if len(k.layout.Partition) != 1 || !k.layout.Partition[0].Plain() || !k.layout.Sorted() {
		return finding{}, false
	}
	c := k.column(k.layout.Partition[0].Column)
	rows, value := 0.0, catalog.Common{}
	if common := k.known.Stats.Columns[c.ID].Common; len(common) > 0 {
		value = common[0]
		rows = value.Share * k.known.Stats.Rows
	}
	bytes := rows * k.table.EntryBytes(k.index)
	if bytes <= mostPartition {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s has a partition of about %.0f GB for a single value of %q, which %.0f rows have", k,
		bytes/(1<<30), c.Name, rows), k.sharded()}, true
}
