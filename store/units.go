package store

import (
	"math"

	"zproxy/types"
)

// Stores with Capabilities.Units are charged so: reads for each 4 KB, and writes for each 1 KB,
// that are begun.
const (
	// ReadUnitBytes is what one read unit reads.
	ReadUnitBytes = 4 << 10
	// writeUnitBytes is what one write unit writes.
	writeUnitBytes = 1 << 10
	// PageBytes is what one request for a range reads at the most.
	PageBytes = 1 << 20
	// EventualShare is what an eventual read costs of one that is not.
	EventualShare = 0.5
	// AtomicWrites is how many times as much writes cost that are made together or not at all.
	AtomicWrites = 2
)

// ReadUnits is what a request for a range costs that reads so many bytes, or an item of so many
// that is read by its key: the bytes of a range are added up and rounded once. Nothing costs as
// much as the least item.
func ReadUnits(bytes float64) float64 { return math.Max(1, math.Ceil(bytes/ReadUnitBytes)) }

// WriteUnits is what writing or deleting an item of so many bytes costs by itself.
func WriteUnits(bytes float64) float64 { return math.Max(1, math.Ceil(bytes/writeUnitBytes)) }

// RangeUnits is what reading so many bytes in one range costs, and by how many requests: each
// reads a page.
func RangeUnits(bytes float64) (requests, units float64) {
	full := math.Max(0, math.Ceil(bytes/PageBytes)-1)
	return full + 1, full*(PageBytes/ReadUnitBytes) + ReadUnits(bytes-full*PageBytes)
}

// ItemOverhead is what such a store adds to the key and the columns of each item: the names of the
// attributes that have the key, two where it has a sort part, and a version.
func ItemOverhead(sorted bool) int {
	const nameBytes, versionBytes = 2, 2 + 11
	if sorted {
		return 2*nameBytes + versionBytes
	}
	return nameBytes + versionBytes
}

// ItemBytes is the size of an item in such a store, about: columns are kept under their names,
// and those that are NULL are not.
func ItemBytes(s *Space, it Item) int {
	n := ItemOverhead(s.Sorted) + len(it.Key.Partition) + len(it.Key.Sort)
	for i, v := range it.Values {
		if !v.IsNull() {
			n += len(s.Columns[i].Name) + valueBytes(v, s.Columns[i].Type)
		}
	}
	return n
}

// valueBytes is the size of a value there: numbers take a byte for two digits, and one more.
func valueBytes(v types.Value, t types.T) int {
	switch v.Kind() {
	case types.KindBool:
		return 1
	case types.KindText, types.KindCollated, types.KindBytes, types.KindEnum:
		return len(v.Bytes())
	case types.KindInt, types.KindFloat, types.KindNumeric:
		return (len(types.FormatText(v, t, &types.Env{}))+1)/2 + 1
	}
	return len(types.FormatText(v, t, &types.Env{}))
}
