package cells

import (
	"fmt"
	"testing"

	"zproxy/types"
)

// BenchmarkMerge merges an update of one of ten cells into a row of which so many versions are kept.
func BenchmarkMerge(b *testing.B) {
	for _, versions := range []int{1, 5} {
		b.Run(fmt.Sprintf("versions=%d", versions), func(b *testing.B) {
			l := &Layout{Times: 11, Deleted: 12, Versions: versions}
			ids := []uint32{Row}
			row := make(types.Row, 13)
			for i := range 10 {
				id := uint32(i + 2)
				l.Columns = append(l.Columns, Column{id, i + 1})
				ids = append(ids, id)
				row[i+1] = types.NewInt(int64(i))
			}
			l.Put(row, Written(At(1000), ids...))
			for n := range b.N {
				s, err := l.State(row)
				if err != nil {
					b.Fatal(err)
				}
				l.Merge(row, s, row, Written(At(1001+int64(n)), 5))
			}
		})
	}
}
