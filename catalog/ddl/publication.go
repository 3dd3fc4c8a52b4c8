package ddl

import (
	"context"
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/publication"
	"zproxy/parser/ast"
	"zproxy/planner/tableoid"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
)

// publications runs the statements about publications alone.
type publications struct{ *Definer }

func (d publications) run(ctx context.Context, tree *ast.Publication) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Change != "" {
		return d.alter(ctx, change.Snap, tree)
	}
	return d.create(ctx, change.Snap, tree)
}

func (d publications) create(ctx context.Context, snap *catalog.Snapshot, tree *ast.Publication) error {
	if err := d.MustHold(snap, snap.Database(), catalog.MayCreate); err != nil {
		return err
	}
	if tree.AllTables && !d.Superuser() {
		return statement.Denied("must be superuser to create FOR ALL TABLES publication")
	}
	if snap.Named(catalog.PublicationKind, tree.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateObject, "publication %q already exists", tree.Name)
	}
	def := &publication.Definition{AllTables: tree.AllTables, Insert: true, Update: true, Delete: true, Truncate: true}
	if err := published(def, tree.Options); err != nil {
		return err
	}
	p := &catalog.Plain{Version: 1, Kind: catalog.PublicationKind, Name: tree.Name, Publication: def,
		Rights: catalog.Rights{Owner: d.Role}}
	schemas, err := d.schemas(snap, tree.Schemas)
	if err != nil {
		return err
	}
	if len(schemas) > 0 && !d.Superuser() {
		return statement.Denied("must be superuser to create FOR TABLES IN SCHEMA publication")
	}
	tables, err := d.tables(snap, p.Name, len(schemas) > 0, tree.Tables)
	if err != nil {
		return err
	}
	if p.Filters, err = (filters{d}).of(ctx, snap, def, tree.Tables); err != nil {
		return err
	}
	def.Tables = tables
	for _, s := range schemas {
		if !slices.Contains(def.Schemas, s.ID) {
			def.Schemas = append(def.Schemas, s.ID)
		}
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	p.ID = uint32(id)
	if err := d.Txn.Put(ctx, p); err != nil {
		return err
	}
	return d.Notice(sqlerr.Warn(sqlerr.ObjectNotInPrerequisiteState,
		"wal_level is insufficient to publish logical changes").
		WithHint("Set wal_level to \"logical\" before creating subscriptions."))
}

// published takes options in.
func published(def *publication.Definition, options []ast.Option) error {
	seen := map[string]bool{}
	for _, o := range options {
		if seen[o.Name] {
			return sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos))
		}
		seen[o.Name] = true
		switch o.Name {
		case "publish":
			if err := publishes(def, o.Value); err != nil {
				return err
			}
		case "publish_via_partition_root":
			v, err := types.ParseText(o.Value, types.Bool, nil)
			if o.Value == "" {
				v, err = types.NewBool(true), nil
			}
			if err != nil {
				return sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
			}
			def.ViaRoot = v.Bool()
		default:
			return sqlerr.New(sqlerr.SyntaxError, "unrecognized publication parameter: %q", o.Name)
		}
	}
	return nil
}

// publishes reads the list of changes that are published.
func publishes(def *publication.Definition, list string) error {
	def.Insert, def.Update, def.Delete, def.Truncate = false, false, false, false
	changes := map[string]*bool{"insert": &def.Insert, "update": &def.Update, "delete": &def.Delete,
		"truncate": &def.Truncate}
	if strings.TrimSpace(list) == "" {
		return nil
	}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		on := changes[word]
		if on == nil {
			return sqlerr.New(sqlerr.SyntaxError, "unrecognized value for publication option \"publish\": %q", word)
		}
		*on = true
	}
	return nil
}

// schemas finds schemas by their names, where an empty one is the current one.
func (d publications) schemas(snap *catalog.Snapshot, names []string) (out []*catalog.Schema, err error) {
	for _, name := range names {
		if name == "" {
			current := d.Schemas(snap)
			if len(current) == 0 {
				return nil, sqlerr.New(sqlerr.InvalidSchemaName, "no schema has been selected for CURRENT_SCHEMA")
			}
			name = current[0]
		}
		s := snap.Schema(name)
		switch {
		case s == nil:
			return nil, noSchema(name)
		case snap.IsSystem(name) || strings.HasPrefix(name, catalog.TemporaryPrefix):
			what := "system schemas"
			if !snap.IsSystem(name) {
				what = "temporary schemas"
			}
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "cannot add schema %q to publication", name).
				WithDetail("This operation is not supported for %s.", what)
		}
		out = append(out, s)
	}
	return out, nil
}

// tables finds the tables that are to be published, each with those that inherit from it, unless it has ONLY.
func (d publications) tables(snap *catalog.Snapshot, name string, schemas bool, list []ast.PublishedTable) (
	out []publication.Table, err error,
) {
	filtered := map[uint32]bool{}
	for _, named := range list {
		t, err := d.table(snap, named.Table)
		if err != nil {
			return nil, err
		}
		one, err := d.columns(t, named)
		switch {
		case err != nil:
			return nil, err
		case slices.ContainsFunc(out, func(o publication.Table) bool { return o.ID == t.ID }):
			if named.Where != nil || filtered[t.ID] {
				return nil, filteredTwice(t)
			}
			at := slices.IndexFunc(out, func(o publication.Table) bool { return o.ID == t.ID })
			if named.Columns != nil || out[at].Columns != nil {
				return nil, sqlerr.New(sqlerr.DuplicateObject,
					"conflicting or redundant column lists for table %q", t.Name)
			}
			continue
		case schemas && named.Columns != nil:
			return nil, sqlerr.New(sqlerr.InvalidParameterValue,
				"cannot use column list for relation \"%s.%s\" in publication %q", t.Schema, t.Name, name).
				WithDetail("Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA elements.")
		}
		out = append(out, one)
		filtered[t.ID] = named.Where != nil
		if named.Table.Only {
			continue
		}
		for _, heir := range snap.Lineage(t) {
			if !slices.ContainsFunc(out, func(o publication.Table) bool { return o.ID == heir.ID }) {
				out = append(out, publication.Table{ID: heir.ID, Columns: one.Columns})
				filtered[heir.ID] = named.Where != nil
			} else if heir.ID != t.ID && (named.Where != nil || filtered[heir.ID]) {
				return nil, filteredTwice(t)
			}
		}
	}
	return out, nil
}

// table finds a table that may be published, which the present role must own.
func (d publications) table(snap *catalog.Snapshot, n ast.Name) (*catalog.Table, error) {
	r, err := d.Planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	refuse := func(what string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "cannot add relation %q to publication", n.Name).
			WithDetail("This operation is not supported for %s.", what)
	}
	switch r := r.(type) {
	case nil:
		_, err := d.changeable(snap, n)
		return nil, err
	case *catalog.Virtual:
		return nil, refuse("system tables")
	case catalog.TableIndex:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is an index", n.Name)
	case *catalog.Table:
		if err := d.MustOwn(snap, r); err != nil {
			return nil, err
		}
		switch {
		case r.Materialized != nil:
			return nil, refuse("materialized views")
		case r.Foreign != nil:
			return nil, refuse("foreign tables")
		case strings.HasPrefix(r.Schema, catalog.TemporaryPrefix):
			return nil, refuse("temporary tables")
		}
		return r, nil
	}
	if err := d.MustOwnRelation(snap, r); err != nil {
		return nil, err
	}
	return nil, refuse(string(r.Ref().Kind) + "s")
}

// columns finds the columns of a table that are to be published.
func (d publications) columns(t *catalog.Table, named ast.PublishedTable) (publication.Table, error) {
	out := publication.Table{ID: t.ID}
	for _, name := range named.Columns {
		i := t.Column(name)
		switch {
		case tableoid.IsSystem(name):
			return out, sqlerr.New(sqlerr.InvalidColumnReference,
				"cannot use system column %q in publication column list", name)
		case i < 0 || t.Columns[i].Hidden:
			return out, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, t.Name)
		case t.Columns[i].Generated != nil:
			return out, sqlerr.New(sqlerr.InvalidColumnReference,
				"cannot use generated column %q in publication column list", name)
		case slices.Contains(out.Columns, t.Columns[i].ID):
			return out, sqlerr.New(sqlerr.DuplicateObject, "duplicate column %q in publication column list", name)
		}
		out.Columns = append(out.Columns, t.Columns[i].ID)
	}
	slices.Sort(out.Columns)
	return out, nil
}

// alter changes the options of a publication, or its tables and schemas.
func (d publications) alter(ctx context.Context, snap *catalog.Snapshot, tree *ast.Publication) error {
	p, err := plains(d).own(snap, ast.PublicationObject, ast.Name{Name: tree.Name, Pos: -1}, nil)
	if err != nil {
		return err
	}
	def := *p.Publication
	def.Tables, def.Schemas = slices.Clone(def.Tables), slices.Clone(def.Schemas)
	list := maps.Clone(p.Filters)
	if len(tree.Tables)+len(tree.Schemas) == 0 {
		if err := published(&def, tree.Options); err != nil {
			return err
		}
		if err := (filters{d}).allowed(snap, p, &def); err != nil {
			return err
		}
	} else {
		if err := d.changeObjects(snap, p, &def, tree); err != nil {
			return err
		}
		if list, err = (filters{d}).changed(ctx, snap, p, &def, tree); err != nil {
			return err
		}
	}
	return plains(d).put(ctx, p, func(c *catalog.Plain) { c.Publication, c.Filters = &def, list })
}

// changeObjects adds, drops or sets the tables and schemas of a publication.
func (d publications) changeObjects(snap *catalog.Snapshot, p *catalog.Plain, def *publication.Definition,
	tree *ast.Publication,
) error {
	all := func(what string) error {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "publication %q is defined as FOR ALL TABLES", p.Name).
			WithDetail("%s cannot be added to or dropped from FOR ALL TABLES publications.", what)
	}
	schemas, err := d.schemas(snap, tree.Schemas)
	switch {
	case err != nil:
		return err
	case len(schemas) > 0 && tree.Change != "drop" && !d.Superuser():
		return statement.Denied("must be superuser to add or set schemas")
	case len(tree.Schemas) > 0 && def.AllTables:
		return all("Schemas")
	case len(tree.Tables) > 0 && def.AllTables:
		return all("Tables")
	}
	kept := len(schemas) > 0 || tree.Change != "set" && len(def.Schemas) > 0
	tables, err := d.tables(snap, p.Name, kept && tree.Change != "drop", tree.Tables)
	if err != nil {
		return err
	}
	if tree.Change == "set" {
		def.Tables, def.Schemas = nil, nil
	}
	if tree.Change == "drop" {
		filtered := slices.ContainsFunc(tree.Tables, func(t ast.PublishedTable) bool { return t.Where != nil })
		return dropPublished(snap, def, tables, schemas, filtered)
	}
	for _, t := range tables {
		if def.Has(t.ID) {
			return sqlerr.New(sqlerr.DuplicateObject, "relation %q is already member of publication %q",
				snap.ByID(t.ID).Ref().Name, p.Name)
		}
		def.Tables = append(def.Tables, t)
	}
	for _, s := range schemas {
		if slices.Contains(def.Schemas, s.ID) {
			return sqlerr.New(sqlerr.DuplicateObject, "schema %q is already member of publication %q", s.Name, p.Name)
		}
		def.Schemas = append(def.Schemas, s.ID)
	}
	return nil
}

// dropPublished takes tables and schemas out of a publication.
func dropPublished(snap *catalog.Snapshot, def *publication.Definition, tables []publication.Table,
	schemas []*catalog.Schema, filtered bool,
) error {
	for _, t := range tables {
		if t.Columns != nil {
			return sqlerr.New(sqlerr.SyntaxError, "column list must not be specified in ALTER PUBLICATION ... DROP")
		}
		if !def.Has(t.ID) {
			return sqlerr.New(sqlerr.UndefinedObject, "relation %q is not part of the publication",
				snap.ByID(t.ID).Ref().Name)
		}
		if filtered {
			return sqlerr.New(sqlerr.SyntaxError, "cannot use a WHERE clause when removing a table from a publication")
		}
		def.Tables = slices.DeleteFunc(def.Tables, func(o publication.Table) bool { return o.ID == t.ID })
	}
	for _, s := range schemas {
		if !slices.Contains(def.Schemas, s.ID) {
			return sqlerr.New(sqlerr.UndefinedObject, "tables from schema %q are not part of the publication", s.Name)
		}
		def.Schemas = slices.DeleteFunc(def.Schemas, func(id uint32) bool { return id == s.ID })
	}
	return nil
}
