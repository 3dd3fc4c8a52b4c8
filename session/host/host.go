// Package host is what functions of SQL reach beyond their values: the sequences, the objects of the catalog, the
// indexes and how they are kept, in one statement of a session. It implements the interfaces of expr/builtin/system.
// A session makes a `Session` of it once, and each of its statements a `Call`, so that a statement which asks for
// nothing pays for nothing.
//
// Read `Session` first; each of the others is what one family of functions asks for.
package host

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/names"
	"zproxy/cluster"
	"zproxy/cluster/build"
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/types"
)

// Session is what functions reach of a session, at any time.
type Session struct {
	Node      *cluster.Node
	Txn       *cluster.Transaction
	Builds    *build.Builds
	Block     index.Block
	Temporary *string // its schema of temporary relations
	Env       *types.Env
	Role      func() uint32
	View      func() *names.View
	Statement func() *statement.Context
	Indexes   func() *index.Definer
	Optimizer func() *optimizer.Options
	Parse     func(text string) ([]ast.Parsed, error)
	Values    func(ctx context.Context) *expr.Context // of an expression without parameters
	StepAside func() error                            // lets changes of the schema go on while the statement waits
	Numbers   LastNumbers
}

// Call is one statement of a session.
type Call struct {
	*Session
	Ctx context.Context
}

func (c *Call) schema() *catalog.Snapshot { return c.Txn.Schema() }
