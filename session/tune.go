package session

import (
	"context"
	"fmt"
	"maps"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
)

// defaultsOn are the settings that sessions begin with on a store: those given, and defaults of its own.
func defaultsOn(c store.Capabilities, given map[string]string) map[string]string {
	out := map[string]string{}
	if c.Units {
		out[settings.FullScanName] = settings.RefuseFullScan // each key that is read costs money
	}
	if c.Expires {
		out[settings.TTLIntervalName] = "0"
	}
	maps.Copy(out, given)
	return out
}

// indexOptions runs ALTER INDEX ... SET and RESET.
func (s *Session) indexOptions(ctx context.Context, tree *ast.IndexOptions, c Client) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	if skip, err := s.definer(c).Skips(tree.IfExists, tree.Index); skip || err != nil {
		return err
	}
	t, x, err := s.indexNamed(change.Snap, tree.Index, nil, false, c)
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
	if err := s.txn.Alone(ctx, t); err != nil {
		return err
	}
	for _, cmd := range tree.Commands {
		if x, err = define.AlterIndexOptions(x, cmd.Options, cmd.Kind == ast.ResetOptions); err != nil {
			return err
		}
	}
	return s.tuned(ctx, t, t.WithIndex(*x))
}

// tuned puts a table whose options changed into the schema. A store that keeps spaces by them is
// told at once, as it would be too late at the end to refuse the statement. If the transaction is
// rolled back, the store stays as it was told.
func (s *Session) tuned(ctx context.Context, before, after *catalog.Table) error {
	if tuner, ok := s.db.Store.(store.Tuner); ok {
		was := map[store.SpaceID]store.Space{}
		for _, space := range cluster.SpacesOf(before) {
			was[space.ID] = space
		}
		for _, space := range cluster.SpacesOf(after) {
			old, there := was[space.ID]
			if !there || old.Capacity == space.Capacity && sameDue(old.Due, space.Due) {
				continue
			}
			if err := tuner.Tune(ctx, &space); err != nil {
				return fmt.Errorf("tune %s: %w", space.Name, err)
			}
		}
	}
	return s.txn.Put(ctx, after)
}

// sameDue says whether a store that was told one has to be told the other.
func sameDue(a, b *store.Due) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Number == b.Number
}
