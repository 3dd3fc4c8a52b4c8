package deparse

import (
	"strings"

	"zproxy/parser/ast"
)

func (p *printer) call(n *call) {
	if n.form == sqlSyntax && p.syntax(n) {
		return
	}
	p.put(procName(n), "(")
	for i, arg := range n.args {
		if i > 0 {
			p.put(", ")
		}
		if n.names != nil && n.names[i] != "" {
			p.put(quote(n.names[i]), " => ")
		}
		if n.variadic && i == len(n.args)-1 {
			p.put("VARIADIC ")
		}
		p.expr(arg, true)
	}
	p.put(")")
}

func procName(n *call) string {
	if n.proc.Schema != "pg_catalog" {
		return quote(n.proc.Schema) + "." + quote(n.proc.Name)
	}
	return quote(n.proc.Name)
}

// syntax prints a call in SQL's own syntax, if there is one for it.
func (p *printer) syntax(n *call) bool {
	arg := func(i int) { p.expr(n.args[i], false) }
	switch n.proc.Name {
	case "timezone":
		p.put("(")
		p.within(n.args[1], false, n)
		p.put(" AT TIME ZONE ")
		p.within(n.args[0], false, n)
		p.put(")")
	case "extract":
		p.put("EXTRACT(", n.args[0].(*constant).value.Text(), " FROM ")
		arg(1)
		p.put(")")
	case "overlaps":
		p.words([]string{"((", ", ", ") OVERLAPS (", ", "}, n.args)
		p.put("))")
	case "overlay":
		p.words([]string{"OVERLAY(", " PLACING ", " FROM ", " FOR "}, n.args)
		p.put(")")
	case "position":
		p.put("POSITION((")
		arg(1)
		p.put(") IN (")
		arg(0)
		p.put("))")
	case "substring":
		words := []string{"SUBSTRING(", " FROM ", " FOR "}
		if len(n.args) == 3 && n.proc.Args[1] == n.proc.Args[2] && n.proc.Args[1] == n.proc.Args[0] {
			words = []string{"SUBSTRING(", " SIMILAR ", " ESCAPE "}
		} else if len(n.args) == 2 && n.proc.Args[1] == n.proc.Args[0] {
			return false
		}
		p.words(words, n.args)
		p.put(")")
	case "btrim", "ltrim", "rtrim":
		p.put(map[string]string{"btrim": "TRIM(BOTH", "ltrim": "TRIM(LEADING", "rtrim": "TRIM(TRAILING"}[n.proc.Name])
		if len(n.args) == 2 {
			p.put(" ")
			arg(1)
		}
		p.put(" FROM ")
		arg(0)
		p.put(")")
	case "pg_collation_for":
		p.put("COLLATION FOR (")
		arg(0)
		p.put(")")
	case "normalize":
		p.put("NORMALIZE(")
		arg(0)
		if len(n.args) == 2 {
			p.put(", ", n.args[1].(*constant).value.Text())
		}
		p.put(")")
	case "is_normalized":
		p.put("(")
		p.within(n.args[0], false, n)
		p.put(" IS")
		if len(n.args) == 2 {
			p.put(" ", n.args[1].(*constant).value.Text())
		}
		p.put(" NORMALIZED)")
	default:
		return false
	}
	return true
}

// words prints each argument behind a word.
func (p *printer) words(words []string, args []node) {
	for i, arg := range args {
		p.put(words[i])
		p.expr(arg, false)
	}
}

func (p *printer) aggregate(n *aggregate) {
	p.put(quote(n.proc.Name), "(")
	if n.distinct {
		p.put("DISTINCT ")
	}
	if n.star {
		p.put("*")
	}
	for i, arg := range n.args {
		if i > 0 {
			p.put(", ")
		}
		if n.variadic && i == len(n.args)-1 && n.within == nil {
			p.put("VARIADIC ")
		}
		p.expr(arg, true)
	}
	if n.within != nil {
		p.put(") WITHIN GROUP (ORDER BY ")
		p.order(n.within, false)
	}
	if n.order != nil {
		p.put(" ORDER BY ")
		p.order(n.order, false)
	}
	if n.filter != nil {
		p.put(") FILTER (WHERE ")
		p.expr(n.filter, false)
	}
	p.put(")")
	if n.over != nil {
		p.put(" OVER ")
		p.over(n.over)
	}
}

func (p *printer) over(w *window) {
	if w.bare {
		p.put(quote(w.ref))
		return
	}
	p.window(w)
}

// window prints what stands in the parentheses of a window.
func (p *printer) window(w *window) {
	p.put("(")
	sep := ""
	if w.ref != "" {
		p.put(quote(w.ref))
		sep = " "
	}
	if w.partition != nil {
		p.put(sep, "PARTITION BY ")
		p.listed(w.partition)
		sep = " "
	}
	if w.order != nil {
		p.put(sep, "ORDER BY ")
		p.order(w.order, false)
		sep = " "
	}
	if text := p.frame(w); text != "" {
		p.put(sep, text)
	}
	p.put(")")
}

// frame is the frame of a window, empty where it is the one that all have.
func (p *printer) frame(w *window) string {
	if w.frame == nil {
		return ""
	}
	offset := func(b ast.FrameBound, n node) string {
		text := map[ast.BoundKind]string{
			ast.UnboundedPreceding: "UNBOUNDED PRECEDING", ast.CurrentRow: "CURRENT ROW", ast.UnboundedFollowing: "UNBOUNDED FOLLOWING",
			ast.Preceding: " PRECEDING", ast.Following: " FOLLOWING",
		}[b.Kind]
		if n == nil {
			return text
		}
		return p.apart(func() { p.expr(n, false) }) + text
	}
	start, end := offset(w.frame.Start, w.start), offset(w.frame.End, w.end)
	mode := map[ast.FrameMode]string{ast.RangeFrame: "RANGE", ast.RowsFrame: "ROWS", ast.GroupsFrame: "GROUPS"}[w.frame.Mode]
	text := strings.Join([]string{mode, "BETWEEN", start, "AND", end}, " ")
	if !w.frame.Between {
		text = mode + " " + start
	}
	exclude := map[ast.Exclusion]string{
		ast.ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ast.ExcludeGroup: " EXCLUDE GROUP", ast.ExcludeTies: " EXCLUDE TIES",
	}[w.frame.Exclude]
	return text + exclude
}

// listed prints expressions of GROUP BY, PARTITION BY or DISTINCT ON.
func (p *printer) listed(all []node) {
	for i, n := range all {
		if i > 0 {
			p.put(", ")
		}
		p.sortExpr(n)
	}
}

// sortExpr prints an expression that is sorted or grouped by.
func (p *printer) sortExpr(n node) {
	switch n := n.(type) {
	case *constant:
		p.constant(n, 1)
	case *variable, *merged:
		p.expr(n, true)
	case *call, *aggregate:
		p.parens(true, n, true)
	case *cast:
		p.parens(p.pretty || n.kind == functionCast, n, true)
	default:
		p.parens(p.pretty, n, true)
	}
}

// order prints the items of ORDER BY, by their places where numbered is set.
func (p *printer) order(all []sortItem, numbered bool) {
	for i, s := range all {
		if i > 0 {
			p.put(", ")
		}
		if numbered && s.place > 0 {
			p.put(itoa(s.place))
		} else {
			p.sortExpr(s.expr)
		}
		switch {
		case s.desc && s.nullsFirst:
			p.put(" DESC")
		case s.desc:
			p.put(" DESC NULLS LAST")
		case s.nullsFirst:
			p.put(" NULLS FIRST")
		}
	}
}
