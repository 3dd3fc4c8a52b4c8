package analyze

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Typed is an expression of either kind: one that runs or one that is printed.
type Typed interface{ Type() types.T }

// Caster makes casts and calls in expressions of one kind.
type Caster[E Typed] interface {
	// Read makes a value of a type of what has none yet: a literal or a parameter.
	Read(e E, to types.T, context types.CastContext, pos ast.Pos) (E, error)
	// Untyped is an argument that has no type, where any one will do.
	Untyped(e E, pos ast.Pos) (E, error)
	Casts[E]
	Collations[E]

	// Typed is the type of an OID, with the fields of its rows.
	Typed(oid types.OID) types.T
	Calls[E]
}

// Collations gives values collations.
type Collations[E Typed] interface {
	// InCollation makes a value that of a collation.
	InCollation(e E, to types.Collation) E
	// Collate gives values the collation that they have together.
	Collate(list []E) ([]E, types.Collation, error)
}

// Calls makes calls.
type Calls[E Typed] interface {
	// Functions are the overloads that a name means; without a schema, along the search path.
	Functions(schema, name string) []*expr.Function
	// Aggregates are the aggregates of the catalog that a name means, as functions.
	Aggregates(schema, name string) []*expr.Function
	// Procedures are the procedures that a name means.
	Procedures(schema, name string) []*expr.Function
	// Implicit says whether users made a cast that is not written.
	Implicit(from, to types.OID) bool
	// Call calls a function with arguments that have the types which it takes.
	Call(c Call[E]) (E, error)
	// CallType casts by a call of the name of a type.
	CallType(e *ast.Call, arg E, to types.T) (E, error)
}

// Casts makes casts of what has a type.
type Casts[E Typed] interface {
	// Modify makes a value obey the modifier of its type.
	Modify(e E, to types.T, explicit bool) (E, error)
	// Cast makes a value of another type.
	Cast(e E, to types.T, by types.Cast, explicit bool) (E, error)
	// Constrain makes a value of the type below one meet the domains in that. Written says that the cast is.
	Constrain(e E, to types.T, written bool) (E, error)
	// UserCast casts by a cast that users made, and says false where there is none for the context.
	UserCast(e E, to types.T, context types.CastContext, pos ast.Pos) (E, bool, error)
	// CastRow casts the fields of a record to those of a row type, and says false where it is not known which it has.
	CastRow(e E, to types.T, context types.CastContext, pos ast.Pos) (E, bool, error)
}

// Coercion gives expressions of one kind the types that their places want.
type Coercion[E Typed] struct{ caster Caster[E] }

// NewCoercion coerces by what makes the casts.
func NewCoercion[E Typed](c Caster[E]) Coercion[E] { return Coercion[E]{c} }

// Coerce gives an expression a type, if the context allows the cast: implicitly, in an
// assignment, or because it was written. It says false when it does not.
func (c Coercion[E]) Coerce(e E, to types.T, context types.CastContext, pos ast.Pos) (out E, ok bool, err error) {
	to.Collation = collationAs(e.Type(), to, context)
	if out, ok, err = c.coerce(e, to, context, pos); !ok || err != nil {
		return out, ok, err
	}
	return c.caster.InCollation(out, to.Collation), true, nil
}

// collationAs is the collation of a value of a type that becomes one of another type: its own one, unless what it is
// assigned to has one.
func collationAs(from, to types.T, context types.CastContext) types.Collation {
	if context == types.Assignment || from.Collation.OID == 0 {
		return to.Collation
	}
	if !to.OID.Collates() {
		return types.Collation{}
	}
	return from.Collation
}

func (c Coercion[E]) coerce(e E, to types.T, context types.CastContext, pos ast.Pos) (out E, ok bool, err error) {
	from := e.Type()
	if from.Number() == to.Number() && from.Domain != nil {
		return e, true, nil
	}
	below := to.Base()
	if from.OID == types.OIDUnknown {
		below = to // which a parameter is then known to be of
	}
	if out, ok, err = c.below(e, below, context, pos); !ok || err != nil {
		return out, ok, err
	}
	if context == types.Explicit || to.Domain != nil || to.Def != nil && from.OID != to.OID {
		out, err = c.caster.Constrain(c.caster.InCollation(out, to.Collation), to, context == types.Explicit)
	}
	return out, err == nil, err
}

// below gives an expression a type that is no domain.
func (c Coercion[E]) below(e E, to types.T, context types.CastContext, pos ast.Pos) (out E, ok bool, err error) {
	from := e.Type()
	switch {
	case from.OID == types.OIDUnknown:
		out, err = c.caster.Read(e, to, context, pos)
		return out, err == nil, err
	case from.OID == to.OID:
		out, err = c.caster.Modify(e, to, context == types.Explicit)
		return out, err == nil, err
	}
	if out, ok, err = c.caster.UserCast(e, to, context, pos); ok || err != nil {
		return out, ok, err
	}
	switch {
	case to.OID.IsRow() && from.OID == types.OIDRecord:
		return c.caster.CastRow(e, to, context, pos)
	case to.OID == types.OIDRecord && from.OID.IsRow():
		return e, true, nil // which it is
	}
	by, ok := types.FindCast(from.OID, to.OID)
	if !ok || by.Context > context {
		return e, false, nil
	}
	out, err = c.caster.Cast(e, to, by, context == types.Explicit)
	return out, err == nil, err
}

// Must is Coerce for a place where no other type will do.
func (c Coercion[E]) Must(e E, to types.T, pos ast.Pos, wrong func() error) (out E, err error) {
	coerced, ok, err := c.Coerce(e, to, types.Implicit, pos)
	if err != nil {
		return out, err
	}
	if !ok {
		return out, wrong()
	}
	return coerced, nil
}

// Boolean coerces the argument of WHERE, AND, NOT and their like.
func (c Coercion[E]) Boolean(e E, where string, pos ast.Pos) (E, error) {
	return c.Must(e, types.Bool, pos, func() error {
		return sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type boolean, not type %s", where,
			e.Type().Bare()).At(int(pos))
	})
}

// Explicit is a written cast.
func (c Coercion[E]) Explicit(e E, to types.T, pos ast.Pos) (out E, err error) {
	coerced, ok, err := c.Coerce(e, to, types.Explicit, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", e.Type().Bare(), to.Bare()).At(int(pos))
	}
	if err != nil {
		return out, err
	}
	return coerced, nil
}

// KnownType makes a text of a literal that nothing gives a type.
func (c Coercion[E]) KnownType(e E, pos ast.Pos) (E, error) {
	if e.Type().OID != types.OIDUnknown {
		return e, nil
	}
	return c.caster.Read(e, types.Text, types.Implicit, pos)
}

// Common brings expressions to one type, as CASE, COALESCE, VALUES and IN do.
func (c Coercion[E]) Common(all []E, what string, pos []ast.Pos) ([]E, types.T, error) {
	t, err := Matched(all, what, pos)
	if err != nil {
		return nil, t, err
	}
	if what == "CASE" {
		what = "CASE/WHEN" // the type begins as that of ELSE, which fits
	}
	out := make([]E, len(all))
	for i, e := range all {
		out[i], err = c.Must(e, t, pos[i], func() error {
			return sqlerr.New(sqlerr.CannotCoerce, "%s could not convert type %s to %s", what, e.Type().Bare(),
				t).At(int(pos[i]))
		})
		if err != nil {
			return nil, t, err
		}
	}
	out, t.Collation, err = c.caster.Collate(out)
	return out, t, err
}

// Arguments coerces arguments to their declared types.
func (c Coercion[E]) Arguments(args []E, declared []types.OID, pos ast.Pos) ([]E, error) {
	out := make([]E, len(args))
	for i, a := range args {
		var err error
		to := c.caster.Typed(declared[i])
		switch from := a.Type(); {
		case to.OID != types.OIDAny:
			out[i], err = c.Must(a, to, pos, func() error {
				return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", a.Type(), to).At(int(pos))
			})
		case from.OID == types.OIDUnknown:
			out[i], err = c.caster.Untyped(a, pos)
		default:
			out[i] = a
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
