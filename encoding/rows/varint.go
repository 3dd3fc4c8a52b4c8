package rows

import (
	"encoding/binary"
	"math/bits"
)

// uvarint is binary.Uvarint with a way around it for the usual single byte.
func uvarint(p []byte) (uint64, int) {
	if len(p) > 0 && p[0] < 0x80 {
		return uint64(p[0]), 1
	}
	return binary.Uvarint(p)
}

// lastBytes has the bit of each byte that says that another one follows.
const lastBytes = 0x8080808080808080

// varint reads a zigzag varint and says how long it is, negative when it is damaged.
func varint(p []byte) (int64, int) {
	w, n := longUvarint(p)
	return unzigzag(w), n
}

// longUvarint reads a varint of usually more than one byte and says how long it is, negative when it is damaged. It
// takes eight bytes at once where there are as many.
func longUvarint(p []byte) (uint64, int) {
	if len(p) >= 8 {
		w := binary.LittleEndian.Uint64(p)
		if last := ^w & lastBytes; last != 0 {
			n := uint(bits.TrailingZeros64(last)+1) / 8
			return joinSevens(w & (^uint64(0) >> (64 - 8*n))), int(n)
		}
		if len(p) > 8 && p[8] < 0x80 {
			return joinSevens(w) | uint64(p[8])<<56, 9
		}
	}
	w, n := binary.Uvarint(p)
	if n <= 0 {
		return 0, -1
	}
	return w, n
}

// joinSevens puts the lower seven bits of each byte together, pair by pair.
func joinSevens(w uint64) uint64 {
	w = w&0x007f007f007f007f | w>>1&0x3f803f803f803f80
	w = w&0x00003fff00003fff | w>>2&0x0fffc0000fffc000
	return w&0x000000000fffffff | w>>4&0x00fffffff0000000
}

func unzigzag(w uint64) int64 { return int64(w>>1) ^ -int64(w&1) }

// varintLength is how long a varint is, negative when it is damaged.
func varintLength(p []byte) int {
	i := 0
	if len(p) > 8 && binary.LittleEndian.Uint64(p)&lastBytes == lastBytes {
		i = 8
	}
	for ; i < min(len(p), binary.MaxVarintLen64); i++ {
		if p[i] < 0x80 {
			return i + 1
		}
	}
	return -1
}

// isVarint says whether the payload behind a tag is one varint.
func isVarint(tag byte) bool {
	return 1<<tag&(1<<tagInt|1<<tagDate|1<<tagTimestamp|1<<tagTime) != 0
}

// varints reads some zigzag varints and says how long they are, negative when damaged.
func varints(p []byte, count int) (v [3]int64, length int) {
	for i := range count {
		n := 0
		if v[i], n = varint(p[length:]); n < 0 {
			return v, -1
		}
		length += n
	}
	return v, length
}
