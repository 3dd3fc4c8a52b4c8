package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
)

// leaveOut decides which rows an index holds: those that meet its WHERE, and with NULL_FILTERED
// only those without NULL in any column of its key.
func (b Builder) leaveOut(x *catalog.Index, t *catalog.Table, s *ast.CreateIndex) error {
	where, text := s.Where, s.WhereText
	if s.NullFiltered {
		where, text = withoutNulls(s)
	}
	if where == nil {
		return nil
	}
	c, cond, err := stated(b, t, text, func(c *catalog.Condition) (expr.Expr, map[int]bool, error) {
		return b.Stored().BindPredicate(t, c, where)
	})
	if err != nil {
		return err
	}
	for i, column := range t.Columns {
		if c.Names(column.ID) && expr.RejectsNull(cond, func(at int) bool { return at == i }) {
			c.NotNull = append(c.NotNull, column.ID)
		}
	}
	x.Where = c
	return nil
}

// stated is an expression over the rows of a table with its text, which is stored with what the names and constants in
// it stand for now.
func stated(b Builder, t *catalog.Table, text string,
	by func(*catalog.Condition) (e expr.Expr, named map[int]bool, err error),
) (*catalog.Condition, expr.Expr, error) {
	c := &catalog.Condition{Text: text, Over: wholeUse(t), Literals: catalog.LiteralsOf(b.Env, b.Now())}
	var e expr.Expr
	err := bind.Noted(&b.Binder, &c.Literals, func() error {
		of, named, err := by(c)
		e, c.Over.Columns = of, namedBounds(t, named)
		return err
	})
	return c, e, err
}

// namedBounds are the columns of a table that a text names, which are given by their ordinals.
func namedBounds(t *catalog.Table, named map[int]bool) (out []catalog.Bound) {
	for i, c := range t.Columns {
		if named[i] {
			out = append(out, catalog.Bound{ID: c.ID, Name: c.Name})
		}
	}
	return out
}

// wholeUse is a table with all columns that can be named.
func wholeUse(t *catalog.Table) catalog.Use {
	u := catalog.Use{ID: t.ID, Schema: t.Schema, Name: t.Name}
	for _, c := range t.Columns {
		if !c.Hidden {
			u.Columns = append(u.Columns, catalog.Bound{ID: c.ID, Name: c.Name})
		}
	}
	return u
}

// withoutNulls adds to the condition of an index that no column of its key is NULL, unless the
// condition says so already.
func withoutNulls(s *ast.CreateIndex) (ast.Expr, string) {
	out := &ast.Logic{}
	text := ""
	if s.Where != nil {
		out.Args, text = []ast.Expr{s.Where}, s.WhereText
	}
	for _, k := range s.Keys {
		arg, name := ast.Expr(&ast.Column{Parts: []string{k.Column}, Pos: k.Pos}), expr.QuoteIdent(k.Column)
		if k.Expr != nil {
			arg, name = k.Expr, "("+k.Text+")"
		}
		if demandsValue(s.Where, k.Column) {
			continue
		}
		out.Args = append(out.Args, &ast.Is{Arg: arg, What: ast.IsNull, Not: true, Pos: k.Pos})
		switch {
		case text != "" && len(out.Args) == 2 && s.Where != nil:
			text = "(" + text + ") AND "
		case text != "":
			text += " AND "
		}
		text += name + " IS NOT NULL"
	}
	if len(out.Args) == 1 {
		return out.Args[0], text
	}
	return out, text
}

// demandsValue says whether a condition says of a column that it is not NULL, in so many words.
func demandsValue(cond ast.Expr, column string) bool {
	switch e := cond.(type) {
	case *ast.Logic:
		return !e.Or && slices.ContainsFunc(e.Args, func(arg ast.Expr) bool { return demandsValue(arg, column) })
	case *ast.Is:
		c, ok := e.Arg.(*ast.Column)
		return ok && e.What == ast.IsNull && e.Not && slices.Equal(c.Parts, []string{column})
	}
	return false
}
