// Package checksum computes CRC-32 as older code of PostgreSQL does. It is not the CRC-32 of other programs: the
// sum moves to the left while the table is for one that moves to the right. What PostgreSQL orders or shows by such
// sums must have the same ones here. Begin with Of.
package checksum

import "hash/crc32"

// Of is the sum of a text.
func Of(s string) uint32 {
	table, sum := crc32.IEEETable, ^uint32(0)
	for i := range len(s) {
		sum = table[byte(sum>>24)^s[i]] ^ sum<<8
	}
	return ^sum
}
