package ddl

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/amendment"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// privilegeWords are the privileges by SQL's words, in lower case.
var privilegeWords = map[string]catalog.Privileges{
	"insert": catalog.MayInsert, "select": catalog.MaySelect, "update": catalog.MayUpdate, "delete": catalog.MayDelete,
	"truncate": catalog.MayTruncate, "references": catalog.MayReference, "trigger": catalog.MayTrigger,
	"execute": catalog.MayExecute, "usage": catalog.MayUse, "create": catalog.MayCreate,
	"temporary": catalog.MayCreateTemp, "temp": catalog.MayCreateTemp, "connect": catalog.MayConnect,
	"set": catalog.MaySet, "alter system": catalog.MayAlterSystem,
}

// grant runs GRANT and REVOKE of privileges on objects.
func (d owners) grant(ctx context.Context, tree *ast.Grant) error {
	snap, err := d.schemaFor(ctx, tree.Kind)
	if err != nil {
		return err
	}
	if tree.Grantor != nil {
		if r, err := d.RoleOf(snap, *tree.Grantor); err != nil {
			return err
		} else if r.ID != d.Role {
			return sqlerr.New(sqlerr.FeatureNotSupported, "grantor must be current user")
		}
	}
	wanted, err := privilegesOf(tree)
	if err != nil {
		return err
	}
	objects, err := d.grantObjects(ctx, snap, tree)
	if err != nil {
		return err
	}
	grantees, err := d.grantees(snap, tree)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if tree.Kind != ast.LargeObject {
			snap = d.Txn.Changed().Snap
		}
		g := granting{snap: snap, tree: tree, grantees: grantees, object: o, wanted: wanted,
			all: tree.Privileges == nil}
		if err := d.grantOn(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// granting is a GRANT or REVOKE on one object.
type granting struct {
	snap     *catalog.Snapshot
	tree     *ast.Grant
	grantees []uint32
	object   catalog.Owned
	wanted   catalog.Privileges
	all      bool
}

func (d owners) grantees(snap *catalog.Snapshot, tree *ast.Grant) ([]uint32, error) {
	var out []uint32
	for _, n := range tree.Grantees {
		if n.Kind == ast.PublicRole {
			out = append(out, catalog.Public)
			continue
		}
		r, err := d.RoleOf(snap, n)
		if err != nil {
			return nil, err
		}
		out = append(out, r.ID)
	}
	return out, nil
}

// privilegesOf are the privileges that a statement names, which must be some of its kind of
// objects.
func privilegesOf(tree *ast.Grant) (p catalog.Privileges, err error) {
	kind, may := "relation", catalog.AllPrivileges('r')|catalog.AllPrivileges('s')
	switch tree.Kind {
	case ast.SequenceObject:
		kind, may = "sequence", catalog.AllPrivileges('s')
	case ast.SchemaObject:
		kind, may = "schema", catalog.AllPrivileges('n')
	case ast.FunctionObject, ast.ProcedureObject, ast.RoutineObject:
		kind, may = string(tree.Kind), catalog.AllPrivileges('f')
	case ast.DatabaseObject:
		kind, may = "database", catalog.AllPrivileges('d')
	case ast.LargeObject:
		kind, may = "large object", catalog.AllPrivileges('L')
	case ast.TypeObject, ast.DomainObject:
		kind, may = string(tree.Kind), catalog.AllPrivileges('T')
	case ast.LanguageObject, ast.TablespaceObject, ast.WrapperObject:
		kind, may = string(tree.Kind), catalog.AllPrivileges(amendment.ACLKind(systemCatalogs[tree.Kind]))
	case ast.ServerObject:
		kind, may = "foreign server", catalog.AllPrivileges('S')
	}
	for _, named := range tree.Privileges {
		if named.Columns != nil {
			if tree.Kind != ast.TableObject {
				return 0, sqlerr.New(sqlerr.InvalidGrantOperation, "column privileges are only valid for relations")
			}
			continue
		}
		one, err := onePrivilege(named.Word, kind, may)
		if err != nil {
			return 0, err
		}
		p |= one
	}
	return p, nil
}

// onePrivilege is one that a word names, which must be one of those on a kind of objects.
func onePrivilege(word, kind string, may catalog.Privileges) (catalog.Privileges, error) {
	one, ok := privilegeWords[word]
	switch {
	case !ok:
		return 0, sqlerr.New(sqlerr.SyntaxError, "unrecognized privilege type \"%s\"", word)
	case one&may == 0:
		return 0, sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type %s for %s", strings.ToUpper(word),
			kind)
	}
	return one, nil
}

// grantObjects finds the objects that a statement is about.
func (d owners) grantObjects(ctx context.Context, snap *catalog.Snapshot, tree *ast.Grant) (out []catalog.Owned,
	err error) {
	switch tree.Kind {
	case ast.FunctionObject, ast.ProcedureObject, ast.RoutineObject:
		return routines(d).objectsToGrant(tree)
	}
	for _, n := range tree.Objects {
		var o catalog.Owned
		switch {
		case tree.InSchemas:
			if _, err = d.schemaNamed(snap, n.Name); err != nil {
				return nil, err
			}
			for _, member := range owned(snap) {
				if r, ok := member.(catalog.Relation); ok && isRelation(r) && r.Ref().Schema == n.Name &&
					(r.Ref().Kind == catalog.SequenceKind) == (tree.Kind == ast.SequenceObject) {
					out = append(out, member)
				}
			}
			continue
		case tree.Kind == ast.SchemaObject:
			o, err = d.schemaNamed(snap, n.Name)
		case tree.Kind == ast.DatabaseObject:
			o, err = d.databaseNamed(snap, n.Name)
		case tree.Kind == ast.LargeObject:
			o, err = largeObjects(d).named(ctx, n)
		case tree.Kind == ast.TypeObject || tree.Kind == ast.DomainObject:
			var t *catalog.Type
			if t, err = userTypes(d).toGrant(snap, tree.Kind, n); err == nil {
				o = t
			}
		case isSystem(tree.Kind):
			o, err = systemObjects(d).toGrant(ctx, snap, tree.Kind, n)
		default:
			o, err = d.grantRelation(ctx, snap, tree.Kind, n)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func (d owners) grantRelation(ctx context.Context, snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (
	catalog.Owned, error) {
	r, err := d.Planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	switch o := r.(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(n))
	case catalog.TableIndex:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is an index", n.Name)
	case catalog.Owned:
		if _, ok := o.(*catalog.Sequence); !ok && kind == ast.SequenceObject {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", n.Name)
		}
		return o, nil
	case *catalog.Virtual:
		if kind == ast.SequenceObject {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", n.Name)
		}
		return systemObjects(d).relation(ctx, snap, o)
	}
	return nil, nil
}

// grantOn changes the grants on one object, and on its columns.
func (d owners) grantOn(ctx context.Context, g granting) error {
	if skip, err := d.resolvePrivileges(&g); skip || err != nil {
		return err
	}
	columns, err := d.columnPrivileges(g)
	if err != nil {
		return err
	}
	rights := catalog.RightsOf(g.object)
	if g.wanted != 0 {
		if rights.ACL, err = d.changed(g, whole(g)); err != nil {
			return err
		}
	}
	for _, c := range columns {
		acl, err := d.changed(g, c)
		if err != nil {
			return err
		}
		rights = rights.WithList(c.number, acl)
	}
	return d.keep(ctx, catalog.WithRights(g.object, rights))
}

// list is a list of grants that a GRANT or REVOKE changes: that of an object or of one of its columns.
type list struct {
	number int16 // of the column, 0 of the object itself
	column string
	kind   byte // by the letter of acldefault
	acl    catalog.ACL
	above  catalog.ACL // the grants on the relation of a column
	wanted catalog.Privileges
	all    bool
}

// whole is the list of an object itself.
func whole(g granting) list {
	return list{kind: catalog.ACLKind(g.object), acl: catalog.Grants(g.object), wanted: g.wanted, all: g.all}
}

// changed is a list of grants after a GRANT or REVOKE.
func (d owners) changed(g granting, l list) (catalog.ACL, error) {
	snap, owner := g.snap, g.object.OwnerID()
	grantor, options := snap.Grantor(d.Role, owner, slices.Concat(l.above, l.acl), l.wanted)
	if options == 0 {
		have, own := privilege.OnColumn(snap, grantor, g.object, l.number)
		if (have|own)&catalog.AllPrivileges(l.kind) == 0 {
			return nil, statement.Denied("permission denied for %s", d.calledList(g.object, l))
		}
	}
	if err := d.tellPartial(g, l, options); err != nil {
		return nil, err
	}
	change := catalog.Giving{Grant: catalog.Grant{Grantor: grantor}, Owner: owner}
	return d.given(g, l.acl, change, options)
}

// given is a list of grants after a change for all grantees of a GRANT or REVOKE.
func (d owners) given(g granting, acl catalog.ACL, change catalog.Giving, p catalog.Privileges) (catalog.ACL, error) {
	snap := g.snap
	acl = append(catalog.ACL{}, acl...)
	change.Cascade = g.tree.Cascade
	if !g.tree.Revoke || !g.tree.Option {
		change.Privileges = p
	}
	if g.tree.Revoke || g.tree.Option {
		change.Options = p
	}
	for _, change.Grantee = range g.grantees {
		if change.Grantee == catalog.Public && g.tree.Option && !g.tree.Revoke {
			return nil, sqlerr.New(sqlerr.InvalidGrantOperation, "grant options can only be granted to roles")
		}
		ok := true
		if g.tree.Revoke {
			if acl, ok = snap.Take(acl, change); !ok {
				return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
					"dependent privileges exist").WithHint("Use CASCADE to revoke them too.")
			}
		} else if acl, ok = snap.Give(acl, change); !ok {
			return nil, sqlerr.New(sqlerr.InvalidGrantOperation,
				"grant options cannot be granted back to your own grantor")
		}
	}
	return acl, nil
}

// calledList names what a list of grants is of.
func (d owners) calledList(o catalog.Owned, l list) string {
	if l.column != "" {
		return `column "` + l.column + `" of relation "` + o.(catalog.Relation).Ref().Name + `"`
	}
	return d.Called(o)
}

// resolvePrivileges makes the privileges of a statement those of the object's kind.
func (d owners) resolvePrivileges(g *granting) (skip bool, err error) {
	may := catalog.AllPrivileges(catalog.ACLKind(g.object))
	if g.all {
		g.wanted = may
		return false, nil
	}
	if extra := g.wanted &^ may; extra != 0 {
		q, ok := g.object.(*catalog.Sequence)
		if !ok {
			return true, sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type USAGE for table")
		}
		g.wanted &= may
		err = d.Notice(sqlerr.Warn(sqlerr.InvalidGrantOperation,
			"sequence \"%s\" only supports USAGE, SELECT, and UPDATE privileges", q.Name))
	}
	return false, err
}

// tellPartial warns of privileges that cannot be granted or revoked.
func (d owners) tellPartial(g granting, l list, options catalog.Privileges) error {
	name := d.calledList(g.object, l)
	if _, large := g.object.(*catalog.LargeObject); large {
		name = `"` + name + `"`
	} else if l.column == "" {
		name = `"` + name[strings.IndexByte(name, ' ')+1:] + `"`
	}
	code, verb := sqlerr.PrivilegeNotGranted, "were granted"
	if g.tree.Revoke {
		code, verb = sqlerr.PrivilegeNotRevoked, "could be revoked"
	}
	switch {
	case l.wanted == 0:
	case options == 0:
		return d.Notice(sqlerr.Warn(code, "no privileges %s for %s", verb, name))
	case !l.all && bits.OnesCount32(uint32(options)) < bits.OnesCount32(uint32(l.wanted)):
		return d.Notice(sqlerr.Warn(code, "not all privileges %s for %s", verb, name))
	}
	return nil
}

// isRelation says whether privileges on tables, or on sequences, are on an object.
func isRelation(r catalog.Relation) bool {
	switch r.(type) {
	case *catalog.Table, *catalog.View, *catalog.Sequence:
		return true
	}
	return false
}
