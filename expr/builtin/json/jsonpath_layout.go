package json

import (
	"encoding/binary"

	"zproxy/types"
	"zproxy/types/json"
)

// offsetInJSONB finds the byte at which an object lies in PostgreSQL's binary form of a document
// that begins at an offset; .keyvalue() numbers objects so. Without success it says where the
// document ends. A container is a head and an entry for each key and value, of 4 bytes
// each, then the keys, then the values; numbers and containers begin at multiples of 4.
func offsetInJSONB(in, j *json.Value, at int64) (offset int64, ok bool) {
	switch in.Kind {
	case json.Null, json.Bool:
		return at, false
	case json.String:
		return at + int64(len(in.Text)), false
	}
	at = (at + 3) &^ 3
	if in == j {
		return at, true
	}
	if in.Kind == json.Number {
		return at + numericSize(in), false
	}
	at += 4 + 4*int64(len(in.Items)+len(in.Keys))
	for _, key := range in.Keys {
		at += int64(len(key))
	}
	for i := range in.Items {
		if at, ok = offsetInJSONB(&in.Items[i], j, at); ok {
			return at, true
		}
	}
	return at, false
}

// numericSize is the bytes of a numeric on PostgreSQL's disk: a length, a head that is short
// where weight and scale are small, and digits of 2 bytes.
func numericSize(j *json.Value) int64 {
	var buf [64]byte
	p := types.AppendBinary(buf[:0], types.NewNumeric(j.Number), types.Numeric)
	weight, scale := int16(binary.BigEndian.Uint16(p[2:])), binary.BigEndian.Uint16(p[6:])
	size := int64(4 + len(p) - 8)
	if scale <= 63 && weight >= -64 && weight <= 63 {
		return size + 2
	}
	return size + 4
}
