package dynamostore

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/ordered"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// The tables of other programs have keys of one or several strings, numbers or binaries. A
// store.Key of such a space is their values in an order-preserving encoding, which is taken
// apart here.

// nativeValue is the attribute of a value in a key. It says false for one that no key holds.
func nativeValue(v types.Value, most int) (ddb.AttributeValue, bool) {
	switch v.Kind() {
	case types.KindText:
		s := v.Text()
		return &ddb.AttributeValueMemberS{Value: strings.Clone(s)}, s != "" && len(s) <= most && utf8.ValidString(s)
	case types.KindBytes:
		b := append([]byte{}, v.Bytes()...)
		return &ddb.AttributeValueMemberB{Value: b}, len(b) > 0 && len(b) <= most
	case types.KindInt:
		return &ddb.AttributeValueMemberN{Value: types.FormatText(v, types.Int8, nil)}, true
	case types.KindNumeric:
		text, ok := numberText(v.Numeric())
		return &ddb.AttributeValueMemberN{Value: text}, ok
	}
	return nil, false
}

// decodeNative reads the value of a key's attribute. Of an item that DynamoDB answers with it is
// there, and of the type that the key has.
func decodeNative(a ddb.AttributeValue, t types.T) (types.Value, error) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberS:
		if t.Kind() == types.KindText {
			return types.ParseText(a.Value, t, nil)
		}
	case *ddb.AttributeValueMemberB:
		if t.Kind() == types.KindBytes {
			return types.NewBytes(a.Value), nil
		}
	case *ddb.AttributeValueMemberN:
		if t.Kind() == types.KindInt || t.Kind() == types.KindNumeric {
			return types.ParseText(a.Value, t, nil)
		}
	}
	return types.Null, sqlerr.New(sqlerr.DataCorrupted,
		"DynamoDB answered with an item whose key is not what its table declares")
}

// appendNative appends the key attributes of an item.
func appendNative(dst []byte, attributes []store.Attribute, from item) ([]byte, string, error) {
	for _, a := range attributes {
		v, err := decodeNative(from[a.Name], a.Type)
		if err != nil {
			return nil, a.Name, err
		}
		dst = ordered.Append(dst, v, false)
	}
	return dst, "", nil
}

// nativeKey reads the key of an item.
func nativeKey(o *store.Outside, from item) (store.Key, error) {
	buf := make([]byte, 0, 64)
	buf, at, err := appendNative(buf, o.Partition, from)
	n := len(buf)
	if err == nil {
		buf, at, err = appendNative(buf, o.Sort, from)
	}
	if err == nil {
		buf, at, err = appendNative(buf, o.Row, from)
	}
	if err != nil {
		return store.Key{}, misfit(o, from, at, err)
	}
	return store.Key{Partition: buf[:n:n], Sort: buf[n:]}, nil
}

// misfit says in which attribute of which item an error is.
func misfit(o *store.Outside, of item, attribute string, err error) error {
	var names, values []string
	for _, a := range keyOfRow(o) {
		names, values = append(names, a.Name), append(values, shown(of[a.Name]))
	}
	return sqlerr.From(err).WithDetail("Attribute \"%s\" of the item with the key (%s)=(%s) in DynamoDB table \"%s\".",
		attribute, strings.Join(names, ", "), strings.Join(values, ", "), o.Table)
}

func shown(a ddb.AttributeValue) string {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberS:
		return a.Value
	case *ddb.AttributeValueMemberN:
		return a.Value
	case *ddb.AttributeValueMemberB:
		return base64.StdEncoding.EncodeToString(a.Value)
	}
	return "?"
}

// nativeItem is the attributes of a key, all of it. It says false when no item can have it.
func nativeItem(o *store.Outside, k store.Key) (item, bool, error) {
	out := item{}
	rest, ok, err := fillNative(out, o.Partition, k.Partition, maxPartition)
	if err == nil && len(rest) > 0 {
		err = errNativeKey
	}
	if err != nil || !ok {
		return nil, false, err
	}
	if rest, ok, err = fillNative(out, o.Sort, k.Sort, maxSort); err == nil && ok {
		rest, ok, err = fillNative(out, o.Row, rest, maxPartition)
	}
	if err == nil && ok && len(rest) > 0 {
		err = errNativeKey
	}
	return out, ok, err
}

var errNativeKey = fmt.Errorf("dynamodb: a key that is not of the attributes of its table")

// fillNative reads attributes from a key, and gives what follows them.
func fillNative(dst item, attributes []store.Attribute, key []byte, most int) (rest []byte, ok bool, err error) {
	for _, a := range attributes {
		v, rest, err := ordered.Decode(key, a.Type, false)
		if err != nil {
			return nil, false, fmt.Errorf("%w: %w", errNativeKey, err)
		}
		native, ok := nativeValue(v, most)
		if !ok {
			return nil, false, nil
		}
		dst[a.Name], key = native, rest
	}
	return key, true, nil
}
