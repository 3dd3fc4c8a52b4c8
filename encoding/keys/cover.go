package keys

import "zproxy/encoding/zorder"

// Cover is the ranges of Z-addresses, in order and apart from each other, that together hold
// all of the boxes.
func (b *Boxes) Cover(o zorder.CoverOptions) []zorder.Range { return zorder.Cover(b.List, o) }
