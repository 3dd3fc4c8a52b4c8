package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// dropObjects runs DROP TABLE, VIEW, SEQUENCE and SCHEMA.
func (s *Session) dropObjects(ctx context.Context, tree *ast.Drop, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	var things []thing
	for _, name := range tree.Names {
		o, err := s.toDrop(change.Snap, tree.Kind, name)
		if err != nil && tree.IfExists && !sqlerr.Has(err, sqlerr.WrongObjectType) && !sqlerr.Has(err, sqlerr.InsufficientPrivilege) {
			if err := c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message)); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			err = s.mustOwnToDrop(change.Snap, o)
		}
		if err != nil {
			return err
		}
		things = append(things, thing{object: o})
	}
	return s.dropThings(ctx, things, tree.Cascade, c)
}

// missing are the errors about objects that are not there.
var missing = map[ast.ObjectKind]sqlerr.Code{
	ast.TableObject: sqlerr.UndefinedTable, ast.ViewObject: sqlerr.UndefinedTable, ast.SequenceObject: sqlerr.UndefinedTable,
	ast.IndexObject: sqlerr.UndefinedObject, ast.ForeignObject: sqlerr.UndefinedObject,
}

// toDrop finds an object of a kind.
func (s *Session) toDrop(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (catalog.Object, error) {
	if kind == ast.SchemaObject {
		switch schema := snap.Schema(n.Name); {
		case schema == nil:
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", n.Name)
		case snap.IsSystem(schema.Name):
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop schema %s because it is required by the database system", n.Name)
		default:
			return schema, nil
		}
	}
	if n.Schema != "" && snap.Schema(n.Schema) == nil {
		return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", n.Schema)
	}
	r, err := s.planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, sqlerr.New(missing[kind], "%s %q does not exist", kind, bind.Dotted(n))
	}
	if is := r.Ref().Kind; is != catalog.Kind(kind) {
		article := map[ast.ObjectKind]string{ast.IndexObject: "an"}[kind]
		if article == "" {
			article = "a"
		}
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not %s %s", n.Name, article, kind).
			WithHint("Use DROP %s to remove %s %s.", strings.ToUpper(string(is)), map[bool]string{true: "an", false: "a"}[is == catalog.IndexKind], is)
	}
	if v, ok := r.(*catalog.Virtual); ok {
		return nil, bind.SystemRelation(v)
	}
	o, _ := r.(catalog.Object)
	return o, nil
}

// dropThings drops things, and what depends on them if it is asked for.
func (s *Session) dropThings(ctx context.Context, things []thing, cascade bool, c Client) error {
	if len(things) == 0 {
		return nil
	}
	d := s.newDrop(s.txn.Changed().Snap, things)
	for _, t := range things {
		if err := s.required(d, t); err != nil {
			return err
		}
	}
	return s.dropAll(ctx, d, d.gone, cascade, c)
}

// dropDependents drops what depends on a thing that the caller drops itself.
func (s *Session) dropDependents(ctx context.Context, t thing, cascade bool, c Client) error {
	d := s.newDrop(s.txn.Changed().Snap, []thing{t})
	return s.dropAll(ctx, d, d.others(), cascade, c)
}

// dropAll drops targets of a drop, which is refused without CASCADE while anything else depends on them.
func (s *Session) dropAll(ctx context.Context, d *drop, targets []removal, cascade bool, c Client) error {
	if !cascade {
		if err := d.refuse(); err != nil {
			return err
		}
	} else if n := d.notice(); n != nil {
		if err := c.Notice(n); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := s.dropOne(ctx, t.thing); err != nil {
			return err
		}
	}
	return nil
}

// required refuses to drop the sequence of an identity column without the column.
func (s *Session) required(d *drop, t thing) error {
	q, ok := t.object.(*catalog.Sequence)
	if !ok || !q.Identity {
		return nil
	}
	table, _ := d.snap.ByID(q.OwnerTable).(*catalog.Table)
	if table == nil || d.named[thing{object: table}.key()] {
		return nil
	}
	column := s.describe(d.snap, thing{object: table, column: q.OwnerColumn})
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because %s requires it", s.describe(d.snap, t), column).
		WithHint("You can drop %s instead.", column)
}

// dropOne drops one object, whose dependents the caller looks after.
func (s *Session) dropOne(ctx context.Context, t thing) error {
	if schema, ok := t.object.(*catalog.Schema); ok {
		return s.txn.Remove(ctx, schema)
	}
	id := t.object.(catalog.Relation).Ref().ID
	now, _ := s.txn.Changed().Snap.ByID(id).(catalog.Object)
	table, ok := now.(*catalog.Table)
	switch {
	case now == nil:
		return nil
	case !ok:
		if q, ok := now.(*catalog.Sequence); ok {
			if _, err := s.txn.Settled(ctx, q); err != nil {
				return err
			}
		}
		return s.txn.Remove(ctx, now)
	}
	if err := s.txn.Alone(ctx, table); err != nil {
		return err
	}
	switch at := table.Ordinal(t.column); {
	case t.column == 0:
		if err := s.refuseInUse("DROP TABLE", table); err != nil {
			return err
		}
		return s.txn.Remove(ctx, table)
	case at < 0:
		return nil
	case t.isDefault:
		return s.txn.Put(ctx, table.WithColumn(at, func(c *catalog.Column) {
			c.Default, c.DefaultUses, c.DefaultRead = "",
				nil, nil
		}))
	default:
		return s.dropColumn(ctx, table, at)
	}
}

// dropColumn drops a column that is in no key, and the indexes over it.
func (s *Session) dropColumn(ctx context.Context, t *catalog.Table, at int) error {
	if slices.Contains(t.Primary.Columns(), t.Columns[at].ID) {
		return sqlerr.Unsupported("dropping a column of the primary key")
	}
	if t.TTL != nil && t.TTL.Column == t.Columns[at].ID {
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop column %s of table %s because the ttl of its rows counts from it", t.Columns[at].Name, t.Name).
			WithHint("ALTER TABLE %s RESET (ttl, ttl_column) first.", t.Name)
	}
	without := t.WithoutColumn(t.Columns[at].ID)
	for i := range t.Indexes {
		if x := &t.Indexes[i]; without.Index(x.Name) == nil && t.Foreign == nil {
			s.txn.DropLater(*t.IndexSpace(x))
		}
	}
	return s.txn.Put(ctx, without)
}

// dropIndexes removes indexes, named alone or with their table.
func (s *Session) dropIndexes(ctx context.Context, tree *ast.DropIndex, c Client) error {
	if tree.Concurrently {
		if err := s.notInBlock("DROP INDEX CONCURRENTLY"); err != nil {
			return err
		}
		if len(tree.Indexes) > 1 {
			return sqlerr.New(sqlerr.FeatureNotSupported, "DROP INDEX CONCURRENTLY does not support dropping multiple objects")
		}
	}
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	for _, name := range tree.Indexes {
		t, err := s.ownerOf(s.txn.Changed().Snap, name, tree.Table)
		if err == nil && t == nil {
			_, err = s.toDrop(s.txn.Changed().Snap, ast.IndexObject, name)
			if err == nil {
				err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
			}
		}
		switch {
		case err != nil && tree.IfExists && sqlerr.From(err).Code == sqlerr.UndefinedObject:
			err = c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
		case err == nil:
			if err = s.mustOwnToDrop(s.txn.Changed().Snap, catalog.TableIndex{Table: t, Index: t.Index(name.Name)}); err == nil {
				err = s.dropIndex(ctx, t, name.Name, tree.Concurrently)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropIndex removes an index that is no constraint.
func (s *Session) dropIndex(ctx context.Context, t *catalog.Table, name string, concurrently bool) error {
	x := t.Index(name)
	if x == nil || x.Constraint {
		owner := fmt.Sprintf("constraint %s on %s", name, s.describe(s.txn.Changed().Snap, thing{object: t}))
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because %s requires it", name, owner).
			WithHint("You can drop %s instead.", owner)
	}
	if concurrently {
		return s.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Disabled, Drop: true}, true)
	}
	return s.removeIndex(ctx, t, x)
}

func (s *Session) removeIndex(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	if err := s.txn.Alone(ctx, t); err != nil {
		return err
	}
	s.txn.DropLater(*t.IndexSpace(x))
	if err := s.txn.Put(ctx, t.WithoutIndex(x.Name)); err != nil {
		return err
	}
	txn, err := s.store(ctx, true)
	if err != nil {
		return err
	}
	return catalogstore.DeleteBuild(txn, x.ID)
}

func ambiguousIndex(name string, a, b *catalog.Table) error {
	return sqlerr.New(sqlerr.AmbiguousColumn, "index name %q is ambiguous", name).
		WithDetail("Tables %q and %q have an index of that name.", a.Name, b.Name).
		WithHint("DROP INDEX, CHECK INDEX, BUILD INDEX, and ALTER INDEX that makes an index ACTIVE or DISABLED, take ON and the name of the table.")
}

// changeable finds a relation that a statement wants to change.
func (s *Session) changeable(snap *catalog.Snapshot, n ast.Name) (catalog.Relation, error) {
	r, err := s.planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(n))
	case *catalog.Virtual:
		return nil, bind.SystemRelation(r)
	default:
		return r, unambiguous(snap, r)
	}
}

// unambiguous wants no other table of a schema to have an index of the name of one.
func unambiguous(snap *catalog.Snapshot, r catalog.Relation) error {
	x, ok := r.(catalog.TableIndex)
	if !ok {
		return nil
	}
	name := x.Ref().Name
	for _, t := range snap.Tables() {
		if t.ID != x.Table.ID && t.Schema == x.Table.Schema && t.Foreign == nil &&
			(t.Index(name) != nil || t.PrimaryKey == name) {
			return ambiguousIndex(name, x.Table, t)
		}
	}
	return nil
}

// ownerOf finds the table of an index. Names of indexes belong to their table, so one
// alone may mean several.
func (s *Session) ownerOf(snap *catalog.Snapshot, name ast.Name, table *ast.Name) (*catalog.Table, error) {
	if table != nil {
		t, err := s.planner(snap).Table(*table)
		if err != nil || t.Foreign != nil || t.Index(name.Name) == nil && t.PrimaryKey != name.Name {
			return nil, err
		}
		return t, nil
	}
	path := s.path(snap)
	if name.Schema != "" {
		path = []string{name.Schema}
	}
	var found *catalog.Table
	for _, t := range snap.Tables() {
		if t.Foreign != nil || t.Index(name.Name) == nil && t.PrimaryKey != name.Name || !slices.Contains(path, t.Schema) {
			continue
		}
		if found != nil && found.Schema == t.Schema {
			return nil, ambiguousIndex(name.Name, found, t)
		}
		if found == nil || slices.Index(path, t.Schema) < slices.Index(path, found.Schema) {
			found = t
		}
	}
	return found, nil
}
