// Package host has what functions of SQL use outside of their arguments: the sequences, the objects of the catalog,
// the indexes and their maintenance, in one statement of a session. It implements the interfaces of
// expr/builtin/system. A session makes one `Session`, and each of its statements a `Call`, which costs nothing
// until a function uses it.
//
// Read `Session` first; each of the other types serves one family of functions.
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
	"zproxy/session/descriptor"
	"zproxy/session/statement"
	"zproxy/types"
)

// Block is the transaction of a session.
type Block interface {
	index.Block
	// StepAside lets changes of the schema go on while the statement waits.
	StepAside() error
}

// Session is what functions reach of a session, at any time.
type Session struct {
	Node      *cluster.Node
	Txn       *cluster.Transaction
	Builds    *build.Builds
	Block     Block
	Temporary *string // its schema of temporary relations
	Env       *types.Env
	Role      func() uint32
	View      func() *names.View
	Statement func() *statement.Context
	Indexes   func() *index.Definer
	Optimizer func() *optimizer.Options
	Parse     func(text string) ([]ast.Parsed, error)
	Values    func(ctx context.Context) *expr.Context // of an expression without parameters
	Numbers   LastNumbers
	// Descriptors are the large objects that the transaction has open.
	Descriptors *descriptor.Table
}

// Call is one statement of a session.
type Call struct {
	*Session
	Ctx context.Context
}

func (c *Call) schema() *catalog.Snapshot { return c.Txn.Schema() }
