package database

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/large"
	"zproxy/catalog/renumber"
	"zproxy/cluster"
	"zproxy/sqlerr"
	"zproxy/store"
)

// copying makes a database as a copy of another one: its objects with other numbers, the items of their spaces in new
// spaces, and its large objects. The spaces are filled by transactions of their own, and belong to nothing until one
// commit makes the database with all its objects; should the process die before, they are taken away like those of any
// other change. The other database stands still meanwhile.
type copying struct {
	*Definer
	from *catalog.Snapshot
	to   *catalog.Database
	next map[uint64]uint64 // the numbers of the copy
	// builds make entries of indexes when there are rows.
	builds []func(context.Context) error
}

// copied makes a database as a copy of another one.
func (d *Definer) copied(ctx context.Context, from, to *catalog.Database) error {
	plain, err := d.plain(ctx, from)
	if err != nil {
		return err
	}
	if plain {
		return d.Txn.Put(ctx, to)
	}
	release, others, err := d.Server.Alone(ctx, from.ID, false)
	if err != nil {
		return err
	}
	defer release()
	if others == 0 {
		others, err = cluster.Vacate(ctx, d.Txn, from.ID, false)
	}
	if err == nil && others > 0 {
		err = inUse("source database", d.DatabaseNames.Of(d.Schema(), from), others)
	}
	if err != nil {
		return err
	}
	standing, err := cluster.Standing(ctx, d.Txn, from.ID)
	if err != nil {
		return err
	}
	return (&copying{Definer: d, from: standing, to: to}).run(ctx)
}

// plain says whether a database that is always there has nothing but what every database has: others may be in it.
func (d *Definer) plain(ctx context.Context, from *catalog.Database) (bool, error) {
	if !from.BuiltIn() || len(own(d.Node.Whole().In(from.ID))) > 0 {
		return false, nil
	}
	txn, err := d.Node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return false, fmt.Errorf("copying a database: %w", err)
	}
	defer txn.Rollback()
	for _, err := range (large.Objects{Txn: txn, Database: from.ID}).All(ctx) {
		return false, err
	}
	return true, nil
}

// own are the objects of a database that are to be copied: those that it does not have from the beginning, or has
// otherwise, and that do not end with a session.
func own(snap *catalog.Snapshot) []catalog.Object {
	begins := catalog.NewSnapshot().Objects()
	return slices.DeleteFunc(snap.Objects(), func(o catalog.Object) bool {
		schema := ""
		switch o := o.(type) {
		case *catalog.Schema:
			schema = o.Name
		case catalog.Relation:
			schema = o.Ref().Schema
		}
		return strings.HasPrefix(schema, catalog.TemporaryPrefix) ||
			slices.ContainsFunc(begins, func(b catalog.Object) bool { return reflect.DeepEqual(b, o) })
	})
}

// run makes the copy.
func (c *copying) run(ctx context.Context) error {
	objects, err := c.objects(ctx)
	if err != nil {
		return err
	}
	whole := c.Node.Whole().With(c.Txn.Changed().Snap.With(c.to)).Beginning(c.to.ID, objects)
	i, err := c.items(ctx)
	if err != nil {
		return err
	}
	defer i.end()
	if err := c.rows(ctx, i, whole.In(c.to.ID)); err != nil {
		return err
	}
	if err := c.largeObjects(ctx, i.read); err != nil {
		return err
	}
	return cluster.MakeDatabase(ctx, c.Txn, c.to, objects)
}

// objects are those of the copy.
func (c *copying) objects(ctx context.Context) (out []catalog.Object, err error) {
	for _, o := range own(c.from) {
		next, err := catalogstore.Copy(o)
		if err == nil {
			err = c.asItIs(ctx, o, next)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	if c.from.SchemaByID(catalog.PublicID) == nil {
		out = append(out, &catalog.Schema{ID: catalog.PublicID}) // it was dropped
	}
	held := renumber.Held(out, func(number uint64) bool {
		return c.from.RoleByID(uint32(number)) != nil || c.from.DatabaseByID(uint32(number)) != nil
	})
	defaults := slices.Clone(c.from.Database().Defaults) // the database itself keeps them
	first, err := c.Node.NextIDs(ctx, len(held)+len(defaults))
	if err != nil {
		return nil, err
	}
	for i := range defaults {
		defaults[i].ID = uint32(first) + uint32(len(held)+i)
	}
	c.to.Defaults = defaults
	c.next = make(map[uint64]uint64, len(held))
	for i, number := range held { // in their order, by which objects may go
		c.next[number] = first + uint64(i)
	}
	renumber.Apply(out, c.next)
	return out, nil
}

// asItIs gives an object of the copy what is not in the descriptor of the other one: a sequence begins where that is,
// and an index that is on its way to another state would have to be built.
func (c *copying) asItIs(ctx context.Context, from, to catalog.Object) error {
	switch to := to.(type) {
	case *catalog.Sequence:
		state, err := c.Node.StateOf(ctx, from.(*catalog.Sequence))
		to.From, to.FromCalled = state.Last, state.Called
		return err
	case *catalog.Table:
		for i := range to.Indexes {
			if x := &to.Indexes[i]; !x.State.Reads() {
				x.State = catalog.Disabled
			}
		}
	}
	return nil
}

// rows copies the rows of all tables, and the entries of their indexes.
func (c *copying) rows(ctx context.Context, i *items, to *catalog.Snapshot) error {
	tables := slices.DeleteFunc(to.Tables(), func(t *catalog.Table) bool { return !t.Kept() })
	for _, t := range tables {
		if err := c.Txn.CreateSpaces(ctx, t); err != nil {
			return err
		}
	}
	for _, t := range tables {
		from := c.from.Table(t.Schema, t.Name)
		if from == nil {
			return sqlerr.New(sqlerr.InternalError, "table %q is in the copy alone", t.Name)
		}
		if err := c.table(ctx, i, from, to, t); err != nil {
			return err
		}
	}
	if err := i.write.Commit(ctx); err != nil {
		return err
	}
	for _, build := range c.builds {
		if err := build(ctx); err != nil {
			return err
		}
	}
	return nil
}

// largeObjects copies the large objects, which keep their numbers.
func (c *copying) largeObjects(ctx context.Context, read store.Txn) error {
	from := large.Objects{Txn: read, Database: c.from.Database().ID}
	return from.CopyTo(ctx, func() (large.Objects, error) {
		to, err := cluster.LargeObjects(ctx, c.Txn, true)
		to.Database = c.to.ID
		return to, err
	})
}
