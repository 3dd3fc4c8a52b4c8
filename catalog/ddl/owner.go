package ddl

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// owners runs the statements about owners and privileges.
type owners struct{ *Definer }

// owned are all objects that have owners, by their numbers.
func owned(snap *catalog.Snapshot) []catalog.Owned {
	var out []catalog.Owned
	for _, o := range snap.Databases() {
		out = append(out, o)
	}
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
	for _, o := range snap.Statistics(0) {
		out = append(out, o)
	}
	for _, o := range snap.Functions() {
		out = append(out, o)
	}
	for _, o := range snap.Plains("") {
		out = append(out, o)
	}
	for _, o := range snap.Types() {
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

// dependsOnRole are the objects because of which a role cannot go. Of those in other databases there is the number.
func (d owners) dependsOnRole(snap *catalog.Snapshot, role uint32) []string {
	var lines []string
	for _, o := range owned(snap) {
		switch {
		case o.OwnerID() == role:
			lines = append(lines, "owner of "+d.Describe(snap, Target{Object: o}))
		default:
			lines = append(lines, d.grantsTo(snap, o, role)...)
		}
		for _, p := range policiesFor(o, role) {
			lines = append(lines, "target of "+d.Describe(snap, Target{Object: o.(*catalog.Table), Policy: p.ID}))
		}
	}
	lines = append(lines, d.defaultsWith(snap, role)...)
	for _, database := range snap.Databases() {
		if database.ID == snap.Database().ID {
			continue
		}
		n := len(d.defaultsWith(d.Node.Whole().In(database.ID), role))
		for _, o := range owned(d.Node.Whole().In(database.ID)) {
			if !catalog.Shared(o) && o.OwnerID() == role {
				n++
			} else if !catalog.Shared(o) {
				n += len(granted(o, role))
			}
		}
		switch name := d.DatabaseNames.Of(snap, database); n {
		case 0:
		case 1:
			lines = append(lines, "1 object in database "+name)
		default:
			lines = append(lines, strconv.Itoa(n)+" objects in database "+name)
		}
	}
	return lines
}

// grantsTo are what of an object has grants that name a role.
func (d owners) grantsTo(snap *catalog.Snapshot, o catalog.Owned, role uint32) (lines []string) {
	for _, number := range granted(o, role) {
		what := d.Describe(snap, Target{Object: o})
		if number != 0 {
			what = "column " + grantColumns(o.(catalog.Relation))[number] + " of " + what
		}
		lines = append(lines, "privileges for "+what)
	}
	return lines
}

// granted are the numbers of the lists of grants of an object that name a role: of columns, or 0.
func granted(o catalog.Owned, role uint32) (out []int16) {
	rights := catalog.RightsOf(o)
	for number, acl := range rights.Lists() {
		if slices.ContainsFunc(acl, func(g catalog.Grant) bool { return g.Grantee == role || g.Grantor == role }) {
			out = append(out, number)
		}
	}
	return out
}

// setOwner runs ALTER ... OWNER TO.
func (d owners) setOwner(ctx context.Context, tree *ast.SetOwner) error {
	snap, err := d.schemaFor(ctx, tree.Kind)
	if err != nil {
		return err
	}
	if isSystem(tree.Kind) {
		if _, err := d.RoleOf(snap, tree.Owner); err != nil {
			return err
		}
	}
	o, err := d.toOwn(ctx, snap, tree)
	if err != nil || o == nil {
		return err
	}
	r, err := d.RoleOf(snap, tree.Owner)
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
	if err := d.mayPass(snap, o, r); err != nil {
		return err
	}
	return d.passTo(ctx, o, r.ID)
}

// toOwn finds the object that is to have another owner, nil when there is nothing to do.
func (d owners) toOwn(ctx context.Context, snap *catalog.Snapshot, tree *ast.SetOwner) (catalog.Owned, error) {
	if isPlain(tree.Kind) {
		p, err := plains(d).named(snap, tree.Kind, tree.Name, tree.Routine)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	if isSystem(tree.Kind) {
		return systemObjects(d).toOwn(ctx, snap, tree)
	}
	if tree.Routine != nil {
		f, err := routines(d).named(snap, tree.Kind, *tree.Routine)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	switch tree.Kind {
	case ast.SchemaObject:
		return d.schemaNamed(snap, tree.Name.Name)
	case ast.DatabaseObject:
		return d.databaseNamed(snap, tree.Name.Name)
	case ast.LargeObject:
		x, err := largeObjects(d).named(ctx, tree.Name)
		if err != nil {
			return nil, err
		}
		return x, nil
	case ast.StatisticsObject:
		x, err := statisticsObjects(d).named(snap, tree.Name)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	if tree.Kind == ast.TypeObject || tree.Kind == ast.DomainObject {
		t, err := userTypes(d).ofKind(snap, tree.Kind, tree.Name)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	if skip, err := d.Skips(tree.IfExists, tree.Name); skip || err != nil {
		return nil, err
	}
	r, err := d.Planner(snap).Relation(tree.Name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(tree.Name))
	}
	if err := OfKind(r, tree.Kind); err != nil {
		return nil, err
	}
	if x, ok := r.(catalog.TableIndex); ok {
		if to, err := d.RoleOf(snap, tree.Owner); err != nil || to.ID == x.Table.OwnerID() {
			return nil, err
		}
		return nil, d.Notice(sqlerr.Warn(sqlerr.WrongObjectType, "cannot change owner of index \"%s\"", r.Ref().Name).
			WithHint("Change the ownership of the index's table, instead."))
	}
	o, ok := r.(catalog.Owned)
	if !ok {
		return nil, d.MustOwnRelation(snap, r)
	}
	return o, nil
}

func (d owners) schemaNamed(snap *catalog.Snapshot, name string) (*catalog.Schema, error) {
	if schema := snap.Schema(name); schema != nil {
		return schema, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name)
}

func (d owners) databaseNamed(snap *catalog.Snapshot, name string) (*catalog.Database, error) {
	if database := d.DatabaseNames.Find(snap, name); database != nil {
		return database, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
}

// mayPass checks that the present role may give an object to another, and that the other
// could have made it.
func (d owners) mayPass(snap *catalog.Snapshot, o catalog.Owned, to *catalog.Role) error {
	if d.Superuser() {
		return nil
	}
	if err := d.MustOwn(snap, o); err != nil {
		return err
	}
	if !snap.Member(d.Role, to.ID) {
		return statement.Denied("must be member of role \"%s\"", d.RoleName(snap, to.ID))
	}
	maker, in := to.ID, catalog.Owned(snap.Database())
	switch o := o.(type) {
	case *catalog.Database:
		if roles(d).may(func(r *catalog.Role) bool { return r.CreateDB }) {
			return nil
		}
		return statement.Denied("permission denied to change owner of database")
	case *catalog.LargeObject:
		return nil
	case *catalog.Schema:
		maker = d.Role
	case catalog.Relation:
		if o.Ref().Schema == "" {
			break
		}
		if in = snap.Schema(o.Ref().Schema); in == catalog.Owned((*catalog.Schema)(nil)) {
			return nil
		}
	}
	if have, _ := snap.Privileges(maker, in); have&catalog.MayCreate == 0 {
		return statement.Denied("permission denied for %s", d.Called(in))
	}
	return nil
}

// passTo gives an object to a role, a table with the sequences of its columns.
func (d owners) passTo(ctx context.Context, o catalog.Owned, role uint32) error {
	if _, ok := o.(*catalog.LargeObject); ok {
		return d.keep(ctx, catalog.WithRights(o, catalog.RightsOf(o).NewOwner(role)))
	}
	objects := []catalog.Object{catalog.WithRights(o, catalog.RightsOf(o).NewOwner(role))}
	if t, ok := o.(*catalog.Table); ok {
		for _, q := range d.Txn.Changed().Snap.Sequences() {
			if q.OwnerTable == t.ID {
				objects = append(objects, catalog.WithRights(q, q.Rights.NewOwner(role)))
			}
		}
	}
	return d.Txn.Put(ctx, objects...)
}

// pinned is the error about objects of a role that PostgreSQL cannot do without.
func (d owners) pinned(r *catalog.Role, what string) error {
	if !r.BuiltIn() {
		return nil
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist,
		"cannot %s objects owned by %s because they are required by the database system",
		what, describeRole(d.RoleName(d.Txn.Changed().Snap, r.ID)))
}

// reassignOwned runs REASSIGN OWNED.
func (d owners) reassignOwned(ctx context.Context, tree *ast.ReassignOwned) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	for _, n := range tree.Roles {
		r, err := d.RoleOf(snap, n)
		if err != nil {
			return err
		}
		if !snap.Acts(d.Role, r.ID) {
			return statement.Denied("permission denied to reassign objects")
		}
	}
	to, err := d.RoleOf(snap, tree.To)
	if err != nil {
		return err
	}
	if !snap.Acts(d.Role, to.ID) {
		return statement.Denied("permission denied to reassign objects")
	}
	for _, n := range tree.Roles {
		r, _ := d.RoleOf(snap, n)
		if err := d.pinned(r, "reassign ownership of"); err != nil {
			return err
		}
		for _, o := range owned(d.Txn.Changed().Snap) {
			if o.OwnerID() != r.ID {
				continue
			}
			if err := d.Txn.Put(ctx, catalog.WithRights(o, catalog.RightsOf(o).NewOwner(to.ID))); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropOwned runs DROP OWNED: what roles own goes, and what they were granted.
func (d owners) dropOwned(ctx context.Context, tree *ast.DropOwned) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	var targets []Target
	for _, n := range tree.Roles {
		snap := d.Txn.Changed().Snap
		r, err := d.RoleOf(snap, n)
		switch {
		case err != nil:
			return err
		case !snap.Acts(d.Role, r.ID):
			return statement.Denied("permission denied to drop objects")
		}
		if err := d.pinned(r, "drop"); err != nil {
			return err
		}
		if err := d.forgetDefaults(ctx, r.ID); err != nil {
			return err
		}
		snap = d.Txn.Changed().Snap
		for _, o := range owned(snap) {
			if _, isDatabase := o.(*catalog.Database); !isDatabase && o.OwnerID() == r.ID {
				targets = append(targets, Target{Object: o})
				continue
			}
			if err := d.Txn.Put(ctx, d.withoutGrants(o, r.ID)...); err != nil {
				return err
			}
			if err := policies(d).forget(ctx, o, r.ID); err != nil {
				return err
			}
		}
	}
	return d.Drop(ctx, targets, tree.Cascade)
}

// withoutGrants is an object without what a role was granted on it; nothing if that is
// how it is.
func (d owners) withoutGrants(o catalog.Owned, role uint32) []catalog.Object {
	rights := catalog.RightsOf(o)
	lists := granted(o, role)
	for _, number := range lists {
		acl := rights.List(number)
		for _, g := range acl {
			if g.Grantee == role {
				acl, _ = d.Txn.Changed().Snap.Take(acl, catalog.Giving{Grant: g, Owner: o.OwnerID(), Cascade: true})
			}
		}
		rights = rights.WithList(number, acl)
	}
	if lists == nil {
		return nil
	}
	return []catalog.Object{catalog.WithRights(o, rights)}
}
