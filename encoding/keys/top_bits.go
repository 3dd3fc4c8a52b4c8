package keys

import (
	"encoding/binary"

	"zproxy/catalog/part"
	"zproxy/types"
)

// topBits is the leading bits of a Z-address.
type topBits struct {
	*address
	bits int
}

// Value implements part.Computed.
func (z *topBits) Value(row types.Row) types.Value {
	return types.NewInt(int64(z.cell(z.curve.appendAddress(nil, row))))
}

// cell is the number that the leading bits of an address make.
func (z *topBits) cell(address []byte) uint64 {
	return cell(address, 0) >> (64 - z.bits)
}

// first is the lowest address of a cell.
func (z *topBits) first(cell uint64) []byte {
	address := make([]byte, max(z.curve.curve.Len(), 8))
	binary.BigEndian.PutUint64(address, cell<<(64-z.bits))
	return address[:z.curve.curve.Len()]
}

// Take implements part.Computed.
func (z *topBits) Take(k part.Known) bool { return k.Points(z.of, z) }
