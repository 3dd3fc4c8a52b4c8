package expr

import (
	"slices"

	"zproxy/types"
)

// ServerVersion is the server_version that clients see: the PostgreSQL release whose
// behaviour zproxy follows, then its own name.
const ServerVersion = "15.4 (zproxy)"

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

	nameArray     types.OID = 1003
	float8Array   types.OID = 1022
	intervalArray types.OID = 1187
)

// What a Function calls for one and for two arguments.
type (
	function1 = func(c *Context, a types.Value) (types.Value, error)
	function2 = func(c *Context, a, b types.Value) (types.Value, error)
)

// of1 and of2 make functions of the arithmetic in package types.
func of1(f func(a types.Value) (types.Value, error)) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) { return f(a) }
}

func of2(f func(a, b types.Value) (types.Value, error)) function2 {
	return func(_ *Context, a, b types.Value) (types.Value, error) { return f(a, b) }
}

// builtins is the table of all functions and operators, one literal for each overload.
func builtins() []*Function {
	return slices.Concat(
		integerFunctions, floatFunctions, numericFunctions, angleFunctions, numberFunctions,
		bitFunctions, encodingFunctions, sessionFunctions, sizeFunctions,
		textFunctions, concatFunctions, patternFunctions, regexpFunctions, quoteFunctions, byteaFunctions, bpcharFunctions,
		timeFunctions, systemFunctions, sequenceFunctions, idFunctions, pointFunctions, shapeFunctions, identFunctions,
		hashFunctions,
		objectFunctions, privilegeFunctions, aclFunctions, advisoryFunctions, notifyFunctions, upkeepFunctions, curveFunctions, serverFunctions, informationFunctions,
		arrayFunctions, searchFunctions, splitFunctions, seriesFunctions,
		jsonAccessFunctions, jsonContainFunctions, jsonChangeFunctions, jsonMakeFunctions, jsonRowsFunctions, jsonRecordFunctions, jsonpathFunctions,
	)
}

// aggregates is the table of all aggregates.
func aggregates() []*Aggregate {
	return slices.Concat(basicAggregates, sumAggregates, intervalAggregates, statisticAggregates, jsonAggregates, arrayAggregates,
		bitAggregates, regressionAggregates, orderedAggregates, hypotheticalAggregates)
}
