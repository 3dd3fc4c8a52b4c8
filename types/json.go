package types

import (
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/json"
)

func parseJSONText(s string, env *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	if err := json.Check(s, env); err != nil {
		return Null, err
	}
	return NewJSON(s), nil
}

func parseJSONBText(s string, env *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	j, err := json.Parse(s, env)
	if err != nil {
		return Null, err
	}
	return NewJSONB(j), nil
}

func appendJSONBText(dst []byte, v Value, env *Env) []byte { return json.Append(dst, v.JSONB(), env) }

// The version in front of a jsonb's text is all that its binary format adds.
const jsonbVersion = 1

func appendBinaryJSONB(dst []byte, v Value) []byte {
	return json.Append(append(dst, jsonbVersion), v.JSONB(), nil)
}

func parseBinaryJSONB(p []byte) (Value, error) {
	if len(p) == 0 {
		return Null, form.TooShort()
	}
	if p[0] != jsonbVersion {
		return Null, form.InvalidBinary("unsupported jsonb version number " + strconv.Itoa(int(p[0])))
	}
	return parseJSONBText(string(p[1:]), nil)
}

func parseBinaryJSON(p []byte) (Value, error) { return parseJSONText(string(p), nil) }

var jsonTypes = []Info{
	{
		OID: OIDJSON, Array: 199, Name: "json", SQL: "json",
		Kind: KindJSON, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseJSONText,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryJSON,
		},
	},
	{
		OID: OIDJSONB, Array: 3807, Name: "jsonb", SQL: "jsonb",
		Kind: KindJSONB, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: appendJSONBText, parseText: parseJSONBText,
			appendBinary: appendBinaryJSONB, parseBinary: parseBinaryJSONB,
		},
	},
	{
		OID: OIDJSONPath, Array: 4073, Name: "jsonpath", SQL: "jsonpath",
		Kind: KindJSONPath, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: appendJSONPathText, parseText: parseJSONPathText,
			appendBinary: appendBinaryJSONPath, parseBinary: parseBinaryJSONPath,
		},
	},
}

// jsonCasts are the casts between the two types, and from the scalars of a jsonb.
var jsonCasts = []castRow{
	{OIDJSON, OIDJSONB, Cast{Assignment, textToAny}},
	{OIDJSONB, OIDJSON, Cast{Assignment, jsonbToJSON}},
	{OIDJSONB, OIDBool, Cast{Explicit, jsonbToScalar(json.Bool)}},
	{OIDJSONB, OIDNumeric, Cast{Explicit, jsonbToScalar(json.Number)}},
	{OIDJSONB, OIDInt2, Cast{Explicit, jsonbToScalar(json.Number)}},
	{OIDJSONB, OIDInt4, Cast{Explicit, jsonbToScalar(json.Number)}},
	{OIDJSONB, OIDInt8, Cast{Explicit, jsonbToScalar(json.Number)}},
	{OIDJSONB, OIDFloat4, Cast{Explicit, jsonbToScalar(json.Number)}},
	{OIDJSONB, OIDFloat8, Cast{Explicit, jsonbToScalar(json.Number)}},
}

func jsonbToJSON(v Value, _ T, env *Env) (Value, error) {
	text, err := LongText(v, JSONB, env)
	return NewJSON(text), err
}

func jsonbToScalar(kind json.Kind) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, env *Env) (Value, error) {
		j := v.JSONB()
		switch {
		case j.Kind != kind:
			name := j.Kind.String()
			if j.Kind == json.Number {
				name = "numeric"
			}
			return Null, sqlerr.New(sqlerr.InvalidParameterValue, "cannot cast jsonb %s to type %s", name,
				InfoOf(to.OID).SQL)
		case kind == json.Bool:
			return NewBool(j.Bool), nil
		case to.OID == OIDFloat4 || to.OID == OIDFloat8:
			return numericToFloat(NewNumeric(j.Number), to, env)
		case to.OID == OIDNumeric:
			return NewNumeric(j.Number), nil
		}
		return numericToInt(NewNumeric(j.Number), to, env)
	}
}

// MakeJSONB is NewJSONB of a document that was put together of others, whose nesting it checks.
func MakeJSONB(j *json.Value) (Value, error) { return NewJSONB(j), form.CheckNesting(j.Depth()) }
