package planner

import (
	"cmp"
	"maps"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// commonTables are the queries of WITH clauses that can be named, the innermost first.
type commonTables struct {
	name   string
	number int
	cols   []plan.Column
	// within tells what a query that is being planned must not do with its own name; nil
	// where it is a table like others.
	within *sqlerr.Error
	once   bool // the recursive term may name it only once
	later  bool // it cannot be named yet
	used   *int
	// depends are the slots that its query reads, which its readers then depend on, too.
	depends map[int]bool
	outer   *scope // around the WITH
	next    *commonTables
}

// find is the common table of a name, nil when there is none that can be named.
func (c *commonTables) find(name string) *commonTables {
	for ; c != nil; c = c.next {
		if c.name == name && !c.later {
			return c
		}
	}
	return nil
}

// refused are the common tables where a recursive term must not name the query that it is
// a part of.
func (c *commonTables) refused(where string) *commonTables {
	if c == nil {
		return nil
	}
	next := c.next.refused(where)
	if next == c.next && !c.once {
		return c
	}
	out := *c
	if out.next = next; c.once && c.within == nil {
		out.within = sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query %q must not appear within %s", c.name, where)
	}
	return &out
}

// explain says of a missing relation that it is a query of WITH which comes later.
func (c *commonTables) explain(name ast.Name, err error) error {
	missing, ok := err.(*sqlerr.Error)
	for ; ok && name.Schema == "" && c != nil; c = c.next {
		if c.name == name.Name && c.later {
			return missing.WithDetail("There is a WITH item named %q, but it cannot be referenced from this part of the query.", name.Name).
				WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
		}
	}
	return err
}

// common plans the use of a common table.
func (f *from) common(c *commonTables, item *ast.FromTable) (source, error) {
	if c.within != nil {
		return source{}, c.within.At(int(item.Name.Pos))
	}
	for s := f.scope; len(c.depends) > 0 && s != nil; s = s.outer {
		maps.Copy(s.link.depends, c.depends)
		if s.outer == c.outer {
			break
		}
	}
	if *c.used++; c.once && *c.used > 1 {
		return source{}, sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query %q must not appear more than once", c.name).At(int(item.Name.Pos))
	}
	n := plan.Ref{Number: c.number, Name: c.name, Alias: cmp.Or(item.Alias, c.name), Cols: c.cols}
	out, err := named(n, n.Alias, item.Columns)
	out.rels[0].recursive = c.once
	return out, err
}

// with plans the queries of a WITH around a body.
func (q *query) with(w *ast.With, body func() (plan.Node, error)) (plan.Node, error) {
	defer q.nesting.leave(len(w.Queries))
	if err := q.nesting.enter(len(w.Queries)); err != nil {
		return nil, err
	}
	var all []plan.With
	seen := map[string]bool{}
	before := q.around.tables
	for i, c := range w.Queries {
		if seen[c.Name] {
			return nil, sqlerr.New(sqlerr.DuplicateAlias, "WITH query name %q specified more than once", c.Name).At(int(c.Pos))
		}
		seen[c.Name] = true
		visible := q.around.tables
		for _, l := range w.Queries[i:] {
			q.around.tables = &commonTables{name: l.Name, later: true, next: q.around.tables}
		}
		n, err := q.linkedTable(w, c, visible)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	out, err := body()
	q.around.tables = before
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Input = out
		out = all[i]
	}
	return out, nil
}

// linkedTable plans one query and notes what it reads of the queries around it.
func (q *query) linkedTable(w *ast.With, c ast.CommonTable, visible *commonTables) (plan.With, error) {
	around := q.around.link
	if around == nil { // there are none
		return q.commonTable(w, c, visible)
	}
	own := &link{depends: map[int]bool{}}
	if around != nil { // the outermost query has no one to read of
		q.around.link = own
	}
	n, err := q.commonTable(w, c, visible)
	q.around.link = around
	if err != nil {
		return n, err
	}
	around.slots = append(around.slots, own.slots...)
	maps.Copy(around.depends, own.depends)
	q.around.tables.depends, q.around.tables.outer = own.depends, q.around.outer
	return n, nil
}

// commonTable plans one query and makes its name known to what follows.
func (q *query) commonTable(w *ast.With, c ast.CommonTable, visible *commonTables) (plan.With, error) {
	q.numbers++
	n := plan.With{Number: q.numbers, Name: c.Name, Always: c.Materialized == ast.MaterializedAlways}
	s, ok := c.Statement.(*ast.Select)
	if !ok {
		return q.writingTable(n, c, visible)
	}
	var err error
	if w.Recursive && s.SetOp != nil && s.SetOp.Kind == ast.Union {
		n.Query, err = q.recursiveTable(n.Number, c, s)
	} else {
		around := *q.around
		if w.Recursive {
			around.tables = &commonTables{name: c.Name, next: around.tables, within: sqlerr.New(sqlerr.InvalidRecursion,
				"recursive query %q does not have the form non-recursive-term UNION [ALL] recursive-term", c.Name).At(int(c.Pos))}
		}
		n.Query, err = q.newQuery(&around).plan(s)
	}
	if err != nil {
		return n, err
	}
	cols, err := withAliases(n.Query.Columns(), c)
	if err != nil {
		return n, err
	}
	used := 0
	q.around.tables = &commonTables{name: c.Name, number: n.Number, cols: cols, used: &used, next: visible}
	return n, nil
}

// writingTable plans a query of WITH that writes. Its rows are what it returns.
func (q *query) writingTable(n plan.With, c ast.CommonTable, visible *commonTables) (plan.With, error) {
	if q.around.outer != nil {
		return n, sqlerr.New(sqlerr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level").At(int(c.Pos))
	}
	around := *q.around
	around.tables = visible
	var err error
	if n.Query, err = q.planWrite(c.Statement, &around); err != nil {
		return n, err
	}
	cols, err := withAliases(n.Query.Columns(), c)
	if err != nil {
		return n, err
	}
	used := 0
	table := &commonTables{name: c.Name, number: n.Number, cols: cols, used: &used, next: visible}
	if cols == nil {
		table.within = sqlerr.New(sqlerr.FeatureNotSupported, "WITH query %q does not have a RETURNING clause", c.Name)
	}
	q.around.tables = table
	return n, nil
}

// apart wants what a query of WITH writes to be in no other part of the statement: all
// parts see the rows as they were before, and none those that another has written.
func apart(whole plan.Node) error {
	var err error
	var walk func(n plan.Node)
	walk = func(n plan.Node) {
		if w, ok := n.(plan.With); ok && err == nil {
			for _, t := range plan.Targets(w.Query) {
				if names(whole, t.ID, w.Number) {
					err = sqlerr.Unsupported("table %q in several parts of a statement whose WITH writes to it", t.Name)
				}
			}
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(whole)
	return err
}

// names says whether a plan reads or writes a table, but for the query of one With.
func names(n plan.Node, table uint32, but int) bool {
	if s, ok := n.(plan.Scan); ok && s.Table.ID == table {
		return true
	}
	if t := plan.Target(n); t != nil && t.ID == table {
		return true
	}
	in := n.Inputs()
	if w, ok := n.(plan.With); ok && w.Number == but {
		in = in[1:]
	}
	for _, x := range in {
		if names(x, table, but) {
			return true
		}
	}
	for _, s := range plan.Subqueries(n) {
		if names(s.Plan.(plan.Sub).Node, table, but) {
			return true
		}
	}
	return false
}

func withAliases(cols []plan.Column, c ast.CommonTable) ([]plan.Column, error) {
	if len(c.Columns) > len(cols) {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "WITH query %q has %d columns available but %d columns specified", c.Name, len(cols), len(c.Columns)).At(int(c.Pos))
	}
	return renamed(cols, c.Columns, c.Name)
}

// recursiveTable plans a query of WITH RECURSIVE, inside the WITH of its own.
func (q *query) recursiveTable(number int, c ast.CommonTable, s *ast.Select) (plan.Node, error) {
	if s.With == nil {
		return q.recursion(number, c, s)
	}
	around, body := *q.around, *s
	in := q.newQuery(&around)
	body.With = nil
	return in.with(s.With, func() (plan.Node, error) { return in.recursion(number, c, &body) })
}

// recursion plans a query of WITH RECURSIVE whose right side may name itself. One that
// does not is a UNION like others.
func (q *query) recursion(number int, c ast.CommonTable, s *ast.Select) (plan.Node, error) {
	around := *q.around
	outer := around.tables
	around.tables = &commonTables{name: c.Name, next: outer,
		within: sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query %q must not appear within its non-recursive term", c.Name)}
	in := q.newQuery(&around)
	base, err := in.branch(s.SetOp.Left)
	if err != nil {
		return nil, err
	}
	if err := base.known(in); err != nil {
		return nil, err
	}
	cols, err := withAliases(base.cols, c)
	if err != nil {
		return nil, err
	}
	used := 0
	around.tables = &commonTables{name: c.Name, number: number, cols: cols, once: true, used: &used, next: outer}
	step, err := in.branch(s.SetOp.Right)
	if err != nil {
		return nil, err
	}
	if used == 0 {
		around.tables = outer
		return q.newQuery(&around).plan(s)
	}
	if s.OrderBy != nil || s.Limit != nil || s.Offset != nil || s.Locking != nil {
		return nil, sqlerr.Unsupported("ORDER BY, LIMIT or FOR UPDATE in a recursive query").At(int(c.Pos))
	}
	if len(step.cols) != len(cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "each UNION query must have the same number of columns").At(int(step.pos[0]))
	}
	if err := q.sameTypes(c.Name, &base, &step); err != nil {
		return nil, err
	}
	return plan.Recursion{Number: number, Name: c.Name, Base: base.node, Step: step.node, Distinct: !s.SetOp.All, Cols: cols}, nil
}

// known makes texts of the literals of a branch that have no type.
func (b *branch) known(q *query) error {
	list := make([]expr.Expr, len(b.cols))
	cols := append([]plan.Column(nil), b.cols...)
	for i := range list {
		var err error
		if list[i], err = q.knownType(b.value(i), b.pos[i]); err != nil {
			return err
		}
		cols[i].Type = list[i].Type()
	}
	b.project(list, cols)
	b.cols = cols
	return nil
}

// sameTypes wants the rows of the step to have the types of those of the base.
func (q *query) sameTypes(name string, base, step *branch) error {
	cols, err := q.matched("UNION", base, step)
	if err != nil {
		return err
	}
	for i, c := range cols {
		if c.Type.OID != base.cols[i].Type.OID {
			return sqlerr.New(sqlerr.DatatypeMismatch, "recursive query %q column %d has type %s in non-recursive term but type %s overall", name, i+1, base.cols[i].Type, c.Type).
				WithHint("Cast the output of the non-recursive term to the correct type.").At(int(base.pos[i]))
		}
	}
	return nil
}
