package dynamofake

import (
	"slices"
)

// updateTable is UpdateTable.
type updateTable struct {
	TableName                   string
	AttributeDefinitions        []definition
	GlobalSecondaryIndexUpdates []struct {
		Create *indexParameters
		Update *indexParameters
		Delete *struct{ IndexName string }
	}
	DeletionProtectionEnabled *bool
	TableClass                string
	capacity
}

func (u *updateTable) names() []string { return []string{nameOf(u.TableName)} }

func (u *updateTable) check() error { return nil }

func (u *updateTable) run(c *call) (fields, error) {
	t := c.tables[nameOf(u.TableName)]
	switch {
	case t == nil:
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", nameOf(u.TableName))
	case c.status(t) != "ACTIVE":
		return nil, fail(inUse,
			"Attempt to change a resource which is still in use: Table is being created or deleted: %s", t.name)
	}
	if err := u.checkCapacity(t); err != nil {
		return nil, err
	}
	if err := u.indexes(t); err != nil {
		return nil, err
	}
	t.settings.set(&u.capacity)
	if u.DeletionProtectionEnabled != nil {
		t.settings.protected = *u.DeletionProtectionEnabled
	}
	if u.TableClass != "" {
		t.settings.class = raw(`"` + u.TableClass + `"`)
	}
	return fields{{"TableDescription", c.describe(t, "UPDATING")}}, nil
}

// checkCapacity refuses settings that do not fit each other.
func (u *updateTable) checkCapacity(t *table) error {
	mode := u.BillingMode
	if mode == "" {
		mode = t.settings.billing
	}
	p := u.ProvisionedThroughput
	switch {
	case mode == onDemandMode && p != nil:
		return wrongParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode == provisionedMode && t.settings.billing == onDemandMode && p == nil:
		return invalid("No provisioned throughput specified for the table")
	case p != nil && u.BillingMode == "" && p.ReadCapacityUnits == t.settings.reads &&
		p.WriteCapacityUnits == t.settings.writes:
		return invalid("The requested throughput value equals the current value")
	}
	return nil
}

// indexes makes, changes and removes global indexes.
func (u *updateTable) indexes(t *table) error {
	defined, err := kinds(u.AttributeDefinitions)
	if err != nil {
		return err
	}
	for _, change := range u.GlobalSecondaryIndexUpdates {
		switch {
		case change.Create != nil:
			err = t.addIndex(change.Create, defined, false)
		case change.Update != nil:
			if x := t.index(change.Update.IndexName); x != nil && !x.local {
				x.settings.set(&change.Update.capacity)
				continue
			}
			err = fail(notFound, "Requested resource not found")
		case change.Delete != nil:
			i := slices.IndexFunc(t.indexes,
				func(x *index) bool { return x.name == change.Delete.IndexName && !x.local })
			if i < 0 {
				return fail(notFound, "Requested resource not found")
			}
			t.indexes = slices.Delete(t.indexes, i, i+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
