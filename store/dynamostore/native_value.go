package dynamostore

import (
	"errors"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// decodeOutside reads a column of an item that another program wrote. What is not of a type that
// the column could hold is NULL; what is, but is no value of the column's type, is an error.
func decodeOutside(a ddb.AttributeValue, t types.T) (types.Value, error) {
	if !holds(a, t) {
		return types.Null, nil
	}
	v, err := decodeHeld(a, t)
	if err != nil {
		return types.Null, err
	}
	if t.OID != types.OIDJSON && t.Kind() == types.KindText {
		return types.ApplyMod(v, t, false, nil)
	}
	return v, nil
}

func decodeHeld(a ddb.AttributeValue, t types.T) (types.Value, error) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberL:
		if t.Kind() == types.KindArray {
			return decodeElements(a.Value, t)
		}
	case *ddb.AttributeValueMemberSS, *ddb.AttributeValueMemberNS, *ddb.AttributeValueMemberBS:
		if t.Kind() == types.KindArray {
			return decodeElements(elements(a), t)
		}
	}
	if t.OID != types.OIDJSON {
		return decodeValue(a, t)
	}
	if s, ok := a.(*ddb.AttributeValueMemberS); ok {
		return types.ParseText(s.Value, t, nil)
	}
	v, err := decodeValue(a, types.JSONB)
	if err != nil {
		return v, err
	}
	return types.NewJSON(types.FormatText(v, types.JSONB, nil)), nil
}

// holds says whether an attribute is of a type that a column has. Texts of other types, such as
// times, are strings.
func holds(a ddb.AttributeValue, t types.T) bool {
	kind := t.Kind()
	json := kind == types.KindJSONB || t.OID == types.OIDJSON
	switch a.(type) {
	case *ddb.AttributeValueMemberBOOL:
		return kind == types.KindBool || json
	case *ddb.AttributeValueMemberN:
		return kind == types.KindInt || kind == types.KindFloat || kind == types.KindNumeric || json
	case *ddb.AttributeValueMemberB:
		return t.OID == types.OIDBytea
	case *ddb.AttributeValueMemberS:
		switch kind {
		case types.KindBool, types.KindInt, types.KindFloat, types.KindNumeric, types.KindArray:
			return false
		}
		return t.OID != types.OIDBytea
	case *ddb.AttributeValueMemberM:
		return json
	case *ddb.AttributeValueMemberL, *ddb.AttributeValueMemberSS, *ddb.AttributeValueMemberNS,
		*ddb.AttributeValueMemberBS:
		return json || kind == types.KindArray
	}
	return false
}

// decodeElements reads a list or a set. An element of another type is NULL.
func decodeElements(list []ddb.AttributeValue, t types.T) (types.Value, error) {
	element, ok := types.ElementOf(t)
	if !ok {
		return types.Null, nil
	}
	items := make([]types.Value, len(list))
	for i, a := range list {
		var err error
		if items[i], err = decodeOutside(a, element); err != nil {
			return types.Null, err
		}
	}
	return types.NewItems(element.OID, items), nil
}

// elements are those of a set.
func elements(set ddb.AttributeValue) (out []ddb.AttributeValue) {
	switch set := set.(type) {
	case *ddb.AttributeValueMemberSS:
		for _, v := range set.Value {
			out = append(out, &ddb.AttributeValueMemberS{Value: v})
		}
	case *ddb.AttributeValueMemberNS:
		for _, v := range set.Value {
			out = append(out, &ddb.AttributeValueMemberN{Value: v})
		}
	case *ddb.AttributeValueMemberBS:
		for _, v := range set.Value {
			out = append(out, &ddb.AttributeValueMemberB{Value: v})
		}
	}
	return out
}

// decodeOutsideColumns fills a row with the columns of an item.
func decodeOutsideColumns(s *store.Space, columns []int, attributes item, row types.Row) error {
	var texts types.Row
	if hasTexts(s.Outside) {
		texts = make(types.Row, len(s.Columns))
		readTexts(s, attributes, texts)
	}
	for i, c := range columns {
		if c == store.NoColumn {
			continue // the row is made of NULLs
		}
		column := &s.Columns[c]
		if texts != nil && (column.Name == "" || !texts[c].IsNull()) {
			row[i] = texts[c]
			continue
		}
		v, err := decodeOutside(attributes[column.Name], column.Type)
		if err != nil {
			var known *sqlerr.Error
			if !errors.As(err, &known) {
				err = sqlerr.New(sqlerr.DataCorrupted, "%v", err)
			}
			return misfit(s.Outside, attributes, column.Name, err)
		}
		row[i] = v
	}
	return nil
}
