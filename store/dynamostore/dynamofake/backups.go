package dynamofake

// describeBackups is DescribeContinuousBackups.
type describeBackups struct{ TableName string }

func (d *describeBackups) names() []string { return []string{nameOf(d.TableName)} }

func (d *describeBackups) check() error { return nil }

func (d *describeBackups) run(c *call) (fields, error) {
	t, err := c.table(nameOf(d.TableName))
	if err != nil {
		return nil, fail("TableNotFoundException", "Table not found: %s", nameOf(d.TableName))
	}
	return t.backups(), nil
}

// updateBackups is UpdateContinuousBackups.
type updateBackups struct {
	TableName                        string
	PointInTimeRecoverySpecification struct{ PointInTimeRecoveryEnabled bool }
}

func (u *updateBackups) names() []string { return []string{nameOf(u.TableName)} }

func (u *updateBackups) check() error { return nil }

func (u *updateBackups) run(c *call) (fields, error) {
	t, err := c.table(nameOf(u.TableName))
	if err != nil {
		return nil, fail("TableNotFoundException", "Table not found: %s", nameOf(u.TableName))
	}
	t.settings.recovers = u.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled
	return t.backups(), nil
}

// backups is what is said of the backups of a table.
func (t *table) backups() fields {
	status := "DISABLED"
	if t.settings.recovers {
		status = "ENABLED"
	}
	return fields{{"ContinuousBackupsDescription", fields{
		{"ContinuousBackupsStatus", "ENABLED"},
		{"PointInTimeRecoveryDescription", fields{{"PointInTimeRecoveryStatus", status}}},
	}}}
}
