package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
	"zproxy/types"
)

// leaves are the rows of a scan: those of its table, or of one that has partitions, of these, unless it was named with
// ONLY. Their ranges are among what is declared of their rows, so that those are left out whose ranges contradict
// conditions.
//
// If they are numbered, the column tableoid follows those of the scan.
func (p *Planner) leaves(scan plan.Scan, name ast.Name, numbered bool) (plan.Node, error) {
	all := plan.Append{Cols: scan.Cols}
	if numbered {
		all.Cols = append(slices.Clip(all.Cols), tableoid.Column(scan.Table.ID))
	}
	for _, t := range p.read(scan.Table, name.Only) {
		one, err := p.ofTable(scan, t)
		if err != nil {
			return nil, err
		}
		if numbered {
			one = withNumber(one, t)
		}
		all.In = append(all.In, one)
	}
	switch len(all.In) {
	case 0:
		return plan.Values{Cols: all.Cols}, nil
	case 1:
		return all.In[0], nil
	}
	return all, nil
}

// read are the tables with the rows that a name in a statement stands for.
func (p *Planner) read(t *catalog.Table, only bool) []*catalog.Table {
	switch {
	case t.Partitioning == nil && only:
		return []*catalog.Table{t}
	case t.Partitioning == nil:
		return p.Catalog.Lineage(t)
	case only:
		return nil
	}
	return p.Catalog.Leaves(t)
}

// ofTable are the rows of one table among those of a scan.
func (p *Planner) ofTable(scan plan.Scan, t *catalog.Table) (plan.Node, error) {
	switch {
	case t.ID == scan.Table.ID:
		return scan, nil
	case scan.Table.Partitioning == nil:
		return p.ofHeir(scan, t)
	}
	return p.ofPartition(scan, t)
}

// numbered says whether the statement may read tableoid of a table, and that is not the same in all rows.
func (f *from) numbered(t *catalog.Table) bool {
	several := t.Partitioning != nil || len(f.Catalog.Heirs(t.ID)) > 0
	return (f.outer || several) && namesColumn(f.tree, tableoid.Name)
}

// withNumber are rows with the number of their table behind them.
func withNumber(n plan.Node, t *catalog.Table) plan.Node {
	out := plan.Project{Input: n, Cols: append(slices.Clip(n.Columns()), tableoid.Column(t.ID))}
	for i, c := range n.Columns() {
		out.Exprs = append(out.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	out.Exprs = append(out.Exprs, tableoid.Of(t.ID))
	return out
}

// ofPartition is the part of a scan of a table that reads one partition of it.
func (p *Planner) ofPartition(scan plan.Scan, t *catalog.Table) (plan.Scan, error) {
	of := scan.Table
	t = p.Stored().Leaf(of, t)
	scan.Table, scan.Whole, scan.Filter = t, of, nil
	if alive := lifetime.Alive(t); alive != nil {
		scan.Filter = []expr.Expr{alive}
	}
	scan.Hints = slices.Clone(scan.Hints)
	for i, h := range scan.Hints {
		scan.Hints[i].Indexes = indexesOf(t, of, h.Indexes)
	}
	err := p.indexed(&scan)
	if err == nil {
		scan.Declared, err = p.Stored().Declared(t)
	}
	return scan, err
}

// indexed gives a scan what is to be known of the indexes of its table: which rows partial ones hold, and the values of
// expressions.
func (p *Planner) indexed(scan *plan.Scan) (err error) {
	if scan.Holds, err = p.Stored().Predicates(scan.Table); err == nil {
		scan.Computed, err = p.Stored().Computed(scan.Table)
	}
	return err
}

// indexesOf are the names that indexes of a partitioned table have in a partition.
func indexesOf(t, parent *catalog.Table, names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		x := parent.Index(name)
		switch {
		case x == nil && name == parent.PrimaryKey:
			out[i] = t.PrimaryKey
		case x == nil:
		default:
			if own := x.OfPartition(t); own != nil {
				out[i] = own.Name
			}
		}
	}
	return out
}

// writtenRow is the relation that RETURNING reads of an INSERT: of rows that go to partitions tableoid is computed.
func writtenRow(g *goal, returning []ast.Target, parts *plan.Partitions) bind.Relation {
	rel := g.rel
	if parts == nil || g.view != nil || !namesColumn(returning, tableoid.Name) {
		return rel
	}
	exprs := make([]expr.Expr, len(rel.Cols), len(rel.Cols)+1)
	for i := range exprs {
		exprs[i] = rel.At(i)
	}
	rel.AddTableOID(g.table.ID)
	rel.Exprs = append(exprs, expr.Call{Fn: partitionNumber(parts), Args: exprs, T: types.Of(types.OIDOID)})
	return rel
}

// partitionNumber is a function of all columns of a row: the number of the partition that it is in.
func partitionNumber(parts *plan.Partitions) *expr.Function {
	return &expr.Function{Name: tableoid.Name, NotStrict: true, Variadic: true,
		Args: []types.OID{types.OIDAny}, Result: types.OIDOID, Volatility: expr.Stable,
		FnN: func(c *expr.Context, row []types.Value) (types.Value, error) {
			at, _, err := parts.Find(c, row)
			if err != nil || at < 0 {
				return types.Null, err
			}
			return types.NewInt(int64(parts.Of[at].ID)), nil
		}}
}
