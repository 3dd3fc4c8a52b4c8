package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/define"
	"zproxy/catalog/partition"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/types"
)

// createPartition makes a partition of a table.
func (d *Definer) createPartition(ctx context.Context, tree *ast.CreateTable) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, skip, err := d.NewRelation(ctx, tree.Table, tree.IfNotExists)
	if err != nil || skip {
		return err
	}
	b := d.Builder(ctx, change.Snap)
	parent, err := b.Table(tree.PartitionOf.Parent)
	if err != nil {
		return err
	}
	if err := d.MustOwn(change.Snap, parent); err != nil {
		return err
	}
	if parent, err = (dividing{d}).byHash(ctx, parent, tree.PartitionOf); err != nil {
		return err
	}
	b = d.Builder(ctx, d.Txn.Changed().Snap)
	of, err := b.PartitionOf(parent, tree.Table.Name, tree.PartitionOf, d.Exec(ctx, nil).Expr)
	if err != nil {
		return err
	}
	t, err := b.Partition(parent, tree, schema, of)
	if err != nil {
		return err
	}
	if err := d.free(ctx, t.Table, tree.PartitionOf); err != nil {
		return err
	}
	if err := d.takeFromDefault(ctx, parent, t.Table); err != nil {
		return err
	}
	t.Triggers = catalog.Triggers{} // it has those of rows as copies
	if t.Triggers, err = (ddl.Triggers{Definer: d.Definer.Definer}).For(ctx, parent, t.Table); err != nil {
		return err
	}
	if err := d.KeepTable(ctx, t, tree.OnCommit); err != nil {
		return err
	}
	for _, cmd := range tree.PartitionOf.Commands {
		now := d.Txn.Changed().Snap.ByID(t.ID).(*catalog.Table)
		if err := d.alterWithPartitions(ctx, now, cmd, false); err != nil {
			return err
		}
	}
	return nil
}

// dividing runs what statements do to tables with partitions and these together.
type dividing struct{ *Definer }

// byHash makes a table that keeps its rows itself one with hash partitions, when the first of them is made. What they
// are by PARTITION BY HASH has named, and there must be no rows yet.
func (d dividing) byHash(ctx context.Context, t *catalog.Table, tree *ast.PartitionOf) (*catalog.Table, error) {
	if t.HashedBy == nil || tree.Strategy != string(partition.Hash) {
		return t, nil
	}
	if err := d.Txn.Alone(ctx, t); err != nil {
		return nil, err
	}
	some, err := d.anyRow(ctx, t, expr.Const{Value: types.NewBool(true), T: types.Bool})
	switch {
	case err != nil:
		return nil, err
	case some:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "table %q keeps its rows itself", t.Name).
			WithHint("Make the hash partitions of a table before its first rows.")
	}
	next, err := define.ByHash(d.Builder(ctx, d.Txn.Changed().Snap), t)
	if err != nil {
		return nil, err
	}
	if err := d.Txn.Put(ctx, next); err != nil {
		return nil, err
	}
	return next, d.Txn.Retire(ctx, t, cluster.SpacesOf(t)...)
}

// free refuses a partition that would have rows of another one.
func (d *Definer) free(ctx context.Context, t *catalog.Table, tree *ast.PartitionOf) error {
	if err := d.giveWay(ctx, t); err != nil {
		return err
	}
	return d.Builder(ctx, d.Txn.Changed().Snap).Disjoint(t.PartitionOf, t.Name, tree)
}

// takeFromDefault refuses a new partition for rows that the default partition has. The default partition gets another
// version, so that no other transaction commits such rows to it.
func (d *Definer) takeFromDefault(ctx context.Context, parent, t *catalog.Table) error {
	snap := d.Txn.Changed().Snap
	all := snap.Partitions(parent.ID)
	if len(all) == 0 || !all[len(all)-1].PartitionOf.Default || t.PartitionOf.Default {
		return nil
	}
	of := all[len(all)-1]
	bound, err := d.Planner(snap).Stored().Bound(t)
	if err != nil {
		return err
	}
	some, err := d.anyRow(ctx, of, expr.Conjoin(bound))
	switch {
	case err != nil:
		return err
	case some:
		e := sqlerr.New(sqlerr.CheckViolation,
			"updated partition constraint for default partition %q would be violated by some row", of.Name)
		e.Schema, e.Table = of.Schema, of.Name
		return e
	}
	return dividing{d}.renew(ctx, of, func(*catalog.Table) {})
}

// renew puts the next version of a table and of its partitions into the schema, with a change of each.
func (d dividing) renew(ctx context.Context, t *catalog.Table, change func(*catalog.Table)) error {
	var out []catalog.Object
	for _, p := range append([]*catalog.Table{t}, d.Txn.Changed().Snap.Descendants(t.ID)...) {
		next := *p
		next.Version++
		change(&next)
		out = append(out, &next)
	}
	return d.Txn.Put(ctx, out...)
}

// anyRow says whether a row of a table, or of one of its partitions, meets a condition.
func (d *Definer) anyRow(ctx context.Context, t *catalog.Table, cond expr.Expr) (bool, error) {
	if t.Partitioning != nil {
		for _, leaf := range d.Txn.Changed().Snap.Leaves(t) {
			if some, err := d.anyRow(ctx, leaf, cond); some || err != nil {
				return some, err
			}
		}
		return false, nil
	}
	if !t.Kept() {
		return false, nil
	}
	txn, err := d.Txn.RowsOf(ctx, t)
	if err != nil {
		return false, err
	}
	for batch, err := range executor.Run(ctx, planner.Rows(t, cond), d.Exec(ctx, txn)) {
		if err != nil || batch.Len() > 0 {
			return true, err
		}
	}
	return false, nil
}

// alterWithPartitions runs a command on a table, and unless it is for the table only, on its partitions.
func (d *Definer) alterWithPartitions(ctx context.Context, t *catalog.Table, cmd ast.AlterCommand, only bool) error {
	if err := d.alterOne(ctx, t, cmd, only); err != nil {
		return err
	}
	if t.Partitioning != nil {
		if err := d.alterPartitioned(ctx, t, cmd, only); err != nil {
			return err
		}
	}
	if !only {
		if err := (heirs{d}).alter(ctx, t, cmd); err != nil {
			return err
		}
	}
	switch {
	case cmd.Kind != ast.AddPrimaryKey:
		return nil
	case t.Partitioning != nil:
		return d.dropRowIDs(ctx, t.ID)
	case t.PartitionOf != nil:
		return d.dropRowIDs(ctx, t.PartitionOf.Parent)
	}
	return nil
}

// alterPartitioned does to the partitions of a table what a command has done to the table. If that was for the table
// only, those made ahead get its primary key nevertheless: who adds keys one by one does not know of them.
func (d *Definer) alterPartitioned(ctx context.Context, parent *catalog.Table, cmd ast.AlterCommand, only bool) error {
	snap := d.Txn.Changed().Snap
	ofCheck := cmd.Kind == ast.ValidateConstraint && parent.Check(cmd.Name) >= 0
	if only && cmd.Kind != ast.AddPrimaryKey || aboutForeignKeys(cmd.Kind) && !ofCheck || aboutRowSecurity(cmd.Kind) {
		return nil
	}
	switch cmd.Kind {
	case ast.DropColumn, ast.AddUnique, ast.ChangePartition, ast.NameIndex, ast.ClusterOn:
		return nil // done with the table
	case ast.AddIdentity, ast.SetIdentity, ast.DropIdentity:
		return nil // of the table alone
	case ast.AddColumn:
		cmd.Column = define.Inherited(cmd.Column, snap.ByID(parent.ID).(*catalog.Table))
	case ast.AddPrimaryKey:
		cmd.Name = "" // each has one of its own
	case ast.SetOptions, ast.ResetOptions:
		if cmd.Options = ofPartitions(cmd.Options); len(cmd.Options) == 0 {
			return nil
		}
	case ast.DropConstraint:
		if parent.Check(cmd.Name) < 0 && !isPrimaryKey(parent, cmd.Name) {
			return nil
		}
	case ast.AddCheck:
		checks := snap.ByID(parent.ID).(*catalog.Table).Checks
		check := *cmd.Check
		check.Name, cmd.Check = checks[len(checks)-1].Name, &check
	}
	for _, p := range snap.Partitions(parent.ID) {
		if cmd.Kind == ast.AddPrimaryKey && (snap.SameKey(snap.ByID(parent.ID).(*catalog.Table), p) ||
			only && !p.PartitionOf.Ahead) {
			continue
		}
		one := cmd
		if cmd.Kind == ast.DropConstraint && isPrimaryKey(parent, cmd.Name) {
			one.Name = p.PrimaryKey
		}
		if err := d.alterWithPartitions(ctx, p, one, false); err != nil {
			return err
		}
	}
	return nil
}

func isPrimaryKey(t *catalog.Table, constraint string) bool {
	return t.PrimaryKey != "" && t.PrimaryKey == constraint
}

// alterOne runs a command on one table, by itself.
func (d *Definer) alterOne(ctx context.Context, t *catalog.Table, cmd ast.AlterCommand, only bool) error {
	snap := d.Txn.Changed().Snap
	t = snap.ByID(t.ID).(*catalog.Table)
	if err := d.InUse("ALTER TABLE", t); err != nil {
		return err
	}
	if err := d.Txn.Alone(ctx, t); err != nil {
		return err
	}
	a := d.alteration(ctx, t)
	a.only = only
	return a.run(cmd)
}

func (d *Definer) alteration(ctx context.Context, t *catalog.Table) *alteration {
	b := d.Builder(ctx, d.Txn.Changed().Snap)
	return &alteration{Alter: &define.Alter{Builder: b, Table: t, Now: d.Now()}, d: d, ctx: ctx}
}

// parentOf is the table that a partition belongs to, nil for a table that is none.
func parentOf(snap *catalog.Snapshot, t *catalog.Table) *catalog.Table {
	if t.PartitionOf == nil {
		return nil
	}
	parent, _ := snap.ByID(t.PartitionOf.Parent).(*catalog.Table)
	return parent
}

// refusePartitions refuses the commands that would make a partition unlike its parent.
func refusePartitions(t *catalog.Table, parent *catalog.Table, cmd ast.AlterCommand) error {
	switch {
	case aboutForeignKeys(cmd.Kind), aboutRowSecurity(cmd.Kind):
		return nil
	case t.Partitioning != nil:
		if err := refusedOfParent(t, cmd); err != nil {
			return err
		}
	}
	if t.PartitionOf == nil {
		return nil
	}
	switch cmd.Kind {
	case ast.DropNotNull:
		if at := parent.Column(cmd.Name); at >= 0 && parent.Columns[at].NotNull {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q is marked NOT NULL in parent table", cmd.Name)
		}
	case ast.SetOptions, ast.ResetOptions:
		return refusedOptions(cmd)
	case ast.DropExpression:
		if at := parent.Column(cmd.Name); at >= 0 && parent.Columns[at].Generated != nil {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop generation expression from inherited column")
		}
	case ast.AddColumn:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot add column to a partition")
	case ast.DropColumn:
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop inherited column %q", cmd.Name)
	case ast.SetType:
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot alter inherited column %q", cmd.Name)
	case ast.DropConstraint:
		return refusedConstraint(t, parent, cmd.Name)
	}
	return nil
}

// refusedConstraint is the error where a partition has a constraint from its parent.
func refusedConstraint(t, parent *catalog.Table, name string) error {
	x := t.Index(name)
	if x != nil && x.Of != 0 || isPrimaryKey(t, name) && parent.PrimaryKey != "" ||
		t.Check(name) >= 0 && parent.Check(name) >= 0 {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop inherited constraint %q of relation %q", name,
			t.Name)
	}
	return nil
}

// refusedOfParent is the error about a command that is not done to partitioned tables.
func refusedOfParent(t *catalog.Table, cmd ast.AlterCommand) error {
	divides := dividesRows(t, cmd.Name)
	switch cmd.Kind {
	case ast.SetOptions, ast.ResetOptions:
		return refusedOptions(cmd)
	case ast.DropColumn:
		if divides {
			return sqlerr.New(sqlerr.InvalidTableDefinition,
				"cannot drop column %q because it is part of the partition key of relation %q", cmd.Name, t.Name)
		}
	case ast.SetType:
		if divides {
			return sqlerr.New(sqlerr.InvalidTableDefinition,
				"cannot alter column %q because it is part of the partition key of relation %q", cmd.Name, t.Name)
		}
	}
	return nil
}

// keysBelow refuses to change a column that is part of the partition key of a partition of a table.
func (d dividing) keysBelow(t *catalog.Table, cmd ast.AlterCommand) error {
	verb := map[ast.AlterKind]string{ast.DropColumn: "drop", ast.SetType: "alter"}[cmd.Kind]
	for _, p := range d.Txn.Changed().Snap.Descendants(t.ID) {
		if verb != "" && p.Partitioning != nil && dividesRows(p, cmd.Name) {
			return sqlerr.New(sqlerr.InvalidTableDefinition,
				"cannot %s column %q because it is part of the partition key of relation %q", verb, cmd.Name, p.Name)
		}
	}
	return nil
}

// dividesRows says whether a column is part of the partition key of a table.
func dividesRows(t *catalog.Table, name string) bool {
	at := t.Column(name)
	if at < 0 {
		return false
	}
	id := t.Columns[at].ID
	return slices.Contains(t.Partitioning.Columns(), id) ||
		slices.ContainsFunc(t.PartitionExprs, func(c catalog.Condition) bool { return c.Names(id) })
}

func refusedOptions(cmd ast.AlterCommand) error {
	if keys, _ := define.KeyOptions(cmd.Options); len(keys) > 0 {
		return sqlerr.Unsupported("changing parameter %q of a partitioned table", keys[0].Name).At(int(keys[0].Pos))
	}
	return nil
}

// refuseOnly refuses what cannot be done to a partitioned table because of its partitions, or without them.
func (d *Definer) refuseOnly(tree *ast.AlterTable, t *catalog.Table, cmd ast.AlterCommand) error {
	if err := (dividing{d}).keysBelow(t, cmd); err != nil {
		return err
	}
	partitions := d.Txn.Changed().Snap.Partitions(t.ID)
	if len(partitions) > 0 && cmd.Kind == ast.AddColumn && cmd.Column.Identity != "" {
		return identityOfHeirs()
	}
	if !tree.Only || len(partitions) == 0 {
		return nil
	}
	refused := func(format string, args ...any) *sqlerr.Error {
		return sqlerr.New(sqlerr.InvalidTableDefinition, format, args...)
	}
	const hint = "Do not specify the ONLY keyword."
	switch cmd.Kind {
	case ast.DropExpression:
		return sqlerr.New(sqlerr.FeatureNotSupported, dropExpressionOnly)
	case ast.AddColumn:
		return refused("column must be added to child tables too")
	case ast.AddCheck:
		return refused("constraint must be added to child tables too")
	case ast.ValidateConstraint:
		if at := t.Check(cmd.Name); at >= 0 && t.Checks[at].NotValid {
			return refused("constraint must be validated on child tables too")
		}
	case ast.DropColumn:
		return refused("cannot drop column from only the partitioned table when partitions exist").WithHint(hint)
	case ast.DropConstraint, ast.DropNotNull:
		return refused("cannot remove constraint from only the partitioned table when partitions exist").WithHint(hint)
	case ast.SetType:
		return refused("type of inherited column %q must be changed in child tables too", cmd.Name)
	}
	for _, column := range notNulls(cmd) {
		for _, p := range partitions {
			if at := p.Column(column); at >= 0 && !p.Columns[at].NotNull {
				return refused("constraint must be added to child tables too").
					WithDetail("Column %q of relation %q is not already NOT NULL.", column, p.Name).WithHint(hint)
			}
		}
	}
	return nil
}

// notNulls are the columns in which a command forbids NULLs.
func notNulls(cmd ast.AlterCommand) []string {
	switch cmd.Kind {
	case ast.SetNotNull:
		return []string{cmd.Name}
	case ast.AddPrimaryKey:
		var out []string
		for _, k := range cmd.PrimaryKey {
			out = append(out, k.Column)
		}
		return out
	}
	return nil
}
