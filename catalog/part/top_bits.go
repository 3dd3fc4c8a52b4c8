package part

import (
	"fmt"
	"strconv"

	"zproxy/types"
)

// topBits is the variant of ZAddress that is the leading bits of the address in the sort key.
type topBits struct{ base }

func (topBits) columns(*Part) []uint32 { return []uint32{} }

// bind knows the columns only of a part of a key: a walk does not go through an index.
func (topBits) bind(p *Part, t Table) (Bound, error) {
	return Bound{Of: interleaved{sourcesOf(t, p.Of...)}, Type: types.Int8}, nil
}

func (topBits) describe(p *Part, _ Table) string {
	return "top " + strconv.Itoa(p.Count) + " bits of the z-address"
}

func (topBits) template(*Part, Table) string { return "" }
func (topBits) partitions(p *Part) int       { return 1 << p.Count }

func (topBits) count(p *Part, _ Table, n int) string {
	return fmt.Sprintf("%d of %d cells", n, 1<<p.Count)
}
