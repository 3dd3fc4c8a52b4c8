package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// createBase makes a shell type, whose name a type or a relation may take. A base type needs functions in C.
func (d userTypes) createBase(ctx context.Context, tree *ast.CreateBaseType) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if !change.Snap.Superuser(d.Role) {
		return statement.Denied("must be superuser to create a base type")
	}
	n := tree.Name
	n.Pos = -1
	schema, err := d.SchemaFor(ctx, change.Snap, n)
	if err != nil {
		return err
	}
	there, based := change.Snap.TypeNamed(schema, n.Name), len(tree.Options) > 0
	if based && there != nil && there.Shell {
		return sqlerr.Unsupported("a base type")
	}
	if err := typeNameTaken(change.Snap, schema, n.Name); err != nil {
		return err
	}
	if based {
		return sqlerr.New(sqlerr.DuplicateObject, "type %q does not exist", n.Name).
			WithHint("Create the type as a shell type, then create its I/O functions, then do a full CREATE TYPE.")
	}
	t := &catalog.Type{Schema: schema, Name: n.Name, Shell: true}
	t.Rights = privilege.New(change.Snap, t, d.Role)
	if t.ID, err = d.newID(ctx); err != nil {
		return err
	}
	return d.Txn.Put(ctx, t)
}

// replaceShell removes the shell type of a name, which a new type or relation takes.
func (d userTypes) replaceShell(ctx context.Context, schema, name string) error {
	snap := d.Txn.Changed().Snap
	shell := snap.TypeNamed(schema, name)
	if shell == nil || !shell.Shell {
		return nil
	}
	if err := d.MustOwn(snap, shell); err != nil {
		return err
	}
	return d.Txn.Remove(ctx, shell)
}
