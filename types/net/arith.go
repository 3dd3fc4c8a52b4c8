package net

import (
	"math"
	"math/big"
	"net/netip"
	"strconv"

	"zproxy/sqlerr"
)

// Address is what is held of an address as operators see it: its bytes, and the bits of its network.
func Address(held []byte) (address []byte, bits int) {
	p := Decode(held)
	return p.Addr().AsSlice(), p.Bits()
}

// Of makes what is held of an address of its bytes.
func Of(address []byte, bits int) []byte {
	a, _ := netip.AddrFromSlice(address)
	return Encode(netip.PrefixFrom(a, bits))
}

// SameFamily says whether two addresses are both of IPv4 or both of IPv6.
func SameFamily(a, b []byte) bool { return a[0] == b[0] }

// Within says whether the network of an address lies in that of another one, or is it.
func Within(a, b []byte) bool {
	p, q := Decode(a), Decode(b)
	return SameFamily(a, b) && p.Bits() >= q.Bits() && q.Contains(p.Addr())
}

// Masked is the mask of the bits of a network, or of the others.
func Masked(held []byte, network bool) []byte {
	address, bits := Address(held)
	for i := range address {
		mask := byte(0xff) << (8 - min(max(bits-8*i, 0), 8))
		if !network {
			mask = ^mask
		}
		address[i] = mask
	}
	return Of(address, 8*len(address))
}

// Broadcast is the last address of the network of an address.
func Broadcast(held []byte) []byte {
	address, bits := Address(held)
	host, _ := Address(Masked(held, false))
	for i := range address {
		address[i] |= host[i]
	}
	return Of(address, bits)
}

// WithBits is an address with another number of bits of its network, -1 for all.
func WithBits(held []byte, bits int) ([]byte, error) {
	address, _ := Address(held)
	most := 8 * len(address)
	switch {
	case bits == -1:
		bits = most
	case bits < 0 || bits > most:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid mask length: %d", bits)
	}
	return Of(address, bits), nil
}

// Merge is the smallest network that contains both.
func Merge(a, b []byte) ([]byte, error) {
	if !SameFamily(a, b) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "cannot merge addresses from different families")
	}
	p, q := Decode(a), Decode(b)
	bits := min(p.Bits(), q.Bits())
	for bits > 0 && !netip.PrefixFrom(p.Addr(), bits).Contains(q.Addr()) {
		bits--
	}
	return Encode(netip.PrefixFrom(p.Addr(), bits).Masked()), nil
}

func outOfRange() error { return sqlerr.New(sqlerr.NumericValueOutOfRange, "result is out of range") }

// Add is an address so many further on.
func Add(held []byte, n *big.Int) ([]byte, error) {
	address, bits := Address(held)
	sum := new(big.Int).SetBytes(address)
	sum.Add(sum, n)
	if sum.Sign() < 0 || sum.BitLen() > 8*len(address) {
		return nil, outOfRange()
	}
	return Of(sum.FillBytes(address), bits), nil
}

// Sub is how far an address is behind another one.
func Sub(a, b []byte) (int64, error) {
	if !SameFamily(a, b) {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "cannot subtract inet values of different sizes")
	}
	x, _ := Address(a)
	y, _ := Address(b)
	out := new(big.Int).SetBytes(x)
	out.Sub(out, new(big.Int).SetBytes(y))
	if !out.IsInt64() {
		return 0, outOfRange()
	}
	return out.Int64(), nil
}

// AppendHost appends an address without the bits of its network.
func AppendHost(dst, held []byte) []byte { return appendAddress(dst, Decode(held).Addr()) }

// AppendAbbreviated appends a network, of whose address only what its bits reach is written.
func AppendAbbreviated(dst, held []byte) []byte {
	address, bits := Address(Network(held))
	if len(address) == 4 {
		for i := range max((bits+7)/8, 1) {
			if i > 0 {
				dst = append(dst, '.')
			}
			dst = strconv.AppendUint(dst, uint64(address[i]), 10)
		}
	} else {
		dst = appendWords(dst, address, bits)
	}
	return strconv.AppendInt(append(dst, '/'), int64(bits), 10)
}

// appendWords appends the words of an address of IPv6 that so many bits reach, of which it leaves out the longest run
// of zeros.
func appendWords(dst, address []byte, bits int) []byte {
	if bits == 0 {
		return append(dst, "::"...)
	}
	words := max((bits+15)/16, 2)
	from, run := zeros(address, words)
	inIPv4 := run != words && from == 0 && (run == 6 || run == 5 && address[10]&address[11] == math.MaxUint8 ||
		run == 7 && address[14] != 0 && address[15] != 1)
	start := len(dst)
	for w := range words {
		first, second := address[2*w], address[2*w+1]
		switch {
		case run > 0 && w >= from && w < from+run:
			if w == from {
				dst = append(dst, ':')
			}
			if w == words-1 {
				dst = append(dst, ':')
			}
		case inIPv4 && w > 5:
			dst = strconv.AppendUint(append(dst, ":."[w-6]), uint64(first), 10)
			if w != 7 || bits > 120 {
				dst = strconv.AppendUint(append(dst, '.'), uint64(second), 10)
			}
		default:
			if len(dst) > start {
				dst = append(dst, ':')
			}
			dst = strconv.AppendUint(dst, uint64(first)<<8|uint64(second), 16)
		}
	}
	return dst
}

// zeros is the longest run of words that are zero, the first of equal ones.
func zeros(address []byte, words int) (from, length int) {
	run := 0
	for w := range words {
		if address[2*w]|address[2*w+1] != 0 {
			run = 0
			continue
		}
		if run++; run > length {
			from, length = w-run+1, run
		}
	}
	return from, length
}
