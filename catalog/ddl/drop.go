package ddl

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/policy"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// dropObjects runs DROP TABLE, VIEW, SEQUENCE, SCHEMA and STATISTICS.
func (d *Definer) dropObjects(ctx context.Context, tree *ast.Drop) error {
	if tree.Kind == ast.TriggerObject {
		return Triggers{d}.drop(ctx, tree)
	}
	if isPlain(tree.Kind) {
		return plains{d}.drop(ctx, tree)
	}
	if isSystem(tree.Kind) {
		return systemObjects{d}.drop(ctx, tree)
	}
	if tree.Routines != nil {
		return routines{d}.drop(ctx, tree)
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	var targets []Target
	for _, name := range tree.Names {
		o, err := d.ToDrop(change.Snap, tree.Kind, name)
		if err != nil && tree.IfExists && !sqlerr.Has(err, sqlerr.WrongObjectType) &&
			!sqlerr.Has(err, sqlerr.InsufficientPrivilege) {
			if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping",
				sqlerr.From(err).Message)); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			err = d.MustOwnToDrop(change.Snap, o)
		}
		if err != nil {
			return err
		}
		targets = append(targets, Target{Object: o})
	}
	return d.Drop(ctx, targets, tree.Cascade)
}

// missing are the errors about objects that are not there.
var missing = map[ast.ObjectKind]sqlerr.Code{
	ast.TableObject: sqlerr.UndefinedTable, ast.ViewObject: sqlerr.UndefinedTable,
	ast.SequenceObject:     sqlerr.UndefinedTable,
	ast.MaterializedObject: sqlerr.UndefinedTable,
	ast.IndexObject:        sqlerr.UndefinedObject, ast.ForeignObject: sqlerr.UndefinedObject,
}

// ToDrop finds an object of a kind.
func (d *Definer) ToDrop(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (catalog.Object, error) {
	if kind == ast.SchemaObject {
		switch schema := snap.Schema(n.Name); {
		case schema == nil:
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", n.Name)
		case snap.IsSystem(schema.Name):
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
				"cannot drop schema %s because it is required by the database system", n.Name)
		default:
			return schema, nil
		}
	}
	if kind == ast.StatisticsObject {
		x, err := statisticsObjects{d}.named(snap, n)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	if kind == ast.ExtensionObject {
		return extensions{d}.toDrop(snap, n.Name)
	}
	if kind == ast.TypeObject || kind == ast.DomainObject {
		t, err := userTypes{d}.toDrop(snap, kind, n)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	if n.Schema != "" && snap.Schema(meantSchema(d, n.Schema)) == nil {
		return nil, noSchema(n.Schema)
	}
	r, err := d.Planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, sqlerr.New(missing[kind], "%s %q does not exist", kind, bind.Dotted(n))
	}
	if is := r.Ref().Kind; is != catalog.Kind(kind) {
		article := map[ast.ObjectKind]string{ast.IndexObject: "an"}[kind]
		if article == "" {
			article = "a"
		}
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not %s %s", n.Name, article, kind).
			WithHint("Use DROP %s to remove %s %s.", strings.ToUpper(string(is)),
				map[bool]string{true: "an", false: "a"}[is == catalog.IndexKind], is)
	}
	if v, ok := r.(*catalog.Virtual); ok {
		return nil, bind.SystemRelation(v)
	}
	o, _ := r.(catalog.Object)
	return o, nil
}

// Drop drops targets, and what depends on them if it is asked for.
func (d *Definer) Drop(ctx context.Context, targets []Target, cascade bool) error {
	if len(targets) == 0 {
		return nil
	}
	drops := d.newDrop(d.Txn.Changed().Snap, targets)
	for _, t := range targets {
		if err := d.required(drops, t); err != nil {
			return err
		}
	}
	return d.dropAll(ctx, drops, drops.gone, cascade)
}

// DropDependents drops what depends on a Target that the caller drops itself.
func (d *Definer) DropDependents(ctx context.Context, t Target, cascade bool) error {
	drops := d.newDrop(d.Txn.Changed().Snap, []Target{t})
	return d.dropAll(ctx, drops, drops.others(), cascade)
}

// dropAll drops targets of a drop, which is refused without CASCADE while anything else depends on them.
func (d *Definer) dropAll(ctx context.Context, drops *drop, targets []removal, cascade bool) error {
	if !cascade {
		if err := drops.refuse(); err != nil {
			return err
		}
	} else if n := drops.notice(); n != nil {
		if err := d.Notice(n); err != nil {
			return err
		}
	}
	for _, t := range targets { // while partitions have the columns of their tables
		if err := dropKey(ctx, d, t.Target); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := d.dropOne(ctx, t.Target); err != nil {
			return err
		}
	}
	return nil
}

// required refuses to drop the sequence of an identity column without the column, and what a type of ranges has made
// without that.
func (d *Definer) required(drops *drop, t Target) error {
	if of := wholeOf(drops.snap, t.Object); of != nil && !t.IsArray && !drops.named[Target{Object: of}.key()] {
		what := d.Describe(drops.snap, Target{Object: of})
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because %s requires it",
			d.Describe(drops.snap, t), what).
			WithHint("You can drop %s instead.", what)
	}
	q, ok := t.Object.(*catalog.Sequence)
	if !ok || !q.Identity {
		return nil
	}
	table, _ := drops.snap.ByID(q.OwnerTable).(*catalog.Table)
	if table == nil || drops.named[Target{Object: table}.key()] {
		return nil
	}
	column := d.Describe(drops.snap, Target{Object: table, Column: q.OwnerColumn})
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because %s requires it",
		d.Describe(drops.snap, t), column).
		WithHint("You can drop %s instead.", column)
}

// dropOne drops one object, whose dependents the caller looks after.
func (d *Definer) dropOne(ctx context.Context, t Target) error {
	if schema, ok := t.Object.(*catalog.Schema); ok {
		return d.Txn.Remove(ctx, schema)
	}
	switch x := t.Object.(type) {
	case *catalog.Statistics:
		return statisticsObjects{d}.drop(ctx, x.ID)
	case *catalog.Extension:
		return extensions{d}.drop(ctx, x, t)
	case *catalog.Plain:
		if t.Published != 0 {
			return filters{publications{d}}.unpublish(ctx, x, t.Published)
		}
		return plains{d}.dropOne(ctx, x)
	}
	if f, ok := t.Object.(*catalog.Function); ok {
		return d.Txn.Remove(ctx, f)
	}
	if of, ok := t.Object.(*catalog.Type); ok {
		return userTypes{d}.dropOne(ctx, of, t)
	}
	if t.Type != types.OIDInvalid {
		return nil // of the rows of a table
	}
	id := t.Object.(catalog.Relation).Ref().ID
	now, _ := d.Txn.Changed().Snap.ByID(id).(catalog.Object)
	table, ok := now.(*catalog.Table)
	switch {
	case now == nil:
		return nil
	case t.Trigger != 0:
		return Triggers{d}.dropOne(ctx, now.(catalog.Relation), t.Trigger)
	case !ok:
		if q, ok := now.(*catalog.Sequence); ok {
			if _, err := d.Txn.LockSequence(ctx, q); err != nil {
				return err
			}
		}
		return d.Txn.Remove(ctx, now)
	}
	if err := d.Txn.Alone(ctx, table); err != nil {
		return err
	}
	switch at := table.Ordinal(t.Column); {
	case t.Check != "":
		return d.Txn.Put(ctx, table.WithoutCheck(t.Check))
	case t.Policy != 0:
		return d.Txn.Put(ctx, policy.Without(table, t.Policy))
	case t.ForeignKey != 0:
		return foreignKeys{d}.drop(ctx, table, t.ForeignKey)
	case t.Index != 0:
		return dropIndex(ctx, d, table, table.IndexByID(t.Index))
	case t.Column == 0:
		if err := d.InUse("DROP TABLE", table); err != nil {
			return err
		}
		return d.Txn.Remove(ctx, table)
	case at < 0:
		return nil
	case t.IsDefault:
		return d.Txn.Put(ctx, table.WithColumn(at, func(c *catalog.Column) {
			c.Default, c.DefaultUses, c.DefaultRead = "",
				nil, nil
		}))
	default:
		return d.dropColumn(ctx, table, at)
	}
}

// dropIndex drops an index whose expressions cannot be computed any more; nil: it is gone already.
func dropIndex(ctx context.Context, d *Definer, t *catalog.Table, x *catalog.Index) error {
	if x == nil {
		return nil
	}
	if t.Kept() {
		if err := d.Txn.Retire(ctx, t, *t.IndexSpace(x)); err != nil {
			return err
		}
	}
	return d.Txn.Put(ctx, t.WithoutIndex(x.Name))
}

// dropKey drops the primary key that has a column of a drop.
func dropKey(ctx context.Context, d *Definer, column Target) error {
	of, ok := column.Object.(*catalog.Table)
	if !ok || column.Column == 0 || column.IsDefault {
		return nil
	}
	t, ok := d.Txn.Changed().Snap.ByID(of.ID).(*catalog.Table)
	if !ok || t.PrimaryKey == "" || !slices.Contains(slices.Concat(t.Primary.Columns(), t.KeyInclude), column.Column) {
		return nil
	}
	return d.DropKey(ctx, t)
}

// dropColumn drops a column that is in no primary key, and the indexes over it.
func (d *Definer) dropColumn(ctx context.Context, t *catalog.Table, at int) error {
	if t.TTL != nil && t.TTL.Column == t.Columns[at].ID {
		return sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop column %s of table %s because the ttl of its rows counts from it", t.Columns[at].Name, t.Name).
			WithHint("ALTER TABLE %s RESET (ttl, ttl_column) first.", t.Name)
	}
	row, _ := types.RowOID(t.ID)
	if err := define.MayLoseField(d.Txn.Changed().Snap, row); err != nil {
		return err
	}
	without := t.WithoutColumn(t.Columns[at].ID)
	for i := range t.Indexes {
		if x := &t.Indexes[i]; without.Index(x.Name) == nil && t.Kept() {
			if err := d.Txn.Retire(ctx, t, *t.IndexSpace(x)); err != nil {
				return err
			}
		}
	}
	return d.Txn.Put(ctx, without)
}

func ambiguousIndex(name string, a, b *catalog.Table) error {
	return sqlerr.New(sqlerr.AmbiguousColumn, "index name %q is ambiguous", name).
		WithDetail("Tables %q and %q have an index of that name.", a.Name, b.Name).
		WithHint("DROP INDEX, ALTER INDEX, REINDEX INDEX, CHECK INDEX and BUILD INDEX take ON and the name of the table.")
}

// changeable finds a relation that a statement wants to change.
func (d *Definer) changeable(snap *catalog.Snapshot, n ast.Name) (catalog.Relation, error) {
	r, err := d.Planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(n))
	case *catalog.Virtual:
		return nil, bind.SystemRelation(r)
	default:
		return r, unambiguous(snap, r)
	}
}

// unambiguous wants no other table of a schema to have an index of the name of one.
func unambiguous(snap *catalog.Snapshot, r catalog.Relation) error {
	x, ok := r.(catalog.TableIndex)
	if !ok {
		return nil
	}
	name := x.Ref().Name
	for _, t := range snap.Tables() {
		if t.ID != x.Table.ID && t.Schema == x.Table.Schema && t.Foreign == nil &&
			(t.Index(name) != nil || t.PrimaryKey == name) {
			return ambiguousIndex(name, x.Table, t)
		}
	}
	return nil
}

// OwnerOf finds the table of an index. Names of indexes belong to their table, so one
// alone may mean several.
func (d *Definer) OwnerOf(snap *catalog.Snapshot, name ast.Name, table *ast.Name) (*catalog.Table, error) {
	if table != nil {
		t, err := d.Planner(snap).Table(*table)
		if err != nil || t.Foreign != nil || t.Index(name.Name) == nil && t.PrimaryKey != name.Name {
			return nil, err
		}
		return t, nil
	}
	path := d.Path(snap)
	if name.Schema != "" {
		path = []string{name.Schema}
	}
	var found *catalog.Table
	for _, t := range snap.Tables() {
		if t.Foreign != nil || t.Index(name.Name) == nil && t.PrimaryKey != name.Name ||
			!slices.Contains(path, t.Schema) {
			continue
		}
		if found != nil && found.Schema == t.Schema {
			return nil, ambiguousIndex(name.Name, found, t)
		}
		if found == nil || slices.Index(path, t.Schema) < slices.Index(path, found.Schema) {
			found = t
		}
	}
	return found, nil
}
