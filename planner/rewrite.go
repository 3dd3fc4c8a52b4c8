package planner

import (
	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/family"
	"zproxy/expr"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Rows is the rows of a table that meet a condition, one of them.
func Rows(t *catalog.Table, cond expr.Expr) plan.Node {
	return plan.Limit{Input: plan.Filter{Input: scanAll(t), Cond: cond},
		Count: expr.Const{Value: types.NewInt(1), T: types.Int8}}
}

// scanStored reads all rows of a table that another one with the same rows needs: also those that are kept only for the
// timestamp of their delete.
func scanStored(t *catalog.Table) plan.Scan {
	scan := scanAll(t)
	if celltime.Has(t) {
		scan.Access = &plan.Access{Path: plan.Whole{}}
	}
	return scan
}

// scanAll reads the rows of a table that have not expired.
func scanAll(t *catalog.Table) plan.Scan {
	reads := t.StoredOrdinals(nil)
	scan := plan.Scan{Table: t, Alias: t.Name, Reads: reads, Cols: plan.TableColumns(t, reads)}
	var entries plan.Entries
	if alive := lifetime.Alive(t); alive != nil {
		entries.Filter = []expr.Expr{alive}
	}
	scan.Access = &plan.Access{Path: plan.Whole{Entries: entries}}
	return scan
}

// Rewrite is a plan that makes the rows of a table those of another one, in which columns
// with the same number have the same value, but for some. Of cells of these only the newest version is computed; the
// others are left out.
func (p *Planner) Rewrite(from, to *catalog.Table, values map[uint32]expr.Expr) (plan.Node, error) {
	row := make([]expr.Expr, len(to.Columns))
	var computed []uint32
	for i, c := range to.Columns {
		at := from.Ordinal(c.ID)
		switch e, ok := values[c.ID]; {
		case ok:
			row[i], computed = e, append(computed, c.ID)
		case at >= 0:
			row[i] = expr.Column{Index: at, Name: c.Name, T: from.Columns[at].Type}
		default:
			row[i] = expr.Const{T: c.Type}
		}
	}
	if cells := celltime.Layout(to); cells != nil && cells.Versions > 1 && computed != nil {
		row[cells.Times] = forgetting(row[cells.Times], computed)
	}
	n := plan.Insert{Table: to, Anew: true,
		Input: plan.Project{Input: scanStored(from), Exprs: row, Cols: allColumns(to)}}
	if from.Space.In == nil { // else each row has its parent
		n.Parent = family.Parent(p.Catalog, to)
	}
	kept, err := p.Stored().Kept(to)
	n.Keep(kept)
	return n, err
}

// Fill fills a new table with the rows of a query.
func Fill(t *catalog.Table, n plan.Node) plan.Node {
	row := make([]expr.Expr, len(t.Columns))
	for i, c := range t.Columns {
		row[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
		if c.Hidden {
			row[i] = expr.Const{T: c.Type}
		}
	}
	return plan.Insert{Table: t, Anew: true, Input: plan.Project{Input: n, Exprs: row, Cols: allColumns(t)}}
}
