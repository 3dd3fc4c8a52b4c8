package planner

import (
	"cmp"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// planSelect plans a SELECT or VALUES. The steps are those of SQL: FROM, WHERE, groups,
// HAVING, the select list, DISTINCT, ORDER BY, LIMIT.
func (p *Planner) planSelect(s *ast.Select) (plan.Node, []plan.Column, error) {
	q := &query{scalars: scalars{Planner: p, aggs: &aggregates{}}}
	n, err := q.plan(s)
	return n, q.cols, err
}

func (q *query) plan(s *ast.Select) (plan.Node, error) {
	if s.Values != nil {
		return q.planValues(s)
	}
	if s.DistinctOn != nil {
		return nil, sqlerr.Unsupported("SELECT DISTINCT ON").At(int(s.Pos))
	}
	var err error
	if q.input, q.scope, err = q.planFrom(s); err != nil {
		return nil, err
	}
	if s.Where != nil {
		where, err := (&scalars{Planner: q.Planner, scope: q.scope, where: "WHERE"}).condition(s.Where, "WHERE")
		if err != nil {
			return nil, err
		}
		q.input = plan.Filter{Input: q.input, Cond: where}
	}
	if err := q.targets(s.Targets); err != nil {
		return nil, err
	}
	keys, err := q.orderBy(s)
	if err != nil {
		return nil, err
	}
	if err := q.group(s, keys); err != nil {
		return nil, err
	}
	return q.limit(q.shape(s, keys), s)
}

// query is one SELECT while it is planned: its select list over the columns of input.
type query struct {
	scalars
	input plan.Node
	list  []expr.Expr
	pos   []ast.Pos // of the select list
	cols  []plan.Column
	// open leaves literals and parameters of the select list without a type, for an
	// INSERT to give them those of its columns.
	open bool
}

// targets plans the select list.
func (q *query) targets(list []ast.Target) error {
	for _, t := range list {
		if star, ok := t.Expr.(*ast.Star); ok {
			exprs, cols, err := q.scope.star(star)
			if err != nil {
				return err
			}
			q.list, q.cols = append(q.list, exprs...), append(q.cols, cols...)
			q.pos = append(q.pos, slices.Repeat([]ast.Pos{star.Pos}, len(cols))...)
			continue
		}
		e, err := q.expr(t.Expr)
		if err != nil {
			return err
		}
		if !q.open {
			if e, err = q.knownType(e, t.Pos); err != nil {
				return err
			}
		}
		name := t.Alias
		if name == "" {
			name = columnName(t.Expr)
		}
		q.list, q.cols = append(q.list, e), append(q.cols, q.scope.origin(e, name))
		q.pos = append(q.pos, start(t.Expr))
	}
	return checkTargets(len(q.cols))
}

// maxTargets is how many columns PostgreSQL returns; the protocol counts them in 16 bits.
const maxTargets = 1664

func checkTargets(n int) error {
	if n > maxTargets {
		return sqlerr.New(sqlerr.TooManyColumns, "target lists can have at most %d entries", maxTargets)
	}
	return nil
}

// columnName is the name of a column without an alias, as PostgreSQL chooses it.
func columnName(e ast.Expr) string {
	if name := strongName(e); name != "" {
		return name
	}
	switch e := e.(type) {
	case *ast.Cast:
		if info, ok := types.Lookup(e.Type.Name); ok {
			return info.Name
		}
		return e.Type.Name
	case *ast.Case:
		if e.Else != nil {
			if name := strongName(e.Else); name != "" {
				return name
			}
		}
		return "case"
	}
	return "?column?"
}

// strongName is the name of an expression that has one of its own.
func strongName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Column:
		return e.Parts[len(e.Parts)-1]
	case *ast.Call:
		return e.Name
	case *ast.Cast:
		return strongName(e.Arg)
	case *ast.Coalesce:
		return "coalesce"
	case *ast.NullIf:
		return "nullif"
	case *ast.Extreme:
		if e.Least {
			return "least"
		}
		return "greatest"
	}
	return ""
}

// sortKey is an ORDER BY expression: an item of the select list, or of its own.
type sortKey struct {
	plan.SortKey
	item int // -1: not in the select list
}

// orderBy plans ORDER BY: a number or the name of a column of the result means that
// column, anything else is an expression over the columns of FROM.
func (q *query) orderBy(s *ast.Select) ([]sortKey, error) {
	var keys []sortKey
	for _, o := range s.OrderBy {
		k := sortKey{item: -1}
		k.Desc = o.Desc
		k.NullsFirst = o.Nulls == ast.NullsFirst || o.Nulls == ast.NullsDefault && o.Desc
		item, err := q.listItem(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		if item >= 0 {
			k.item, k.Expr = item, q.list[item]
		} else if k.Expr, err = q.expr(o.Expr); err != nil {
			return nil, err
		}
		if k.Expr, err = q.knownType(k.Expr, start(o.Expr)); err != nil {
			return nil, err
		}
		if !ordered(k.Expr.Type()) {
			return nil, sqlerr.New(sqlerr.UndefinedFunction, "could not identify an ordering operator for type %s", k.Expr.Type()).
				WithHint("Use an explicit ordering operator or modify the query.").At(int(start(o.Expr)))
		}
		if k.item < 0 {
			k.item = indexOf(q.list, k.Expr)
		}
		if s.Distinct && k.item < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list").At(int(start(o.Expr)))
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// listItem is the item of the select list that an expression of ORDER BY or GROUP BY
// means by its number or name, -1 for none.
func (q *query) listItem(e ast.Expr, clause string) (int, error) {
	switch e := e.(type) {
	case *ast.Literal:
		if e.Kind != ast.LiteralInt {
			return -1, sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause).At(int(e.Pos))
		}
		n, err := strconv.Atoi(e.Text)
		if err != nil || n < 1 || n > len(q.list) {
			return -1, sqlerr.New(sqlerr.InvalidColumnReference, "%s position %s is not in select list", clause, e.Text).At(int(e.Pos))
		}
		return n - 1, nil
	case *ast.Column:
		if len(e.Parts) != 1 {
			return -1, nil
		}
		return q.byName(e, clause)
	}
	return -1, nil
}

func (q *query) byName(e *ast.Column, clause string) (int, error) {
	if clause == "GROUP BY" { // there, a column of FROM comes first
		if _, err := q.scope.column(e); err == nil {
			return -1, nil
		}
	}
	found := -1
	for i, c := range q.cols {
		if c.Name != e.Parts[0] {
			continue
		}
		if found >= 0 && !expr.Equal(q.list[found], q.list[i]) {
			return -1, sqlerr.New(sqlerr.AmbiguousColumn, "%s %q is ambiguous", clause, e.Parts[0]).At(int(e.Pos))
		}
		found = i
	}
	return found, nil
}

func indexOf(list []expr.Expr, e expr.Expr) int {
	for i, x := range list {
		if expr.Equal(x, e) {
			return i
		}
	}
	return -1
}

// shape puts the select list, DISTINCT and ORDER BY above the input. Rows are sorted
// before the select list is computed, so that an index may bring the order; after
// DISTINCT only the select list is left to sort by.
func (q *query) shape(s *ast.Select, keys []sortKey) plan.Node {
	var sorts []plan.SortKey
	for _, k := range keys {
		if s.Distinct {
			k.Expr = expr.Column{Index: k.item, Name: q.cols[k.item].Name, T: q.list[k.item].Type()}
		}
		sorts = append(sorts, k.SortKey)
	}
	n := q.input
	if len(sorts) > 0 && !s.Distinct {
		n = plan.Sort{Input: n, Keys: sorts}
	}
	n = plan.Project{Input: n, Exprs: q.list, Cols: q.cols}
	if s.Distinct {
		n = plan.Distinct{Input: n}
		if len(sorts) > 0 {
			n = plan.Sort{Input: n, Keys: sorts}
		}
	}
	return n
}

// limit puts LIMIT and OFFSET on top.
func (q *query) limit(n plan.Node, s *ast.Select) (plan.Node, error) {
	if s.Limit == nil && s.Offset == nil {
		return n, nil
	}
	count, err := q.rowCount(s.Limit, "LIMIT")
	if err != nil {
		return nil, err
	}
	offset, err := q.rowCount(s.Offset, "OFFSET")
	return plan.Limit{Input: n, Count: count, Offset: offset}, err
}

// rowCount plans the argument of LIMIT or OFFSET, which no row may decide.
func (q *query) rowCount(e ast.Expr, clause string) (expr.Expr, error) {
	if e == nil {
		return nil, nil
	}
	given, err := (&scalars{Planner: q.Planner, scope: q.scope, where: clause}).expr(e)
	if err != nil {
		return nil, err
	}
	out, ok, err := q.coerce(given, types.Int8, types.Assignment, start(e))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", clause, types.Of(given.Type().OID)).At(int(start(e)))
	}
	read := map[int]bool{}
	expr.Columns(out, read)
	for i := range read {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", clause).At(int(q.scope.said[i]))
	}
	return out, nil
}

// planFrom plans the FROM list.
func (p *Planner) planFrom(s *ast.Select) (plan.Node, *scope, error) {
	switch len(s.From) {
	case 0:
		return plan.Values{Rows: [][]expr.Expr{{}}}, newScope(), nil
	case 1:
	default:
		return nil, nil, sqlerr.Unsupported("a join of several FROM items").At(int(s.Pos))
	}
	switch f := s.From[0].(type) {
	case *ast.FromTable:
		t, err := p.from(f.Name)
		if err != nil {
			return nil, nil, err
		}
		rel, scan, err := p.scanTable(t, f.Alias, f.Columns)
		if err != nil {
			return nil, nil, err
		}
		scan.Hints = hintsFor(s.Hints, t, rel.name)
		return scan, newScope(rel), nil
	case *ast.FromSelect:
		return p.planSubselect(f)
	default:
		return nil, nil, sqlerr.Unsupported("this kind of FROM item")
	}
}

func (p *Planner) planSubselect(f *ast.FromSelect) (plan.Node, *scope, error) {
	if f.Alias == "" {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "subquery in FROM must have an alias").
			WithHint("For example, FROM (SELECT ...) [AS] foo.").At(int(f.Pos))
	}
	n, cols, err := p.planSelect(f.Select)
	if err != nil {
		return nil, nil, err
	}
	if cols, err = renamed(cols, f.Columns, f.Alias); err != nil {
		return nil, nil, err
	}
	return n, newScope(relation{name: f.Alias, cols: cols}), nil
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

// scanTable is a scan of all columns of a table.
func (p *Planner) scanTable(t *catalog.Table, alias string, aliases []string) (relation, plan.Scan, error) {
	rel := relation{schema: t.Schema, name: cmp.Or(alias, t.Name)}
	if rel.name != t.Name {
		rel.behind = t.Name
	}
	scan := plan.Scan{Table: t, Alias: rel.name}
	for i, c := range t.Columns {
		scan.Reads = append(scan.Reads, i)
		rel.hidden = append(rel.hidden, c.Hidden)
	}
	scan.Cols = plan.TableColumns(t, scan.Reads)
	cols, err := renamed(scan.Cols, aliases, rel.name)
	rel.cols = cols
	return rel, scan, err
}

// hintsFor are the hints that concern a table.
func hintsFor(hints []ast.Hint, t *catalog.Table, alias string) []plan.Hint {
	var out []plan.Hint
	for _, h := range hints {
		if h.Table == "" || h.Table == t.Name || h.Table == alias {
			out = append(out, plan.Hint{Forbid: h.Name == "ignore_index", Indexes: h.Indexes})
		}
	}
	return out
}

func unequalRows(row []ast.Expr) error {
	return sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").At(int(start(row[0])))
}

// planValues plans VALUES rows, with ORDER BY and LIMIT.
func (q *query) planValues(s *ast.Select) (plan.Node, error) {
	width := len(s.Values[0])
	if err := checkTargets(width); err != nil {
		return nil, err
	}
	v := plan.Values{Rows: make([][]expr.Expr, len(s.Values))}
	for i, row := range s.Values {
		if len(row) != width {
			return nil, unequalRows(row)
		}
		v.Rows[i] = make([]expr.Expr, width)
	}
	sc := &scalars{Planner: q.Planner, scope: newScope(), where: "VALUES"}
	for col := range width {
		list := make([]ast.Expr, len(s.Values))
		for i, row := range s.Values {
			list[i] = row[col]
		}
		all, t, err := sc.commonOf(list, "VALUES")
		if err != nil {
			return nil, err
		}
		for i := range all {
			v.Rows[i][col] = all[i]
		}
		v.Cols = append(v.Cols, plan.Column{Name: "column" + strconv.Itoa(col+1), Type: t})
	}
	q.scope, q.input, q.cols = newScope(relation{name: "*VALUES*", cols: v.Cols}), v, v.Cols
	q.aggs, q.where = nil, "VALUES"
	for i, c := range v.Cols {
		q.list, q.pos = append(q.list, expr.Column{Index: i, Name: c.Name, T: c.Type}), append(q.pos, -1)
	}
	keys, err := q.orderBy(s)
	if err != nil {
		return nil, err
	}
	var n plan.Node = v
	if len(keys) > 0 {
		n = q.shape(s, keys)
	}
	return q.limit(n, s)
}
