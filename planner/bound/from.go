package bound

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/sqlerr"
	"zproxy/types"
)

// FromItem is a relation or a join.
type FromItem interface{ from() }

// Join is a join of two items. Its relation has a name only where an alias was written.
type Join struct {
	Kind        ast.JoinKind
	Left, Right FromItem
	Using       []string
	UsingAlias  string
	On          Node
	Rel         *Relation
}

func (*Relation) from() {}
func (*Join) from()     {}

func (a clauses) fromList(list []ast.From) error {
	for _, f := range list {
		out, items, err := a.fromItem(f)
		if err != nil {
			return err
		}
		a.q.From, a.items = append(a.q.From, out), append(a.items, items...)
	}
	return nil
}

func (a clauses) fromItem(f ast.From) (FromItem, []item, error) {
	var rel *Relation
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
	for i, name := range rel.Aliases {
		if i < len(rel.Cols) {
			rel.Cols[i].Real, rel.Cols[i].Name = cmp.Or(rel.Cols[i].Real, rel.Cols[i].Name), name
		}
	}
	a.q.Relations = append(a.q.Relations, rel)
	it := rel.item()
	it.Schema = schema
	return rel, []item{it}, nil
}

func (a clauses) fromTable(f *ast.FromTable) (*Relation, string, error) {
	rel := &Relation{Alias: f.Alias, Aliases: f.Columns, Name: f.Name.Name}
	if t := a.names.common(f.Name); t != nil {
		rel.Kind, rel.Common, rel.Cols = CommonKind, t, slices.Clone(t.cols)
		return rel, "", nil
	}
	found, err := a.names.Relation(f.Name)
	if err != nil || found == nil {
		return nil, "", cmp.Or(err, error(bind.NoRelation(f.Name)))
	}
	ref := found.Ref()
	rel.ID, rel.RowName = ref.ID, rowName(found, a.Now.Numbered(ref.ID))
	rel.Cols = columnsOf(found, a.Now.Numbered(ref.ID))
	schema := ref.Schema
	if f.Alias != "" {
		schema = ""
	}
	return rel, schema, nil
}

// columnsOf are the columns of a relation, as it was when a text was stored, with the names
// that they have now.
func columnsOf(was, is catalog.Relation) (out []Column) {
	names := map[uint32]string{}
	for c := range bind.ColumnsOf(is) {
		names[c.ID] = c.Name
	}
	for c, t := range bind.ColumnsOf(was) {
		out = append(out, Column{Name: c.Name, Real: names[c.ID], t: t})
	}
	return out
}

func (a clauses) fromSelect(f *ast.FromSelect) (*Relation, error) {
	around := a.analyzer
	if !f.Lateral {
		around = &analyzer{Source: a.Source, names: a.names, q: a.q, outer: a.outer}
	}
	q, err := around.query(f.Select, false)
	if err != nil {
		return nil, err
	}
	return &Relation{Kind: QueryKind, Alias: f.Alias, Aliases: f.Columns, Query: q, Cols: q.columns(),
		Lateral: f.Lateral}, nil
}

func (a clauses) fromFunction(f *ast.FromFunction) (*Relation, error) {
	rel := &Relation{Kind: FunctionKind, Alias: f.Alias, Aliases: f.Columns, Lateral: f.Lateral,
		Ordinality: f.Ordinality}
	for _, tree := range f.Calls {
		n, err := a.expr(tree)
		if err != nil {
			return nil, err
		}
		rel.Calls = append(rel.Calls, n)
		rel.Lateral = rel.Lateral || a.reads(n)
		name := clause.ColumnName(tree)
		rel.Name = cmp.Or(rel.Name, name)
		c, ok := n.(*Call)
		switch {
		case f.Types != nil:
		case ok && len(f.Calls) == 1:
			rel.Cols = append(rel.Cols, outColumns(c, f.Alias)...)
		case ok:
			rel.Cols = append(rel.Cols, outColumns(c, "")...)
		default:
			rel.Cols = append(rel.Cols, Column{Name: cmp.Or(f.Alias, name), t: n.Type()})
		}
	}
	for i, t := range f.Types {
		of, err := a.names.TypeNamed(t)
		if err != nil {
			return nil, err
		}
		rel.Types = append(rel.Types, of)
		rel.Cols = append(rel.Cols, Column{Name: f.Columns[i], t: of})
	}
	if f.Ordinality {
		rel.Cols = append(rel.Cols, Column{Name: "ordinality", t: types.Int8})
	}
	return rel, nil
}

// fromJoin analyzes a join. Without an alias its sides keep their names, and its columns
// stand for theirs.
func (a clauses) fromJoin(f *ast.FromJoin) (FromItem, []item, error) {
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
	out := &Join{Kind: f.Kind, Left: left, Right: right, UsingAlias: f.UsingAlias}
	out.Rel = &Relation{Kind: JoinKind, Alias: f.Alias, Aliases: f.Columns}
	leftCols, rightCols := visible(l), visible(r)
	for _, u := range f.Using {
		out.Using = append(out.Using, u.Name)
	}
	if f.Natural {
		for _, c := range leftCols {
			if at(rightCols, c.Name) >= 0 {
				out.Using = append(out.Using, c.Name)
			}
		}
	}
	if err := a.mergeColumns(out, leftCols, rightCols); err != nil {
		return nil, nil, err
	}
	a.q.Relations = append(a.q.Relations, out.Rel)
	items := slices.Concat(l, r)
	if f.On != nil {
		a.items = append(slices.Clone(before), items...)
		if out.On, err = a.analysis().Condition(f.On, "JOIN/ON"); err != nil {
			return nil, nil, err
		}
	}
	for i, name := range f.Columns {
		out.Rel.Cols[i].Real, out.Rel.Cols[i].Name = out.Rel.Cols[i].Name, name
	}
	if f.Alias != "" {
		return out, []item{out.Rel.item()}, nil
	}
	for i := range items {
		items[i].qualified()
	}
	it := out.Rel.item()
	it.Name = ""
	if f.UsingAlias != "" {
		merged := &Relation{Kind: JoinKind, Name: f.UsingAlias, Cols: out.Rel.Cols[:len(out.Using)]}
		named := merged.item()
		named.qualified()
		items = append(items, named)
	}
	return out, append(items, it), nil
}

func at(cols []Column, name string) int {
	return slices.IndexFunc(cols, func(c Column) bool { return c.Name == name })
}

// mergeColumns makes the columns of a join: those of USING first.
func (a clauses) mergeColumns(j *Join, left, right []Column) error {
	for i, name := range j.Using {
		l, r := at(left, name), at(right, name)
		if l < 0 || r < 0 {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q specified in USING clause does not exist", name)
		}
		x, y := left[l], right[r]
		t := commonType([]Node{x.Expr, y.Expr})
		out := Column{Name: name, t: types.Of(t), Expr: &Merged{&j.Using[i], typed{types.Of(t)}}}
		if x.t == y.t {
			out.t = x.t
		}
		common := [2]bool{x.t.OID == t, y.t.OID == t}
		if side := bind.MergedSide(j.Kind, common); side >= 0 && common[side] {
			out.Expr = []Node{x.Expr, y.Expr}[side]
		}
		force(x.Expr, name)
		force(y.Expr, name)
		j.Rel.Cols = append(j.Rel.Cols, out)
	}
	for _, side := range [][]Column{left, right} {
		for _, c := range side {
			if !slices.Contains(j.Using, c.Name) {
				j.Rel.Cols = append(j.Rel.Cols, Column{Name: c.Name, t: c.t, Expr: c.Expr})
			}
		}
	}
	return nil
}

// force makes a column be printed with the name that a USING gives it.
func force(n Node, name string) {
	if v, ok := n.(*Variable); ok && v.Column >= 0 {
		if v.Rel.Forced == nil {
			v.Rel.Forced = map[int]string{}
		}
		v.Rel.Forced[v.Column] = name
	}
}
