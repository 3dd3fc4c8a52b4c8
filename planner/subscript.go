package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// step is one part of the path behind a column that gets a value: subscripts, or a field of a row.
type step struct {
	of    types.T                       // what it is a part of
	to    types.T                       // what it leads to
	at    *analyze.Subscript[expr.Expr] // nil: a field
	field int
	name  string  // of the column or the field before it, in messages
	pos   ast.Pos // of the column
}

// pathOf makes the path behind the name of a column, nil if there is none.
func pathOf(sc *bind.Scalars, g *goal, to target, n ast.ColumnName) ([]step, error) {
	switch {
	case n.Path == nil:
		return nil, nil
	case to.dynamic != "":
		return nil, sqlerr.Unsupported("an assignment to a subscript of a dynamic column").At(int(n.Pos))
	case to.ordinal < 0: // of a view, which takes refuses
		return nil, nil
	}
	var out []step
	name, t := n.Name, g.column(to).Type
	for _, s := range n.Path {
		next := step{of: t, name: name, pos: n.Pos}
		if t.IsDomain() {
			next.of = t.Base()
		}
		var err error
		if s.Field == "" {
			if next.at, err = sc.Analysis().Subscripts(next.of, s.Subscripts, n.Pos); err == nil {
				next.to = next.at.T
			}
		} else {
			next.field, next.to, err = assignedField(next.of, s.Field, name)
			name = s.Field
		}
		if err != nil {
			return nil, bind.At(err, n.Pos)
		}
		out, t = append(out, next), next.to
	}
	return out, nil
}

// assignedField finds a field of a row that gets a value.
func assignedField(of types.T, field, column string) (int, types.T, error) {
	if !of.OID.IsRow() || of.Def == nil {
		return 0, of, sqlerr.New(sqlerr.DatatypeMismatch,
			"cannot assign to field %q of column %q because its type %s is not a composite type", field, column, of.Bare())
	}
	i := slices.Index(of.Def.Names, field)
	if i < 0 {
		return 0, of, sqlerr.New(sqlerr.UndefinedColumn,
			"cannot assign to field %q of column %q because there is no such column in data type %s", field, column,
			of.Bare())
	}
	return i, of.Def.Types[i], nil
}

// inColumn is the value of a column with another one at the end of a path.
func (p writer) inColumn(base expr.Expr, path []step, c catalog.Column, value expr.Expr, pos ast.Pos) (
	expr.Expr, error) {
	out, err := p.assignedAt(base, path, value, pos)
	if err != nil {
		return nil, err
	}
	return p.Assign(out, c.Name, c.Type, pos) // perhaps a domain
}

// assignedAt is a value with another one at the end of a path.
func (p writer) assignedAt(base expr.Expr, path []step, value expr.Expr, pos ast.Pos) (expr.Expr, error) {
	s := path[0]
	if base.Type().IsDomain() {
		var err error
		if base, err = p.Explicit(base, s.of, -1); err != nil {
			return nil, err
		}
	}
	if len(path) > 1 {
		var err error
		if value, err = p.assignedAt(s.read(base), path[1:], value, pos); err != nil {
			return nil, err
		}
	}
	out, ok, err := p.Coerce(value, s.to, types.Assignment, pos)
	if err == nil && !ok {
		err = s.mismatch(value.Type())
	}
	if err != nil {
		return nil, err
	}
	switch {
	case s.at == nil:
		return expr.FieldAssign{
			Arg: base, Value: out, Ordinal: s.field, Name: s.of.Def.Names[s.field], T: s.of,
		}, nil
	case s.of.Kind() == types.KindJSONB:
		return p.inDocument(base, s.at, out)
	}
	return expr.SubscriptAssign{Arg: base, Value: out, Slice: s.at.Slice, Indexes: s.indexes()}, nil
}

// read is what stands at a step of a value.
func (s step) read(base expr.Expr) expr.Expr {
	if s.at == nil {
		return bind.FieldOf(base, s.field, s.of.Def.Names[s.field], s.to)
	}
	return expr.Subscript{Arg: base, Indexes: s.indexes(), Slice: s.at.Slice, T: s.to}
}

func (s step) indexes() (out []expr.Index) {
	for _, x := range s.at.Indexes {
		out = append(out, expr.Index{Low: x.Low, High: x.High})
	}
	return out
}

// mismatch is the error of a value of a type that a step does not lead to.
func (s step) mismatch(of types.T) *sqlerr.Error {
	message, name := "subfield \"%s\" is of type %s but expression is of type %s", ""
	if s.at == nil {
		name = s.of.Def.Names[s.field]
	} else {
		message, name = "subscripted assignment to \"%s\" requires type %s but expression is of type %s", s.name
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, message, name, s.to.Bare(), of.Bare()).
		WithHint("You will need to rewrite or cast the expression.").At(int(s.pos))
}

// inDocument is a jsonb with a value at a path. A first subscript that is a number is of an array.
func (p writer) inDocument(base expr.Expr, at *analyze.Subscript[expr.Expr], value expr.Expr) (expr.Expr, error) {
	array := at.Indexes[0].High.Type().Kind() == types.KindInt
	of, _ := types.ArrayOf(types.Text)
	path := expr.ArrayOf{T: of}
	for _, x := range at.Indexes {
		e, err := p.Explicit(x.High, types.Text, -1)
		if err != nil {
			return nil, err
		}
		path.Items = append(path.Items, e)
	}
	return p.Call("jsonb_subscript_assign", base, path, value, expr.Const{Value: types.NewBool(array), T: types.Bool})
}

// noDefault is the error of DEFAULT as the value of what a path leads to.
func noDefault(path []step) error {
	what := "an array element"
	if path[0].at == nil {
		what = "a subfield"
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot set %s to DEFAULT", what).At(int(path[0].pos))
}
