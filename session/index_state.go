package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// indexNamed finds an index and its table, and checks that the present role may change it. It
// gives none where IF EXISTS finds none. A nil table means that the name alone says which.
func (s *Session) indexNamed(snap *catalog.Snapshot, name ast.Name, table *ast.Name, ifExists bool, c Client) (*catalog.Table, *catalog.Index, error) {
	t, err := s.definer(nil).OwnerOf(snap, name, table)
	if err == nil && t == nil {
		err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
	}
	if err != nil && ifExists && sqlerr.Has(err, sqlerr.UndefinedObject) {
		return nil, nil, c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
	}
	if err == nil {
		err = s.statement(nil).MustOwn(snap, t)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, t.Index(name.Name), nil
}

// untilAgreed runs a statement about the build of an index again if a step of the build has written
// how far it is at the same time. In a block the client is told.
func (s *Session) untilAgreed(ctx context.Context, statement func() error) error {
	for try := 1; ; try++ {
		err := statement()
		if !errors.Is(err, store.ErrConflict) || s.txn.block || s.several || try == retry.Most {
			return err
		}
		s.rollback()
		if err := retry.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// ofPrimaryKey is the error of a statement that cannot be about the primary key: it is the table.
func ofPrimaryKey(what, name string) error {
	return sqlerr.New(sqlerr.WrongObjectType, "cannot %s the index %q of a primary key", what, name).
		WithDetail("It is the table itself.")
}

// alterIndex runs ALTER INDEX i ON t ACTIVE | DISABLED.
func (s *Session) alterIndex(ctx context.Context, tree *ast.AlterIndex, c Client) error {
	if err := s.notInBlock("ALTER INDEX ... " + map[ast.IndexAction]string{ast.ActivateIndex: "ACTIVE", ast.DisableIndex: "DISABLED"}[tree.Action]); err != nil {
		return err
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, x, err := s.indexNamed(change.Snap, tree.Index, &tree.Table, tree.IfExists, c)
	if err != nil || t == nil {
		return err
	}
	if tree.Action == ast.DisableIndex {
		return s.disableIndex(ctx, t, x, tree.Index.Name)
	}
	if x == nil || x.State.Reads() {
		return nil
	}
	if under, err := s.db.underWay(ctx, x.ID); err != nil || under {
		if err == nil {
			err = c.Notice(inBackground(x.Name))
		}
		return err
	}
	if x.State == catalog.Disabled {
		empty, err := s.empty(ctx, t)
		if err != nil {
			return err
		}
		if !empty {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q has no entries for the rows of table %q", x.Name, t.Name).
				WithDetail("Nobody has kept it since it was disabled, so queries by it would miss rows.").
				WithHint("Use BUILD INDEX %s ON %s, which fills it and then activates it.", expr.QuoteIdent(x.Name),
					expr.QuoteIdent(t.Name))
		}
	}
	return s.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Readable}, true)
}

// disableIndex ends the reading and the keeping of an index.
func (s *Session) disableIndex(ctx context.Context, t *catalog.Table, x *catalog.Index, name string) error {
	switch {
	case x == nil:
		return ofPrimaryKey("disable", name)
	case x.Constraint:
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot disable index %q because constraint %s on table %s requires it", x.Name, x.Name, t.Name).
			WithHint("Drop the constraint with ALTER TABLE %s DROP CONSTRAINT %s.", expr.QuoteIdent(t.Name),
				expr.QuoteIdent(x.Name))
	}
	txn, err := s.store(ctx, true)
	if err != nil {
		return err
	}
	b, err := catalogstore.ReadBuild(ctx, txn, x.ID)
	if err != nil || x.State == catalog.Disabled && (b == nil || b.Ended()) {
		return err
	}
	return s.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Disabled}, true)
}

// empty says whether a table has no rows.
func (s *Session) empty(ctx context.Context, t *catalog.Table) (bool, error) {
	txn, err := s.store(ctx, true)
	if err != nil {
		return false, err
	}
	return executor.Empty(ctx, txn, s.db.tables, t)
}

// buildIndex runs BUILD INDEX.
func (s *Session) buildIndex(ctx context.Context, tree *ast.BuildIndex, c Client) error {
	if err := s.notInBlock("BUILD INDEX"); err != nil {
		return err
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, x, err := s.indexNamed(change.Snap, tree.Index, &tree.Table, tree.IfExists, c)
	switch {
	case err != nil || t == nil:
		return err
	case x == nil:
		return ofPrimaryKey("build", tree.Index.Name)
	}
	return s.rebuild(ctx, t, x, tree.Timing == ast.Sync, c)
}

// rebuild fills an index anew in the background: in its place if no query reads it, otherwise beside it.
func (s *Session) rebuild(ctx context.Context, t *catalog.Table, x *catalog.Index, wait bool, c Client) error {
	b := &catalog.Build{Index: x.ID, Goal: catalog.Readable}
	name := x.Name
	if x.State.Reads() {
		beside, err := s.beside(ctx, t, x)
		if err != nil {
			return err
		}
		t = t.WithNewIndex(beside)
		b.Index, b.Replaces = beside.ID, x.ID
	}
	if err := s.startBuild(ctx, t, b, wait); err != nil || wait {
		return err
	}
	return c.Notice(inBackground(name))
}

// beside is a copy of an index that will take its place. Its space is another one: that of the
// index is being read.
func (s *Session) beside(ctx context.Context, t *catalog.Table, x *catalog.Index) (catalog.Index, error) {
	next := s.statement(nil).NextID(ctx)
	id, err := next()
	if err != nil {
		return catalog.Index{}, err
	}
	space, err := next()
	if err != nil {
		return catalog.Index{}, err
	}
	c := *x
	c.ID, c.Name, c.Constraint, c.Comment = uint32(id), besideName(t, x.Name), false, ""
	c.Space = catalog.NewSpace(space, t.Schema, t.Name, c.Name)
	return c, nil
}

// besideName is a free name for an index that will take the place of another one, as PostgreSQL
// names it.
func besideName(t *catalog.Table, name string) string {
	out := name + "_ccnew"
	for i := 1; t.Index(out) != nil; i++ {
		out = fmt.Sprintf("%s_ccnew%d", name, i)
	}
	return out
}

// inBackground tells that a build goes on by itself.
func inBackground(index string) *sqlerr.Error {
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "index %q is being built in the background", index).
		WithHint("SELECT * FROM zproxy.index_builds shows how far it is. Queries use the index when it is done.")
}

// startBuild keeps a build with its table, commits, and begins it. It may wait for the end.
func (s *Session) startBuild(ctx context.Context, t *catalog.Table, b *catalog.Build, wait bool) error {
	b.Table, b.Total, b.Started = t.ID, int64(t.Stats.Rows), time.Now().Unix()
	b.Rate, b.Owner = s.settings.BuildRate, s.db.MemberID()
	if err := s.txn.AloneHere(ctx, t.ID, false); err != nil {
		return err
	}
	if err := s.txn.Put(ctx, t); err != nil {
		return err
	}
	txn, err := s.store(ctx, true)
	if err == nil {
		err = followOn(ctx, txn, t, b)
	}
	if err == nil {
		err = catalogstore.PutBuild(txn, b)
	}
	if err == nil {
		err = s.commit(ctx)
	}
	if err != nil {
		return err
	}
	ended := s.db.build(b.Index)
	if !wait {
		return nil
	}
	return s.awaitBuild(ctx, b.Index, ended)
}

// passing is the build of an index that will be no more when it has ended: it goes, or takes the
// place of another one. nil: that is not what becomes of the index.
func passing(ctx context.Context, txn store.Txn, index uint32) (*catalog.Build, error) {
	b, err := catalogstore.ReadBuild(ctx, txn, index)
	if err != nil || b == nil || b.Ended() || b.Replaces == 0 && !b.Drop {
		return nil, err
	}
	return b, nil
}

// followOn makes a build that of an index of which another one may not have ended.
func followOn(ctx context.Context, txn store.Txn, t *catalog.Table, b *catalog.Build) error {
	old, err := passing(ctx, txn, b.Index)
	switch {
	case err != nil || old == nil:
		return err
	case b.Drop:
		return nil
	case old.Drop:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q is being dropped", t.IndexByID(b.Index).Name)
	case b.Goal == catalog.Readable:
		b.Replaces = old.Replaces
	default:
		b.Drop = true
	}
	return nil
}

// awaitBuild waits for the end of a build, and says why it failed.
func (s *Session) awaitBuild(ctx context.Context, index uint32, ended <-chan struct{}) error {
	err := s.db.waits(func() error {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return err
	}
	var b *catalog.Build
	err = s.db.Apart(ctx, func(txn store.Txn) (err error) {
		b, err = catalogstore.ReadBuild(ctx, txn, index)
		return err
	})
	if err != nil || b == nil || b.Failed == "" {
		return err
	}
	failed := sqlerr.New(sqlerr.Code(b.Code), "%s", b.Failed)
	failed.Detail = b.Detail
	return failed
}

// createLater puts an index into the schema that is filled in the background.
func (s *Session) createLater(ctx context.Context, t *catalog.Table, x *catalog.Index, c Client) error {
	out := t.WithNewIndex(*x)
	if err := s.startBuild(ctx, out, &catalog.Build{Index: x.ID, Goal: catalog.Readable}, false); err != nil {
		return err
	}
	if err := c.Notice(inBackground(x.Name)); err != nil {
		return err
	}
	return s.adviseIndex(c, out, x, advice.Known{Stats: t.Stats, Later: true})
}
