package session

import (
	"zproxy/expr"
	"zproxy/planner"
)

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
