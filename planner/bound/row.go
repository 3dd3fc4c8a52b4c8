package bound

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Field implements analyze.Maker.
func (m maker) Field(e *ast.Field) (Node, error) {
	arg, err := m.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if n, ok := m.Projection(arg, e.Name); ok {
		return n, nil
	}
	return nil, sqlerr.Unsupported("printing a field of this record")
}

// Projection implements analyze.Maker.
func (m maker) Projection(row Node, field string) (Node, bool) {
	switch n := row.(type) {
	case *Variable:
		if n.Column < 0 {
			for i, c := range n.Rel.Cols {
				if c.Name == field {
					return &Variable{n.Rel, i, typed{c.t}}, true // which PostgreSQL prints alike
				}
			}
		}
	case *Call:
		for i, mode := range n.Proc.ArgModes {
			if mode != 'i' && n.Proc.ArgNames[i] == field {
				return &Field{n, field, typed{types.Of(n.Proc.AllArgs[i])}}, true
			}
		}
	}
	if of := m.names.Typed(row.Type().OID).Row; of != nil {
		if i := slices.Index(of.Names, field); i >= 0 {
			return &Field{row, field, typed{of.Types[i]}}, true
		}
	}
	return nil, false
}

// fieldNames are the names of the fields of a record, nil when they are not known.
func (a *analyzer) fieldNames(arg Node) (names []string) {
	if v, ok := arg.(*Variable); ok && v.Column < 0 {
		for _, c := range v.Rel.Cols {
			names = append(names, c.Name)
		}
		return names
	}
	if row := a.names.Typed(arg.Type().OID).Row; row != nil {
		return row.Names
	}
	if c, ok := arg.(*Call); ok {
		for _, col := range outColumns(c, "") {
			names = append(names, col.Name)
		}
	}
	return names
}

// Several implements analyze.Maker.
func (m maker) Several(e ast.Expr) (out []Node, err error) {
	all, ok, err := m.several(e)
	if !ok {
		one, err := m.expr(e)
		return []Node{one}, err
	}
	for _, t := range all {
		out = append(out, t.Expr)
	}
	return out, err
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
		n, err := maker{a}.Field(&ast.Field{Arg: e.Arg, Name: name})
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

// WholeRow implements analyze.Maker.
func (m maker) WholeRow(e *ast.Star) (Node, error) {
	for at := m.analyzer; at != nil && len(e.Table) > 0; at = at.outer {
		if it := at.named(e.Table); it != nil {
			return &Variable{it.rel, -1, typed{types.Record}}, nil
		}
	}
	return nil, sqlerr.Unsupported("printing this row")
}

// rowName is the name of the type of a relation's rows.
func rowName(was, now catalog.Relation) string {
	if now != nil {
		was = now
	}
	return was.Ref().Name
}
