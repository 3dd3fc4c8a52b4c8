package deparse

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// pathway is how a value of one type becomes one of another.
type pathway struct {
	kind castKind
	proc *expr.Proc // of a functionCast
}

// casts is pg_cast by source and target.
var casts = indexCasts(expr.CastRows())

func indexCasts(rows []expr.CastRow) map[[2]types.OID]expr.CastRow {
	out := make(map[[2]types.OID]expr.CastRow, len(rows))
	for _, r := range rows {
		out[[2]types.OID{r.From, r.To}] = r
	}
	return out
}

// findPathway is PostgreSQL's way from one type to another, if the context allows it.
func findPathway(from, to types.OID, context types.CastContext) (pathway, bool) {
	if from == to {
		return pathway{}, true
	}
	if r, ok := casts[[2]types.OID{from, to}]; ok {
		if contextOf(r.Context) > context {
			return pathway{}, false
		}
		switch r.Method {
		case 'f':
			return pathway{functionCast, expr.ProcByOID(r.Function)}, true
		case 'i':
			return pathway{kind: textCast}, true
		}
		return pathway{}, true
	}
	a, b := types.InfoOf(from), types.InfoOf(to)
	if a.Element != 0 && b.Element != 0 && a.Kind == types.KindArray && b.Kind == types.KindArray {
		if _, ok := findPathway(a.Element, b.Element, context); ok {
			return pathway{kind: arrayCast}, true
		}
		return pathway{}, false
	}
	if context >= types.Assignment && b.Category == types.CategoryString || context >= types.Explicit && a.Category == types.CategoryString {
		return pathway{kind: textCast}, true
	}
	return pathway{}, false
}

func contextOf(letter byte) types.CastContext {
	switch letter {
	case 'i':
		return types.Implicit
	case 'a':
		return types.Assignment
	}
	return types.Explicit
}

// coerce is coerce_type: an expression of another type, whose modifier is left alone.
func (a *analyzer) coerce(n node, to types.OID, context types.CastContext, f form) (node, error) {
	from := n.typ().OID
	if from == to || to == types.OIDAny || bind.IsPolymorphic(to) {
		return n, nil
	}
	if from == types.OIDUnknown {
		if c, ok := n.(*constant); ok {
			return a.read(c, types.Of(to))
		}
		return nil, sqlerr.Unsupported("an expression of unknown type here")
	}
	p, ok := findPathway(from, to, context)
	if !ok {
		return nil, sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", types.Of(from), types.Of(to))
	}
	return &cast{arg: n, t: types.Of(to), form: f, kind: p.kind}, nil
}

// read makes a literal a constant of a type.
func (a *analyzer) read(c *constant, to types.T) (node, error) {
	if c.value.IsNull() {
		return &constant{t: to}, nil
	}
	v, err := types.ParseText(c.value.Text(), to, a.source.constants.Reads())
	return &constant{value: v, t: to}, err
}

// coerceTo is coerce_to_target_type, with a modifier.
func (a *analyzer) coerceTo(n node, to types.T, context types.CastContext, f form) (node, error) {
	c, isConst := n.(*constant)
	if isConst && n.typ().OID == types.OIDUnknown && to.OID == types.OIDInterval {
		v, err := a.read(c, to)
		if err != nil || to.Mod < 0 || c.value.IsNull() {
			return v, err
		}
		k := v.(*constant)
		k.value, err = types.ApplyMod(k.value, to, true, nil)
		return k, err
	}
	out, err := a.coerce(n, to.OID, context, f)
	if err != nil || out.typ().Mod == to.Mod {
		return out, err
	}
	if to.Mod < 0 {
		return &cast{arg: out, t: to, form: f}, nil
	}
	if inner, ok := out.(*cast); ok && out != n { // one cast is printed for both
		hidden := *inner
		hidden.form = implicitCast
		out = &hidden
	}
	return &cast{arg: out, t: to, form: f, kind: functionCast}, nil
}

// boolean is coerce_to_boolean.
func (a *analyzer) boolean(n node, err error) (node, error) {
	if err != nil {
		return nil, err
	}
	return a.coerce(n, types.OIDBool, types.Implicit, implicitCast)
}

// commonType is select_common_type.
func commonType(all []node) types.OID {
	given := make([]types.OID, len(all))
	for i, n := range all {
		given[i] = n.typ().OID
	}
	t, _ := bind.CommonOID(given)
	if t == types.OIDUnknown {
		return types.OIDText
	}
	return t
}

// common brings expressions to one type, and tells it with the modifier that all have.
func (a *analyzer) common(all []node) ([]node, types.T, error) {
	t := commonType(all)
	out, err := a.allTo(all, t)
	if err != nil {
		return nil, types.T{}, err
	}
	mod := out[0].typ().Mod
	for _, n := range out {
		if n.typ().Mod != mod {
			mod = -1
		}
	}
	return out, types.T{OID: t, Mod: mod}, nil
}

func (a *analyzer) allTo(all []node, t types.OID) ([]node, error) {
	out := make([]node, len(all))
	for i, n := range all {
		var err error
		if out[i], err = a.coerce(n, t, types.Implicit, implicitCast); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known makes a text of a literal that nothing gives a type.
func (a *analyzer) known(n node) (node, error) {
	if n.typ().OID != types.OIDUnknown {
		return n, nil
	}
	return a.coerce(n, types.OIDText, types.Implicit, implicitCast)
}

// exprs analyzes a list.
func (a *analyzer) exprs(list []ast.Expr) ([]node, error) {
	out := make([]node, len(list))
	for i, e := range list {
		var err error
		if out[i], err = a.expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}
