package hotkeys

import (
	"zproxy/catalog"
	"zproxy/types"
)

// rows estimates how many rows have the values of a partition; below 0: it is not known. It is where the partition
// is one column of which ANALYZE knows the values, perhaps with heavy keys, or each partition has one row.
func (p *location) rows(values []types.Value) float64 {
	stats, known := p.column()
	switch {
	case !p.layout.Sorted() && p.layout.Unique:
		return 1
	case !known || len(values) == 0:
		return -1
	case len(values) > 1: // one of the shards of a heavy key, or all rows of another one
		return p.rows(values[:1]) / float64(p.layout.Heavy().HeavyShards(values[0]))
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

// column is what is known of the one column that tells the partition.
func (p *location) column() (stats catalog.ColumnStats, known bool) {
	of := p.layout.Partition
	if !p.table.Stats.Known || len(of) == 0 || !of[0].Plain() || len(of) > 1 && p.layout.Heavy() == nil {
		return stats, false
	}
	stats, known = p.table.Stats.Columns[of[0].Column]
	return stats, known
}

// common are the partitions that many rows have; those of a heavy key together.
func (p *location) common() (out [][]types.Value) {
	stats, known := p.column()
	if !known || !p.layout.Sorted() {
		return nil
	}
	for _, c := range stats.Common {
		values := []types.Value{c.Value}
		if len(p.layout.Partition) > 1 && p.layout.Heavy().HeavyShards(c.Value) == 1 {
			values = append(values, types.NewInt(0))
		}
		out = append(out, values)
	}
	return out
}
