package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/conversion"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/types"
)

// ofUsers is the cast that users made between two types, nil when there is none.
func (n *Names) ofUsers(from, to types.OID) *catalog.Plain {
	if n.Catalog == nil || !n.Catalog.HasPlains(catalog.CastKind) {
		return nil
	}
	return n.Catalog.Cast(from, to)
}

// Implicit implements analyze.Calls.
func (n *Names) Implicit(from, to types.OID) bool { return n.HasCast(from, to, types.Implicit) }

// HasCast says whether users made a cast that happens in a context, as they do of the rows of a typed table.
func (n *Names) HasCast(from, to types.OID, context types.CastContext) bool {
	p := n.ofUsers(from, to)
	return p != nil && p.Cast.Context <= context || isTyped(n, from, to)
}

// UserCast implements analyze.Casts.
func (b caster) UserCast(e expr.Expr, to types.T, context types.CastContext, pos ast.Pos) (expr.Expr, bool, error) {
	if isTyped(&b.Names, e.Type().OID, to.OID) {
		out, err := b.cast(e, expr.Cast{To: to, Explicit: context == types.Explicit, Fn: asComposite})
		return out, true, err
	}
	if !b.HasCast(e.Type().OID, to.OID, context) {
		return nil, false, nil
	}
	p := b.ofUsers(e.Type().OID, to.OID)
	via := &expr.Sign{OID: p.ID}
	usesOperator(&b.Names, via)
	if p.Cast.Method == conversion.ByFunction {
		out, err := b.castByFunction(e, to, p, via, context == types.Explicit)
		return out, true, err
	}
	if p.Cast.Method == conversion.AsTheyAre {
		out, err := b.cast(e, expr.Cast{To: to, Explicit: context == types.Explicit,
			Fn: func(v types.Value, _ types.T, _ *types.Env) (types.Value, error) { return v, nil }})
		return out, true, err
	}
	out, err := b.Explicit(e, types.Text, pos)
	if err == nil {
		out, err = b.cast(out, expr.Cast{To: to, Explicit: context == types.Explicit, Fn: castFromText(to)})
	}
	return out, true, err
}

// castByFunction calls the function of a cast, which may take the modifier of the type, and whether the cast is
// written.
func (b caster) castByFunction(e expr.Expr, to types.T, p *catalog.Plain, via *expr.Sign, written bool) (
	expr.Expr, error,
) {
	found := b.functionOf(p.Cast.Function)
	if found == nil {
		return nil, noFunctionNumbered(p.Cast.Function)
	}
	fn := *found
	fn.Via = via
	args := []expr.Expr{e, expr.Const{Value: types.NewInt(int64(to.Mod)), T: types.Int4},
		expr.Const{Value: types.NewBool(written), T: types.Bool}}[:len(fn.Args)]
	s := analyze.Signature{Args: slices.Clone(fn.Args), Result: fn.Result}
	chosen := &analyze.Chosen{Candidate: &analyze.Candidate{Signature: s}, Fn: &fn}
	out, err := b.coercion().Call(analyze.Call[expr.Expr]{Chosen: chosen, Args: args, Pos: -1})
	if err == nil && out.Type().OID != to.OID {
		out, err = b.Explicit(out, to, -1)
	}
	return out, err
}
