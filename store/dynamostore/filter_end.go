package dynamostore

import (
	"math"
	"strings"
	"unicode/utf8"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/types"
)

// end is the attribute that an end of an interval is compared with, nil where the interval goes on
// for all that DynamoDB can tell. Inwards is 1 for the low end and -1 for the high one. It notes what
// is to pass besides.
func (m *filterMaker) end(v types.Value, open bool, inwards float64) (ddb.AttributeValue, bool) {
	t := m.column.Type
	kind := t.Kind()
	switch kind {
	case types.KindFloat, types.KindNumeric:
		m.looser[looserString] = true
	case types.KindDate, types.KindTimestamp:
		if v.Kind() != kind || !inEra(formatValue(v, t)) {
			m.looser[map[bool]string{true: looserEra, false: looserYears}[inwards > 0]] = true
			return nil, false
		}
	}
	if v.Kind() != kind {
		return nil, false // NULL among them: there is no end
	}
	switch kind {
	case types.KindFloat:
		return floatEnd(v.Float(), t, open, inwards)
	case types.KindNumeric:
		if text, ok := numberText(v.Numeric()); ok {
			return &ddb.AttributeValueMemberN{Value: text}, open
		}
		return nil, false
	case types.KindText:
		if t.OID == types.OIDChar || !utf8.ValidString(v.Text()) {
			return nil, false
		}
	case types.KindBytes:
		if t.OID != types.OIDBytea {
			return nil, false
		}
	case types.KindInt, types.KindDate, types.KindTimestamp, types.KindTime, types.KindUUID:
	default:
		return nil, false // of no order, or another one than its attributes have
	}
	a, err := encodeValue(v, t)
	if err != nil {
		return nil, false
	}
	return a, open
}

// floatEnd rounds the end to a value that the column can have, which may then be in: attributes are
// the shortest texts that stand for such values, and in the order of these.
func floatEnd(f float64, t types.T, open bool, inwards float64) (ddb.AttributeValue, bool) {
	if t.OID == types.OIDFloat4 {
		near := float32(f)
		if outside := (float64(near) - f) * inwards; outside < 0 {
			near = math.Nextafter32(near, float32(math.Inf(int(inwards))))
		}
		if float64(near) != f {
			open, f = false, float64(near)
		}
	}
	if f == 0 {
		f = 0 // -0 has no N
	}
	n, ok := encodeFloat(types.NewFloat(f), t).(*ddb.AttributeValueMemberN)
	if !ok {
		return nil, false
	}
	return n, open
}

// inEra says whether the text of a date or a time is of the years 1 to 9999, which are in the order
// of their texts, before those of other years and behind "-infinity".
func inEra(text string) bool {
	return len(text) > 4 && text[4] == '-' && text[0] >= '0' && text[0] <= '9' && !strings.HasSuffix(text, looserEra)
}
