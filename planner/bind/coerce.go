package bind

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// coercion gives expressions the types that their places want.
func (b *Binder) coercion() analyze.Coercion[expr.Expr] {
	return analyze.NewCoercion[expr.Expr](caster{b})
}

// Coerce gives an expression a type, if the context allows the cast: implicitly, in an
// assignment, or because it was written. It says false when it does not.
func (b *Binder) Coerce(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, bool, error) {
	return b.coercion().Coerce(e, to, context, pos)
}

// Explicit is a written cast.
func (b *Binder) Explicit(e expr.Expr, to types.T, pos ast.Pos) (expr.Expr, error) {
	return b.coercion().Explicit(e, to, pos)
}

// Common brings expressions to one type, as CASE, COALESCE, VALUES and IN do.
func (b *Binder) Common(all []expr.Expr, what string, pos []ast.Pos) ([]expr.Expr, types.T, error) {
	return b.coercion().Common(all, what, pos)
}

// KnownType makes a text of a literal that nothing gives a type.
func (b *Binder) KnownType(e expr.Expr, pos ast.Pos) (expr.Expr, error) {
	return b.coercion().KnownType(e, pos)
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

// caster makes casts and calls that run.
type caster struct{ *Binder }

// Modify implements analyze.Caster. Where no modifier is asked for, the value is the same.
func (b caster) Modify(e expr.Expr, to types.T, explicit bool) (expr.Expr, error) {
	if e.Type().Mod != to.Mod && (to.Mod >= 0 || explicit) {
		return b.cast(e, expr.Cast{To: to, Explicit: explicit})
	}
	if c, ok := e.(expr.Const); ok {
		c.T = to
		return c, nil
	}
	return e, nil
}

// Cast implements analyze.Caster.
func (b caster) Cast(e expr.Expr, to types.T, by types.Cast, explicit bool) (expr.Expr, error) {
	return b.cast(e, expr.Cast{To: to, Fn: by.Fn, Explicit: explicit})
}

// cast applies a cast to a constant at once, so that an index sees a value. An error has
// no position, as with a cast of what is not constant; one of a cast that settings decide about
// belongs to the rows that need it, as in PostgreSQL, which leaves such casts to them.
func (b *Binder) cast(e expr.Expr, c expr.Cast) (expr.Expr, error) {
	c.Arg = e
	known, ok := e.(expr.Const)
	if !ok {
		return c, nil
	}
	v, err := c.Eval(expr.Beforehand(b.Env), nil)
	bySettings := known.BySettings || types.CastBySettings(e.Type().OID, c.To.OID)
	switch {
	case err == nil:
		return expr.Const{Value: v, T: c.To, BySettings: bySettings}, nil
	case bySettings:
		return c, nil
	}
	return nil, err
}

// CastRow implements analyze.Caster: it casts a row that is written out, or is that of a relation, field by field.
func (b caster) CastRow(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, bool, error) {
	row, ok := b.record(e)
	if !ok || to.Def == nil {
		return e, false, nil
	}
	wrong := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", e.Type().Bare(), to).WithDetail(format,
			args...).At(int(pos))
	}
	all := b.WrittenOut(to)
	switch {
	case len(row.Args) < len(all):
		return nil, false, wrong("Input has too few columns.")
	case len(row.Args) > len(all):
		return nil, false, wrong("Input has too many columns.")
	}
	out := expr.Row{T: to, Names: to.Def.Names, Present: row.Present}
	for _, t := range to.Def.Types {
		out.Args = append(out.Args, expr.Const{T: t})
	}
	for i, arg := range row.Args {
		at := to.Def.Field(all[i].ID)
		if at < 0 {
			continue // it is dropped
		}
		if known, ok := given(row, i).(expr.Const); ok {
			arg = known // which the field's type reads
		}
		x, ok, err := b.Coerce(arg, to.Def.Types[at], context, pos)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return nil, false, wrong("Cannot cast type %s to %s in column %d.", arg.Type().Bare(),
				to.Def.Types[at].Bare(), i+1)
		}
		out.Args[at] = x
	}
	return out, true, nil
}

// given is an argument of a row as it was written.
func given(row expr.Row, i int) expr.Expr {
	if i < len(row.Given) {
		return row.Given[i]
	}
	return nil
}

// Read implements analyze.Caster: it reads a literal as a type, or learns the type of a parameter.
func (b caster) Read(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, error) {
	switch e := e.(type) {
	case expr.Const:
		if e.Value.IsNull() || to.OID == types.OIDUnknown {
			return expr.Const{Value: e.Value, T: to}, nil
		}
		at := pos
		if e.Pos > 0 {
			at = ast.Pos(e.Pos - 1)
		}
		v, err := b.Constant(&b.Names, e.Value.Text(), to, at)
		if err != nil {
			return nil, At(err, at)
		}
		if to.Mod >= 0 {
			v, err = types.ApplyMod(v, to, context == types.Explicit, b.Reads())
		}
		if err == nil && !to.IsDomain() { // those inside read their texts themselves
			err = At(b.meets(v, to), at)
		}
		return expr.Const{Value: v, T: to}, err
	case expr.Param:
		return b.learn(e, to, context, pos)
	default: // text that was made from unknowns
		return expr.Cast{Arg: e, To: to, Fn: castFromText(to)}, nil
	}
}

// learn gives a parameter its type.
func (b *Binder) learn(e expr.Param, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, error) {
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
}

func castFromText(to types.T) expr.CastFunc {
	c, _ := types.FindCast(types.OIDText, to.OID)
	return c.Fn
}

// Untyped implements analyze.Caster. A literal may stay unknown, but a parameter must be something.
func (b caster) Untyped(e expr.Expr, pos ast.Pos) (expr.Expr, error) {
	if _, literal := e.(expr.Const); literal {
		return e, nil
	}
	return b.KnownType(e, pos)
}

// At gives an error a position, if it has a code and none yet.
func At(err error, pos ast.Pos) error {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.At(int(pos))
	}
	return err
}

// Call calls a function of PostgreSQL's.
func (b *Binder) Call(name string, args ...expr.Expr) (expr.Expr, error) {
	return b.coercion().Function(&ast.Call{Schema: catalog.PgCatalogName, Name: name, Pos: -1}, args)
}

// keepRecord keeps what is known of a row that is put into a slot.
func (b *Binder) keepRecord(slot int, e expr.Expr) {
	row, ok := e.(expr.Row)
	if !ok || row.T.Def != nil {
		return
	}
	if b.records == nil {
		b.records = map[int]expr.Row{}
	}
	b.records[slot] = row
}

// record is a row whose fields are known, of this scope or of one further out.
func (b *Binder) record(e expr.Expr) (expr.Row, bool) {
	outer, ok := e.(expr.Outer)
	if !ok {
		row, ok := e.(expr.Row)
		return row, ok
	}
	of, ok := b.records[outer.Slot]
	if !ok {
		return expr.Row{}, false
	}
	row := expr.Row{Args: make([]expr.Expr, len(of.Args))}
	for i, arg := range of.Args {
		row.Args[i] = expr.Field{Arg: outer, Ordinal: i, T: arg.Type()}
	}
	return row, true
}
