package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Coerce gives an expression a type, if the context allows the cast: implicitly, in an
// assignment, or because it was written. It says false when it does not.
func (b *Binder) Coerce(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, bool, error) {
	from := e.Type()
	if from.OID == types.OIDUnknown {
		out, err := b.coerceUnknown(e, to, context, pos)
		return out, err == nil, err
	}
	explicit := context == types.Explicit
	if from.OID == to.OID {
		if from.Mod == to.Mod || to.Mod < 0 && !explicit {
			return retype(e, to), true, nil
		}
		return b.cast(e, expr.Cast{To: to, Explicit: explicit})
	}
	switch {
	case to.OID.IsRow() && from.OID == types.OIDRecord:
		return b.toRow(e, to, context, pos)
	case to.OID == types.OIDRecord && from.OID.IsRow():
		return e, true, nil // which it is
	}
	c, ok := types.FindCast(from.OID, to.OID)
	if !ok || c.Context > context {
		return e, false, nil
	}
	return b.cast(e, expr.Cast{To: to, Fn: c.Fn, Explicit: explicit})
}

// retype drops a modifier that the wanted type does not ask for; the value is the same.
func retype(e expr.Expr, to types.T) expr.Expr {
	if c, ok := e.(expr.Const); ok {
		c.T = to
		return c
	}
	return e
}

// cast applies a cast to a constant at once, so that an index sees a value. An error has
// no position, as with a cast of what is not constant; one of a cast that settings decide about
// belongs to the rows that need it, as in PostgreSQL, which leaves such casts to them.
func (b *Binder) cast(e expr.Expr, c expr.Cast) (expr.Expr, bool, error) {
	c.Arg = e
	known, ok := e.(expr.Const)
	if !ok {
		return c, true, nil
	}
	v, err := c.Eval(expr.Beforehand(b.Env), nil)
	bySettings := known.BySettings || types.CastBySettings(e.Type().OID, c.To.OID)
	switch {
	case err == nil:
		return expr.Const{Value: v, T: c.To, BySettings: bySettings}, true, nil
	case bySettings:
		return c, true, nil
	}
	return nil, false, err
}

// coerceUnknown reads a literal as a type, or learns the type of a parameter.
func (b *Binder) coerceUnknown(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, error) {
	switch e := e.(type) {
	case expr.Const:
		if e.Value.IsNull() || to.OID == types.OIDUnknown {
			return expr.Const{Value: e.Value, T: to}, nil
		}
		v, err := types.ParseText(e.Value.Text(), to, b.Reads())
		if err != nil {
			if e.Pos > 0 {
				pos = ast.Pos(e.Pos - 1)
			}
			return nil, At(err, pos)
		}
		if to.Mod >= 0 {
			v, err = types.ApplyMod(v, to, context == types.Explicit, b.Reads())
		}
		return expr.Const{Value: v, T: to}, err
	case expr.Param:
		if known := b.Params[e.Number]; known.OID != types.OIDUnknown && known.OID != types.OIDInvalid {
			e.T = known // the same $n was met deeper in this expression
			out, ok, err := b.Coerce(e, to, context, pos)
			if err == nil && !ok {
				err = sqlerr.New(sqlerr.AmbiguousParameter, "inconsistent types deduced for parameter $%d", e.Number+1).
					WithDetail("%s versus %s", known, to).At(int(pos))
			}
			return out, err
		}
		b.Params[e.Number] = to.Bare()
		e.T = to.Bare()
		if to.Mod >= 0 {
			return expr.Cast{Arg: e, To: to, Explicit: context == types.Explicit}, nil
		}
		return e, nil
	default: // text that was made from unknowns
		return expr.Cast{Arg: e, To: to, Fn: castFromText(to)}, nil
	}
}

func castFromText(to types.T) expr.CastFunc {
	c, _ := types.FindCast(types.OIDText, to.OID)
	return c.Fn
}

// must is coerce for a place where no other type will do.
func (b *Binder) must(e expr.Expr, to types.T, pos ast.Pos, wrong func() error) (expr.Expr, error) {
	out, ok, err := b.Coerce(e, to, types.Implicit, pos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, wrong()
	}
	return out, nil
}

// boolean coerces the argument of WHERE, AND, NOT and their like.
func (b *Binder) boolean(e expr.Expr, where string, pos ast.Pos) (expr.Expr, error) {
	return b.must(e, types.Bool, pos, func() error {
		return sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type boolean, not type %s", where,
			e.Type().Bare()).At(int(pos))
	})
}

// Explicit is a written cast.
func (b *Binder) Explicit(e expr.Expr, to types.T, pos ast.Pos) (expr.Expr, error) {
	out, ok, err := b.Coerce(e, to, types.Explicit, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", e.Type().Bare(), to.Bare()).At(int(pos))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Assign coerces a value to the column that it is written to.
func (b *Binder) Assign(e expr.Expr, name string, to types.T, pos ast.Pos) (expr.Expr, error) {
	out, ok, err := b.Coerce(e, to, types.Assignment, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but expression is of type %s",
			name, to.Bare(), e.Type().Bare()).
			WithHint("You will need to rewrite or cast the expression.").At(int(pos))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Common brings expressions to one type, as CASE, COALESCE, VALUES and IN do.
func (b *Binder) Common(all []expr.Expr, what string, pos []ast.Pos) ([]expr.Expr, types.T, error) {
	t, err := commonType(all, what, pos)
	if err != nil {
		return nil, t, err
	}
	if what == "CASE" {
		what = "CASE/WHEN" // the type begins as that of ELSE, which fits
	}
	out := make([]expr.Expr, len(all))
	for i, e := range all {
		c, err := b.must(e, t, pos[i], func() error {
			return sqlerr.New(sqlerr.CannotCoerce, "%s could not convert type %s to %s", what, e.Type().Bare(),
				t).At(int(pos[i]))
		})
		if err != nil {
			return nil, t, err
		}
		out[i] = c
	}
	return out, t, nil
}

// CommonType is the type that expressions are brought to: unknowns follow the others,
// the first type stays unless it is not preferred and casts to a later one, and a
// modifier stays where all agree on it. It tells the first one that does not fit, -1 for none.
func CommonType[E any](all []E, typeOf func(E) types.T) (t types.T, bad int) {
	t = typeOf(all[0])
	for i, e := range all {
		next := typeOf(e)
		switch {
		case next == t:
		case next.OID == types.OIDUnknown || next.OID == t.OID:
			t = t.Bare()
		case t.OID == types.OIDUnknown:
			t = next.Bare()
		default:
			wider, ok := widerType(t.OID, next.OID)
			if !ok {
				return t, i
			}
			if t = t.Bare(); wider != t.OID {
				t = next.Bare()
			}
		}
	}
	if t.OID == types.OIDUnknown {
		t = types.Text
	}
	return t, -1
}

// commonType is CommonType with its error.
func commonType(all []expr.Expr, what string, pos []ast.Pos) (types.T, error) {
	t, bad := CommonType(all, expr.Expr.Type)
	if bad >= 0 {
		return t, sqlerr.New(sqlerr.DatatypeMismatch, "%s types %s and %s cannot be matched", what, t.Bare(),
			all[bad].Type().Bare()).At(int(pos[bad]))
	}
	return t, nil
}

// widerType is the one of two types of a category that the other is cast to: the first,
// unless it casts to the second and not back.
func widerType(a, b types.OID) (types.OID, bool) {
	x, y := types.InfoOf(a), types.InfoOf(b)
	switch {
	case x.Category != y.Category:
		return 0, false
	case !x.Preferred && Implicitly(a, b) && !Implicitly(b, a):
		return b, true
	}
	return a, true
}

// Implicitly says whether a value becomes one of a type without a cast that is written.
func Implicitly(from, to types.OID) bool {
	if from == to || from == types.OIDUnknown || to == types.OIDAny || IsPolymorphic(to) {
		return true
	}
	c, ok := types.FindCast(from, to)
	return ok && c.Context == types.Implicit
}

// At gives an error a position, if it has a code and none yet.
func At(err error, pos ast.Pos) error {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.At(int(pos))
	}
	return err
}
