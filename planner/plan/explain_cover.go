package plan

import "zproxy/encoding/keys"

// cover shows by how many ranges boxes are read where each is a request, and how many rows are
// thought to be read for one that is in a box.
func (x *Explainer) cover(s Scan, b *keys.Boxes) []string {
	if !x.Store.RangeRequests {
		return nil
	}
	var rows, wanted float64
	z := s.Access.Estimate.ZOrder
	cover := b.Cover(keys.CoverOptions(s.Table, s.Access.Index, x.Store, z.N, z.V))
	for _, r := range cover {
		rows, wanted = rows+r.Rows, wanted+r.Wanted
	}
	return []string{"Cover: " + count(float64(len(b.Covered(cover))), "range") + ", " + waste(rows, wanted)}
}
