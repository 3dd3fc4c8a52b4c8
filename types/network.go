package types

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// networkTypes are the addresses of hosts and networks. They are held as bytes whose
// order is that of the type: see networkBytes.
var networkTypes = []Info{
	{
		OID: OIDInet, Name: "inet", SQL: "inet", Array: 1041,
		Kind: KindBytes, Category: CategoryNetwork, Preferred: true, Size: -1,
		appendText: appendInet, parseText: parseInet,
		appendBinary: func(dst []byte, v Value) []byte { return appendBinaryNetwork(dst, v, 0) }, parseBinary: parseBinaryInet,
	},
	{
		OID: OIDCidr, Name: "cidr", SQL: "cidr", Array: 651,
		Kind: KindBytes, Category: CategoryNetwork, Size: -1,
		appendText: appendNetwork, parseText: parseCidr,
		appendBinary: func(dst []byte, v Value) []byte { return appendBinaryNetwork(dst, v, 1) }, parseBinary: parseBinaryCidr,
	},
	{
		OID: OIDMacaddr, Name: "macaddr", SQL: "macaddr", Array: 1040,
		Kind: KindBytes, Category: CategoryUser, Size: 6,
		appendText: appendMacaddr, parseText: parseMacaddr,
		appendBinary: appendBinaryBytes, parseBinary: fixedBytes(6),
	},
	{
		OID: OIDMacaddr8, Name: "macaddr8", SQL: "macaddr8", Array: 775,
		Kind: KindBytes, Category: CategoryUser, Size: 8,
		appendText: appendMacaddr, parseText: parseMacaddr8,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryMacaddr8,
	},
}

// The first byte of an address, held and sent: its family.
const (
	family4 = 2
	family6 = 3
)

// networkBytes orders addresses as PostgreSQL does: by family, by network, by the bits of
// the network, and by what the rest of the address says.
func networkBytes(p netip.Prefix) Value {
	family, address := byte(family6), p.Addr().AsSlice()
	if p.Addr().Is4() {
		family = family4
	}
	out := append([]byte{family}, p.Masked().Addr().AsSlice()...)
	return NewBytes(append(append(out, byte(p.Bits())), address...))
}

// networkOf is the address that networkBytes holds.
func networkOf(v Value) netip.Prefix {
	p := v.Bytes()[1:]
	size := len(p) / 2
	address, _ := netip.AddrFromSlice(p[size+1:])
	return netip.PrefixFrom(address, int(p[size]))
}

// appendInet leaves out the bits of a whole address.
func appendInet(dst []byte, v Value, _ *Env) []byte {
	p := networkOf(v)
	if p.Bits() == p.Addr().BitLen() {
		return appendAddress(dst, p.Addr())
	}
	return appendNetwork(dst, v, nil)
}

func appendNetwork(dst []byte, v Value, _ *Env) []byte {
	p := networkOf(v)
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

func parseInet(s string, _ *Env) (Value, error) {
	p, ok := readNetwork(s, false)
	if !ok {
		return Null, form.InvalidText("inet", s)
	}
	return networkBytes(p), nil
}

func parseCidr(s string, _ *Env) (Value, error) {
	p, ok := readNetwork(s, true)
	if !ok {
		return Null, form.InvalidText("cidr", s)
	}
	if p != p.Masked() {
		return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid cidr value: \"%s\"", s).
			WithDetail("Value has bits set to right of mask.")
	}
	return networkBytes(p), nil
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

func appendBinaryNetwork(dst []byte, v Value, cidr byte) []byte {
	p := networkOf(v)
	address := p.Addr().AsSlice()
	dst = append(dst, v.Bytes()[0], byte(p.Bits()), cidr, byte(len(address)))
	return append(dst, address...)
}

func parseBinaryInet(p []byte) (Value, error) { return parseBinaryNetwork(p, "inet") }

func parseBinaryCidr(p []byte) (Value, error) {
	v, err := parseBinaryNetwork(p, "cidr")
	if err == nil && networkOf(v) != networkOf(v).Masked() {
		return Null, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid external \"cidr\" value").
			WithDetail("Value has bits set to right of mask.")
	}
	return v, err
}

func parseBinaryNetwork(p []byte, name string) (Value, error) {
	bad := func(what string) (Value, error) {
		return Null, form.InvalidBinary("invalid " + what + " in external \"" + name + "\" value")
	}
	if len(p) < 4 {
		return Null, form.TooShort()
	}
	size := map[byte]int{family4: 4, family6: 16}[p[0]]
	switch {
	case size == 0:
		return bad("address family")
	case int(p[1]) > 8*size:
		return bad("bits")
	case int(p[3]) != size || len(p) != 4+size:
		return bad("length")
	}
	address, _ := netip.AddrFromSlice(p[4:])
	return networkBytes(netip.PrefixFrom(address, int(p[1]))), nil
}

func inetToCidr(v Value, _ T, _ *Env) (Value, error) { return networkBytes(networkOf(v).Masked()), nil }

func networkToText(v Value, _ T, _ *Env) (Value, error) {
	return NewText(string(appendNetwork(nil, v, nil))), nil
}

func networkToBpchar(v Value, to T, env *Env) (Value, error) {
	return asBpchar(networkToText(v, to, env))
}

// networkCasts are those with a function. The texts show the bits in any case.
var networkCasts = []castRow{
	{OIDCidr, OIDInet, Cast{Implicit, keep}},
	{OIDInet, OIDCidr, Cast{Assignment, inetToCidr}},
	{OIDInet, OIDText, Cast{Assignment, networkToText}},
	{OIDInet, OIDVarchar, Cast{Assignment, networkToText}},
	{OIDInet, OIDBpchar, Cast{Assignment, networkToBpchar}},
	{OIDCidr, OIDText, Cast{Assignment, networkToText}},
	{OIDCidr, OIDVarchar, Cast{Assignment, networkToText}},
	{OIDCidr, OIDBpchar, Cast{Assignment, networkToBpchar}},
	{OIDMacaddr, OIDMacaddr8, Cast{Implicit, macaddrTo8}},
	{OIDMacaddr8, OIDMacaddr, Cast{Implicit, macaddr8ToMacaddr}},
}

func appendMacaddr(dst []byte, v Value, _ *Env) []byte {
	for i, b := range v.Bytes() {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return dst
}

func parseMacaddr(s string, _ *Env) (Value, error) {
	p, ok := readMacaddr(form.TrimSpace(s))
	if !ok || len(p) != 6 {
		return Null, form.InvalidText("macaddr", s)
	}
	return NewBytes(p), nil
}

// parseMacaddr8 takes six bytes for eight, with ff:fe in the middle.
func parseMacaddr8(s string, _ *Env) (Value, error) {
	p, ok := readMacaddr(form.TrimSpace(s))
	switch {
	case !ok || len(p) != 6 && len(p) != 8:
		return Null, form.InvalidText("macaddr8", s)
	case len(p) == 6:
		return widenMacaddr(p), nil
	}
	return NewBytes(p), nil
}

// readMacaddr reads pairs of hex digits, with one kind of separator between groups that
// are equally long.
func readMacaddr(s string) ([]byte, bool) {
	parts := []string{s}
	if i := strings.IndexAny(s, ":-."); i > 0 {
		parts = strings.Split(s, s[i:i+1])
	}
	var p []byte
	for _, part := range parts {
		if len(part) == 1 && len(parts) >= 6 {
			part = "0" + part
		}
		group, err := hex.DecodeString(part)
		if err != nil || len(group) != max(1, len(parts[0])/2) {
			return nil, false
		}
		p = append(p, group...)
	}
	return p, true
}

func widenMacaddr(p []byte) Value {
	return NewBytes([]byte{p[0], p[1], p[2], 0xff, 0xfe, p[3], p[4], p[5]})
}

func parseBinaryMacaddr8(p []byte) (Value, error) {
	if len(p) == 6 {
		return widenMacaddr(p), nil
	}
	return fixedBytes(8)(p)
}

func macaddrTo8(v Value, _ T, _ *Env) (Value, error) { return widenMacaddr(v.Bytes()), nil }

func macaddr8ToMacaddr(v Value, _ T, _ *Env) (Value, error) {
	p := v.Bytes()
	if p[3] != 0xff || p[4] != 0xfe {
		return Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr").
			WithHint("Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.")
	}
	return NewBytes([]byte{p[0], p[1], p[2], p[5], p[6], p[7]}), nil
}

// fixedBytes reads a binary format that is what is held, of a fixed length.
func fixedBytes(size int) func(p []byte) (Value, error) {
	return func(p []byte) (Value, error) {
		if err := form.CheckLength(p, size); err != nil {
			return Null, err
		}
		return parseBinaryBytes(p)
	}
}
