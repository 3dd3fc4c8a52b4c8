package deparse

import (
	"slices"
	"strings"

	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/bound"
)

func (p *printer) call(n *bound.Call) {
	if n.Syntax && p.syntax(n) {
		return
	}
	p.put(p.procName(n.Proc), "(")
	for i, arg := range n.Args {
		if i > 0 {
			p.put(", ")
		}
		if n.Names != nil && n.Names[i] != "" {
			p.put(quote(n.Names[i]), " => ")
		}
		if n.Variadic && i == len(n.Args)-1 {
			p.put("VARIADIC ")
		}
		p.expr(arg, true)
	}
	p.put(")")
}

func (p *printer) procName(proc *pgproc.Proc) string {
	if name, ok := pg.ExtensionOf(proc.Schema); ok {
		x := p.d.Catalog.Extension(name)
		if x == nil || slices.Contains(p.d.Path, x.Schema) {
			return quote(proc.Name)
		}
		return quote(x.Schema) + "." + quote(proc.Name)
	}
	if proc.Schema != "pg_catalog" && !p.sees(proc) {
		return quote(proc.Schema) + "." + quote(proc.Name)
	}
	return quote(proc.Name)
}

// sees says whether the search path leads from the name of a function of the catalog to it.
func (p *printer) sees(proc *pgproc.Proc) bool {
	for _, schema := range p.d.Path {
		if f := p.d.Catalog.Function(schema, proc.Name, proc.Args); f != nil {
			return f.ID == proc.OID
		}
	}
	return false
}

// zoned prints AT TIME ZONE or AT LOCAL.
func zoned(p *printer, n *bound.Call) {
	p.put("(")
	p.within(n.Args[len(n.Args)-1], false, n)
	if len(n.Args) == 1 {
		p.put(" AT LOCAL)")
		return
	}
	p.put(" AT TIME ZONE ")
	p.within(n.Args[0], false, n)
	p.put(")")
}

// syntax prints a call in SQL's own syntax, if there is one for it.
func (p *printer) syntax(n *bound.Call) bool {
	arg := func(i int) { p.expr(n.Args[i], false) }
	switch n.Proc.Name {
	case "timezone":
		zoned(p, n)
	case "extract":
		p.put("EXTRACT(", n.Args[0].(*bound.Constant).Value.Text(), " FROM ")
		arg(1)
		p.put(")")
	case "overlaps":
		p.words([]string{"((", ", ", ") OVERLAPS (", ", "}, n.Args)
		p.put("))")
	case "overlay":
		p.words([]string{"OVERLAY(", " PLACING ", " FROM ", " FOR "}, n.Args)
		p.put(")")
	case "position":
		p.put("POSITION((")
		arg(1)
		p.put(") IN (")
		arg(0)
		p.put("))")
	case "substring":
		words := []string{"SUBSTRING(", " FROM ", " FOR "}
		if len(n.Args) == 3 && n.Proc.Args[1] == n.Proc.Args[2] && n.Proc.Args[1] == n.Proc.Args[0] {
			words = []string{"SUBSTRING(", " SIMILAR ", " ESCAPE "}
		} else if len(n.Args) == 2 && n.Proc.Args[1] == n.Proc.Args[0] {
			return false
		}
		p.words(words, n.Args)
		p.put(")")
	case "btrim", "ltrim", "rtrim":
		p.put(map[string]string{"btrim": "TRIM(BOTH", "ltrim": "TRIM(LEADING", "rtrim": "TRIM(TRAILING"}[n.Proc.Name])
		if len(n.Args) == 2 {
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
		if len(n.Args) == 2 {
			p.put(", ", n.Args[1].(*bound.Constant).Value.Text())
		}
		p.put(")")
	case "is_normalized":
		p.put("(")
		p.within(n.Args[0], false, n)
		p.put(" IS")
		if len(n.Args) == 2 {
			p.put(" ", n.Args[1].(*bound.Constant).Value.Text())
		}
		p.put(" NORMALIZED)")
	default:
		return false
	}
	return true
}

// words prints each argument behind a word.
func (p *printer) words(words []string, args []bound.Node) {
	for i, arg := range args {
		p.put(words[i])
		p.expr(arg, false)
	}
}

func (p *printer) aggregate(n *bound.Aggregate) {
	p.put(p.procName(n.Proc), "(")
	if n.Distinct {
		p.put("DISTINCT ")
	}
	if n.Star {
		p.put("*")
	}
	for i, arg := range n.Args {
		if i > 0 {
			p.put(", ")
		}
		if n.Variadic && i == len(n.Args)-1 && n.Within == nil {
			p.put("VARIADIC ")
		}
		p.expr(arg, true)
	}
	if n.Within != nil {
		p.put(") WITHIN GROUP (ORDER BY ")
		p.order(n.Within, false)
	}
	if n.Order != nil {
		p.put(" ORDER BY ")
		p.order(n.Order, false)
	}
	if n.Filter != nil {
		p.put(") FILTER (WHERE ")
		p.expr(n.Filter, false)
	}
	p.put(")")
	if n.Over != nil {
		p.put(" OVER ")
		p.over(n.Over)
	}
}

func (p *printer) over(w *bound.Window) {
	if w.Bare {
		p.put(quote(w.Ref))
		return
	}
	p.window(w)
}

// window prints what stands in the parentheses of a window.
func (p *printer) window(w *bound.Window) {
	p.put("(")
	sep := ""
	if w.Ref != "" {
		p.put(quote(w.Ref))
		sep = " "
	}
	if w.Partition != nil {
		p.put(sep, "PARTITION BY ")
		p.listed(w.Partition)
		sep = " "
	}
	if w.Order != nil {
		p.put(sep, "ORDER BY ")
		p.order(w.Order, false)
		sep = " "
	}
	if text := p.frame(w); text != "" {
		p.put(sep, text)
	}
	p.put(")")
}

// frame is the frame of a window, empty where it is the one that all have.
func (p *printer) frame(w *bound.Window) string {
	if w.Frame == nil {
		return ""
	}
	offset := func(b ast.FrameBound, n bound.Node) string {
		text := map[ast.BoundKind]string{
			ast.UnboundedPreceding: "UNBOUNDED PRECEDING", ast.CurrentRow: "CURRENT ROW",
			ast.UnboundedFollowing: "UNBOUNDED FOLLOWING",
			ast.Preceding:          " PRECEDING", ast.Following: " FOLLOWING",
		}[b.Kind]
		if n == nil {
			return text
		}
		return p.capture(func() { p.expr(n, false) }) + text
	}
	start, end := offset(w.Frame.Start, w.Start), offset(w.Frame.End, w.End)
	mode := map[ast.FrameMode]string{
		ast.RangeFrame: "RANGE", ast.RowsFrame: "ROWS", ast.GroupsFrame: "GROUPS",
	}[w.Frame.Mode]
	text := strings.Join([]string{mode, "BETWEEN", start, "AND", end}, " ")
	if !w.Frame.Between {
		text = mode + " " + start
	}
	exclude := map[ast.Exclusion]string{
		ast.ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ast.ExcludeGroup: " EXCLUDE GROUP",
		ast.ExcludeTies: " EXCLUDE TIES",
	}[w.Frame.Exclude]
	return text + exclude
}

// listed prints expressions of GROUP BY, PARTITION BY or DISTINCT ON.
func (p *printer) listed(all []bound.Node) {
	for i, n := range all {
		if i > 0 {
			p.put(", ")
		}
		p.sortExpr(n)
	}
}

// sortExpr prints an expression that is sorted or grouped by.
func (p *printer) sortExpr(n bound.Node) {
	switch n := n.(type) {
	case *bound.Constant:
		p.constant(n, 1)
	case *bound.Variable, *bound.Merged:
		p.expr(n, true)
	case *bound.Call, *bound.Aggregate:
		p.parens(true, n, true)
	case *bound.Cast:
		p.parens(p.pretty || n.Kind == bound.FunctionCast, n, true)
	default:
		p.parens(p.pretty, n, true)
	}
}

// order prints the items of ORDER BY, by their ordinals where numbered is set.
func (p *printer) order(all []bound.SortItem, numbered bool) {
	for i, s := range all {
		if i > 0 {
			p.put(", ")
		}
		if numbered && s.Ordinal > 0 {
			p.put(itoa(s.Ordinal))
		} else {
			p.sortExpr(s.Expr)
		}
		switch {
		case s.Using != "":
			p.put(" USING ", s.Using, map[bool]string{false: " NULLS LAST", true: " NULLS FIRST"}[s.NullsFirst])
		case s.Desc && s.NullsFirst:
			p.put(" DESC")
		case s.Desc:
			p.put(" DESC NULLS LAST")
		case s.NullsFirst:
			p.put(" NULLS FIRST")
		}
	}
}
