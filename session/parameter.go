package session

import (
	"zproxy/expr"
	"zproxy/planner"
	"zproxy/types"
)

// literalsIn is what the constants of a statement are read with in an environment: as when it was first planned. The
// statement may outlive the session, so it keeps nothing of that.
func (st *Statement) literalsIn(env *types.Env) *types.Env {
	if st.literals == nil {
		first := *env
		first.Names, first.Work, first.Notices = nil, nil, nil
		st.literals = &first
	}
	literals := *st.literals
	literals.Names, literals.Work, literals.Notices = env.Names, env.Work, env.Notices
	return &literals
}

// paramRules are the constraints of the domains in the types of a plan's parameters, nil where there are none.
func paramRules(p *planner.Planner) (out []*expr.Rules, err error) {
	for i, t := range p.Params {
		e, err := p.Constrained(expr.Param{Number: i, T: t}, t)
		if err != nil {
			return nil, err
		}
		if c, ok := e.(expr.Constrained); ok && c.Rules != nil {
			if out == nil {
				out = make([]*expr.Rules, len(p.Params))
			}
			out[i] = c.Rules
		}
	}
	return out, nil
}

// check is the error of a value that violates the constraints of the domains in its type.
func (b *Binding) check(c *expr.Context) error {
	for i, rules := range b.Statement.rules {
		if err := rules.Check(c, b.Params[i]); err != nil {
			return b.Located(err, i)
		}
	}
	return nil
}
