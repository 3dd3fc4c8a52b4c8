package rowkey

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// Dependencies say which columns of the rows of a node agree wherever others do. They come from the keys of tables,
// from conditions that make columns equal, and from what groups rows. Two values agree if they are equal or both NULL,
// so they need not look the same: 1.0 and 1.00 agree.
type Dependencies struct {
	columns []int // the value that each column of the node has
	list    []dependency
}

// dependency is that values agree in two rows where others do.
type dependency struct {
	from, to []int
	nulls    bool // also where some of from are NULL
	filled   bool // what follows is never NULL
	present  bool // one of from is NULL in no row but where an outer join puts NULL for all of from and to
}

// DependenciesOf are those of the rows of a node.
func DependenciesOf(n plan.Node) Dependencies {
	var g gathering
	columns := g.of(n)
	return Dependencies{columns, g.list}
}

// Minimal are those of some columns that decide all of them, without one that the others decide.
func (d Dependencies) Minimal(columns []int) []int {
	out := slices.Clone(columns)
	for i := len(out) - 1; i >= 0 && len(out) > 1; i-- {
		if rest := slices.Delete(slices.Clone(out), i, i+1); d.decide(rest, out[i]) {
			out = rest
		}
	}
	return out
}

// decide says whether rows that agree in some columns agree in another one.
func (d Dependencies) decide(columns []int, column int) bool {
	known := Columns{}
	for _, c := range columns {
		known[d.columns[c]] = false
	}
	wanted := d.columns[column]
	for grown := true; grown; {
		if _, ok := known[wanted]; ok {
			return true
		}
		grown = false
		for _, x := range d.list {
			if x.holds(known) && x.follow(known) {
				grown = true
			}
		}
	}
	return false
}

// holds says whether rows that agree in what is known agree in what depends on it.
func (x dependency) holds(known Columns) bool {
	return !slices.ContainsFunc(x.from, func(v int) bool {
		filled, ok := known[v]
		return !ok || !filled && !x.nulls
	})
}

// follow adds what depends to what is known, and says whether that is anything new.
func (x dependency) follow(known Columns) (grown bool) {
	for _, v := range x.to {
		filled, ok := known[v]
		known[v] = filled || x.filled
		grown = grown || !ok || x.filled && !filled
	}
	return grown
}

// gathering collects the dependencies of a plan from its leaves upwards, between values that have numbers of their own.
type gathering struct {
	list []dependency
	last int // number of a value
}

// fresh are values of which nothing is known.
func (g *gathering) fresh(count int) []int {
	out := make([]int, count)
	for i := range out {
		g.last++
		out[i] = g.last
	}
	return out
}

// of are the values of the columns of a node, whose dependencies it adds.
func (g *gathering) of(n plan.Node) []int {
	switch n := n.(type) {
	case plan.Scan:
		return g.scan(n)
	case plan.Filter:
		if s, ok := n.Input.(plan.Scan); ok {
			return g.scan(filtered(s, n.Cond))
		}
		values := g.of(n.Input)
		g.conditions(expr.Conjuncts(n.Cond), values)
		return values
	case plan.Project:
		return g.listed(n.Exprs, g.of(n.Input))
	case plan.Sort, plan.Limit, plan.LockRows, plan.Barrier:
		return g.of(n.Inputs()[0])
	case plan.With:
		return g.of(n.Input)
	case plan.Window:
		return append(slices.Clip(g.of(n.Input)), g.fresh(len(n.Calls))...)
	case plan.Distinct:
		values := g.of(n.Input)
		if n.On != nil {
			g.add(dependency{from: g.listed(n.On, values), to: values, nulls: true})
		}
		return values
	case plan.Aggregate:
		values := g.of(n.Input)
		all := append(g.listed(n.Groups, values), g.fresh(len(n.Calls))...)
		g.add(dependency{from: g.listed(n.Keys(), values), to: all, nulls: true})
		return all
	case plan.Join:
		return g.join(n)
	}
	return g.fresh(plan.Width(n))
}

func (g *gathering) add(d dependency) { g.list = append(g.list, d) }

// listed are the values of expressions over others.
func (g *gathering) listed(list []expr.Expr, values []int) []int {
	out := g.fresh(len(list))
	for i, e := range list {
		if c, ok := plan.ColumnOf(e); ok {
			out[i] = values[c.Index]
		}
	}
	return out
}

// scan adds the keys of a table of which all columns are read.
func (g *gathering) scan(s plan.Scan) []int {
	values := g.fresh(len(s.Reads))
	g.conditions(s.Filter, values)
	for _, key := range keysOf(s) {
		g.key(s, values, key)
	}
	return values
}

// key adds that all columns of a scan depend on those of a key.
func (g *gathering) key(s plan.Scan, values []int, key *catalog.Layout) {
	d := dependency{to: values, nulls: true}
	for _, id := range key.Columns() {
		ordinal := s.Table.Ordinal(id)
		at := slices.Index(s.Reads, ordinal)
		if at < 0 {
			return
		}
		d.from = append(d.from, values[at])
		if neverNull(s, ordinal, at) {
			d.present = true
		} else if !key.NullsEqual {
			d.nulls = false
		}
	}
	g.add(d)
}

// conditions adds what conditions on rows make equal to a value of the run, and to each other.
func (g *gathering) conditions(conds []expr.Expr, values []int) {
	for _, cond := range conds {
		if c, ok := fixedColumn(cond); ok {
			g.add(dependency{to: []int{values[c.Index]}, nulls: true, filled: true})
		}
		if l, r, ok := EqualColumns(cond); ok {
			a, b := values[l.Index], values[r.Index]
			g.add(dependency{from: []int{a}, to: []int{a, b}, nulls: true, filled: true, present: true})
			g.add(dependency{from: []int{b}, to: []int{a, b}, nulls: true, filled: true, present: true})
		}
	}
}

// join adds what holds in a side where it holds in the rows of the join, and what the equalities say.
func (g *gathering) join(j plan.Join) []int {
	first := len(g.list)
	l := g.of(j.Left)
	switch j.Kind {
	case plan.SemiJoin, plan.AntiJoin:
		return l
	case plan.RightJoin, plan.FullJoin:
		g.extend(first)
	}
	middle := len(g.list)
	r := g.of(j.Right)
	lateral := len(j.Slots) > 0
	if lateral { // what holds on the right side does so for one left row
		g.list = g.list[:middle]
	}
	switch j.Kind {
	case plan.InnerJoin:
		g.conditions(expr.Conjuncts(j.On), slices.Concat(l, r))
	case plan.LeftJoin:
		if g.extend(middle); !lateral {
			g.partners(j, j.Right, l, r)
		}
	case plan.RightJoin:
		g.partners(j, j.Left, r, l)
	case plan.FullJoin:
		g.extend(middle)
	}
	return slices.Concat(l, r)
}

// extend changes the dependencies from a number on, which an outer join adds rows to that have NULL in all columns.
// Rows that agree in a column which is NULL in no others are such rows all, or none of them.
func (g *gathering) extend(from int) {
	kept := g.list[:from]
	for _, d := range g.list[from:] {
		if len(d.from) == 0 {
			continue
		}
		d.nulls, d.filled = d.nulls && d.present, false
		kept = append(kept, d)
	}
	g.list = kept
}

// partners adds that rows of an outer join which agree in the columns of the side that it keeps, by which it finds
// partners in the other one, have the same partner, or none, if nothing else decides about it.
func (g *gathering) partners(j plan.Join, other plan.Node, keeps, finds []int) {
	e := j.Equalities()
	d, in := dependency{nulls: true}, Columns{}
	for _, k := range e.Keys {
		a, isLeft := plan.ColumnOf(k.Left)
		b, isRight := plan.ColumnOf(k.Right)
		if !isLeft || !isRight {
			return
		}
		if j.Kind == plan.RightJoin {
			a, b = b, a
		}
		d.from, d.to = append(d.from, keeps[a.Index]), append(d.to, finds[b.Index])
		in[b.Index] = in[b.Index] || !k.NullsEqual
	}
	if len(e.Keys) == 0 || e.Residual != nil {
		return
	}
	if Unique(other, in) {
		d.to = finds
	}
	g.add(d)
}
