package zorder

// After appends the address or code of so many bits that follows z. It says false after the last
// one, for which it appends the first.
func After(dst, z []byte, bits int) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, z...)
	for i, add := len(dst)-1, unit(bits); i >= start; i, add = i-1, 1 {
		if dst[i] += add; dst[i] >= add {
			return dst, true
		}
	}
	return dst, false
}

// Before appends the address or code of so many bits that precedes z. It says false before the
// first one, for which it appends the last.
func Before(dst, z []byte, bits int) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, z...)
	for i, sub := len(dst)-1, unit(bits); i >= start; i, sub = i-1, 1 {
		borrow := dst[i] < sub
		dst[i] -= sub
		if !borrow {
			return dst, true
		}
	}
	return dst, false
}

// unit is the lowest of so many bits in the last byte that they take.
func unit(bits int) byte { return 1 << ((8 - bits%8) % 8) }
