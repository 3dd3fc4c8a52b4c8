package types

import (
	"strconv"
	"unsafe"

	"zproxy/types/form"
	"zproxy/types/jsonpath"
)

func parseJSONPathText(s string, _ *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	p, err := jsonpath.Parse(s)
	if err != nil {
		return Null, err
	}
	return NewJSONPath(p), nil
}

func appendJSONPathText(dst []byte, v Value, _ *Env) []byte {
	return jsonpath.Append(dst, v.JSONPath())
}

// The version in front of a jsonpath's text is all that its binary format adds.
const jsonpathVersion = 1

func appendBinaryJSONPath(dst []byte, v Value) []byte {
	return jsonpath.Append(append(dst, jsonpathVersion), v.JSONPath())
}

func parseBinaryJSONPath(p []byte) (Value, error) {
	switch {
	case len(p) == 0:
		return Null, form.TooShort()
	case p[0] != jsonpathVersion:
		return Null, form.InvalidBinary("unsupported jsonpath version number: " + strconv.Itoa(int(p[0])))
	}
	return parseJSONPathText(string(p[1:]), nil)
}

// NewJSONPath makes a jsonpath. The caller must not change p afterwards.
func NewJSONPath(p *jsonpath.Path) Value { return Value{kind: KindJSONPath, ref: unsafe.Pointer(p)} }

// JSONPath is the value of a jsonpath, not to be changed.
func (v Value) JSONPath() *jsonpath.Path { return (*jsonpath.Path)(v.ref) }

func pathText(v Value) string { return string(jsonpath.Append(nil, v.JSONPath())) }
