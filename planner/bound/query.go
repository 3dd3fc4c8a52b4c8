package bound

import (
	"reflect"
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/sqlerr"
)

// Query is a SELECT after its analysis.
type Query struct {
	With      With
	Relations []*Relation // all of it, in the order in which they get their names
	From      []FromItem
	Where     Node
	Targets   []Target
	Distinct  bool
	On        []Node
	Group     groups
	Having    Node
	Windows   []*Window
	Order     []SortItem
	Limits    Limits
	Locks     []ast.Locking
	Set       *SetOp
	Simple    [][]Node // the rows of VALUES
}

// With is the queries of a WITH.
type With struct {
	Tables    []*CommonTable
	Recursive bool
}

// Limits say which rows of a query are left.
type Limits struct {
	Limit, Offset Node // nil: none
	Ties          bool
	All           bool // LIMIT ALL
}

// Target is an item of a select list.
type Target struct {
	Expr Node
	Name string
}

// CommonTable is a query of a WITH.
type CommonTable struct {
	Name         string
	Columns      []string // as written
	Query        *Query
	Materialized ast.Materialized
	Search       *ast.Search
	Cycle        *ast.Cycle
	Marks        [2]Node // the values of the column that Cycle marks
}

// inner is an analyzer of a query within this one.
func (a *analyzer) inner() *analyzer {
	return &analyzer{Source: a.Source, names: a.names.inner(), q: &Query{}, outer: a}
}

// query analyzes a query in its surroundings, which see the columns of around.
func (a *analyzer) query(s *ast.Select, open bool) (*Query, error) {
	in := a.inner()
	return in.q, clauses{in}.analyze(s, open)
}

// clauses analyzes the clauses of a query.
type clauses struct{ *analyzer }

// analyze analyzes a query. Literals of the select list of an open one stay unknown.
func (a clauses) analyze(s *ast.Select, open bool) error {
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
	a.q.Locks, a.q.Limits.Ties, a.q.Limits.All = s.Locking, s.WithTies, s.LimitAll
	if s.Limit != nil {
		a.q.Limits.Limit, err = clause.RowCount(a.analysis(), s.Limit, "LIMIT")
	}
	if s.Offset != nil && err == nil {
		a.q.Limits.Offset, err = clause.RowCount(a.analysis(), s.Offset, "OFFSET")
	}
	return err
}

func (a clauses) plain(s *ast.Select, open bool) error {
	err := a.fromList(s.From)
	if err != nil {
		return err
	}
	a.windows = s.Windows
	for i := range s.Windows {
		w, err := a.window(&s.Windows[i])
		if err != nil {
			return err
		}
		a.q.Windows = append(a.q.Windows, w)
	}
	if err := clause.Targets[Node](a.analysis(), s.Targets, open, selectList(a)); err != nil {
		return err
	}
	if s.Where != nil {
		if a.q.Where, err = a.analysis().Condition(s.Where, "WHERE"); err != nil {
			return err
		}
	}
	if s.Having != nil {
		if a.q.Having, err = a.analysis().Condition(s.Having, "HAVING"); err != nil {
			return err
		}
	}
	if err := a.orderBy(s); err != nil {
		return err
	}
	if err := a.groupBy(s); err != nil {
		return err
	}
	a.q.Distinct = s.Distinct
	for _, e := range s.DistinctOn {
		n, _, err := a.listed(e, clause.DistinctOn)
		if err != nil {
			return err
		}
		a.q.On = append(a.q.On, n)
	}
	return nil
}

// selectList is the select list of a query.
type selectList struct{ *analyzer }

// Star implements clause.SelectList.
func (l selectList) Star(e *ast.Star) error {
	vars, err := l.scope().Starred(e)
	for _, v := range vars {
		it := l.item(v)
		l.Add(it.made(v.Column), it.Cols[v.Column].Name, e.Pos)
	}
	return err
}

// Add implements clause.SelectList.
func (l selectList) Add(n Node, name string, _ ast.Pos) {
	l.q.Targets = append(l.q.Targets, Target{n, name})
}

// Len implements clause.SelectList.
func (l selectList) Len() int { return len(l.q.Targets) }

// Item implements clause.SelectList.
func (l selectList) Item(i int) (Node, string) { return l.q.Targets[i].Expr, l.q.Targets[i].Name }

// Same implements clause.SelectList.
func (l selectList) Same(i, k int) bool {
	return reflect.DeepEqual(l.q.Targets[i].Expr, l.q.Targets[k].Expr)
}

// Reads implements clause.SelectList.
func (l selectList) Reads(e *ast.Column) bool { return l.scope().Has(e) }

// listed is an expression of a clause, with its ordinal in the select list, from 1 on.
func (a clauses) listed(e ast.Expr, in string) (Node, int, error) {
	n, item, err := clause.Listed[Node](a.analysis(), e, in, selectList(a))
	return n, item + 1, err
}

func (a clauses) orderBy(s *ast.Select) error {
	for _, o := range s.OrderBy {
		n, ordinal, err := a.listed(o.Expr, clause.OrderBy)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(a.q.Order, func(s SortItem) bool { return reflect.DeepEqual(s.Expr, n) }) {
			continue // which decides nothing any more
		}
		by, err := clause.SortBy(a.analysis(), n, o)
		if err != nil {
			return err
		}
		a.q.Order = append(a.q.Order, SortItem{by, ordinal})
	}
	return nil
}

// values analyzes VALUES: all columns of a relation of its own.
func (a clauses) values(s *ast.Select) error {
	rel := &Relation{Kind: ValuesKind, Name: "*VALUES*"}
	var cols []clause.Column
	var err error
	if rel.Values, cols, err = clause.Values(a.analysis(), s.Values); err != nil {
		return err
	}
	rel.add(cols)
	a.q.Simple, a.q.From = rel.Values, []FromItem{rel}
	a.q.Relations = append(a.q.Relations, rel)
	a.items = []item{rel.item()}
	for i, c := range rel.Cols {
		a.q.Targets = append(a.q.Targets, Target{&Variable{rel, i, typed{c.t}}, c.Name})
	}
	return a.orderBy(s)
}

// columns are those that a query makes.
func (q *Query) columns() []Column {
	out := make([]Column, len(q.Targets))
	for i, t := range q.Targets {
		out[i] = Column{Name: t.Name, t: t.Expr.Type()}
	}
	return out
}

// with analyzes WITH. What is recursive has the columns of its first part.
func (a clauses) with(w *ast.With) error {
	a.q.With.Recursive = w.Recursive
	for _, c := range w.Queries {
		s, ok := c.Statement.(*ast.Select)
		if !ok {
			return sqlerr.Unsupported("printing WITH that writes")
		}
		t := &CommonTable{Name: c.Name, Columns: c.Columns, Materialized: c.Materialized, Search: c.Search,
			Cycle: c.Cycle}
		around := a.names.tables
		var err error
		if s := bind.Recursive(w, c); s != nil {
			base, err := a.query(s.SetOp.Left, false)
			if err != nil {
				return err
			}
			if err := a.names.add(t, c, around, base); err != nil {
				return err
			}
			if err := a.traversal(t, c); err != nil {
				return err
			}
		}
		added := a.names.tables
		if t.Query, err = a.query(s, false); err != nil {
			return err
		}
		if err := a.names.add(t, c, around, t.Query); err != nil {
			return err
		}
		if c.Search != nil || c.Cycle != nil {
			a.names.tables.Cols = added.Cols
		}
		a.q.With.Tables = append(a.q.With.Tables, t)
	}
	return nil
}

// traversal adds the columns of SEARCH and CYCLE to those of a recursive query.
func (a clauses) traversal(t *CommonTable, c ast.CommonTable) error {
	own := a.names.tables
	names := make([]string, len(own.Cols))
	for i, col := range own.Cols {
		names[i] = col.Name
	}
	made, err := clause.NewTraversal[Node](a.analysis(), c, names)
	if err != nil || made == nil {
		return err
	}
	t.Marks = [2]Node{made.Value, made.Default}
	all := bind.Relation{Cols: own.Cols}
	for _, col := range made.Columns {
		all.Add(col.Name, col.Type)
	}
	own.Cols, own.Added = all.Cols, len(made.Columns)
	return nil
}
