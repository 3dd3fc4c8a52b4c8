// Package pg has the types by PostgreSQL's names, so that the tables of functions read like pg_proc, and
// the schemas of functions.
package expr

import "zproxy/types"

// sig is the argument types of a function.
type sig = []types.OID

// The types by PostgreSQL's names, so that the tables of functions read like pg_proc.
const (
	boolean     = types.OIDBool
	bytea       = types.OIDBytea
	int2        = types.OIDInt2
	int4        = types.OIDInt4
	int8        = types.OIDInt8
	float4      = types.OIDFloat4
	float8      = types.OIDFloat8
	numeric     = types.OIDNumeric
	text        = types.OIDText
	date        = types.OIDDate
	timestamp   = types.OIDTimestamp
	timestamptz = types.OIDTimestamptz
	clock       = types.OIDTime
	clocktz     = types.OIDTimetz
	interval    = types.OIDInterval
	uuid        = types.OIDUUID
	bpchar      = types.OIDBpchar
	oid         = types.OIDOID
	name        = types.OIDName
	json        = types.OIDJSON
	jsonb       = types.OIDJSONB
	jsonpath    = types.OIDJSONPath
	regclass    = types.OIDRegclass

	anyElement         = types.OIDAnyElement
	anyArray           = types.OIDAnyArray
	anyNonArray        = types.OIDAnyNonArray
	anyCompatible      = types.OIDAnyCompatible
	anyCompatibleArray = types.OIDAnyCompatibleArray

	textArray           = types.OIDTextArray
	int4Array types.OID = 1007

	nameArray     types.OID = 1003
	float8Array   types.OID = 1022
	intervalArray types.OID = 1187
)

// The schemas of functions.
const (
	catalogSchema     = "pg_catalog"
	informationSchema = "information_schema"
)

// The types of arguments that PostgreSQL has and the table of functions says otherwise.
const (
	oidNodeTree  types.OID = 194
	oidACLItems  types.OID = 1034
	oidAttribute types.OID = 75
	oidTypeRow   types.OID = 71
)
