package planner

import (
	"zproxy/catalog"
	"zproxy/types"
)

// literals is what the text of a constant is read with.
func (p *Planner) literals() *types.Env {
	switch {
	case p.Literals != nil:
		return catalog.Over(p.Literals, p.Env.Names)
	case p.noting != nil:
		env := *p.Env
		env.Names = &catalog.Remembered{Names: p.Env.Names, Note: p.noting}
		return &env
	}
	return p.Env
}

// noted does something with a text that is stored now, and notes what the names in its constants stand for.
func (p *Planner) noted(l *catalog.Literals, f func() error) error {
	p.noting = l
	defer func() { p.noting = nil }()
	return f()
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
