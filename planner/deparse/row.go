package deparse

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// toRow is a written cast to the type of the rows of a relation.
func (a *analyzer) toRow(n node, to types.T) (node, error) {
	switch n := n.(type) {
	case *constant:
		if n.t.OID != types.OIDUnknown {
			break
		}
		if n.value.IsNull() {
			return &constant{t: to}, nil
		}
		v, err := types.ParseText(n.value.Text(), to, a.source.constants.Env)
		return &constant{value: v, t: to}, err
	case *row:
		if len(n.args) != len(to.Row.Types) {
			break
		}
		out := &row{t: to}
		for i, arg := range n.args {
			x, err := a.coerceTo(arg, to.Row.Types[i], types.Explicit, implicitCast)
			if err != nil {
				return nil, err
			}
			out.args = append(out.args, x)
		}
		return out, nil
	}
	if n.typ().OID == to.OID {
		return n, nil
	}
	return nil, sqlerr.Unsupported("printing a cast to a row")
}

// fieldNames are the names of the fields of a record, nil when they are not known.
func (a *analyzer) fieldNames(arg node) (names []string) {
	if v, ok := arg.(*variable); ok && v.column < 0 {
		for _, c := range v.rel.cols {
			names = append(names, c.name)
		}
		return names
	}
	if row := a.names.Typed(arg.typ().OID).Row; row != nil {
		return row.Names
	}
	if c, ok := arg.(*call); ok {
		for _, col := range outColumns(c, "") {
			names = append(names, col.name)
		}
	}
	return names
}

// several is what an expression stands for that is several: *, t.* or (record).*.
func (a *analyzer) several(e ast.Expr) (all []target, ok bool, err error) {
	switch e := e.(type) {
	case *ast.Star:
		all, err = a.star(e)
		return all, true, err
	case *ast.Field:
		if e.Name == "*" {
			all, err = a.fields(e)
			return all, true, err
		}
	}
	return nil, false, nil
}

// fields are what (record).* stands for.
func (a *analyzer) fields(e *ast.Field) (out []target, err error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	for _, name := range a.fieldNames(arg) {
		n, err := a.field(&ast.Field{Arg: e.Arg, Name: name})
		if err != nil {
			return nil, err
		}
		out = append(out, target{n, name})
	}
	if out == nil {
		err = sqlerr.Unsupported("printing the fields of this record")
	}
	return out, err
}

// wholeRow is t.* where one value is wanted.
func (a *analyzer) wholeRow(e *ast.Star) (node, error) {
	for at := a; at != nil && len(e.Table) > 0; at = at.outer {
		if it := at.named(e.Table); it != nil {
			return &variable{it.rel, -1, types.Record}, nil
		}
	}
	return nil, sqlerr.Unsupported("printing this row")
}

// fieldOfRow is a field of a value that has the type of a relation's rows.
func (a *analyzer) fieldOfRow(arg node, name string) node {
	row := a.names.Typed(arg.typ().OID).Row
	if row == nil {
		return nil
	}
	if i := slices.Index(row.Names, name); i >= 0 {
		return &field{arg, name, row.Types[i]}
	}
	return nil
}

// rowName is the name of the type of a relation's rows.
func rowName(was, now catalog.Relation) string {
	if now != nil {
		was = now
	}
	return was.Ref().Name
}
