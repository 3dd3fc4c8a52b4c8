package expr

// Implies says whether a condition is true for every row for which all of some other ones are. It
// says no where it does not know. Filled says which columns have no NULL anyway; nil: none is
// known of.
func Implies(conds []Expr, cond Expr, filled func(column int) bool) bool {
	p := proof{filled: filled}
	for _, c := range conds {
		p.given = append(p.given, Conjuncts(c)...)
	}
	return p.implies(cond)
}

// proof looks for a proof from what is given, which is true.
type proof struct {
	given  []Expr
	filled func(column int) bool
}

func (p *proof) implies(cond Expr) bool {
	for _, g := range p.given {
		if Equal(g, cond) && !volatile(g) {
			return true
		}
	}
	if l, ok := cond.(Logic); ok {
		if p.impliesLogic(l) {
			return true
		}
	} else if p.impliesLeaf(cond) {
		return true
	}
	return p.byCases(cond)
}

// impliesLogic wants a proof of each condition of an AND, and of one of an OR.
func (p *proof) impliesLogic(l Logic) bool {
	for _, arg := range l.Args {
		if p.implies(arg) == l.Or {
			return l.Or
		}
	}
	return !l.Or
}

// byCases proves a condition from each of the alternatives of an OR that is given.
func (p *proof) byCases(cond Expr) bool {
	for i, g := range p.given {
		l, ok := g.(Logic)
		if !ok || !l.Or {
			continue
		}
		rest := append(p.given[:i:i], p.given[i+1:]...)
		proved := true
		for _, arg := range l.Args {
			q := proof{given: append(rest[:len(rest):len(rest)], Conjuncts(arg)...), filled: p.filled}
			if proved = q.implies(cond); !proved {
				break
			}
		}
		if proved {
			return true
		}
	}
	return false
}

// impliesLeaf proves a condition that is no AND or OR.
func (p *proof) impliesLeaf(cond Expr) bool {
	switch e := cond.(type) {
	case Const:
		return e.Value.IsTrue()
	case IsNull:
		return e.Not && p.isFilled(e.Arg)
	}
	return false
}

// isFilled says whether a value is not NULL.
func (p *proof) isFilled(e Expr) bool {
	c, ok := e.(Column)
	if !ok {
		return false
	}
	if p.filled != nil && p.filled(c.Index) {
		return true
	}
	for _, g := range p.given {
		if RejectsNull(g, func(i int) bool { return i == c.Index }) {
			return true
		}
	}
	return false
}

func volatile(e Expr) bool {
	return Any(e, func(x Expr) bool {
		c, ok := x.(Call)
		return ok && c.Fn.Volatility == Volatile
	})
}
