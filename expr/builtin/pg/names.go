// Package pg has the types by PostgreSQL's names, so that the tables of functions read like pg_proc, and
// the schemas of functions. What the types are is in package types. Begin with Sig.
package pg

import (
	"strings"

	"zproxy/types"
)

// Sig is the argument types of a function.
type Sig = []types.OID

// The types by PostgreSQL's names, so that the tables of functions read like pg_proc.
const (
	Boolean     = types.OIDBool
	Bytea       = types.OIDBytea
	Bit         = types.OIDBit
	Varbit      = types.OIDVarbit
	Int2        = types.OIDInt2
	Int4        = types.OIDInt4
	Int8        = types.OIDInt8
	Float4      = types.OIDFloat4
	Float8      = types.OIDFloat8
	Numeric     = types.OIDNumeric
	Text        = types.OIDText
	Date        = types.OIDDate
	Timestamp   = types.OIDTimestamp
	Timestamptz = types.OIDTimestamptz
	Clock       = types.OIDTime
	Clocktz     = types.OIDTimetz
	Interval    = types.OIDInterval
	UUID        = types.OIDUUID
	Bpchar      = types.OIDBpchar
	Money       = types.OIDMoney
	OID         = types.OIDOID
	Name        = types.OIDName
	JSON        = types.OIDJSON
	JSONB       = types.OIDJSONB
	JSONPath    = types.OIDJSONPath
	Regclass    = types.OIDRegclass

	AnyElement         = types.OIDAnyElement
	AnyArray           = types.OIDAnyArray
	AnyNonArray        = types.OIDAnyNonArray
	AnyEnum            = types.OIDAnyEnum
	AnyCompatible      = types.OIDAnyCompatible
	AnyCompatibleArray = types.OIDAnyCompatibleArray

	TextArray           = types.OIDTextArray
	Int4Array types.OID = 1007

	NameArray     types.OID = 1003
	Float8Array   types.OID = 1022
	IntervalArray types.OID = 1187
)

// The schemas of functions.
const (
	CatalogSchema     = "pg_catalog"
	InformationSchema = "information_schema"
)

// extensionSchema begins what the table of functions has for the schema of an extension, which is a name that no schema
// can have.
const extensionSchema = "\x00"

// OfExtension is the schema that the table of functions has for those of an extension.
func OfExtension(name string) string { return extensionSchema + name }

// ExtensionOf is the extension that functions of a schema of the table belong to; false: none.
func ExtensionOf(schema string) (name string, ok bool) {
	return strings.CutPrefix(schema, extensionSchema)
}

// The types of arguments that PostgreSQL has and the table of functions says otherwise.
const (
	NodeTree  types.OID = 194
	ACLItems  types.OID = 1034
	Attribute types.OID = 75
	TypeRow   types.OID = 71
	Common    types.OID = 5017 // pg_mcv_list
)
