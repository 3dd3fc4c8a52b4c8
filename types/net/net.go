// Package net holds the addresses of hosts and networks, inet and cidr, and of network cards, macaddr and macaddr8.
// They are bytes in their order, which it reads from and writes as PostgreSQL's text and binary forms. Connections are
// of the standard library's package of that name. Read Encode first.
package net

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// The first byte of an address, held and sent: its family.
const (
	family4 = 2
	family6 = 3
)

// Encode makes bytes of an address. They are ordered as PostgreSQL orders addresses: by family, by network, by the bits
// of the network, and by what the rest of the address says.
func Encode(p netip.Prefix) []byte {
	family, address := byte(family6), p.Addr().AsSlice()
	if p.Addr().Is4() {
		family = family4
	}
	out := append([]byte{family}, p.Masked().Addr().AsSlice()...)
	return append(append(out, byte(p.Bits())), address...)
}

// Host makes bytes of an address of one host.
func Host(a netip.Addr) []byte { return Encode(netip.PrefixFrom(a, a.BitLen())) }

// Decode is the address that Encode made bytes of.
func Decode(held []byte) netip.Prefix {
	p := held[1:]
	size := len(p) / 2
	address, _ := netip.AddrFromSlice(p[size+1:])
	return netip.PrefixFrom(address, int(p[size]))
}

// AppendInet appends the text of an inet. It leaves out the bits of a whole address.
func AppendInet(dst, held []byte) []byte {
	p := Decode(held)
	if p.Bits() == p.Addr().BitLen() {
		return appendAddress(dst, p.Addr())
	}
	return AppendNetwork(dst, held)
}

// AppendNetwork appends an address and the bits of its network.
func AppendNetwork(dst, held []byte) []byte {
	p := Decode(held)
	return strconv.AppendInt(append(appendAddress(dst, p.Addr()), '/'), int64(p.Bits()), 10)
}

// appendAddress writes what begins with 96 zero bits, and has more than 16 others, with
// an IPv4 address at the end.
func appendAddress(dst []byte, a netip.Addr) []byte {
	full := a.As16()
	if a.Is6() && bytes.Equal(full[:12], make([]byte, 12)) && (full[12] != 0 || full[13] != 0) {
		return netip.AddrFrom4([4]byte(full[12:])).AppendTo(append(dst, "::"...))
	}
	return a.AppendTo(dst)
}

// ParseInet reads the text of an inet.
func ParseInet(s string) ([]byte, error) {
	p, ok := readNetwork(s, false)
	if !ok {
		return nil, form.InvalidText("inet", s)
	}
	return Encode(p), nil
}

// ParseCIDR reads the text of a cidr.
func ParseCIDR(s string) ([]byte, error) {
	p, ok := readNetwork(s, true)
	if !ok {
		return nil, form.InvalidText("cidr", s)
	}
	if p != p.Masked() {
		return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid cidr value: \"%s\"", s).
			WithDetail("Value has bits set to right of mask.")
	}
	return Encode(p), nil
}

// readNetwork reads an address and the bits of its network. Of an IPv4 address, the last
// octets may be missing, which are 0 then.
func readNetwork(s string, cidr bool) (p netip.Prefix, ok bool) {
	text, suffix, given := strings.Cut(s, "/")
	bits := -1
	if given {
		n, err := strconv.ParseUint(suffix, 10, 8)
		if err != nil {
			return p, false
		}
		bits = int(n)
	}
	if strings.Contains(text, ":") {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" || bits > 128 {
			return p, false
		}
		if bits < 0 {
			bits = 128
		}
		return netip.PrefixFrom(address, bits), true
	}
	var octets [4]byte
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return p, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return p, false
		}
		octets[i] = byte(n)
	}
	switch {
	case bits < 0 && len(parts) == 4:
		bits = 32
	case bits < 0 && cidr:
		bits = max(classBits(octets[0]), 8*len(parts))
		if bits == 8 && octets[0] == 224 {
			bits = 4
		}
	case bits < 0, !cidr && bits/8 > len(parts):
		return p, false
	}
	return netip.PrefixFrom(netip.AddrFrom4(octets), bits), bits <= 32
}

// classBits are the bits of a network by the class of its first octet, of times before
// networks said so themselves.
func classBits(first byte) int {
	switch {
	case first >= 240:
		return 32
	case first >= 224:
		return 8
	case first >= 192:
		return 24
	case first >= 128:
		return 16
	}
	return 8
}

// AppendBinaryInet appends the binary form of an inet.
func AppendBinaryInet(dst, held []byte) []byte { return appendBinary(dst, held, 0) }

// AppendBinaryCIDR appends the binary form of a cidr.
func AppendBinaryCIDR(dst, held []byte) []byte { return appendBinary(dst, held, 1) }

func appendBinary(dst, held []byte, cidr byte) []byte {
	p := Decode(held)
	address := p.Addr().AsSlice()
	dst = append(dst, held[0], byte(p.Bits()), cidr, byte(len(address)))
	return append(dst, address...)
}

// ParseBinaryInet reads the binary form of an inet.
func ParseBinaryInet(p []byte) ([]byte, error) { return parseBinary(p, "inet") }

// ParseBinaryCIDR reads the binary form of a cidr.
func ParseBinaryCIDR(p []byte) ([]byte, error) {
	held, err := parseBinary(p, "cidr")
	if err == nil && Decode(held) != Decode(held).Masked() {
		return nil, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid external \"cidr\" value").
			WithDetail("Value has bits set to right of mask.")
	}
	return held, err
}

func parseBinary(p []byte, name string) ([]byte, error) {
	bad := func(what string) ([]byte, error) {
		return nil, form.InvalidBinary("invalid " + what + " in external \"" + name + "\" value")
	}
	if len(p) == 0 {
		return nil, form.NoData()
	}
	size := map[byte]int{family4: 4, family6: 16}[p[0]]
	switch { // as PostgreSQL reads: each byte is judged before the next is missed
	case size == 0:
		return bad("address family")
	case len(p) > 1 && int(p[1]) > 8*size:
		return bad("bits")
	case len(p) > 3 && int(p[3]) != size:
		return bad("length")
	}
	if err := form.CheckBytes(p, 4+size); err != nil {
		return nil, err
	}
	address, _ := netip.AddrFromSlice(p[4:])
	return Encode(netip.PrefixFrom(address, int(p[1]))), nil
}

// Network is a cidr of an inet: its network without the rest of the address.
func Network(held []byte) []byte { return Encode(Decode(held).Masked()) }

// AppendMAC appends the text of a macaddr or a macaddr8.
func AppendMAC(dst, held []byte) []byte {
	for i, b := range held {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return dst
}

// ParseMAC reads the text of a macaddr: six numbers, or groups of digits of one length.
func ParseMAC(s string) ([]byte, error) {
	text := form.TrimSpace(s)
	separator := ""
	if i := strings.IndexAny(text, ":-."); i >= 0 {
		separator = text[i : i+1]
	}
	parts := []string{text}
	if separator != "" {
		parts = strings.Split(text, separator)
	}
	p := make([]byte, 0, 6)
	switch known := map[int]string{1: "", 2: ":-", 3: ".-", 6: ":-"}; {
	case !strings.Contains(known[len(parts)], separator):
		return nil, form.InvalidText("macaddr", s)
	case len(parts) == 6:
		for _, part := range parts {
			octet, err := strconv.ParseUint(part, 16, 32)
			switch {
			case err != nil:
				return nil, form.InvalidText("macaddr", s)
			case octet > 255:
				return nil, sqlerr.New(sqlerr.NumericValueOutOfRange,
					"invalid octet value in \"macaddr\" value: \"%s\"", s)
			}
			p = append(p, byte(octet))
		}
		return p, nil
	}
	for _, part := range parts {
		group, err := hex.DecodeString(part)
		if err != nil || len(group) != 6/len(parts) {
			return nil, form.InvalidText("macaddr", s)
		}
		p = append(p, group...)
	}
	return p, nil
}

// ParseMAC8 reads the text of a macaddr8: pairs of digits, between which one kind of separator may be. It takes six
// bytes for eight, with ff:fe in the middle.
func ParseMAC8(s string) ([]byte, error) {
	text := form.TrimSpace(s)
	var p []byte
	separator := byte(0)
	for i := 0; i < len(text); {
		if at := text[i]; len(p) > 0 && strings.IndexByte(":-.", at) >= 0 && (separator == 0 || separator == at) {
			separator, i = at, i+1
		}
		octet, err := hex.DecodeString(text[i:min(i+2, len(text))])
		if err != nil || len(octet) == 0 {
			return nil, form.InvalidText("macaddr8", s)
		}
		p, i = append(p, octet...), i+2
	}
	switch len(p) {
	case 6:
		return WidenMAC(p), nil
	case 8:
		return p, nil
	}
	return nil, form.InvalidText("macaddr8", s)
}

// WidenMAC is a macaddr8 of a macaddr.
func WidenMAC(p []byte) []byte {
	return []byte{p[0], p[1], p[2], 0xff, 0xfe, p[3], p[4], p[5]}
}

// ParseBinaryMAC reads the binary form of a macaddr.
func ParseBinaryMAC(p []byte) ([]byte, error) { return slices.Clone(p), form.CheckBytes(p, 6) }

// ParseBinaryMAC8 reads the binary form of a macaddr8.
func ParseBinaryMAC8(p []byte) ([]byte, error) {
	if len(p) == 6 {
		return WidenMAC(p), nil
	}
	if err := form.CheckBytes(p, 8); err != nil {
		return nil, err
	}
	return slices.Clone(p), nil
}

// NarrowMAC is a macaddr of a macaddr8, which must be a widened one.
func NarrowMAC(p []byte) ([]byte, error) {
	if p[3] != 0xff || p[4] != 0xfe {
		return nil, sqlerr.New(sqlerr.NumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr").
			WithHint("Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example " +
				"xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.")
	}
	return []byte{p[0], p[1], p[2], p[5], p[6], p[7]}, nil
}
