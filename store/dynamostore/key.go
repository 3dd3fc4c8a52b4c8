package dynamostore

import (
	"bytes"
	"errors"
	"fmt"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// The limits of DynamoDB on the bytes of a key.
const (
	maxPartition = 2048
	maxSort      = 1024
)

// The key attributes of a table.
const (
	partitionAttribute = "pk"
	sortAttribute      = "sk"
)

// nonEmpty maps the bytes of a key part to those that DynamoDB holds, which are never
// empty. Zero or more 0x00 and nothing else get one more 0x00; all else stays as it is,
// so that other programs see the bytes of nearly every key. The map is injective and
// keeps the order, because a string of zeros is below every string that has another
// byte unless it is a prefix of it, and then it is below it too.
func nonEmpty(part []byte) []byte {
	if !allZero(part) {
		return part
	}
	return make([]byte, len(part)+1)
}

// fromNonEmpty undoes nonEmpty.
func fromNonEmpty(attribute []byte) ([]byte, error) {
	if len(attribute) == 0 {
		return nil, errors.New("empty key attribute")
	}
	if allZero(attribute) {
		return attribute[1:], nil
	}
	return attribute, nil
}

func allZero(p []byte) bool { return len(bytes.Trim(p, "\x00")) == 0 }

// encodeKey makes the key attributes of an item, or ErrTooLarge. It keeps nothing of the
// key's memory.
func encodeKey(s *store.Space, k store.Key) (item, error) {
	if !s.Sorted && len(k.Sort) > 0 {
		return nil, fmt.Errorf("space %s has no sort keys", s.Name)
	}
	if typed(s) {
		return encodeTypedKey(s, k)
	}
	partition, sort := bytes.Clone(nonEmpty(k.Partition)), bytes.Clone(nonEmpty(k.Sort))
	if len(partition) > maxPartition {
		return nil, fmt.Errorf("partition key of %d bytes, at most %d: %w", len(partition), maxPartition,
			store.ErrTooLarge)
	}
	if len(sort) > maxSort {
		return nil, fmt.Errorf("sort key of %d bytes, at most %d: %w", len(sort), maxSort, store.ErrTooLarge)
	}
	attributes := item{partitionAttribute: &ddb.AttributeValueMemberB{Value: partition}}
	if s.Sorted {
		attributes[sortAttribute] = &ddb.AttributeValueMemberB{Value: sort}
	}
	return attributes, nil
}

// decodeKey reads the key attributes of an item.
func decodeKey(s *store.Space, attributes item) (k store.Key, err error) {
	partition, sort := keyTypes(s)
	partitionName, sortName := keyNames(s)
	if k.Partition, err = decodePart(attributes, partitionName, partition); err == nil && s.Sorted {
		k.Sort, err = decodePart(attributes, sortName, sort)
	}
	return k, err
}

func decodePart(attributes item, name string, t ddb.ScalarAttributeType) ([]byte, error) {
	if scalarOf(attributes[name]) != t {
		return nil, fmt.Errorf("attribute %s is not of type %s", name, t)
	}
	return decodeKeyPart(attributes, name)
}

// decodeKeyPart reads a part of a key, which its attribute tells whatever its type is.
func decodeKeyPart(attributes item, name string) (part []byte, err error) {
	if b, ok := attributes[name].(*ddb.AttributeValueMemberB); ok {
		part, err = fromNonEmpty(b.Value)
	} else {
		part, err = decodeTyped(attributes[name])
	}
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", name, err)
	}
	return part, nil
}

// bounds are the least and the greatest sort attribute of a range, both inclusive, as
// BETWEEN wants them. A nil bound is none.
type bounds struct{ least, greatest []byte }

// sortBounds turns from <= sort key < to into inclusive bounds. They are exact, since a
// sort attribute has at most maxSort bytes. It says false when no key is between them.
func sortBounds(from, to []byte) (b bounds, ok bool) {
	if len(from) > 0 {
		if b.least = atLeast(nonEmpty(from)); b.least == nil {
			return b, false
		}
	}
	if to != nil {
		if b.greatest = below(nonEmpty(to)); len(b.greatest) == 0 {
			return b, false
		}
	}
	return b, b.least == nil || b.greatest == nil || bytes.Compare(b.least, b.greatest) <= 0
}

// atLeast is the least string of at most maxSort bytes that is not below bound, nil when
// there is none.
func atLeast(bound []byte) []byte {
	if len(bound) <= maxSort {
		return bound
	}
	for i := maxSort - 1; i >= 0; i-- {
		if bound[i] < 0xff {
			up := bytes.Clone(bound[:i+1])
			up[i]++
			return up
		}
	}
	return nil
}

// below is the greatest string of at most maxSort bytes that is below bound, which is
// not empty.
func below(bound []byte) []byte {
	if len(bound) > maxSort {
		return bound[:maxSort]
	}
	last := len(bound) - 1
	if bound[last] == 0 {
		return bound[:last]
	}
	down := append(make([]byte, 0, maxSort), bound...)
	down[last]--
	return append(down, bytes.Repeat([]byte{0xff}, maxSort-len(bound))...)
}
