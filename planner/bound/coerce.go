package bound

import (
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// pathway is how a value of one type becomes one of another.
type pathway struct {
	kind CastKind
	proc *pgproc.Proc // of a functionCast
}

// casts is pg_cast by source and target.
var casts = indexCasts(pgproc.CastRows())

func indexCasts(rows []pgproc.CastRow) map[[2]types.OID]pgproc.CastRow {
	out := make(map[[2]types.OID]pgproc.CastRow, len(rows))
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
			return pathway{FunctionCast, builtin.ProcByOID(r.Function)}, true
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
	if context >= types.Assignment && b.Category == types.CategoryString ||
		context >= types.Explicit && a.Category == types.CategoryString {
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
func (s *Source) coerce(n Node, to types.OID, context types.CastContext, f Form) (Node, error) {
	from := n.typ().OID
	if from == to || to == types.OIDAny || bind.IsPolymorphic(to) {
		return n, nil
	}
	if from == types.OIDUnknown {
		if c, ok := n.(*Constant); ok {
			return s.read(c, types.Of(to))
		}
		return nil, sqlerr.Unsupported("an expression of unknown type here")
	}
	p, ok := findPathway(from, to, context)
	if !ok {
		return nil, sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", types.Of(from), types.Of(to))
	}
	return &Cast{Arg: n, T: types.Of(to), Form: f, Kind: p.kind}, nil
}

// read makes a literal a constant of a type.
func (s *Source) read(c *Constant, to types.T) (Node, error) {
	if c.Value.IsNull() {
		return &Constant{T: to}, nil
	}
	v, err := types.ParseText(c.Value.Text(), to, s.Constants.Reads())
	return &Constant{Value: v, T: to}, err
}

// coerceTo is coerce_to_target_type, with a modifier.
func (s *Source) coerceTo(n Node, to types.T, context types.CastContext, f Form) (Node, error) {
	c, isConst := n.(*Constant)
	if isConst && n.typ().OID == types.OIDUnknown && to.OID == types.OIDInterval {
		v, err := s.read(c, to)
		if err != nil || to.Mod < 0 || c.Value.IsNull() {
			return v, err
		}
		k := v.(*Constant)
		k.Value, err = types.ApplyMod(k.Value, to, true, nil)
		return k, err
	}
	out, err := s.coerce(n, to.OID, context, f)
	if err != nil || out.typ().Mod == to.Mod {
		return out, err
	}
	if to.Mod < 0 {
		return &Cast{Arg: out, T: to, Form: f}, nil
	}
	if inner, ok := out.(*Cast); ok && out != n { // one cast is printed for both
		hidden := *inner
		hidden.Form = ImplicitCast
		out = &hidden
	}
	return &Cast{Arg: out, T: to, Form: f, Kind: FunctionCast}, nil
}

// boolean is coerce_to_boolean.
func (s *Source) boolean(n Node, err error) (Node, error) {
	if err != nil {
		return nil, err
	}
	return s.coerce(n, types.OIDBool, types.Implicit, ImplicitCast)
}

// commonType is select_common_type.
func commonType(all []Node) types.OID {
	t, bad := bind.CommonType(all, TypeOf)
	if bad >= 0 {
		return types.OIDInvalid
	}
	return t.OID
}

// common brings expressions to one type, and tells it with the modifier that all have.
func (s *Source) common(all []Node) ([]Node, types.T, error) {
	t, _ := bind.CommonType(all, TypeOf)
	out, err := s.allTo(all, t.OID)
	return out, t, err
}

func (s *Source) allTo(all []Node, t types.OID) ([]Node, error) {
	out := make([]Node, len(all))
	for i, n := range all {
		var err error
		if out[i], err = s.coerce(n, t, types.Implicit, ImplicitCast); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known makes a text of a literal that nothing gives a type.
func (s *Source) known(n Node) (Node, error) {
	if n.typ().OID != types.OIDUnknown {
		return n, nil
	}
	return s.coerce(n, types.OIDText, types.Implicit, ImplicitCast)
}

// exprs analyzes a list.
func (a *analyzer) exprs(list []ast.Expr) ([]Node, error) {
	out := make([]Node, len(list))
	for i, e := range list {
		var err error
		if out[i], err = a.expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}
