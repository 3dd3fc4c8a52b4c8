package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// statisticsObjects runs the statements about statistics objects, whose names are apart from those of relations.
type statisticsObjects struct{ *Definer }

// mostTarget is the highest target of PostgreSQL.
const mostTarget = 10_000

func (d statisticsObjects) run(ctx context.Context, tree *ast.Statistics) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Target != nil {
		return d.alter(ctx, change.Snap, tree)
	}
	return d.create(ctx, change.Snap, tree)
}

func (d statisticsObjects) create(ctx context.Context, snap *catalog.Snapshot, tree *ast.Statistics) error {
	t, err := d.table(snap, tree.Table)
	if err != nil {
		return err
	}
	if err := d.Txn.WithoutChanges(ctx, t); err != nil {
		return err
	}
	in := tree.Name
	if in.Name == "" {
		in = ast.Name{Schema: t.Schema, Pos: -1}
	}
	schema, err := d.SchemaFor(ctx, snap, in)
	if err != nil {
		return err
	}
	snap = d.Txn.Changed().Snap // with a schema of temporary relations
	taken := func(name string) bool { return snap.StatisticsNamed(schema, name) != nil }
	name := in.Name
	if name == "" {
		name = define.StatisticsName(t, tree.Columns, taken)
	}
	if taken(name) {
		if tree.Exists {
			return d.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "statistics object %q already exists, skipping",
				name))
		}
		return sqlerr.New(sqlerr.DuplicateObject, "statistics object %q already exists", name)
	}
	x, err := define.Statistics(d.Builder(ctx, snap), tree, t)
	if err != nil {
		return err
	}
	next := d.NextID(ctx)
	id, err := next()
	for range x.Expressions {
		var number uint64
		if err == nil {
			number, err = next()
		}
		x.Computed = append(x.Computed, uint32(number))
	}
	if err != nil {
		return err
	}
	x.ID, x.Schema, x.Name, x.Owner = uint32(id), schema, name, d.Role
	return d.Txn.Put(ctx, x)
}

// table is the one that statistics are to be of, which the present role must own.
func (d statisticsObjects) table(snap *catalog.Snapshot, n ast.Name) (*catalog.Table, error) {
	r, err := d.Planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	kinds := ""
	switch r := r.(type) {
	case nil:
		if n.Schema != "" && snap.Schema(n.Schema) == nil {
			return nil, noSchema(n.Schema)
		}
		return nil, bind.NoRelation(n)
	case *catalog.Virtual:
		return nil, bind.SystemRelation(r)
	case *catalog.Table:
		return r, d.MustOwn(snap, r)
	case *catalog.View:
		kinds = "views"
	case *catalog.Sequence:
		kinds = "sequences"
	default:
		kinds = "indexes"
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot define statistics for relation %q", n.Name).
		WithDetail("This operation is not supported for %s.", kinds)
}

// named finds a statistics object along the search path.
func (d statisticsObjects) named(snap *catalog.Snapshot, n ast.Name) (*catalog.Statistics, error) {
	path := d.Schemas(snap)
	if name := meantSchema(d.Definer, n.Schema); name != "" {
		schema := snap.Schema(name)
		switch {
		case schema == nil:
			return nil, noSchema(n.Schema)
		case !snap.MayUse(d.Role, schema):
			return nil, statement.Denied("permission denied for schema %s", n.Schema)
		}
		path = []string{name}
	}
	for _, schema := range path {
		if x := snap.StatisticsNamed(schema, n.Name); x != nil {
			return x, nil
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "statistics object %q does not exist", bind.Dotted(n))
}

func noSchema(name string) error {
	return sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name)
}

// own is named for one that the present role must own.
func (d statisticsObjects) own(snap *catalog.Snapshot, n ast.Name) (*catalog.Statistics, error) {
	x, err := d.named(snap, n)
	if err != nil {
		return nil, err
	}
	return x, d.MustOwn(snap, x)
}

// alter runs ALTER STATISTICS ... SET STATISTICS.
func (d statisticsObjects) alter(ctx context.Context, snap *catalog.Snapshot, tree *ast.Statistics) error {
	target := tree.Target
	switch {
	case *target < -1:
		return sqlerr.New(sqlerr.InvalidParameterValue, "statistics target %d is too low", *target)
	case *target == -1:
		target = nil
	case *target > mostTarget:
		most := mostTarget
		target = &most
		if err := d.Notice(sqlerr.Warn(sqlerr.InvalidParameterValue, "lowering statistics target to %d",
			most)); err != nil {
			return err
		}
	}
	x, err := d.named(snap, tree.Name)
	if err != nil && tree.Exists {
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "statistics object %q does not exist, skipping",
			bind.Dotted(tree.Name)))
	}
	if err == nil {
		err = d.MustOwn(snap, x)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, x, func(c *catalog.Statistics) { c.Target = target })
}

// put changes a statistics object.
func (d statisticsObjects) put(ctx context.Context, x *catalog.Statistics, change func(*catalog.Statistics)) error {
	c := *x
	c.Version++
	change(&c)
	return d.Txn.Put(ctx, &c)
}

func (d statisticsObjects) rename(ctx context.Context, n ast.Name, to string) error {
	snap := d.Txn.Changed().Snap
	x, err := d.own(snap, n)
	if err == nil {
		err = d.MayMakeIn(snap, x.Schema)
	}
	if err == nil && snap.StatisticsNamed(x.Schema, to) != nil {
		err = existsIn(to, x.Schema)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, x, func(c *catalog.Statistics) { c.Name = to })
}

func (d statisticsObjects) setSchema(ctx context.Context, n ast.Name, to string) error {
	snap := d.Txn.Changed().Snap
	x, err := d.named(snap, n)
	if err == nil {
		err = mayMove(ctx, d.Definer, n.Name, x.Schema, to)
	}
	if err == nil {
		err = d.MustOwn(snap, x)
	}
	if err != nil || x.Schema == to {
		return err
	}
	if snap.StatisticsNamed(to, x.Name) != nil {
		return existsIn(x.Name, to)
	}
	return d.put(ctx, x, func(c *catalog.Statistics) { c.Schema = to })
}

func existsIn(name, schema string) error {
	return sqlerr.New(sqlerr.DuplicateObject, "statistics object %q already exists in schema %q", name, schema)
}

func (d statisticsObjects) comment(ctx context.Context, n ast.Name, text string) error {
	x, err := d.own(d.Txn.Changed().Snap, n)
	if err != nil {
		return err
	}
	return d.put(ctx, x, func(c *catalog.Statistics) { c.Comment = text })
}

// drop drops a statistics object and what was found for it.
func (d statisticsObjects) drop(ctx context.Context, id uint32) error {
	x := d.Txn.Changed().Snap.StatisticsByID(id)
	if x == nil {
		return nil
	}
	if err := d.Txn.Remove(ctx, x); err != nil {
		return err
	}
	t, _ := d.Txn.Changed().Snap.ByID(x.Table).(*catalog.Table)
	if t == nil {
		return nil
	}
	if _, known := t.Stats.Extended[id]; !known {
		return nil
	}
	c := *t
	c.Stats = t.Stats.WithoutExtended(id)
	return d.Txn.Put(ctx, &c)
}
