package types

import (
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

func parseJSONPathText(s string, _ *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	p, err := ParseJSONPath(s)
	if err != nil {
		return Null, err
	}
	return NewJSONPath(p), nil
}

func appendJSONPathText(dst []byte, v Value, _ *Env) []byte { return AppendJSONPath(dst, v.JSONPath()) }

// The version in front of a jsonpath's text is all that its binary format adds.
const jsonpathVersion = 1

func appendBinaryJSONPath(dst []byte, v Value) []byte {
	return AppendJSONPath(append(dst, jsonpathVersion), v.JSONPath())
}

func parseBinaryJSONPath(p []byte) (Value, error) {
	switch {
	case len(p) == 0:
		return Null, sqlerr.New(sqlerr.ProtocolViolation, "no data left in message")
	case p[0] != jsonpathVersion:
		return Null, form.InvalidBinary("unsupported jsonpath version number: " + strconv.Itoa(int(p[0])))
	}
	return parseJSONPathText(string(p[1:]), nil)
}
