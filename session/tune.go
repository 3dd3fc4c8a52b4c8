package session

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/store"
)

// indexOptions runs ALTER INDEX ... SET and RESET.
func (s *Session) indexOptions(ctx context.Context, tree *ast.IndexOptions, c Client) error {
	change, err := s.changes(ctx)
	if err != nil {
		return err
	}
	if skip, err := s.skips(c, tree.IfExists, tree.Index); skip || err != nil {
		return err
	}
	t, x, err := s.indexNamed(change.snap, tree.Index, nil, false, c)
	switch {
	case sqlerr.Has(err, sqlerr.UndefinedObject):
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", tree.Index.Name).At(int(tree.Index.Pos))
	case err != nil:
		return err
	case x == nil:
		return ofPrimaryKey("set parameters of", tree.Index.Name)
	}
	if err := s.refuseInUse("ALTER INDEX", t); err != nil {
		return err
	}
	if err := s.alone(ctx, t); err != nil {
		return err
	}
	for _, cmd := range tree.Commands {
		if x, err = planner.AlterIndexOptions(x, cmd.Options, cmd.Kind == ast.ResetOptions); err != nil {
			return err
		}
	}
	return s.tuned(ctx, t, t.WithIndex(*x))
}

// tuned puts a table whose options changed into the schema. A store that keeps spaces by them is
// told at once, as it would be too late at the end to refuse the statement. If the transaction is
// rolled back, the store stays as it was told.
func (s *Session) tuned(ctx context.Context, before, after *catalog.Table) error {
	if tuner, ok := s.db.store.(store.Tuner); ok {
		was := map[store.SpaceID]store.Space{}
		for _, space := range spacesOf(before) {
			was[space.ID] = space
		}
		for _, space := range spacesOf(after) {
			old, there := was[space.ID]
			if !there || old.Capacity == space.Capacity {
				continue
			}
			if err := tuner.Tune(ctx, &space); err != nil {
				return fmt.Errorf("tune %s: %w", space.Name, err)
			}
		}
	}
	return s.put(ctx, after)
}
