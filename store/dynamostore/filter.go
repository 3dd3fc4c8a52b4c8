package dynamostore

import (
	"maps"
	"strconv"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
)

// A filter keeps DynamoDB from sending items that fail the tests of a Scan. They cost what they cost;
// only the way is shorter. Where an expression cannot say just what a test does, it says less, so that
// no item is lost: the executor looks at all conditions again.

// maxFilterValues bounds the values of a filter. DynamoDB takes 300 operators, 100 operands of IN and
// 4 KB of text, of which a value takes up to 40 bytes.
const maxFilterValues = 80

// maxFilterBytes bounds what the values take. DynamoDB takes 2 MB.
const maxFilterBytes = 64 << 10

// filter is a FilterExpression with its placeholders; the zero one lets everything pass.
type filter struct {
	expression *string
	names      map[string]string
	values     item
}

// newFilter makes the filter of tests, without those that DynamoDB cannot apply.
func newFilter(s *store.Space, tests []store.Test) filter {
	f := filter{names: map[string]string{}, values: item{}}
	var clauses []string
	for _, t := range tests {
		c := &s.Columns[t.Column]
		if c.Name == "" { // a text of a key tells it
			continue
		}
		m := filterMaker{column: c, name: "#f" + strconv.Itoa(len(f.names)), values: item{}, from: len(f.values)}
		clause, ok := m.test(s, t.Set)
		if !ok || len(f.values)+len(m.values) > maxFilterValues || size(f.values)+size(m.values) > maxFilterBytes {
			continue
		}
		clauses = append(clauses, clause)
		f.names[m.name] = attributeOf(s, c)
		for name, v := range m.values {
			f.values[name] = v
		}
	}
	clauses = f.addKind(s, clauses)
	if len(clauses) > 1 { // DynamoDB refuses parentheses that change nothing
		for i, c := range clauses {
			if strings.Contains(c, " OR ") {
				clauses[i] = "(" + c + ")"
			}
		}
	}
	text := strings.Join(clauses, " AND ")
	if s.Outside == nil { // what an item with an intent is only its transaction tells
		text += " OR attribute_exists(#intent)"
		f.names["#intent"] = intentAttribute
	}
	if len(clauses) > 0 && len(text) <= maxExpression {
		f.expression = &text
		return f
	}
	return filter{}
}

// withNames are names with those of the filter.
func (f *filter) withNames(names map[string]string) map[string]string {
	if f.expression == nil {
		return names
	}
	all := maps.Clone(f.names)
	maps.Copy(all, names)
	return all
}

// withValues are values with those of the filter. It may change them.
func (f *filter) withValues(values item) item {
	switch {
	case f.expression == nil, len(f.values) == 0:
		return values
	case values == nil:
		return f.values
	}
	maps.Copy(values, f.values)
	return values
}

// attributeOf is the attribute of a column in the items of a space.
func attributeOf(s *store.Space, c *store.Column) string {
	if s.Outside != nil {
		return c.Name
	}
	return attributeName(c.Name)
}

// filterMaker makes the clause of one test.
type filterMaker struct {
	column  *store.Column
	name    string // of the attribute
	from    int    // values of clauses before
	values  item
	looser  map[string]bool // what else may pass, since it is encoded in another way
	clauses []string
}

// value gives a value a placeholder.
func (m *filterMaker) value(a ddb.AttributeValue) string {
	name := ":f" + strconv.Itoa(m.from+len(m.values))
	m.values[name] = a
	return name
}

// typeIs tests the type of the attribute.
func (m *filterMaker) typeIs(name string) string {
	return "attribute_type(" + m.name + "," + m.value(&ddb.AttributeValueMemberS{Value: name}) + ")"
}

// test says that an attribute, or that there is none, stands for a value in a set. It says false
// where nothing can be said.
func (m *filterMaker) test(s *store.Space, set span.Set) (string, bool) {
	if s.Outside != nil && (set.Null || !m.sameOutside(s.Outside)) {
		return "", false // what is NULL there may be anything
	}
	if len(set.Intervals) == 1 && set.Intervals[0].All() {
		return m.notNull(), !set.Null
	}
	if len(set.Intervals) > maxFilterValues || !m.intervals(set.Intervals) {
		return "", false
	}
	for _, also := range []string{looserString, looserYears, looserEra} {
		if m.looser[also] {
			m.clauses = append(m.clauses, m.also(also))
		}
	}
	if set.Null {
		m.clauses = append(m.clauses, m.typeIs("NULL"))
	}
	if set.Contains(m.column.Missing) {
		m.clauses = append(m.clauses, "attribute_not_exists("+m.name+")")
	}
	return strings.Join(m.clauses, " OR "), len(m.clauses) > 0
}

// sameOutside says whether the attributes of other programs stand for the same value as they do
// when we write them. Those of a key must not be in the filter of a Query.
func (m *filterMaker) sameOutside(o *store.Outside) bool {
	for _, keys := range [][]store.Attribute{o.Partition, o.Sort} {
		for _, a := range keys {
			if a.Name == m.column.Name {
				return false
			}
		}
	}
	switch m.column.Type.Kind() {
	case types.KindBool, types.KindBytes, types.KindInt:
		return true
	case types.KindText, types.KindNumeric: // else they are cut, padded or rounded when they are read
		return m.column.Type.Mod < 0
	}
	return false
}

// notNull says that an attribute is not NULL. Ours is only where the column was added with another
// value for the items that lack it.
func (m *filterMaker) notNull() string {
	if m.column.Missing.IsNull() {
		return "attribute_exists(" + m.name + ")"
	}
	return "NOT " + m.typeIs("NULL")
}

// intervals adds clauses for values in intervals. It says false where these say nothing.
func (m *filterMaker) intervals(list []span.Interval) bool {
	if m.column.Type.Kind() == types.KindBool {
		m.bools(list)
		return true
	}
	m.looser = map[string]bool{}
	var points []string
	for _, i := range list {
		if p, ok := m.prefix(i); ok {
			m.clauses = append(m.clauses, p)
			continue
		}
		low, lowOpen := m.end(i.Low, i.LowOpen, 1)
		high, highOpen := m.end(i.High, i.HighOpen, -1)
		switch {
		case low == nil && high == nil:
			return false
		case i.Point() && low != nil && high != nil && !lowOpen && !highOpen:
			points = append(points, m.value(low))
			continue
		}
		m.clauses = append(m.clauses, m.between(low, high, lowOpen, highOpen))
	}
	switch len(points) {
	case 0:
	case 1:
		m.clauses = append(m.clauses, m.name+" = "+points[0])
	default:
		m.clauses = append(m.clauses, m.name+" IN ("+strings.Join(points, ",")+")")
	}
	return true
}

// bools says which of two values are in. There is no order of BOOLs.
func (m *filterMaker) bools(list []span.Interval) {
	for _, b := range []bool{false, true} {
		if (span.Set{Intervals: list}).Contains(types.NewBool(b)) {
			m.clauses = append(m.clauses, m.name+" = "+m.value(&ddb.AttributeValueMemberBOOL{Value: b}))
		}
	}
}

// prefix says that a text begins with another one.
func (m *filterMaker) prefix(i span.Interval) (string, bool) {
	if m.column.Type.Kind() != types.KindText || i.Low.Kind() != types.KindText || i.LowOpen || i.Low.Text() == "" {
		return "", false
	}
	if p := span.Prefix(i.Low.Text()); types.Compare(p.High, i.High) != 0 || p.HighOpen != i.HighOpen {
		return "", false
	}
	low, _ := m.end(i.Low, false, 1)
	if low == nil {
		return "", false
	}
	return "begins_with(" + m.name + "," + m.value(low) + ")", true
}

func (m *filterMaker) between(low, high ddb.AttributeValue, lowOpen, highOpen bool) string {
	var ends []string
	if low != nil {
		ends = append(ends, m.name+map[bool]string{false: " >= ", true: " > "}[lowOpen]+m.value(low))
	}
	if high != nil {
		ends = append(ends, m.name+map[bool]string{false: " <= ", true: " < "}[highOpen]+m.value(high))
	}
	return strings.Join(ends, " AND ") // which binds closer than OR
}

// What passes besides an interval, as it is encoded in another way.
const (
	looserString = "S"   // numbers that N does not hold
	looserYears  = "+"   // years of more than four digits, which are not in the order of texts
	looserEra    = " BC" // nor are those before Christ
)

func (m *filterMaker) also(what string) string {
	switch v := (&ddb.AttributeValueMemberS{Value: what}); what {
	case looserString:
		return m.typeIs("S")
	case looserYears:
		return "begins_with(" + m.name + "," + m.value(v) + ")"
	default:
		return "contains(" + m.name + "," + m.value(v) + ")"
	}
}
