package deparse

import (
	"strings"

	"zproxy/parser/ast"
	"zproxy/planner/bound"
)

// queryPrinter prints the clauses of a query.
type queryPrinter struct{ *printer }

// inner is a printer of a query within another one.
func (p *printer) inner(q *bound.Query) queryPrinter {
	c := *p
	c.query, c.outer, c.prefix = q, p, true
	return queryPrinter{&c}
}

// print prints a whole query. Names are what its columns are called outside; visible is
// whether anybody sees them.
func (p queryPrinter) print(names []string, visible bool) {
	p.nameRelations()
	q := p.query
	p.with()
	if q.Set != nil {
		p.setOperation(q.Set, names, visible)
	} else {
		p.plain(names, visible)
	}
	if q.Order != nil {
		p.keyword(" ORDER BY ", -indentStep, indentStep, 1)
		p.order(q.Order, q.Set != nil)
	}
	if q.Limits.Offset != nil {
		p.keyword(" OFFSET ", -indentStep, indentStep, 0)
		p.expr(q.Limits.Offset, false)
	}
	p.limit()
	p.locks()
}

func (p queryPrinter) limit() {
	q := p.query
	switch {
	case q.Limits.All:
		p.keyword(" LIMIT ", -indentStep, indentStep, 0)
		p.put("ALL")
	case q.Limits.Limit == nil:
	case q.Limits.Ties:
		p.keyword(" FETCH FIRST ", -indentStep, indentStep, 0)
		p.parens(true, q.Limits.Limit, false)
		p.put(" ROWS WITH TIES")
	default:
		p.keyword(" LIMIT ", -indentStep, indentStep, 0)
		p.expr(q.Limits.Limit, false)
	}
}

func (p queryPrinter) locks() {
	for _, l := range p.query.Locks {
		var names []string
		for _, r := range p.query.Relations {
			if r.ID == 0 && r.Kind != bound.QueryKind || p.of(r).ref == "" {
				continue
			}
			for _, t := range l.Tables {
				if t.Name == r.Called() {
					names = append(names, p.of(r).ref)
				}
			}
			if l.Tables == nil {
				names = append(names, p.of(r).ref)
			}
		}
		for _, name := range names {
			p.keyword(" FOR "+strings.ToUpper(l.Strength), -indentStep, indentStep, 0)
			p.put(" OF ", quote(name))
			if l.NoWait {
				p.put(" NOWAIT")
			}
			if l.SkipLocked {
				p.put(" SKIP LOCKED")
			}
		}
	}
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote(name)
	}
	return strings.Join(out, ", ")
}

func (p queryPrinter) plain(names []string, visible bool) {
	q := p.query
	if p.indent {
		p.level += indentStep
		p.put(" ")
	}
	if rows := onlyValues(q, names); rows != nil {
		p.values(rows)
		return
	}
	p.put("SELECT")
	switch {
	case q.On != nil:
		p.put(" DISTINCT ON (")
		p.listed(q.On)
		p.put(")")
	case q.Distinct:
		p.put(" DISTINCT")
	}
	p.targets(names, visible)
	for i, f := range q.From {
		if i == 0 {
			p.keyword(" FROM ", -indentStep, indentStep, 2)
			p.fromItem(f)
			continue
		}
		p.put(", ")
		p.item(p.capture(func() { p.fromItem(f) }), false, false)
	}
	if q.Where != nil {
		p.keyword(" WHERE ", -indentStep, indentStep, 1)
		p.expr(q.Where, false)
	}
	p.groupBy()
	if q.Having != nil {
		p.keyword(" HAVING ", -indentStep, indentStep, 0)
		p.expr(q.Having, false)
	}
	for i, w := range q.Windows {
		if i == 0 {
			p.keyword(" WINDOW ", -indentStep, indentStep, 1)
		} else {
			p.put(", ")
		}
		p.put(quote(w.Name), " AS ")
		p.window(w)
	}
}

// onlyValues are the rows of a query that is nothing but VALUES, under its own names.
func onlyValues(q *bound.Query, names []string) [][]bound.Node {
	if q.Simple == nil {
		return nil
	}
	for i := range q.Targets {
		if i < len(names) && names[i] != "column"+itoa(i+1) {
			return nil
		}
	}
	return q.Simple
}

func (p queryPrinter) values(rows [][]bound.Node) {
	p.put("VALUES ")
	for i, r := range rows {
		if i > 0 {
			p.put(", ")
		}
		p.put("(")
		for k, n := range r {
			if k > 0 {
				p.put(",")
			}
			if v, ok := n.(*bound.Variable); ok {
				p.variable(v, true)
			} else {
				p.expr(n, false)
			}
		}
		p.put(")")
	}
}

func (p queryPrinter) targets(names []string, visible bool) {
	broken := false
	p.put(" ")
	for i, t := range p.query.Targets {
		if i > 0 {
			p.put(", ")
		}
		text := p.capture(func() {
			own := ""
			switch e := t.Expr.(type) {
			case *bound.Variable:
				own = p.variable(e, true)
			case *bound.Merged:
				p.expr(e, true)
				own = *e.Name
			default:
				p.expr(e, true)
				if !visible {
					own = "?column?"
				}
			}
			name := t.Name
			if i < len(names) {
				name = names[i]
			}
			if name != own {
				p.put(" AS ", quote(name))
			}
		})
		p.item(text, i == 0, broken)
		broken = p.indent && strings.Contains(strings.TrimPrefix(text, "\n"), "\n")
	}
}

func (p queryPrinter) setOperation(op *bound.SetOp, names []string, visible bool) {
	subindent := 0
	parens := op.Left.Op != nil && (op.Left.Op.Kind != op.Kind || op.Left.Op.All != op.All)
	if parens {
		p.put("(")
		subindent = indentStep
		p.keyword("", subindent, 0, 0)
	}
	p.side(op.Left, names, visible)
	switch {
	case parens:
		p.keyword(") ", -subindent, 0, 0)
	case p.indent:
		p.keyword("", -subindent, 0, 0)
	default:
		p.put(" ")
	}
	p.put([...]string{"UNION ", "INTERSECT ", "EXCEPT "}[op.Kind])
	if op.All {
		p.put("ALL ")
	}
	subindent = 0
	if op.Right.Op != nil {
		p.put("(")
		subindent = indentStep
	}
	p.keyword("", subindent, 0, 0)
	p.side(op.Right, names, false)
	p.level -= subindent
	if op.Right.Op != nil {
		p.keyword(")", 0, 0, 0)
	}
}

func (p queryPrinter) side(s bound.SetSide, names []string, visible bool) {
	if s.Op != nil {
		p.setOperation(s.Op, names, visible)
		return
	}
	q := s.Query
	parens := q.With.Tables != nil || q.Order != nil || q.Locks != nil || q.Limits.Limit != nil || q.Limits.All ||
		q.Limits.Offset != nil
	if parens {
		p.put("(")
	}
	p.inner(q).print(names, visible)
	if parens {
		p.put(")")
	}
}

func (p queryPrinter) subquery(n *bound.Subquery) {
	switch {
	case n.Kind == bound.ArrayQuery:
		p.put("ARRAY(")
	default:
		p.put("(")
	}
	if len(n.Left) > 1 {
		p.put("(")
	}
	p.list(n.Left, true)
	if len(n.Left) > 1 {
		p.put(")")
	}
	end := "))"
	switch n.Kind {
	case bound.ExistsQuery:
		p.put("EXISTS (")
	case bound.AnyQuery:
		if n.Sign == "=" {
			p.put(" IN (")
		} else {
			p.put(" ", n.Sign, " ANY (")
		}
	case bound.AllQuery:
		p.put(" ", n.Sign, " ALL (")
	case bound.RowQuery:
		p.put(" ", n.Sign, " (")
	default:
		end = ")"
	}
	p.inner(n.Query).print(nil, false)
	p.put(end)
}

func (p queryPrinter) fromItem(f bound.FromItem) {
	switch f := f.(type) {
	case *bound.Relation:
		p.relation(f)
	case *bound.Join:
		p.join(f)
	}
}

func (p queryPrinter) relation(r *bound.Relation) {
	if r.Lateral {
		p.put("LATERAL ")
	}
	own := p.of(r)
	alias := r.Alias != "" || own.aliases
	switch r.Kind {
	case bound.TableKind, bound.OnlyKind:
		if r.Kind == bound.OnlyKind {
			p.put("ONLY ")
		}
		p.put(p.d.RelationName(r.ID))
		alias = alias || own.ref != p.d.presentName(r)
	case bound.QueryKind:
		p.put("(")
		p.inner(r.Query).print(nil, true)
		p.put(")")
		alias = true
	case bound.FunctionKind:
		p.functions(r)
		alias = true
	case bound.ValuesKind:
		p.put("(")
		p.values(r.Values)
		p.put(")")
		alias = true
	case bound.CommonKind:
		p.put(quote(r.Common.Name))
		alias = alias || own.ref != r.Common.Name
	}
	if alias {
		p.put(" ", quote(own.ref))
	}
	if r.Types != nil {
		p.definitions(r)
	} else {
		p.aliases(r)
	}
	if s := r.Sample; s != nil {
		p.put(" TABLESAMPLE ", quote(s.Method), " (")
		p.list(s.Args, false)
		p.put(")")
		if s.Repeatable != nil {
			p.put(" REPEATABLE (")
			p.expr(s.Repeatable, false)
			p.put(")")
		}
	}
}

func (p queryPrinter) functions(r *bound.Relation) {
	calls := r.Calls
	if arrays := unnested(r.Calls); arrays != nil {
		p.put("UNNEST(")
		calls = arrays
	} else if len(r.Calls) > 1 {
		p.put("ROWS FROM(")
	}
	p.list(calls, true)
	if len(r.Calls) > 1 {
		p.put(")")
	}
	if r.Ordinality {
		p.put(" WITH ORDINALITY")
	}
}

// unnested are the arrays of several calls of unnest, nil where other functions are called, too.
func unnested(calls []bound.Node) (arrays []bound.Node) {
	for _, n := range calls {
		c, ok := n.(*bound.Call)
		if !ok || len(calls) == 1 || c.Proc.Name != "unnest" {
			return nil
		}
		arrays = append(arrays, c.Args...)
	}
	return arrays
}

func (p queryPrinter) definitions(r *bound.Relation) {
	p.put("(")
	for i, t := range r.Types {
		if i > 0 {
			p.put(", ")
		}
		p.put(quote(p.of(r).columns[i]), " ", p.typeText(t))
	}
	p.put(")")
}

func (p queryPrinter) aliases(r *bound.Relation) {
	if own := p.of(r); own.aliases {
		p.put("(", quoted(own.columns), ")")
	}
}

func (p queryPrinter) join(j *bound.Join) {
	parens := !p.pretty || j.Rel.Alias != ""
	if parens {
		p.put("(")
	}
	p.fromItem(j.Left)
	word := map[ast.JoinKind]string{
		ast.InnerJoin: " JOIN ", ast.LeftJoin: " LEFT JOIN ", ast.RightJoin: " RIGHT JOIN ",
		ast.FullJoin: " FULL JOIN ",
	}[j.Kind]
	if j.Kind == ast.InnerJoin && j.On == nil && j.Using == nil {
		word = " CROSS JOIN "
	}
	p.keyword(word, -indentStep, indentStep, indentJoin)
	right, nested := j.Right.(*bound.Join)
	nested = nested && p.pretty && right.Rel.Alias == ""
	if nested {
		p.put("(")
	}
	p.fromItem(j.Right)
	if nested {
		p.put(")")
	}
	switch {
	case j.Using != nil:
		p.put(" USING (", quoted(j.Using), ")")
		if j.UsingAlias != "" {
			p.put(" AS ", quote(j.UsingAlias))
		}
	case j.On != nil:
		p.put(" ON ")
		p.open()
		p.expr(j.On, false)
		p.closed()
	case j.Kind != ast.InnerJoin:
		p.put(" ON TRUE")
	}
	if parens {
		p.put(")")
	}
	if j.Rel.Alias != "" {
		p.put(" ", quote(p.of(j.Rel).ref))
		p.aliases(j.Rel)
	}
}
