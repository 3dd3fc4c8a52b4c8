package dynamofake

import (
	"strconv"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// field is a member of an object in an answer.
type field struct {
	name  string
	value any
}

// fields are an object in an answer, in their order.
type fields []field

// appendJSON appends a part of an answer. A member that is nil is left out.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case fields:
		return appendFields(dst, v)
	case attribute.Item:
		return attribute.AppendItem(dst, v)
	case []attribute.Item:
		return appendList(dst, v)
	case []fields:
		return appendList(dst, v)
	case []any:
		return appendList(dst, v)
	case []string:
		return appendList(dst, v)
	case string:
		return attribute.AppendText(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	case raw:
		return append(dst, v...)
	}
	return append(dst, "null"...)
}

// raw is a part of an answer in JSON, as a request had it.
type raw []byte

func appendFields(dst []byte, object fields) []byte {
	dst = append(dst, '{')
	first := true
	for _, f := range object {
		if f.value == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(attribute.AppendText(dst, f.name), ':')
		dst = appendJSON(dst, f.value)
	}
	return append(dst, '}')
}

func appendList[T any](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, list[i])
	}
	return append(dst, ']')
}
