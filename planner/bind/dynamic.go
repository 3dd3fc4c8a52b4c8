package bind

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/catalog/dynamic"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Dynamic is what a name means that no column has: a dynamic column of the one table of the innermost scope that has
// such; nil: there is none. It is an expression over the column that has them.
func (s *Scope) Dynamic(e *ast.Column) (ast.Expr, error) {
	name, qualifier := e.Parts[len(e.Parts)-1], e.Parts[:len(e.Parts)-1]
	for at := s; at != nil && at.Refusal == ""; at = at.Outer {
		var found *Relation
		for k := range at.Relations {
			r := &at.Relations[k]
			if r.dynamic() == 0 || len(qualifier) > 0 && at.Named(qualifier) != r {
				continue
			}
			if found != nil {
				return nil, sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name).At(int(e.Pos))
			}
			found = r
		}
		if found != nil {
			return found.dynamicValue(name, e.Pos), nil
		}
	}
	return nil, nil
}

// DynamicAt is the place of the column that has the dynamic columns of a table, -1 where there are none.
func DynamicAt(t *catalog.Table) int {
	if dynamic.Of(t.Options) == "" {
		return -1
	}
	return t.Column(dynamic.Option)
}

// MarkDynamic marks the column that has the dynamic columns of a table, nil for a relation that is none.
func (r *Relation) MarkDynamic(t *catalog.Table) {
	if t == nil || DynamicAt(t) < 0 {
		return
	}
	mark := Bytes
	if dynamic.Of(t.Options) == dynamic.JSON {
		mark = JSON
	}
	r.Mark(mark, func(i int) bool { return r.Cols[i].Name == dynamic.Option })
}

// dynamic is the mark of the column that has the dynamic columns of the relation, 0 where there are none, or where the
// column cannot be named.
func (r *Relation) dynamic() mark {
	for i := range r.Cols {
		if m := Bytes | JSON; r.Is(m, i) && r.Name != "" && r.Cols[i].Name == dynamic.Option {
			return r.Marks[i] & m
		}
	}
	return 0
}

// dynamicValue is a dynamic column of the relation as an expression.
func (r *Relation) dynamicValue(name string, pos ast.Pos) ast.Expr {
	all := &ast.Column{Parts: []string{r.Name, dynamic.Option}, Pos: pos}
	key := &ast.Literal{Kind: ast.LiteralString, Text: name, Pos: pos}
	if r.dynamic() == JSON {
		null := &ast.Cast{Arg: &ast.Literal{Kind: ast.LiteralString, Text: "null", Pos: pos},
			Type: ast.TypeName{Name: "jsonb", Pos: pos}, Pos: pos}
		return &ast.NullIf{Left: &ast.Operator{Name: "->", Left: all, Right: key, Pos: pos}, Right: null, Pos: pos}
	}
	hex := &ast.Literal{Kind: ast.LiteralString, Text: "hex", Pos: pos}
	text := &ast.Operator{Name: "->>", Left: all, Right: key, Pos: pos}
	return &ast.Call{Schema: catalog.PgCatalogName, Name: "decode", Args: []ast.Expr{text, hex}, Pos: pos}
}

// dynamic is the dynamic column that a name means which nothing else has.
func (s *Scalars) dynamic(e *ast.Column, missing error) (expr.Expr, error) {
	if !sqlerr.Has(missing, sqlerr.UndefinedColumn) {
		return nil, missing
	}
	value, err := s.Scope.Dynamic(e)
	if err != nil || value == nil {
		return nil, cmp.Or(err, missing)
	}
	return s.Expr(value)
}
