package types

import (
	"zproxy/sqlerr"
	"zproxy/types/interval"
	"zproxy/types/numeric"
)

// clockNames are the types whose modifier is the digits of the second, as errors name them.
var clockNames = map[OID]string{
	OIDTimestamp: "TIMESTAMP(%d)", OIDTimestamptz: "TIMESTAMP(%d) WITH TIME ZONE",
	OIDTime: "TIME(%d)", OIDTimetz: "TIME(%d) WITH TIME ZONE",
}

// HasModifier says whether a type takes numbers behind its name.
func HasModifier(oid OID) bool {
	switch oid {
	case OIDNumeric, OIDVarchar, OIDBpchar, OIDBit, OIDVarbit, OIDInterval, OIDGeometry:
		return true
	}
	return clockNames[oid] != ""
}

// Modifier is the modifier that the numbers behind a type's name make: varchar(10),
// numeric(10, 2), timestamp(3).
func Modifier(oid OID, args []int) (int32, error) {
	bad := func(format string, a ...any) (int32, error) {
		return -1, sqlerr.New(sqlerr.InvalidParameterValue, format, a...)
	}
	switch {
	case oid == OIDNumeric:
		return numeric.ModifierOf(args)
	case (oid == OIDVarchar || oid == OIDBpchar) && len(args) == 1:
		name := map[OID]string{OIDVarchar: "varchar", OIDBpchar: "char"}[oid]
		if args[0] < 1 {
			return bad("length for type %s must be at least 1", name)
		}
		if args[0] > 10485760 {
			return bad("length for type %s cannot exceed 10485760", name)
		}
		return int32(args[0]) + 4, nil
	case (oid == OIDBit || oid == OIDVarbit) && len(args) == 1:
		name := InfoOf(oid).Name
		if args[0] < 1 {
			return bad("length for type %s must be at least 1", name)
		}
		if args[0] > 8*10485760 {
			return bad("length for type %s cannot exceed 83886080", name)
		}
		return int32(args[0]), nil
	case oid == OIDInterval:
		return interval.Modifier(args)
	case clockNames[oid] != "" && len(args) == 1:
		if args[0] < 0 {
			return bad(clockNames[oid]+" precision must not be negative", args[0])
		}
		return int32(min(args[0], 6)), nil
	}
	if HasModifier(oid) {
		return bad("invalid type modifier")
	}
	return -1, sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type %q", InfoOf(oid).Name)
}
