package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
)

// leaves are the rows of a scan: those of its table, or of one that has partitions, of these, unless it was named with
// ONLY. Their ranges are among what is declared of their rows, so that those are left out whose ranges contradict
// conditions.
func (p *Planner) leaves(scan plan.Scan, name ast.Name) (plan.Node, error) {
	if scan.Table.Partitioning == nil {
		return scan, nil
	}
	if name.Only {
		return plan.Values{Cols: scan.Cols}, nil
	}
	all := plan.Append{Cols: scan.Cols}
	for _, t := range p.Catalog.Leaves(scan.Table) {
		one, err := p.ofPartition(scan, t)
		if err != nil {
			return nil, err
		}
		all.In = append(all.In, one)
	}
	switch len(all.In) {
	case 0:
		return plan.Values{Cols: scan.Cols}, nil
	case 1:
		return all.In[0], nil
	}
	return all, nil
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
			at := slices.IndexFunc(t.Indexes, func(y catalog.Index) bool { return y.Of == x.ID })
			if at >= 0 {
				out[i] = t.Indexes[at].Name
			}
		}
	}
	return out
}
