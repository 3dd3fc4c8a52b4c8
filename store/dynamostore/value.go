package dynamostore

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
	"zproxy/types/form"
	"zproxy/types/interval"
)

// What a DynamoDB number holds: up to 38 digits, of a magnitude of 1e-130 to below
// 1e126. It has no NaN, no infinity, no negative zero, and no trailing zeros.
const (
	maxDigits    = 38
	minMagnitude = -130
	maxMagnitude = 125
)

// PostgreSQL's limits of a numeric's digits before and after the point. They bound what
// arithmetic on a number from outside may cost.
const (
	maxNumericWhole = 131072
	maxNumericScale = 16383
)

// errNotUTF8 is about a text that no string of DynamoDB holds.
var errNotUTF8 = errors.New("text is not UTF-8")

// encodeValue makes the attribute of a value that is not NULL, in a type that other
// programs expect: see the package comment.
func encodeValue(v types.Value, t types.T) (ddb.AttributeValue, error) {
	if v.Kind() != t.Kind() {
		return nil, fmt.Errorf("value of kind %d for a column of type %s", v.Kind(), t)
	}
	switch v.Kind() {
	case types.KindBool:
		return &ddb.AttributeValueMemberBOOL{Value: v.Bool()}, nil
	case types.KindBytes:
		if t.OID != types.OIDBytea {
			break // an address or a shape, whose bytes are our own affair
		}
		return &ddb.AttributeValueMemberB{Value: append([]byte{}, v.Bytes()...)}, nil
	case types.KindInt:
		return &ddb.AttributeValueMemberN{Value: strconv.FormatInt(v.Int(), 10)}, nil
	case types.KindFloat:
		return encodeFloat(v, t), nil
	case types.KindNumeric:
		return encodeNumeric(v, t), nil
	case types.KindText:
		if t.OID == types.OIDChar {
			break // its byte need not be UTF-8, its text form is
		}
		if !utf8.ValidString(v.Text()) {
			return nil, errNotUTF8
		}
		return &ddb.AttributeValueMemberS{Value: strings.Clone(v.Text())}, nil
	case types.KindCollated:
		if !utf8.ValidString(v.Text()) {
			return nil, errNotUTF8
		}
		return &ddb.AttributeValueMemberS{Value: strings.Clone(v.Text())}, nil
	case types.KindEnum: // by which it is ordered, whatever its label is called
		return &ddb.AttributeValueMemberS{Value: strings.Clone(v.Text())}, nil
	case types.KindArray:
		return encodeArray(v, t)
	case types.KindJSONB:
		return encodeJSONB(v, t), nil
	}
	return &ddb.AttributeValueMemberS{Value: formatValue(v, t)}, nil
}

// encodeArray gives a list where there is one dimension that begins at 1, or none. Not so
// of jsonb, which may be as deep by itself as an attribute may be.
func encodeArray(v types.Value, t types.T) (ddb.AttributeValue, error) {
	a := v.Array()
	element, ok := types.ElementOf(t)
	if !ok || element.Kind() == types.KindJSONB || len(a.Dims) > 1 || len(a.Dims) == 1 && a.Dims[0].Lower != 1 {
		return &ddb.AttributeValueMemberS{Value: formatValue(v, t)}, nil
	}
	list := make([]ddb.AttributeValue, len(a.Items))
	for i, item := range a.Items {
		if item.IsNull() {
			list[i] = &ddb.AttributeValueMemberNULL{Value: true}
			continue
		}
		var err error
		if list[i], err = encodeValue(item, element); err != nil {
			return nil, err
		}
	}
	return &ddb.AttributeValueMemberL{Value: list}, nil
}

func decodeList(list []ddb.AttributeValue, t types.T) (types.Value, error) {
	element, ok := types.ElementOf(t)
	if !ok {
		return types.Null, fmt.Errorf("a list in a column of type %s", t)
	}
	items := make([]types.Value, len(list))
	for i, a := range list {
		var err error
		if items[i], err = decodeValue(a, element); err != nil {
			return types.Null, err
		}
	}
	return types.NewItems(element.OID, items), nil
}

// encodeFloat gives N where DynamoDB holds the number, else S.
func encodeFloat(v types.Value, t types.T) ddb.AttributeValue {
	f, text := v.Float(), formatValue(v, t)
	if abs := math.Abs(f); f == 0 && !math.Signbit(f) || abs >= 1e-130 && abs < 1e126 {
		return &ddb.AttributeValueMemberN{Value: text}
	}
	return &ddb.AttributeValueMemberS{Value: text}
}

// encodeNumeric gives N where reading it back gives the same digits, those after the
// point included; else S. Decimal's String tells all decimals apart.
func encodeNumeric(v types.Value, t types.T) ddb.AttributeValue {
	d := v.Numeric()
	if number, ok := numberText(d); ok {
		if back, err := decodeNumber(number, t); err == nil && back.Numeric().String() == d.String() {
			return &ddb.AttributeValueMemberN{Value: number}
		}
	}
	return &ddb.AttributeValueMemberS{Value: d.String()}
}

// numberText writes d without trailing zeros, if DynamoDB can hold it.
func numberText(d *apd.Decimal) (string, bool) {
	if d.Form != apd.Finite || d.Negative && d.IsZero() {
		return "", false
	}
	reduced, _ := new(apd.Decimal).Reduce(d)
	digits := reduced.NumDigits()
	magnitude := int64(reduced.Exponent) + digits - 1
	return reduced.String(), digits <= maxDigits && magnitude >= minMagnitude && magnitude <= maxMagnitude
}

// formatValue is PostgreSQL's text of a value, with a T between day and time and a plus before
// a year of more than four digits, so that it is ISO 8601 too.
func formatValue(v types.Value, t types.T) string {
	text := types.FormatText(t.Stored(v), t, &types.Env{IntervalStyle: interval.ISO8601, Keys: true})
	switch v.Kind() {
	case types.KindTimestamp:
		return longYear(strings.Replace(text, " ", "T", 1))
	case types.KindDate:
		return longYear(text)
	}
	return text
}

func longYear(text string) string {
	if strings.IndexByte(text, '-') > len("2024") {
		return "+" + text
	}
	return text
}

// decodeValue reads a column's attribute, which any program may have written.
func decodeValue(a ddb.AttributeValue, t types.T) (types.Value, error) {
	switch a.(type) {
	case *ddb.AttributeValueMemberNULL:
		return types.Null, nil
	}
	if t.Kind() == types.KindJSONB {
		return decodeJSONB(a)
	}
	switch a := a.(type) {
	case *ddb.AttributeValueMemberBOOL:
		if t.Kind() == types.KindBool {
			return types.NewBool(a.Value), nil
		}
	case *ddb.AttributeValueMemberB:
		if t.OID == types.OIDBytea {
			return types.NewBytes(a.Value), nil
		}
	case *ddb.AttributeValueMemberL:
		return decodeList(a.Value, t)
	case *ddb.AttributeValueMemberN:
		return decodeNumber(a.Value, t)
	case *ddb.AttributeValueMemberS:
		return decodeString(a.Value, t)
	}
	return types.Null, fmt.Errorf("an attribute %T in a column of type %s", a, t)
}

// decodeNumber reads an N. It has lost the zeros after a numeric's point; the scale
// that the column declares gives them back.
func decodeNumber(text string, t types.T) (types.Value, error) {
	switch t.Kind() {
	case types.KindInt, types.KindFloat:
		if t.OID == types.OIDMoney { // a number of cents, which its texts are not
			t = types.Int8
		}
		return types.ParseText(text, t, nil)
	case types.KindNumeric:
		v, err := types.ParseText(text, t, nil)
		if err != nil {
			return v, err
		}
		return types.ApplyMod(v, t, false, nil)
	}
	return types.Null, fmt.Errorf("a number in a column of type %s", t)
}

func decodeString(text string, t types.T) (types.Value, error) {
	switch t.Kind() {
	case types.KindNumeric:
		return decodeNumeric(text)
	case types.KindBpchar:
		if err := form.CheckUTF8(text); err != nil {
			return types.Null, err
		}
		return types.ApplyMod(types.NewBpchar(text), t, false, nil)
	case types.KindCitext:
		return types.NewCitext(text), form.CheckUTF8(text)
	case types.KindCollated:
		if err := form.CheckUTF8(text); err != nil {
			return types.Null, err
		}
		if t.OID == types.OIDBpchar {
			return types.ApplyMod(types.NewBpchar(text), t, false, nil)
		}
		return t.Collate(types.NewText(text)), nil
	case types.KindBytes:
		if t.OID != types.OIDBytea {
			break
		}
		fallthrough
	case types.KindBool, types.KindInt:
		return types.Null, fmt.Errorf("a string in a column of type %s", t)
	case types.KindDate, types.KindTimestamp:
		text = strings.TrimPrefix(text, "+")
	}
	return types.ParseText(text, t, &types.Env{Keys: true})
}

// decodeNumeric reads what Decimal's String wrote.
func decodeNumeric(text string) (types.Value, error) {
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return types.Null, fmt.Errorf("numeric %.50q: %w", text, err)
	}
	if d.Form == apd.NaNSignaling || d.Exponent < -maxNumericScale ||
		int64(d.Exponent)+d.NumDigits() > maxNumericWhole {
		return types.Null, fmt.Errorf("numeric %.50q is out of range", text)
	}
	return types.NewNumeric(d), nil
}
