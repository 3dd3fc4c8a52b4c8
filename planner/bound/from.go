package bound

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
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
	var named bind.Relation
	switch f := f.(type) {
	case *ast.FromJoin:
		return a.fromJoin(f)
	case *ast.FromTable:
		rel, named, err = a.fromTable(f)
	case *ast.FromSelect:
		rel, err = a.fromSelect(f)
	case *ast.FromFunction:
		rel, err = a.fromFunction(f)
	}
	if err != nil {
		return nil, nil, err
	}
	rel.rename()
	a.q.Relations = append(a.q.Relations, rel)
	it := rel.item()
	it.Schema = named.Schema
	if rel.Kind == CommonKind {
		it.Marks = named.Marks
	}
	if named.Table != nil {
		it.addTableOID(named.Table.ID)
	}
	it.MarkDynamic(named.Table)
	return rel, []item{it}, nil
}

// fromTable is a relation of the catalog, or of WITH, and how a scope has the former.
func (a clauses) fromTable(f *ast.FromTable) (rel *Relation, named bind.Relation, err error) {
	rel = &Relation{Alias: f.Alias, Aliases: f.Columns, Name: f.Name.Name}
	if t := a.names.tables.Find(f.Name); t != nil {
		rel.Kind, rel.Common = CommonKind, a.names.common[t.Number]
		for _, c := range t.Cols {
			rel.Cols = append(rel.Cols, Column{Name: c.Name, t: c.Type})
		}
		named.Cols = t.Cols
		named.Mark(bind.Hidden|bind.System, func(i int) bool { return i >= len(t.Cols)-t.Added })
		return rel, named, nil
	}
	if f.Name.Only {
		rel.Kind = OnlyKind
	}
	found, err := a.names.Relation(f.Name)
	if err != nil || found == nil {
		return nil, named, cmp.Or(err, error(bind.NoRelation(f.Name)))
	}
	ref := found.Ref()
	rel.ID, rel.RowName = ref.ID, rowName(found, a.Now.Numbered(ref.ID))
	rel.Cols = columnsOf(found, a.Now.Numbered(ref.ID))
	named = a.names.Named(found, f.Alias)
	named.Table, _ = found.(*catalog.Table)
	return rel, named, a.sampled(rel, f.Sample)
}

func (a clauses) sampled(rel *Relation, s *ast.Sample) (err error) {
	if s == nil {
		return nil
	}
	rel.Sample = &sample{Method: s.Method}
	for _, e := range s.Args {
		arg, err := a.expr(e)
		if err != nil {
			return err
		}
		rel.Sample.Args = append(rel.Sample.Args, arg)
	}
	if s.Repeatable != nil {
		rel.Sample.Repeatable, err = a.expr(s.Repeatable)
	}
	return err
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
	list, err := clause.Functions(f)
	if err != nil {
		return nil, err
	}
	for _, fn := range list {
		n, err := a.expr(fn.Tree)
		if err != nil {
			return nil, err
		}
		rel.Calls = append(rel.Calls, n)
		rel.Lateral = rel.Lateral || a.reads(n)
		rel.Name = cmp.Or(rel.Name, clause.ColumnName(fn.Tree))
		fields := maker(a).FieldsOf(n)
		if fn.Types != nil {
			row, err := fn.Defined(a.names.TypeNamed)
			if err != nil {
				return nil, err
			}
			fields = analyze.Fields{Names: row.Names, Types: row.Types}
		}
		rel.add(fn.Columns(fields, n.Type()))
		if f.Types != nil {
			rel.Types = fields.Types
		}
	}
	if f.Ordinality {
		rel.add([]clause.Column{clause.Ordinality()})
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
	a.items = slices.Concat(before, l)
	right, r, err := a.fromItem(f.Right)
	if err != nil {
		return nil, nil, err
	}
	out := &Join{Kind: f.Kind, Left: left, Right: right, UsingAlias: f.UsingAlias}
	out.Rel = &Relation{Kind: JoinKind, Alias: f.Alias, Aliases: f.Columns}
	items, err := a.joined(out, f, l, r)
	if err != nil {
		return nil, nil, err
	}
	a.q.Relations = append(a.q.Relations, out.Rel)
	if f.On != nil {
		a.items = slices.Concat(before, items)
		if out.On, err = a.analysis().Condition(f.On, "JOIN/ON"); err != nil {
			return nil, nil, err
		}
	}
	out.Rel.rename()
	if f.Alias != "" {
		items = []item{out.Rel.item()}
	}
	return out, items, nil
}

// joined gives a join its columns. What names can mean in it are the merged columns, its sides and the alias of USING.
func (a clauses) joined(j *Join, f *ast.FromJoin, l, r []item) ([]item, error) {
	left, right := relations(l), relations(r)
	names, err := bind.UsingNames(f, left, right)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		j.Using = append(j.Using, name.Name)
	}
	merged := &Relation{Kind: JoinKind, Name: f.UsingAlias}
	for i, name := range names {
		x, y, err := bind.UsingColumns(name, left, right)
		if err != nil {
			return nil, err
		}
		sides := [2]Column{l[x.Relation].cols[x.Column], r[y.Relation].cols[y.Column]}
		c, err := mergedColumn(j, i, sides, name.Pos)
		if err != nil {
			return nil, err
		}
		merged.Cols = append(merged.Cols, c)
	}
	items := slices.Concat(l, r)
	var first bind.Relation
	if names != nil {
		items = slices.Concat([]item{merged.item()}, items, []item{merged.item()})
		first.Cols = items[0].Cols
	}
	joined := bind.Joined(f, first, left, right)
	items = items[:len(joined)]
	for i, r := range joined {
		items[i].Relation = r
	}
	for _, v := range bind.NewScope(joined...).Visible() {
		c := items[v.Relation].cols[v.Column]
		j.Rel.Cols = append(j.Rel.Cols, Column{Name: c.Name, t: c.t, Expr: c.Expr})
	}
	return items, nil
}

// mergedColumn is the column that stands for those of both sides which one name in USING merges.
func mergedColumn(j *Join, i int, sides [2]Column, pos ast.Pos) (out Column, err error) {
	both := []Node{sides[0].Expr, sides[1].Expr}
	out.Name = j.Using[i]
	if out.t, err = analyze.Matched(both, "JOIN/USING", []ast.Pos{pos, pos}); err != nil {
		return out, err
	}
	out.Expr = &Merged{&j.Using[i], typed{out.t}}
	common := [2]bool{sides[0].t.Same(out.t), sides[1].t.Same(out.t)}
	if side := bind.MergedSide(j.Kind, common); side >= 0 && common[side] {
		out.Expr = both[side]
	}
	force(both[0], out.Name)
	force(both[1], out.Name)
	return out, nil
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
