package planner

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// virtual plans a relation of the system in FROM.
func (f *from) virtual(v *catalog.Virtual, item *ast.FromTable) (source, error) {
	if v.Query != "" {
		return f.view(virtualView(v), item)
	}
	rel := relation{schema: v.Schema, name: cmp.Or(item.Alias, v.Name)}
	if item.Alias != "" {
		rel.schema = ""
	}
	if rel.name != v.Name {
		rel.behind = v.Name
	}
	n := plan.Virtual{Relation: v, Alias: rel.name}
	for i, c := range v.Columns {
		n.Reads = append(n.Reads, i)
		n.Cols = append(n.Cols, plan.Column{Name: c.Name, Type: c.Type, Table: v.ID, Attribute: int16(i + 1)})
	}
	cols, err := renamed(n.Cols, item.Columns, rel.name)
	rel.system = make([]bool, len(cols)+1)
	rel.system[len(cols)] = true
	rel.hidden = rel.system
	n.Reads = append(n.Reads, plan.TableOID)
	n.Cols = append(n.Cols, plan.Column{Name: "tableoid", Type: types.Of(types.OIDOID), Table: v.ID, Attribute: tableOIDAttribute})
	rel.cols = append(cols, n.Cols[len(cols)])
	return source{node: n, rels: []relation{rel}}, err
}

// tableOIDAttribute is the number that PostgreSQL gives the system column tableoid.
const tableOIDAttribute = -6

// virtualView is a relation of the system as the view that it is.
func virtualView(v *catalog.Virtual) *catalog.View {
	out := &catalog.View{ID: v.ID, Schema: v.Schema, Name: v.Name, Query: v.Query, Path: []string{catalog.PgCatalogName}}
	for _, c := range v.Columns {
		out.Columns = append(out.Columns, catalog.ViewColumn{Name: c.Name, Type: c.Type})
	}
	return out
}

// SystemRelation is the error about changing a relation of the system.
func SystemRelation(v *catalog.Virtual) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied: %q is a system catalog", v.Name)
}
