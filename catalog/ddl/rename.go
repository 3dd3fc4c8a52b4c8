package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
)

// rename runs ALTER ... RENAME.
func (d *Definer) rename(ctx context.Context, tree *ast.Rename) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if isPlain(tree.Kind) {
		return plains{d}.rename(ctx, tree)
	}
	if tree.Kind == ast.RuleObject {
		return systemObjects{d}.rule(ctx, tree.Name, tree.Old)
	}
	if isSystem(tree.Kind) {
		return systemObjects{d}.change(ctx, tree.Kind, tree.Name, tree.Routine)
	}
	if tree.Routine != nil {
		return routines{d}.rename(ctx, tree)
	}
	switch tree.Kind {
	case ast.SchemaObject:
		return d.renameSchema(ctx, tree)
	case ast.RoleObject:
		return roles{d}.renameRole(ctx, tree.Name.Name, tree.New)
	case ast.StatisticsObject:
		return statisticsObjects{d}.rename(ctx, tree.Name, tree.New)
	case ast.TypeObject, ast.DomainObject:
		return userTypes{d}.rename(ctx, tree)
	case ast.AttributeObject:
		return userTypes{d}.renameField(ctx, tree)
	case ast.DomainConstraintObject:
		return userTypes{d}.renameConstraint(ctx, tree)
	}
	if tree.Kind == ast.PolicyObject {
		return policies{d}.rename(ctx, tree)
	}
	r, err := d.toChange(change.Snap, tree.IfExists, tree.Name, tree.Table)
	if err != nil || r == nil {
		return err
	}
	switch tree.Kind {
	case ast.TriggerObject:
		return Triggers{d}.rename(ctx, r, tree.Old, tree.New)
	case ast.ColumnObject:
		return d.renameColumn(ctx, r, tree)
	case ast.ConstraintObject:
		t, ok := r.(*catalog.Table)
		if !ok || !t.HasConstraint(tree.Old) {
			return sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", tree.Old,
				tree.Name.Name)
		}
		if err := constraintNameTaken(change.Snap, t, tree.Old, tree.New); err != nil {
			return err
		}
		if err := mayRenameCheck(change.Snap, t, tree); err != nil {
			return err
		}
		return d.renameKey(ctx, t, tree.Old, tree.New)
	}
	return d.renameRelation(ctx, r, tree)
}

func (d *Definer) renameSchema(ctx context.Context, tree *ast.Rename) error {
	snap := d.Txn.Changed().Snap
	schema := snap.Schema(tree.Name.Name)
	switch {
	case schema == nil:
		return sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", tree.Name.Name)
	case snap.Schema(tree.New) != nil:
		return sqlerr.New(sqlerr.DuplicateSchema, "schema %q already exists", tree.New)
	case snap.IsSystem(schema.Name):
		return sqlerr.Unsupported("renaming schema %q", schema.Name)
	}
	if err := d.MustOwn(snap, schema); err != nil {
		return err
	}
	if err := d.MustHold(snap, snap.Database(), catalog.MayCreate); err != nil {
		return err
	}
	if err := ofUsers(tree.New); err != nil {
		return err
	}
	renamed := *schema
	renamed.Name = tree.New
	objects := []catalog.Object{&renamed}
	for _, o := range (&drop{snap: snap}).members(schema.Name) {
		moved, err := d.inSchema(ctx, o, tree.New)
		if err != nil {
			return err
		}
		objects = append(objects, moved)
	}
	return d.Txn.Put(ctx, objects...)
}

// inSchema is a relation in another schema.
func (d *Definer) inSchema(ctx context.Context, o catalog.Object, schema string) (catalog.Object, error) {
	switch o := o.(type) {
	case *catalog.Table:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, d.Txn.Alone(ctx, o)
	case *catalog.View:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Sequence:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Function:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Statistics:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Extension:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Type:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	case *catalog.Plain:
		c := *o
		c.Schema, c.Version = schema, o.Version+1
		return &c, nil
	}
	return o, nil
}

// OfKind wants a relation to be of the kind that a statement names. ALTER TABLE does for
// all of them.
func OfKind(r catalog.Relation, kind ast.ObjectKind) error {
	ref := r.Ref()
	if kind == ast.TableObject || ref.Kind == catalog.Kind(kind) {
		return nil
	}
	article := "a"
	if kind == ast.IndexObject {
		article = "an"
	}
	return sqlerr.New(sqlerr.WrongObjectType, "%q is not %s %s", ref.Name, article, kind)
}

func (d *Definer) renameRelation(ctx context.Context, r catalog.Relation, tree *ast.Rename) error {
	if err := OfKind(r, tree.Kind); err != nil {
		return err
	}
	ref := r.Ref()
	if err := d.MayMakeIn(d.Txn.Changed().Snap, ref.Schema); err != nil {
		return err
	}
	taken := d.Txn.Changed().Snap.Relation(ref.Schema, tree.New) != nil
	if x, ok := r.(catalog.TableIndex); ok && tree.Table != nil {
		taken = IndexNameTaken(d.Txn.Changed().Snap, x.Table, tree.New)
	}
	if taken {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.New)
	}
	switch r := r.(type) {
	case *catalog.Table:
		c := *r
		c.Name, c.Version = tree.New, r.Version+1
		if err := d.Txn.Alone(ctx, r); err != nil {
			return err
		}
		return d.Txn.Put(ctx, &c)
	case *catalog.View:
		c := *r
		c.Name, c.Version = tree.New, r.Version+1
		return d.Txn.Put(ctx, &c)
	case *catalog.Sequence:
		c := *r
		c.Name, c.Version = tree.New, r.Version+1
		return d.Txn.Put(ctx, &c)
	case catalog.TableIndex:
		return d.renameKey(ctx, r.Table, ref.Name, tree.New)
	}
	return nil
}

// IndexNameTaken says whether an index of a table cannot have a name. An index of another
// table may have it, as Lindorm has it.
func IndexNameTaken(snap *catalog.Snapshot, t *catalog.Table, name string) bool {
	if t.Index(name) != nil || t.PrimaryKey == name {
		return true
	}
	_, isIndex := snap.Relation(t.Schema, name).(catalog.TableIndex)
	return !isIndex && snap.Relation(t.Schema, name) != nil
}

// constraintNameTaken refuses a name that a constraint or an index of a table cannot have.
func constraintNameTaken(snap *catalog.Snapshot, t *catalog.Table, from, to string) error {
	check := t.Check(from) >= 0 || t.ForeignKeys.Find(from) != nil
	switch {
	case check && t.HasConstraint(to):
		return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", to, t.Name)
	case !check && snap.Relation(t.Schema, to) != nil:
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", to)
	}
	return nil
}

// renameKey gives a constraint or an index of a table a name that is free.
func (d *Definer) renameKey(ctx context.Context, t *catalog.Table, from, to string) error {
	c := *t
	c.Version++
	c.Checks, c.Indexes = slices.Clone(t.Checks), slices.Clone(t.Indexes)
	switch i, k := t.Check(from), t.ForeignKeys.Find(from); {
	case k != nil:
		renamed := *k
		renamed.Name = to
		c.ForeignKeys = t.ForeignKeys.With(renamed)
	case i >= 0:
		return renameCheck(ctx, d, t, from, to)
	case t.PrimaryKey == from:
		c.PrimaryKey = to
	default:
		c.Index(from).Name = to
	}
	if err := d.Txn.Alone(ctx, t); err != nil {
		return err
	}
	return d.Txn.Put(ctx, &c)
}

// renameCheck gives a CHECK constraint of a table, of its partitions and of those that inherit it another name.
func renameCheck(ctx context.Context, d *Definer, t *catalog.Table, from, to string) error {
	snap := d.Txn.Changed().Snap
	all := []*catalog.Table{t}
	if !t.Checks[t.Check(from)].NoInherit {
		all = append(snap.Lineage(t), snap.Descendants(t.ID)...)
	}
	for _, one := range all {
		i := one.Check(from)
		if i < 0 {
			continue
		}
		c := *one
		c.Version++
		c.Checks = slices.Clone(one.Checks)
		c.Checks[i].Name = to
		if err := d.Txn.Alone(ctx, one); err != nil {
			return err
		}
		if err := d.Txn.Put(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}

func (d *Definer) renameColumn(ctx context.Context, r catalog.Relation, tree *ast.Rename) error {
	switch r := r.(type) {
	case *catalog.Table:
		if r.OfType != 0 {
			return sqlerr.New(sqlerr.WrongObjectType, "cannot rename column of typed table")
		}
		return renameColumns(ctx, d, r, tree)
	case *catalog.View:
		i := r.Column(tree.Old)
		switch {
		case i < 0:
			return noColumnToRename(tree)
		case r.Column(tree.New) >= 0:
			return ColumnExists(r, catalog.Column{Name: tree.New})
		}
		c := *r
		c.Version, c.Columns = r.Version+1, slices.Clone(r.Columns)
		c.Columns[i].Name = tree.New
		return d.Txn.Put(ctx, &c)
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot rename columns of relation %q", r.Ref().Name)
}

func noColumnToRename(tree *ast.Rename) error {
	return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", tree.Old)
}

// renameColumns gives a column of a table another name, and of those that have it from the table.
func renameColumns(ctx context.Context, d *Definer, r *catalog.Table, tree *ast.Rename) error {
	i := r.Column(tree.Old)
	switch {
	case i < 0 || r.Columns[i].Hidden:
		return noColumnToRename(tree)
	case r.Column(tree.New) >= 0:
		return ColumnExists(r, r.Columns[r.Column(tree.New)])
	case tableoid.IsSystem(tree.New):
		return ColumnExists(r, catalog.Column{Name: tree.New, Hidden: true})
	}
	if err := define.RefuseDynamic(r, i); err != nil {
		return err
	}
	if r.PartitionOf != nil {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot rename inherited column %q", tree.Old)
	}
	snap := d.Txn.Changed().Snap
	if err := mayRename(snap, r, tree); err != nil {
		return err
	}
	for _, t := range append(snap.Lineage(r), snap.Descendants(r.ID)...) {
		if err := d.Txn.Alone(ctx, t); err != nil {
			return err
		}
		renamed := t.WithColumn(t.Column(tree.Old), func(c *catalog.Column) {
			c.StorageName, c.Name = c.Stored(), tree.New
		})
		b := define.Expressions{Builder: d.Builder(ctx, d.Txn.Changed().Snap)}
		renamed = b.Renamed(define.Respell(t, renamed))
		if err := d.Txn.Put(ctx, renamed); err != nil {
			return err
		}
	}
	return nil
}

// ColumnExists refuses the name of a column. One that no query sees is to clients what
// PostgreSQL's system columns are.
func ColumnExists(r catalog.Relation, c catalog.Column) error {
	if c.Hidden {
		return sqlerr.New(sqlerr.DuplicateColumn, "column name %q conflicts with a system column name", c.Name)
	}
	return sqlerr.New(sqlerr.DuplicateColumn, "column %q of relation %q already exists", c.Name, r.Ref().Name)
}

// toChange is the relation that an ALTER names, which the present role must own; nil where IF EXISTS finds none.
// An index may be named with its table.
func (d *Definer) toChange(snap *catalog.Snapshot, ifExists bool, n ast.Name, table *ast.Name) (catalog.Relation,
	error) {
	if table == nil {
		if skip, err := d.Skips(ifExists, n); skip || err != nil {
			return nil, err
		}
		r, err := d.changeable(snap, n)
		if err != nil {
			return nil, err
		}
		return r, d.MustOwnRelation(snap, r)
	}
	t, err := d.OwnerOf(snap, n, table)
	if err == nil && t == nil {
		err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", n.Name)
	}
	if err != nil && ifExists && sqlerr.Has(err, sqlerr.UndefinedObject) {
		return nil, d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
	}
	if err != nil {
		return nil, err
	}
	return catalog.TableIndex{Table: t, Index: t.Index(n.Name)}, d.MustOwn(snap, t)
}

// setSchema runs ALTER ... SET SCHEMA. A table takes the sequences of its columns along.
func (d *Definer) setSchema(ctx context.Context, tree *ast.SetSchema) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if isPlain(tree.Kind) {
		return plains{d}.setSchema(ctx, tree)
	}
	if isSystem(tree.Kind) {
		return systemObjects{d}.change(ctx, tree.Kind, tree.Name, tree.Routine)
	}
	if tree.Routine != nil {
		return routines{d}.setSchema(ctx, tree)
	}
	switch tree.Kind {
	case ast.StatisticsObject:
		return statisticsObjects{d}.setSchema(ctx, tree.Name, tree.Schema)
	case ast.TypeObject, ast.DomainObject:
		return userTypes{d}.setSchema(ctx, tree)
	}
	if tree.Kind == ast.ExtensionObject {
		return extensions{d}.setSchema(ctx, tree.Name.Name, tree.Schema)
	}
	r, err := d.toChange(change.Snap, tree.IfExists, tree.Name, nil)
	if err != nil || r == nil {
		return err
	}
	if err := OfKind(r, tree.Kind); err != nil {
		return err
	}
	moving := []catalog.Relation{r}
	switch r := r.(type) {
	case *catalog.Table:
		for _, q := range change.Snap.Sequences() {
			if q.OwnerTable == r.ID {
				moving = append(moving, q)
			}
		}
	case *catalog.Sequence:
		if r.OwnerTable != 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot move an owned sequence into another schema").
				WithDetail("Sequence %q is linked to table %q.", r.Name, change.Snap.ByID(r.OwnerTable).Ref().Name)
		}
	case catalog.TableIndex:
		return sqlerr.New(sqlerr.WrongObjectType,
			"%q is not a table, view, materialized view, sequence, or foreign table", tree.Name.Name)
	}
	if err := mayMove(ctx, d, tree.Name.Name, r.Ref().Schema, tree.Schema); err != nil {
		return err
	}
	if r.Ref().Schema == tree.Schema {
		return nil
	}
	for _, m := range moving {
		ref := m.Ref()
		if change.Snap.Relation(tree.Schema, ref.Name) != nil {
			return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists in schema %q", ref.Name, tree.Schema)
		}
		moved, err := d.inSchema(ctx, m.(catalog.Object), tree.Schema)
		if err != nil {
			return err
		}
		if err := d.Txn.Put(ctx, moved); err != nil {
			return err
		}
	}
	return nil
}
