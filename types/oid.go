package types

import (
	"math"
	"slices"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/integer"
)

// oidTypes are the unsigned numbers of the catalog's objects; those of the reg family
// read and print the names of what they number.
var oidTypes = []Info{
	{
		OID: OIDOID, Name: "oid", SQL: "oid", Array: 1028, Preferred: true,
		Kind: KindInt, Category: CategoryNumeric, Size: 4,
		forms: forms{
			appendText: appendInt, parseText: parseOID,
			appendBinary: appendBinaryInt4, parseBinary: parseBinaryOID,
		},
	},
	{
		OID: OIDXID, Name: "xid", SQL: "xid", Array: 1011,
		Kind: KindInt, Category: CategoryUser, Size: 4,
		forms: forms{
			appendText: appendInt, parseText: parseXID,
			appendBinary: appendBinaryInt4, parseBinary: parseBinaryOID,
		},
	},
	regType(OIDRegproc, "regproc", 1008),
	regType(OIDRegprocedure, "regprocedure", 2207),
	regType(OIDRegoper, "regoper", 2208),
	regType(OIDRegoperator, "regoperator", 2209),
	regType(OIDRegclass, "regclass", 2210),
	regType(OIDRegtype, "regtype", 2211),
	regType(OIDRegnamespace, "regnamespace", 4090),
	regType(OIDRegrole, "regrole", 4097),
	regType(OIDRegconfig, "regconfig", 3735),
	regType(OIDRegdict, "regdictionary", 3770),
}

// regOIDs are the types that oid casts to and from.
var regOIDs = []OID{
	OIDRegproc, OIDRegprocedure, OIDRegoper, OIDRegoperator, OIDRegclass, OIDRegtype, OIDRegnamespace, OIDRegrole,
	OIDRegconfig, OIDRegdict,
}

// IsOID says whether a type is oid or one of the reg family.
func IsOID(oid OID) bool { return oid == OIDOID || slices.Contains(regOIDs, oid) }

// Names knows the catalog's objects by name and by number.
type Names interface {
	// OIDOf is the number of the object that a text names; kind is the type of the reg
	// family that asks.
	OIDOf(kind OID, text string) (uint32, error)
	// NameOf is how the object prints, empty when there is none.
	NameOf(kind OID, oid uint32) string
}

func regType(oid OID, name string, array OID) Info {
	return Info{
		OID: oid, Name: name, SQL: name, Array: array,
		Kind: KindInt, Category: CategoryNumeric, Size: 4,
		forms: forms{
			appendText:   func(dst []byte, v Value, env *Env) []byte { return appendReg(dst, v, oid, env) },
			parseText:    func(s string, env *Env) (Value, error) { return parseReg(s, oid, env) },
			appendBinary: appendBinaryInt4, parseBinary: parseBinaryOID,
		},
	}
}

func appendReg(dst []byte, v Value, kind OID, env *Env) []byte {
	if v.a == 0 && !isOperator(kind) {
		return append(dst, '-')
	}
	if env != nil && env.Names != nil {
		if name := env.Names.NameOf(kind, uint32(v.a)); name != "" {
			return append(dst, name...)
		}
	}
	return appendInt(dst, v, env)
}

// parseReg reads a number, - for none, or a name.
func parseReg(s string, kind OID, env *Env) (Value, error) {
	if s == "-" && !isOperator(kind) {
		return NewInt(0), nil
	}
	digits := s != ""
	for i := 0; i < len(s) && digits; i++ {
		digits = form.IsDigit(s[i])
	}
	if digits {
		return parseOID(s, env)
	}
	return oidNamed(s, kind, env)
}

// isOperator says of which types "-" is a name.
func isOperator(kind OID) bool { return kind == OIDRegoper || kind == OIDRegoperator }

func oidNamed(s string, kind OID, env *Env) (Value, error) {
	if env == nil || env.Names == nil {
		return Null, sqlerr.Unsupported("a name of a type of the reg family here")
	}
	oid, err := env.Names.OIDOf(kind, s)
	return NewInt(int64(oid)), err
}

func textToReg(v Value, to T, env *Env) (Value, error) { return oidNamed(v.Text(), to.OID, env) }

// parseOID reads an unsigned number. A negative one of 32 bits is its complement, as
// C's strtoul has it.
func parseOID(s string, _ *Env) (Value, error) {
	n, err := integer.Parse(s, -math.MaxUint32, math.MaxUint32, "oid")
	switch {
	case err != nil:
		return Null, err
	case n < math.MinInt32:
		return Null, integer.TextOutOfRange("oid", s)
	}
	return NewInt(int64(uint32(n))), nil
}

// parseXID reads as much of a number as there is, like PostgreSQL 15.
func parseXID(s string, _ *Env) (Value, error) {
	return NewInt(int64(uint32(integer.LeadingNumber(s)))), nil
}

func parseBinaryOID(p []byte) (Value, error) {
	v, err := parseBinaryInt4(p)
	if err != nil {
		return Null, err
	}
	return NewInt(int64(uint32(v.a))), nil
}

func intToOID(v Value, _ T, _ *Env) (Value, error) { return NewInt(int64(uint32(v.a))), nil }

func int8ToOID(v Value, _ T, _ *Env) (Value, error) {
	if v.a > math.MaxUint32 {
		return Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "OID out of range")
	}
	return v, nil
}

func oidToInt(v Value, _ T, _ *Env) (Value, error) { return NewInt(int64(int32(v.a))), nil }

// oidCasts are the casts of oid and the reg family.
func oidCasts() (all []castRow) {
	for _, reg := range append([]OID{OIDOID}, regOIDs...) {
		all = append(all,
			castRow{OIDInt2, reg, Cast{Implicit, intToOID}},
			castRow{OIDInt4, reg, Cast{Implicit, intToOID}},
			castRow{OIDInt8, reg, Cast{Implicit, int8ToOID}},
			castRow{reg, OIDInt4, Cast{Assignment, oidToInt}},
			castRow{reg, OIDInt8, Cast{Assignment, keep}},
			castRow{OIDOID, reg, Cast{Implicit, keep}},
			castRow{reg, OIDOID, Cast{Implicit, keep}})
	}
	return append(all,
		castRow{OIDRegproc, OIDRegprocedure, Cast{Implicit, keep}},
		castRow{OIDRegprocedure, OIDRegproc, Cast{Implicit, keep}},
		castRow{OIDRegoper, OIDRegoperator, Cast{Implicit, keep}},
		castRow{OIDRegoperator, OIDRegoper, Cast{Implicit, keep}},
		castRow{OIDText, OIDRegclass, Cast{Implicit, textToReg}},
		castRow{OIDVarchar, OIDRegclass, Cast{Implicit, textToReg}})
}
