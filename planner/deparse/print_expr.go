package deparse

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bound"
	"zproxy/planner/tableoid"
	"zproxy/types"
)

// expr prints an expression; implicit says whether casts that were not written are shown.
func (p *printer) expr(n bound.Node, implicit bool) {
	switch n := n.(type) {
	case *bound.Variable:
		p.variable(n, false)
	case *bound.Merged:
		p.put(quote(*n.Name))
	case *bound.Constant:
		p.constant(n, 0)
	case *bound.Call:
		p.call(n)
	case *bound.Operation:
		p.operation(n)
	case *bound.Distinct:
		p.open()
		p.within(n.Left, true, n)
		p.put(" IS DISTINCT FROM ")
		p.within(n.Right, true, n)
		p.closed()
	case *bound.NullIf:
		p.put("NULLIF(")
		p.list(n.Args, true)
		p.put(")")
	case *bound.ArrayOperation:
		p.arrayOperation(n)
	case *bound.Cast:
		p.cast(n, implicit)
	case *bound.Logic:
		p.logic(n)
	case *bound.Case:
		p.caseOf(n)
	case *bound.Array:
		p.put("ARRAY[")
		p.list(n.Items, true)
		p.put("]")
		if len(n.Items) == 0 {
			p.put("::", p.typeText(n.T))
		}
	case *bound.Row:
		p.put("ROW(")
		p.top(n.Args)
		p.put(")")
		if n.T.Def != nil {
			p.put("::", n.T.Def.Name)
		}
	case *bound.RowCompare:
		p.put("(ROW(")
		p.top(n.Left)
		p.put(") ", n.Sign, " ROW(")
		p.top(n.Right)
		p.put("))")
	default:
		p.special(n, implicit)
	}
}

func (p *printer) special(n bound.Node, implicit bool) {
	switch n := n.(type) {
	case *bound.Alternatives:
		p.put(n.Name, "(")
		p.list(n.Args, true)
		p.put(")")
	case *bound.Grouping:
		p.put("GROUPING(")
		p.list(n.Args, true)
		p.put(")")
	case *bound.ValueFunction:
		p.put(n.Text)
	case *bound.IsNull:
		p.open()
		p.within(n.Arg, true, n)
		if n.Not {
			p.put(" IS NOT NULL")
		} else {
			p.put(" IS NULL")
		}
		p.closed()
	case *bound.IsBool:
		p.open()
		p.within(n.Arg, false, n)
		p.put(" IS ", truth(n))
		p.closed()
	case *bound.Aggregate:
		p.aggregate(n)
	case *bound.Subscript:
		p.subscript(n)
	case *bound.Field:
		_, plain := n.Arg.(*bound.Subscript)
		_, nested := n.Arg.(*bound.Field)
		p.parens(!plain && !nested, n.Arg, true)
		p.put(".", quote(n.Name))
	case *bound.Collate:
		p.open()
		p.within(n.Arg, implicit, n)
		p.put(collation(p, n))
		p.closed()
	case *bound.Subquery:
		queryPrinter{p}.subquery(n)
	}
}

// collation is COLLATE with the name as it is now.
func collation(p *printer, n *bound.Collate) string {
	return " COLLATE " + catalog.CollationName(p.d.Catalog, n.To.OID, p.d.Path, quote)
}

func truth(n *bound.IsBool) string {
	text := map[ast.IsWhat]string{ast.IsTrue: "TRUE", ast.IsFalse: "FALSE", ast.IsUnknown: "UNKNOWN"}[n.What]
	if n.Not {
		return "NOT " + text
	}
	return text
}

// within prints an expression inside another, in parentheses where it needs them.
func (p *printer) within(n bound.Node, implicit bool, parent bound.Node) {
	p.parens(p.pretty && !simple(n, parent), n, implicit)
}

func (p *printer) parens(needed bool, n bound.Node, implicit bool) {
	if needed {
		p.put("(")
	}
	p.expr(n, implicit)
	if needed {
		p.put(")")
	}
}

// top prints expressions between commas, where a whole row must not be taken for its columns.
func (p *printer) top(all []bound.Node) {
	for i, n := range all {
		if i > 0 {
			p.put(", ")
		}
		if v, ok := n.(*bound.Variable); ok {
			p.variable(v, true)
		} else {
			p.expr(n, true)
		}
	}
}

// variable prints a column and tells its name.
func (p *printer) variable(n *bound.Variable, top bool) string {
	r := n.Rel
	if n.Whole() {
		p.put(quote(p.of(r).ref), ".*")
		if top {
			p.put("::", quote(cmp.Or(r.RowName, "record")))
		}
		return ""
	}
	if p.bare != "" {
		p.put(p.bare)
		return p.bare
	}
	name := tableoid.Name
	if n.Column >= 0 {
		name = n.Rel.Cols[n.Column].Name
		if names := p.of(r).columns; names != nil {
			name = names[n.Column]
		}
	}
	if ref := p.of(r).ref; ref != "" && p.prefix {
		p.put(quote(ref), ".")
	}
	p.put(quote(name))
	return name
}

// typeText is a type as PostgreSQL prints it in a cast.
func (p *printer) typeText(t types.T) string {
	switch user, _ := p.d.Catalog.TypeOf(t.Number()); {
	case user != nil && p.d.Env.Names != nil:
		return p.d.Env.Names.NameOf(types.OIDRegtype, uint32(t.Number()))
	case t.OID == types.OIDBpchar && t.Mod < 0:
		return "bpchar"
	case t.OID == types.OIDBit && t.Mod < 0: // bit without quotes is bit(1)
		return `"bit"`
	}
	return t.String()
}

// constant prints a constant: with its type if show > 0, without if show < 0, else if it
// would be read as another one.
func (p *printer) constant(n *bound.Constant, show int) {
	if n.Value.IsNull() {
		p.put("NULL")
		if show >= 0 {
			p.put("::", p.typeText(n.T))
		}
		return
	}
	label := n.T.OID != types.OIDBool && n.T.OID != types.OIDUnknown
	text := string(types.AppendText(nil, n.Value, n.T, p.d.Env))
	digit := text != "" && '0' <= text[0] && text[0] <= '9'
	switch {
	case n.T.OID == types.OIDInt4 && !strings.HasPrefix(text, "-"):
		label = false
	case n.T.OID == types.OIDNumeric && digit && strings.ContainsAny(text, "eE."):
		label = n.T.Mod >= 0
	case n.T.OID == types.OIDBool:
		text = map[bool]string{true: "true", false: "false"}[n.Value.Bool()]
	default:
		text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	p.put(text)
	if show >= 0 && (label || show > 0) {
		p.put("::", p.typeText(n.T))
	}
}

func (p *printer) cast(n *bound.Cast, implicit bool) {
	if n.Implicit && !implicit {
		p.within(n.Arg, false, n)
		return
	}
	if c, ok := n.Arg.(*bound.Constant); ok && c.T.Number() == n.T.Number() && c.T.Mod < 0 {
		p.constant(c, -1)
	} else {
		p.open()
		p.within(n.Arg, false, n)
		p.closed()
	}
	p.put("::", p.typeText(n.T))
}

func (p *printer) operation(n *bound.Operation) {
	p.open()
	if len(n.Args) == 2 {
		p.within(n.Args[0], true, n)
		p.put(" ", p.sign(n), " ")
		p.within(n.Args[1], true, n)
	} else {
		p.put(p.sign(n), " ")
		p.within(n.Args[0], true, n)
	}
	p.closed()
}

// sign is how an operator is written: with the schema of its extension where the search path does not lead to it.
func (p *printer) sign(n *bound.Operation) string {
	if n.Via != nil {
		return p.signOf(n.Via)
	}
	given := analyze.OIDs(n.Args)
	for _, x := range p.d.Catalog.Extensions() {
		for _, f := range builtin.OperatorsIn(pg.OfExtension(x.Name), n.Sign, len(given)) {
			if slices.Equal(f.Args, given) && !slices.Contains(p.d.Path, x.Schema) {
				return "OPERATOR(" + quote(x.Schema) + "." + n.Sign + ")"
			}
		}
	}
	return n.Sign
}

// signOf is how an operator of the catalog is written, likewise.
func (p *printer) signOf(via *expr.Sign) string {
	o := p.d.Catalog.PlainByID(via.OID)
	for _, schema := range p.d.Path {
		if found := p.d.Catalog.Operator(schema, o.Name, o.Operator.Left, o.Operator.Right); found != nil {
			if found.ID == o.ID {
				return o.Name
			}
			break
		}
	}
	return "OPERATOR(" + quote(o.Schema) + "." + o.Name + ")"
}

func (p *printer) arrayOperation(n *bound.ArrayOperation) {
	sign := n.Sign
	if n.Via != nil {
		sign = p.signOf(n.Via)
	}
	word := " ALL ("
	if n.Any {
		word = " ANY ("
	}
	p.open()
	p.within(n.Left, true, n)
	p.put(" ", sign, word)
	p.within(n.Right, true, n)
	if q, ok := n.Right.(*bound.Subquery); ok && q.Kind == bound.ScalarQuery {
		p.put("::", p.typeText(n.Right.Type()))
	}
	p.put(")")
	p.closed()
}

func (p *printer) logic(n *bound.Logic) {
	p.open()
	if n.Op == "NOT" {
		p.put("NOT ")
	}
	for i, arg := range n.Args {
		if i > 0 {
			p.put(" ", n.Op, " ")
		}
		p.within(arg, false, n)
	}
	p.closed()
}

func (p *printer) caseOf(n *bound.Case) {
	p.keyword("CASE", 0, indentItem, 0)
	if n.Arg != nil {
		p.put(" ")
		p.expr(n.Arg, true)
	}
	space := func() {
		if !p.indent {
			p.put(" ")
		}
	}
	for i, cond := range n.Conditions {
		if o, ok := cond.(*bound.Operation); ok && n.Arg != nil && len(o.Args) == 2 {
			cond = o.Args[1]
		}
		space()
		p.keyword("WHEN ", 0, 0, 0)
		p.expr(cond, false)
		p.put(" THEN ")
		p.expr(n.Results[i], true)
	}
	space()
	p.keyword("ELSE ", 0, 0, 0)
	p.expr(n.Else, true)
	space()
	p.keyword("END", -indentItem, 0, 0)
}

func (p *printer) subscript(n *bound.Subscript) {
	plain := false
	switch n.Arg.(type) {
	case *bound.Variable, *bound.Merged, *bound.Field:
		plain = true
	}
	p.parens(!plain, n.Arg, true)
	for _, i := range n.Indexes {
		p.put("[")
		if n.Slice {
			if i.Low != nil {
				p.expr(i.Low, false)
			}
			p.put(":")
		}
		if i.High != nil {
			p.expr(i.High, false)
		}
		p.put("]")
	}
}
