package dynamofake

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// newTableRequest gives the parameters of an operation on tables themselves.
func newTableRequest(op string) request {
	switch op {
	case "CreateTable":
		return &createTable{}
	case "DeleteTable":
		return &deleteTable{}
	case "DescribeTable":
		return &describeTable{}
	case "ListTables":
		return &listTables{}
	case "UpdateTable":
		return &updateTable{}
	case "UpdateTimeToLive":
		return &updateTTL{}
	case "DescribeTimeToLive":
		return &describeTTL{}
	case "DescribeContinuousBackups":
		return &describeBackups{}
	case "UpdateContinuousBackups":
		return &updateBackups{}
	}
	return nil
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func checkTableName(name string) error {
	if n := nameOf(name); len(n) < minTableName || len(n) > maxTableName || !goodName(n) {
		return invalid("Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'")
	}
	return nil
}

// createTable is CreateTable.
type createTable struct {
	TableName                 string
	KeySchema                 []keyElement
	AttributeDefinitions      []definition
	LocalSecondaryIndexes     []indexParameters
	GlobalSecondaryIndexes    []indexParameters
	DeletionProtectionEnabled bool
	TableClass                string
	StreamSpecification       json.RawMessage
	capacity
}

func (t *createTable) names() []string { return []string{nameOf(t.TableName)} }

func (t *createTable) check() error {
	switch {
	case len(t.GlobalSecondaryIndexes) > maxGlobal:
		return invalid("GlobalSecondaryIndex count exceeds the per-table limit")
	case len(t.LocalSecondaryIndexes) > maxLocal:
		return invalid("Cannot have more than %d local secondary indexes per table", maxLocal)
	}
	return t.checkBilling()
}

func (t *createTable) checkBilling() error {
	switch {
	case t.BillingMode == onDemandMode && t.ProvisionedThroughput != nil:
		return wrongParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case t.BillingMode != onDemandMode && t.ProvisionedThroughput == nil:
		return invalid("No provisioned throughput specified for the table")
	}
	for _, x := range t.GlobalSecondaryIndexes {
		if t.BillingMode != onDemandMode && x.ProvisionedThroughput == nil {
			return invalid("No provisioned throughput specified for the global secondary index")
		}
	}
	return nil
}

// kinds are the types of the attributes that are defined.
func kinds(definitions []definition) (map[string]attribute.Kind, error) {
	out := map[string]attribute.Kind{}
	for _, d := range definitions {
		k := attribute.KindOf(d.AttributeType)
		if !k.Scalar() {
			return nil, invalid("Member must satisfy enum value set: [B, N, S]")
		}
		out[d.AttributeName] = k
	}
	return out, nil
}

func (t *createTable) run(c *call) (fields, error) {
	made, err := t.make(c)
	if err != nil {
		return nil, err
	}
	if c.tables[made.name] != nil {
		return nil, fail(inUse, "Cannot create preexisting table")
	}
	c.tables[made.name] = made
	return fields{{"TableDescription", c.describe(made, "CREATING")}}, nil
}

// make checks the parameters and makes the table.
func (t *createTable) make(c *call) (*table, error) {
	defined, err := kinds(t.AttributeDefinitions)
	if err != nil {
		return nil, err
	}
	made := &table{name: nameOf(t.TableName), base: newTree(), created: c.now, active: c.now.Add(c.options.TableDelay),
		untied: c.options.UnorderedTies}
	if made.schema, err = newSchema(t.KeySchema, defined, 1); err != nil {
		return nil, err
	}
	made.settings.billing = provisionedMode
	made.settings.set(&t.capacity)
	made.settings.protected = t.DeletionProtectionEnabled
	made.settings.stream = raw(t.StreamSpecification)
	if t.TableClass != "" {
		made.settings.class = raw(`"` + t.TableClass + `"`)
	}
	for i := range t.LocalSecondaryIndexes {
		if err := made.addIndex(&t.LocalSecondaryIndexes[i], defined, true); err != nil {
			return nil, err
		}
	}
	for i := range t.GlobalSecondaryIndexes {
		if err := made.addIndex(&t.GlobalSecondaryIndexes[i], defined, false); err != nil {
			return nil, err
		}
	}
	return made, made.checkDefinitions(defined)
}

// addIndex makes an index of a table without items.
func (t *table) addIndex(p *indexParameters, defined map[string]attribute.Kind, local bool) error {
	x, err := t.newIndex(p, defined, local)
	if err == nil {
		t.indexes = append(t.indexes, x)
	}
	return err
}

// newIndex makes an index that is not yet in the table.
func (t *table) newIndex(p *indexParameters, defined map[string]attribute.Kind, local bool) (*index, error) {
	x, err := newIndex(p, defined, local)
	if err != nil {
		return nil, err
	}
	switch {
	case t.index(x.name) != nil:
		return nil, invalid("Two global secondary indices have the same name")
	case local && len(t.schema.sort) == 0:
		return nil, invalid("Local Secondary indices are not allowed on hash tables, only hash and range tables")
	case local && x.schema.hash[0] != t.schema.hash[0]:
		return nil, invalid("Local Secondary indices must have the same hash key as the main table")
	case local && len(x.schema.sort) == 0:
		return nil, invalid("Local secondary indices must have a range key")
	}
	projected := len(x.projection.names)
	for _, other := range t.indexes {
		projected += len(other.projection.names)
	}
	if projected > maxProjected {
		return nil, wrongParameter("The total number of NonKeyAttributes of all indexes is over %d", maxProjected)
	}
	return x, nil
}

// checkDefinitions refuses attributes that are defined for no key.
func (t *table) checkDefinitions(defined map[string]attribute.Kind) error {
	used := map[string]bool{}
	for _, p := range t.keyParts() {
		used[p.name] = true
	}
	if len(used) == len(defined) {
		return nil
	}
	if len(t.indexes) == 0 {
		return invalid("The number of attributes in key schema must match the number of attributes defined in attribute definitions.")
	}
	keys := strings.Join(sortedNames(used), ", ")
	return wrongParameter("Some AttributeDefinitions are not used. AttributeDefinitions: %s, keys used: [%s]",
		listed(defined), keys)
}

// deleteTable is DeleteTable.
type deleteTable struct{ TableName string }

func (d *deleteTable) names() []string { return []string{nameOf(d.TableName)} }

func (d *deleteTable) check() error { return nil }

func (d *deleteTable) run(c *call) (fields, error) {
	name := nameOf(d.TableName)
	t := c.tables[name]
	switch {
	case t == nil:
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", name)
	case !t.usable(c.now):
		return nil, inUseBy("Table is being %s: %s", strings.ToLower(c.status(t)), name)
	case slices.ContainsFunc(t.indexes, func(x *index) bool { return c.stateOf(x) != active }):
		return nil, inUseBy("Cannot delete table while indexes are being created, updated, or deleted.")
	case t.settings.protected:
		return nil, invalid("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	}
	t.dropped = c.now.Add(c.options.TableDelay)
	if c.options.TableDelay == 0 {
		delete(c.tables, name)
	}
	return fields{{"TableDescription", c.describe(t, "DELETING")}}, nil
}
