package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/expr"
)

// referring are the foreign keys that refer to a table, of those that match; with nil all of them.
func (d *drop) referring(t *catalog.Table, match func(*reference.Key) bool) []dependent {
	var out []dependent
	for _, id := range t.Referrers {
		child, _ := d.snap.ByID(id).(*catalog.Table)
		if child == nil {
			continue
		}
		for _, k := range child.ForeignKeys.To(t.ID) {
			if match == nil || match(&k) {
				out = append(out, dependent{Target{Object: child, ForeignKey: k.ID}, child.ID == t.ID && match == nil})
			}
		}
	}
	if t.PartitionOf == nil || match != nil {
		return out
	}
	// Rows that refer to the parent may refer to those of the partition.
	if parent, ok := d.snap.ByID(t.PartitionOf.Parent).(*catalog.Table); ok {
		out = append(out, d.referring(parent, nil)...)
	}
	return out
}

// ownKeys are the foreign keys of a table, or those over one of its columns. They go with it.
func (d *drop) ownKeys(t *catalog.Table, column uint32) []dependent {
	var out []dependent
	for i := range t.ForeignKeys {
		if k := &t.ForeignKeys[i]; column == 0 || k.Uses(column) {
			out = append(out, dependent{Target{Object: t, ForeignKey: k.ID}, true})
		}
	}
	return out
}

func usesIndex(number uint32) func(*reference.Key) bool {
	return func(k *reference.Key) bool { return k.Index == number }
}

// foreignKeys drops foreign keys.
type foreignKeys struct{ *Definer }

// describeCause is what a removal depends on. A foreign key depends on an index, and not on the constraint that
// made it.
func (d foreignKeys) describeCause(snap *catalog.Snapshot, g removal) string {
	t, ok := g.on.Object.(*catalog.Table)
	switch {
	case !ok || g.ForeignKey == 0:
	case g.on.IsPrimary:
		return "index " + expr.QuoteIdent(t.PrimaryKey)
	case t.IndexByID(g.on.Index) != nil:
		return "index " + expr.QuoteIdent(t.IndexByID(g.on.Index).Name)
	}
	return d.Describe(snap, g.on)
}

// describeIndex names an index, or the constraint that made it.
func describeIndex(d *Definer, snap *catalog.Snapshot, t *catalog.Table, x *catalog.Index) string {
	if x.Constraint {
		return "constraint " + expr.QuoteIdent(x.Name) + " on " + namedFrom(d, snap, t)
	}
	return "index " + fromPath(d, snap, catalog.Ref{ID: x.ID, Schema: t.Schema, Name: x.Name}, snap.Relation)
}

// drop takes a foreign key from a table, which the table that it refers to then may not know any more.
func (d foreignKeys) drop(ctx context.Context, t *catalog.Table, id uint32) error {
	k := t.ForeignKeys.Numbered(id)
	if k == nil {
		return nil
	}
	child := *t
	child.Version++
	child.ForeignKeys = t.ForeignKeys.Without(id)
	parent, _ := d.Txn.Changed().Snap.ByID(k.Table).(*catalog.Table)
	switch {
	case parent == nil || len(child.ForeignKeys.To(parent.ID)) > 0:
		return d.Txn.Put(ctx, &child)
	case parent.ID == t.ID:
		child.Referrers = without(child.Referrers, t.ID)
		return d.Txn.Put(ctx, &child)
	}
	to := *parent
	to.Version++
	to.Referrers = without(parent.Referrers, t.ID)
	return d.Txn.Put(ctx, &child, &to)
}

func without(list []uint32, id uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(list), func(one uint32) bool { return one == id })
}
