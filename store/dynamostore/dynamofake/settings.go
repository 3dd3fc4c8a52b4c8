package dynamofake

import (
	"encoding/json"
	"maps"
	"slices"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// settings are what is told of the capacity of a table or a global index.
type settings struct {
	billing       string // of a table: PROVISIONED or PAY_PER_REQUEST
	reads, writes int    // provisioned
	onDemand      raw    // OnDemandThroughput as it was given
	warm          raw    // WarmThroughput as it was given
	spent         spent
	protected     bool // from deletion
	class         raw  // TableClass as it was given
}

// Billing modes.
const (
	provisionedMode = "PROVISIONED"
	onDemandMode    = "PAY_PER_REQUEST"
)

// capacity are the parameters that set them.
type capacity struct {
	BillingMode           string
	ProvisionedThroughput *struct{ ReadCapacityUnits, WriteCapacityUnits int }
	OnDemandThroughput    json.RawMessage
	WarmThroughput        json.RawMessage
}

// set takes over what is given.
func (s *settings) set(p *capacity) {
	if p.BillingMode != "" {
		s.billing = p.BillingMode
	}
	if p.ProvisionedThroughput != nil {
		s.reads, s.writes = p.ProvisionedThroughput.ReadCapacityUnits, p.ProvisionedThroughput.WriteCapacityUnits
	}
	if p.OnDemandThroughput != nil {
		s.onDemand = raw(p.OnDemandThroughput)
	}
	if p.WarmThroughput != nil {
		s.warm = raw(p.WarmThroughput)
	}
	if s.billing == onDemandMode {
		s.reads, s.writes = 0, 0
	}
}

// fields are the settings in a description.
func (s *settings) fields() fields {
	out := fields{{"ProvisionedThroughput", fields{
		{"NumberOfDecreasesToday", 0}, {"ReadCapacityUnits", s.reads}, {"WriteCapacityUnits", s.writes},
	}}}
	if s.onDemand != nil {
		out = append(out, field{"OnDemandThroughput", s.onDemand})
	}
	if s.warm != nil {
		out = append(out, field{"WarmThroughput", s.warm})
	}
	return out
}

// keyElement is an attribute of a key in the parameters of a table.
type keyElement struct{ AttributeName, KeyType string }

type definition struct{ AttributeName, AttributeType string }

type indexParameters struct {
	IndexName  string
	KeySchema  []keyElement
	Projection struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
	capacity
}

// The limits of keys and indexes.
const (
	maxParts       = 4 // of each role in the key of a global index
	maxGlobal      = 20
	maxLocal       = 5
	maxProjected   = 100
	maxTableName   = 255
	minTableName   = 3
	maxNameOfIndex = 255
)

// newSchema makes a key of its elements and the definitions of attributes.
func newSchema(elements []keyElement, kinds map[string]attribute.Kind, most int) (s schema, err error) {
	for i, e := range elements {
		k, ok := kinds[e.AttributeName]
		if !ok {
			return s, wrongParameter("Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: %s", e.AttributeName, listed(kinds))
		}
		part := keyPart{name: e.AttributeName, kind: k}
		switch {
		case i == 0 && e.KeyType != "HASH":
			return s, invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
		case e.KeyType == "HASH" && len(s.sort) > 0:
			return s, invalid("Invalid KeySchema: The last KeySchemaElement is not a RANGE key type")
		case s.has(e.AttributeName):
			return s, invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
		case e.KeyType == "HASH":
			s.hash = append(s.hash, part)
		default:
			s.sort = append(s.sort, part)
		}
	}
	switch {
	case len(s.hash) == 0:
		return s, invalid("No Hash Key specified in schema.  All Dynamo DB tables must have exactly one hash key")
	case len(s.hash) > 1 && most == 1:
		return s, invalid("Too many hash keys specified.  All Dynamo DB tables must have exactly one hash key")
	case len(s.sort) > 1 && most == 1:
		return s, invalid("1 validation error detected: Value '[...]' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2")
	case len(s.hash) > most || len(s.sort) > most:
		return s, wrongParameter("The number of key attributes of a role is over %d", most)
	}
	return s, nil
}

func listed(kinds map[string]attribute.Kind) string {
	text := "["
	for i, n := range slices.Sorted(maps.Keys(kinds)) {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text + "]"
}

// newIndex makes an index of its parameters.
func newIndex(p *indexParameters, kinds map[string]attribute.Kind, local bool) (*index, error) {
	most := maxParts
	if local {
		most = 1
	}
	if n := len(p.IndexName); n < minTableName || n > maxNameOfIndex || !goodName(p.IndexName) {
		return nil, invalid("1 validation error detected: Value '%s' at 'indexName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+", p.IndexName)
	}
	s, err := newSchema(p.KeySchema, kinds, most)
	if err != nil {
		return nil, err
	}
	x := &index{name: p.IndexName, local: local, schema: s, entries: newTree()}
	x.projection = projection{kind: p.Projection.ProjectionType, names: p.Projection.NonKeyAttributes}
	switch {
	case x.projection.kind == "INCLUDE" && len(x.projection.names) == 0:
		return nil, wrongParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	case x.projection.kind == "":
		return nil, wrongParameter("Unknown ProjectionType: null")
	case x.projection.kind != "INCLUDE" && len(x.projection.names) > 0:
		return nil, wrongParameter("ProjectionType is %s, but NonKeyAttributes is specified", x.projection.kind)
	}
	x.settings.set(&p.capacity)
	return x, nil
}

// goodName says whether a name of a table or an index has only letters that such names have.
func goodName(name string) bool {
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return name != ""
}
