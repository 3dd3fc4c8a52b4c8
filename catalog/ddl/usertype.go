package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// userTypes runs the statements about types that users make, whose names are among those of the rows of relations.
type userTypes struct{ *Definer }

func (d userTypes) run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.CreateEnum:
		return d.create(ctx, tree)
	case *ast.AlterEnum:
		return d.alterEnum(ctx, tree)
	case *ast.CreateBaseType:
		return d.createBase(ctx, tree)
	case *ast.CreateRange:
		return d.createRange(ctx, tree)
	case *ast.CreateComposite:
		return d.createComposite(ctx, tree)
	default:
		return d.createDomain(ctx, tree.(*ast.CreateDomain))
	}
}

// newName finds the schema of a type that is to be made, in which its name must be free.
func (d userTypes) newName(ctx context.Context, n ast.Name) (schema string, err error) {
	n.Pos = -1
	if schema, err = d.SchemaFor(ctx, d.Txn.Changed().Snap, n); err != nil {
		return "", err
	}
	if err = d.replaceShell(ctx, schema, n.Name); err != nil {
		return "", err
	}
	return schema, typeNameTaken(d.Txn.Changed().Snap, schema, n.Name)
}

// typeNameTaken refuses a name that a type, or a relation whose rows are one, has.
func typeNameTaken(snap *catalog.Snapshot, schema, name string) error {
	taken := snap.TypeNamed(schema, name) != nil
	switch snap.Relation(schema, name).(type) {
	case *catalog.Table, *catalog.View:
		taken = true
	}
	if taken {
		return sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", name)
	}
	return nil
}

// create makes an enum.
func (d userTypes) create(ctx context.Context, tree *ast.CreateEnum) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	schema, err := d.newName(ctx, tree.Name)
	if err != nil {
		return err
	}
	id, err := d.newID(ctx)
	if err != nil {
		return err
	}
	t := &catalog.Type{ID: id, Schema: schema, Name: tree.Name.Name}
	t.Rights = privilege.New(d.Txn.Changed().Snap, t, d.Role)
	if t.Labels, err = d.labels(ctx, tree.Labels); err != nil {
		return err
	}
	for i, l := range t.Labels {
		if t.Label(l.Text) != i {
			return sqlerr.New(sqlerr.UniqueViolation,
				"duplicate key value violates unique constraint \"pg_enum_typid_label_index\"").
				WithDetail("Key (enumtypid, enumlabel)=(%d, %s) already exists.", t.ID, l.Text)
		}
	}
	return d.Txn.Put(ctx, t)
}

// named finds a type that a statement is about, which must be a user's own.
func (d userTypes) named(snap *catalog.Snapshot, n ast.Name) (*catalog.Type, error) {
	names := d.Planner(snap)
	t, err := names.UserType(n)
	if err == nil || !sqlerr.Has(err, sqlerr.UndefinedObject) {
		return t, err
	}
	if r, _ := names.Relation(n); r != nil {
		switch r.(type) {
		case *catalog.Table, *catalog.View:
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%s is a table's row type", bind.Dotted(n)).
				WithHint("Use ALTER TABLE instead.")
		}
	}
	return nil, err
}

// ofKind is named for a statement that may be about domains only.
func (d userTypes) ofKind(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (*catalog.Type, error) {
	t, err := d.named(snap, n)
	if kind == ast.DomainObject && (sqlerr.Has(err, sqlerr.WrongObjectType) || err == nil && t.Domain == nil) {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%s is not a domain", bind.Dotted(n))
	}
	return t, err
}

// own is ofKind for a type that the present role must own.
func (d userTypes) own(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (*catalog.Type, error) {
	t, err := d.named(snap, n)
	if err == nil {
		err = t.Usable(bind.Dotted(n))
	}
	if err == nil || kind == ast.DomainObject && sqlerr.Has(err, sqlerr.WrongObjectType) {
		t, err = d.ofKind(snap, kind, n)
	}
	if err != nil {
		return nil, err
	}
	return t, d.MustOwn(snap, t)
}

// put changes a type.
func (d userTypes) put(ctx context.Context, t *catalog.Type, change func(*catalog.Type)) error {
	c := *t
	c.Version++
	change(&c)
	return d.Txn.Put(ctx, &c)
}

// alterEnum runs ALTER TYPE ... ADD VALUE and RENAME VALUE.
func (d userTypes) alterEnum(ctx context.Context, tree *ast.AlterEnum) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, err := d.own(change.Snap, ast.TypeObject, tree.Name)
	if sqlerr.Has(err, sqlerr.WrongObjectType) || err == nil && !t.IsEnum() {
		err = sqlerr.New(sqlerr.WrongObjectType, "%s is not an enum", bind.Dotted(tree.Name))
	}
	if err != nil {
		return err
	}
	if tree.Old != nil {
		return d.renameLabel(ctx, t, *tree.Old, tree.New)
	}
	if err := checkLabel(tree.New); err != nil {
		return err
	}
	switch exists := t.Label(tree.New) >= 0; {
	case exists && tree.IfNotExists:
		return d.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "enum label \"%s\" already exists, skipping", tree.New))
	case exists:
		return sqlerr.New(sqlerr.DuplicateObject, "enum label \"%s\" already exists", tree.New)
	}
	at := len(t.Labels)
	if tree.Neighbor != nil {
		if at = t.Label(*tree.Neighbor); at < 0 {
			return noLabel(*tree.Neighbor)
		}
		if tree.After {
			at++
		}
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	return d.put(ctx, t, func(c *catalog.Type) { c.Labels = withLabel(t.Labels, at, tree.New, uint32(id)) })
}

func noLabel(text string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "\"%s\" is not an existing enum label", text)
}

func (d userTypes) renameLabel(ctx context.Context, t *catalog.Type, from, to string) error {
	at := t.Label(from)
	switch {
	case checkLabel(to) != nil:
		return checkLabel(to)
	case at < 0:
		return noLabel(from)
	case t.Label(to) >= 0:
		return sqlerr.New(sqlerr.DuplicateObject, "enum label \"%s\" already exists", to)
	}
	return d.put(ctx, t, func(c *catalog.Type) {
		c.Labels = append([]catalog.Label{}, t.Labels...)
		c.Labels[at].Text = to
	})
}

func (d userTypes) rename(ctx context.Context, tree *ast.Rename) error {
	snap := d.Txn.Changed().Snap
	t, err := d.own(snap, tree.Kind, tree.Name)
	if err == nil {
		err = typeNameTaken(snap, t.Schema, tree.New)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, t, func(c *catalog.Type) { c.Name = tree.New })
}

func (d userTypes) setSchema(ctx context.Context, tree *ast.SetSchema) error {
	snap, n, to := d.Txn.Changed().Snap, tree.Name, tree.Schema
	t, err := d.own(snap, tree.Kind, n)
	if err == nil {
		err = mayMove(ctx, d.Definer, n.Name, t.Schema, to)
	}
	if err != nil || t.Schema == to {
		return err
	}
	if typeNameTaken(snap, to, t.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists in schema \"%s\"", t.Name, to)
	}
	return d.put(ctx, t, func(c *catalog.Type) { c.Schema = to })
}

func (d userTypes) comment(ctx context.Context, tree *ast.Comment, text string) error {
	snap := d.Txn.Changed().Snap
	t, err := d.ofKind(snap, tree.Kind, tree.Name)
	if err == nil {
		err = d.MustOwn(snap, t)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, t, func(c *catalog.Type) { c.Comment = text })
}

// toDrop finds a type that DROP TYPE or DOMAIN names.
func (d userTypes) toDrop(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (*catalog.Type, error) {
	names := d.Planner(snap)
	t, err := names.UserType(n)
	if kind == ast.DomainObject {
		_, builtIn := types.Lookup(n.Name)
		if err == nil && t.Domain == nil || err != nil && builtIn && n.Schema == "" {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a domain", bind.Dotted(n))
		}
		return t, err
	}
	if err == nil || !sqlerr.Has(err, sqlerr.UndefinedObject) {
		return t, err
	}
	if info, ok := types.Lookup(n.Name); ok && n.Schema == "" {
		return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop type %s because it is required by the database system", info.SQL)
	}
	if r, _ := names.Relation(n); r != nil {
		if o, ok := r.(catalog.Object); ok {
			what := d.Describe(snap, Target{Object: o})
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because %s requires it",
				bind.Dotted(n), what).WithHint("You can drop %s instead.", what)
		}
	}
	return nil, err
}
