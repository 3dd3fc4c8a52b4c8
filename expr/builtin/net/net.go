// Package net is the functions and operators of addresses of hosts, networks and network cards. How addresses are held,
// read and printed, and their arithmetic, is in package types/net. Begin with Functions.
package net

import (
	"math/big"
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/net"
)

const (
	inet = types.OIDInet
	cidr = types.OIDCidr
)

// Functions are all of them, but for comparisons and casts.
var Functions = slices.Concat([]*expr.Function{
	{Name: "network_sub", Operator: "<<", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if the first network lies in the second one and is not it.", Fn2: test(inside)},
	{Name: "network_subeq", Operator: "<<=", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if the first network lies in the second one or is it.", Fn2: test(net.Within)},
	{Name: "network_sup", Operator: ">>", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if the second network lies in the first one and is not it.", Fn2: test(swapped(inside))},
	{Name: "network_supeq", Operator: ">>=", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if the second network lies in the first one or is it.", Fn2: test(swapped(net.Within))},
	{Name: "network_overlap", Operator: "&&", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if one network lies in the other one.", Fn2: test(overlap)},
	{Name: "inet_same_family", Args: pg.Sig{inet, inet}, Result: pg.Boolean, Doc: "True if both are of IPv4 or both of IPv6.", Fn2: test(net.SameFamily)},
	{Name: "inetnot", Operator: "~", Args: pg.Sig{inet}, Result: inet, Doc: "Bitwise not.", Fn1: not},
	{Name: "inetand", Operator: "&", Args: pg.Sig{inet, inet}, Result: inet, Doc: "Bitwise and.", Fn2: bitwise("AND", and)},
	{Name: "inetor", Operator: "|", Args: pg.Sig{inet, inet}, Result: inet, Doc: "Bitwise or.", Fn2: bitwise("OR", or)},
	{Name: "inetpl", Operator: "+", Args: pg.Sig{inet, pg.Int8}, Result: inet, Doc: "Address so many further on.", Fn2: plus},
	{Name: "int8pl_inet", Operator: "+", Args: pg.Sig{pg.Int8, inet}, Result: inet, Doc: "Address so many further on.", Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) { return plus(c, b, a) }},
	{Name: "inetmi_int8", Operator: "-", Args: pg.Sig{inet, pg.Int8}, Result: inet, Doc: "Address so many before.", Fn2: minus},
	{Name: "inetmi", Operator: "-", Args: pg.Sig{inet, inet}, Result: pg.Int8, Doc: "How far the first address is behind the second one.", Fn2: distance},
	{Name: "abbrev", Args: pg.Sig{inet}, Result: pg.Text, Doc: "Address as it prints.", Fn1: written(net.AppendInet)},
	{Name: "abbrev", Args: pg.Sig{cidr}, Result: pg.Text, Doc: "Network without what its bits do not reach.", Fn1: written(net.AppendAbbreviated)},
	{Name: "host", Args: pg.Sig{inet}, Result: pg.Text, Doc: "Address without the bits of its network.", Fn1: written(net.AppendHost)},
	{Name: "broadcast", Args: pg.Sig{inet}, Result: inet, Doc: "Last address of the network.", Fn1: address(net.Broadcast)},
	{Name: "family", Args: pg.Sig{inet}, Result: pg.Int4, Doc: "4 for IPv4, 6 for IPv6.", Fn1: family},
	{Name: "hostmask", Args: pg.Sig{inet}, Result: inet, Doc: "Mask of the bits behind those of the network.", Fn1: address(mask(false))},
	{Name: "masklen", Args: pg.Sig{inet}, Result: pg.Int4, Doc: "Number of bits of the network.", Fn1: maskLength},
	{Name: "netmask", Args: pg.Sig{inet}, Result: inet, Doc: "Mask of the bits of the network.", Fn1: address(mask(true))},
	{Name: "network", Args: pg.Sig{inet}, Result: cidr, Doc: "Network of the address.", Fn1: address(net.Network)},
	{Name: "set_masklen", Args: pg.Sig{inet, pg.Int4}, Result: inet, Doc: "Address with another number of bits of its network, -1 for all.", Fn2: withBits(false)},
	{Name: "set_masklen", Args: pg.Sig{cidr, pg.Int4}, Result: cidr, Doc: "Network with another number of bits, -1 for all.", Fn2: withBits(true)},
	{Name: "inet_merge", Args: pg.Sig{inet, inet}, Result: cidr, Doc: "Smallest network that contains both.", Fn2: merge},
	{Name: "macaddr8_set7bit", Args: pg.Sig{types.OIDMacaddr8}, Result: types.OIDMacaddr8, Doc: "Address with its seventh bit set, as IPv6 has it.", Fn1: card(func(p []byte) { p[0] |= 2 })},
}, ofCards(types.OIDMacaddr, "macaddr"), ofCards(types.OIDMacaddr8, "macaddr8"))

// ofCards are the functions of a type of addresses of network cards.
func ofCards(of types.OID, name string) []*expr.Function {
	return []*expr.Function{
		{Name: name + "_not", Operator: "~", Args: pg.Sig{of}, Result: of, Doc: "Bitwise not.", Fn1: card(invert)},
		{Name: name + "_and", Operator: "&", Args: pg.Sig{of, of}, Result: of, Doc: "Bitwise and.", Fn2: cards(and)},
		{Name: name + "_or", Operator: "|", Args: pg.Sig{of, of}, Result: of, Doc: "Bitwise or.", Fn2: cards(or)},
		{Name: "trunc", Args: pg.Sig{of}, Result: of, Doc: "Address with the bytes behind those of the manufacturer zero.", Fn1: card(func(p []byte) { clear(p[3:]) })},
	}
}

func and(a, b byte) byte { return a & b }

func or(a, b byte) byte { return a | b }

func invert(p []byte) {
	for i := range p {
		p[i] = ^p[i]
	}
}

func test(holds func(a, b []byte) bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return types.NewBool(holds(a.Bytes(), b.Bytes())), nil
	}
}

func swapped(holds func(a, b []byte) bool) func(a, b []byte) bool {
	return func(a, b []byte) bool { return holds(b, a) }
}

func inside(a, b []byte) bool { return net.Within(a, b) && !net.Within(b, a) }

func overlap(a, b []byte) bool { return net.Within(a, b) || net.Within(b, a) }

func not(_ *expr.Context, a types.Value) (types.Value, error) {
	p, bits := net.Address(a.Bytes())
	invert(p)
	return types.NewBytes(net.Of(p, bits)), nil
}

func bitwise(word string, of func(a, b byte) byte) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		if !net.SameFamily(a.Bytes(), b.Bytes()) {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
				"cannot %s inet values of different sizes", word)
		}
		p, bits := net.Address(a.Bytes())
		q, others := net.Address(b.Bytes())
		for i := range p {
			p[i] = of(p[i], q[i])
		}
		return types.NewBytes(net.Of(p, max(bits, others))), nil
	}
}

func plus(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return held(net.Add(a.Bytes(), big.NewInt(b.Int())))
}

func minus(_ *expr.Context, a, b types.Value) (types.Value, error) {
	n := big.NewInt(b.Int())
	return held(net.Add(a.Bytes(), n.Neg(n)))
}

func held(p []byte, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewBytes(p), nil
}

func distance(_ *expr.Context, a, b types.Value) (types.Value, error) {
	n, err := net.Sub(a.Bytes(), b.Bytes())
	return types.NewInt(n), err
}

func written(as func(dst, held []byte) []byte) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		return types.NewText(string(as(nil, a.Bytes()))), nil
	}
}

func address(of func(held []byte) []byte) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) { return types.NewBytes(of(a.Bytes())), nil }
}

func mask(network bool) func(held []byte) []byte {
	return func(held []byte) []byte { return net.Masked(held, network) }
}

func family(_ *expr.Context, a types.Value) (types.Value, error) {
	if p, _ := net.Address(a.Bytes()); len(p) == 4 {
		return types.NewInt(4), nil
	}
	return types.NewInt(6), nil
}

func maskLength(_ *expr.Context, a types.Value) (types.Value, error) {
	_, bits := net.Address(a.Bytes())
	return types.NewInt(int64(bits)), nil
}

func withBits(network bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		p, err := net.WithBits(a.Bytes(), int(b.Int()))
		if err == nil && network {
			p = net.Network(p)
		}
		return held(p, err)
	}
}

func merge(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return held(net.Merge(a.Bytes(), b.Bytes()))
}

// card is a function that changes the address of a network card.
func card(change func(p []byte)) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		p := slices.Clone(a.Bytes())
		change(p)
		return types.NewBytes(p), nil
	}
}

func cards(of func(a, b byte) byte) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		p, q := slices.Clone(a.Bytes()), b.Bytes()
		for i := range p {
			p[i] = of(p[i], q[i])
		}
		return types.NewBytes(p), nil
	}
}
