// Package statement is the context of one statement: the `Context` that a session passes to the packages that run
// its statements. It has the transaction, the role whose privileges count, and the search path, and the checks of
// privileges that many statements share. It runs nothing, and sends the client nothing but notices.
//
// Read `Context` first.
package statement

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/names"
	"zproxy/cluster"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Context is what one statement runs in.
type Context struct {
	Node *cluster.Node
	Txn  *cluster.Transaction
	Env  *types.Env
	Identity
	catalog.DatabaseNames
	// Schemas are those of search_path that there are.
	Schemas func(*catalog.Snapshot) []string
	// Temporary is the session's schema of temporary relations; empty: it has none.
	Temporary *string
	// Planner plans with a catalog, under the settings of the session.
	Planner func(*catalog.Snapshot) *planner.Planner
	// CheckBodies says whether the bodies of functions are checked when they are made.
	CheckBodies bool
	// Conform is a text with its literals as standard SQL has them, which the session may read in another way.
	Conform func(text string) (string, error)
	// Limits bound the indexes that are made.
	Limits define.Limits
	// AtCommit notes what becomes of a temporary table at each commit. nil: rows stay.
	AtCommit func(table uint32, becomes ast.OnCommit)
	// Notice tells the client something besides the answer.
	Notice func(*sqlerr.Error) error
}

// Identity is whose rights count in a statement.
type Identity struct {
	Role        uint32
	SessionRole uint32 // of SET SESSION AUTHORIZATION, or else who connected
	// Bootstrap is what the superuser is called that has no name of its own.
	Bootstrap func(*catalog.Snapshot) string
}

// Schema is the catalog that the transaction goes by.
func (c *Context) Schema() *catalog.Snapshot { return c.Txn.Schema() }

// Superuser says whether the present role may do everything.
func (c *Context) Superuser() bool { return c.Schema().Superuser(c.Role) }

// NextID gives numbers to objects that are made.
func (c *Context) NextID(ctx context.Context) define.IDs {
	return func() (uint64, error) { return c.Node.NextID(ctx) }
}

// Builder makes objects of a catalog.
func (c *Context) Builder(ctx context.Context, snap *catalog.Snapshot) define.Builder {
	return define.Builder{Planner: c.Planner(snap), Limits: c.Limits, Next: c.NextID(ctx), Tell: c.Notice}
}

// Path is where names without a schema are looked for.
func (c *Context) Path(snap *catalog.Snapshot) []string {
	return Path(snap, c.Schemas(snap), *c.Temporary)
}

// Path is where names without a schema are looked for, when search_path names some schemas: what is temporary comes
// first, and then pg_catalog, unless search_path names it.
func Path(snap *catalog.Snapshot, schemas []string, temporary string) []string {
	out := slices.Clone(schemas)
	if !slices.Contains(out, catalog.PgCatalogName) {
		out = slices.Insert(out, 0, catalog.PgCatalogName)
	}
	if snap.Schema(temporary) != nil {
		out = slices.Insert(out, 0, temporary)
	}
	return out
}

// RoleName is the name of a role, empty when there is none with the number.
func (i *Identity) RoleName(snap *catalog.Snapshot, id uint32) string {
	return names.RoleName(snap, id, i.Bootstrap(snap))
}

// RoleNamed finds a role by name, nil when there is none.
func (i *Identity) RoleNamed(snap *catalog.Snapshot, name string) *catalog.Role {
	return names.RoleNamed(snap, name, i.Bootstrap(snap))
}

// RoleOf finds the role that a statement names.
func (i *Identity) RoleOf(snap *catalog.Snapshot, n ast.RoleName) (*catalog.Role, error) {
	var r *catalog.Role
	switch n.Kind {
	case ast.CurrentUser:
		r = snap.RoleByID(i.Role)
	case ast.SessionUser:
		r = snap.RoleByID(i.SessionRole)
	case ast.PublicRole:
		n.Name = "public"
	case ast.NamedRole:
		r = i.RoleNamed(snap, n.Name)
	}
	if r == nil {
		return nil, names.NoRole(n.Name)
	}
	return r, nil
}

// QuotedRole is the name of a role as SQL writes it.
func (i *Identity) QuotedRole(snap *catalog.Snapshot, id uint32) string {
	return expr.QuoteIdent(i.RoleName(snap, id))
}
