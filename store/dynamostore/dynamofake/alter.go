package dynamofake

// updateTable is UpdateTable.
type updateTable struct {
	TableName                   string
	AttributeDefinitions        []definition
	GlobalSecondaryIndexUpdates []indexUpdate
	DeletionProtectionEnabled   *bool
	TableClass                  string
	capacity
}

func (u *updateTable) names() []string { return []string{nameOf(u.TableName)} }

func (u *updateTable) check() error {
	if err := checkIndexUpdates(u.GlobalSecondaryIndexUpdates); err != nil {
		return err
	}
	return u.checkAlone()
}

// checkAlone refuses what cannot be changed together with the making or removing of an index.
func (u *updateTable) checkAlone() error {
	online, creates := 0, 0
	for _, a := range u.GlobalSecondaryIndexUpdates {
		if a.Update == nil {
			online++
		}
		if a.Create != nil {
			creates++
		}
	}
	switch {
	case online == 0:
	case online > 1:
		return fail(limitExceeded, onlineLimit)
	case u.ProvisionedThroughput != nil:
		return wrongParameter("You cannot create or delete index while updating table IOPS")
	case u.TableClass != "":
		return wrongParameter("TableClass modification must be the only operation in the request")
	case u.DeletionProtectionEnabled != nil:
		return wrongParameter("DeletionProtection modification must be the only operation in the request")
	case creates > 0 && u.WarmThroughput != nil:
		return wrongParameter("Create global secondary index cannot be specified when updating WarmThroughput")
	}
	return nil
}

func (u *updateTable) run(c *call) (fields, error) {
	t := c.tables[nameOf(u.TableName)]
	switch {
	case t == nil:
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", nameOf(u.TableName))
	case !t.usable(c.now):
		return nil, inUseBy("Table is being created or deleted: %s", t.name)
	}
	if err := u.checkCapacity(c, t); err != nil {
		return nil, err
	}
	if err := u.alterIndexes(c, t); err != nil {
		return nil, err
	}
	t.settings.set(&u.capacity)
	if u.DeletionProtectionEnabled != nil {
		t.settings.protected = *u.DeletionProtectionEnabled
	}
	if u.TableClass != "" {
		t.settings.class = raw(`"` + u.TableClass + `"`)
	}
	out := fields{{"TableDescription", c.describe(t, "UPDATING")}}
	t.forgetIndexes(c.now)
	return out, nil
}

// mode is the billing mode that the table is to have.
func (u *updateTable) mode(t *table) string {
	if u.BillingMode != "" {
		return u.BillingMode
	}
	return t.settings.billing
}

// checkCapacity refuses settings that do not fit each other, and any while an index is made or removed.
func (u *updateTable) checkCapacity(c *call, t *table) error {
	mode, p := u.mode(t), u.ProvisionedThroughput
	switch {
	case mode == onDemandMode && p != nil:
		return wrongParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode == provisionedMode && t.settings.billing == onDemandMode && p == nil:
		return invalid("No provisioned throughput specified for the table")
	case p != nil && u.BillingMode == "" && p.ReadCapacityUnits == t.settings.reads &&
		p.WriteCapacityUnits == t.settings.writes:
		return invalid("The requested throughput value equals the current value")
	case p == nil && mode == t.settings.billing:
		return nil
	}
	for _, x := range t.indexes {
		switch c.stateOf(x) {
		case allocating:
			return inUseBy("Can't change table IOPS when an index is being created. Table: %s Indexes: [%s]",
				t.name, x.name)
		case deleting:
			return inUseBy("Can't change table IOPS when an index is being deleted. Table: %s Indexes: [%s]",
				t.name, x.name)
		}
	}
	return nil
}
