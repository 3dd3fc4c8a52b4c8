package catalog

import (
	"math"
	"testing"

	"zproxy/catalog/extent"
	"zproxy/types"
)

// TestExtent wants the rows and the width of a table without statistics to be those that the process has learnt, for
// all versions of the table, until there are statistics.
func TestExtent(t *testing.T) {
	made := &Table{ID: 5, Schema: PublicName, Name: "t", Space: NewSpace(1, "t"),
		Columns: []Column{{ID: 1, Name: "id", Type: types.Int4}, {ID: 2, Name: "a", Type: types.Text},
			{ID: 3, Name: "b", Type: types.Text}}}
	made.Primary = Layout{Partition: []Part{{Column: 1}}, Unique: true}
	s := NewSnapshot(made)
	thought := made.EntryBytes(nil)
	read := *made
	read.Stats.Extent, read.Version = nil, 2 // as another process has written it
	s = s.With(&read)
	now := s.Table(PublicName, "t")
	made.Stats.Extent.Set(extent.Extent{Rows: 70, Width: 100_000})
	if n, w := now.RowCount(), now.EntryBytes(nil); n != 70 || math.Abs(w-100_000) > 1 {
		t.Errorf("%v rows of %v bytes", n, w)
	}
	for _, added := range []int{90, -30} {
		made.Stats.Extent.Written(func(r extent.Rows) { r.Added(added) })
		if n, want := now.RowCount(), max(70, made.Stats.Extent.Added()); n != want {
			t.Errorf("%v rows instead of %v when %d were added", n, want, added)
		}
	}
	known := *now
	known.Stats = known.Stats.WithRows(3)
	if n, w := known.RowCount(), known.EntryBytes(nil); n != 3 || w != thought {
		t.Errorf("with statistics: %v rows of %v bytes, not %v", n, w, thought)
	}
}
