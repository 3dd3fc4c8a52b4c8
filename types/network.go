package types

import "zproxy/types/net"

// networkTypes are the addresses of hosts and networks.
var networkTypes = []Info{
	{
		OID: OIDInet, Name: "inet", SQL: "inet", Array: 1041,
		Kind: KindBytes, Category: CategoryNetwork, Preferred: true, Size: -1,
		forms: forms{
			appendText: heldText(net.AppendInet), parseText: heldRead(net.ParseInet),
			appendBinary: heldBinary(net.AppendBinaryInet), parseBinary: heldReceived(net.ParseBinaryInet),
		},
	},
	{
		OID: OIDCidr, Name: "cidr", SQL: "cidr", Array: 651,
		Kind: KindBytes, Category: CategoryNetwork, Size: -1,
		forms: forms{
			appendText: heldText(net.AppendNetwork), parseText: heldRead(net.ParseCIDR),
			appendBinary: heldBinary(net.AppendBinaryCIDR), parseBinary: heldReceived(net.ParseBinaryCIDR),
		},
	},
	{
		OID: OIDMacaddr, Name: "macaddr", SQL: "macaddr", Array: 1040,
		Kind: KindBytes, Category: CategoryUser, Size: 6,
		forms: forms{
			appendText: heldText(net.AppendMAC), parseText: heldRead(net.ParseMAC),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(net.ParseBinaryMAC),
		},
	},
	{
		OID: OIDMacaddr8, Name: "macaddr8", SQL: "macaddr8", Array: 775,
		Kind: KindBytes, Category: CategoryUser, Size: 8,
		forms: forms{
			appendText: heldText(net.AppendMAC), parseText: heldRead(net.ParseMAC8),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(net.ParseBinaryMAC8),
		},
	},
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
	{OIDMacaddr8, OIDMacaddr, Cast{Implicit, heldCast(net.NarrowMAC)}},
}

func inetToCidr(v Value, _ T, _ *Env) (Value, error) { return NewBytes(net.Network(v.Bytes())), nil }

func macaddrTo8(v Value, _ T, _ *Env) (Value, error) { return NewBytes(net.WidenMAC(v.Bytes())), nil }

func networkToText(v Value, _ T, _ *Env) (Value, error) {
	return NewText(string(net.AppendNetwork(nil, v.Bytes()))), nil
}

func networkToBpchar(v Value, to T, env *Env) (Value, error) {
	return asBpchar(networkToText(v, to, env))
}
