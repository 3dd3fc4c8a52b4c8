package optimizer

import (
	"math"
	"slices"
	"strconv"

	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/joinorder"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
)

// joinModel estimates what joins of inputs have, and what they cost in rows that are read.
type joinModel struct {
	*Options
	set       *joinSet
	estimator cardinality.Estimator
	known     map[joinorder.Set]joinRows
	perLookup map[string]float64 // of an input by some conditions: infinite if they bound nothing
	name      []byte             // of the last one
	orders    *joinOrders        // nil: none is of use
	bytes     map[int]float64    // of the columns of a row of an input in memory, of those that are needed
	needed    map[int]bool       // the columns that are read above the joins; nil: all are
	compared  map[int]bool       // the columns that the joins read
	perRuns   map[int]float64    // what one run of an input costs that runs for each row of others
}

// joinRows is what is thought of the rows of joined inputs, with those of their columns that the joins read.
type joinRows struct {
	cardinality.Profile
	columns []int
}

// at is where a column is.
func (r *joinRows) at(column int) int { return slices.Index(r.columns, column) }

func newJoinModel(o *Options, s *joinSet) *joinModel {
	m := &joinModel{Options: o, set: s, estimator: o.estimator(), known: map[joinorder.Set]joinRows{},
		perLookup: map[string]float64{}, bytes: map[int]float64{}, perRuns: map[int]float64{}, compared: map[int]bool{}}
	s.readByJoins(m.compared)
	return m
}

// Relation implements joinorder.Model.
func (m *joinModel) Relation(number int) (rows, price float64) {
	n := m.set.inputs[number]
	var columns, own []int
	for i, c := range m.set.columnsOf(number) {
		if m.compared[c] {
			columns, own = append(columns, c), append(own, i)
		}
	}
	of := joinRows{m.estimator.Of(n).Picked(own), columns}
	m.known[joinorder.Of(number)] = of
	if scan, ok := n.(plan.Scan); ok && len(m.set.slots[number]) == 0 {
		price = cost.Path(m.scanned(scan))
	}
	return of.Rows(), price
}

// Rows implements joinorder.Model.
func (m *joinModel) Rows(l, r *joinorder.Plan, j joinorder.Join) float64 {
	left, right := m.known[l.Set], m.known[r.Set]
	of := joinRows{columns: slices.Concat(left.columns, right.columns)}
	keys, rest := m.keys(l.Set, r.Set, j)
	for i, k := range keys {
		keys[i].Left, keys[i].Right = expr.Renumber(k.Left, left.at), expr.Renumber(k.Right, right.at)
	}
	for i, c := range rest {
		rest[i] = expr.Renumber(c, of.at)
	}
	of.Profile = m.estimator.Joined(j.Kind, left.Profile, right.Profile, keys, rest)
	if j.Kind == plan.SemiJoin || j.Kind == plan.AntiJoin {
		of.columns = left.columns
	}
	m.known[l.Set|r.Set] = of
	return of.Rows()
}

// keys are the equalities of a join between its sides, over the columns of all inputs, and its other conditions.
func (m *joinModel) keys(l, r joinorder.Set, j joinorder.Join) (keys []plan.JoinKey, rest []expr.Expr) {
	for _, number := range j.Conditions {
		c := &m.set.conds[number]
		switch m.sideOf(number, l, r) {
		case left:
			keys = append(keys, *c.key)
		case right:
			keys = append(keys, plan.JoinKey{Left: c.key.Right, Right: c.key.Left, NullsEqual: c.key.NullsEqual})
		default:
			rest = append(rest, c.cond)
		}
	}
	return keys, rest
}

// sideOf says on which side of a join the left one of an equality between the sides is; neither: it is none.
func (m *joinModel) sideOf(number int, l, r joinorder.Set) side {
	c := &m.set.conds[number]
	switch {
	case c.key != nil && c.sides[0].Within(l) && c.sides[1].Within(r):
		return left
	case c.key != nil && c.sides[0].Within(r) && c.sides[1].Within(l):
		return right
	}
	return neither
}

// Orders implements joinorder.Model.
func (m *joinModel) Orders() joinorder.Orders {
	if m.orders == nil {
		return nil
	}
	return m.orders
}

// forbidden is what a join costs more that hints forbid, if there is no other: as PostgreSQL has it.
const forbidden = 1e10

// Cost implements joinorder.Model. It is that of the method that chooseJoinMethod takes, as far as that is known before
// the sides are.
func (m *joinModel) Cost(l, r *joinorder.Plan, j joinorder.Join, rows float64) float64 {
	if j.Lateral {
		return l.Cost + price.Repeated(l.Rows, m.eachRun(r), rows)
	}
	sides := l.Cost + r.Cost
	if !m.equates(l, r, j) {
		return sides + price.Compared(l.Rows, r.Rows, rows)
	}
	best := sides + price.Hashed(l.Rows, r.Rows, rows)
	if !m.holds(l) && !m.holds(r) {
		best += price.SpilledJoin(l.Rows, r.Rows, rows)
	}
	switch ways := m.set.hints.ways(l.Set, r.Set); {
	case ways.unlessMerged():
		return best + forbidden
	case ways.noLoop:
		return best
	case ways.noHash:
		best = sides + price.Compared(l.Rows, r.Rows, rows)
	}
	if r.Left == nil {
		best = math.Min(best, m.found(l, r, j, rows, best))
	}
	if l.Left == nil && j.Kind == plan.SemiJoin {
		best = math.Min(best, m.found(r, l, j, rows, best))
	}
	return best
}

// holds says whether the rows of a side stay in memory.
func (m *joinModel) holds(side *joinorder.Plan) bool {
	return m.Memory.FitsAnyway(side.Rows) || m.Memory.Fits(side.Rows, m.bytesOf(side.Set))
}

// bytesOf is how many bytes the columns of a row of joined inputs take in memory, of those that are needed.
func (m *joinModel) bytesOf(s joinorder.Set) (sum float64) {
	for number, n := range m.set.inputs {
		if !s.Meets(joinorder.Of(number)) {
			continue
		}
		bytes, ok := m.bytes[number]
		if !ok {
			for i, held := range price.Held(n) {
				if m.needed == nil || m.needed[m.set.starts[number]+i] {
					bytes += held
				}
			}
			m.bytes[number] = bytes
		}
		sum += bytes
	}
	return sum
}

// need notes which columns of a tree are read above the joins, or by these.
func (m *joinModel) need(above map[int]bool, t joinTree) {
	if above == nil {
		return
	}
	m.needed = map[int]bool{}
	for i := range above {
		m.needed[t.columns[i]] = true
	}
	m.set.readByJoins(m.needed)
}

// found is what it costs to look up the partners of the rows of a side in an input, unless that is more than another
// way for certain.
func (m *joinModel) found(side, input *joinorder.Plan, j joinorder.Join, rows, other float64) float64 {
	if side.Cost+price.Found(side.Rows, cost.RangeRows, rows) >= other {
		return other
	}
	return side.Cost + price.Found(side.Rows, m.perRow(side, input, j), rows)
}

// perRow is what it costs to look up the partners of one row of a side in an input.
func (m *joinModel) perRow(side, input *joinorder.Plan, j joinorder.Join) float64 {
	m.name = strconv.AppendInt(m.name[:0], int64(input.Set.Number()), 10)
	for _, number := range j.Conditions {
		m.name = strconv.AppendInt(append(m.name, ' '), int64(number), 10)
	}
	each, ok := m.perLookup[string(m.name)]
	if !ok {
		keys, _ := m.keys(side.Set, input.Set, j)
		each = m.forOne(input.Set.Number(), keys)
		m.perLookup[string(m.name)] = each
	}
	return each
}

// forOne is what it costs to read the partners of one row in an input: infinite if it has none of its own.
func (m *joinModel) forOne(input int, keys []plan.JoinKey) float64 {
	scan, ok := m.set.inputs[input].(plan.Scan)
	if !ok || scan.Access != nil {
		return math.Inf(1)
	}
	own := make([]plan.JoinKey, len(keys))
	for i, k := range keys {
		k.Right = expr.Shift(k.Right, -m.set.starts[input])
		own[i] = k
	}
	if e, ok := m.lookedUp(scan, own); ok {
		return cost.Path(e)
	}
	return math.Inf(1)
}

// eachRun is what one run of an input costs that runs for each row of others.
func (m *joinModel) eachRun(p *joinorder.Plan) float64 {
	input := p.Set.Number()
	each, ok := m.perRuns[input]
	if !ok {
		each = m.priceOf(m.set.inputs[input], orderPhase)
		m.perRuns[input] = each
	}
	return each
}
