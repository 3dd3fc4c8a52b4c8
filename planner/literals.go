package planner

import (
	"zproxy/catalog"
	"zproxy/types"
)

// literals is what the text of a constant is read with.
func (p *Planner) literals() *types.Env {
	if p.Literals == nil {
		return p.Env
	}
	env := *p.Literals
	env.Names = p.Env.Names
	return &env
}

// written is how the constants of a text that is stored now are read.
func (p *Planner) written() *catalog.Literals {
	l := catalog.LiteralsOf(p.Env, p.now())
	return &l
}

// reading has constants read as those of a stored text, until the function that it gives is called.
func (p *Planner) reading(l *catalog.Literals) (func(), error) {
	before := p.Literals
	env, err := l.Env()
	p.Literals = env
	return func() { p.Literals = before }, err
}
