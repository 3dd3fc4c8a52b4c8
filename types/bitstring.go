package types

import (
	"strconv"

	"zproxy/types/bits"
)

// bitTypes are the strings of bits.
var bitTypes = []Info{
	{
		OID: OIDBit, Name: "bit", SQL: "bit", Array: 1561,
		Kind: KindBytes, Category: CategoryBitString, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseBits,
			appendBinary: heldBinary(bits.AppendBinary), parseBinary: heldReceived(bits.ParseBinary),
			modText: bitModText, applyMod: fitBits,
		},
	},
	{
		OID: OIDVarbit, Name: "varbit", SQL: "bit varying", Array: 1563,
		Kind: KindBytes, Category: CategoryBitString, Preferred: true, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseBits,
			appendBinary: heldBinary(bits.AppendBinary), parseBinary: heldReceived(bits.ParseBinary),
			modText: bitModText, applyMod: limitBits,
		},
	},
}

// bitCasts are the casts of strings of bits.
var bitCasts = []castRow{
	{OIDBit, OIDVarbit, Cast{Implicit, keep}},
	{OIDVarbit, OIDBit, Cast{Implicit, keep}},
	{OIDInt4, OIDBit, Cast{Explicit, intToBits(32)}},
	{OIDInt8, OIDBit, Cast{Explicit, intToBits(64)}},
	{OIDBit, OIDInt4, Cast{Explicit, bitsToInt(32)}},
	{OIDBit, OIDInt8, Cast{Explicit, bitsToInt(64)}},
}

// intToBits keeps as many bits of an integer as the target says.
func intToBits(width int) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, env *Env) (Value, error) {
		return bytesValue(bits.FromInt(v.Int(), width, max(int(to.Mod), 1), env))
	}
}

func bitsToInt(width int) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, _ *Env) (Value, error) {
		return intValue(bits.Int(v.Bytes(), width, InfoOf(to.OID).SQL))
	}
}

func bitModText(mod int32) string { return "(" + strconv.Itoa(int(mod)) + ")" }

func parseBits(s string, env *Env) (Value, error) { return bytesValue(bits.Parse(s, env)) }

func fitBits(v Value, mod int32, explicit bool, env *Env) (Value, error) {
	return bytesValue(bits.Fit(v.Bytes(), int(mod), explicit, env))
}

func limitBits(v Value, mod int32, explicit bool, _ *Env) (Value, error) {
	return bytesValue(bits.Limit(v.Bytes(), int(mod), explicit))
}
