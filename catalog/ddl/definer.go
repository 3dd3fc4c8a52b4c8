// Package ddl runs the statements that define objects of the catalog, and keeps track of the dependencies between
// objects: CREATE, DROP, ALTER ... RENAME, SET SCHEMA and OWNER, COMMENT, GRANT, and the statements about roles.
// They make new values of the catalog, and put them into the transaction. Statements that also read or write rows
// are in the packages `index` and `table` below.
//
// Read first `Definer`, then dependency.go, which all statements that change or drop objects use. There is a file
// for each kind of statement.
package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
)

// Definer runs the statements that define objects, in the transaction of its context.
type Definer struct {
	*statement.Context
	// InUse is the error where a statement would change a table that a cursor of the session reads.
	InUse func(verb string, t *catalog.Table) error
	// Configure changes a list of settings, with which sessions of a role begin.
	Configure func(list []string, set *ast.Set) ([]string, error)
	// DropKey drops the primary key of a table, whose rows get another one.
	DropKey func(ctx context.Context, t *catalog.Table) error
}

// Run runs a statement that only defines objects.
func (d *Definer) Run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.CreateView:
		return d.createView(ctx, tree)
	case *ast.CreateSchema:
		return d.createSchema(ctx, tree)
	case *ast.CreateSequence:
		return d.createSequence(ctx, tree)
	case *ast.AlterSequence:
		return d.alterSequence(ctx, tree)
	case *ast.Statistics:
		return statisticsObjects{d}.run(ctx, tree)
	case *ast.Extension:
		return extensions{d}.run(ctx, tree)
	case *ast.ExtensionMember:
		return extensions{d}.setMember(ctx, tree)
	case *ast.CreateRoutine:
		return routines{d}.create(ctx, tree)
	case *ast.CreateAggregate:
		return aggregates{d}.create(ctx, tree)
	case *ast.Collation:
		return collations{d}.run(ctx, tree)
	case *ast.Publication:
		return publications{d}.run(ctx, tree)
	case *ast.CreateCast:
		return casts{d}.create(ctx, tree)
	case *ast.Operators:
		return operators{d}.run(ctx, tree)
	case *ast.CreateTrigger:
		return Triggers{d}.create(ctx, tree)
	case *ast.AlterRoutine:
		return routines{d}.alter(ctx, tree)
	case *ast.CreateEnum, *ast.CreateRange, *ast.AlterEnum, *ast.CreateComposite, *ast.CreateDomain,
		*ast.CreateBaseType:
		return userTypes{d}.run(ctx, tree)
	case *ast.Drop:
		return d.dropObjects(ctx, tree)
	case *ast.Rename:
		return d.rename(ctx, tree)
	case *ast.SetSchema:
		return d.setSchema(ctx, tree)
	case *ast.Checkpoint:
		return checkpoint(d)
	case *ast.Load:
		return load(tree)
	case *ast.Comment:
		return d.comment(ctx, tree)
	case *ast.SetOwner:
		return owners{d}.setOwner(ctx, tree)
	case *ast.Policy:
		return policies{d}.put(ctx, tree)
	case *ast.DropPolicy:
		return policies{d}.drop(ctx, tree)
	case *ast.Grant:
		return owners{d}.grant(ctx, tree)
	case *ast.DefaultPrivileges:
		return owners{d}.alterDefaults(ctx, tree)
	case *ast.ReassignOwned:
		return owners{d}.reassignOwned(ctx, tree)
	case *ast.DropOwned:
		return owners{d}.dropOwned(ctx, tree)
	default:
		return systemObjects{d}.run(ctx, tree)
	}
}
