package ddl

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/publication"
	"zproxy/parser/ast"
	"zproxy/planner/rowfilter"
	"zproxy/sqlerr"
)

// filters are which rows of its tables a publication has.
type filters struct{ publications }

// of are the filters of tables as a statement names them, and of those that inherit from them.
func (d filters) of(ctx context.Context, snap *catalog.Snapshot, def *publication.Definition,
	list []ast.PublishedTable,
) (map[uint32]*catalog.Condition, error) {
	var out map[uint32]*catalog.Condition
	for _, named := range list {
		if named.Where == nil {
			continue
		}
		t, err := d.table(snap, named.Table)
		if err != nil {
			return nil, err
		}
		if t.Partitioning != nil && !def.ViaRoot {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "cannot use publication WHERE clause for relation %q",
				t.Name).WithDetail("WHERE clause cannot be used for a partitioned table when %s is false.", viaRoot)
		}
		all := []*catalog.Table{t}
		if !named.Table.Only {
			all = append(all, snap.Lineage(t)...)
		}
		for _, of := range all {
			c, err := rowfilter.Condition(d.Builder(ctx, snap).Planner, of, named.Where, named.WhereText)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = map[uint32]*catalog.Condition{}
			}
			if _, own := out[of.ID]; !own {
				out[of.ID] = c
			}
		}
	}
	return out, nil
}

const viaRoot = "publish_via_partition_root"

// changed are the filters of a publication after a change of its tables.
func (d filters) changed(ctx context.Context, snap *catalog.Snapshot, p *catalog.Plain, def *publication.Definition,
	tree *ast.Publication,
) (map[uint32]*catalog.Condition, error) {
	if tree.Change == "drop" {
		out := maps.Clone(p.Filters)
		maps.DeleteFunc(out, func(id uint32, _ *catalog.Condition) bool { return !def.Has(id) })
		return out, nil
	}
	added, err := d.of(ctx, snap, def, tree.Tables)
	if err != nil || tree.Change == "set" {
		return added, err
	}
	out := maps.Clone(p.Filters)
	if out == nil {
		return added, nil
	}
	maps.Copy(out, added)
	return out, nil
}

// allowed refuses that changes of partitions become their own while a partitioned table has a filter.
func (d filters) allowed(snap *catalog.Snapshot, p *catalog.Plain, def *publication.Definition) error {
	if def.ViaRoot {
		return nil
	}
	for _, of := range def.Tables {
		t, ok := snap.ByID(of.ID).(*catalog.Table)
		if ok && t.Partitioning != nil && p.Filters[t.ID] != nil {
			return sqlerr.New(sqlerr.InvalidParameterValue, "cannot set parameter \"%s\" to false for publication %q",
				viaRoot, p.Name).
				WithDetail("The publication contains a WHERE clause for partitioned table %q, which is not allowed when \"%s\" is false.",
					t.Name, viaRoot)
		}
	}
	return nil
}

func filteredTwice(t *catalog.Table) error {
	return sqlerr.New(sqlerr.DuplicateObject, "conflicting or redundant WHERE clauses for table %q", t.Name)
}

// publishing are the publications of a table whose lists of columns or filters name a column of it, the newest first.
func publishing(d *drop, t *catalog.Table, column uint32) (out []dependent) {
	list := slices.Clone(d.snap.Plains(catalog.PublicationKind))
	slices.SortFunc(list, func(a, b *catalog.Plain) int { return cmp.Compare(b.ID, a.ID) })
	for _, p := range list {
		listed := slices.ContainsFunc(p.Publication.Tables, func(of publication.Table) bool {
			return of.ID == t.ID && slices.Contains(of.Columns, column)
		})
		if listed || p.Filters[t.ID].Names(column) {
			out = append(out, dependent{Target: Target{Object: p, Published: t.ID}})
		}
	}
	return out
}

// unpublish takes a table out of a publication.
func (d filters) unpublish(ctx context.Context, p *catalog.Plain, table uint32) error {
	now := d.Txn.Changed().Snap.PlainByID(p.ID)
	if now == nil {
		return nil
	}
	def, list := *now.Publication, maps.Clone(now.Filters)
	def.Tables = slices.DeleteFunc(slices.Clone(def.Tables), func(t publication.Table) bool { return t.ID == table })
	delete(list, table)
	return plains(d.publications).put(ctx, now, func(c *catalog.Plain) { c.Publication, c.Filters = &def, list })
}
