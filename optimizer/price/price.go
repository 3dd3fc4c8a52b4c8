// Package price says what the nodes of a plan cost: until their first row and until their last, in the one unit that
// reading, joining, sorting and writing have in common, the time that it takes to read a row of a table in the order of
// its keys. Joins are chosen by these prices, and EXPLAIN prints them. What a scan reads is the estimate of its access
// path, which package cost makes; how many rows come out of a node is package cardinality's matter. Read Price first,
// then nodes.go.
package price

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// What steps cost, in rows that are read in the order of their keys. Those in memory are rough: what a condition or an
// expression takes is not known.
const (
	buildRow    = 0.6  // to put a row into a hash table
	probeRow    = 0.35 // to look for a row in one
	mergedRow   = 0.12 // to go on to the next row of a side that is merged
	joinedRow   = 0.2  // to make a row of two
	computedRow = 0.02 // to compute an expression
	passedRow   = 0.05 // to hand a row on
	sortedRow   = 0.1  // to compare two rows

	// CheckedRow is what it costs to try a condition on a row, or on a pair.
	CheckedRow = 0.1

	// writtenItem is what putting or deleting an item costs.
	writtenItem = cost.LookupRows
)

// Price is what one run of a node is thought to cost, with all that is below it, and what comes out.
type Price struct {
	Startup, Total float64 // until the first row, and until the last
	Rows           float64
	Width          float64 // bytes of a row
}

// Nodes are the prices of the nodes of a plan, by their preorder numbers, with so much memory for each of them.
func Nodes(n plan.Node, by cardinality.Estimator, memory Memory) []Price {
	p := pricing{statement: by.Statement(), memory: memory, prices: make([]Price, plan.CountNodes(n))}
	p.node(n, 0)
	return p.prices
}

// pricing is the pricing of one plan.
type pricing struct {
	statement *cardinality.Statement
	memory    Memory
	prices    []Price
}

// priced is a node with its price, and how wide its columns are.
type priced struct {
	Price
	columns []float64
}

// node prices a node and what is below it. The rows of a node are asked for before those of its inputs, since it may
// name rows that these read.
func (p *pricing) node(n plan.Node, number int) priced {
	rows := p.statement.Rows(n)
	next := number + 1
	in := make([]priced, len(n.Inputs()))
	for i, input := range n.Inputs() {
		in[i] = p.node(input, next)
		if j, ok := n.(plan.Join); ok && i == 1 && looksUp(j) {
			in[i].Price = forBatch(in[i].Price, p.statement.LookedUp(j), in[0].Rows)
			p.prices[next] = in[i].Price
		}
		next += plan.CountNodes(input)
	}
	out := priced{columns: widths(n, in)}
	out.Startup, out.Total = costs(n, in, rows)
	spilled := p.spilled(n, in, rows)
	out.Startup, out.Total = out.Startup+spilled, out.Total+spilled
	out.Rows = rows
	out.Width = sum(out.columns)
	runs := math.Max(1, p.rowsOf(n, in, rows))
	for _, s := range plan.Subqueries(n) {
		sub, ok := s.Plan.(plan.Sub)
		if !ok {
			continue
		}
		of := p.node(sub.Node, next)
		next += plan.CountNodes(sub.Node)
		if len(s.Depends) == 0 {
			out.Startup += of.Total
			out.Total += of.Total
		} else {
			out.Total += runs * of.Total
		}
	}
	p.prices[number] = out.Price
	return out
}

// rowsOf is for how many rows a node runs the subqueries of its expressions. Conditions without any are checked before.
func (p *pricing) rowsOf(n plan.Node, in []priced, rows float64) float64 {
	switch n := n.(type) {
	case plan.Scan:
		if n.Access != nil {
			n.Filter = slices.DeleteFunc(slices.Clone(n.Filter), holdsSubquery)
			return math.Min(n.Access.Estimate.Rows, p.statement.Rows(n))
		}
	case plan.Filter:
		before := slices.DeleteFunc(slices.Clone(expr.Conjuncts(n.Cond)), holdsSubquery)
		if len(before) == 0 {
			return in[0].Rows
		}
		n.Cond = expr.Conjoin(before)
		return p.statement.Rows(n)
	case plan.Aggregate, plan.GroupingSets, plan.Sort:
		return in[0].Rows
	}
	return rows
}

func holdsSubquery(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		_, ok := x.(expr.Subquery)
		return ok
	})
}

// looksUp says whether a join runs its right side for batches of left rows.
func looksUp(j plan.Join) bool { return j.Method != nil && j.Method.Strategy == plan.Lookup }

// forBatch is the price of one run of the right side of a join that looks up the partners of a batch of left rows, of
// one for a single row.
func forBatch(one Price, found, left float64) Price {
	n := math.Max(1, math.Min(left, plan.LookupBatch))
	one.Total = one.Startup + n*(one.Total-one.Startup)
	one.Rows = found
	return one
}

// computed is what it costs to compute expressions for so many rows. Columns and constants are there already.
func computed(list []expr.Expr, rows float64) float64 {
	n := 0.0
	for _, e := range list {
		switch e.(type) {
		case expr.Column, expr.Const, expr.Param, expr.Outer:
		default:
			n++
		}
	}
	return n * rows * computedRow
}
