package dynamostore

import (
	"errors"
	"fmt"
	"strconv"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// The keys of a space with KeyKinds are strings and numbers, so that other programs can form them. The store's callers
// see the bytes of encoding/ordered, as everywhere.

// typed says whether a space has such keys.
func typed(s *store.Space) bool { return s.KeyKinds[0] != types.KindNull }

// scalarType is the type of a part of keys of a kind; of the zero one it is that of bytes.
func scalarType(k types.Kind) ddb.ScalarAttributeType {
	switch k {
	case types.KindText:
		return ddb.ScalarAttributeTypeS
	case types.KindInt:
		return ddb.ScalarAttributeTypeN
	}
	return ddb.ScalarAttributeTypeB
}

// keyTypes are the types of both parts of the keys of a space.
func keyTypes(s *store.Space) (partition, sort ddb.ScalarAttributeType) {
	if !typed(s) {
		return ddb.ScalarAttributeTypeB, ddb.ScalarAttributeTypeB
	}
	return scalarType(s.KeyKinds[0]), scalarType(s.KeyKinds[1])
}

// valueType is the type by which the bytes of a kind are read.
func valueType(k types.Kind) types.T {
	if k == types.KindInt {
		return types.Int8
	}
	return types.Text
}

// encodeTypedKey makes the key attributes of an item, or ErrTooLarge.
func encodeTypedKey(s *store.Space, k store.Key) (item, error) {
	partition, err := encodeTyped(k.Partition, s.KeyKinds[0], maxPartition)
	if err != nil {
		return nil, err
	}
	key := item{partitionAttribute: partition}
	if s.Sorted {
		if key[sortAttribute], err = encodeTyped(k.Sort, s.KeyKinds[1], maxSort); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// errEmptyKey is about a text that DynamoDB does not take as a key.
var errEmptyKey = sqlerr.New(sqlerr.InvalidParameterValue, "a key of DynamoDB cannot be an empty string")

// noKey says of an error in making a key that no item has such a key.
func noKey(err error) bool { return errors.Is(err, store.ErrTooLarge) || errors.Is(err, errEmptyKey) }

// encodeTyped makes an attribute of a part of a key.
func encodeTyped(part []byte, kind types.Kind, most int) (ddb.AttributeValue, error) {
	v, rest, err := ordered.Decode(part, valueType(kind), false)
	if err != nil || len(rest) > 0 {
		return nil, fmt.Errorf("a part of a key is not one value: %w", errors.Join(err, errNativeKey))
	}
	if kind == types.KindText {
		switch n := len(v.Text()); {
		case n == 0:
			return nil, errEmptyKey
		case n > most:
			return nil, fmt.Errorf("a string of %d bytes in a key, at most %d: %w", n, most, store.ErrTooLarge)
		}
	}
	attribute, _ := nativeValue(v, most)
	return attribute, nil
}

// decodeTyped reads a part of a key from a string or a number.
func decodeTyped(a ddb.AttributeValue) ([]byte, error) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberS:
		return ordered.Append(nil, types.NewText(a.Value), false), nil
	case *ddb.AttributeValueMemberN:
		n, err := strconv.ParseInt(a.Value, 10, 64)
		return ordered.Append(nil, types.NewInt(n), false), err
	}
	return nil, errors.New("neither bytes, a string nor a number")
}

// typedCondition is what a Query demands of the keys in a range, which may be less than the range says. It says false
// when no key is in it.
func typedCondition(s *store.Space, r store.Range) (c conditions, ok bool, err error) {
	partition, err := encodeTyped(r.Partition, s.KeyKinds[0], maxPartition)
	if noKey(err) {
		return c, false, nil
	}
	c = newConditions(partitionAttribute, partition)
	if err != nil || !s.Sorted {
		return c, true, err
	}
	attributes := []store.Attribute{{Name: sortAttribute, Type: valueType(s.KeyKinds[1])}}
	n := nativeRange(attributes, r)
	if s.KeyKinds[1] == types.KindInt { // BETWEEN has no open ends
		for i, end := range []*types.Value{n.least, n.greatest} {
			if end != nil {
				*end = span.Inward(*end, n.open[i], i == 0)
			}
		}
		n.open = [2]bool{}
		if n.least != nil && n.greatest != nil && n.least.Int() > n.greatest.Int() {
			return c, false, nil
		}
	}
	return c, n.condition(attributes, &c), nil
}
