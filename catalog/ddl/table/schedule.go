package table

import (
	"context"
	"errors"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/rollover"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// KeepSchedule does what it is time for with the partitions of a table.
func (d *Definer) KeepSchedule(ctx context.Context, table uint32) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, ok := change.Snap.ByID(table).(*catalog.Table)
	if !ok {
		return nil
	}
	return d.keepSchedule(ctx, t)
}

// keepSchedule makes and drops the partitions of a table for which it is time, or else moves one to the class of cold
// rows, which takes a store some time. What cannot be done is a warning, and left.
func (d *Definer) keepSchedule(ctx context.Context, t *catalog.Table) error {
	s := rollover.Of(t)
	if s == nil {
		return nil
	}
	work := s.Work(d.Txn.Changed().Snap, t, d.Now())
	done := 0
	for _, p := range work.Drop {
		d.Node.Log.Info("dropping a partition by drop_after", "table", t.Name, "partition", p.Name)
		if err := d.warned(&done, p.Name, d.Drop(ctx, []ddl.Target{{Object: p}}, false)); err != nil {
			return err
		}
	}
	for _, n := range work.Make {
		if err := d.warned(&done, n.Name, d.makeAhead(ctx, t, n)); err != nil {
			return err
		}
	}
	if len(work.Cold) > 0 && done == 0 {
		return d.cool(ctx, s, work.Cold[0])
	}
	return nil
}

// warnOfExports says that options ask for exports which this process does not make.
func (d *Definer) warnOfExports(t *catalog.Table, options []ast.Option) error {
	if d.Exports ||
		!slices.ContainsFunc(options, func(o ast.Option) bool { return o.Name == rollover.ExportAfterOption }) {
		return nil
	}
	return d.Notice(sqlerr.Warn(sqlerr.Warning, "partitions of table %q are not exported by this server", t.Name).
		WithDetail("It has no directory for them. A partition is not dropped by %s before it is exported.",
			rollover.DropAfterOption).
		WithHint("Start a server on this store with --export-dir."))
}

// warned counts what was done, and makes a warning of an error that concerns one partition alone.
func (d *Definer) warned(done *int, partition string, err error) error {
	if err == nil {
		*done++
	}
	var e *sqlerr.Error
	if !errors.As(err, &e) || !slices.Contains([]sqlerr.Code{sqlerr.CheckViolation, sqlerr.DuplicateTable,
		sqlerr.DependentObjectsStillExist, sqlerr.ObjectInUse}, e.Code) {
		return err
	}
	return d.Notice(sqlerr.Warn(e.Code, "partition %q: %s", partition, e.Message).WithDetail("%s", e.Detail))
}

// makeAhead makes a partition before there are rows for it. It is its parent's owner's.
func (d *Definer) makeAhead(ctx context.Context, parent *catalog.Table, n rollover.New) error {
	if n.Taken {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", n.Name)
	}
	tree := &ast.CreateTable{Table: ast.Name{Schema: parent.Schema, Name: n.Name}}
	t, err := d.Builder(ctx, d.Txn.Changed().Snap).Partition(parent, tree, parent.Schema, n.Of)
	if err != nil {
		return err
	}
	if err := d.takeFromDefault(ctx, parent, t.Table); err != nil {
		return err
	}
	t.Owner = parent.Owner
	return d.KeepTable(ctx, t, ast.PreserveRows)
}

// cool gives a partition and its indexes the options of cold rows.
func (d *Definer) cool(ctx context.Context, s *rollover.Schedule, p *catalog.Table) error {
	d.Node.Log.Info("moving a partition by cold_after", "partition", p.Name)
	cooled := func(options map[string]string) map[string]string {
		out := maps.Clone(options)
		if out == nil {
			out = map[string]string{}
		}
		if len(s.Class) > 0 {
			maps.DeleteFunc(out, func(name, _ string) bool { return catalog.IsCapacityOption(name) })
		}
		maps.Copy(out, s.ColdOptions())
		return out
	}
	next := *p
	next.Version++
	next.Options, next.Indexes = cooled(p.Options), slices.Clone(p.Indexes)
	for i := range next.Indexes {
		next.Indexes[i].Options = cooled(next.Indexes[i].Options)
	}
	return d.PutAltered(ctx, p, &next)
}

// giveWay drops the partitions made ahead that have no rows yet where another one is to have their range.
func (d *Definer) giveWay(ctx context.Context, to *catalog.Table) error {
	for _, p := range d.Txn.Changed().Snap.Partitions(to.PartitionOf.Parent) {
		if p.PartitionOf.Overlaps(to.PartitionOf) {
			if err := d.dropUnused(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveName drops a partition made ahead that has no rows yet and bears the name of a table that is to be made, as where
// a dump makes its partitions itself.
func (d *Definer) giveName(ctx context.Context, tree *ast.CreateTable) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil || tree.IfNotExists {
		return err
	}
	schema, err := d.SchemaFor(ctx, change.Snap, tree.Table)
	if err != nil {
		return err
	}
	p, ok := change.Snap.Relation(schema, tree.Table.Name).(*catalog.Table)
	if !ok || d.MustOwn(change.Snap, p) != nil {
		return nil
	}
	return d.dropUnused(ctx, p)
}

// dropUnused drops a partition made ahead if it has no rows and nothing depends on it.
func (d *Definer) dropUnused(ctx context.Context, p *catalog.Table) error {
	target := ddl.Target{Object: p}
	if p.PartitionOf == nil || !p.PartitionOf.Ahead || len(d.Dependents(target)) > 0 {
		return nil
	}
	some, err := d.anyRow(ctx, p, expr.Const{Value: types.NewBool(true), T: types.Bool})
	if err != nil || some {
		return err
	}
	if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
		"partition %q, which was made ahead and has no rows, gives way", p.Name)); err != nil {
		return err
	}
	return d.Drop(ctx, []ddl.Target{target}, false)
}

// asScheduled says whether a command sets options about partitions to what they are: then there is only to see
// which partitions are work.
func asScheduled(t *catalog.Table, cmd ast.AlterCommand) bool {
	return t.Partitioning != nil && cmd.Kind == ast.SetOptions && !slices.ContainsFunc(cmd.Options,
		func(o ast.Option) bool { return !rollover.IsOption(o.Name) || t.Options[o.Name] != o.Value })
}

// ofPartitions are the options of a command that partitions take, too.
func ofPartitions(options []ast.Option) []ast.Option {
	return slices.DeleteFunc(slices.Clone(options), func(o ast.Option) bool { return rollover.IsOption(o.Name) })
}
