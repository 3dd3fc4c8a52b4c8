package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// typed does to the tables that have their columns from a composite type what is done to its attributes.
type typed struct{ *Definer }

// alterType runs ALTER TYPE ... ADD, DROP or ALTER ATTRIBUTE.
func (d typed) alterType(ctx context.Context, tree *ast.AlterComposite) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	composites := ddl.Composites{Definer: d.Definer.Definer.Definer}
	tables, err := composites.Alterable(tree)
	if err != nil {
		return err
	}
	for _, cmd := range tree.Commands {
		if err := composites.Alter(ctx, tree.Name, cmd); err != nil {
			return err
		}
		for _, t := range tables {
			t = d.Txn.Changed().Snap.ByID(t.ID).(*catalog.Table)
			if err := d.alterWithPartitions(ctx, t, cmd, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseTyped refuses what would make a table unlike the type that it is of.
func refuseTyped(t *catalog.Table, cmd ast.AlterCommand) error {
	if t.OfType == 0 {
		return nil
	}
	action := ""
	switch cmd.Kind {
	case ast.AddColumn:
		action = "add column to"
	case ast.DropColumn:
		action = "drop column from"
	case ast.SetType:
		action = "alter column type of"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot %s typed table", action)
}

// notOfType makes a table of a composite type one that has its columns itself.
func notOfType(t *catalog.Table) (*catalog.Table, error) {
	if t.OfType == 0 {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a typed table", t.Name)
	}
	out := *t
	out.Version++
	out.OfType = 0
	return &out, nil
}
