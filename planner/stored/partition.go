package stored

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Bound are the conditions for the rows of a partition, none of which is NULL for any row, those of the tables above it
// among them. A table that is no partition has none.
func (x Expressions) Bound(t *catalog.Table) ([]expr.Expr, error) {
	var out []expr.Expr
	above := catalog.WithParents(x.Catalog, t)
	for i := len(above) - 2; i >= 0; i-- {
		conds, err := x.boundIn(above[i+1], above[i].PartitionOf)
		if err != nil {
			return nil, err
		}
		out = append(out, conds...)
	}
	return out, nil
}

// boundIn are the conditions for the rows of a partition of a table among the rows of that table.
func (x Expressions) boundIn(parent *catalog.Table, p *partition.Of) ([]expr.Expr, error) {
	keys, err := x.PartitionKeys(parent)
	if err != nil {
		return nil, err
	}
	if !p.Default {
		return within(keys, p), nil
	}
	others := x.Catalog.Partitions(p.Parent)
	others = slices.DeleteFunc(slices.Clone(others), func(o *catalog.Table) bool { return o.PartitionOf.Default })
	if len(others) == 0 {
		return nil, nil
	}
	taken := inRanges(keys, others)
	if p.By.Strategy == partition.List {
		taken = inLists(keys[0], others)
	}
	return []expr.Expr{expr.Not{Arg: taken}}, nil
}

// inLists is the condition for the rows that any of some partitions by lists takes.
func inLists(key expr.Expr, list []*catalog.Table) expr.Expr {
	var all []types.Value
	for _, o := range list {
		all = append(all, o.PartitionOf.In...)
	}
	null := partition.Lists(all, types.Null)
	all = slices.DeleteFunc(all, types.Value.IsNull)
	slices.SortFunc(all, types.Compare)
	if null {
		all = append(all, types.Null)
	}
	return expr.Conjoin(listed(key, all))
}

// inRanges is the condition for the rows that any of some partitions by ranges takes.
func inRanges(keys []expr.Expr, list []*catalog.Table) expr.Expr {
	var notNull, ranges []expr.Expr
	for _, o := range list {
		conds := within(keys, o.PartitionOf)
		if notNull = conds[:len(keys)]; len(conds) == len(keys) {
			return expr.Conjoin(notNull)
		}
		ranges = append(ranges, expr.Conjoin(conds[len(keys):]))
	}
	return expr.Logic{Args: append(slices.Clone(notNull), anyOf(ranges))}
}

// anyOf is true where any of some conditions is.
func anyOf(conds []expr.Expr) expr.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return expr.Logic{Or: true, Args: conds}
}

// within are the conditions that the values of keys are such as a partition has. None is NULL.
func within(keys []expr.Expr, p *partition.Of) []expr.Expr {
	switch p.By.Strategy {
	case partition.Hash:
		return []expr.Expr{system.SatisfiesHash(p.Parent, p.Modulus, p.Remainder, keys)}
	case partition.List:
		return listed(keys[0], p.In)
	}
	var out []expr.Expr
	for _, key := range keys {
		out = append(out, expr.IsNull{Arg: key, Not: true})
	}
	i := 0
	for ; p.From[i].Infinity == 0 && p.To[i].Infinity == 0 && p.From[i].Compare(p.To[i]) == 0; i++ {
		out = append(out, expr.Compare{Op: expr.EQ, Left: keys[i],
			Right: expr.Const{Value: p.From[i].Value, T: keys[i].Type()}})
	}
	if from := beyond(keys[i:], p.From[i:], expr.GT, expr.GE); from != nil {
		out = append(out, from)
	}
	if to := beyond(keys[i:], p.To[i:], expr.LT, expr.LT); to != nil {
		out = append(out, to)
	}
	return out
}

// beyond is the condition that values are on one side of an end of a range: beyond its first value by one operator, or
// equal to it and the others beyond the rest; the last ones by another operator. It is nil if all are.
func beyond(keys []expr.Expr, end []partition.Edge, op, last expr.CompareOp) expr.Expr {
	e := end[0]
	if e.Infinity != 0 {
		if (e.Infinity < 0) == (op == expr.GT) {
			return nil
		}
		return expr.Const{Value: types.NewBool(false), T: types.Bool}
	}
	compare := func(op expr.CompareOp) expr.Expr {
		return expr.Compare{Op: op, Left: keys[0], Right: expr.Const{Value: e.Value, T: keys[0].Type()}}
	}
	if len(keys) == 1 {
		return compare(last)
	}
	if next := end[1]; next.Infinity != 0 {
		if (next.Infinity < 0) == (op == expr.GT) {
			return compare(map[expr.CompareOp]expr.CompareOp{expr.GT: expr.GE, expr.LT: expr.LE}[op])
		}
		return compare(op)
	}
	rest := beyond(keys[1:], end[1:], op, last)
	return expr.Logic{Or: true, Args: []expr.Expr{compare(op), expr.Logic{Args: []expr.Expr{compare(expr.EQ), rest}}}}
}

// listed are the conditions that a value is one of a list.
func listed(key expr.Expr, list []types.Value) []expr.Expr {
	var values []expr.Expr
	null := false
	for _, v := range list {
		if null = null || v.IsNull(); !v.IsNull() {
			values = append(values, expr.Const{Value: v, T: key.Type()})
		}
	}
	var among expr.Expr
	switch len(values) {
	case 0:
		return []expr.Expr{expr.IsNull{Arg: key}}
	case 1:
		among = expr.Compare{Op: expr.EQ, Left: key, Right: values[0]}
	default:
		among = expr.In{Arg: key, List: values}
	}
	if null {
		return []expr.Expr{expr.Logic{Or: true, Args: []expr.Expr{expr.IsNull{Arg: key}, among}}}
	}
	return []expr.Expr{expr.IsNull{Arg: key, Not: true}, among}
}

// PartitionKeys are what the rows of a partitioned table are divided by.
func (x Expressions) PartitionKeys(t *catalog.Table) ([]expr.Expr, error) {
	var out []expr.Expr
	next := 0
	for _, k := range t.Partitioning.Keys {
		if k.Column != 0 {
			at := t.Ordinal(k.Column)
			out = append(out, expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type})
			continue
		}
		c := t.PartitionExprs[next]
		next++
		e, err := read(t, &c, x.BindPartitionKey)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// BindPartitionKey is an expression that rows are divided by, over the columns of the table, and which of them it
// names.
func (x Expressions) BindPartitionKey(t *catalog.Table, c *catalog.Condition, tree ast.Expr) (
	e expr.Expr, named map[int]bool, err error) {
	return x.bindText(t, c, "partition key expressions",
		func(s *bind.Scalars) (expr.Expr, error) { return s.Expr(tree) })
}

// Partitions are those of a table that rows may be written to, nil for a table that has none.
func (x Expressions) Partitions(t *catalog.Table) (*plan.Partitions, error) {
	if t.Partitioning == nil {
		return nil, nil
	}
	out := &plan.Partitions{}
	tree, err := x.divided(t, t, out)
	if err != nil {
		return nil, err
	}
	out.Tree = *tree
	bound, err := x.Bound(t)
	if err == nil && bound != nil {
		out.Bound = expr.Conjoin(bound)
	}
	return out, err
}

// divided is how the rows of a table are divided. It adds the partitions with rows to those of the root.
func (x Expressions) divided(root, t *catalog.Table, all *plan.Partitions) (*plan.Divided, error) {
	keys, err := x.PartitionKeys(t)
	out := &plan.Divided{Table: t, Keys: keys}
	if err != nil {
		return nil, err
	}
	for _, p := range x.Catalog.Partitions(t.ID) {
		b := plan.Branch{Of: p.PartitionOf}
		if p.Partitioning != nil {
			if b.Below, err = x.divided(root, p, all); err != nil {
				return nil, err
			}
			out.Branches = append(out.Branches, b)
			continue
		}
		indexed, err := x.Indexed(x.Leaf(root, p))
		if err != nil {
			return nil, err
		}
		if indexed.Checks, err = x.written(p); err == nil {
			indexed.Fires, err = x.Triggers(p)
		}
		if err != nil {
			return nil, err
		}
		b.Leaf, all.Of = len(all.Of), append(all.Of, indexed)
		out.Branches = append(out.Branches, b)
	}
	return out, nil
}

// Leaf is a partition whose indexes belong to those of a table above it, which need not be the nearest one.
func (x Expressions) Leaf(root, p *catalog.Table) *catalog.Table {
	above := catalog.WithParents(x.Catalog, p)[1:]
	if len(above) == 0 || above[0].ID == root.ID {
		return p
	}
	c := *p
	c.Indexes = append([]catalog.Index{}, p.Indexes...)
	for i := range c.Indexes {
		for _, t := range above {
			if t.ID == root.ID {
				break
			}
			if of := t.IndexByID(c.Indexes[i].Of); of != nil {
				c.Indexes[i].Of = of.Of
			}
		}
	}
	return &c
}
