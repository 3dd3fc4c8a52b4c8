package types

import "zproxy/types/interval"

// timeTypes are the types of times and spans of time.
var timeTypes = []Info{
	{
		OID: OIDTime, Name: "time", SQL: "time without time zone",
		Kind: KindTime, Category: CategoryDate, Size: 8, Array: 1183,
		forms: forms{
			appendText: appendTime, parseText: parseTime,
			appendBinary: appendBinaryInt8, parseBinary: parseBinaryTime,
			modText: digitsModText, applyMod: roundTime,
		},
	},
	{
		OID: OIDTimetz, Name: "timetz", SQL: "time with time zone",
		Kind: KindTimetz, Category: CategoryDate, Size: 12, Array: 1270,
		forms: forms{
			appendText: appendTimetz, parseText: parseTimetz,
			appendBinary: appendBinaryTimetz, parseBinary: parseBinaryTimetz,
			modText: digitsModText, applyMod: roundTimetz,
		},
	},
	{
		OID: OIDInterval, Name: "interval", SQL: "interval",
		Kind: KindInterval, Category: CategoryTimespan, Preferred: true, Size: 16, Array: 1187,
		forms: forms{
			appendText:   appendInterval,
			parseText:    func(s string, env *Env) (Value, error) { return parseInterval(s, -1, env) },
			appendBinary: appendBinaryInterval, parseBinary: parseBinaryInterval,
			modText: interval.ModifierText, applyMod: limitInterval,
		},
	},
}
