package transaction

import (
	"slices"

	"zproxy/catalog"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// ReadOnly says whether the transaction must not write.
func (c *Current) ReadOnly() bool {
	value, _ := c.of.Settings.Get(settings.ReadOnlyName)
	return value == "on"
}

// MayWrite says whether a statement of the transaction may write, be it to a temporary table.
func (c *Current) MayWrite() bool { return !c.ReadOnly() || c.Temporary != "" }

// RefuseReadOnly is the answer to a statement that writes in a transaction that must not.
func (c *Current) RefuseReadOnly(what string) error {
	if !c.ReadOnly() {
		return nil
	}
	return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", what)
}

// RefuseWrites is RefuseReadOnly for a statement that writes or locks rows, which those of temporary
// tables do not count as.
func (c *Current) RefuseWrites(tables []*catalog.Table, what string) error {
	if slices.ContainsFunc(tables, func(t *catalog.Table) bool {
		return c.Temporary == "" || t.Schema != c.Temporary
	}) {
		return c.RefuseReadOnly(what)
	}
	return nil
}
