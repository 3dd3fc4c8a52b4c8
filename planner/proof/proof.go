// Package proof decides whether conditions imply each other: whether a partial index holds all rows that a
// statement reads, which part of a condition the index itself guarantees, and whether any row meets all conditions.
//
// A proof uses the structure of conditions, the sets of values that they allow for an expression, and what is true
// of each value when only few are allowed. If there is no proof here, the implication may still hold.
package proof

import (
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/types"
)

// Implies says whether a condition is true for every row for which all of some other ones are.
// Filled says which columns have no NULL anyway; nil: none is known of.
func Implies(given []expr.Expr, cond expr.Expr, filled func(column int) bool) bool {
	left := mostSteps
	p := &prover{filled: filled, left: &left}
	for _, g := range given {
		p.assume(g)
	}
	return p.proves(cond)
}

// Contradict says whether no row meets all of some conditions. What may change between two evaluations, such as a
// parameter, counts for nothing.
func Contradict(conds []expr.Expr, filled func(column int) bool) bool {
	left := mostSteps
	p := &prover{filled: filled, left: &left}
	for _, cond := range conds {
		if !expr.Mutable(cond) {
			p.assume(cond)
		}
	}
	return p.absurd
}

// mostSteps bounds how much is tried: each OR among what is given can double the work.
const mostSteps = 2000

// prover knows what is true of a row.
type prover struct {
	given  []expr.Expr // no AND among them
	facts  []fact      // what given says of the values of expressions
	filled func(column int) bool
	left   *int // steps, until it is time to give up
	absurd bool // no row is such as given, so that anything is true of all
}

// fact is that the value of an expression is in a set.
type fact struct {
	of  expr.Expr
	set span.Set
}

func (p *prover) assume(cond expr.Expr) {
	for _, g := range expr.Conjuncts(cond) {
		p.given = append(p.given, g)
		if t, ok := truthOf(g); ok {
			p.facts = append(p.facts, fact{t.of, t.set})
			p.absurd = p.absurd || p.valuesOf(t.of).Empty()
		}
	}
}

// proves looks for a proof of a condition.
func (p *prover) proves(cond expr.Expr) bool {
	if p.absurd {
		return true
	}
	if *p.left--; *p.left < 0 {
		return false
	}
	for _, g := range p.given {
		if expr.Equal(g, cond) {
			return !expr.Mutable(g)
		}
	}
	return p.bySets(cond) || p.byOrder(cond) || p.byValues(cond) || p.byParts(cond) || p.byCases(cond)
}

// byParts wants a proof of each condition of an AND, and of one of an OR.
func (p *prover) byParts(cond expr.Expr) bool {
	l, ok := cond.(expr.Logic)
	if !ok {
		return false
	}
	for _, arg := range l.Args {
		if p.proves(arg) == l.Or {
			return l.Or
		}
	}
	return !l.Or
}

// byCases proves a condition from each of the alternatives of an OR that is given.
func (p *prover) byCases(cond expr.Expr) bool {
	for i, g := range p.given {
		l, ok := g.(expr.Logic)
		if !ok || !l.Or {
			continue
		}
		proved := true
		for _, arg := range l.Args {
			q := &prover{filled: p.filled, left: p.left}
			for j, other := range p.given {
				if j != i {
					q.assume(other)
				}
			}
			q.assume(arg)
			if proved = q.proves(cond); !proved {
				break
			}
		}
		if proved {
			return true
		}
	}
	return false
}

// bySets proves a condition on the value of one expression by the values that it can have.
func (p *prover) bySets(cond expr.Expr) bool {
	t, ok := truthOf(cond)
	return ok && t.exact && p.valuesOf(t.of).Within(t.set)
}

// valuesOf are all values that an expression can have.
func (p *prover) valuesOf(e expr.Expr) span.Set {
	set := span.Everything
	if e.Type().OID == types.OIDBool {
		set = span.Points(types.NewBool(false), types.NewBool(true)).Union(span.OnlyNull)
	}
	for _, f := range p.facts {
		if expr.Equal(f.of, e) {
			set = set.Intersect(f.set)
		}
	}
	if set.Null && p.isFilled(e) {
		set = set.Intersect(span.NotNull)
	}
	return set
}

// isFilled says whether what is given leaves no NULL of a column.
func (p *prover) isFilled(e expr.Expr) bool {
	c, ok := e.(expr.Column)
	if !ok {
		return false
	}
	if p.filled != nil && p.filled(c.Index) {
		return true
	}
	for _, g := range p.given {
		if expr.RejectsNull(g, func(i int) bool { return i == c.Index }) {
			return true
		}
	}
	return false
}

// byOrder proves a comparison of two expressions by those of the same two that are given:
// a < b says that a <> b.
func (p *prover) byOrder(cond expr.Expr) bool {
	want, ok := cond.(expr.Compare)
	if !ok {
		return false
	}
	can := below | same | above
	for _, g := range p.given {
		c, ok := g.(expr.Compare)
		switch {
		case !ok:
		case expr.Equal(c.Left, want.Left) && expr.Equal(c.Right, want.Right):
			can &= signs[c.Op]
		case expr.Equal(c.Left, want.Right) && expr.Equal(c.Right, want.Left):
			can &= signs[c.Op.Flip()]
		}
	}
	return can&^signs[want.Op] == 0 && !expr.Mutable(cond)
}

// The signs that a comparison can have.
const (
	below = 1 << iota
	same
	above
)

var signs = map[expr.CompareOp]int{
	expr.EQ: same, expr.NE: below | above, expr.LT: below, expr.LE: below | same, expr.GT: above, expr.GE: same | above,
}
