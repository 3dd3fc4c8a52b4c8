package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
)

// relay runs ALTER TABLE ... SET and RESET of options that make the keys of a table with a primary key, while others
// read and write it.
func (d *Definer) relay(ctx context.Context, b define.Builder, t *catalog.Table, cmd ast.AlterCommand) error {
	if err := d.Block.NotIn("ALTER TABLE ... SET (" + cmd.Options[0].Name + ")"); err != nil {
		return err
	}
	a := define.Alter{Builder: b, Table: t, Now: d.Now()}
	to, err := a.Relay(cmd.Options, cmd.Kind == ast.SetOptions)
	if err != nil {
		return err
	}
	return d.Relay(ctx, t, t.KeyID, to)
}
