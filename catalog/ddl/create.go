package ddl

import (
	"cmp"
	"context"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// SchemaFor is the schema that a new relation goes to.
func (d *Definer) SchemaFor(ctx context.Context, snap *catalog.Snapshot, n ast.Name) (string, error) {
	schema := n.Schema
	if schema == ast.TemporarySchema {
		return d.temporarySchema(ctx)
	}
	if path := d.Schemas(snap); schema == "" && len(path) > 0 {
		schema = path[0]
	}
	switch {
	case schema == "":
		return "", sqlerr.New(sqlerr.InvalidSchemaName, "no schema has been selected to create in").At(int(n.Pos))
	case snap.Schema(schema) == nil:
		return "", sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", schema).At(int(n.Pos))
	case snap.IsSystem(schema):
		return "", sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to create \"%s.%s\"", schema, n.Name).
			WithDetail("System catalog modifications are currently disallowed.")
	}
	return schema, at(d.MayMakeIn(snap, schema), n.Pos)
}

// NewRelation finds the schema of a relation that is to be made, in which its name must
// be free. It says true if IF NOT EXISTS finds it there.
func (d *Definer) NewRelation(ctx context.Context, n ast.Name, ifNotExists bool) (schema string, skip bool, err error) {
	if schema, err = d.SchemaFor(ctx, d.Txn.Changed().Snap, n); err != nil {
		return "", false, err
	}
	if err = (userTypes{d}).replaceShell(ctx, schema, n.Name); err != nil {
		return "", false, err
	}
	skip, err = free(d, d.Txn.Changed().Snap, schema, n.Name, ifNotExists)
	return schema, skip, err
}

// NameFree checks that a catalog has no relation of the name that one to be made has, as NewRelation does, but changes
// nothing.
func NameFree(ctx context.Context, d *Definer, snap *catalog.Snapshot, n ast.Name, ifNotExists bool) (
	skip bool, err error,
) {
	schema := *d.Temporary
	if n.Schema != ast.TemporarySchema {
		if schema, err = d.SchemaFor(ctx, snap, n); err != nil {
			return false, err
		}
	}
	return free(d, snap, schema, n.Name, ifNotExists)
}

// free checks that the name of a new relation is free. It says true if IF NOT EXISTS finds it in the schema.
func free(d *Definer, snap *catalog.Snapshot, schema, name string, ifNotExists bool) (skip bool, err error) {
	named := snap.TypeNamed(schema, name)
	if snap.Relation(schema, name) == nil && (named == nil || !named.Composite) {
		if named != nil && !named.Shell {
			err = sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", name).
				WithHint("A relation has an associated type of the same name, so you must use a name that doesn't " +
					"conflict with any existing type.")
		}
		return false, err
	}
	if ifNotExists {
		return true, d.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", name))
	}
	return false, sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", name)
}

// CreateTable makes a table that is to be kept in the store. It is nil where IF NOT EXISTS finds one.
func (d *Definer) CreateTable(ctx context.Context, tree *ast.CreateTable) (*catalog.Table, error) {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return nil, err
	}
	schema, skip, err := d.NewRelation(ctx, tree.Table, tree.IfNotExists)
	if err != nil || skip {
		return nil, err
	}
	t, err := d.Builder(ctx, change.Snap).CreateTable(tree, schema)
	if err != nil {
		return nil, err
	}
	if err := d.KeepTable(ctx, t, tree.OnCommit); err != nil {
		return nil, err
	}
	if option := define.ForKey(t.Table); option != "" {
		err = d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"parameter %q has no effect until table %q has a primary key", option, t.Name))
	}
	return t.Table, err
}

// KeepTable makes the spaces of a new table, and puts it into the schema. One that is temporary may end before the
// session.
func (d *Definer) KeepTable(ctx context.Context, t *define.NewTable, becomes ast.OnCommit) error {
	if becomes != ast.PreserveRows && d.AtCommit != nil {
		d.AtCommit(t.ID, becomes)
	}
	var objects []catalog.Object
	if t.Hosts != nil {
		host, err := Hosts{d}.Ready(ctx, t.Hosts, t.Space)
		if err != nil {
			return err
		}
		objects = append(objects, host)
	}
	if err := d.Txn.CreateSpaces(ctx, t.Table); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	t.Rights = privilege.New(snap, t.Table, cmp.Or(t.Owner, d.Role))
	objects = append(objects, t.Table)
	for _, q := range t.Sequences {
		q.Rights = privilege.New(snap, q, t.Owner)
		objects = append(objects, q)
	}
	for _, x := range t.Statistics {
		x.Owner = t.Owner
		objects = append(objects, x)
	}
	d.Txn.Changed().IsMine(t.ID) // no other transaction sees it
	return d.Txn.Put(ctx, objects...)
}

func (d *Definer) createView(ctx context.Context, tree *ast.CreateView) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, err := d.SchemaFor(ctx, change.Snap, ast.Name{Schema: tree.Name.Schema, Name: tree.Name.Name, Pos: -1})
	if err != nil {
		return err
	}
	var old *catalog.View
	if r := change.Snap.Relation(schema, tree.Name.Name); r != nil {
		var isView bool
		old, isView = r.(*catalog.View)
		switch {
		case !tree.Replace:
			return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.Name.Name)
		case isView && !change.Snap.Owns(d.Role, old):
			return d.MustOwn(change.Snap, old)
		case !isView:
			return sqlerr.New(sqlerr.WrongObjectType, "%q is not a view", tree.Name.Name)
		}
	}
	if old == nil {
		if err := (userTypes{d}).replaceShell(ctx, schema, tree.Name.Name); err != nil {
			return err
		}
		if _, err := free(d, change.Snap, schema, tree.Name.Name, false); err != nil {
			return err
		}
	}
	v, err := d.Builder(ctx, change.Snap).CreateView(tree, schema, old)
	if err != nil {
		return err
	}
	if v.Rights = privilege.New(change.Snap, v, d.Role); old != nil {
		v.Rights = old.Rights
	}
	return d.Txn.Put(ctx, v)
}

func (d *Definer) createSchema(ctx context.Context, tree *ast.CreateSchema) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	name, owner, err := NewSchema(ctx, d, tree)
	if err != nil {
		return err
	}
	if err := d.mayMakeSchema(change.Snap, name, owner); err != nil {
		return err
	}
	if change.Snap.Schema(name) != nil {
		if tree.IfNotExists {
			return d.Notice(sqlerr.Notice(sqlerr.DuplicateSchema, "schema %q already exists, skipping", name))
		}
		return sqlerr.New(sqlerr.DuplicateSchema, "schema %q already exists", name)
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	schema := &catalog.Schema{ID: uint32(id), Name: name}
	schema.Rights = privilege.New(change.Snap, schema, owner)
	return d.Txn.Put(ctx, schema)
}

// NewSchema is the name of the schema that a statement makes, and the role that owns it.
func NewSchema(ctx context.Context, d *Definer, tree *ast.CreateSchema) (name string, owner uint32, err error) {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return "", 0, err
	}
	snap := change.Snap
	role := snap.RoleByID(d.Role)
	if tree.Owner != nil {
		if role, err = d.RoleOf(snap, *tree.Owner); err != nil {
			return "", 0, err
		}
	}
	if name = tree.Name; name == "" {
		name = d.RoleName(snap, role.ID)
	}
	return name, role.ID, nil
}

// mayMakeSchema checks that the present role may make a schema for another one.
func (d *Definer) mayMakeSchema(snap *catalog.Snapshot, name string, owner uint32) error {
	if err := d.MustHold(snap, snap.Database(), catalog.MayCreate); err != nil {
		return err
	}
	if !snap.Member(d.Role, owner) {
		return statement.Denied("must be member of role \"%s\"", d.RoleName(snap, owner))
	}
	return ofUsers(name)
}

// ofUsers wants a name of a schema that users may make.
func ofUsers(schema string) error {
	if strings.HasPrefix(schema, "pg_") {
		return sqlerr.New(sqlerr.ReservedName, "unacceptable schema name %q", schema).
			WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	return nil
}

// at is an error about privileges with the position of the name that it is about.
func at(err error, pos ast.Pos) error {
	if err == nil || pos < 0 {
		return err
	}
	return sqlerr.From(err).At(int(pos))
}

func (d *Definer) createSequence(ctx context.Context, tree *ast.CreateSequence) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	n := tree.Name
	n.Pos = -1
	schema, skip, err := d.NewRelation(ctx, n, tree.IfNotExists)
	if err != nil || skip {
		return err
	}
	b := d.Builder(ctx, change.Snap)
	q, err := b.CreateSequence(tree, schema)
	if err == nil {
		err = b.OwnSequence(q, tree.Options)
	}
	if err != nil {
		return err
	}
	q.Rights = privilege.New(change.Snap, q, d.Role)
	return d.Txn.Put(ctx, q)
}

func (d *Definer) alterSequence(ctx context.Context, tree *ast.AlterSequence) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	b := d.Builder(ctx, change.Snap)
	old, err := d.sequenceNamed(b.Planner, tree.Name)
	if err != nil {
		if tree.IfExists && sqlerr.Has(err, sqlerr.UndefinedTable) {
			return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation %q does not exist, skipping",
				tree.Name.Name))
		}
		return err
	}
	if err := d.MustOwn(change.Snap, old); err != nil {
		return err
	}
	at, err := d.Txn.LockSequence(ctx, old)
	if err != nil {
		return err
	}
	q, restart, err := b.AlterSequence(old, tree.Options)
	if err == nil {
		err = b.OwnSequence(q, tree.Options)
	}
	if err != nil {
		return err
	}
	if !restart {
		q.From, q.FromCalled = at.Last, at.Called
		if err := define.SequenceHolds(q, at.Last); err != nil {
			return err
		}
	}
	return d.Txn.Put(ctx, q)
}

func (d *Definer) sequenceNamed(p *planner.Planner, n ast.Name) (*catalog.Sequence, error) {
	r, err := p.Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.Sequence:
		return r, nil
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(n))
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", n.Name)
	}
}
