package hotkeys

import (
	"zproxy/catalog"
	"zproxy/types"
)

// rows estimates how many rows have the values of a partition; below 0: it is not known. It is where the partition
// is one column of which ANALYZE knows the values, or each partition has one row.
func (p *location) rows(values []types.Value) float64 {
	stats, known := p.column()
	switch {
	case !p.layout.Sorted() && p.layout.Unique:
		return 1
	case !known || len(values) != 1:
		return -1
	}
	rest, left := 1-stats.Nulls, stats.Distinct
	for _, c := range stats.Common {
		if types.Compare(c.Value, values[0]) == 0 {
			return c.Share * p.count()
		}
		rest, left = rest-c.Share, left-1
	}
	if values[0].IsNull() {
		return stats.Nulls * p.count()
	}
	return max(rest, 0) * p.count() / max(left, 1)
}

func (p *location) count() float64 {
	if p.index != nil {
		return p.table.EntryCount(p.index)
	}
	return p.table.Stats.Rows
}

// column is what is known of the one column that the partition is, as it is.
func (p *location) column() (stats catalog.ColumnStats, known bool) {
	if len(p.layout.Partition) != 1 || !p.layout.Partition[0].Plain() || !p.table.Stats.Known {
		return stats, false
	}
	stats, known = p.table.Stats.Columns[p.layout.Partition[0].Column]
	return stats, known
}

// common are the partitions that many rows have.
func (p *location) common() (out [][]types.Value) {
	if stats, known := p.column(); known && p.layout.Sorted() {
		for _, c := range stats.Common {
			out = append(out, []types.Value{c.Value})
		}
	}
	return out
}
