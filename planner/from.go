package planner

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// source is an item of a FROM list: its rows, and the names for their columns.
type source struct {
	node plan.Node
	rels []relation
}

// from plans FROM items of one query.
type from struct {
	*Planner
	scope *scope // around the query: its outer scope, its link and its common tables
	hints []ast.Hint
	tree  any  // the statement whose FROM it is
	outer bool // some join in it makes rows of NULLs
}

// list plans a FROM list. Each item may read the ones before it laterally.
func (f *from) list(items []ast.From) (source, error) {
	if len(items) == 0 {
		return source{node: plan.Values{Rows: [][]expr.Expr{{}}}}, nil
	}
	defer f.nesting.leave(len(items))
	if err := f.nesting.enter(len(items)); err != nil {
		return source{}, err
	}
	all, err := f.item(items[0], f.scope)
	for _, item := range items[1:] {
		if err != nil {
			return all, err
		}
		all, err = f.join(&ast.FromJoin{Right: item}, all, f.scope)
	}
	return all, err
}

// item plans one item. What it reads laterally is found in a scope. A row that an outer join
// makes must be told from one of NULLs where the statement reads it as a whole.
func (f *from) item(item ast.From, lateral *scope) (source, error) {
	src, err := f.plain(item, lateral)
	if err != nil || !f.outer || len(src.rels) != 1 || src.rels[0].table != nil || src.rels[0].exprs != nil || !mentions(f.tree, src.rels[0].name) {
		return src, err
	}
	r, cols := &src.rels[0], src.node.Columns()
	n := plan.Project{Input: src.node, Cols: append(slices.Clone(cols), plan.Column{Type: types.Bool})}
	for i, c := range cols {
		n.Exprs = append(n.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	n.Exprs = append(n.Exprs, expr.Const{Value: types.NewBool(true), T: types.Bool})
	hidden := make([]bool, len(cols)+1)
	copy(hidden, r.hidden)
	hidden[len(cols)] = true
	r.cols, r.hidden, r.present, src.node = append(slices.Clone(r.cols), n.Cols[len(cols)]), hidden, len(cols), n
	return src, nil
}

func (f *from) plain(item ast.From, lateral *scope) (source, error) {
	switch item := item.(type) {
	case *ast.FromTable:
		return f.table(item)
	case *ast.FromSelect:
		if !item.Lateral {
			lateral = f.scope
		}
		return f.subselect(item, lateral)
	case *ast.FromFunction:
		return f.function(item, lateral)
	case *ast.FromJoin:
		defer f.nesting.leave(1)
		if err := f.nesting.enter(1); err != nil {
			return source{}, err
		}
		left, err := f.side(item.Left, lateral, item.Kind == ast.RightJoin || item.Kind == ast.FullJoin)
		if err != nil {
			return left, err
		}
		return f.join(item, left, lateral)
	default:
		return source{}, sqlerr.Unsupported("this kind of FROM item")
	}
}

// side plans a side of a join, of which an outer join may make rows of NULLs.
func (f *from) side(item ast.From, lateral *scope, nullable bool) (source, error) {
	if nullable {
		before := f.scope.tables
		f.scope.tables = before.refused("an outer join")
		defer func() { f.scope.tables = before }()
	}
	return f.item(item, lateral)
}

// table plans a table, a view or a common table by its name.
func (f *from) table(item *ast.FromTable) (source, error) {
	if item.Name.Schema == "" {
		if c := f.scope.tables.find(item.Name.Name); c != nil {
			return f.common(c, item)
		}
	}
	r, err := f.Relation(item.Name)
	if err != nil {
		return source{}, err
	}
	switch r := r.(type) {
	case *catalog.View:
		return f.view(r, item)
	case *catalog.Sequence:
		return f.sequenceRow(r, item)
	case *catalog.Virtual:
		return f.virtual(r, item)
	}
	t, err := f.from(item.Name)
	if err != nil {
		return source{}, f.scope.tables.explain(item.Name, err)
	}
	rel, scan, err := f.scanTable(t, item.Alias, item.Columns)
	if err != nil {
		return source{}, err
	}
	rel.needs = f.need(t, catalog.MaySelect)
	scan.Hints = f.hintsFor(f.hints, t, rel.name)
	if scan.Holds, err = f.holds(t); err != nil {
		return source{}, err
	}
	return source{node: scan, rels: []relation{rel}}, nil
}

func (f *from) subselect(item *ast.FromSelect, around *scope) (source, error) {
	if item.Alias == "" {
		return source{}, sqlerr.New(sqlerr.SyntaxError, "subquery in FROM must have an alias").
			WithHint("For example, FROM (SELECT ...) [AS] foo.").At(int(item.Pos))
	}
	q := f.newQuery(around.inside())
	n, err := q.plan(item.Select)
	if err != nil {
		return source{}, err
	}
	out, err := named(n, item.Alias, item.Columns)
	if err == nil && q.scope != nil {
		out.rels[0].needs = q.scope.needs()
	}
	return out, err
}

// named gives the rows of a node the name of a FROM item.
func named(n plan.Node, alias string, aliases []string) (source, error) {
	cols, err := renamed(n.Columns(), aliases, alias)
	return source{node: n, rels: []relation{{name: alias, cols: cols}}}, err
}

// renamed gives columns the aliases of a FROM item.
func renamed(cols []plan.Column, aliases []string, alias string) ([]plan.Column, error) {
	if len(aliases) > len(cols) {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "table %q has %d columns available but %d columns specified", alias, len(cols), len(aliases))
	}
	out := append([]plan.Column(nil), cols...)
	for i, a := range aliases {
		out[i].Name = a
	}
	return out, nil
}

// join plans the join of a source with an item.
func (f *from) join(item *ast.FromJoin, left source, lateral *scope) (source, error) {
	beside := newScope(left.rels...)
	beside.outer, beside.tables = lateral, lateral.tables
	beside.link = &link{depends: map[int]bool{}}
	if lateral == f.scope { // the same query, which is not crossed
		beside.outer, beside.link = f.scope.outer, f.scope.link
	} else {
		lateral.links = append(lateral.links, beside.link)
	}
	f.scope.lists(left.rels)
	right, err := f.side(item.Right, beside, item.Kind == ast.LeftJoin || item.Kind == ast.FullJoin)
	if err != nil {
		return source{}, err
	}
	f.scope.lists(right.rels)
	n := plan.Join{Kind: joinKinds[item.Kind], Left: left.node, Right: right.node}
	for _, l := range beside.links {
		n.Slots = append(n.Slots, l.slots...)
	}
	if len(n.Slots) > 0 && (item.Kind == ast.RightJoin || item.Kind == ast.FullJoin) {
		return source{}, sqlerr.New(sqlerr.InvalidColumnReference, "the combining JOIN type must be INNER or LEFT for a LATERAL reference").At(int(item.Pos))
	}
	if err := f.Env.Tick(planUnits * (1 + len(left.rels))); err != nil {
		return source{}, err
	}
	right.rels = shifted(right.rels, plan.Width(left.node))
	return f.joined(item, n, left.rels, right.rels)
}

var joinKinds = map[ast.JoinKind]plan.JoinKind{
	ast.InnerJoin: plan.InnerJoin, ast.LeftJoin: plan.LeftJoin, ast.RightJoin: plan.RightJoin, ast.FullJoin: plan.FullJoin,
}

// shifted moves relations behind columns to the left of them.
func shifted(rels []relation, by int) []relation {
	out := slices.Clone(rels)
	for i := range out {
		r := &out[i]
		r.first += by
		if r.exprs == nil {
			continue
		}
		exprs := make([]expr.Expr, len(r.exprs))
		for k, e := range r.exprs {
			exprs[k] = expr.Shift(e, by)
		}
		r.exprs = exprs
	}
	return out
}

// joined plans the condition of a join and names its columns.
func (f *from) joined(item *ast.FromJoin, n plan.Join, left, right []relation) (source, error) {
	for _, r := range right {
		if r.name != "" && slices.ContainsFunc(left, func(l relation) bool { return l.name == r.name && l.schema == r.schema }) {
			return source{}, sqlerr.New(sqlerr.DuplicateAlias, "table name %q specified more than once", r.name)
		}
	}
	left = nullable(left, n.Kind == plan.RightJoin || n.Kind == plan.FullJoin)
	right = nullable(right, n.Kind == plan.LeftJoin || n.Kind == plan.FullJoin)
	out := source{rels: slices.Concat(left, right)}
	using := item.Using
	if item.Natural {
		using = f.naturalColumns(left, right)
	}
	switch {
	case len(using) > 0:
		merged, on, err := f.using(n.Kind, using, left, right)
		if err != nil {
			return out, err
		}
		n.On, out.rels = on, mergedRelations(merged, left, right)
		if item.UsingAlias != "" {
			alias := merged
			alias.name, alias.merged = item.UsingAlias, slices.Repeat([]bool{true}, len(merged.cols))
			out.rels = append(out.rels, alias)
		}
	case item.On != nil:
		sc := &scalars{Planner: f.Planner, scope: f.scope.beside(out.rels), where: "JOIN conditions"}
		on, err := sc.condition(item.On, "JOIN/ON")
		if err != nil {
			return out, err
		}
		n.On = on
	}
	out.node = n
	if item.Alias == "" {
		return out, nil
	}
	exprs, cols := f.scope.beside(out.rels).all(-1)
	if len(item.Columns) > len(cols) {
		return out, sqlerr.New(sqlerr.InvalidColumnReference, "join expression %q has %d columns available but %d columns specified", item.Alias, len(cols), len(item.Columns))
	}
	alias := relation{name: item.Alias, exprs: exprs}
	for _, r := range out.rels {
		alias.hides = append(append(alias.hides, r.hides...), r.name)
	}
	cols, err := renamed(cols, item.Columns, item.Alias)
	alias.cols = cols
	out.rels = []relation{alias}
	return out, err
}

// nullable marks relations that an outer join may make a row of NULLs of.
func nullable(rels []relation, is bool) []relation {
	if !is {
		return rels
	}
	out := slices.Clone(rels)
	for i := range out {
		out[i].nullable = true
	}
	return out
}

// naturalColumns are the names that both sides of a NATURAL join have.
func (f *from) naturalColumns(left, right []relation) (out []ast.ColumnName) {
	_, theirs := f.scope.beside(right).all(-1)
	_, ours := f.scope.beside(left).all(-1)
	for _, c := range ours {
		if slices.ContainsFunc(theirs, func(d plan.Column) bool { return d.Name == c.Name }) {
			out = append(out, ast.ColumnName{Name: c.Name, Pos: -1})
		}
	}
	return out
}

// using plans the equalities of USING, and the columns that stand for both sides': those
// of the side that always has a row.
func (f *from) using(kind plan.JoinKind, names []ast.ColumnName, left, right []relation) (relation, expr.Expr, error) {
	var merged relation
	var all []expr.Expr
	sc := &scalars{Planner: f.Planner, scope: newScope(), where: "JOIN/USING"}
	for _, name := range names {
		l, lc, err := f.usingColumn(name, left, "left")
		if err != nil {
			return merged, nil, err
		}
		r, rc, err := f.usingColumn(name, right, "right")
		if err != nil {
			return merged, nil, err
		}
		equal, err := sc.compare("=", l, r, name.Pos)
		if err != nil {
			return merged, nil, err
		}
		all = append(all, equal)
		both, t, err := sc.common([]expr.Expr{l, r}, "JOIN/USING", []ast.Pos{name.Pos, name.Pos})
		if err != nil {
			return merged, nil, err
		}
		col, e := lc, both[0]
		switch kind {
		case plan.RightJoin:
			col, e = rc, both[1]
		case plan.FullJoin:
			col, e = plan.Column{}, expr.Coalesce{Args: both, T: t}
		}
		if e.Type() != col.Type {
			col = plan.Column{Type: e.Type()}
		}
		col.Name = name.Name
		merged.cols, merged.exprs = append(merged.cols, col), append(merged.exprs, e)
	}
	return merged, expr.Conjoin(all), nil
}

func (f *from) usingColumn(name ast.ColumnName, rels []relation, side string) (expr.Expr, plan.Column, error) {
	s := newScope(rels...)
	found := -1
	exprs, cols := s.all(name.Pos)
	for i, c := range cols {
		if c.Name != name.Name {
			continue
		}
		if found >= 0 {
			return nil, c, sqlerr.New(sqlerr.AmbiguousColumn, "common column name %q appears more than once in %s table", name.Name, side).At(int(name.Pos))
		}
		found = i
	}
	if found < 0 {
		return nil, plan.Column{}, sqlerr.New(sqlerr.UndefinedColumn, "column %q specified in USING clause does not exist in %s table", name.Name, side).At(int(name.Pos))
	}
	return exprs[found], cols[found], nil
}

// mergedRelations puts the merged columns first and hides those that they stand for.
func mergedRelations(merged relation, left, right []relation) []relation {
	out := slices.Concat([]relation{merged}, left, right)
	for k := 1; k < len(out); k++ {
		r := &out[k]
		marks := make([]bool, len(r.cols))
		for i, c := range r.cols {
			same := func(m plan.Column) bool { return m.Name == c.Name }
			marks[i] = r.is(r.merged, i) || slices.ContainsFunc(merged.cols, same)
		}
		r.merged = marks
	}
	return out
}

// scanTable is a scan of all columns of a table.
func (p *Planner) scanTable(t *catalog.Table, alias string, aliases []string) (relation, plan.Scan, error) {
	rel := relation{schema: t.Schema, name: cmp.Or(alias, t.Name), table: t, rowType: p.rowOf(t)}
	if rel.name != t.Name {
		rel.behind = t.Name
	}
	if alias != "" {
		rel.schema = ""
	}
	scan := plan.Scan{Table: t, Alias: rel.name}
	now, ok := p.Catalog.Present(t.ID).(*catalog.Table)
	for i, c := range t.Columns {
		scan.Reads = append(scan.Reads, i)
		rel.hidden = append(rel.hidden, c.Hidden)
		rel.later = append(rel.later, c.Hidden && ok && len(now.Columns) == len(t.Columns) && !now.Columns[i].Hidden)
	}
	if alive := plan.Alive(t); alive != nil {
		scan.Filter = []expr.Expr{alive}
	}
	scan.Cols = plan.TableColumns(t, scan.Reads)
	cols, err := renamed(scan.Cols, aliases, rel.name)
	rel.cols = cols
	return rel, scan, err
}

// hintsFor are the hints that concern a table. They need not be written in the case of names.
func (p *Planner) hintsFor(hints []ast.Hint, t *catalog.Table, alias string) []plan.Hint {
	var out []plan.Hint
	for _, h := range hints {
		if h.Table == "" || strings.EqualFold(h.Table, t.Name) || strings.EqualFold(h.Table, alias) {
			p.hinted = append(p.hinted, h.Pos)
			out = append(out, plan.Hint{
				Forbid: h.Name == "ignore_index" || h.Name == "no_index_merge", Merge: strings.HasSuffix(h.Name, "index_merge"), Indexes: indexesNamed(t, h.Indexes),
			})
		}
	}
	return out
}

// indexesNamed are names as those of indexes of a table: of exactly that name, or else of one that
// differs in the case of letters.
func indexesNamed(t *catalog.Table, names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		at := slices.IndexFunc(t.Indexes, func(x catalog.Index) bool { return strings.EqualFold(x.Name, name) })
		if t.Index(name) == nil && at >= 0 {
			out[i] = t.Indexes[at].Name
		}
	}
	return out
}

// missed notes the hints that concern none of the tables that have been planned.
func (p *Planner) missed(hints []ast.Hint) {
	for _, h := range hints {
		if h.Table != "" && !slices.Contains(p.hinted, h.Pos) {
			p.Missed = append(p.Missed, h)
		}
	}
}
