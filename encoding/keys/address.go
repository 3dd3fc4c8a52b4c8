package keys

import "zproxy/types"

// Address is the first 64 bits of the Z-address that the sort keys of a layout begin with. It says
// false for a layout without one.
func (c *Codec) Address(row types.Row) (uint64, bool) {
	if c.curve == nil {
		return 0, false
	}
	var buf [64]byte
	return cell(c.curve.appendAddress(buf[:0], row), 0), true
}
