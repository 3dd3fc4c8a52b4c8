package dynamostore

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/json"
)

// What is written to tables of other programs is in the types that these expect. Where an attribute has a value
// already, the new one is of its kind: a set stays a set, and so it is deep in documents.

// encodeOutside makes the attribute of a column's value, which is not NULL. before is what the item has, or nil.
func encodeOutside(
	o *store.Outside, c *store.Column, v types.Value, before ddb.AttributeValue,
) (ddb.AttributeValue, error) {
	if before != nil {
		if old, err := decodeOutside(before, c.Type); err == nil && types.Identical(old, v) {
			return before, nil
		}
	}
	switch {
	case c.Type.Kind() == types.KindJSONB:
		return encodeOutsideJSON(v.JSONB(), before)
	case c.Type.OID == types.OIDJSON:
		return encodeOutsideText(v, c.Type, before)
	case c.Type.Kind() == types.KindArray:
		return encodeOutsideArray(v, c.Type, slices.Contains(o.Sets, c.Name) || isSet(before))
	}
	return encodeOutsideScalar(v, c.Type)
}

// encodeOutsideScalar makes the attribute of a value that is no document and no array.
func encodeOutsideScalar(v types.Value, t types.T) (ddb.AttributeValue, error) {
	if t.Kind() == types.KindTimestamp {
		return &ddb.AttributeValueMemberS{Value: isoTimestamp(formatValue(v, t))}, nil
	}
	a, err := encodeValue(v, t)
	if err != nil {
		return nil, sqlerr.New(sqlerr.CharacterNotInRepertoire, "%v", err)
	}
	if kind := t.Kind(); kind == types.KindNumeric || kind == types.KindFloat {
		if _, text := a.(*ddb.AttributeValueMemberS); text {
			return outsideNumber(v)
		}
	}
	return a, nil
}

// isoTimestamp writes the offset of UTC as ISO 8601 has it.
func isoTimestamp(text string) string {
	if utc, ok := strings.CutSuffix(text, "+00"); ok {
		return utc + "Z"
	}
	return text
}

// outsideNumber is the number of a numeric that would not come back with the same zeros, which matter to no other
// program.
func outsideNumber(v types.Value) (ddb.AttributeValue, error) {
	if v.Kind() == types.KindNumeric {
		if number, ok := numberText(v.Numeric()); ok {
			return &ddb.AttributeValueMemberN{Value: number}, nil
		}
	}
	return nil, sqlerr.New(sqlerr.NumericValueOutOfRange, "DynamoDB cannot hold the number").
		WithDetail("A number has up to %d digits, and a magnitude of 1e%d to below 1e%d.", maxDigits, minMagnitude,
			maxMagnitude+1)
}

// encodeOutsideText writes a json: its text where there is a string, else what a jsonb of it is.
func encodeOutsideText(v types.Value, t types.T, before ddb.AttributeValue) (ddb.AttributeValue, error) {
	if _, text := before.(*ddb.AttributeValueMemberS); text {
		return encodeValue(v, t)
	}
	parsed, err := types.ParseText(v.Text(), types.JSONB, nil)
	if err != nil {
		return nil, err
	}
	return encodeOutsideJSON(parsed.JSONB(), before)
}

// encodeOutsideJSON makes the attribute of a document: of a text or a null by itself the string that is its JSON, and
// where there is a string already that, too.
func encodeOutsideJSON(j *json.Value, before ddb.AttributeValue) (ddb.AttributeValue, error) {
	_, text := before.(*ddb.AttributeValueMemberS)
	if text || j.Kind == json.String || j.Kind == json.Null {
		return &ddb.AttributeValueMemberS{Value: formatValue(types.NewJSONB(j), types.JSONB)}, nil
	}
	a := document(j, maxNesting, func(number types.Value) ddb.AttributeValue {
		a, err := outsideNumber(number)
		if err != nil {
			return nil
		}
		return a
	})
	if a == nil {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "DynamoDB cannot hold the document").
			WithDetail("It has a number of more than %d digits, an empty name, or more than %d levels.", maxDigits, maxNesting)
	}
	return likeBefore(a, before), nil
}

// likeBefore is a new value, of the types that the attribute has now as far as they hold it: what is JSON's to both
// stays as it is.
func likeBefore(a, before ddb.AttributeValue) ddb.AttributeValue {
	if before == nil {
		return a
	}
	if sameDocument(a, before) {
		return before
	}
	switch a := a.(type) {
	case *ddb.AttributeValueMemberM:
		old, ok := before.(*ddb.AttributeValueMemberM)
		if !ok {
			return a
		}
		for name, member := range a.Value {
			a.Value[name] = likeBefore(member, old.Value[name])
		}
	case *ddb.AttributeValueMemberL:
		old, ok := before.(*ddb.AttributeValueMemberL)
		switch {
		case ok:
			for i := range min(len(a.Value), len(old.Value)) {
				a.Value[i] = likeBefore(a.Value[i], old.Value[i])
			}
		case isSet(before):
			if set := setLike(a.Value, before); set != nil {
				return set
			}
		}
	case *ddb.AttributeValueMemberS:
		if _, binary := before.(*ddb.AttributeValueMemberB); binary {
			if b, err := base64.StdEncoding.DecodeString(a.Value); err == nil {
				return &ddb.AttributeValueMemberB{Value: b}
			}
		}
	}
	return a
}

// sameDocument says whether two attributes are one JSON value.
func sameDocument(a, b ddb.AttributeValue) bool {
	x, err := decodeDocument(a)
	if err != nil {
		return false
	}
	y, err := decodeDocument(b)
	return err == nil && json.Compare(&x, &y) == 0
}

func isSet(a ddb.AttributeValue) bool {
	switch a.(type) {
	case *ddb.AttributeValueMemberSS, *ddb.AttributeValueMemberNS, *ddb.AttributeValueMemberBS:
		return true
	}
	return false
}

// setLike is the set of elements, of the kind of another set, nil where there is none.
func setLike(list []ddb.AttributeValue, before ddb.AttributeValue) ddb.AttributeValue {
	if len(list) == 0 {
		return nil
	}
	first := elements(before)[0]
	items := make([]ddb.AttributeValue, len(list))
	for i, a := range list {
		if items[i] = likeBefore(a, first); reflect.TypeOf(items[i]) != reflect.TypeOf(first) {
			return nil
		}
	}
	set, err := setOf(items)
	if err != nil {
		return nil
	}
	return set
}

// encodeOutsideArray gives a list or a set.
func encodeOutsideArray(v types.Value, t types.T, set bool) (ddb.AttributeValue, error) {
	array := v.Array()
	element, ok := types.ElementOf(t)
	if !ok || element.Kind() == types.KindJSONB || len(array.Dims) > 1 ||
		len(array.Dims) == 1 && array.Dims[0].Lower != 1 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"a foreign table cannot hold an array of several dimensions, of documents, or whose first index is not 1")
	}
	list := make([]ddb.AttributeValue, len(array.Items))
	for i, item := range array.Items {
		list[i] = &ddb.AttributeValueMemberNULL{Value: true}
		if item.IsNull() {
			continue
		}
		var err error
		if list[i], err = encodeOutsideScalar(item, element); err != nil {
			return nil, err
		}
	}
	if !set {
		return &ddb.AttributeValueMemberL{Value: list}, nil
	}
	return setOf(list)
}

// setOf makes a set, which has one element at least, no NULL, and no two that are equal.
func setOf(list []ddb.AttributeValue) (ddb.AttributeValue, error) {
	bad := func(why string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "the array cannot be stored as a set: %s", why)
	}
	var texts, numbers []string
	var binaries [][]byte
	seen := map[string]bool{}
	for _, a := range list {
		var key string
		switch a := a.(type) {
		case *ddb.AttributeValueMemberS:
			key, texts = a.Value, append(texts, a.Value)
		case *ddb.AttributeValueMemberN:
			key, numbers = a.Value, append(numbers, a.Value)
		case *ddb.AttributeValueMemberB:
			key, binaries = string(a.Value), append(binaries, a.Value)
		default:
			return nil, bad("it has a null, or elements that are no texts, numbers or bytea")
		}
		if seen[key] {
			return nil, bad("it has equal elements")
		}
		seen[key] = true
	}
	switch len(list) {
	case 0:
		return nil, bad("it is empty; NULL stands for that")
	case len(texts):
		return &ddb.AttributeValueMemberSS{Value: texts}, nil
	case len(numbers):
		return &ddb.AttributeValueMemberNS{Value: numbers}, nil
	case len(binaries):
		return &ddb.AttributeValueMemberBS{Value: binaries}, nil
	}
	return nil, bad("its elements are of several types")
}
