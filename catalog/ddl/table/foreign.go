package table

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/define"
	"zproxy/catalog/foreign"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// createForeignTable runs CREATE FOREIGN TABLE.
func (d *Definer) createForeignTable(ctx context.Context, tree *ast.CreateTable) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, skip, err := d.NewRelation(ctx, tree.Table, tree.IfNotExists)
	if err != nil || skip {
		return err
	}
	if _, err := d.Outsider(tree.Foreign.Server); err != nil {
		return err
	}
	options, err := define.ForeignTableOptions(tree.Foreign.Options)
	if err != nil {
		return err
	}
	f := &catalog.Foreign{Server: tree.Foreign.Server, Table: tree.Table.Name}
	if name, ok := catalog.FindOption(options, foreign.TableName); ok {
		f.Table = name
	}
	now, err := d.Described(ctx, f)
	if err != nil {
		return err
	}
	t, err := d.Builder(ctx, change.Snap).CreateForeignTable(tree, schema, now)
	if err != nil {
		return err
	}
	t.Rights = privilege.New(change.Snap, t.Table, d.Role)
	change.IsMine(t.ID) // no other transaction sees it
	return d.putForeign(ctx, t, now)
}

// putForeign puts a foreign table into the schema, with what is known of how large it is.
func (d *Definer) putForeign(ctx context.Context, t *define.ForeignTable, now *store.OutsideTable) error {
	if now.Items > 0 && !t.Stats.Known {
		t.Stats = catalog.Stats{Known: true, Rows: float64(now.Items)}
	}
	for _, unused := range t.Unused {
		if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", unused)); err != nil {
			return err
		}
	}
	return d.Txn.Put(ctx, t.Table)
}

// sampledItems are how many items of a table are read to learn what columns it has.
const sampledItems = 100

// importForeignSchema runs IMPORT FOREIGN SCHEMA. A server has one schema, under any name.
func (d *Definer) importForeignSchema(ctx context.Context, tree *ast.ImportForeignSchema) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	o, err := d.Outsider(tree.Server)
	if err != nil {
		return err
	}
	schema, err := d.SchemaFor(ctx, change.Snap, ast.Name{Schema: tree.Local, Pos: -1})
	if err != nil {
		return err
	}
	for _, option := range tree.Options {
		return sqlerr.New(sqlerr.ForeignOptionName, "invalid option \"%s\"", option.Name)
	}
	names, err := o.Tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if len(tree.Tables) > 0 && slices.Contains(tree.Tables, name) == tree.Except {
			continue
		}
		def, err := imported(ctx, o, tree.Server, name)
		if err != nil {
			return err
		}
		if def == nil {
			continue // it has gone meanwhile
		}
		def.Table.Schema = schema
		if err := d.createForeignTable(ctx, def); err != nil {
			return err
		}
	}
	return nil
}

// imported defines a foreign table by what a table of a server shows: its key first, then the keys
// of its indexes and what else items have, by name. It says nil for one that is not there.
func imported(ctx context.Context, o store.Outsider, server, name string) (*ast.CreateTable, error) {
	d, err := o.Describe(ctx, name)
	if err != nil || d == nil {
		return nil, err
	}
	sampled, err := o.Sample(ctx, name, sampledItems)
	if err != nil {
		return nil, err
	}
	def := &ast.CreateTable{
		Table: ast.Name{Name: cut(name), Pos: -1}, PrimaryPos: -1,
		Foreign: &ast.Foreign{Server: server,
			Options: []ast.Option{{Name: foreign.TableName, Value: name, Pos: -1}}},
	}
	attributes, keys := slices.Concat(d.Partition, d.Sort), len(d.Partition)+len(d.Sort)
	others := sampled
	for _, x := range d.Indexes {
		others = slices.Concat(x.Partition, x.Sort, others)
	}
	slices.SortStableFunc(others, func(a, b store.Attribute) int { return strings.Compare(a.Name, b.Name) })
	attributes = append(attributes, others...)
	taken := map[string]bool{}
	for i, a := range attributes {
		if a.Name == "" || slices.ContainsFunc(attributes[:i],
			func(b store.Attribute) bool { return a.Name == b.Name }) {
			continue
		}
		column := ast.ColumnDef{Name: cut(a.Name), NotNull: i < keys, Pos: -1, Type: typeName(a.Type)}
		if column.Name != a.Name {
			column.Options = []ast.Option{{Name: foreign.AttributeName, Value: a.Name, Pos: -1}}
		}
		if taken[column.Name] {
			continue
		}
		taken[column.Name] = true
		def.Columns = append(def.Columns, column)
	}
	return def, nil
}

// cut is a name that is not too long.
func cut(name string) string {
	const most = 63
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "")
}

// typeName names a type as the grammar does.
func typeName(t types.T) ast.TypeName {
	element, array := types.ElementOf(t)
	if !array {
		element = t
	}
	return ast.TypeName{Name: types.InfoOf(element.OID).Name, Array: array, Pos: -1}
}

// alterForeign runs one command of ALTER FOREIGN TABLE. Nothing that is declared is held against the
// items.
func (a *alteration) alterForeign(cmd ast.AlterCommand) error {
	switch cmd.Kind {
	case ast.AddColumn:
		return a.addForeignColumn(cmd)
	case ast.DropColumn:
		return a.dropColumn(cmd)
	case ast.SetDefault, ast.DropDefault:
		t, err := a.SetDefault(cmd.Name, cmd.Column)
		return a.keep(t, err)
	case ast.SetNotNull, ast.DropNotNull:
		i, err := a.Column(cmd.Name)
		if err != nil {
			return err
		}
		return a.keep(a.Table.WithColumn(i, func(c *catalog.Column) { c.Declared = cmd.Kind == ast.SetNotNull }), nil)
	case ast.AddCheck:
		t, err := a.AddCheck(*cmd.Check)
		return a.keep(t, err)
	case ast.ValidateConstraint:
		if a.Table.Check(cmd.Name) >= 0 {
			return a.keep(a.ValidCheck(cmd.Name), nil)
		}
		return a.validateConstraint(cmd.Name)
	case ast.AddUnique:
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"unique constraints are not supported on foreign tables").At(int(cmd.Pos))
	case ast.AddPrimaryKey:
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"primary key constraints are not supported on foreign tables").At(int(cmd.Pos))
	case ast.DropConstraint:
		return a.dropConstraint(cmd)
	case ast.ChangeOptions:
		return a.changeOptions(cmd)
	}
	return sqlerr.Unsupported("this form of ALTER FOREIGN TABLE")
}

func (a *alteration) addForeignColumn(cmd ast.AlterCommand) error {
	if i := a.Table.Column(cmd.Name); i >= 0 {
		if cmd.IfExists {
			return a.d.Notice(sqlerr.Notice(sqlerr.DuplicateColumn, "column %q of relation %q already exists, skipping",
				cmd.Name, a.Table.Name))
		}
		return ddl.ColumnExists(a.Table, a.Table.Columns[i])
	}
	t, err := a.AddForeignColumn(a.Table, *cmd.Column)
	if err != nil {
		return err
	}
	return a.layOut(t)
}

// layOut puts a foreign table into the schema with the key and the indexes that its table has now.
func (a *alteration) layOut(t *catalog.Table) error {
	now, err := a.d.Described(a.ctx, t.Foreign)
	if err != nil {
		return err
	}
	out, err := a.LayOutForeign(t, now)
	if err != nil {
		return err
	}
	return a.d.putForeign(a.ctx, out, now)
}

// changeOptions runs OPTIONS. Which table of the server is meant shows anew by that, and how it
// looks.
func (a *alteration) changeOptions(cmd ast.AlterCommand) error {
	c := *a.Table
	if cmd.Name == "" {
		list, err := changedOptions(c.Foreign.Options, cmd.Changes, define.ForeignTableOptions)
		if err != nil {
			return err
		}
		f := *c.Foreign
		name, given := catalog.FindOption(list, foreign.TableName)
		if !given {
			name = c.Name
		}
		f.Options, f.Table = list, name
		c.Foreign, c.Stats = &f, catalog.Stats{}
		return a.layOut(&c)
	}
	at, err := a.Column(cmd.Name)
	if err != nil {
		return err
	}
	c.Columns = slices.Clone(c.Columns)
	col := &c.Columns[at]
	if col.Options, err = changedOptions(col.Options, cmd.Changes, define.ForeignColumnOptions); err != nil {
		return err
	}
	col.StorageName, _ = catalog.FindOption(col.Options, foreign.AttributeName)
	if err := define.CheckAttributeType(col); err != nil {
		return err
	}
	return a.layOut(&c)
}

// changedOptions are options after changes of them, as they are checked when they are given.
func changedOptions(
	list []catalog.Option, changes []ast.OptionChange, check func([]ast.Option) ([]catalog.Option, error),
) ([]catalog.Option, error) {
	list = slices.Clone(list)
	for _, change := range changes {
		at := slices.IndexFunc(list, func(o catalog.Option) bool { return o.Name == change.Name })
		switch {
		case change.Action != ast.AddOption && at < 0:
			return nil, sqlerr.New(sqlerr.UndefinedObject, "option \"%s\" not found", change.Name)
		case change.Action == ast.AddOption && at >= 0:
			return nil, sqlerr.New(sqlerr.DuplicateObject, "option \"%s\" provided more than once", change.Name)
		case change.Action == ast.DropOption:
			list = slices.Delete(list, at, at+1)
			continue
		}
		if _, err := check([]ast.Option{change.Option}); err != nil {
			return nil, err
		}
		if at >= 0 {
			list[at].Value = change.Value
			continue
		}
		list = append(list, catalog.Option{Name: change.Name, Value: change.Value})
	}
	return list, nil
}
