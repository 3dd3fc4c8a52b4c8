package table

import (
	"context"
	"reflect"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/define"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// changePartition runs ATTACH PARTITION and DETACH PARTITION.
func (d *Definer) changePartition(ctx context.Context, t *catalog.Table, change *ast.PartitionChange) error {
	switch {
	case t.Partitioning == nil && t.HashedBy == nil:
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "table %q is not partitioned", t.Name)
	case change.Finalize:
		return d.finalizeDetach(ctx, t, change)
	case change.Detach:
		return d.detach(ctx, t, change)
	}
	return d.attach(ctx, t, change)
}

// attach makes a table a partition of another one. If its columns have other numbers or another order its rows are
// written anew, and it gets the indexes of the parent that it does not have.
func (d *Definer) attach(ctx context.Context, parent *catalog.Table, change *ast.PartitionChange) error {
	snap := d.Txn.Changed().Snap
	b := d.Builder(ctx, snap)
	t, err := b.Table(change.Name)
	if err != nil {
		return err
	}
	if err := d.MustOwn(snap, t); err != nil {
		return err
	}
	if err := b.Attachable(parent, t); err != nil {
		return err
	}
	if parent, err = (dividing{d}).byHash(ctx, parent, change.Bound); err != nil {
		return err
	}
	b = d.Builder(ctx, d.Txn.Changed().Snap)
	of, err := b.PartitionOf(parent, t.Name, change.Bound, d.Exec(ctx, nil).Expr)
	if err != nil {
		return err
	}
	next := *t
	next.PartitionOf = &of
	if err := d.free(ctx, &next, change.Bound); err != nil {
		return err
	}
	if err := b.MatchesParent(parent, t); err != nil {
		return err
	}
	if err := d.InUse("ALTER TABLE", t); err != nil {
		return err
	}
	if parent, t, err = shareExpressions(ctx, d, parent, t); err != nil {
		return err
	}
	if t, err = d.likeParent(ctx, parent, t); err != nil {
		return err
	}
	next = *t
	next.Version++
	next.NextColumn, next.PartitionOf = parent.NextColumn, &of
	if next.Triggers, err = (ddl.Triggers{Definer: d.Definer.Definer}).For(ctx, parent, t); err != nil {
		return err
	}
	if err := d.allWithin(ctx, t, &next); err != nil {
		return err
	}
	if err := d.takeFromDefault(ctx, parent, &next); err != nil {
		return err
	}
	if err := (foreignKeys{d}).attached(ctx, parent, t); err != nil {
		return err
	}
	if err := (dividing{d}).joins(ctx, parent, t, &next); err != nil {
		return err
	}
	indexes := index.Partitions{Definer: d.Definer}
	for i := range parent.Indexes {
		p := d.Txn.Changed().Snap.ByID(t.ID).(*catalog.Table)
		if err := indexes.Adopt(ctx, parent, &parent.Indexes[i], p); err != nil {
			return err
		}
	}
	return nil
}

// joins makes a table a partition, as which next has its triggers, and gives the partitions of it copies of them.
func (d dividing) joins(ctx context.Context, parent, t, next *catalog.Table) error {
	err := d.renew(ctx, t, func(p *catalog.Table) {
		if p.NextColumn = parent.NextColumn; p.ID == t.ID {
			p.PartitionOf, p.Triggers = next.PartitionOf, next.Triggers
		}
	})
	if err != nil {
		return err
	}
	return ddl.Triggers{Definer: d.Definer.Definer.Definer}.Below(ctx, t.ID, next.Triggers.CopiesOf(parent))
}

// shareExpressions gives a table and the one that it is to be a partition of the columns of each other's expressions.
func shareExpressions(ctx context.Context, d *Definer, parent, t *catalog.Table) (*catalog.Table, *catalog.Table,
	error) {
	if with := define.WithExpressions(parent, t); len(with.Columns) > len(parent.Columns) {
		with.Version++
		if err := d.Txn.Put(ctx, with); err != nil {
			return nil, nil, err
		}
		if err := index.ShareExpressions(ctx, d.Definer, with); err != nil {
			return nil, nil, err
		}
		parent = with
	}
	if with := define.WithExpressions(t, parent); len(with.Columns) > len(t.Columns) {
		with.Version++
		t = with
		if err := d.Txn.Alone(ctx, t); err != nil {
			return nil, nil, err
		}
		return parent, t, d.Txn.Put(ctx, t)
	}
	return parent, t, nil
}

// likeParent gives a table the primary key, and the numbers and the order of columns, of the one that it is to be a
// partition of.
func (d *Definer) likeParent(ctx context.Context, parent, t *catalog.Table) (*catalog.Table, error) {
	if key := addKeyOf(parent); parent.PrimaryKey != "" && !reflect.DeepEqual(key, addKeyOf(t)) {
		if t.PrimaryKey != "" {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed",
				t.Name)
		}
		if err := d.alterOne(ctx, t, key, true); err != nil {
			return nil, err
		}
	}
	t = d.Txn.Changed().Snap.ByID(t.ID).(*catalog.Table)
	if err := d.Txn.Alone(ctx, t); err != nil || define.Numbered(parent, t) {
		return t, err
	}
	if t.Partitioning != nil {
		return nil, sqlerr.Unsupported(
			"attaching a table with partitions whose columns are not in the order of its parent's").WithHint("Create the table with its columns in the order of %q.", parent.Name)
	}
	for _, v := range d.Dependents(ddl.Target{Object: t}) {
		if view, ok := v.Object.(*catalog.View); ok {
			return nil, sqlerr.Unsupported("attaching a table whose columns are not in the order of its parent's").
				WithDetail("View %q depends on table %q.", view.Name, t.Name)
		}
	}
	a := d.alteration(ctx, t)
	to, values, sequences, err := a.Conform(parent)
	if err := a.rewrite(to, values, err); err != nil {
		return nil, err
	}
	for _, q := range sequences {
		if err := d.Txn.Put(ctx, q); err != nil {
			return nil, err
		}
	}
	for _, x := range d.Txn.Changed().Snap.Statistics(t.ID) {
		if err := d.Txn.Put(ctx, define.Renumbered(x, t, to)); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// addKeyOf makes the primary key of a table that of another one.
func addKeyOf(t *catalog.Table) ast.AlterCommand {
	out := ast.AlterCommand{Kind: ast.AddPrimaryKey}
	for _, k := range t.Primary.Declared() {
		part := ast.KeyPart{Column: t.Columns[t.Ordinal(k.ID)].Name, Desc: k.Desc, Pos: -1}
		out.PrimaryKey = append(out.PrimaryKey, part)
	}
	if t.Primary.Curve() != nil {
		out.KeyMethod = string(catalog.ZOrder)
	}
	return out
}

// allWithin refuses a partition that has rows which do not belong to it. Its rows are those of a table.
func (d *Definer) allWithin(ctx context.Context, t, p *catalog.Table) error {
	bound, err := dividing{d}.bound(p)
	if err != nil || bound == nil {
		return err
	}
	some, err := d.anyRow(ctx, t, expr.Not{Arg: bound})
	if err == nil && some {
		e := sqlerr.New(sqlerr.CheckViolation, "partition constraint of relation %q is violated by some row", t.Name)
		e.Schema, e.Table = t.Schema, t.Name
		err = e
	}
	return err
}

// bound is the condition for the rows of a partition that is not in the schema yet; nil: it takes all.
func (d dividing) bound(p *catalog.Table) (expr.Expr, error) {
	bound, err := d.Planner(d.Txn.Changed().Snap).Stored().Bound(p)
	if err != nil || bound == nil {
		return nil, err
	}
	return expr.Conjoin(bound), nil
}

// detach makes a partition a table of its own.
func (d *Definer) detach(ctx context.Context, parent *catalog.Table, change *ast.PartitionChange) error {
	if change.Concurrently {
		if err := d.mayDetachConcurrently(parent); err != nil {
			return err
		}
	}
	t, err := d.partitionNamed(ctx, parent, change.Name)
	if err != nil {
		return err
	}
	if err := d.InUse("ALTER TABLE", t); err != nil {
		return err
	}
	if err := (foreignKeys{d}).detached(ctx, parent, t); err != nil {
		return err
	}
	return d.Txn.Put(ctx, detached(t))
}

// mayDetachConcurrently refuses what PostgreSQL does not do without a lock.
func (d *Definer) mayDetachConcurrently(parent *catalog.Table) error {
	if err := d.Block.NotIn("ALTER TABLE ... DETACH CONCURRENTLY"); err != nil {
		return err
	}
	all := d.Txn.Changed().Snap.Partitions(parent.ID)
	if len(all) > 0 && all[len(all)-1].PartitionOf.Default {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"cannot detach partitions concurrently when a default partition exists")
	}
	return nil
}

// partitionNamed is the partition of a table that has a name.
func (d *Definer) partitionNamed(ctx context.Context, parent *catalog.Table, name ast.Name) (*catalog.Table, error) {
	t, err := d.Builder(ctx, d.Txn.Changed().Snap).Table(name)
	if err == nil && (t.PartitionOf == nil || t.PartitionOf.Parent != parent.ID) {
		err = sqlerr.New(sqlerr.UndefinedTable, "relation %q is not a partition of relation %q", t.Name, parent.Name)
	}
	return t, err
}

// finalizeDetach runs DETACH PARTITION ... FINALIZE, which finds nothing to do: a detach is one transaction.
func (d *Definer) finalizeDetach(ctx context.Context, parent *catalog.Table, change *ast.PartitionChange) error {
	t, err := d.partitionNamed(ctx, parent, change.Name)
	if err != nil {
		return err
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cannot complete detaching partition %q", t.Name).
		WithDetail("There's no pending concurrent detach.")
}

// detached is a partition as a table of its own.
func detached(p *catalog.Table) *catalog.Table {
	t := *p
	if p.Partitioning == nil {
		t = *define.WithoutRowID(p)
	}
	t.Version = p.Version + 1
	t.PartitionOf = nil
	for _, x := range p.Triggers.Triggers {
		if x.Parent != 0 {
			t.Triggers = t.WithoutTrigger(x.ID)
		}
	}
	t.Indexes = append([]catalog.Index{}, t.Indexes...)
	for i := range t.Indexes {
		t.Indexes[i].Of = 0
	}
	return &t
}

// dropRowIDs takes the hidden row id from a partitioned table and its partitions once none of their keys is made of it.
func (d *Definer) dropRowIDs(ctx context.Context, table uint32) error {
	snap := d.Txn.Changed().Snap
	var changed []catalog.Object
	above := catalog.WithParents(snap, snap.ByID(table).(*catalog.Table))
	root := above[len(above)-1]
	for _, t := range append([]*catalog.Table{root}, snap.Descendants(root.ID)...) {
		switch without := define.WithoutRowID(t); {
		case without != t:
			changed = append(changed, without)
		case t.Column(catalog.RowID) >= 0:
			return nil // its key is the row id
		}
	}
	return d.Txn.Put(ctx, changed...)
}
