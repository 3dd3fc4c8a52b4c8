package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/cluster/lock"
	"zproxy/parser/ast"
	"zproxy/session/statement"
)

// tableModes are the modes of LOCK TABLE.
var tableModes = map[string]lock.Mode{
	"access share": lock.AccessShare, "row share": lock.RowShare, "row exclusive": lock.RowExclusive,
	"share update exclusive": lock.ShareUpdateExclusive, "share": lock.Share,
	"share row exclusive": lock.ShareRowExclusive, "exclusive": lock.Exclusive, "access exclusive": lock.AccessExclusive,
}

// lockTables runs LOCK TABLE, which locks tables one after the other until the transaction ends.
func (s utilities) lockTables(ctx context.Context, tree *ast.LockTable) error {
	if !s.txn.Several {
		if err := s.txn.OnlyIn("LOCK TABLE"); err != nil {
			return err
		}
	}
	policy := lock.Block
	if tree.NoWait {
		policy = lock.NoWait
	}
	for _, name := range tree.Tables {
		t, err := s.reach.planner(s.txn.Schema()).Table(name)
		if err == nil {
			err = ddl.NotOnForeign(t, "lock")
		}
		if err == nil {
			err = s.mayLock(t, tree.Mode)
		}
		if err == nil {
			err = s.txn.LockTables(ctx, tableLocks(tableModes[tree.Mode], s.tablesOf(t, name)), policy)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tablesOf are the tables that a name stands for: a table with its partitions, and those that inherit from it, unless
// ONLY was written.
func (s utilities) tablesOf(t *catalog.Table, name ast.Name) []*catalog.Table {
	if name.Only {
		return []*catalog.Table{t}
	}
	snap := s.txn.Schema()
	return append(snap.Lineage(t), snap.Descendants(t.ID)...)
}

// mayLock wants the present role to have a privilege by which it could meet the rows that a
// lock is about.
func (s utilities) mayLock(t *catalog.Table, mode string) error {
	any := catalog.MayUpdate | catalog.MayDelete | catalog.MayTruncate
	switch mode {
	case "access share":
		any |= catalog.MaySelect
	case "row exclusive":
		any |= catalog.MayInsert
	}
	if have, _ := s.txn.Schema().Privileges(s.user.Role(), t); have&any == 0 {
		return statement.Denied("permission denied for table %s", t.Name)
	}
	return nil
}
