package planner

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// source is an item of a FROM list: its rows, and the names for their columns.
type source struct {
	node  plan.Node
	rels  []bind.Relation
	items []lockable
}

// from plans FROM items of one query.
type from struct {
	*Planner
	scope  *bind.Scope // around the query: its outer scope, its link and its common tables
	hints  []ast.Hint
	tree   any  // the statement whose FROM it is
	outer  bool // some join in it makes rows of NULLs
	ranged bool // some table is read in a range of timestamps
	// declared says that scans know what their tables declare of rows.
	declared bool
	locking  locking
	// nullable says that an outer join may make a row of NULLs of the item that is planned.
	nullable bool
}

// list plans a FROM list. Each item may read the ones before it laterally.
func (f *from) list(items []ast.From) (source, error) {
	if len(items) == 0 {
		return source{node: plan.Values{Rows: [][]expr.Expr{{}}}}, nil
	}
	defer f.Nesting.Leave(len(items))
	if err := f.Nesting.Enter(len(items)); err != nil {
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
func (f *from) item(item ast.From, lateral *bind.Scope) (source, error) {
	src, err := f.plain(item, lateral)
	if err != nil || !f.outer || len(src.rels) != 1 || src.rels[0].Table != nil || src.rels[0].Exprs != nil ||
		!mentions(f.tree, src.rels[0].Name) {
		return src, err
	}
	r, n := &src.rels[0], present(src.node)
	last := len(n.Cols) - 1
	r.Cols, r.Present, src.node = append(slices.Clone(r.Cols), n.Cols[last]), last, n
	r.Mark(bind.Hidden, func(i int) bool { return i == last })
	return src, nil
}

// present adds a column that is true in each row, so that it is NULL in those which an outer join makes.
func present(rows plan.Node) plan.Project {
	cols := rows.Columns()
	n := plan.Project{Input: rows, Cols: append(slices.Clone(cols), plan.Column{Type: types.Bool})}
	for i, c := range cols {
		n.Exprs = append(n.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	n.Exprs = append(n.Exprs, expr.Const{Value: types.NewBool(true), T: types.Bool})
	return n
}

func (f *from) plain(item ast.From, lateral *bind.Scope) (source, error) {
	switch item := item.(type) {
	case *ast.FromTable:
		return f.sampled(item, lateral)
	case *ast.FromSelect:
		if !item.Lateral {
			lateral = f.scope
		}
		return f.subselect(item, lateral)
	case *ast.FromFunction:
		src, err := f.function(item, lateral)
		return src.unlockable("a function"), err
	case *ast.FromJoin:
		defer f.Nesting.Leave(1)
		if err := f.Nesting.Enter(1); err != nil {
			return source{}, err
		}
		left, err := f.side(item.Left, lateral, item.Kind == ast.RightJoin || item.Kind == ast.FullJoin)
		if err != nil {
			return left, err
		}
		src, err := f.join(item, left, lateral)
		for _, name := range []string{item.Alias, item.UsingAlias} {
			if name != "" {
				src.items = append(src.items, lockable{name: name, kind: "a join"})
			}
		}
		return src, err
	default:
		return source{}, sqlerr.Unsupported("this kind of FROM item")
	}
}

// side plans a side of a join, of which an outer join may make rows of NULLs.
func (f *from) side(item ast.From, lateral *bind.Scope, nullable bool) (source, error) {
	if nullable {
		before, outside := f.scope.Tables, f.nullable
		f.scope.Tables, f.nullable = before.Refused("an outer join"), true
		defer func() { f.scope.Tables, f.nullable = before, outside }()
	}
	return f.item(item, lateral)
}

// table plans a table, a view or a common table by its name.
func (f *from) table(item *ast.FromTable) (source, error) {
	if c := f.scope.Tables.Find(item.Name); c != nil {
		src, err := f.common(c, item)
		return src.unlockable("a WITH query"), err
	}
	r, err := f.Relation(item.Name)
	if err != nil {
		return source{}, err
	}
	switch r := r.(type) {
	case *catalog.View:
		return f.view(r, item)
	case *catalog.Sequence:
		if f.locking.of(cmp.Or(item.Alias, r.Name)) != nil {
			return source{}, sqlerr.New(sqlerr.WrongObjectType, "cannot lock rows in sequence %q", r.Name)
		}
		src, err := f.sequenceRow(r, item)
		return src.unlockable(""), err
	case *catalog.Virtual:
		src, err := f.virtual(r, item)
		return src.unlockable(""), err
	}
	t, err := f.from(item.Name)
	if err != nil {
		return source{}, f.scope.Tables.Explain(item.Name, err)
	}
	rel, scan, err := f.scanTable(t, item.Alias, item.Columns)
	if err != nil {
		return source{}, err
	}
	rel.Needs = f.Need(t, catalog.MaySelect)
	if f.locking.of(rel.Name) != nil && t.Materialized != nil {
		return source{}, sqlerr.New(sqlerr.WrongObjectType, "cannot lock rows in materialized view %q", t.Name)
	}
	scan.Hints = f.hintsFor(f.hints, t, rel.Name)
	if err = f.indexed(&scan); err != nil {
		return source{}, err
	}
	as := lockable{name: rel.Name, needs: rel.Needs}
	if t.Foreign == nil { // nothing can lock rows that lie elsewhere
		as.lock = f.locking.of(rel.Name)
	}
	scan.Write = as.lock != nil
	node, err := f.timed(scan, item.Name)
	if err != nil {
		return source{}, err
	}
	if scan, ok := node.(plan.Scan); ok {
		as.scan = &scan
		numbered := f.numbered(t)
		if numbered {
			rel.AddTableOID(t.ID)
		}
		node, err = f.leaves(scan, item.Name, numbered)
		// The rows of heirs are locked where they are read, also those that conditions above leave out.
		if err == nil && as.lock != nil && t.Partitioning == nil && len(f.read(t, item.Name.Only)) > 1 {
			as.scan, as.within = nil, true
			node, err = f.lockWithin(node, *as.lock)
		}
	} else if as.lock != nil { // the rows are made of older values
		as.within = true
		node, err = f.lockWithin(node, *as.lock)
	}
	if err == nil {
		node, err = f.visible(node, t, as.lock != nil)
	}
	return source{node: node, rels: []bind.Relation{rel}, items: []lockable{as}}, err
}

// unlockable is the source with its item as one of which no rows are locked: a clause must not name one of a kind.
func (s source) unlockable(kind string) source {
	if len(s.rels) > 0 {
		s.items = []lockable{{name: s.rels[0].Name, kind: kind}}
	}
	return s
}

// timed is a scan in the range of timestamps that a SELECT gives. What such a scan finds is of rows of which no check
// is known to hold; only a scan of whole rows may know what its table declares.
func (f *from) timed(scan plan.Scan, n ast.Name) (plan.Node, error) {
	if _, selects := f.tree.(*ast.Select); !selects {
		return scan, nil
	}
	r, err := readTimes(scan.Table, n, f.hints)
	switch {
	case err != nil:
		return scan, err
	case r == nil && f.declared:
		scan.Declared, err = f.Stored().Declared(scan.Table)
		return scan, err
	case r == nil:
		return scan, nil
	}
	f.ranged = true
	return r.of(scan), nil
}

func (f *from) subselect(item *ast.FromSelect, around *bind.Scope) (source, error) {
	if item.Alias == "" {
		return source{}, sqlerr.New(sqlerr.SyntaxError, "subquery in FROM must have an alias").
			WithHint("For example, FROM (SELECT ...) [AS] foo.").At(int(item.Pos))
	}
	q := f.newQuery(around.Inside())
	q.locking = f.lockingOf(item.Alias)
	n, err := q.plan(item.Select)
	if err != nil {
		return source{}, err
	}
	cols := n.Columns()
	if q.lifted {
		cols = q.cols
	}
	if cols, err = renamed(cols, item.Columns, item.Alias); err != nil {
		return source{}, err
	}
	out := itemOf(q, n, item.Alias, cols)
	if q.Scope != nil {
		out.rels[0].Needs = q.Scope.Needs()
	}
	return out, nil
}

// lockingOf is what a query that is an item of FROM is to lock.
func (f *from) lockingOf(name string) locking {
	lock := f.locking.of(name)
	return locking{around: lock, lift: lock != nil && !f.nullable, view: f.locking.view}
}

// named gives the rows of a node the name of a FROM item.
func named(n plan.Node, alias string, aliases []string) (source, error) {
	cols, err := renamed(n.Columns(), aliases, alias)
	return source{node: n, rels: []bind.Relation{{Name: alias, Cols: cols}}}, err
}

// renamed gives columns the aliases of a FROM item.
func renamed(cols []plan.Column, aliases []string, alias string) ([]plan.Column, error) {
	if len(aliases) > len(cols) {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference,
			"table %q has %d columns available but %d columns specified", alias, len(cols), len(aliases))
	}
	out := append([]plan.Column(nil), cols...)
	for i, a := range aliases {
		out[i].Name = a
	}
	return out, nil
}

// join plans the join of a source with an item.
func (f *from) join(item *ast.FromJoin, left source, lateral *bind.Scope) (source, error) {
	rightScope := bind.NewScope(left.rels...)
	rightScope.Outer, rightScope.Tables = lateral, lateral.Tables
	rightScope.Link = &bind.Link{Depends: map[int]bool{}}
	if lateral == f.scope { // the same query, which is not crossed
		rightScope.Outer, rightScope.Link = f.scope.Outer, f.scope.Link
	} else {
		lateral.Links = append(lateral.Links, rightScope.Link)
	}
	f.scope.Lists(left.rels)
	right, err := f.side(item.Right, rightScope, item.Kind == ast.LeftJoin || item.Kind == ast.FullJoin)
	if err != nil {
		return source{}, err
	}
	f.scope.Lists(right.rels)
	n := plan.Join{Kind: joinKinds[item.Kind], Left: left.node, Right: right.node}
	for _, l := range rightScope.Links {
		n.Slots = append(n.Slots, l.Slots...)
	}
	if len(n.Slots) > 0 && (item.Kind == ast.RightJoin || item.Kind == ast.FullJoin) {
		return source{}, sqlerr.New(sqlerr.InvalidColumnReference,
			"the combining JOIN type must be INNER or LEFT for a LATERAL reference").At(int(item.Pos))
	}
	if err := f.Env.Tick(bind.PlanUnits * (1 + len(left.rels))); err != nil {
		return source{}, err
	}
	right.rels = shifted(right.rels, plan.Width(left.node))
	out, err := f.joined(item, n, left.rels, right.rels)
	out.items = append(left.items, moved(right.items, plan.Width(left.node))...)
	return out, err
}

var joinKinds = map[ast.JoinKind]plan.JoinKind{
	ast.InnerJoin: plan.InnerJoin, ast.LeftJoin: plan.LeftJoin, ast.RightJoin: plan.RightJoin,
	ast.FullJoin: plan.FullJoin,
}

// shifted moves relations behind columns to the left of them.
func shifted(rels []bind.Relation, by int) []bind.Relation {
	out := slices.Clone(rels)
	for i := range out {
		r := &out[i]
		r.First += by
		if r.Exprs == nil {
			continue
		}
		exprs := make([]expr.Expr, len(r.Exprs))
		for k, e := range r.Exprs {
			exprs[k] = expr.Shift(e, by)
		}
		r.Exprs = exprs
	}
	return out
}

// joined plans the condition of a join and names its columns.
func (f *from) joined(item *ast.FromJoin, n plan.Join, left, right []bind.Relation) (source, error) {
	names, err := bind.UsingNames(item, left, right)
	if err != nil {
		return source{}, err
	}
	left = nullable(left, n.Kind == plan.RightJoin || n.Kind == plan.FullJoin)
	right = nullable(right, n.Kind == plan.LeftJoin || n.Kind == plan.FullJoin)
	var merged bind.Relation
	if merged, n.On, err = f.using(item.Kind, names, left, right); err != nil {
		return source{}, err
	}
	out := source{rels: bind.Joined(item, merged, left, right)}
	if item.On != nil {
		sc := f.expressions(f.scope.Sibling(out.rels), "JOIN conditions")
		if n.On, err = sc.Condition(item.On, "JOIN/ON"); err != nil {
			return out, err
		}
	}
	out.node = n
	if item.Alias == "" {
		return out, nil
	}
	around := f.scope.Sibling(out.rels)
	exprs, cols := around.All()
	if len(item.Columns) > len(cols) {
		return out, sqlerr.New(sqlerr.InvalidColumnReference,
			"join expression %q has %d columns available but %d columns specified", item.Alias, len(cols),
			len(item.Columns))
	}
	alias := bind.Relation{Name: item.Alias, Exprs: exprs, Needs: around.Needs()}
	for _, r := range out.rels {
		alias.Hides = append(append(alias.Hides, r.Hides...), r.Name)
	}
	alias.Cols, err = renamed(cols, item.Columns, item.Alias)
	out.rels = []bind.Relation{alias}
	return out, err
}

// nullable marks relations that an outer join may make a row of NULLs of.
func nullable(rels []bind.Relation, is bool) []bind.Relation {
	if !is {
		return rels
	}
	out := slices.Clone(rels)
	for i := range out {
		out[i].Nullable = true
	}
	return out
}

// using plans the equalities of USING, and the columns that stand for those of both sides.
func (f *from) using(kind ast.JoinKind, names []ast.ColumnName, left, right []bind.Relation) (
	bind.Relation, expr.Expr, error) {
	var merged bind.Relation
	var all []expr.Expr
	sc := f.expressions(bind.NewScope(), "JOIN/USING")
	for _, name := range names {
		lv, rv, err := bind.UsingColumns(name, left, right)
		if err != nil {
			return merged, nil, err
		}
		l, lc := left[lv.Relation].Named(lv.Column, name.Pos)
		r, rc := right[rv.Relation].Named(rv.Column, name.Pos)
		equal, err := sc.Compare("=", l, r, name.Pos)
		if err != nil {
			return merged, nil, err
		}
		all = append(all, equal)
		both, t, err := sc.Common([]expr.Expr{l, r}, "JOIN/USING", []ast.Pos{name.Pos, name.Pos})
		if err != nil {
			return merged, nil, err
		}
		col, e := mergedColumn(kind, [2]plan.Column{lc, rc}, both, t)
		col.Name = name.Name
		merged.Cols, merged.Exprs = append(merged.Cols, col), append(merged.Exprs, e)
	}
	return merged, expr.Conjoin(all), nil
}

// mergedColumn is the column that stands for one of either side.
func mergedColumn(kind ast.JoinKind, cols [2]plan.Column, both []expr.Expr, t types.T) (plan.Column, expr.Expr) {
	var common [2]bool
	for side := range both {
		_, ok := both[side].(expr.Column)
		common[side] = ok && cols[side].Type.Same(t)
	}
	side := bind.MergedSide(kind, common)
	if side < 0 {
		return plan.Column{Type: t}, expr.Coalesce{Args: both, T: t}
	}
	if cols[side].Type.Same(t) {
		return cols[side], both[side]
	}
	if c, ok := both[side].(expr.Column); ok {
		c.T = t // without the modifier that the other side has not
		return plan.Column{Type: t}, c
	}
	return plan.Column{Type: t}, both[side]
}

// scanTable is a scan of all columns of a table.
func (p *Planner) scanTable(t *catalog.Table, alias string, aliases []string) (bind.Relation, plan.Scan, error) {
	rel := p.OfTable(t, alias)
	scan := plan.Scan{Table: t, Alias: rel.Name, Reads: t.StoredOrdinals(nil), Cols: allColumns(t)}
	if alive := lifetime.Alive(t); alive != nil {
		scan.Filter = []expr.Expr{alive}
	}
	var err error
	rel.Cols, err = renamed(rel.Cols, aliases, rel.Name)
	return rel, scan, err
}

// hintsFor are the hints that concern a table. They need not be written in the case of names.
func (p *Planner) hintsFor(hints []ast.Hint, t *catalog.Table, alias string) []plan.Hint {
	var out []plan.Hint
	for _, h := range hints {
		if h.Timed() {
			continue
		}
		if h.Join != nil {
			if h.Join.Names(alias) {
				p.hinted = append(p.hinted, h.Pos)
				p.Missed = slices.DeleteFunc(p.Missed, func(m ast.Hint) bool { return m.Pos == h.Pos })
				out = append(out, plan.Hint{Join: h.Join})
			}
			continue
		}
		if h.Table == "" || strings.EqualFold(h.Table, t.Name) || strings.EqualFold(h.Table, alias) {
			p.hinted = append(p.hinted, h.Pos)
			out = append(out, plan.Hint{
				Forbid: h.Name == "ignore_index" || h.Name == "no_index_merge",
				Merge:  strings.HasSuffix(h.Name, "index_merge"), Indexes: indexesNamed(t, h.Indexes),
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

// missed notes the hints that concern none of the tables that have been planned. One about joins may belong to several
// queries, and concern a table of a later one.
func (p *Planner) missed(hints []ast.Hint) {
	for _, h := range hints {
		if h.Join != nil {
			h.Table = h.Join.Tables[0]
		}
		known := slices.ContainsFunc(p.Missed, func(m ast.Hint) bool { return m.Pos == h.Pos })
		if h.Table != "" && !known && !slices.Contains(p.hinted, h.Pos) {
			p.Missed = append(p.Missed, h)
		}
	}
}
