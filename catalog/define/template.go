package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// template is the option partition_key of a key of a table.
type template struct {
	part.Template
	table *catalog.Table
	pos   ast.Pos
}

// templateOf is the template of the options, over a table with a shard; nil: it has none.
func (o *keyOptions) templateOf(t *catalog.Table, shard *catalog.Part) *template {
	return &template{table: t, pos: o.pos[templateOption], Template: part.Template{
		Text: o.template, Table: t, Shard: shard, Column: visible(t),
	}}
}

// visible finds the columns of a table that statements can name.
func visible(t *catalog.Table) func(name string) (part.Source, bool) {
	return func(name string) (part.Source, bool) {
		i := t.Column(name)
		if i < 0 || t.Columns[i].Hidden {
			return part.Source{}, false
		}
		return t.Source(t.Columns[i].ID), true
	}
}

// read makes a part of the text.
func (r *template) read() (catalog.Part, error) {
	text, err := r.Read()
	return text, bind.At(err, r.pos)
}

// names says whether a text tells of columns of the table other than hidden ones.
func (r *template) names(text catalog.Part) bool {
	return slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool {
		return p.Kind != part.Shard && slices.ContainsFunc(p.Columns(), func(id uint32) bool {
			return !r.table.Columns[r.table.Ordinal(id)].Hidden
		})
	})
}

// check wants a template that keys can be made by. Which columns it may be over, and how
// they are called together, the key says.
func (r *template) check(text catalog.Part, key []uint32, what string) error {
	for _, p := range text.Pieces {
		if p.Kind == part.Shard {
			continue // of the key as it is
		}
		for _, id := range p.Columns() {
			c := r.table.Columns[r.table.Ordinal(id)]
			if !slices.Contains(key, id) && !c.Hidden {
				return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q named in %s is not in %s",
					c.Name, templateOption, what).At(int(r.pos))
			}
			if !c.Type.Collation.Order.Deterministic() {
				return sqlerr.New(sqlerr.FeatureNotSupported, "nondeterministic collations are not supported for %s",
					templateOption).At(int(r.pos))
			}
		}
	}
	return bind.At(r.Check(text), r.pos)
}

// determines says whether a column can be read back from the text of a template.
func (r *template) determines(text catalog.Part, column uint32) bool {
	return slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool { return p.Column == column && p.Keeps(r.table) })
}
