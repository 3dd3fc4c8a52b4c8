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
	perLookup map[string]float64 // of an input by some of its columns: infinite if nothing is bound by them
}

// joinRows is what is thought of the rows of joined inputs, and where their columns are.
type joinRows struct {
	cardinality.Profile
	columns []int
	at      map[int]int
}

func newJoinModel(o *Options, s *joinSet) *joinModel {
	return &joinModel{o, s, o.estimator(), map[joinorder.Set]joinRows{}, map[string]float64{}}
}

// Relation implements joinorder.Model.
func (m *joinModel) Relation(number int) (rows, price float64) {
	n := m.set.inputs[number]
	columns := m.set.columnsOf(number)
	of := joinRows{m.estimator.Of(n), columns, ordinalsOf(columns)}
	m.known[joinorder.Of(number)] = of
	if scan, ok := n.(plan.Scan); ok {
		price = cost.Path(m.scanned(scan))
	}
	return of.Rows(), price
}

// Rows implements joinorder.Model.
func (m *joinModel) Rows(l, r *joinorder.Plan, j joinorder.Join) float64 {
	left, right := m.known[l.Set], m.known[r.Set]
	columns := append(append(make([]int, 0, len(left.columns)+len(right.columns)), left.columns...), right.columns...)
	at := ordinalsOf(columns)
	keys, rest := m.keys(l.Set, r.Set, j)
	for i, k := range keys {
		keys[i].Left = expr.Renumber(k.Left, func(i int) int { return left.at[i] })
		keys[i].Right = expr.Renumber(k.Right, func(i int) int { return right.at[i] })
	}
	for i, c := range rest {
		rest[i] = expr.Renumber(c, func(i int) int { return at[i] })
	}
	of := joinRows{m.estimator.Joined(j.Kind, left.Profile, right.Profile, keys, rest), columns, at}
	if j.Kind == plan.SemiJoin || j.Kind == plan.AntiJoin {
		of.columns, of.at = left.columns, left.at
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

// Cost implements joinorder.Model. It is that of the method that chooseJoinMethod takes, as far as that is known before
// the sides are.
func (m *joinModel) Cost(l, r *joinorder.Plan, j joinorder.Join, rows float64) float64 {
	sides := l.Cost + r.Cost
	if !slices.ContainsFunc(j.Conditions, func(number int) bool { return m.sideOf(number, l.Set, r.Set) != neither }) {
		return sides + price.Compared(l.Rows, r.Rows, rows)
	}
	best := sides + price.Hashed(l.Rows, r.Rows, rows)
	if r.Left == nil {
		keys, _ := m.keys(l.Set, r.Set, j)
		best = math.Min(best, l.Cost+price.Found(l.Rows, m.forOne(r.Set.Number(), keys), rows))
	}
	if l.Left == nil && j.Kind == plan.SemiJoin {
		keys, _ := m.keys(r.Set, l.Set, j)
		best = math.Min(best, r.Cost+price.Found(r.Rows, m.forOne(l.Set.Number(), keys), rows))
	}
	return best
}

// forOne is what it costs to read the partners of one row in an input.
func (m *joinModel) forOne(input int, keys []plan.JoinKey) float64 {
	scan, ok := m.set.inputs[input].(plan.Scan)
	if !ok || scan.Access != nil {
		return math.Inf(1)
	}
	var by []byte
	own := make([]plan.JoinKey, len(keys))
	for i, k := range keys {
		k.Right = expr.Shift(k.Right, -m.set.starts[input])
		if c, ok := k.Right.(expr.Column); ok && !k.NullsEqual {
			by = append(strconv.AppendInt(by, int64(c.Index), 10), ' ')
		}
		own[i] = k
	}
	name := strconv.Itoa(input) + ":" + string(by)
	if each, ok := m.perLookup[name]; ok {
		return each
	}
	each := math.Inf(1)
	if e, ok := m.lookedUp(scan, own); ok {
		each = cost.Path(e)
	}
	m.perLookup[name] = each
	return each
}
