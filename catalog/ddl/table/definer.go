// Package table runs the statements that create, change and empty tables, and those that also read or write rows:
// CREATE TABLE, CREATE FOREIGN TABLE, ALTER TABLE, TRUNCATE, IMPORT FOREIGN SCHEMA. Package catalog/define makes
// the new definition of a table; this package changes the rows accordingly. DROP, and the statements that all kinds
// of objects share, are in catalog/ddl.
//
// Read first `Definer`, then alter.go; foreign.go has the foreign tables.
package table

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/trigger"
	"zproxy/parser/ast"
	"zproxy/types"
)

// Definer runs the statements about tables, in the transaction of its context.
type Definer struct {
	*index.Definer
	Exports bool // this process exports partitions
	// Query runs a SELECT of the program's own in the transaction of the statement.
	Query func(ctx context.Context, text string) ([]types.Row, error)
	// Fire fires the triggers of a table that is emptied.
	Fire func(ctx context.Context, t *catalog.Table, at trigger.Timing) error
}

// Run runs a statement.
func (d *Definer) Run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.CreateTable:
		return d.createTable(ctx, tree)
	case *ast.AlterTable:
		return d.alterTable(ctx, tree)
	case *ast.Truncate:
		return d.truncate(ctx, tree)
	case *ast.Cluster:
		return noteCluster(ctx, d, tree)
	case *ast.AlterComposite:
		return typed{d}.alterType(ctx, tree)
	case *ast.AlterDomain:
		return domains{d}.alter(ctx, tree)
	case *ast.ImportForeignSchema:
		return d.importForeignSchema(ctx, tree)
	}
	return fmt.Errorf("table: %T is no statement about tables", tree)
}

// createTable makes a table, and tells what is wrong with its keys.
func (d *Definer) createTable(ctx context.Context, tree *ast.CreateTable) error {
	if tree.Foreign != nil {
		return d.createForeignTable(ctx, tree)
	}
	if err := d.giveName(ctx, tree); err != nil {
		return err
	}
	if tree.PartitionOf != nil {
		return d.createPartition(ctx, tree)
	}
	t, err := d.CreateTable(ctx, tree)
	if err != nil || t == nil {
		return err
	}
	if err := uncheckedRules(d, t); err != nil {
		return err
	}
	if err := (foreignKeys{d}).add(ctx, t, tree.ForeignKeys); err != nil {
		return err
	}
	if err := d.keepSchedule(ctx, t); err != nil {
		return err
	}
	if err := d.warnOfExports(t, tree.Options); err != nil {
		return err
	}
	if now, ok := d.Txn.Changed().Snap.ByID(t.ID).(*catalog.Table); ok {
		t = now // with its foreign keys
	}
	return d.AdviseTable(t, advice.Known{}, advice.On)
}
