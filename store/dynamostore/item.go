package dynamostore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// versionAttribute holds an item's version, a number that grows with every write.
const versionAttribute = "_v"

// versionSize is what the version adds to an item, at most.
const versionSize = len(versionAttribute) + 12

// maxItem is DynamoDB's limit on an item, names and values together, but for the room of an intent.
const maxItem = 400<<10 - intentRoom

// item is an item, or a key, as DynamoDB takes it.
type item = map[string]ddb.AttributeValue

// attributeName is the attribute of a column. Names that begin with an underscore, and
// those of the key, get one more in front, so that none is an attribute of our own.
func attributeName(column string) string {
	if column == partitionAttribute || column == sortAttribute || strings.HasPrefix(column, "_") {
		return "_" + column
	}
	return column
}

// encodeItem makes the attributes of an item, without its version.
func encodeItem(s *store.Space, i store.Item) (item, error) {
	attributes, err := encodeKey(s, i.Key)
	if err != nil {
		return nil, err
	}
	if len(i.Values) < len(s.Columns) {
		return nil, fmt.Errorf("%d values for the %d columns of space %s", len(i.Values), len(s.Columns), s.Name)
	}
	for c, v := range i.Values[:len(s.Columns)] {
		column := &s.Columns[c]
		if v.IsNull() {
			if !column.Missing.IsNull() {
				attributes[attributeName(column.Name)] = &ddb.AttributeValueMemberNULL{Value: true}
			}
			continue
		}
		a, err := encodeValue(v, column.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", column.Name, err)
		}
		attributes[attributeName(column.Name)] = a
	}
	addExpiry(s, i.Values, attributes)
	return attributes, carry(s, i.Values[len(s.Columns):], attributes)
}

// decodeColumns fills a row with the columns of an item.
func decodeColumns(s *store.Space, columns []int, attributes item, row types.Row) error {
	for i, c := range columns {
		if c == store.NoColumn {
			continue // the row is made of NULLs
		}
		column := &s.Columns[c]
		v := column.Missing
		if a, there := attributes[attributeName(column.Name)]; there {
			var err error
			if v, err = decodeValue(a, column.Type); err != nil {
				return fmt.Errorf("column %s: %w", column.Name, err)
			}
		}
		if column.NotNull && v.IsNull() {
			return fmt.Errorf("column %s has no value", column.Name)
		}
		row[i] = v
	}
	return nil
}

func encodeVersion(v int64) ddb.AttributeValue {
	return &ddb.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
}

func decodeVersion(attributes item) (int64, error) {
	v, err := decodeInt(attributes[versionAttribute])
	if err != nil {
		err = fmt.Errorf("attribute %s: %w", versionAttribute, err)
	}
	return v, err
}

// decodeInt reads a whole number.
func decodeInt(a ddb.AttributeValue) (int64, error) {
	n, ok := a.(*ddb.AttributeValueMemberN)
	if !ok {
		return 0, errors.New("not a number")
	}
	return strconv.ParseInt(n.Value, 10, 64)
}

// size is what DynamoDB counts for an item, or slightly more.
func size(attributes item) (n int) {
	for name, a := range attributes {
		n += len(name) + attributeSize(a)
	}
	return n
}

func attributeSize(a ddb.AttributeValue) (n int) {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberB:
		return len(a.Value)
	case *ddb.AttributeValueMemberS:
		return len(a.Value)
	case *ddb.AttributeValueMemberN:
		return len(a.Value)/2 + 2
	case *ddb.AttributeValueMemberL:
		for _, item := range a.Value {
			n += 1 + attributeSize(item)
		}
		return n + 3
	case *ddb.AttributeValueMemberM:
		for name, member := range a.Value {
			n += 1 + len(name) + attributeSize(member)
		}
		return n + 3
	}
	return 1
}

// maxExpression is DynamoDB's limit on the text of an expression.
const maxExpression = 4 << 10

// projection names the attributes that a read asks for; the zero one asks for all.
type projection struct {
	expression *string
	names      map[string]string
}

// newProjection asks for the key, the version if wanted, and some columns.
func newProjection(s *store.Space, columns []int, version bool) projection {
	attributes := []string{partitionAttribute, intentAttribute, beneathAttribute}
	if s.Sorted {
		attributes = append(attributes, sortAttribute)
	}
	if version {
		attributes = append(attributes, versionAttribute)
	}
	for _, c := range columns {
		if c == store.NoColumn {
			continue
		}
		attributes = append(attributes, attributeName(s.Columns[c].Name))
	}
	return projectionOf(attributes)
}

// projectionOf asks for attributes, as long as an expression may be.
func projectionOf(attributes []string) projection {
	slices.Sort(attributes)
	attributes = slices.Compact(attributes) // a name asked for twice is an error
	p := projection{names: make(map[string]string, len(attributes))}
	placeholders := make([]string, len(attributes))
	for i, a := range attributes {
		placeholders[i] = "#" + strconv.Itoa(i)
		p.names[placeholders[i]] = a
	}
	if text := strings.Join(placeholders, ","); len(text) <= maxExpression {
		p.expression = &text
		return p
	}
	return projection{}
}
