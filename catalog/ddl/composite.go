package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/lineage"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// createComposite makes a composite type.
func (d userTypes) createComposite(ctx context.Context, tree *ast.CreateComposite) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	n := tree.Name
	n.Pos = -1
	schema, err := d.newName(ctx, n)
	if err == nil {
		_, _, err = d.NewRelation(ctx, n, false)
	}
	if err != nil {
		return err
	}
	t := &catalog.Type{Schema: schema, Name: n.Name, Composite: true}
	t.Rights = privilege.New(change.Snap, t, d.Role)
	b := d.Builder(ctx, change.Snap)
	for _, f := range tree.Fields {
		if t.Field(f.Name) >= 0 {
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", f.Name)
		}
		if t, err = define.AddField(b, t, f); err != nil {
			return err
		}
	}
	t.Version = 0
	if t.ID, err = d.newID(ctx); err != nil {
		return err
	}
	return d.Txn.Put(ctx, t)
}

// ownComposite finds a composite type that the present role must own.
func (d userTypes) ownComposite(n ast.Name) (*catalog.Type, error) {
	t, err := d.own(d.Txn.Changed().Snap, ast.TypeObject, n)
	if err == nil && !t.Composite || sqlerr.Has(err, sqlerr.UndefinedObject) {
		err = sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(n))
	}
	return t, err
}

// Composites changes the attributes of composite types.
type Composites struct{ *Definer }

// Alterable are the tables of the type that a statement alters, which are to be altered with it.
func (d Composites) Alterable(tree *ast.AlterComposite) ([]*catalog.Table, error) {
	t, err := userTypes(d).ownComposite(tree.Name)
	if err != nil {
		return nil, err
	}
	return typedTables(d.Txn.Changed().Snap, t, !slices.ContainsFunc(tree.Commands,
		func(cmd ast.AlterCommand) bool { return !cmd.Cascade }))
}

// typedTables are the tables of a composite type. There must be none unless a change of the type is to change them.
func typedTables(snap *catalog.Snapshot, t *catalog.Type, cascade bool) ([]*catalog.Table, error) {
	tables := lineage.Typed(snap, t)
	if len(tables) > 0 && !cascade {
		return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot alter type %q because it is the type of a typed table", t.Name).
			WithHint("Use ALTER ... CASCADE to alter the typed tables too.")
	}
	return tables, nil
}

// Alter runs one command of ALTER TYPE.
func (d Composites) Alter(ctx context.Context, name ast.Name, cmd ast.AlterCommand) error {
	t, err := userTypes(d).ownComposite(name)
	if err != nil {
		return err
	}
	return userTypes(d).alterField(ctx, t, cmd)
}

func (d userTypes) alterField(ctx context.Context, t *catalog.Type, cmd ast.AlterCommand) error {
	snap := d.Txn.Changed().Snap
	b, at := d.Builder(ctx, snap), t.Field(cmd.Name)
	var err error
	switch {
	case cmd.Kind == ast.AddColumn && at >= 0:
		return sqlerr.New(sqlerr.DuplicateColumn, "column %q of relation %q already exists", cmd.Name, t.Name)
	case cmd.Kind == ast.AddColumn:
		t, err = define.AddField(b, t, *cmd.Column)
	case at < 0 && cmd.IfExists:
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"column %q of relation %q does not exist, skipping", cmd.Name, t.Name))
	case at < 0:
		return noField(t, cmd.Name)
	case cmd.Kind == ast.DropColumn:
		return d.Drop(ctx, []Target{{Object: t, Column: t.Fields[at].ID}}, cmd.Cascade)
	default:
		if err = RowsStay(snap, t.Ref()); err == nil {
			t, err = define.RetypeField(b, t, at, *cmd.Column)
		}
	}
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, t)
}

func noField(t *catalog.Type, name string) error {
	return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, t.Name)
}

// dropOne drops a type, or an attribute of one, whose dependents the caller looks after.
func (d userTypes) dropOne(ctx context.Context, of *catalog.Type, what Target) error {
	t := d.Txn.Changed().Snap.TypeByID(of.ID)
	switch {
	case t == nil || what.IsArray:
		return nil
	case what.Column == 0:
		return d.Txn.Remove(ctx, t)
	}
	at := slices.IndexFunc(t.Fields, func(f catalog.Field) bool { return f.ID == what.Column })
	row, _ := t.OIDs()
	if err := define.MayLoseField(d.Txn.Changed().Snap, row); err != nil {
		return err
	}
	return d.put(ctx, t, func(c *catalog.Type) { c.Fields = slices.Delete(slices.Clone(t.Fields), at, at+1) })
}

// renameField runs ALTER TYPE ... RENAME ATTRIBUTE.
func (d userTypes) renameField(ctx context.Context, tree *ast.Rename) error {
	t, err := d.ownComposite(tree.Name)
	if err != nil {
		return err
	}
	tables, err := typedTables(d.Txn.Changed().Snap, t, tree.Cascade)
	if err != nil {
		return err
	}
	columns := *tree
	columns.Name.Only = false
	for _, of := range tables {
		if err := renameColumns(ctx, d.Definer, of, &columns); err != nil {
			return err
		}
	}
	at := t.Field(tree.Old)
	switch {
	case at < 0:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", tree.Old)
	case t.Field(tree.New) >= 0:
		return sqlerr.New(sqlerr.DuplicateColumn, "column %q of relation %q already exists", tree.New, t.Name)
	}
	return d.put(ctx, t, func(c *catalog.Type) {
		c.Fields = slices.Clone(t.Fields)
		c.Fields[at].Name = tree.New
	})
}

// commentField comments on an attribute, as on a column of a relation.
func (d userTypes) commentField(ctx context.Context, tree *ast.Comment, text string) error {
	t, err := d.ownComposite(tree.Name)
	if sqlerr.Has(err, sqlerr.InsufficientPrivilege) {
		return statement.Denied("must be owner of relation %s", tree.Name.Name)
	}
	if err != nil {
		return err
	}
	at := t.Field(tree.Column)
	if at < 0 {
		return noColumn(tree)
	}
	return d.put(ctx, t, func(c *catalog.Type) {
		c.Fields = slices.Clone(t.Fields)
		c.Fields[at].Comment = text
	})
}
