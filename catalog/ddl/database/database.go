// Package database runs the statements that make, alter and drop databases. A database is an object of the catalog
// like others, but its own objects are changed in transactions of its own: so CREATE with a template and DROP are more
// than one transaction, and run outside of blocks. Settings, owners, rights and comments of databases are the matter of
// package ddl.
//
// Read `Definer` first, then drop.go.
package database

import (
	"context"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// Definer runs statements about databases, in the transaction of its context.
type Definer struct {
	*ddl.Definer
	// NotIn is an error inside a block, or where other statements came before.
	NotIn  func(statement string) error
	Server Server
	// Tables are those of the process, and Values is what expressions of indexes are computed with.
	Tables *executor.Tables
	Values func(context.Context) *expr.Context
	// Units are those that copying rows may take a second, where the store charges units; 0: any number.
	Units int64
}

// Server is the process, as far as it serves databases.
type Server interface {
	// Used are the names by which clients use the default database.
	Used() []string
	// Alone keeps new sessions from a database until release is called, and waits a moment for the sessions in this
	// process that are there, but for this one; others is how many go on. With end they are ended.
	Alone(ctx context.Context, database uint32, end bool) (release func(), others int, err error)
	// In does something in a transaction of another database, and commits it.
	In(ctx context.Context, database uint32, f func(*cluster.Transaction) error) error
}

// Run runs a statement.
func (d *Definer) Run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.CreateDatabase:
		return d.create(ctx, tree)
	case *ast.AlterDatabase:
		return d.alter(ctx, tree)
	case *ast.DropDatabase:
		return d.drop(ctx, tree)
	case *ast.Rename:
		return d.rename(ctx, tree)
	}
	return sqlerr.Unsupported("%s", ddl.Tag(tree))
}

// missing is the error about a database that there is not.
func missing(name string) error {
	return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
}

// find finds the database that a statement names.
func (d *Definer) find(snap *catalog.Snapshot, name string) (*catalog.Database, error) {
	if found := d.DatabaseNames.Find(snap, name); found != nil {
		return found, nil
	}
	return nil, missing(name)
}

// mustBeNew wants no database to have a name.
func (d *Definer) mustBeNew(snap *catalog.Snapshot, name string) error {
	if d.DatabaseNames.Find(snap, name) != nil || name == d.Default {
		return sqlerr.New(sqlerr.DuplicateDatabase, "database \"%s\" already exists", name)
	}
	return nil
}

// mayMake says whether the present role may make databases.
func (d *Definer) mayMake(snap *catalog.Snapshot) bool {
	r := snap.RoleByID(d.Role)
	return d.Superuser() || r != nil && r.CreateDB
}

// inUse is the error about a database that other sessions use.
func inUse(what, name string, others int) error {
	e := sqlerr.New(sqlerr.ObjectInUse, "%s \"%s\" is being accessed by other users", what, name)
	switch others {
	case 0:
		return e
	case 1:
		return e.WithDetail("There is 1 other session using the database.")
	}
	return e.WithDetail("There are %d other sessions using the database.", others)
}

// alone keeps others from a database until release is called. It is an error if they use it.
func (d *Definer) alone(ctx context.Context, of *catalog.Database, end bool) (release func(), err error) {
	release, others, err := d.Server.Alone(ctx, of.ID, end)
	if err == nil && others > 0 {
		release()
		err = inUse("database", d.DatabaseNames.Of(d.Schema(), of), others)
	}
	return release, err
}

// alter runs ALTER DATABASE with options.
func (d *Definer) alter(ctx context.Context, tree *ast.AlterDatabase) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	if err := d.refuseTablespace(tree.Options); err != nil {
		return err
	}
	of, err := d.find(snap, tree.Name)
	if err != nil {
		return err
	}
	if err := d.MustOwn(snap, of); err != nil {
		return err
	}
	next := *of
	for _, o := range tree.Options {
		switch err := apply(&next, o); {
		case err != nil:
			return err
		case o.Name == "allow_connections" && next.Closed && of.ID == snap.Database().ID:
			return sqlerr.New(sqlerr.InvalidParameterValue, "cannot disallow connections for current database")
		}
	}
	return d.Txn.Put(ctx, &next)
}

// refuseTablespace wants the one tablespace that there is.
func (d *Definer) refuseTablespace(options []ast.RoleOption) error {
	for _, o := range options {
		if o.Name == "tablespace" && !o.Null && o.Value != "pg_default" {
			return sqlerr.New(sqlerr.UndefinedObject, "tablespace \"%s\" does not exist", o.Value)
		}
	}
	return nil
}

// apply gives a database what an option says of it, if it does.
func apply(of *catalog.Database, o ast.RoleOption) (err error) {
	if o.Null {
		return nil
	}
	switch o.Name {
	case "connection_limit":
		limit, err := strconv.Atoi(o.Value)
		if err != nil || limit < -1 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "invalid connection limit: %s", o.Value)
		}
		of.ConnLimit = &limit
	case "is_template":
		of.Template, err = truth(o)
	case "allow_connections":
		of.Closed, err = truth(o)
		of.Closed = !of.Closed
	}
	return err
}

// truth reads a Boolean option.
func truth(o ast.RoleOption) (bool, error) {
	for _, words := range []struct {
		of    []string
		value bool
	}{{[]string{"true", "on", "1"}, true}, {[]string{"false", "off", "0"}, false}} {
		if slices.Contains(words.of, o.Value) {
			return words.value, nil
		}
	}
	return false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
}

// rename runs ALTER DATABASE ... RENAME TO. The default database answers to no other name from then on.
func (d *Definer) rename(ctx context.Context, tree *ast.Rename) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	of, err := d.find(snap, tree.Name.Name)
	if err == nil {
		err = d.MustOwn(snap, of)
	}
	switch {
	case err != nil:
		return err
	case !d.mayMake(snap):
		return statement.Denied("permission denied to rename database")
	case of.ID == snap.Database().ID:
		if err := d.mustBeNew(snap, tree.New); err != nil {
			return err
		}
		return sqlerr.New(sqlerr.FeatureNotSupported, "current database cannot be renamed")
	}
	if err := d.mustBeNew(snap, tree.New); err != nil {
		return err
	}
	release, err := d.alone(ctx, of, false)
	if err != nil {
		return err
	}
	defer release()
	next := *of
	next.Name, next.Aliases = tree.New, nil
	return d.Txn.Put(ctx, &next)
}
