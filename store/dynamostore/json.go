package dynamostore

import (
	"encoding/base64"
	"fmt"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/types"
	"zproxy/types/form"
	"zproxy/types/json"
)

// maxNesting is how deep maps and lists may lie in an attribute; DynamoDB's limit is 32
// with the item itself and a list around, or the intent with the item.
const maxNesting = 28

// encodeJSONB makes a map or a list of an object or an array, where that reads back as
// the same document: with names that are not empty, numbers that DynamoDB holds with
// their zeros, and few levels. Everything else is its text.
func encodeJSONB(v types.Value, t types.T) ddb.AttributeValue {
	j := v.JSONB()
	if j.Kind == json.Array || j.Kind == json.Object {
		if a := document(j, maxNesting, exactNumber); a != nil {
			return a
		}
	}
	return &ddb.AttributeValueMemberS{Value: formatValue(v, t)}
}

// exactNumber is the attribute of a number that is read with the same zeros, nil when there is none.
func exactNumber(v types.Value) ddb.AttributeValue {
	if n, ok := encodeNumeric(v, types.Numeric).(*ddb.AttributeValueMemberN); ok {
		return n
	}
	return nil
}

// document is the attribute of a value in a document, nil when there is none, as there may be none of a number.
func document(j *json.Value, levels int, number func(types.Value) ddb.AttributeValue) ddb.AttributeValue {
	switch j.Kind {
	case json.Null:
		return &ddb.AttributeValueMemberNULL{Value: true}
	case json.Bool:
		return &ddb.AttributeValueMemberBOOL{Value: j.Bool}
	case json.String:
		return &ddb.AttributeValueMemberS{Value: strings.Clone(j.Text)}
	case json.Number:
		return number(types.NewNumeric(j.Number))
	}
	if levels == 0 {
		return nil
	}
	list := make([]ddb.AttributeValue, len(j.Items))
	members := make(map[string]ddb.AttributeValue, len(j.Keys))
	for i := range j.Items {
		if list[i] = document(&j.Items[i], levels-1, number); list[i] == nil {
			return nil
		}
		if j.Kind == json.Object {
			if j.Keys[i] == "" {
				return nil
			}
			members[strings.Clone(j.Keys[i])] = list[i]
		}
	}
	if j.Kind == json.Array {
		return &ddb.AttributeValueMemberL{Value: list}
	}
	return &ddb.AttributeValueMemberM{Value: members}
}

// decodeJSONB reads the attribute of a jsonb: a string is its text.
func decodeJSONB(a ddb.AttributeValue) (types.Value, error) {
	if s, ok := a.(*ddb.AttributeValueMemberS); ok {
		return types.ParseText(s.Value, types.JSONB, nil)
	}
	j, err := decodeDocument(a)
	if err != nil {
		return types.Null, err
	}
	return types.NewJSONB(&j), nil
}

func decodeDocument(a ddb.AttributeValue) (j json.Value, err error) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberNULL:
		return j, nil
	case *ddb.AttributeValueMemberBOOL:
		return json.Value{Kind: json.Bool, Bool: a.Value}, nil
	case *ddb.AttributeValueMemberS:
		return json.Value{Kind: json.String, Text: a.Value}, form.CheckUTF8(a.Value)
	case *ddb.AttributeValueMemberN:
		n, err := decodeNumber(a.Value, types.Numeric)
		if err != nil {
			return j, err
		}
		return json.Value{Kind: json.Number, Number: n.Numeric()}, nil
	case *ddb.AttributeValueMemberL:
		j = json.Value{Kind: json.Array, Items: make([]json.Value, len(a.Value))}
		for i, item := range a.Value {
			if j.Items[i], err = decodeDocument(item); err != nil {
				return j, err
			}
		}
		return j, nil
	case *ddb.AttributeValueMemberM:
		var keys []string
		var items []json.Value
		for key, member := range a.Value {
			item, err := decodeDocument(member)
			if err != nil {
				return j, err
			}
			keys, items = append(keys, key), append(items, item)
		}
		return *json.NewObject(keys, items), nil
	}
	return decodeOther(a)
}

// decodeOther reads what only other programs put into documents.
func decodeOther(a ddb.AttributeValue) (j json.Value, err error) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberB:
		return json.Value{Kind: json.String, Text: base64.StdEncoding.EncodeToString(a.Value)}, nil
	case *ddb.AttributeValueMemberSS, *ddb.AttributeValueMemberNS, *ddb.AttributeValueMemberBS:
		return decodeDocument(&ddb.AttributeValueMemberL{Value: elements(a)})
	}
	return j, fmt.Errorf("an attribute %T in a document", a)
}
