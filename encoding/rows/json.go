package rows

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"zproxy/types"
	"zproxy/types/json"
)

// The first byte of a jsonb is its kind, or that it is true.
const (
	jsonTrue = byte(json.Object) + 1
	// maxDepth is beyond what SQL can make; it bounds the stack that damage may cost.
	maxDepth = 1 << 18
)

// appendCountedJSON appends the length of a jsonb's bytes and them.
func appendCountedJSON(dst []byte, j *json.Value) []byte {
	start := len(dst)
	dst = appendJSON(dst, j)
	var size [binary.MaxVarintLen64]byte
	return slices.Insert(dst, start, binary.AppendUvarint(size[:0], uint64(len(dst)-start))...)
}

// appendJSON appends a head byte, and the counted bytes of a string, a numeric, or how
// many elements or members there are and they, each with its counted key before it.
func appendJSON(dst []byte, j *json.Value) []byte {
	head := byte(j.Kind)
	if j.Bool {
		head = jsonTrue
	}
	dst = append(dst, head)
	switch j.Kind {
	case json.String:
		return appendCounted(dst, j.Text)
	case json.Number:
		return appendNumeric(dst, j.Number)
	case json.Array, json.Object:
		dst = binary.AppendUvarint(dst, uint64(len(j.Items)))
		for i := range j.Items {
			if j.Kind == json.Object {
				dst = appendCounted(dst, j.Keys[i])
			}
			dst = appendJSON(dst, &j.Items[i])
		}
	}
	return dst
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// jsonb reads what appendCountedJSON wrote.
func (d *Decoder) jsonb(p []byte) (types.Value, int) {
	content, n := counted(p)
	if n < 0 {
		return types.Null, -1
	}
	j := new(json.Value)
	if d.json(j, content, 0) != len(content) {
		return types.Null, -1
	}
	return types.NewJSONB(j), n
}

// json reads one value and says how long it is, negative when damaged.
func (d *Decoder) json(j *json.Value, p []byte, depth int) int {
	if len(p) == 0 || p[0] > jsonTrue || depth > maxDepth {
		return -1
	}
	j.Kind = json.Kind(p[0])
	if p[0] == jsonTrue {
		j.Kind, j.Bool = json.Bool, true
	}
	n := 0
	switch j.Kind {
	case json.String:
		j.Text, n = d.text(p[1:])
	case json.Number:
		var v types.Value
		if v, n = d.numeric(p[1:]); n >= 0 {
			j.Number = v.Numeric()
		}
	case json.Array, json.Object:
		n = d.jsonItems(j, p[1:], depth)
	}
	if n < 0 {
		return -1
	}
	return 1 + n
}

func (d *Decoder) jsonItems(j *json.Value, p []byte, depth int) int {
	count, at := uvarint(p)
	if at <= 0 || count > uint64(len(p)-at) {
		return -1
	}
	j.Items = make([]json.Value, count)
	if j.Kind == json.Object {
		j.Keys = make([]string, count)
	}
	for i := range j.Items {
		if j.Kind == json.Object {
			key, n := d.text(p[at:])
			if n < 0 {
				return -1
			}
			j.Keys[i], at = key, at+n
		}
		n := d.json(&j.Items[i], p[at:], depth+1)
		if n < 0 {
			return -1
		}
		at += n
	}
	return at
}

// text is counted bytes that are kept as a string.
func (d *Decoder) text(p []byte) (string, int) {
	b, n := counted(p)
	if n < 0 {
		return "", -1
	}
	kept := d.keep(b)
	return unsafe.String(unsafe.SliceData(kept), len(kept)), n
}
