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
	recovers      bool // to a point in time
	stream        raw  // StreamSpecification as it was given
	switched      bool // between the billing modes
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
		s.switched = s.switched || s.billing != "" && s.billing != p.BillingMode
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

// fields are the settings in a description; provisioned says that they have throughput.
func (s *settings) fields(provisioned bool) (out fields) {
	if provisioned {
		out = fields{{"ProvisionedThroughput", fields{
			{"NumberOfDecreasesToday", 0}, {"ReadCapacityUnits", s.reads}, {"WriteCapacityUnits", s.writes},
		}}}
	}
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
	maxParts     = 4 // of each role in the key of a global index
	maxGlobal    = 20
	maxLocal     = 5
	maxProjected = 100
	maxTableName = 255
	minTableName = 3
)

// newSchema makes a key of its elements and the definitions of attributes.
func newSchema(elements []keyElement, kinds map[string]attribute.Kind, most int) (s schema, err error) {
	switch {
	case len(elements) == 0:
		return s, invalid("No defined key schema.  A key schema containing at least a hash key must be defined for all tables")
	case len(kinds) == 0:
		return s, invalid("No Attribute Schema Defined")
	case len(elements) > 2 && most == 1:
		return s, invalid("Key Schema too big.  Key Schema must at most consist of the hash and range key of a table")
	}
	for _, e := range elements {
		k, ok := kinds[e.AttributeName]
		if !ok {
			return s, invalid("Attribute %s is not defined in AttributeDefinitions", e.AttributeName)
		}
		part := keyPart{name: e.AttributeName, kind: k}
		switch {
		case e.KeyType == "HASH" && len(s.sort) > 0:
			return s, invalid("Invalid KeySchema: The last KeySchemaElement is not a RANGE key type")
		case s.has(e.AttributeName):
			return s, invalid("Two keys can not have the same name")
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
	case len(s.hash) > most:
		return s, invalid("Too many partition keys. GSI can have at most %d partition keys", most)
	case len(s.sort) > most:
		return s, invalid("Too many sort keys. GSI can have at most %d sort keys", most)
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
	if err := checkTableName(p.IndexName); err != nil {
		return nil, err
	}
	s, err := newSchema(p.KeySchema, kinds, most)
	if err != nil {
		return nil, err
	}
	x := &index{name: p.IndexName, local: local, schema: s, entries: newTree()}
	x.projection = projection{kind: p.Projection.ProjectionType, names: p.Projection.NonKeyAttributes}
	switch {
	case x.projection.kind == "INCLUDE" && len(x.projection.names) == 0:
		return nil, invalid("If Projection type INCLUDE is specified, some non-key attributes to include in the projection must be specified as well")
	case x.projection.kind == "":
		return nil, wrongParameter("Unknown ProjectionType: null")
	case !slices.Contains([]string{"ALL", "KEYS_ONLY", "INCLUDE"}, x.projection.kind):
		return nil, invalid("Projection type must be INCLUDE, ALL, or KEYS_ONLY")
	case x.projection.kind != "INCLUDE" && len(x.projection.names) > 0:
		return nil, invalid("No attributes should be specified to be projected unless projection type is INCLUDE")
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
