package database

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// drop runs DROP DATABASE. The objects of the database and itself go with one commit, in a transaction of its own.
func (d *Definer) drop(ctx context.Context, tree *ast.DropDatabase) error {
	if err := d.NotIn("DROP DATABASE"); err != nil {
		return err
	}
	end := false
	for _, o := range tree.Options {
		if o.Name != "force" {
			return sqlerr.New(sqlerr.SyntaxError, "unrecognized DROP DATABASE option \"%s\"", o.Name).At(int(o.Pos))
		}
		end = true
	}
	if _, err := d.Node.Refresh(ctx, d.Schema()); err != nil { // another process may just have made it
		return err
	}
	snap := d.Node.Snapshot()
	of := d.DatabaseNames.Find(snap, tree.Name)
	if of == nil {
		if tree.IfExists {
			return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "database \"%s\" does not exist, skipping",
				tree.Name))
		}
		return missing(tree.Name)
	}
	if err := d.mayDrop(snap, of); err != nil {
		return err
	}
	release, err := d.alone(ctx, of, end)
	if err != nil {
		return err
	}
	defer release()
	return d.Server.In(ctx, of.ID, func(t *cluster.Transaction) error {
		others, err := cluster.Vacate(ctx, t, of.ID, end)
		switch {
		case err != nil:
			return err
		case others > 0:
			return inUse("database", tree.Name, others)
		case t.Changed().Snap.DatabaseByID(of.ID) == nil: // another session was faster
			return missing(tree.Name)
		}
		return cluster.RemoveDatabase(ctx, t)
	})
}

// mayDrop checks that a database can be dropped, and that the present role may do it.
func (d *Definer) mayDrop(snap *catalog.Snapshot, of *catalog.Database) error {
	if err := d.MustOwn(snap, of); err != nil {
		return err
	}
	switch {
	case of.ID == snap.Database().ID:
		return sqlerr.New(sqlerr.ObjectInUse, "cannot drop the currently open database")
	case of.Template:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot drop a template database")
	case of.BuiltIn():
		return sqlerr.Unsupported("dropping the default database").
			WithHint("Drop what is in it, or rename it.")
	}
	return nil
}
