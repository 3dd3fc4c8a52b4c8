package planner

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

// ofHeir are the rows of a table that inherits from the one of a scan, with the columns of that one.
func (p *Planner) ofHeir(scan plan.Scan, t *catalog.Table) (plan.Node, error) {
	own, err := p.heirScan(scan, t)
	return plan.Project{Input: own, Exprs: inherited(scan.Table, t), Cols: scan.Cols}, err
}

// heirScan is the scan of a table that inherits from the one of another scan, with all columns of its own.
func (p *Planner) heirScan(of plan.Scan, t *catalog.Table) (plan.Scan, error) {
	scan := plan.Scan{Table: t, Alias: of.Alias, Reads: t.StoredOrdinals(nil), Cols: allColumns(t), Write: of.Write}
	if alive := lifetime.Alive(t); alive != nil {
		scan.Filter = []expr.Expr{alive}
	}
	err := p.indexed(&scan)
	if err == nil {
		scan.Declared, err = p.Stored().Declared(t)
	}
	return scan, err
}

// inherited are the columns of a table over the rows of one that inherits from it. A column that only the table has is
// hidden, and that a row has none would mean that an outer join has made it.
func inherited(of, t *catalog.Table) (out []expr.Expr) {
	for i := range of.Columns {
		c := &of.Columns[i]
		at := t.Column(c.Name)
		switch {
		case at >= 0 && t.Columns[at].Hidden == c.Hidden && t.Columns[at].Type.Same(c.Type):
			out = append(out, expr.Column{Index: at, Name: c.Name, T: c.Type})
		case c.Type.OID == types.OIDInt8:
			out = append(out, expr.Const{Value: types.NewInt(0), T: c.Type})
		default:
			out = append(out, expr.Const{T: c.Type})
		}
	}
	return out
}

// heirWriter plans statements that write, also to tables that inherit from the one that they name.
type heirWriter struct{ writer }

// overHeirs plans what a statement does to the rows of its goal: if others inherit from its table, to those of each
// table by itself, under the names of the goal.
func (p heirWriter) overHeirs(g *goal, one func(*goal) (plan.Node, error)) (plan.Node, error) {
	tables := p.read(g.table, g.name.Only)
	if g.table.Partitioning != nil || len(tables) == 1 {
		return one(g)
	}
	out := plan.WriteEach{}
	for _, t := range tables {
		of := *g
		if t.ID != g.table.ID {
			if err := p.toHeir(&of, t); err != nil {
				return nil, err
			}
		}
		n, err := one(&of)
		if err != nil {
			return nil, err
		}
		out.In = append(out.In, n)
	}
	return out, nil
}

// toHeir makes a goal that of a table which inherits from its table.
func (p heirWriter) toHeir(g *goal, t *catalog.Table) (err error) {
	switch {
	case g.security != nil:
		return sqlerr.Unsupported("writing to a table with row security from which others inherit").At(int(g.name.Pos))
	case g.view != nil:
		return sqlerr.Unsupported("writing through a view to a table from which others inherit").At(int(g.name.Pos))
	}
	exprs := inherited(g.table, t)
	if g.scan, err = p.heirScan(g.scan, t); err != nil {
		return err
	}
	g.rel.AddTableOID(g.table.ID)
	g.rel.Exprs = append(exprs, tableoid.Of(t.ID))
	g.table, g.name = t, ast.Name{Schema: t.Schema, Name: t.Name, Pos: g.name.Pos, Only: true}
	return nil
}

// at is a column of the table that is written, over the rows of the statement, which begin with those of the table.
func (g *goal) at(ordinal int) expr.Expr {
	c := &g.table.Columns[ordinal]
	return expr.Column{Index: ordinal, Name: c.Name, T: c.Type}
}
