package catalog

import (
	"testing"

	"zproxy/catalog/partition"
)

// TestPartitionsAreNotWritten wants who appends to the partitions of a table to leave those of others alone: sessions
// share a snapshot.
func TestPartitionsAreNotWritten(t *testing.T) {
	var tables []Object
	for id := uint32(101); id < 106; id++ {
		tables = append(tables, &Table{ID: id, Elsewhere: Elsewhere{PartitionOf: &partition.Of{Parent: 100}}})
	}
	s := NewSnapshot(tables...)
	parent := &Table{ID: 100, Elsewhere: Elsewhere{Partitioning: &partition.By{}}}
	for name, list := range map[string][]*Table{"Partitions": s.Partitions(100), "Leaves": s.Leaves(parent)} {
		if len(list) != 5 {
			t.Fatalf("%s: %d tables", name, len(list))
		}
		one, other := append(list, parent), append(list, nil)
		if one[5] != parent || other[5] != nil {
			t.Errorf("%s: what one appends, another one has", name)
		}
	}
}
