package index

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// indexNamed finds an index and its table, and checks that the present role may change it. It
// gives none where IF EXISTS finds none. A nil table means that the name alone says which.
func (d *Definer) indexNamed(snap *catalog.Snapshot, name ast.Name, table *ast.Name, ifExists bool) (*catalog.Table,
	*catalog.Index, error) {
	t, err := d.OwnerOf(snap, name, table)
	if err == nil && t == nil {
		err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
	}
	if err != nil && ifExists && sqlerr.Has(err, sqlerr.UndefinedObject) {
		return nil, nil, d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
	}
	if err == nil {
		err = d.MustOwn(snap, t)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, t.Index(name.Name), nil
}

// ofPrimaryKey is the error of a statement that cannot be about the primary key: it is the table.
func ofPrimaryKey(what, name string) error {
	return sqlerr.New(sqlerr.WrongObjectType, "cannot %s the index %q of a primary key", what, name).
		WithDetail("It is the table itself.")
}

// alterIndex runs ALTER INDEX i ON t ACTIVE | DISABLED.
func (d *Definer) alterIndex(ctx context.Context, tree *ast.AlterIndex) error {
	if err := d.Block.NotIn("ALTER INDEX ... " + map[ast.IndexAction]string{ast.ActivateIndex: "ACTIVE",
		ast.DisableIndex: "DISABLED"}[tree.Action]); err != nil {
		return err
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, x, err := d.indexNamed(change.Snap, tree.Index, &tree.Table, tree.IfExists)
	if err != nil || t == nil {
		return err
	}
	if tree.Action == ast.DisableIndex {
		return d.disableIndex(ctx, t, x, tree.Index.Name)
	}
	if x == nil || x.State.Reads() {
		return nil
	}
	if under, err := d.Builds.UnderWay(ctx, x.ID); err != nil || under {
		if err == nil {
			err = d.Notice(inBackground(x.Name))
		}
		return err
	}
	if x.State == catalog.Disabled {
		empty, err := d.empty(ctx, t)
		if err != nil {
			return err
		}
		if !empty {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q has no entries for the rows of table %q",
				x.Name, t.Name).
				WithDetail("It has not been maintained since it was disabled, so queries by it would miss rows.").
				WithHint("Use BUILD INDEX %s ON %s, which fills it and then activates it.", expr.QuoteIdent(x.Name),
					expr.QuoteIdent(t.Name))
		}
	}
	return d.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Readable}, true)
}

// disableIndex ends the reading and the keeping of an index.
func (d *Definer) disableIndex(ctx context.Context, t *catalog.Table, x *catalog.Index, name string) error {
	switch {
	case x == nil:
		return ofPrimaryKey("disable", name)
	case x.Constraint:
		return sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot disable index %q because constraint %s on table %s requires it", x.Name, x.Name, t.Name).
			WithHint("Drop the constraint with ALTER TABLE %s DROP CONSTRAINT %s.", expr.QuoteIdent(t.Name),
				expr.QuoteIdent(x.Name))
	}
	txn, err := d.Txn.Store(ctx, true)
	if err != nil {
		return err
	}
	b, err := catalogstore.ReadBuild(ctx, txn, x.ID)
	if err != nil || x.State == catalog.Disabled && (b == nil || b.Ended()) {
		return err
	}
	return d.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Disabled}, true)
}

// empty says whether a table has no rows.
func (d *Definer) empty(ctx context.Context, t *catalog.Table) (bool, error) {
	txn, err := d.Txn.Store(ctx, true)
	if err != nil {
		return false, err
	}
	return executor.Empty(ctx, txn, d.Tables, t)
}

// buildIndex runs BUILD INDEX.
func (d *Definer) buildIndex(ctx context.Context, tree *ast.BuildIndex) error {
	if err := d.Block.NotIn("BUILD INDEX"); err != nil {
		return err
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, x, err := d.indexNamed(change.Snap, tree.Index, &tree.Table, tree.IfExists)
	switch {
	case err != nil || t == nil:
		return err
	case x == nil:
		return ofPrimaryKey("build", tree.Index.Name)
	}
	return d.rebuild(ctx, t, x, tree.Timing == ast.Sync)
}

// rebuild fills an index anew in the background: in its place if no query reads it, otherwise beside it.
func (d *Definer) rebuild(ctx context.Context, t *catalog.Table, x *catalog.Index, wait bool) error {
	b := &catalog.Build{Index: x.ID, Goal: catalog.Readable}
	name := x.Name
	if x.State.Reads() {
		txn, err := d.Txn.Store(ctx, true)
		if err == nil {
			err = notReplaced(ctx, txn, t, func(b *catalog.Build) bool { return b.Replaces == x.ID && relays(b) })
		}
		if err != nil {
			return err
		}
		replacement, err := d.replacement(ctx, t, x)
		if err != nil {
			return err
		}
		t = t.WithNewIndex(replacement)
		b.Index, b.Replaces = replacement.ID, x.ID
	}
	if err := d.startBuild(ctx, t, b, wait); err != nil || wait {
		return err
	}
	return d.Notice(inBackground(name))
}

// replacement is a copy of an index that will take its place. Its space is another one: that of the
// index is being read.
func (d *Definer) replacement(ctx context.Context, t *catalog.Table, x *catalog.Index) (catalog.Index, error) {
	next := d.NextID(ctx)
	id, err := next()
	if err != nil {
		return catalog.Index{}, err
	}
	space, err := next()
	if err != nil {
		return catalog.Index{}, err
	}
	name := replacementName(t, x.Name)
	c := x.In(catalog.NewSpace(space, t.Schema, t.Name, name))
	c.ID, c.Name, c.Constraint, c.Comment = uint32(id), name, false, ""
	return c, nil
}

// replacementName is a free name for an index that will take the place of another one, as PostgreSQL
// names it.
func replacementName(t *catalog.Table, name string) string {
	out := name + "_ccnew"
	for i := 1; t.Index(out) != nil; i++ {
		out = fmt.Sprintf("%s_ccnew%d", name, i)
	}
	return out
}
