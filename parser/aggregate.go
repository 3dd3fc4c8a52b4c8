package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// aggregates converts CREATE AGGREGATE.
type aggregates struct{ *converter }

func (c aggregates) create(n *pg.DefineStmt) ast.Statement {
	out := &ast.CreateAggregate{Name: c.nameOf(names(n.Defnames)), Replace: n.Replace, OfBase: n.Oldstyle, Direct: -1}
	c.refuse(n.IfNotExists || len(n.Args) != 2 && len(n.Args) != 0, n, "this form of CREATE AGGREGATE")
	if len(n.Args) == 2 {
		for _, p := range n.Args[0].GetList().GetItems() {
			out.Params = append(out.Params, routines(c).routineParam(p.GetFunctionParameter()))
		}
		out.Direct = int(n.Args[1].GetInteger().GetIval())
	}
	out.Options = c.options(n.Definition)
	return out
}

func (c aggregates) options(list []*pg.Node) (out []ast.AggregateOption) {
	for _, d := range list {
		out = append(out, c.option(d.GetDefElem()))
	}
	return out
}

func (c aggregates) option(d *pg.DefElem) ast.AggregateOption {
	c.refuse(d.GetDefnamespace() != "", d, "an option with a prefix")
	out := ast.AggregateOption{Name: d.GetDefname(), Pos: c.at(d.GetLocation())}
	if t := d.GetArg().GetTypeName(); t != nil {
		of := routines(c).routineType(t)
		parts := names(t.Names)
		text := dotted(parts)
		out.Func, out.Type, out.Set, out.Value = c.nameOf(parts), &of.TypeName, of.Set, &text
		return out
	}
	if list := d.GetArg().GetList(); list != nil { // an operator
		parts := names(list.Items)
		text := dotted(parts)
		out.Func, out.Value = c.nameOf(parts), &text
		return out
	}
	if d.GetArg() != nil {
		text := c.optionValue(d.GetArg())
		out.Value, out.Func = &text, ast.Name{Name: text, Pos: -1}
	}
	return out
}
