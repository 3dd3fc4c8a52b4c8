package bound

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// toRow is a written cast to the type of the rows of a relation.
func (s *Source) toRow(n Node, to types.T) (Node, error) {
	switch n := n.(type) {
	case *Constant:
		if n.T.OID != types.OIDUnknown {
			break
		}
		if n.Value.IsNull() {
			return &Constant{T: to}, nil
		}
		v, err := types.ParseText(n.Value.Text(), to, s.Constants.Env)
		return &Constant{Value: v, T: to}, err
	case *Row:
		if len(n.Args) != len(to.Row.Types) {
			break
		}
		out := &Row{T: to}
		for i, arg := range n.Args {
			x, err := s.coerceTo(arg, to.Row.Types[i], types.Explicit, ImplicitCast)
			if err != nil {
				return nil, err
			}
			out.Args = append(out.Args, x)
		}
		return out, nil
	}
	if n.typ().OID == to.OID {
		return n, nil
	}
	return nil, sqlerr.Unsupported("printing a cast to a row")
}

// fieldNames are the names of the fields of a record, nil when they are not known.
func (a *analyzer) fieldNames(arg Node) (names []string) {
	if v, ok := arg.(*Variable); ok && v.Column < 0 {
		for _, c := range v.Rel.Cols {
			names = append(names, c.Name)
		}
		return names
	}
	if row := a.names.Typed(arg.typ().OID).Row; row != nil {
		return row.Names
	}
	if c, ok := arg.(*Call); ok {
		for _, col := range outColumns(c, "") {
			names = append(names, col.Name)
		}
	}
	return names
}

// several is what an expression stands for that is several: *, t.* or (record).*.
func (a *analyzer) several(e ast.Expr) (all []Target, ok bool, err error) {
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
func (a *analyzer) fields(e *ast.Field) (out []Target, err error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	for _, name := range a.fieldNames(arg) {
		n, err := a.field(&ast.Field{Arg: e.Arg, Name: name})
		if err != nil {
			return nil, err
		}
		out = append(out, Target{n, name})
	}
	if out == nil {
		err = sqlerr.Unsupported("printing the fields of this record")
	}
	return out, err
}

// wholeRow is t.* where one value is wanted.
func (a *analyzer) wholeRow(e *ast.Star) (Node, error) {
	for at := a; at != nil && len(e.Table) > 0; at = at.outer {
		if it := at.named(e.Table); it != nil {
			return &Variable{it.rel, -1, types.Record}, nil
		}
	}
	return nil, sqlerr.Unsupported("printing this row")
}

// fieldOfRow is a field of a value that has the type of a relation's rows.
func (a *analyzer) fieldOfRow(arg Node, name string) Node {
	row := a.names.Typed(arg.typ().OID).Row
	if row == nil {
		return nil
	}
	if i := slices.Index(row.Names, name); i >= 0 {
		return &Field{arg, name, row.Types[i]}
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
