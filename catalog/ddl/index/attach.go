package index

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Partitions makes the indexes of partitions belong to those of their table.
type Partitions struct{ *Definer }

// attachIndex runs ALTER INDEX ... ATTACH PARTITION, which a dump of a partitioned table contains.
func (d Partitions) attachIndex(ctx context.Context, tree *ast.IndexOptions, what *ast.PartitionChange) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	of, err := d.indexAt(change.Snap, tree.Index)
	if err != nil {
		return err
	}
	if of.Table.Partitioning == nil {
		return sqlerr.New(sqlerr.WrongObjectType, "ALTER action ATTACH PARTITION cannot be performed on relation %q",
			tree.Index.Name).WithDetail("This operation is not supported for indexes.")
	}
	own, err := d.indexAt(change.Snap, what.Name)
	if err != nil {
		return err
	}
	p := own.Table
	if p.PartitionOf == nil || p.PartitionOf.Parent != of.Table.ID {
		return d.notAttached(of, own, sqlerr.ObjectNotInPrerequisiteState,
			"Index %q is not an index on any partition of table %q.", own.Ref().Name, of.Table.Name)
	}
	if err := d.InUse("ALTER INDEX", p); err != nil {
		return err
	}
	if err := d.attach(ctx, of, own); err != nil {
		return err
	}
	return d.complete(ctx, of.Table.ID)
}

// attach makes an index one that belongs to that of its table's parent.
func (d Partitions) attach(ctx context.Context, of, own catalog.TableIndex) error {
	p := own.Table
	same, err := (of.Index == nil) == (own.Index == nil), error(nil)
	switch {
	case same && of.Index == nil:
		same = d.Txn.Changed().Snap.SameKey(of.Table, p)
	case same && own.Index.Of == of.Index.ID:
		return nil
	case same && slices.ContainsFunc(p.Indexes, func(x catalog.Index) bool { return x.Of == of.Index.ID }):
		return d.notAttached(of, own, sqlerr.ObjectNotInPrerequisiteState,
			"Another index is already attached for partition %q.", p.Name)
	case same:
		same, err = d.Builder(ctx, d.Txn.Changed().Snap).SameIndex(of.Table, of.Index, p, own.Index)
	}
	if err == nil && !same {
		err = d.notAttached(of, own, sqlerr.InvalidObjectDefinition, "The index definitions do not match.")
	}
	if err != nil || of.Index == nil {
		return err
	}
	return d.Txn.Put(ctx, adopted(p, own.Index, of.Index))
}

func (d Partitions) notAttached(of, own catalog.TableIndex, code sqlerr.Code, detail string, args ...any) error {
	return sqlerr.New(code, "cannot attach index %q as a partition of index %q", own.Ref().Name, of.Ref().Name).
		WithDetail(detail, args...)
}

// indexAt is the index of a name, which the role owns.
func (d Partitions) indexAt(snap *catalog.Snapshot, name ast.Name) (catalog.TableIndex, error) {
	r, err := d.Planner(snap).Relation(name)
	if err == nil && r == nil {
		err = sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", name.Name)
	}
	if err != nil {
		return catalog.TableIndex{}, err
	}
	x, ok := r.(catalog.TableIndex)
	if !ok {
		return x, sqlerr.New(sqlerr.InvalidObjectDefinition, "%q is not an index", name.Name)
	}
	return x, d.MustOwn(snap, x.Table)
}

// complete lets those indexes of a partitioned table be used of which each partition has one.
func (d Partitions) complete(ctx context.Context, table uint32) error {
	snap := d.Txn.Changed().Snap
	t := snap.ByID(table).(*catalog.Table)
	for i := range t.Indexes {
		x := t.Indexes[i]
		if x.State.Reads() || slices.ContainsFunc(snap.Partitions(table), func(p *catalog.Table) bool {
			return !slices.ContainsFunc(p.Indexes,
				func(own catalog.Index) bool { return own.Of == x.ID && own.State.Reads() })
		}) {
			continue
		}
		x.State = catalog.Readable
		t = t.WithIndex(x)
	}
	if t == snap.ByID(table) {
		return nil
	}
	if err := d.Txn.Put(ctx, t); err != nil || t.PartitionOf == nil {
		return err
	}
	return d.complete(ctx, t.PartitionOf.Parent)
}

// fill puts the index of a table that has partitions into the schema, and fills those that it stands for.
func (d Partitions) fill(ctx context.Context, t *catalog.Table, x *catalog.Index) (*catalog.Table, error) {
	if err := d.learnNothing(t, x); err != nil {
		return nil, err
	}
	out := t.WithIndex(*x)
	if err := d.Txn.Put(ctx, out); err != nil {
		return nil, err
	}
	for _, p := range d.Txn.Changed().Snap.Partitions(t.ID) {
		if err := d.InUse("CREATE INDEX", p); err != nil {
			return nil, err
		}
		if err := d.Adopt(ctx, out, x, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// learnNothing decides how a Z-order index of a table that has partitions spreads values. It has no entries, and those
// that it stands for learn from the rows of their partitions.
func (d Partitions) learnNothing(t *catalog.Table, x *catalog.Index) error {
	if x.Method != catalog.ZOrder {
		return nil
	}
	return d.learnMaps(t, x, catalog.Stats{}, nil)
}

// Adopt makes an index of a partition one that belongs to an index of its parent: one that is there, or a new one.
func (d Partitions) Adopt(ctx context.Context, parent *catalog.Table, x *catalog.Index, p *catalog.Table) error {
	b := d.Builder(ctx, d.Txn.Changed().Snap)
	for i := range p.Indexes {
		own := &p.Indexes[i]
		if own.Of != 0 || !own.State.Reads() {
			continue
		}
		if same, err := b.SameIndex(parent, x, p, own); err != nil || same {
			if err != nil {
				return err
			}
			return d.Txn.Put(ctx, adopted(p, own, x))
		}
	}
	own, err := b.PartitionIndex(p, x)
	if err == nil {
		_, _, err = d.Fill(ctx, p, own)
	}
	return err
}

func adopted(p *catalog.Table, own, by *catalog.Index) *catalog.Table {
	x := *own
	x.Of = by.ID
	return p.WithIndex(x)
}

// OfParentOnly puts the index of a table that has partitions into the schema, without those of the partitions but such
// as were made ahead. It is not used before each partition has got one that belongs to it.
func (d Partitions) OfParentOnly(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	own := *x
	own.State = catalog.WriteOnly
	if err := d.learnNothing(t, &own); err != nil {
		return err
	}
	t = t.WithIndex(own)
	if err := d.Txn.Put(ctx, t); err != nil {
		return err
	}
	for _, p := range d.Txn.Changed().Snap.Partitions(t.ID) {
		if p.PartitionOf.Ahead {
			if err := d.Adopt(ctx, t, x, p); err != nil {
				return err
			}
		}
	}
	return d.complete(ctx, t.ID)
}
