package deparse

import (
	"strings"

	"zproxy/parser/ast"
)

// inner is a printer of a query within another one.
func (p *printer) inner(q *query) *printer {
	c := *p
	c.query, c.outer, c.prefix = q, p, true
	return &c
}

// print prints a whole query. Names are what its columns are called outside; visible is
// whether anybody sees them.
func (p *printer) print(names []string, visible bool) {
	p.nameRelations()
	q := p.query
	p.with()
	if q.set != nil {
		p.setOperation(q.set, names, visible)
	} else {
		p.plain(names, visible)
	}
	if q.order != nil {
		p.keyword(" ORDER BY ", -indentStep, indentStep, 1)
		p.order(q.order, q.set != nil)
	}
	if q.offset != nil {
		p.keyword(" OFFSET ", -indentStep, indentStep, 0)
		p.expr(q.offset, false)
	}
	p.limit()
	p.locks()
}

func (p *printer) limit() {
	q := p.query
	switch {
	case q.limitAll:
		p.keyword(" LIMIT ", -indentStep, indentStep, 0)
		p.put("ALL")
	case q.limit == nil:
	case q.ties:
		p.keyword(" FETCH FIRST ", -indentStep, indentStep, 0)
		p.parens(true, q.limit, false)
		p.put(" ROWS WITH TIES")
	default:
		p.keyword(" LIMIT ", -indentStep, indentStep, 0)
		p.expr(q.limit, false)
	}
}

func (p *printer) locks() {
	for _, l := range p.query.locks {
		var names []string
		for _, r := range p.query.relations {
			if r.kind != tableKind && r.kind != queryKind || p.of(r).ref == "" {
				continue
			}
			for _, t := range l.Tables {
				if t.Name == r.called() {
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

func (p *printer) with() {
	q := p.query
	if q.tables == nil {
		return
	}
	if p.indent {
		p.level += indentStep
		p.put(" ")
	}
	word := "WITH "
	if q.recursive {
		word = "WITH RECURSIVE "
	}
	for i, t := range q.tables {
		if i > 0 {
			word = ", "
		}
		p.put(word, quote(t.name))
		if t.columns != nil {
			p.put("(", quoted(t.columns), ")")
		}
		p.put(" AS ", [...]string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[t.materialized], "(")
		if p.indent {
			p.keyword("", 0, 0, 0)
		}
		p.inner(t.query).print(nil, true)
		if p.indent {
			p.keyword("", 0, 0, 0)
		}
		p.put(")")
	}
	if p.indent {
		p.level -= indentStep
		p.keyword("", 0, 0, 0)
	} else {
		p.put(" ")
	}
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote(name)
	}
	return strings.Join(out, ", ")
}

func (p *printer) plain(names []string, visible bool) {
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
	case q.on != nil:
		p.put(" DISTINCT ON (")
		p.listed(q.on)
		p.put(")")
	case q.distinct:
		p.put(" DISTINCT")
	}
	p.targets(names, visible)
	for i, f := range q.from {
		if i == 0 {
			p.keyword(" FROM ", -indentStep, indentStep, 2)
			p.fromItem(f)
			continue
		}
		p.put(", ")
		p.item(p.apart(func() { p.fromItem(f) }), false, false)
	}
	if q.where != nil {
		p.keyword(" WHERE ", -indentStep, indentStep, 1)
		p.expr(q.where, false)
	}
	if q.group != nil {
		p.keyword(" GROUP BY ", -indentStep, indentStep, 1)
		p.listed(q.group)
	}
	if q.having != nil {
		p.keyword(" HAVING ", -indentStep, indentStep, 0)
		p.expr(q.having, false)
	}
	for i, w := range q.windows {
		if i == 0 {
			p.keyword(" WINDOW ", -indentStep, indentStep, 1)
		} else {
			p.put(", ")
		}
		p.put(quote(w.name), " AS ")
		p.window(w)
	}
}

// onlyValues are the rows of a query that is nothing but VALUES, under its own names.
func onlyValues(q *query, names []string) [][]node {
	if q.simple == nil {
		return nil
	}
	for i := range q.targets {
		if i < len(names) && names[i] != "column"+itoa(i+1) {
			return nil
		}
	}
	return q.simple
}

func (p *printer) values(rows [][]node) {
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
			if v, ok := n.(*variable); ok {
				p.variable(v, true)
			} else {
				p.expr(n, false)
			}
		}
		p.put(")")
	}
}

func (p *printer) targets(names []string, visible bool) {
	broken := false
	p.put(" ")
	for i, t := range p.query.targets {
		if i > 0 {
			p.put(", ")
		}
		text := p.apart(func() {
			own := ""
			switch e := t.expr.(type) {
			case *variable:
				own = p.variable(e, true)
			case *merged:
				p.expr(e, true)
				own = *e.name
			default:
				p.expr(e, true)
				if !visible {
					own = "?column?"
				}
			}
			name := t.name
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

func (p *printer) setOperation(op *setOp, names []string, visible bool) {
	subindent := 0
	parens := op.left.op != nil && (op.left.op.kind != op.kind || op.left.op.all != op.all)
	if parens {
		p.put("(")
		subindent = indentStep
		p.keyword("", subindent, 0, 0)
	}
	p.side(op.left, names, visible)
	switch {
	case parens:
		p.keyword(") ", -subindent, 0, 0)
	case p.indent:
		p.keyword("", -subindent, 0, 0)
	default:
		p.put(" ")
	}
	p.put([...]string{"UNION ", "INTERSECT ", "EXCEPT "}[op.kind])
	if op.all {
		p.put("ALL ")
	}
	subindent = 0
	if op.right.op != nil {
		p.put("(")
		subindent = indentStep
	}
	p.keyword("", subindent, 0, 0)
	p.side(op.right, names, false)
	p.level -= subindent
	if op.right.op != nil {
		p.keyword(")", 0, 0, 0)
	}
}

func (p *printer) side(s setSide, names []string, visible bool) {
	if s.op != nil {
		p.setOperation(s.op, names, visible)
		return
	}
	q := s.query
	parens := q.tables != nil || q.order != nil || q.locks != nil || q.limit != nil || q.limitAll || q.offset != nil
	if parens {
		p.put("(")
	}
	p.inner(q).print(names, visible)
	if parens {
		p.put(")")
	}
}

func (p *printer) subquery(n *subquery) {
	switch {
	case n.kind == arrayQuery:
		p.put("ARRAY(")
	default:
		p.put("(")
	}
	if len(n.left) > 1 {
		p.put("(")
	}
	p.list(n.left, true)
	if len(n.left) > 1 {
		p.put(")")
	}
	end := "))"
	switch n.kind {
	case existsQuery:
		p.put("EXISTS (")
	case anyQuery:
		if n.sign == "=" {
			p.put(" IN (")
		} else {
			p.put(" ", n.sign, " ANY (")
		}
	case allQuery:
		p.put(" ", n.sign, " ALL (")
	case rowQuery:
		p.put(" ", n.sign, " (")
	default:
		end = ")"
	}
	p.inner(n.query).print(nil, false)
	p.put(end)
}

func (p *printer) fromItem(f fromItem) {
	switch f := f.(type) {
	case *relation:
		p.relation(f)
	case *join:
		p.join(f)
	}
}

func (p *printer) relation(r *relation) {
	if r.lateral {
		p.put("LATERAL ")
	}
	own := p.of(r)
	alias := r.alias != "" || own.aliases
	switch r.kind {
	case tableKind:
		p.put(p.d.RelationName(r.id))
		alias = alias || own.ref != p.d.presentName(r)
	case queryKind:
		p.put("(")
		p.inner(r.query).print(nil, true)
		p.put(")")
		alias = true
	case functionKind:
		p.functions(r)
		alias = true
	case valuesKind:
		p.put("(")
		p.values(r.values)
		p.put(")")
		alias = true
	case commonKind:
		p.put(quote(r.common.name))
		alias = alias || own.ref != r.common.name
	}
	if alias {
		p.put(" ", quote(own.ref))
	}
	if r.types != nil {
		p.definitions(r)
	} else {
		p.aliases(r)
	}
}

func (p *printer) functions(r *relation) {
	if len(r.calls) > 1 {
		p.put("ROWS FROM(")
	}
	p.list(r.calls, true)
	if len(r.calls) > 1 {
		p.put(")")
	}
	if r.ordinality {
		p.put(" WITH ORDINALITY")
	}
}

func (p *printer) definitions(r *relation) {
	p.put("(")
	for i, t := range r.types {
		if i > 0 {
			p.put(", ")
		}
		p.put(quote(p.of(r).columns[i]), " ", typeText(t))
	}
	p.put(")")
}

func (p *printer) aliases(r *relation) {
	if own := p.of(r); own.aliases {
		p.put("(", quoted(own.columns), ")")
	}
}

func (p *printer) join(j *join) {
	parens := !p.pretty || j.rel.alias != ""
	if parens {
		p.put("(")
	}
	p.fromItem(j.left)
	word := map[ast.JoinKind]string{ast.InnerJoin: " JOIN ", ast.LeftJoin: " LEFT JOIN ", ast.RightJoin: " RIGHT JOIN ", ast.FullJoin: " FULL JOIN "}[j.kind]
	if j.kind == ast.InnerJoin && j.on == nil && j.using == nil {
		word = " CROSS JOIN "
	}
	p.keyword(word, -indentStep, indentStep, indentJoin)
	right, nested := j.right.(*join)
	nested = nested && p.pretty && right.rel.alias == ""
	if nested {
		p.put("(")
	}
	p.fromItem(j.right)
	if nested {
		p.put(")")
	}
	switch {
	case j.using != nil:
		p.put(" USING (", quoted(j.using), ")")
		if j.usingAlias != "" {
			p.put(" AS ", quote(j.usingAlias))
		}
	case j.on != nil:
		p.put(" ON ")
		p.open()
		p.expr(j.on, false)
		p.closed()
	case j.kind != ast.InnerJoin:
		p.put(" ON TRUE")
	}
	if parens {
		p.put(")")
	}
	if j.rel.alias != "" {
		p.put(" ", quote(p.of(j.rel).ref))
		p.aliases(j.rel)
	}
}
