package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
)

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
