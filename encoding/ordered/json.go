package ordered

import (
	"zproxy/types"
	"zproxy/types/json"
)

// What a part of a document is, in the order of jsonb. The empty array as a whole document is below all others.
const (
	jsonEmpty  = 0x01
	jsonNull   = 0x02
	jsonString = 0x03 // and its bytes
	jsonNumber = 0x04 // and a numeric
	jsonFalse  = 0x05
	jsonTrue   = 0x06
	jsonArray  = 0x07 // how many elements, and they
	jsonObject = 0x08 // how many members, and the key and the value of each
)

// maxJSONDepth is beyond what SQL can make; it bounds the stack that damage may cost.
const maxJSONDepth = 1 << 18

// appendDocument writes a jsonb.
func appendDocument(dst []byte, j *json.Value) []byte {
	dst = append(dst, tagJSON)
	if j.Kind == json.Array && len(j.Items) == 0 {
		return append(dst, jsonEmpty)
	}
	return appendJSON(dst, j)
}

func appendJSON(dst []byte, j *json.Value) []byte {
	switch j.Kind {
	case json.Null:
		return append(dst, jsonNull)
	case json.String:
		return appendBytes(append(dst, jsonString), []byte(j.Text))
	case json.Number:
		return appendNumeric(append(dst, jsonNumber), j.Number)
	case json.Bool:
		if j.Bool {
			return append(dst, jsonTrue)
		}
		return append(dst, jsonFalse)
	}
	head := byte(jsonArray)
	if j.Kind == json.Object {
		head = jsonObject
	}
	dst = appendInt(append(dst, head), int64(len(j.Items)))
	for i := range j.Items {
		if j.Kind == json.Object {
			dst = appendBytes(dst, []byte(j.Keys[i]))
		}
		dst = appendJSON(dst, &j.Items[i])
	}
	return dst
}

// documentReader reads a document from left to right, perhaps only to find its end.
type documentReader struct {
	rest  []byte
	desc  bool
	build bool // the values are wanted
}

// documentLen is the number of bytes of a document's encoding.
func documentLen(key []byte, desc bool) (int, error) {
	r := documentReader{rest: key[1:], desc: desc}
	if _, err := r.document(); err != nil {
		return 0, err
	}
	return len(key) - len(r.rest), nil
}

// decodeDocument reads one whole ascending encoding.
func decodeDocument(enc []byte) (types.Value, error) {
	r := documentReader{rest: enc[1:], build: true}
	j, err := r.document()
	if err != nil {
		return types.Null, err
	}
	return types.NewJSONB(&j), nil
}

func (r *documentReader) document() (json.Value, error) {
	if len(r.rest) > 0 && r.rest[0]^flipped(r.desc) == jsonEmpty {
		r.rest = r.rest[1:]
		return json.Value{Kind: json.Array}, nil
	}
	return r.value(0)
}

func (r *documentReader) value(depth int) (json.Value, error) {
	if len(r.rest) == 0 || depth > maxJSONDepth {
		return json.Value{}, errCorrupt
	}
	head := r.rest[0] ^ flipped(r.desc)
	r.rest = r.rest[1:]
	switch head {
	case jsonNull:
		return json.Value{Kind: json.Null}, nil
	case jsonFalse, jsonTrue:
		return json.Value{Kind: json.Bool, Bool: head == jsonTrue}, nil
	case jsonString:
		v, err := r.scalar(types.Text)
		if err != nil || !r.build {
			return json.Value{}, err
		}
		return json.Value{Kind: json.String, Text: v.Text()}, nil
	case jsonNumber:
		v, err := r.scalar(types.Numeric)
		if err != nil || !r.build {
			return json.Value{}, err
		}
		return json.Value{Kind: json.Number, Number: v.Numeric()}, nil
	case jsonArray:
		return r.items(json.Array, depth)
	case jsonObject:
		return r.items(json.Object, depth)
	}
	return json.Value{}, errCorrupt
}

// items reads the elements of an array or the members of an object.
func (r *documentReader) items(kind json.Kind, depth int) (json.Value, error) {
	j := json.Value{Kind: kind}
	count, rest, err := Decode(r.rest, types.Int8, r.desc)
	if err != nil || count.IsNull() || count.Int() < 0 || count.Int() > int64(len(rest)) {
		return j, errCorrupt
	}
	r.rest = rest
	for range count.Int() {
		if kind == json.Object {
			key, err := r.scalar(types.Text)
			if err != nil {
				return j, err
			}
			if r.build {
				j.Keys = append(j.Keys, key.Text())
			}
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return j, err
		}
		if r.build {
			j.Items = append(j.Items, item)
		}
	}
	return j, nil
}

// scalar reads a text or a number, NULL if only its end is wanted.
func (r *documentReader) scalar(t types.T) (types.Value, error) {
	if !r.build {
		n, err := Len(r.rest, r.desc)
		if err == nil {
			r.rest = r.rest[n:]
		}
		return types.Null, err
	}
	v, rest, err := Decode(r.rest, t, r.desc)
	if err == nil && v.IsNull() {
		err = errCorrupt
	}
	r.rest = rest
	return v, err
}
