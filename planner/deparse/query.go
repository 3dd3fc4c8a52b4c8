package deparse

import (
	"cmp"
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// query is a SELECT after its analysis.
type query struct {
	tables    []*commonTable
	recursive bool
	relations []*relation // all of it, in the order in which they get their names
	from      []fromItem
	where     node
	targets   []target
	distinct  bool
	on        []node
	group     []node
	having    node
	windows   []*window
	order     []sortItem
	limit     node
	offset    node
	ties      bool
	limitAll  bool
	locks     []ast.Locking
	set       *setOp
	simple    [][]node // the rows of VALUES
}

// target is an item of a select list.
type target struct {
	expr node
	name string
}

// setOp is a set operation; its sides are a query or another one.
type setOp struct {
	kind        ast.SetKind
	all         bool
	left, right setSide
}

type setSide struct {
	query *query
	op    *setOp
}

// commonTable is a query of a WITH.
type commonTable struct {
	name         string
	columns      []string // as written
	query        *query
	cols         []column
	materialized ast.Materialized
}

// window is a window, with a name or without.
type window struct {
	name, ref  string
	bare       bool // OVER name
	partition  []node
	order      []sortItem
	frame      *ast.Frame
	start, end node
}

// inner is an analyzer of a query within this one.
func (a *analyzer) inner() *analyzer {
	return &analyzer{source: a.source, names: a.names.inner(), q: &query{}, outer: a}
}

// query analyzes a query in its surroundings, which see the columns of around.
func (a *analyzer) query(s *ast.Select, open bool) (*query, error) {
	in := a.inner()
	return in.q, in.analyze(s, open)
}

// analyze analyzes a query. Literals of the select list of an open one stay unknown.
func (a *analyzer) analyze(s *ast.Select, open bool) error {
	if s.With != nil {
		if err := a.with(s.With); err != nil {
			return err
		}
	}
	var err error
	switch {
	case s.SetOp != nil:
		err = a.setOperation(s)
	case s.Values != nil:
		err = a.values(s)
	default:
		err = a.plain(s, open)
	}
	if err != nil {
		return err
	}
	a.q.locks, a.q.ties, a.q.limitAll = s.Locking, s.WithTies, s.LimitAll
	if a.q.limit, err = a.count(s.Limit); err == nil {
		a.q.offset, err = a.count(s.Offset)
	}
	return err
}

func (a *analyzer) count(e ast.Expr) (node, error) {
	if e == nil {
		return nil, nil
	}
	n, err := a.expr(e)
	if err != nil {
		return nil, err
	}
	return a.coerce(n, types.OIDInt8, types.Assignment, implicitCast)
}

func (a *analyzer) plain(s *ast.Select, open bool) error {
	err := a.fromList(s.From)
	if err != nil {
		return err
	}
	for i := range s.Windows {
		w, err := a.window(&s.Windows[i])
		if err != nil {
			return err
		}
		a.q.windows = append(a.q.windows, w)
	}
	if a.q.targets, err = a.targets(s.Targets, open); err != nil {
		return err
	}
	if s.Where != nil {
		if a.q.where, err = a.boolean(a.expr(s.Where)); err != nil {
			return err
		}
	}
	if s.Having != nil {
		if a.q.having, err = a.boolean(a.expr(s.Having)); err != nil {
			return err
		}
	}
	if err := a.orderBy(s); err != nil {
		return err
	}
	for _, e := range s.GroupBy {
		n, _, err := a.listed(e, true)
		if err != nil {
			return err
		}
		a.q.group = append(a.q.group, n)
	}
	a.q.distinct = s.Distinct
	for _, e := range s.DistinctOn {
		n, _, err := a.listed(e, false)
		if err != nil {
			return err
		}
		a.q.on = append(a.q.on, n)
	}
	return nil
}

func (a *analyzer) targets(list []ast.Target, open bool) ([]target, error) {
	var out []target
	for _, t := range list {
		if all, ok, err := a.several(t.Expr); ok {
			if err != nil {
				return nil, err
			}
			out = append(out, all...)
			continue
		}
		n, err := a.expr(t.Expr)
		if err == nil && !open {
			n, err = a.known(n)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, target{n, cmp.Or(t.Alias, bind.ColumnName(t.Expr))})
	}
	return out, nil
}

func (a *analyzer) orderBy(s *ast.Select) error {
	for _, o := range s.OrderBy {
		n, place, err := a.listed(o.Expr, false)
		if err != nil {
			return err
		}
		item := sortOf(n, o)
		item.place = place
		a.q.order = append(a.q.order, item)
	}
	return nil
}

// listed is an expression of ORDER BY, GROUP BY or DISTINCT ON, which may name or number an
// item of the select list, whose place it then tells. A column comes before a name of the select list where
// input is set.
func (a *analyzer) listed(e ast.Expr, input bool) (node, int, error) {
	if l, ok := e.(*ast.Literal); ok && l.Kind == ast.LiteralInt {
		at, _ := strconv.Atoi(l.Text)
		if at < 1 || at > len(a.q.targets) {
			return nil, 0, sqlerr.New(sqlerr.InvalidColumnReference, "position %d is not in select list", at)
		}
		n, err := a.known(a.q.targets[at-1].expr)
		return n, at, err
	}
	if c, ok := e.(*ast.Column); ok && len(c.Parts) == 1 {
		if input {
			if n, err := a.ownColumn(c); n != nil || err != nil {
				return n, 0, err
			}
		}
		for i, t := range a.q.targets {
			if t.name == c.Parts[0] {
				n, err := a.known(t.expr)
				return n, i + 1, err
			}
		}
	}
	n, err := a.expr(e)
	if err != nil {
		return nil, 0, err
	}
	n, err = a.known(n)
	return n, 0, err
}

// values analyzes VALUES: all columns of a relation of its own.
func (a *analyzer) values(s *ast.Select) error {
	rel, err := a.valuesRelation(s.Values)
	if err != nil {
		return err
	}
	a.q.simple, a.q.from = rel.values, []fromItem{rel}
	a.q.relations = append(a.q.relations, rel)
	a.items = []item{rel.item()}
	for i, c := range rel.cols {
		a.q.targets = append(a.q.targets, target{&variable{rel, i, c.t}, c.name})
	}
	return a.orderBy(s)
}

func (a *analyzer) valuesRelation(rows [][]ast.Expr) (*relation, error) {
	rel := &relation{kind: valuesKind, name: "*VALUES*", values: make([][]node, len(rows))}
	nodes := make([][]node, len(rows))
	for i, r := range rows {
		var err error
		if nodes[i], err = a.rowArgs(r); err != nil {
			return nil, err
		}
	}
	for at := range nodes[0] {
		var list []node
		for _, r := range nodes {
			if at >= len(r) {
				return nil, sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length")
			}
			list = append(list, r[at])
		}
		list, t, err := a.common(list)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rel.values[i] = append(rel.values[i], list[i])
		}
		rel.cols = append(rel.cols, column{name: "column" + strconv.Itoa(at+1), t: t})
	}
	return rel, nil
}

// setOperation analyzes UNION and its like. ORDER BY names its columns.
func (a *analyzer) setOperation(s *ast.Select) error {
	op, cols, err := a.setTree(s.SetOp)
	if err != nil {
		return err
	}
	a.q.set = op
	rel := &relation{cols: cols}
	for i, c := range cols {
		a.q.targets = append(a.q.targets, target{&variable{rel, i, c.t}, c.name})
	}
	return a.orderBy(s)
}

func (a *analyzer) setTree(s *ast.SetOp) (*setOp, []column, error) {
	left, l, err := a.setSide(s.Left)
	if err != nil {
		return nil, nil, err
	}
	right, r, err := a.setSide(s.Right)
	if err != nil {
		return nil, nil, err
	}
	if len(l) != len(r) {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns", "UNION")
	}
	for i := range l {
		t := commonType([]node{&caseTest{l[i].t}, &caseTest{r[i].t}})
		for _, side := range []setSide{left, right} {
			if err := side.settle(a, i, t); err != nil {
				return nil, nil, err
			}
		}
		if l[i].t.OID != t || l[i].t != r[i].t {
			l[i].t = types.Of(t)
		}
	}
	return &setOp{s.Kind, s.All, left, right}, l, nil
}

// settle gives a literal of a side the type of its column.
func (s setSide) settle(a *analyzer, at int, t types.OID) (err error) {
	if s.query == nil || s.query.set != nil {
		return nil
	}
	if c, ok := s.query.targets[at].expr.(*constant); ok && c.t.OID == types.OIDUnknown {
		s.query.targets[at].expr, err = a.coerce(c, t, types.Implicit, implicitCast)
	}
	return err
}

func (a *analyzer) setSide(s *ast.Select) (setSide, []column, error) {
	alone := s.OrderBy == nil && s.Limit == nil && s.Offset == nil && s.Locking == nil && s.With == nil
	if s.SetOp != nil && alone {
		op, cols, err := a.setTree(s.SetOp)
		return setSide{op: op}, cols, err
	}
	q, err := a.query(s, true)
	if err != nil {
		return setSide{}, nil, err
	}
	n := 1
	for slices.ContainsFunc(a.q.relations, func(r *relation) bool { return r.name == "*SELECT* "+strconv.Itoa(n) }) {
		n++
	}
	a.q.relations = append(a.q.relations, &relation{kind: queryKind, name: "*SELECT* " + strconv.Itoa(n), query: q})
	return setSide{query: q}, q.columns(), nil
}

// columns are those that a query makes.
func (q *query) columns() []column {
	out := make([]column, len(q.targets))
	for i, t := range q.targets {
		out[i] = column{name: t.name, t: t.expr.typ()}
	}
	return out
}

// with analyzes WITH. What is recursive has the columns of its first part.
func (a *analyzer) with(w *ast.With) error {
	a.q.recursive = w.Recursive
	for _, c := range w.Queries {
		s, ok := c.Statement.(*ast.Select)
		if !ok {
			return sqlerr.Unsupported("printing WITH that writes")
		}
		t := &commonTable{name: c.Name, columns: c.Columns, materialized: c.Materialized}
		if w.Recursive && s.SetOp != nil {
			probe, err := a.query(s.SetOp.Left, true)
			if err != nil {
				return err
			}
			t.named(probe)
			a.names.tables = append(a.names.tables, t)
		}
		var err error
		if t.query, err = a.query(s, false); err != nil {
			return err
		}
		t.named(t.query)
		if !slices.Contains(a.names.tables, t) {
			a.names.tables = append(a.names.tables, t)
		}
		a.q.tables = append(a.q.tables, t)
	}
	return nil
}

func (t *commonTable) named(q *query) {
	t.cols = q.columns()
	for i := range t.cols {
		if i < len(t.columns) {
			t.cols[i].name = t.columns[i]
		}
		if t.cols[i].t.OID == types.OIDUnknown {
			t.cols[i].t = types.Text
		}
	}
}

// window analyzes a window.
func (a *analyzer) window(w *ast.Window) (*window, error) {
	out := &window{name: w.Name, ref: w.Ref, bare: w.Bare, frame: w.Frame}
	for _, e := range w.PartitionBy {
		n, err := a.expr(e)
		if err == nil {
			n, err = a.known(n)
		}
		if err != nil {
			return nil, err
		}
		out.partition = append(out.partition, n)
	}
	var err error
	if out.order, err = a.sorted(w.OrderBy); err != nil || w.Frame == nil {
		return out, err
	}
	if out.start, err = a.frameOffset(w.Frame, w.Frame.Start, out.order); err == nil {
		out.end, err = a.frameOffset(w.Frame, w.Frame.End, out.order)
	}
	return out, err
}

// frameOffset is how far a frame reaches: a number, or with RANGE what its order takes.
func (a *analyzer) frameOffset(f *ast.Frame, b ast.FrameBound, order []sortItem) (node, error) {
	if b.Offset == nil {
		return nil, nil
	}
	n, err := a.expr(b.Offset)
	if err != nil {
		return nil, err
	}
	to := types.OIDInt8
	if f.Mode == ast.RangeFrame {
		to = n.typ().OID
		if len(order) == 1 && to == types.OIDUnknown {
			to = order[0].expr.typ().OID
			if category := types.InfoOf(to).Category; category == types.CategoryDate {
				to = types.OIDInterval
			}
		}
	}
	return a.coerce(n, to, types.Implicit, implicitCast)
}

// subquery analyzes a query in an expression.
func (a *analyzer) subquery(e *ast.Subquery) (node, error) {
	switch e.Kind {
	case ast.AnySubquery:
		return a.tested(e, anyQuery)
	case ast.AllSubquery:
		return a.tested(e, allQuery)
	}
	q, err := a.query(e.Select, false)
	if err != nil {
		return nil, err
	}
	out := &subquery{kind: existsQuery, query: q, t: types.Bool}
	if e.Kind != ast.ExistsSubquery {
		out.kind, out.t = scalarQuery, q.targets[0].expr.typ()
	}
	if e.Kind == ast.ArraySubquery {
		out.kind = arrayQuery
		t := out.t
		if out.t, _ = types.ArrayOf(t); types.InfoOf(t.OID).Kind == types.KindArray {
			out.t = t
		}
	}
	return out, nil
}

// tested is a comparison with the rows of a query.
func (a *analyzer) tested(e *ast.Subquery, kind subqueryKind) (node, error) {
	q, err := a.query(e.Select, false)
	if err != nil {
		return nil, err
	}
	list := []ast.Expr{e.Left}
	if r, ok := e.Left.(*ast.Row); ok {
		list = r.Args
	}
	left, err := a.rowArgs(list)
	if err != nil {
		return nil, err
	}
	if len(left) != len(q.targets) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has a wrong number of columns")
	}
	out := &subquery{kind: kind, query: q, t: types.Bool}
	for i, n := range left {
		o, err := a.operation(e.Operator, []node{n, &caseTest{q.targets[i].expr.typ()}})
		if err != nil {
			return nil, err
		}
		op := o.(*operation)
		out.sign, out.left = op.sign, append(out.left, op.args[0])
	}
	return out, nil
}
