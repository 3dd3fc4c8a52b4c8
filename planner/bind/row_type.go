package bind

import (
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Typed is the type of an OID, which may be that of the rows of a relation.
func (n *Names) Typed(oid types.OID) types.T {
	t := n.Catalog.Defined(types.Of(oid))
	if id, _ := oid.Relation(); id != 0 && n.Catalog.TypeByID(id) == nil {
		t.Def = n.rowType(id)
	}
	return t
}

// RowOf is the type of the rows of a relation. A stored query, which does not see the columns of a
// table that came later, has them in its rows all the same.
func (n *Names) RowOf(r catalog.Relation) types.T {
	row, _ := types.RowOID(r.Ref().ID)
	if now := n.Catalog.Present(r.Ref().ID); now != nil && width(now) == width(r) {
		return n.Typed(row)
	}
	t := types.Of(row)
	t.Def = n.fields(r)
	return t
}

func width(r catalog.Relation) int {
	switch r := r.(type) {
	case *catalog.Table:
		return len(r.Columns)
	case *catalog.View:
		return len(r.Columns)
	case *catalog.Virtual:
		return len(r.Columns)
	}
	return -1
}

// rowType is the fields of the rows of a table or view, perhaps of the system, nil when there is none with the number.
func (n *Names) rowType(id uint32) *types.Definition {
	row, known := n.rows[id]
	if !known {
		if row = n.fields(n.Catalog.Present(id)); n.rows == nil {
			n.rows = map[uint32]*types.Definition{}
		}
		n.rows[id] = row
	}
	return row
}

func (n *Names) fields(r catalog.Relation) *types.Definition {
	switch r.(type) {
	case *catalog.Table, *catalog.View, *catalog.Virtual:
	default:
		return nil
	}
	row := &types.Definition{}
	for c, t := range ColumnsOf(r) {
		row.Names, row.Types = append(row.Names, c.Name), append(row.Types, t)
	}
	row.Name = n.shownName(r)
	return row
}

// shownName is the name of a relation, with its schema where it must be told.
func (n *Names) shownName(r catalog.Relation) string {
	ref := r.Ref()
	for _, schema := range n.SearchPath {
		if found := n.Catalog.Relation(schema, ref.Name); found != nil {
			if found.Ref().ID == ref.ID {
				return expr.QuoteIdent(ref.Name)
			}
			break
		}
	}
	return expr.QuoteIdent(ref.Schema) + "." + expr.QuoteIdent(ref.Name)
}

// TypeNamed resolves the name of a type, which may be one that a user made, that of the rows of a table or view, or
// that of the arrays of one of them, which begins with an underscore.
func (n *Names) TypeNamed(tree ast.TypeName) (types.T, error) {
	if tree.Column != nil {
		return n.typeOfColumn(tree)
	}
	t, err := typeNamed(n, tree)
	element, isArray := strings.CutPrefix(tree.Name, "_")
	if e, ok := err.(*sqlerr.Error); !isArray || tree.Array || !ok || e.Code != sqlerr.UndefinedObject {
		return t, err
	}
	tree.Name, tree.Array = element, true
	if array, missing := typeNamed(n, tree); missing == nil {
		return array, nil
	}
	return t, err
}

func typeNamed(n *Names, tree ast.TypeName) (types.T, error) {
	t, err := TypeOf(tree)
	if e, ok := err.(*sqlerr.Error); !ok || e.Code != sqlerr.UndefinedObject {
		return t, err
	}
	name := ast.Name{Schema: tree.Schema, Name: tree.Name}
	if schema, rest, found := strings.Cut(tree.Name, "."); found {
		name = ast.Name{Schema: schema, Name: rest}
	}
	if tree.Schema != "" && !n.HasSchema(tree.Schema) {
		return t, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", tree.Schema).At(int(tree.Pos))
	}
	if info := extensionType(n, name); info != nil {
		return plainType(types.Of(info.OID), tree)
	}
	of, denied := n.userType(name)
	if denied != nil {
		return t, At(denied, tree.Pos)
	}
	if of != nil {
		return n.ofUser(of, tree)
	}
	r, missing := n.Relation(name)
	if missing != nil || r == nil {
		return t, err
	}
	row, array := types.RowOID(r.Ref().ID)
	if tree.Array {
		row = array
	}
	if t = n.Typed(row); t.Def == nil {
		return t, err
	}
	return t, nil
}

// typeOfColumn is the type that t.c%TYPE means.
func (n *Names) typeOfColumn(tree ast.TypeName) (types.T, error) {
	parts := tree.Column
	if len(parts) < 2 {
		return types.T{}, sqlerr.New(sqlerr.SyntaxError, "improper %%TYPE reference (too few dotted names): %s",
			strings.Join(parts, ".")).At(int(tree.Pos))
	}
	name, column := ast.Name{Name: parts[len(parts)-2], Pos: tree.Pos}, parts[len(parts)-1]
	if len(parts) > 2 {
		name.Schema = parts[len(parts)-3]
	}
	r, err := n.Relation(name)
	if err == nil && r == nil {
		err = NoRelation(name)
	}
	if err != nil {
		return types.T{}, At(err, tree.Pos)
	}
	for c, t := range ColumnsOf(r) {
		if c.Name != column {
			continue
		}
		if array, ok := types.ArrayOf(t); tree.Array && ok {
			t = array
		}
		return t, nil
	}
	return types.T{}, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column,
		name.Name).At(int(tree.Pos))
}

// FieldOf is a field of a row, which of a row that is at hand is one of its values.
func FieldOf(row expr.Expr, i int, name string, t types.T) expr.Expr {
	if r, ok := row.(expr.Row); ok && i < len(r.Args) {
		return r.Args[i]
	}
	return expr.Field{Arg: row, Ordinal: i, Name: name, T: t}
}

// calledOn is t.f where t has no such column: the function f of the row.
func (s *Scalars) calledOn(e *ast.Column, missing error) (expr.Expr, error) {
	n := len(e.Parts) - 1
	if known, ok := missing.(*sqlerr.Error); !ok || known.Code != sqlerr.UndefinedColumn || n < 1 {
		return nil, missing
	}
	row, err := s.Scope.starRow(s.Binder, &ast.Star{Table: e.Parts[:n], Pos: e.Pos})
	if err != nil {
		return nil, missing
	}
	out, err := called(s.Binder, func() (expr.Expr, error) {
		return s.coercion().Function(&ast.Call{Name: e.Parts[n], Pos: e.Pos}, []expr.Expr{row})
	})
	if call, ok := out.(expr.Call); err != nil || !ok || call.Fn.Rows != nil {
		return nil, missing
	}
	return out, nil
}
