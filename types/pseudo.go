package types

import "zproxy/sqlerr"

// pseudoTypes are no types of columns: record, those that stand for others in the table of
// functions, and those of functions that cannot be called.
var pseudoTypes = []Info{
	{OID: OIDRecord, Name: "record", SQL: "record", Kind: KindRecord, Category: CategoryPseudo, Size: -1, Array: 2287},
	{OID: OIDAny, Name: "any", SQL: `"any"`, Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyArray, Name: "anyarray", SQL: "anyarray", Kind: KindArray, Category: CategoryPseudo, Size: -1},
	{OID: OIDAnyElement, Name: "anyelement", SQL: "anyelement", Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyNonArray, Name: "anynonarray", SQL: "anynonarray", Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyRange, Name: "anyrange", SQL: "anyrange", Category: CategoryPseudo, Size: -1},
	{OID: OIDAnyMultirange, Name: "anymultirange", SQL: "anymultirange", Category: CategoryPseudo, Size: -1},
	{OID: OIDAnyEnum, Name: "anyenum", SQL: "anyenum", Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyCompatible, Name: "anycompatible", SQL: "anycompatible", Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyCompatibleArray, Name: "anycompatiblearray", SQL: "anycompatiblearray", Kind: KindArray, Category: CategoryPseudo, Size: -1},
	{OID: OIDAnyCompatibleNonArray, Name: "anycompatiblenonarray", SQL: "anycompatiblenonarray", Category: CategoryPseudo, Size: 4},
	{OID: OIDAnyCompatibleRange, Name: "anycompatiblerange", SQL: "anycompatiblerange", Category: CategoryPseudo, Size: -1},
	{OID: OIDAnyCompatibleMultirange, Name: "anycompatiblemultirange", SQL: "anycompatiblemultirange", Category: CategoryPseudo, Size: -1},
	{
		OID: OIDCstring, Name: "cstring", SQL: "cstring", Array: 1263, Kind: KindText, Category: CategoryPseudo,
		Size: -2,
		forms: forms{
			appendText: appendString, parseText: parseString, appendBinary: appendBinaryBytes,
			parseBinary: parseBinaryString,
		},
	},
	{OID: 2279, Name: "trigger", SQL: "trigger", Category: CategoryPseudo, Size: 4},
	{OID: 3838, Name: "event_trigger", SQL: "event_trigger", Category: CategoryPseudo, Size: 4},
	{OID: OIDInternal, Name: "internal", SQL: "internal", Category: CategoryPseudo, Size: 8},
}

// vectorTypes are arrays of the catalog with a text format and a lower bound of their own.
var vectorTypes = []Info{
	{
		OID: OIDInt2Vector, Name: "int2vector", SQL: "int2vector", Array: 1006,
		Kind: KindArray, Category: CategoryArray, Size: -1, Element: OIDInt2,
		forms: forms{
			appendText: appendVector, parseText: parseInt2Vector,
		},
	},
	{
		OID: OIDOIDVector, Name: "oidvector", SQL: "oidvector", Array: 1013,
		Kind: KindArray, Category: CategoryArray, Size: -1, Element: OIDOID,
		forms: forms{
			appendText: appendVector, parseText: parseOIDVector,
		},
	},
}

// noInput is the error of reading a type that has no values of its own.
func noInput(info *Info) error {
	if info.OID == OIDRecord {
		return sqlerr.New(sqlerr.FeatureNotSupported, "input of anonymous composite types is not implemented")
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot accept a value of type %s", info.Name)
}
