package session

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// schemasOf are the schemas that a search_path named in a catalog for a role. They are not
// changed.
type schemasOf struct {
	snap  *catalog.Snapshot
	role  uint32
	path  []string
	names []string
}

// schemas are those of search_path that there are.
func (s *Session) schemas(snap *catalog.Snapshot) []string {
	role, last := s.role(), &s.schemasOf
	if last.snap != snap || last.role != role || !slices.Equal(last.path, s.settings.path) {
		*last = schemasOf{snap, role, slices.Clone(s.settings.path), s.findSchemas(snap, role)}
	}
	return last.names
}

func (s *Session) findSchemas(snap *catalog.Snapshot, role uint32) []string {
	var out []string
	for _, name := range s.settings.path {
		if name == "$user" {
			// The superuser is called zproxy unless the settings say otherwise, as is a schema of the
			// system's, in which nothing can be made.
			if name = s.roleName(snap, s.role()); snap.IsSystem(name) {
				continue
			}
		}
		if schema := snap.Schema(name); schema != nil && !slices.Contains(out, name) && snap.MayUse(role, schema) {
			out = append(out, name)
		}
	}
	return out
}

// path is where names without a schema are looked for: what is temporary comes first, and
// then pg_catalog, unless search_path names it.
func (s *Session) path(snap *catalog.Snapshot) []string {
	out := slices.Clone(s.schemas(snap))
	if !slices.Contains(out, catalog.PgCatalogName) {
		out = slices.Insert(out, 0, catalog.PgCatalogName)
	}
	if snap.Schema(s.temporary) != nil {
		out = slices.Insert(out, 0, s.temporary)
	}
	return out
}

// schemaFor is the schema that a new relation goes to.
func (s *Session) schemaFor(ctx context.Context, snap *catalog.Snapshot, n ast.Name) (string, error) {
	schema := n.Schema
	if schema == ast.TemporarySchema {
		return s.temporarySchema(ctx)
	}
	if path := s.schemas(snap); schema == "" && len(path) > 0 {
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
	return schema, at(s.mayMakeIn(snap, schema), n.Pos)
}

// newRelation finds the schema of a relation that is to be made, in which its name must
// be free. It says true if IF NOT EXISTS finds it there.
func (s *Session) newRelation(ctx context.Context, c Client, n ast.Name, ifNotExists bool) (schema string, skip bool, err error) {
	if schema, err = s.schemaFor(ctx, s.txn.Changed().Snap, n); err != nil {
		return "", false, err
	}
	snap := s.txn.Changed().Snap
	if snap.Relation(schema, n.Name) == nil {
		return schema, false, nil
	}
	if ifNotExists {
		return schema, true, c.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", n.Name))
	}
	return "", false, sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", n.Name)
}

// nextID gives numbers to what the planner makes.
func (s *Session) nextID(ctx context.Context) planner.IDs {
	return func() (uint64, error) { return s.db.NextID(ctx) }
}

func (s *Session) createTable(ctx context.Context, tree *ast.CreateTable, c Client) error {
	if tree.Foreign != nil {
		return s.createForeignTable(ctx, tree, c)
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, skip, err := s.newRelation(ctx, c, tree.Table, tree.IfNotExists)
	if err != nil || skip {
		return err
	}
	t, err := s.planner(change.Snap).CreateTable(tree, schema, s.nextID(ctx))
	if err != nil {
		return err
	}
	if err := s.keepTable(ctx, t); err != nil {
		return err
	}
	return s.adviseTable(c, t.Table, advice.Known{}, advice.On)
}

// keepTable makes the spaces of a new table, and puts it into the schema.
func (s *Session) keepTable(ctx context.Context, t *planner.NewTable) error {
	if err := s.txn.CreateSpaces(ctx, t.Table); err != nil {
		return err
	}
	t.Owner = s.role()
	objects := []catalog.Object{t.Table}
	for _, q := range t.Sequences {
		q.Owner = t.Owner
		objects = append(objects, q)
	}
	s.txn.Changed().IsMine(t.ID) // no other transaction sees it
	return s.txn.Put(ctx, objects...)
}

func (s *Session) createView(ctx context.Context, tree *ast.CreateView) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	if err := planner.ViewOptions(tree.Options); err != nil {
		return err
	}
	schema, err := s.schemaFor(ctx, change.Snap, ast.Name{Schema: tree.Name.Schema, Name: tree.Name.Name, Pos: -1})
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
		case isView && !change.Snap.Owns(s.role(), old):
			return s.mustOwn(change.Snap, old)
		case !isView:
			return sqlerr.New(sqlerr.WrongObjectType, "%q is not a view", tree.Name.Name)
		}
	}
	v, err := s.planner(change.Snap).CreateView(tree, schema, old, s.nextID(ctx))
	if err != nil {
		return err
	}
	if v.Rights = (catalog.Rights{Owner: s.role()}); old != nil {
		v.Rights = old.Rights
	}
	return s.txn.Put(ctx, v)
}

func (s *Session) createSchema(ctx context.Context, tree *ast.CreateSchema, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	owner := change.Snap.RoleByID(s.role())
	if tree.Owner != nil {
		if owner, err = s.roleOf(change.Snap, *tree.Owner); err != nil {
			return err
		}
	}
	name := tree.Name
	if name == "" {
		name = s.roleName(change.Snap, owner.ID)
	}
	if err := s.mayMakeSchema(change.Snap, name, owner.ID); err != nil {
		return err
	}
	if change.Snap.Schema(name) != nil {
		if tree.IfNotExists {
			return c.Notice(sqlerr.Notice(sqlerr.DuplicateSchema, "schema %q already exists, skipping", name))
		}
		return sqlerr.New(sqlerr.DuplicateSchema, "schema %q already exists", name)
	}
	id, err := s.nextID(ctx)()
	if err != nil {
		return err
	}
	return s.txn.Put(ctx, &catalog.Schema{ID: uint32(id), Name: name, Rights: catalog.Rights{Owner: owner.ID}})
}

// mayMakeSchema checks that the present role may make a schema for another one.
func (s *Session) mayMakeSchema(snap *catalog.Snapshot, name string, owner uint32) error {
	if err := s.mustHold(snap, snap.Database(), catalog.MayCreate); err != nil {
		return err
	}
	switch {
	case !snap.Member(s.role(), owner):
		return denied("must be member of role \"%s\"", s.roleName(snap, owner))
	case strings.HasPrefix(name, "pg_"):
		return sqlerr.New(sqlerr.ReservedName, "unacceptable schema name %q", name).
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

func (s *Session) createSequence(ctx context.Context, tree *ast.CreateSequence, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	n := tree.Name
	n.Pos = -1
	schema, skip, err := s.newRelation(ctx, c, n, tree.IfNotExists)
	if err != nil || skip {
		return err
	}
	p := s.planner(change.Snap)
	q, err := p.CreateSequence(tree, schema, s.nextID(ctx))
	if err == nil {
		err = p.OwnSequence(q, tree.Options)
	}
	if err != nil {
		return err
	}
	q.Owner = s.role()
	return s.txn.Put(ctx, q)
}

func (s *Session) alterSequence(ctx context.Context, tree *ast.AlterSequence, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	p := s.planner(change.Snap)
	old, err := s.sequenceNamed(p, tree.Name)
	if err != nil {
		if tree.IfExists && sqlerr.Has(err, sqlerr.UndefinedTable) {
			return c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation %q does not exist, skipping", tree.Name.Name))
		}
		return err
	}
	if err := s.mustOwn(change.Snap, old); err != nil {
		return err
	}
	at, err := s.txn.Settled(ctx, old)
	if err != nil {
		return err
	}
	q, restart, err := planner.AlterSequence(old, tree.Options, s.nextID(ctx))
	if err == nil {
		err = p.OwnSequence(q, tree.Options)
	}
	if err != nil {
		return err
	}
	if !restart {
		q.From, q.FromCalled = at.Last, at.Called
		if err := planner.SequenceHolds(q, at.Last); err != nil {
			return err
		}
	}
	return s.txn.Put(ctx, q)
}

func (s *Session) sequenceNamed(p *planner.Planner, n ast.Name) (*catalog.Sequence, error) {
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
