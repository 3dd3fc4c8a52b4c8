package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// noteCluster runs CLUSTER, which notes by which index PostgreSQL would order the rows.
func noteCluster(ctx context.Context, d *Definer, tree *ast.Cluster) error {
	if tree.Table == nil {
		return nil // all that were clustered before stay as they are
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, err := d.Planner(change.Snap).Table(*tree.Table)
	if err != nil {
		return err
	}
	if err := d.MustOwn(change.Snap, t); err != nil {
		return err
	}
	if tree.Index == "" {
		if clusteredBy(t) == "" {
			return sqlerr.New(sqlerr.UndefinedObject, "there is no previously clustered index for table %q", t.Name)
		}
		return nil
	}
	x, err := clusterIndex(change.Snap, t, tree.Index)
	if err != nil {
		return err
	}
	standing := map[uint32]bool{x.Number(): true} // and what stands for it in partitions
	for _, one := range append([]*catalog.Table{t}, change.Snap.Descendants(t.ID)...) {
		name := ""
		for i := range one.Indexes {
			if own := &one.Indexes[i]; standing[own.Of] && own.Of != 0 {
				name, standing[own.ID] = own.Name, true
			}
		}
		switch {
		case one.ID == t.ID:
			name = tree.Index
		case x.Index == nil:
			name = one.PrimaryKey
		}
		if one.Partitioning != nil || name == "" {
			continue
		}
		if err := d.Txn.Put(ctx, withCluster(one, name)); err != nil {
			return err
		}
	}
	return nil
}

// clusterOn runs CLUSTER ON and, without a name, SET WITHOUT CLUSTER.
func clusterOn(a *alteration, name string) error {
	if a.Table.Partitioning != nil {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot mark index clustered in partitioned table")
	}
	if name != "" {
		if _, err := clusterIndex(a.Catalog, a.Table, name); err != nil {
			return err
		}
	}
	if clusteredBy(a.Table) == name {
		return nil
	}
	return a.keep(withCluster(a.Table, name), nil)
}

// withCluster is a copy of a table of which CLUSTER has named an index last, or none if the name is empty.
func withCluster(t *catalog.Table, index string) *catalog.Table {
	c := *t
	c.Version++
	c.KeyClustered = index != "" && t.PrimaryKey == index
	c.Indexes = slices.Clone(t.Indexes)
	for i := range c.Indexes {
		c.Indexes[i].Clustered = c.Indexes[i].Name == index
	}
	return &c
}

// clusteredBy is the name of the index by which a table was clustered last, empty for none.
func clusteredBy(t *catalog.Table) string {
	for _, x := range t.TableIndexes() {
		if x.Clustered() {
			return x.Ref().Name
		}
	}
	return ""
}

// clusterIndex finds the index of a name by which the rows of a table can be ordered.
func clusterIndex(snap *catalog.Snapshot, t *catalog.Table, name string) (catalog.TableIndex, error) {
	for _, x := range t.TableIndexes() {
		if x.Ref().Name != name {
			continue
		}
		what := ""
		switch {
		case x.Method() != catalog.BTree:
			return x, sqlerr.New(sqlerr.FeatureNotSupported,
				"cannot cluster on index %q because access method does not support clustering", name)
		case x.Index != nil && x.Index.Partial():
			what = "partial"
		case !x.State().Reads():
			what = "invalid"
		default:
			return x, nil
		}
		return x, sqlerr.New(sqlerr.FeatureNotSupported, "cannot cluster on %s index %q", what, name)
	}
	if _, there := snap.Relation(t.Schema, name).(catalog.TableIndex); there {
		return catalog.TableIndex{}, sqlerr.New(sqlerr.WrongObjectType, "%q is not an index for table %q", name, t.Name)
	}
	return catalog.TableIndex{}, sqlerr.New(sqlerr.UndefinedObject, "index %q for table %q does not exist", name,
		t.Name)
}
