package bind

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Constrain implements analyze.Caster.
func (b caster) Constrain(e expr.Expr, to types.T, _ bool) (expr.Expr, error) {
	return b.Constrained(e, to)
}

// Constrained is a value of a type that meets the constraints of the domains in that.
func (b *Binder) Constrained(e expr.Expr, to types.T) (expr.Expr, error) {
	rules, err := b.rules(to)
	if err != nil || rules != nil {
		return expr.Constrained{Arg: e, To: to, Rules: rules}, err
	}
	if e.Type().Number() == to.Number() {
		return e, nil
	}
	switch e := e.(type) {
	case expr.Column:
		e.T = to
		return e, nil
	case expr.Const:
		e.T = to
		return e, nil
	}
	return expr.Constrained{Arg: e, To: to}, nil
}

// meets is the error of a value that violates a constraint of a domain inside of its type.
func (b *Binder) meets(v types.Value, t types.T) error {
	rules, err := b.rules(t)
	if err != nil || rules == nil {
		return err
	}
	return rules.Check(expr.Beforehand(b.Env), v)
}

// rules are the constraints of the domains in a type, nil where there are none.
func (b *Binder) rules(t types.T) (*expr.Rules, error) {
	switch {
	case t.IsDomain():
		return b.domainRules(t)
	case t.Domain == nil && t.Def == nil:
		return nil, nil
	}
	element, ok := types.ElementOf(t)
	if r := t.Range(); r != nil {
		element, ok = r.Subtype, true
	}
	if ok {
		items, err := b.rules(element)
		if err != nil || items == nil {
			return nil, err
		}
		return &expr.Rules{Items: items}, nil
	}
	var out *expr.Rules
	for i, of := range t.Def.Types {
		field, err := b.rules(of)
		if err != nil {
			return nil, err
		}
		if field != nil && out == nil {
			out = &expr.Rules{Fields: make([]*expr.Rules, len(t.Def.Types))}
		}
		if field != nil {
			out.Fields[i] = field
		}
	}
	return out, nil
}

// domainRules are the constraints of a domain: first those of what it is over, which are the domain's own.
func (b *Binder) domainRules(t types.T) (*expr.Rules, error) {
	of, _ := b.Catalog.TypeOf(t.Domain.OID)
	out := &expr.Rules{Domain: t.Domain}
	if of == nil {
		return nil, nil
	}
	below, err := b.rules(t.Domain.Base)
	if err != nil {
		return nil, err
	}
	if below != nil {
		*out = *below
		out.Domain = t.Domain
	}
	out.NotNull = out.NotNull || of.Domain.NotNull
	for _, check := range of.Domain.Checks {
		cond, err := b.DomainCheck(t.Domain.Base, check.Text, check.Read)
		if err != nil {
			return nil, err
		}
		out.Names, out.Checks = append(out.Names, check.Name), append(out.Checks, cond)
	}
	if !out.NotNull && out.Checks == nil && out.Items == nil && out.Fields == nil {
		return nil, nil
	}
	return out, nil
}

// DomainCheck is the condition of a check of a domain over a type, as it is stored.
func (b *Binder) DomainCheck(base types.T, text string, read *catalog.Literals) (expr.Expr, error) {
	tree, err := parser.Expression(text)
	if err != nil {
		return nil, err
	}
	end, err := AsStored(b, read)
	defer end()
	if err != nil {
		return nil, err
	}
	cond, err := b.OverValue(b.Catalog.Defined(base)).Condition(tree, "CHECK")
	return cond, InStored(err)
}

// OverValue binds expressions over a value of a type, as the checks of a domain are.
func (b *Binder) OverValue(t types.T) *Scalars {
	value := catalog.Domain{Base: t}.Value().Columns[0]
	row := Relation{Cols: []plan.Column{{Name: value.Name, Type: value.Type}}}
	return b.Over(NewScope(row), nil, "check constraints")
}
