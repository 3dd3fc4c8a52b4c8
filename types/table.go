package types

import (
	"slices"
	"strings"

	"zproxy/types/numeric"
)

// infos is the table of all types, a list for each family. Adding a type means adding a
// literal to a list and a constant in type.go; its array type follows from it.
var infos = withArrays(basicTypes, characterTypes, oidTypes, pseudoTypes, vectorTypes, jsonTypes, timeTypes,
	networkTypes, bitTypes, moneyTypes, citextTypes, hstoreTypes, geometricTypes, spatialTypes, systemTypes,
	searchTypes, rangeInfos())

var basicTypes = []Info{
	{
		OID: OIDBool, Name: "bool", SQL: "boolean", Array: 1000,
		Kind: KindBool, Category: CategoryBool, Preferred: true, Size: 1,
		forms: forms{
			appendText: appendBool, parseText: parseBool,
			appendBinary: appendBinaryBool, parseBinary: parseBinaryBool,
		},
	},
	{
		OID: OIDBytea, Name: "bytea", SQL: "bytea", Array: 1001,
		Kind: KindBytes, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: appendBytea, parseText: parseBytea,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryBytes,
		},
	},
	{
		OID: OIDInt8, Name: "int8", SQL: "bigint", Array: 1016,
		Kind: KindInt, Category: CategoryNumeric, Size: 8,
		forms: forms{
			appendText: appendInt, parseText: parseInt8,
			appendBinary: appendBinaryInt8, parseBinary: parseBinaryInt8,
		},
	},
	{
		OID: OIDInt2, Name: "int2", SQL: "smallint", Array: 1005,
		Kind: KindInt, Category: CategoryNumeric, Size: 2,
		forms: forms{
			appendText: appendInt, parseText: parseInt2,
			appendBinary: appendBinaryInt2, parseBinary: parseBinaryInt2,
		},
	},
	{
		OID: OIDInt4, Name: "int4", SQL: "integer", Array: 1007, Aliases: []string{"int"},
		Kind: KindInt, Category: CategoryNumeric, Size: 4,
		forms: forms{
			appendText: appendInt, parseText: parseInt4,
			appendBinary: appendBinaryInt4, parseBinary: parseBinaryInt4,
		},
	},
	{
		OID: OIDText, Name: "text", SQL: "text", Array: 1009,
		Kind: KindText, Category: CategoryString, Preferred: true, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseString,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
		},
	},
	{
		OID: OIDPoint, Name: "point", SQL: "point", Array: 1017,
		Kind: KindPoint, Category: CategoryGeometric, Size: 16,
		forms: forms{
			appendText: appendPoint, parseText: parsePoint,
			appendBinary: appendBinaryPoint, parseBinary: parseBinaryPoint,
		},
	},
	{
		OID: OIDFloat4, Name: "float4", SQL: "real", Array: 1021,
		Kind: KindFloat, Category: CategoryNumeric, Size: 4,
		forms: forms{
			appendText: appendFloat4, parseText: parseFloat4,
			appendBinary: appendBinaryFloat4, parseBinary: parseBinaryFloat4,
		},
	},
	{
		OID: OIDFloat8, Name: "float8", SQL: "double precision", Array: 1022, Aliases: []string{"float", "double"},
		Kind: KindFloat, Category: CategoryNumeric, Preferred: true, Size: 8,
		forms: forms{
			appendText: appendFloat8, parseText: parseFloat8,
			appendBinary: appendBinaryFloat8, parseBinary: parseBinaryFloat8,
		},
	},
	{
		OID: OIDUnknown, Name: "unknown", SQL: "unknown",
		Kind: KindText, Category: CategoryUnknown, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseString,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
		},
	},
	{
		OID: OIDVarchar, Name: "varchar", SQL: "character varying", Array: 1015, Aliases: []string{"char varying"},
		Kind: KindText, Category: CategoryString, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseString,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
			modText: lengthModText, applyMod: limitLength,
		},
	},
	{
		OID: OIDDate, Name: "date", SQL: "date", Array: 1182,
		Kind: KindDate, Category: CategoryDate, Size: 4,
		forms: forms{
			appendText: appendDate, parseText: parseDate,
			appendBinary: appendBinaryDate, parseBinary: parseBinaryDate,
		},
	},
	{
		OID: OIDTimestamp, Name: "timestamp", SQL: "timestamp without time zone", Array: 1115,
		Kind: KindTimestamp, Category: CategoryDate, Size: 8,
		forms: forms{
			appendText: appendTimestamp, parseText: parseTimestamp,
			appendBinary: appendBinaryTimestamp, parseBinary: parseBinaryTimestamp,
			modText: digitsModText, applyMod: roundTimestamp,
		},
	},
	{
		OID: OIDTimestamptz, Name: "timestamptz", SQL: "timestamp with time zone", Array: 1185,
		Kind: KindTimestamp, Category: CategoryDate, Preferred: true, Size: 8,
		forms: forms{
			appendText: appendTimestamptz, parseText: parseTimestamptz,
			appendBinary: appendBinaryTimestamp, parseBinary: parseBinaryTimestamp,
			modText: digitsModText, applyMod: roundTimestamp,
		},
	},
	{
		OID: OIDNumeric, Name: "numeric", SQL: "numeric", Array: 1231, Aliases: []string{"decimal", "dec"},
		Kind: KindNumeric, Category: CategoryNumeric, Size: -1,
		forms: forms{
			appendText: appendNumericText, parseText: parseNumericText,
			appendBinary: sendNumeric, parseBinary: receiveNumeric,
			modText: numeric.ModifierText, applyMod: applyNumericMod,
		},
	},
	{
		OID: OIDVoid, Name: "void", SQL: "void",
		Kind: KindText, Category: CategoryPseudo, Size: 4,
		forms: forms{
			appendText: appendString, parseText: parseString,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
		},
	},
	{
		OID: OIDUUID, Name: "uuid", SQL: "uuid", Array: 2951,
		Kind: KindUUID, Category: CategoryUser, Size: 16,
		forms: forms{
			appendText: appendUUID, parseText: parseUUID,
			appendBinary: appendBinaryUUID, parseBinary: parseBinaryUUID,
		},
	},
}

// otherInfo stands for every OID that is not in the table, with format_type's name.
var otherInfo = Info{
	OID: OIDInvalid, Name: "???", SQL: "???",
	Kind: KindText, Category: CategoryUser, Size: -1,
	forms: forms{
		appendText: appendString, parseText: parseString,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
	},
}

// xmlInfo is not in the table: no statement can name the type.
var xmlInfo = Info{
	OID: OIDXML, Name: "xml", SQL: "xml",
	Kind: KindText, Category: CategoryUser, Size: -1,
	forms: forms{
		appendText: appendString, parseText: parseString,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
	},
}

var (
	infoByName = indexNames()
	infoByOID  = indexOIDs()
)

// builtinOIDs is above all OIDs of the table, so that a lookup is an index.
const builtinOIDs = 8192

func indexOIDs() (index [builtinOIDs]*Info) {
	for i := range index {
		index[i] = &otherInfo
	}
	for i := range infos {
		index[infos[i].OID] = &infos[i]
	}
	index[OIDXML] = &xmlInfo
	return index
}

func indexNames() map[string]*Info {
	index := make(map[string]*Info)
	for i := range infos {
		info := &infos[i]
		if info.Extension != "" {
			continue
		}
		for _, name := range append([]string{info.Name, info.SQL}, info.Aliases...) {
			index[name] = info
		}
	}
	return index
}

// Lookup finds a type that is always there by any spelling that DDL accepts, in lower case.
func Lookup(name string) (*Info, bool) {
	info, ok := infoByName[name]
	return info, ok
}

// InExtension finds a type of an extension by its name, nil when there is none.
func InExtension(extension, name string) *Info {
	at := slices.IndexFunc(infos, func(i Info) bool { return i.Extension == extension && i.Name == name })
	if at < 0 || extension == "" {
		return nil
	}
	return &infos[at]
}

// InfoOf is the entry of an OID, never nil: what the table does not know is held as
// text and called ???.
func InfoOf(oid OID) *Info {
	switch {
	case oid < builtinOIDs:
		return infoByOID[oid]
	case oid.IsRow() || oid&rowTypes != 0:
		return rowInfo(oid)
	case oid >= enumTypes:
		return enumInfo(oid)
	}
	return userRangeInfo(oid)
}

// OrderSign is the comparison that an operator of the type's order is which has something around it.
func (info *Info) OrderSign(operator string) (sign string, ok bool) {
	sign, before := strings.CutPrefix(operator, info.Around)
	sign, behind := strings.CutSuffix(sign, info.Around)
	return sign, info.Around != "" && before && behind
}

// All is the table of types, for the catalog.
func All() []Info { return infos }

// Kind says how values of the type are held.
func (t T) Kind() Kind {
	if t.OID.IsEnum() {
		return KindEnum
	}
	kind := InfoOf(t.OID).Kind
	if t.Collation.Order != 0 && (kind == KindText || kind == KindBpchar) {
		return KindCollated
	}
	return kind
}

// String is the type as format_type spells it: numeric(10,2), timestamp(3) without time zone.
func (t T) String() string {
	info := InfoOf(t.OID)
	switch {
	case t.Domain != nil && t.Domain.Name != "":
		return t.Domain.Name
	case info.Element != OIDInvalid && info.appendText == nil:
		return T{OID: info.Element, Mod: t.Mod, Def: t.Def}.String() + "[]"
	case info.OID == OIDInvalid && t.Def != nil: // of an object of the catalog
		return t.Def.Name
	}
	if t.Mod < 0 || info.modText == nil {
		return info.SQL
	}
	name, zone, found := strings.Cut(info.SQL, " with")
	if found {
		zone = " with" + zone
	}
	return name + info.modText(t.Mod) + zone
}
