package dynamofake

import (
	"slices"
	"time"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// status is what a table can be used for.
func (c *call) status(t *table) string {
	switch {
	case !t.dropped.IsZero():
		return "DELETING"
	case c.now.Before(t.active):
		return "CREATING"
	}
	for _, x := range t.indexes {
		if s := c.stateOf(x); s == allocating || s == deleting {
			return "UPDATING"
		}
	}
	return "ACTIVE"
}

// usable says whether data can be read from a table and written to it.
func (t *table) usable(now time.Time) bool { return !now.Before(t.active) && t.dropped.IsZero() }

const arn = "arn:aws:dynamodb:local:000000000000:table/"

// describe is the description of a table.
func (c *call) describe(t *table, status string) fields {
	out := fields{
		{"AttributeDefinitions", t.definitions()},
		{"TableName", t.name},
		{"KeySchema", t.schema.fields()},
		{"TableStatus", status},
		{"CreationDateTime", float64(t.created.UnixMilli()) / 1000},
		{"TableSizeBytes", t.bytes},
		{"ItemCount", t.items},
		{"TableArn", arn + t.name},
		{"DeletionProtectionEnabled", t.settings.protected},
	}
	out = append(out, t.settings.fields(true)...)
	if t.settings.billing == onDemandMode || t.settings.switched {
		out = append(out, field{"BillingModeSummary", fields{
			{"BillingMode", t.settings.billing}, {"LastUpdateToPayPerRequestDateTime", float64(t.created.UnixMilli()) / 1000},
		}})
	}
	if t.settings.class != nil {
		out = append(out, field{"TableClassSummary", fields{{"TableClass", t.settings.class}}})
	}
	if t.settings.stream != nil {
		out = append(out, field{"StreamSpecification", t.settings.stream})
	}
	var local, global []any
	for _, x := range t.indexes {
		if x.local {
			bytes, items := x.measure()
			local = append(local, x.describe(t, bytes, items))
		} else {
			global = append(global, x.describeGlobal(c, t, status))
		}
	}
	if local != nil {
		out = append(out, field{"LocalSecondaryIndexes", local})
	}
	if global != nil {
		out = append(out, field{"GlobalSecondaryIndexes", global})
	}
	return out
}

// describe is the description of an index of a size, and all that there is of a local one.
func (x *index) describe(t *table, bytes, items int) fields {
	shown := fields{{"ProjectionType", x.projection.kind}}
	if x.projection.names != nil {
		shown = append(shown, field{"NonKeyAttributes", x.projection.names})
	}
	return fields{
		{"IndexName", x.name}, {"KeySchema", x.schema.fields()}, {"Projection", shown},
		{"IndexSizeBytes", bytes}, {"ItemCount", items}, {"IndexArn", arn + t.name + "/index/" + x.name},
	}
}

// describeGlobal is the description of a global index of a table with a status. Nothing is said to be
// in it before its backfill.
func (x *index) describeGlobal(c *call, t *table, status string) fields {
	bytes, items, state := 0, 0, c.stateOf(x)
	if state != allocating {
		bytes, items = x.measure()
	}
	switch {
	case state == deleting:
		status = "DELETING"
	case state != active || status == "CREATING":
		status = "CREATING"
	default:
		status = "ACTIVE"
	}
	out := append(x.describe(t, bytes, items), field{"IndexStatus", status})
	if state == allocating || state == filling {
		out = append(out, field{"Backfilling", state == filling})
	}
	return append(out, x.settings.fields(t.settings.billing == provisionedMode)...)
}

func (x *index) measure() (bytes, items int) {
	for _, p := range x.entries.partitions {
		for _, e := range p.entries {
			if i := e.last(); i != nil {
				bytes += attribute.Size(i)
				items++
			}
		}
	}
	return bytes, items
}

// fields are the elements of a key.
func (s *schema) fields() (out []any) {
	for _, p := range s.hash {
		out = append(out, fields{{"AttributeName", p.name}, {"KeyType", "HASH"}})
	}
	for _, p := range s.sort {
		out = append(out, fields{{"AttributeName", p.name}, {"KeyType", "RANGE"}})
	}
	return out
}

// definitions are the attributes of the keys of a table and its indexes, each once.
func (t *table) definitions() (out []any) {
	var seen []string
	for _, p := range t.keyParts() {
		if !slices.Contains(seen, p.name) {
			seen = append(seen, p.name)
			out = append(out, fields{{"AttributeName", p.name}, {"AttributeType", p.kind.String()}})
		}
	}
	return out
}

// describeTable is DescribeTable.
type describeTable struct{ TableName string }

func (d *describeTable) names() []string { return []string{nameOf(d.TableName)} }

func (d *describeTable) check() error { return nil }

func (d *describeTable) run(c *call) (fields, error) {
	t := c.tables[nameOf(d.TableName)]
	if t == nil {
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", nameOf(d.TableName))
	}
	return fields{{"Table", c.describe(t, c.status(t))}}, nil
}

// listTables is ListTables.
type listTables struct {
	ExclusiveStartTableName string
	Limit                   *int
}

// maxListed is how many tables a page has.
const maxListed = 100

func (l *listTables) names() []string { return nil }

func (l *listTables) check() error {
	switch {
	case l.Limit != nil && *l.Limit < 1:
		return invalid("Limit must be greater than or equal to 1")
	case l.Limit != nil && *l.Limit > maxListed:
		return invalid("Limit in ListTables must be <= %d", maxListed)
	case l.ExclusiveStartTableName != "":
		return checkTableName(l.ExclusiveStartTableName)
	}
	return nil
}

func (l *listTables) run(c *call) (fields, error) {
	most := maxListed
	if l.Limit != nil {
		most = *l.Limit
	}
	if c.draw(c.faults.Pages) {
		most = min(most, 1+c.random.IntN(shortPage))
	}
	names := []string{}
	more := false
	for _, n := range sortedNames(c.tables) {
		if n <= l.ExclusiveStartTableName {
			continue
		}
		if more = len(names) == most; more {
			break
		}
		names = append(names, n)
	}
	out := fields{{"TableNames", names}}
	if more {
		out = append(out, field{"LastEvaluatedTableName", names[len(names)-1]})
	}
	return out, nil
}
