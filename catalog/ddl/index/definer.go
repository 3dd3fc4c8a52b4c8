// Package index runs the statements about indexes: CREATE INDEX, which fills an index at once or begins a build in
// the background, the changes of states and options, REINDEX, DROP INDEX, CHECK INDEX, and ANALYZE, which collects
// statistics about keys. An index is a part of the value of its table, and its entries are rows of a space of its
// own: executor makes entries, cluster/check compares them, and cluster/backfill takes the steps of a build.
//
// Read first `Definer`, then fill.go, which all statements that make entries at once use, and build.go.
package index

import (
	"context"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/ddl"
	"zproxy/cluster/expiry"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/store"
)

// Definer runs the statements about indexes, in the transaction of its context.
type Definer struct {
	*ddl.Definer
	Block  Block
	Builds Builds
	Tables *executor.Tables
	// Exec is what a plan of the statement's own runs in, with a transaction.
	Exec func(ctx context.Context, txn store.Txn) *executor.Env
	// Tell shows others how far the statement is, until the function that it gives is called.
	Tell   func(*Progress) (end func())
	Expiry *expiry.Remover

	Now       func() time.Time
	BuildRate int64 // rows per second of builds in the background; 0: no limit
	// BuildUnits are the units a second that the build of an index may take, where the store charges them; 0: any
	// number.
	BuildUnits int64
	// AnalyzeUnits are the read units that the statistics of a table may take, where the store charges them; 0: any
	// number.
	AnalyzeUnits int64
	Advice       advice.Level
	// StatementMemory is how much a check may hold.
	StatementMemory int64
}

// Block is the transaction block of the client.
type Block interface {
	// NotIn is an error inside a block, or where other statements came before.
	NotIn(statement string) error
	Commit(ctx context.Context) error
	// Retry does what looks at the schema and changes it, again if others have changed it meanwhile.
	Retry(change func() error) error
	// Strong gives a transaction that sees all commits of a table.
	Strong(ctx context.Context, t *catalog.Table) (store.Txn, error)
	// RefuseReadOnly is the error of a statement that writes in a transaction that only reads.
	RefuseReadOnly(statement string) error
}

// Builds are the builds of indexes in the background.
type Builds interface {
	// Begin begins a build or goes on with it, and says when it has ended.
	Begin(index uint32) (ended <-chan struct{})
	UnderWay(ctx context.Context, index uint32) (bool, error)
	// Wait does something that waits for a build, which may compute meanwhile.
	Wait(func() error) error
}

// Run runs a statement. One about a build in the background may meet store.ErrConflict, when a step of the build has
// written how far it is at the same time.
func (d *Definer) Run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.CreateIndex:
		return d.createIndex(ctx, tree)
	case *ast.DropIndex:
		return d.dropIndexes(ctx, tree)
	case *ast.AlterIndex:
		return d.alterIndex(ctx, tree)
	case *ast.IndexOptions:
		return d.indexOptions(ctx, tree)
	case *ast.BuildIndex:
		return d.buildIndex(ctx, tree)
	case *ast.Reindex:
		return d.reindex(ctx, tree)
	case *ast.Analyze:
		return d.analyzeTables(ctx, tree)
	case *ast.Vacuum:
		return d.vacuum(ctx, tree)
	}
	return fmt.Errorf("index: %T is no statement about indexes", tree)
}
