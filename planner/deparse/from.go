package deparse

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// fromItem is a relation or a join.
type fromItem interface{ from() }

// join is a join of two items. Its relation has a name only where an alias was written.
type join struct {
	kind        ast.JoinKind
	left, right fromItem
	using       []string
	usingAlias  string
	on          node
	rel         *relation
}

func (*relation) from() {}
func (*join) from()     {}

func (a *analyzer) fromList(list []ast.From) error {
	for _, f := range list {
		out, items, err := a.fromItem(f)
		if err != nil {
			return err
		}
		a.q.from, a.items = append(a.q.from, out), append(a.items, items...)
	}
	return nil
}

func (a *analyzer) fromItem(f ast.From) (fromItem, []item, error) {
	var rel *relation
	var err error
	schema := ""
	switch f := f.(type) {
	case *ast.FromJoin:
		return a.fromJoin(f)
	case *ast.FromTable:
		rel, schema, err = a.fromTable(f)
	case *ast.FromSelect:
		rel, err = a.fromSelect(f)
	case *ast.FromFunction:
		rel, err = a.fromFunction(f)
	}
	if err != nil {
		return nil, nil, err
	}
	for i, name := range rel.aliases {
		if i < len(rel.cols) {
			rel.cols[i].real, rel.cols[i].name = cmp.Or(rel.cols[i].real, rel.cols[i].name), name
		}
	}
	a.q.relations = append(a.q.relations, rel)
	it := rel.item()
	it.Schema = schema
	return rel, []item{it}, nil
}

func (a *analyzer) fromTable(f *ast.FromTable) (*relation, string, error) {
	rel := &relation{alias: f.Alias, aliases: f.Columns, name: f.Name.Name}
	if t := a.names.common(f.Name); t != nil {
		rel.kind, rel.common, rel.cols = commonKind, t, slices.Clone(t.cols)
		return rel, "", nil
	}
	found, err := a.names.Relation(f.Name)
	if err != nil || found == nil {
		return nil, "", cmp.Or(err, error(bind.NoRelation(f.Name)))
	}
	ref := found.Ref()
	rel.id, rel.rowName = ref.ID, rowName(found, a.source.now.Numbered(ref.ID))
	rel.cols = columnsOf(found, a.source.now.Numbered(ref.ID))
	schema := ref.Schema
	if f.Alias != "" {
		schema = ""
	}
	return rel, schema, nil
}

// columnsOf are the columns of a relation, as it was when a text was stored, with the names
// that they have now.
func columnsOf(was, is catalog.Relation) (out []column) {
	switch was := was.(type) {
	case *catalog.Table:
		now, _ := is.(*catalog.Table)
		for _, c := range was.Columns {
			if c.Hidden {
				continue
			}
			col := column{name: c.Name, t: c.Type}
			if now != nil {
				if at := now.Ordinal(c.ID); at >= 0 {
					col.real = now.Columns[at].Name
				}
			}
			out = append(out, col)
		}
	case *catalog.View:
		now, _ := is.(*catalog.View)
		for i, c := range was.Columns {
			col := column{name: c.Name, t: c.Type}
			if now != nil && i < len(now.Columns) {
				col.real = now.Columns[i].Name
			}
			out = append(out, col)
		}
	case *catalog.Virtual:
		for _, c := range was.Columns {
			out = append(out, column{name: c.Name, t: c.Type})
		}
	case *catalog.Sequence:
		out = []column{{name: "last_value", t: types.Int8}, {name: "log_cnt", t: types.Int8}, {name: "is_called", t: types.Bool}}
	}
	return out
}

func (a *analyzer) fromSelect(f *ast.FromSelect) (*relation, error) {
	around := a
	if !f.Lateral {
		around = &analyzer{source: a.source, names: a.names, q: a.q, outer: a.outer}
	}
	q, err := around.query(f.Select, false)
	if err != nil {
		return nil, err
	}
	return &relation{kind: queryKind, alias: f.Alias, aliases: f.Columns, query: q, cols: q.columns(), lateral: f.Lateral}, nil
}

func (a *analyzer) fromFunction(f *ast.FromFunction) (*relation, error) {
	rel := &relation{kind: functionKind, alias: f.Alias, aliases: f.Columns, lateral: f.Lateral, ordinality: f.Ordinality}
	for _, tree := range f.Calls {
		n, err := a.expr(tree)
		if err != nil {
			return nil, err
		}
		rel.calls = append(rel.calls, n)
		rel.lateral = rel.lateral || a.reads(n)
		name := bind.ColumnName(tree)
		rel.name = cmp.Or(rel.name, name)
		c, ok := n.(*call)
		switch {
		case f.Types != nil:
		case ok && len(f.Calls) == 1:
			rel.cols = append(rel.cols, outColumns(c, f.Alias)...)
		case ok:
			rel.cols = append(rel.cols, outColumns(c, "")...)
		default:
			rel.cols = append(rel.cols, column{name: cmp.Or(f.Alias, name), t: n.typ()})
		}
	}
	for i, t := range f.Types {
		of, err := a.names.TypeNamed(t)
		if err != nil {
			return nil, err
		}
		rel.types = append(rel.types, of)
		rel.cols = append(rel.cols, column{name: f.Columns[i], t: of})
	}
	if f.Ordinality {
		rel.cols = append(rel.cols, column{name: "ordinality", t: types.Int8})
	}
	return rel, nil
}

// fromJoin analyzes a join. Without an alias its sides keep their names, and its columns
// stand for theirs.
func (a *analyzer) fromJoin(f *ast.FromJoin) (fromItem, []item, error) {
	before := a.items
	defer func() { a.items = before }()
	left, l, err := a.fromItem(f.Left)
	if err != nil {
		return nil, nil, err
	}
	a.items = append(slices.Clone(before), l...)
	right, r, err := a.fromItem(f.Right)
	if err != nil {
		return nil, nil, err
	}
	out := &join{kind: f.Kind, left: left, right: right, usingAlias: f.UsingAlias}
	out.rel = &relation{kind: joinKind, alias: f.Alias, aliases: f.Columns}
	leftCols, rightCols := visible(l), visible(r)
	for _, u := range f.Using {
		out.using = append(out.using, u.Name)
	}
	if f.Natural {
		for _, c := range leftCols {
			if at(rightCols, c.name) >= 0 {
				out.using = append(out.using, c.name)
			}
		}
	}
	if err := a.mergeColumns(out, leftCols, rightCols); err != nil {
		return nil, nil, err
	}
	a.q.relations = append(a.q.relations, out.rel)
	items := slices.Concat(l, r)
	if f.On != nil {
		a.items = append(slices.Clone(before), items...)
		if out.on, err = a.boolean(a.expr(f.On)); err != nil {
			return nil, nil, err
		}
	}
	for i, name := range f.Columns {
		out.rel.cols[i].real, out.rel.cols[i].name = out.rel.cols[i].name, name
	}
	if f.Alias != "" {
		return out, []item{out.rel.item()}, nil
	}
	for i := range items {
		items[i].qualified()
	}
	it := out.rel.item()
	it.Name = ""
	if f.UsingAlias != "" {
		merged := &relation{kind: joinKind, name: f.UsingAlias, cols: out.rel.cols[:len(out.using)]}
		named := merged.item()
		named.qualified()
		items = append(items, named)
	}
	return out, append(items, it), nil
}

func at(cols []column, name string) int {
	return slices.IndexFunc(cols, func(c column) bool { return c.name == name })
}

// mergeColumns makes the columns of a join: those of USING first.
func (a *analyzer) mergeColumns(j *join, left, right []column) error {
	for i, name := range j.using {
		l, r := at(left, name), at(right, name)
		if l < 0 || r < 0 {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q specified in USING clause does not exist", name)
		}
		x, y := left[l], right[r]
		t := commonType([]node{x.expr, y.expr})
		out := column{name: name, t: types.Of(t), expr: &merged{&j.using[i], types.Of(t)}}
		if x.t == y.t {
			out.t = x.t
		}
		switch {
		case j.kind == ast.RightJoin && y.t.OID == t:
			out.expr = y.expr
		case (j.kind == ast.InnerJoin || j.kind == ast.LeftJoin) && x.t.OID == t:
			out.expr = x.expr
		case j.kind == ast.InnerJoin && y.t.OID == t:
			out.expr = y.expr
		}
		force(x.expr, name)
		force(y.expr, name)
		j.rel.cols = append(j.rel.cols, out)
	}
	for _, side := range [][]column{left, right} {
		for _, c := range side {
			if !slices.Contains(j.using, c.name) {
				j.rel.cols = append(j.rel.cols, column{name: c.name, t: c.t, expr: c.expr})
			}
		}
	}
	return nil
}

// force makes a column be printed with the name that a USING gives it.
func force(n node, name string) {
	if v, ok := n.(*variable); ok && v.column >= 0 {
		if v.rel.forced == nil {
			v.rel.forced = map[int]string{}
		}
		v.rel.forced[v.column] = name
	}
}
