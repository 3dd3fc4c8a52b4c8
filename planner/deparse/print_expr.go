package deparse

import (
	"cmp"
	"strings"

	"zproxy/types"
)

// expr prints an expression; implicit says whether casts that were not written are shown.
func (p *printer) expr(n node, implicit bool) {
	switch n := n.(type) {
	case *variable:
		p.variable(n, false)
	case *merged:
		p.put(quote(*n.name))
	case *constant:
		p.constant(n, 0)
	case *call:
		p.call(n)
	case *operation:
		p.operation(n)
	case *distinct:
		p.open()
		p.within(n.left, true, n)
		p.put(" IS DISTINCT FROM ")
		p.within(n.right, true, n)
		p.closed()
	case *nullIf:
		p.put("NULLIF(")
		p.list(n.args, true)
		p.put(")")
	case *arrayOperation:
		p.arrayOperation(n)
	case *cast:
		p.cast(n, implicit)
	case *logic:
		p.logic(n)
	case *caseExpr:
		p.caseOf(n)
	case *array:
		p.put("ARRAY[")
		p.list(n.items, true)
		p.put("]")
		if len(n.items) == 0 {
			p.put("::", typeText(n.t))
		}
	case *row:
		p.put("ROW(")
		p.top(n.args)
		p.put(")")
		if n.t.Row != nil {
			p.put("::", n.t.Row.Name)
		}
	case *rowCompare:
		p.put("(ROW(")
		p.top(n.left)
		p.put(") ", n.sign, " ROW(")
		p.top(n.right)
		p.put("))")
	default:
		p.special(n, implicit)
	}
}

func (p *printer) special(n node, implicit bool) {
	switch n := n.(type) {
	case *function:
		p.put(n.name, "(")
		p.list(n.args, true)
		p.put(")")
	case *valueFunction:
		p.put(n.text)
	case *nullTest:
		p.open()
		p.within(n.arg, true, n)
		if n.not {
			p.put(" IS NOT NULL")
		} else {
			p.put(" IS NULL")
		}
		p.closed()
	case *boolTest:
		p.open()
		p.within(n.arg, false, n)
		p.put(" IS ", n.text)
		p.closed()
	case *aggregate:
		p.aggregate(n)
	case *subscript:
		p.subscript(n)
	case *field:
		_, plain := n.arg.(*subscript)
		_, nested := n.arg.(*field)
		p.parens(!plain && !nested, n.arg, true)
		p.put(".", quote(n.name))
	case *collate:
		p.open()
		p.within(n.arg, implicit, n)
		p.put(" COLLATE ", quote(n.name))
		p.closed()
	case *subquery:
		p.subquery(n)
	}
}

// within prints an expression inside another, in parentheses where it needs them.
func (p *printer) within(n node, implicit bool, parent node) {
	p.parens(p.pretty && !simple(n, parent), n, implicit)
}

func (p *printer) parens(needed bool, n node, implicit bool) {
	if needed {
		p.put("(")
	}
	p.expr(n, implicit)
	if needed {
		p.put(")")
	}
}

// top prints expressions between commas, where a whole row must not be taken for its columns.
func (p *printer) top(all []node) {
	for i, n := range all {
		if i > 0 {
			p.put(", ")
		}
		if v, ok := n.(*variable); ok {
			p.variable(v, true)
		} else {
			p.expr(n, true)
		}
	}
}

// variable prints a column and tells its name.
func (p *printer) variable(n *variable, top bool) string {
	r := n.rel
	if n.column < 0 {
		p.put(quote(p.of(r).ref), ".*")
		if top {
			p.put("::", quote(cmp.Or(r.rowName, "record")))
		}
		return ""
	}
	name := n.rel.cols[n.column].name
	if names := p.of(r).columns; names != nil {
		name = names[n.column]
	}
	if ref := p.of(r).ref; ref != "" && p.prefix {
		p.put(quote(ref), ".")
	}
	p.put(quote(name))
	return name
}

// typeText is a type as PostgreSQL prints it in a cast.
func typeText(t types.T) string {
	if t.OID == types.OIDBpchar && t.Mod < 0 {
		return "bpchar"
	}
	return t.String()
}

// constant prints a constant: with its type if show > 0, without if show < 0, else if it
// would be read as another one.
func (p *printer) constant(n *constant, show int) {
	if n.value.IsNull() {
		p.put("NULL")
		if show >= 0 {
			p.put("::", typeText(n.t))
		}
		return
	}
	label := n.t.OID != types.OIDBool && n.t.OID != types.OIDUnknown
	text := string(types.AppendText(nil, n.value, n.t, p.d.Env))
	digit := text != "" && '0' <= text[0] && text[0] <= '9'
	switch {
	case n.t.OID == types.OIDInt4 && !strings.HasPrefix(text, "-"):
		label = false
	case n.t.OID == types.OIDNumeric && digit && strings.ContainsAny(text, "eE."):
		label = n.t.Mod >= 0
	case n.t.OID == types.OIDBool:
		text = map[bool]string{true: "true", false: "false"}[n.value.Bool()]
	default:
		text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	p.put(text)
	if show >= 0 && (label || show > 0) {
		p.put("::", typeText(n.t))
	}
}

func (p *printer) cast(n *cast, implicit bool) {
	if n.form == implicitCast && !implicit {
		p.within(n.arg, false, n)
		return
	}
	if c, ok := n.arg.(*constant); ok && c.t.OID == n.t.OID && c.t.Mod < 0 {
		p.constant(c, -1)
	} else {
		p.open()
		p.within(n.arg, false, n)
		p.closed()
	}
	p.put("::", typeText(n.t))
}

func (p *printer) operation(n *operation) {
	p.open()
	if len(n.args) == 2 {
		p.within(n.args[0], true, n)
		p.put(" ", n.sign, " ")
		p.within(n.args[1], true, n)
	} else {
		p.put(n.sign, " ")
		p.within(n.args[0], true, n)
	}
	p.closed()
}

func (p *printer) arrayOperation(n *arrayOperation) {
	word := " ALL ("
	if n.any {
		word = " ANY ("
	}
	p.open()
	p.within(n.left, true, n)
	p.put(" ", n.sign, word)
	p.within(n.right, true, n)
	if q, ok := n.right.(*subquery); ok && q.kind == scalarQuery {
		p.put("::", typeText(n.right.typ()))
	}
	p.put(")")
	p.closed()
}

func (p *printer) logic(n *logic) {
	p.open()
	if n.op == "NOT" {
		p.put("NOT ")
	}
	for i, arg := range n.args {
		if i > 0 {
			p.put(" ", n.op, " ")
		}
		p.within(arg, false, n)
	}
	p.closed()
}

func (p *printer) caseOf(n *caseExpr) {
	p.keyword("CASE", 0, indentItem, 0)
	if n.arg != nil {
		p.put(" ")
		p.expr(n.arg, true)
	}
	space := func() {
		if !p.indent {
			p.put(" ")
		}
	}
	for _, w := range n.whens {
		cond := w.cond
		if o, ok := cond.(*operation); ok && n.arg != nil && len(o.args) == 2 {
			cond = o.args[1]
		}
		space()
		p.keyword("WHEN ", 0, 0, 0)
		p.expr(cond, false)
		p.put(" THEN ")
		p.expr(w.result, true)
	}
	space()
	p.keyword("ELSE ", 0, 0, 0)
	p.expr(n.els, true)
	space()
	p.keyword("END", -indentItem, 0, 0)
}

func (p *printer) subscript(n *subscript) {
	plain := false
	switch n.arg.(type) {
	case *variable, *merged, *field:
		plain = true
	}
	p.parens(!plain, n.arg, true)
	for _, i := range n.indexes {
		p.put("[")
		if i.slice {
			if i.low != nil {
				p.expr(i.low, false)
			}
			p.put(":")
		}
		if i.high != nil {
			p.expr(i.high, false)
		}
		p.put("]")
	}
}
