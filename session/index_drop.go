package session

import (
	"context"
	"fmt"
	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

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
		t, err := s.definer(nil).OwnerOf(s.txn.Changed().Snap, name, tree.Table)
		if err == nil && t == nil {
			_, err = s.definer(nil).ToDrop(s.txn.Changed().Snap, ast.IndexObject, name)
			if err == nil {
				err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
			}
		}
		switch {
		case err != nil && tree.IfExists && sqlerr.From(err).Code == sqlerr.UndefinedObject:
			err = c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
		case err == nil:
			if err = s.statement(nil).MustOwnToDrop(s.txn.Changed().Snap, catalog.TableIndex{Table: t, Index: t.Index(name.Name)}); err == nil {
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
		owner := fmt.Sprintf("constraint %s on %s", name, s.definer(nil).Describe(s.txn.Changed().Snap, ddl.Target{Object: t}))
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
