package ddl

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/lineage"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// heirsOf are the tables that inherit from a table.
func heirsOf(d *drop, table uint32) (out []dependent) {
	for _, t := range d.snap.Heirs(table) {
		out = append(out, dependent{Target: Target{Object: t}})
	}
	return out
}

// inheritedColumns are the columns that tables have because of one that goes, and of no other that stays.
func inheritedColumns(d *drop, of Target, t *catalog.Table) (out []dependent) {
	if of.Only {
		return nil
	}
	name := t.Columns[t.Ordinal(of.Column)].Name
	stays := func(parent *catalog.Table) bool {
		at := parent.Column(name)
		if at < 0 {
			return false
		}
		_, goes := d.seen[Target{Object: parent, Column: parent.Columns[at].ID}.key()]
		return !goes
	}
	for _, heir := range d.snap.Heirs(t.ID) {
		at := heir.Column(name)
		if at < 0 || heir.Inherits.Declares(heir.Columns[at].ID) ||
			slices.ContainsFunc(lineage.Parents(d.snap, heir), stays) {
			continue
		}
		out = append(out, dependent{Target{Object: heir, Column: heir.Columns[at].ID}, true})
	}
	return out
}

// mayRename refuses to rename a column that a table, or one that inherits it, has from others, too.
func mayRename(snap *catalog.Snapshot, t *catalog.Table, tree *ast.Rename) error {
	all := snap.Lineage(t)
	if tree.Name.Only && len(all) > 1 {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "inherited column %q must be renamed in child tables too",
			tree.Old)
	}
	if lineage.OfColumn(snap, t, tree.Old) > 0 {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot rename inherited column %q", tree.Old)
	}
	for _, heir := range all[1:] {
		for _, parent := range lineage.Parents(snap, heir) {
			if parent.Column(tree.Old) >= 0 && !slices.Contains(all, parent) {
				return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot rename inherited column %q", tree.Old)
			}
		}
		if at := heir.Column(tree.New); at >= 0 {
			return ColumnExists(heir, heir.Columns[at])
		}
	}
	return nil
}

// mayRenameCheck refuses to rename a check that a table has from others, or without those who have it from the table.
func mayRenameCheck(snap *catalog.Snapshot, t *catalog.Table, tree *ast.Rename) error {
	at := t.Check(tree.Old)
	switch {
	case at < 0:
		return nil
	case tree.Name.Only && !t.Checks[at].NoInherit && len(snap.Heirs(t.ID)) > 0:
		return sqlerr.New(sqlerr.InvalidTableDefinition, "inherited constraint %q must be renamed in child tables too",
			tree.Old)
	case lineage.OfCheck(snap, t, tree.Old) > 0:
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot rename inherited constraint %q", tree.Old)
	}
	return nil
}
