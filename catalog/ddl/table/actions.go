package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// otherKinds are the kinds of relations that are no tables and that an action of ALTER TABLE is for, as in PostgreSQL.
var otherKinds = map[string][]catalog.Kind{
	"ADD COLUMN":                       {catalog.ForeignKind},
	"ALTER COLUMN ... SET DEFAULT":     {catalog.ViewKind, catalog.ForeignKind},
	"ALTER COLUMN ... ADD IDENTITY":    {catalog.ViewKind, catalog.ForeignKind},
	"ALTER COLUMN ... DROP IDENTITY":   {catalog.ViewKind, catalog.ForeignKind},
	"ALTER COLUMN ... DROP NOT NULL":   {catalog.ForeignKind},
	"ALTER COLUMN ... SET NOT NULL":    {catalog.ForeignKind},
	"ALTER COLUMN ... DROP EXPRESSION": {catalog.ForeignKind},
	"ALTER COLUMN ... SET STATISTICS":  {catalog.MaterializedKind, catalog.IndexKind, catalog.ForeignKind},
	"ALTER COLUMN ... SET":             {catalog.MaterializedKind, catalog.ForeignKind},
	"ALTER COLUMN ... RESET":           {catalog.MaterializedKind, catalog.ForeignKind},
	"ALTER COLUMN ... SET STORAGE":     {catalog.MaterializedKind, catalog.ForeignKind},
	"ALTER COLUMN ... SET COMPRESSION": {catalog.MaterializedKind},
	"ALTER COLUMN ... SET DATA TYPE":   {catalog.ForeignKind},
	"ALTER COLUMN ... OPTIONS":         {catalog.ForeignKind},
	"DROP COLUMN":                      {catalog.ForeignKind},
	"ADD CONSTRAINT":                   {catalog.ForeignKind},
	"DROP CONSTRAINT":                  {catalog.ForeignKind},
	"VALIDATE CONSTRAINT":              {catalog.ForeignKind},
	"CLUSTER ON":                       {catalog.MaterializedKind},
	"SET WITHOUT CLUSTER":              {catalog.MaterializedKind},
	"SET ACCESS METHOD":                {catalog.MaterializedKind},
	"SET LOGGED":                       {catalog.SequenceKind},
	"SET UNLOGGED":                     {catalog.SequenceKind},
	"SET WITHOUT OIDS":                 {catalog.ForeignKind},
	"SET TABLESPACE":                   {catalog.MaterializedKind, catalog.IndexKind},
	"SET":                              {catalog.ViewKind, catalog.MaterializedKind, catalog.IndexKind},
	"RESET":                            {catalog.ViewKind, catalog.MaterializedKind, catalog.IndexKind},
	"INHERIT":                          {catalog.ForeignKind},
	"NO INHERIT":                       {catalog.ForeignKind},
	"REPLICA IDENTITY":                 {catalog.MaterializedKind},
	"ENABLE TRIGGER":                   {catalog.ForeignKind},
	"ENABLE ALWAYS TRIGGER":            {catalog.ForeignKind},
	"ENABLE REPLICA TRIGGER":           {catalog.ForeignKind},
	"ENABLE TRIGGER ALL":               {catalog.ForeignKind},
	"ENABLE TRIGGER USER":              {catalog.ForeignKind},
	"DISABLE TRIGGER":                  {catalog.ForeignKind},
	"DISABLE TRIGGER ALL":              {catalog.ForeignKind},
	"DISABLE TRIGGER USER":             {catalog.ForeignKind},
	"OPTIONS":                          {catalog.ForeignKind},
}

// onlyForeign are the actions that are not for tables.
var onlyForeign = []string{"OPTIONS", "ALTER COLUMN ... OPTIONS"}

// suits refuses an action of ALTER TABLE that is not for a relation of its kind.
func suits(r catalog.Ref, action string) error {
	of, plural := otherKinds[action], string(r.Kind)+"s"
	switch {
	case r.Kind == catalog.TableKind && !slices.Contains(onlyForeign, action), slices.Contains(of, r.Kind):
		return nil
	case r.Kind == catalog.IndexKind:
		plural = "indexes"
	}
	return sqlerr.New(sqlerr.WrongObjectType, "ALTER action %s cannot be performed on relation %q", action, r.Name).
		WithDetail("This operation is not supported for %s.", plural)
}

// altered is the relation that ALTER TABLE is about, if it is of the kind that the statement names and all commands are
// for such relations.
func altered(d *Definer, snap *catalog.Snapshot, tree *ast.AlterTable) (catalog.Relation, error) {
	r, err := d.Planner(snap).Relation(tree.Table)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, bind.NoRelation(tree.Table)
	}
	if v, ok := r.(*catalog.Virtual); ok {
		return nil, bind.SystemRelation(v)
	}
	if err := d.MustOwnRelation(snap, r); err != nil {
		return nil, err
	}
	if err := ddl.OfKind(r, tree.Kind); err != nil {
		return nil, err
	}
	for _, action := range tree.Actions {
		if err := suits(r.Ref(), action); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// alterOther runs ALTER TABLE of a relation that is no table.
func alterOther(ctx context.Context, d *Definer, r catalog.Relation, tree *ast.AlterTable) error {
	switch r := r.(type) {
	case *catalog.View:
		if err := alterView(ctx, d, r, tree.Commands); err != nil || tree.Owner == nil {
			return err
		}
		return d.Definer.Definer.Run(ctx, passed(tree, r.Ref()))
	case catalog.TableIndex:
		changes := slices.DeleteFunc(slices.Clone(tree.Commands),
			func(cmd ast.AlterCommand) bool { return cmd.Kind == ast.Nothing })
		if len(changes) > 0 {
			return d.Definer.Run(ctx, &ast.IndexOptions{Index: tree.Table, Commands: changes})
		}
	}
	return nil
}
