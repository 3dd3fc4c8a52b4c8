package cluster

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/store"
	"zproxy/types"
)

// Who changes an object has its descriptor locked until the transaction ends, which is a key of the catalog. What the
// object refers to is locked, so that it does not go meanwhile, and the name of a new object, as a key that one object
// has alone. So transactions that change the catalog are about different objects, and each commits what it has changed,
// whatever others have committed since it began. How others may use the object meanwhile is a matter of its own lock.

// errChanged is why a transaction fails that wrote rows by another schema than there is now.
var errChanged = fmt.Errorf("the schema changed: %w", store.ErrConflict)

// ErrMoved is why a statement has to begin again: when it got a lock others had changed the catalog since it looked at
// it. It keeps the lock.
var ErrMoved = fmt.Errorf("before a lock was granted %w", errChanged)

// objectLocks are what a transaction locks of the catalog.
type objectLocks struct{ *Transaction }

// lock locks something of which the transaction has seen how it is.
func (t objectLocks) lock(ctx context.Context, tag lock.Tag, m lock.Mode) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	g, err := t.owner.Locks().Acquire(t.owner.Wait(ctx), tag, m, lock.Block)
	if err != nil || g.Already || t.node.shared != nil {
		return err // one transaction at a time changes the catalog of several processes
	}
	if g.Waited || c.base != t.node.Snapshot() {
		return ErrMoved
	}
	return nil
}

// toPut locks an object that takes the place of another one, or is new. What the other one refers to is there already.
func (t objectLocks) toPut(ctx context.Context, o catalog.Object) error {
	in := t.node.database
	if err := t.lock(ctx, descriptorOf(in, o), lock.Update); err != nil {
		return err
	}
	snap, name := t.change.Snap, nameOf(in, o)
	there := present(snap, o)
	if there == nil || nameOf(in, there) != name {
		if err := t.lock(ctx, name.tag(), lock.Update); err != nil {
			return err
		}
	}
	known := references(snap, there)
	for _, tag := range references(snap, o) {
		if slices.Contains(known, tag) {
			continue
		}
		if err := t.lock(ctx, tag, lock.AccessShare); err != nil {
			return err
		}
	}
	return nil
}

// alone keeps others from a table in a mode, and those of other processes from committing rows of it. Where the mode
// lets no other use the table, they do not, either: what they read by the schema before may not be kept any more when
// the change is committed.
func (t objectLocks) alone(ctx context.Context, of *catalog.Table, m lock.Mode) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	_, known := c.base.ByID(of.ID).(*catalog.Table)
	if known {
		if err := t.announce(ctx); err != nil {
			return err
		}
	}
	if err := t.exclude(ctx, of, m, true); err != nil || t.node.shared == nil || !known {
		return err
	}
	closes := m == lock.AccessExclusive
	if closed, frozen := c.frozen[of.ID]; frozen && (closed || !closes) {
		return nil
	}
	keep := t.node.shared.member.Freeze
	if closes {
		keep = t.node.shared.member.CloseTable
	}
	err = confirmed(t.owner.Wait(ctx), func(ctx context.Context) error { return keep(ctx, of.ID) })
	if err == nil {
		c.frozen[of.ID] = closes
	}
	return err
}

// announce lets other processes know of the change, before this one or another keeps commits waiting for it. A
// transaction that has written rows does without: others would go on to write meanwhile what it has read.
func (t objectLocks) announce(ctx context.Context) error {
	c, err := t.Changes(ctx)
	if err != nil || t.node.shared == nil || c.announced || len(t.Wrote) > 0 {
		return err
	}
	err = confirmed(t.owner.Wait(ctx), t.node.shared.member.Announce)
	c.announced = err == nil
	return err
}

// aloneWith is WithoutWriters for a table that is about to change in a way that rows which were written by the version
// before must not be committed.
func (t objectLocks) aloneWith(ctx context.Context, old, next *catalog.Table) error {
	if _, known := t.node.Snapshot().ByID(old.ID).(*catalog.Table); !known || next != nil && next.Accepts(old.Version) {
		return nil
	}
	return t.WithoutWriters(ctx, old)
}

// exclude keeps others in this process from committing rows of a table; if it is for a whole change, also the
// transaction that holds the table.
func (t objectLocks) exclude(ctx context.Context, of *catalog.Table, m lock.Mode, whole bool) error {
	if err := t.lock(ctx, tagOf(t.node.database, of), m); err != nil {
		return err
	}
	if err := t.lock(ctx, descriptorOf(t.node.database, of), lock.Update); err != nil {
		return err
	}
	c, id := t.change, of.ID
	if already, wholly := c.excludes(id); already && (wholly || !whole) {
		return nil
	}
	if err := t.node.Locks.Exclude(t.owner.Wait(ctx), id, whole); err != nil {
		return err
	}
	c.alone = append(slices.Clip(c.alone), exclusion{id, whole})
	return nil
}

// The catalogs of PostgreSQL that objects are in, by OID.
const (
	pgClass     = 1259
	pgAuthID    = 1260
	pgDatabase  = 1262
	pgNamespace = 2615
	pgStatistic = 3381
	pgExtension = 3079
	pgProc      = 1255
	pgType      = 1247
)

func objectTag(class uint64, id uint32) lock.Tag {
	return lock.Tag{Class: lock.Object, Space: class, Key: uint64(id)}
}

// wholeCatalog is the lock of who changes the catalog of several processes.
var wholeCatalog = objectTag(pgDatabase, catalog.DatabaseID)

// schemaTag is the lock of a schema of a database. Each database has a schema of the same number.
func schemaTag(in, id uint32) lock.Tag {
	tag := objectTag(pgNamespace, id)
	tag.Database = in
	return tag
}

// tagOf is the lock of an object of a database.
func tagOf(in uint32, o catalog.Object) lock.Tag {
	switch o := o.(type) {
	case *catalog.Schema:
		return schemaTag(in, o.ID)
	case *catalog.Role:
		return objectTag(pgAuthID, o.ID)
	case *catalog.Database:
		return objectTag(pgDatabase, o.ID)
	case *catalog.Statistics:
		return objectTag(pgStatistic, o.ID)
	case *catalog.Extension:
		tag := objectTag(pgExtension, o.ID)
		tag.Database = in
		return tag
	case *catalog.Function:
		return objectTag(pgProc, o.ID)
	case *catalog.Type:
		return objectTag(pgType, o.ID)
	case *catalog.Plain:
		return objectTag(uint64(o.Class()), o.ID)
	case catalog.Relation:
		return lock.Relation(o.Ref().ID)
	}
	return wholeCatalog
}

// objectName is a name that one object of a class has alone in a database, or in all.
type objectName struct {
	in           uint32
	class        uint64
	schema, name string
}

func nameOf(in uint32, o catalog.Object) objectName {
	switch o := o.(type) {
	case *catalog.Schema:
		return objectName{in: in, class: pgNamespace, name: o.Name}
	case *catalog.Role:
		return objectName{class: pgAuthID, name: o.Name}
	case *catalog.Database:
		return objectName{class: pgDatabase, name: o.Name}
	case *catalog.Statistics:
		return objectName{in, pgStatistic, o.Schema, o.Name}
	case *catalog.Extension:
		return objectName{in: in, class: pgExtension, name: o.Name}
	case *catalog.Function:
		return objectName{in, pgProc, o.Schema, fmt.Sprintf("%s%v", o.Name, o.ArgTypes())}
	case *catalog.Type:
		return objectName{in, pgType, o.Schema, o.Name}
	case *catalog.Plain:
		return objectName{in, uint64(o.Class()), o.Schema, o.Key()}
	case catalog.Relation:
		return objectName{in, pgClass, o.Ref().Schema, o.Ref().Name}
	}
	return objectName{}
}

func (n objectName) tag() lock.Tag {
	return catalogKey("name %d %d %q.%q", n.in, n.class, n.schema, n.name)
}

// descriptorOf is the lock of the descriptor of an object of a database.
func descriptorOf(in uint32, o catalog.Object) lock.Tag {
	of := tagOf(in, o)
	return catalogKey("descriptor %d %d %d", of.Database, of.Space, of.Key)
}

// catalogKey is the lock of a key of the catalog.
func catalogKey(format string, parts ...any) lock.Tag {
	h := fnv.New64a()
	fmt.Fprintf(h, format, parts...)
	return lock.Tag{Class: lock.Row, Space: uint64(catalogstore.SpaceID), Key: h.Sum64()}
}

// present is the object of a catalog in the place of one, nil for none.
func present(snap *catalog.Snapshot, o catalog.Object) catalog.Object {
	var there catalog.Object
	switch o := o.(type) {
	case *catalog.Schema:
		if s := snap.SchemaByID(o.ID); s != nil {
			there = s
		}
	case *catalog.Role:
		if r := snap.RoleByID(o.ID); r != nil {
			there = r
		}
	case *catalog.Statistics:
		if x := snap.StatisticsByID(o.ID); x != nil {
			there = x
		}
	case *catalog.Extension:
		if x := snap.ExtensionByID(o.ID); x != nil {
			there = x
		}
	case *catalog.Function:
		if f := snap.FunctionByID(o.ID); f != nil {
			there = f
		}
	case *catalog.Type:
		if t := snap.TypeByID(o.ID); t != nil {
			there = t
		}
	case *catalog.Plain:
		if p := snap.PlainByID(o.ID); p != nil {
			there = p
		}
	case *catalog.Database:
		if d := snap.DatabaseByID(o.ID); d != nil {
			there = d
		}
	case catalog.Relation:
		there, _ = snap.ByID(o.Ref().ID).(catalog.Object)
	}
	return there
}

// references are the locks of what an object refers to.
func references(snap *catalog.Snapshot, o catalog.Object) (out []lock.Tag) {
	role := func(id uint32) {
		if id != catalog.Public && id != catalog.BootstrapID {
			out = append(out, objectTag(pgAuthID, id))
		}
	}
	relation := func(id uint32) {
		if id != 0 {
			out = append(out, lock.Relation(id))
		}
	}
	uses := func(list []catalog.Use) {
		for _, u := range list {
			if u.Function {
				out = append(out, objectTag(pgProc, u.ID))
			} else {
				relation(u.ID)
			}
		}
	}
	if owned, ok := o.(catalog.Owned); ok {
		rights := catalog.RightsOf(owned)
		for id := range rights.Named() {
			role(id)
		}
	}
	if r, ok := o.(catalog.Relation); ok {
		if s := snap.Schema(r.Ref().Schema); s != nil {
			out = append(out, schemaTag(snap.Database().ID, s.ID))
		}
	}
	switch o := o.(type) {
	case *catalog.Role:
		for _, m := range o.MemberOf {
			role(m.Role)
		}
	case *catalog.View:
		uses(o.Uses)
		for _, c := range o.Columns {
			out = append(out, typeLocks(snap, c.Type)...)
		}
	case *catalog.Sequence:
		relation(o.OwnerTable)
	case *catalog.Statistics:
		relation(o.Table)
	case *catalog.Type:
		out = append(out, belowLocks(snap, o)...)
	case *catalog.Function:
		uses(o.Uses)
		out = append(out, signatureLocks(snap, o)...)
	case *catalog.Table:
		if o.Materialized != nil {
			uses(o.Materialized.Query.Uses)
		}
		if o.PartitionOf != nil {
			relation(o.PartitionOf.Parent)
		}
		for _, parent := range o.Inherits.Of() {
			relation(parent)
		}
		out = append(out, typedLocks(o)...)
		for _, c := range o.Columns {
			out = append(out, typeLocks(snap, c.Type)...)
			for _, u := range c.DefaultUses {
				relation(u.ID)
			}
		}
	}
	return append(out, plainLocks(snap, o)...)
}

// signatureLocks are those of the types of a function's parameters and of its result.
func signatureLocks(snap *catalog.Snapshot, f *catalog.Function) []lock.Tag {
	out := typeLocks(snap, f.Result)
	for _, p := range f.Params {
		out = append(out, typeLocks(snap, p.Type)...)
	}
	return out
}

// plainLocks are those of the functions and types of an operator or the like, none of other objects.
func plainLocks(snap *catalog.Snapshot, o catalog.Object) (out []lock.Tag) {
	p, ok := o.(*catalog.Plain)
	if !ok {
		return nil
	}
	for _, id := range p.Functions() {
		if snap.FunctionByID(id) != nil {
			out = append(out, objectTag(pgProc, id))
		}
	}
	for _, id := range p.Relations() {
		if snap.ByID(id) != nil {
			out = append(out, lock.Relation(id))
		}
	}
	for _, t := range p.Types() {
		out = append(out, typeLocks(snap, snap.Defined(types.Of(t)))...)
	}
	return out
}

// belowLocks are those of what a domain or a type of ranges is over.
func belowLocks(snap *catalog.Snapshot, t *catalog.Type) []lock.Tag {
	if t.Range != nil {
		return typeLocks(snap, t.Range.Subtype)
	}
	return typeLocks(snap, t.AsColumn().Type)
}

// typedLocks are the locks of the composite type that a table has its columns from.
func typedLocks(t *catalog.Table) []lock.Tag {
	if t.OfType == 0 {
		return nil
	}
	return []lock.Tag{objectTag(pgType, t.OfType)}
}

// typeLocks are the locks of the user's type that a type is, or is an array of; none of another one.
func typeLocks(snap *catalog.Snapshot, t types.T) []lock.Tag {
	if of, _ := snap.TypeOf(t.Number()); of != nil {
		return []lock.Tag{objectTag(pgType, of.ID)}
	}
	return nil
}
