package session

import (
	"cmp"
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// owned are all objects that have owners, by their numbers.
func owned(snap *catalog.Snapshot) []catalog.Owned {
	out := []catalog.Owned{snap.Database()}
	for _, o := range snap.Schemas() {
		out = append(out, o)
	}
	for _, o := range snap.Tables() {
		out = append(out, o)
	}
	for _, o := range snap.Views() {
		out = append(out, o)
	}
	for _, o := range snap.Sequences() {
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b catalog.Owned) int { return cmp.Compare(numberOf(a), numberOf(b)) })
	return out
}

func numberOf(o catalog.Owned) uint32 {
	switch o := o.(type) {
	case *catalog.Database:
		return o.ID
	case *catalog.Schema:
		return o.ID
	case catalog.Relation:
		return o.Ref().ID
	}
	return 0
}

// dependsOnRole are the objects because of which a role cannot go.
func (s *Session) dependsOnRole(snap *catalog.Snapshot, role uint32) []string {
	var lines []string
	for _, o := range owned(snap) {
		switch {
		case o.OwnerID() == role:
			lines = append(lines, "owner of "+s.describe(snap, thing{object: o}))
		case slices.ContainsFunc(catalog.RightsOf(o).ACL, func(g catalog.Grant) bool { return g.Grantee == role || g.Grantor == role }):
			lines = append(lines, "privileges for "+s.describe(snap, thing{object: o}))
		}
	}
	return lines
}

// called names an object as errors about privileges do: by its own name.
func (s *Session) called(o catalog.Owned) string {
	switch o := o.(type) {
	case *catalog.Schema:
		return "schema " + o.Name
	case *catalog.Database:
		return "database " + s.database
	case catalog.Relation:
		return string(o.Ref().Kind) + " " + o.Ref().Name
	}
	return ""
}

// mustOwn wants the present role to be the owner of an object.
func (s *Session) mustOwn(snap *catalog.Snapshot, o catalog.Owned) error {
	if snap.Owns(s.role(), o) {
		return nil
	}
	return denied("must be owner of %s", s.called(o))
}

// mustHold wants the present role to have a privilege on an object.
func (s *Session) mustHold(snap *catalog.Snapshot, o catalog.Owned, p catalog.Privileges) error {
	if have, _ := snap.Privileges(s.role(), o); have&p == p {
		return nil
	}
	return denied("permission denied for %s", s.called(o))
}

// mayMakeIn wants the present role to be allowed to make objects in a schema.
func (s *Session) mayMakeIn(snap *catalog.Snapshot, schema string) error {
	if o := snap.Schema(schema); o != nil {
		return s.mustHold(snap, o, catalog.MayCreate)
	}
	return nil
}

// mustOwnRelation is mustOwn for a relation of any kind; an index is its table's owner's.
func (s *Session) mustOwnRelation(snap *catalog.Snapshot, r catalog.Relation) error {
	switch r := r.(type) {
	case catalog.TableIndex:
		if snap.Owns(s.role(), r.Table) {
			return nil
		}
		return denied("must be owner of index %s", r.Ref().Name)
	case catalog.Owned:
		return s.mustOwn(snap, r)
	}
	return denied("permission denied: \"%s\" is a system catalog", r.Ref().Name)
}

// mustOwnToDrop wants the present role to own an object, or the schema that it is in.
func (s *Session) mustOwnToDrop(snap *catalog.Snapshot, o any) error {
	if r, ok := o.(catalog.Relation); ok {
		if schema := snap.Schema(r.Ref().Schema); schema != nil && snap.Owns(s.role(), schema) {
			return nil
		}
		return s.mustOwnRelation(snap, r)
	}
	if o, ok := o.(catalog.Owned); ok {
		return s.mustOwn(snap, o)
	}
	return nil
}

// setOwner runs ALTER ... OWNER TO.
func (s *Session) setOwner(ctx context.Context, tree *ast.SetOwner, c Client) error {
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	snap := s.txn.Changed().Snap
	o, err := s.toOwn(snap, tree, c)
	if err != nil || o == nil {
		return err
	}
	r, err := s.roleOf(snap, tree.Owner)
	switch {
	case err != nil:
		return err
	case o.OwnerID() == r.ID:
		return nil
	}
	if q, ok := o.(*catalog.Sequence); ok && q.OwnerTable != 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot change owner of sequence \"%s\"", q.Name).
			WithDetail("Sequence \"%s\" is linked to table \"%s\".", q.Name, snap.ByID(q.OwnerTable).Ref().Name)
	}
	if err := s.mayPass(snap, o, r); err != nil {
		return err
	}
	return s.passTo(ctx, o, r.ID)
}

// toOwn finds the object that is to have another owner, nil when there is nothing to do.
func (s *Session) toOwn(snap *catalog.Snapshot, tree *ast.SetOwner, c Client) (catalog.Owned, error) {
	switch tree.Kind {
	case ast.SchemaObject:
		return s.schemaNamed(snap, tree.Name.Name)
	case ast.DatabaseObject:
		return s.databaseNamed(snap, tree.Name.Name)
	}
	if skip, err := s.skips(c, tree.IfExists, tree.Name); skip || err != nil {
		return nil, err
	}
	r, err := s.planner(snap).Relation(tree.Name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(tree.Name))
	}
	if err := ofKind(r, tree.Kind); err != nil {
		return nil, err
	}
	if _, ok := r.(catalog.TableIndex); ok {
		return nil, c.Notice(warning(sqlerr.WrongObjectType, "cannot change owner of index \""+r.Ref().Name+"\"").
			WithHint("Change the ownership of the index's table, instead."))
	}
	o, ok := r.(catalog.Owned)
	if !ok {
		return nil, s.mustOwnRelation(snap, r)
	}
	return o, nil
}

func (s *Session) schemaNamed(snap *catalog.Snapshot, name string) (*catalog.Schema, error) {
	if schema := snap.Schema(name); schema != nil {
		return schema, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name)
}

func (s *Session) databaseNamed(snap *catalog.Snapshot, name string) (*catalog.Database, error) {
	if name == s.database {
		return snap.Database(), nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
}

// mayPass checks that the present role may give an object to another, and that the other
// could have made it.
func (s *Session) mayPass(snap *catalog.Snapshot, o catalog.Owned, to *catalog.Role) error {
	if s.superuser() {
		return nil
	}
	if err := s.mustOwn(snap, o); err != nil {
		return err
	}
	if !snap.Member(s.role(), to.ID) {
		return denied("must be member of role \"%s\"", s.roleName(snap, to.ID))
	}
	maker, in := to.ID, catalog.Owned(snap.Database())
	switch o := o.(type) {
	case *catalog.Database:
		if s.may(func(r *catalog.Role) bool { return r.CreateDB }) {
			return nil
		}
		return denied("permission denied to change owner of database")
	case *catalog.Schema:
		maker = s.role()
	case catalog.Relation:
		if in = snap.Schema(o.Ref().Schema); in == catalog.Owned((*catalog.Schema)(nil)) {
			return nil
		}
	}
	if have, _ := snap.Privileges(maker, in); have&catalog.MayCreate == 0 {
		return denied("permission denied for %s", s.called(in))
	}
	return nil
}

// passTo gives an object to a role, a table with the sequences of its columns.
func (s *Session) passTo(ctx context.Context, o catalog.Owned, role uint32) error {
	objects := []catalog.Object{catalog.WithRights(o, catalog.RightsOf(o).NewOwner(role))}
	if t, ok := o.(*catalog.Table); ok {
		for _, q := range s.txn.Changed().Snap.Sequences() {
			if q.OwnerTable == t.ID {
				objects = append(objects, catalog.WithRights(q, q.Rights.NewOwner(role)))
			}
		}
	}
	return s.txn.Put(ctx, objects...)
}

// pinned is the error about objects of a role that PostgreSQL cannot do without.
func (s *Session) pinned(r *catalog.Role, what string) error {
	if !r.BuiltIn() {
		return nil
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot %s objects owned by %s because they are required by the database system",
		what, describeRole(s.roleName(s.txn.Changed().Snap, r.ID)))
}

// reassignOwned runs REASSIGN OWNED.
func (s *Session) reassignOwned(ctx context.Context, tree *ast.ReassignOwned) error {
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	snap := s.txn.Changed().Snap
	for _, n := range tree.Roles {
		r, err := s.roleOf(snap, n)
		if err != nil {
			return err
		}
		if !snap.Acts(s.role(), r.ID) {
			return denied("permission denied to reassign objects")
		}
	}
	to, err := s.roleOf(snap, tree.To)
	if err != nil {
		return err
	}
	if !snap.Acts(s.role(), to.ID) {
		return denied("permission denied to reassign objects")
	}
	for _, n := range tree.Roles {
		r, _ := s.roleOf(snap, n)
		if err := s.pinned(r, "reassign ownership of"); err != nil {
			return err
		}
		for _, o := range owned(s.txn.Changed().Snap) {
			if o.OwnerID() != r.ID {
				continue
			}
			if err := s.txn.Put(ctx, catalog.WithRights(o, catalog.RightsOf(o).NewOwner(to.ID))); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropOwned runs DROP OWNED: what roles own goes, and what they were granted.
func (s *Session) dropOwned(ctx context.Context, tree *ast.DropOwned, c Client) error {
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	var things []thing
	for _, n := range tree.Roles {
		snap := s.txn.Changed().Snap
		r, err := s.roleOf(snap, n)
		switch {
		case err != nil:
			return err
		case !snap.Acts(s.role(), r.ID):
			return denied("permission denied to drop objects")
		}
		if err := s.pinned(r, "drop"); err != nil {
			return err
		}
		for _, o := range owned(snap) {
			if _, isDatabase := o.(*catalog.Database); !isDatabase && o.OwnerID() == r.ID {
				things = append(things, thing{object: o})
				continue
			}
			if err := s.txn.Put(ctx, s.withoutGrants(o, r.ID)...); err != nil {
				return err
			}
		}
	}
	return s.dropThings(ctx, things, tree.Cascade, c)
}

// withoutGrants is an object without what a role was granted on it; nothing if that is
// how it is.
func (s *Session) withoutGrants(o catalog.Owned, role uint32) []catalog.Object {
	rights := catalog.RightsOf(o)
	acl, changed := rights.ACL, false
	for _, g := range rights.ACL {
		if g.Grantee == role {
			changed = true
			acl, _ = s.txn.Changed().Snap.Take(acl, catalog.Giving{Grant: g, Owner: o.OwnerID(), Cascade: true})
		}
	}
	if !changed {
		return nil
	}
	rights.ACL = acl
	return []catalog.Object{catalog.WithRights(o, rights)}
}
