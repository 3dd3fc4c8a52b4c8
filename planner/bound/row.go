package bound

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// FieldsOf implements analyze.Maker.
func (m maker) FieldsOf(row Node) (out analyze.Fields) {
	var cols []Column
	if v, ok := row.(*Variable); ok && v.Whole() {
		cols = v.Rel.Cols
	} else if of := m.names.Typed(row.Type().OID).Def; of != nil {
		return analyze.Fields{Names: m.Constants.FieldNames(row.Type()), Types: of.Types}
	} else if call, ok := row.(*Call); ok {
		return call.fields()
	}
	for _, c := range cols {
		out.Names, out.Types = append(out.Names, c.Name), append(out.Types, c.t)
	}
	return out
}

// fields are those of the rows that a function returns.
func (c *Call) fields() analyze.Fields {
	if c.Fn == nil {
		return analyze.Fields{}
	}
	call := expr.Call{Fn: c.Fn, T: c.T}
	for _, arg := range c.Args {
		call.Args = append(call.Args, expr.Const{T: arg.Type()})
	}
	return bind.OutFields(call)
}

// Field implements analyze.Maker. PostgreSQL prints that of the row of a relation as its column.
func (m maker) Field(row Node, i int, of analyze.Fields) Node {
	if v, ok := row.(*Variable); ok && v.Whole() {
		return &Variable{v.Rel, i, typed{of.Types[i]}}
	}
	name := of.Names[i]
	if now := m.names.Typed(row.Type().OID).Def; now != nil {
		name = now.Names[i]
	}
	return &Field{row, name, typed{of.Types[i]}}
}

// Star implements analyze.Maker.
func (m maker) Star(e *ast.Star) (out []Node, err error) {
	vars, err := m.scope().Starred(e)
	for _, v := range vars {
		out = append(out, m.item(v).made(v.Column))
	}
	return out, err
}

// WholeRow implements analyze.Maker.
func (m maker) WholeRow(e *ast.Star) (Node, error) {
	if len(e.Table) == 0 {
		return nil, sqlerr.Unsupported("printing this row")
	}
	found, err := m.scope().Qualified(e.Table, e.Pos)
	if err != nil {
		return nil, err
	}
	return m.item(found).made(-1), nil
}

// rowName is the name of the type of a relation's rows.
func rowName(was, now catalog.Relation) string {
	if now != nil {
		was = now
	}
	return was.Ref().Name
}
