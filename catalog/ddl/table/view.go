package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// viewOf finds the view that an ALTER VIEW changes, or an ALTER TABLE with nothing but commands that views have.
func viewOf(d *Definer, snap *catalog.Snapshot, tree *ast.AlterTable) (*catalog.View, bool, error) {
	r, err := d.Planner(snap).Relation(tree.Table)
	if err != nil {
		return nil, false, err
	}
	v, ok := r.(*catalog.View)
	switch {
	case tree.View && r != nil && !ok:
		return nil, false, sqlerr.New(sqlerr.WrongObjectType, "%q is not a view", tree.Table.Name)
	case !ok || tree.Foreign:
		return nil, false, nil
	}
	for _, cmd := range tree.Commands {
		if !ofViews(cmd.Kind) {
			return nil, false, nil
		}
	}
	return v, true, d.MustOwn(snap, v)
}

func ofViews(k ast.AlterKind) bool {
	return k == ast.SetOptions || k == ast.ResetOptions || k == ast.SetDefault || k == ast.DropDefault
}

// alterView runs commands of ALTER VIEW, one after the other.
func alterView(ctx context.Context, d *Definer, v *catalog.View, commands []ast.AlterCommand) error {
	for _, cmd := range commands {
		var err error
		if v, err = define.AlterView(d.Builder(ctx, d.Txn.Changed().Snap), v, cmd); err != nil {
			return err
		}
		if err := d.Txn.Put(ctx, v); err != nil {
			return err
		}
	}
	return nil
}
