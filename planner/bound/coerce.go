package bound

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// casts is pg_cast by source and target.
var casts = indexCasts(pgproc.CastRows())

func indexCasts(rows []pgproc.CastRow) map[[2]types.OID]pgproc.CastRow {
	out := make(map[[2]types.OID]pgproc.CastRow, len(rows))
	for _, r := range rows {
		out[[2]types.OID{r.From, r.To}] = r
	}
	return out
}

// kindOf is how PostgreSQL casts values of one type to another, as it can be cast.
func kindOf(from, to types.OID) CastKind {
	r, ok := casts[[2]types.OID{from, to}]
	switch {
	case ok && r.Method == 'f':
		return FunctionCast
	case ok && r.Method == 'b':
		return relabelCast
	case !ok && types.Of(from).Kind() == types.KindArray && types.Of(to).Kind() == types.KindArray:
		return arrayCast
	}
	return textCast
}

// caster makes casts and calls that are printed.
type caster struct{ *Source }

func (s *Source) coercion() analyze.Coercion[Node] { return analyze.NewCoercion[Node](caster{s}) }

// Typed implements analyze.Caster.
func (s caster) Typed(oid types.OID) types.T { return s.Now.Defined(types.Of(oid)) }

// Read implements analyze.Caster. Its modifier is a cast of the literal, but for that of an interval.
func (s caster) Read(n Node, to types.T, context types.CastContext, _ ast.Pos) (Node, error) {
	c, ok := n.(*Constant)
	if !ok {
		return nil, sqlerr.Unsupported("an expression of unknown type here")
	}
	to = to.Base()
	as := to.Bare()
	if to.OID == types.OIDInterval {
		as = to
	}
	out := &Constant{typed: typed{as}}
	if c.Value.IsNull() {
		return s.Modify(out, to, context == types.Explicit)
	}
	var err error
	if out.Value, err = s.Constants.Constant(&s.Names, c.Value.Text(), as, -1); err == nil && as.Mod >= 0 {
		out.Value, err = types.ApplyMod(out.Value, as, true, nil)
	}
	if err != nil {
		return nil, err
	}
	return s.Modify(out, to, context == types.Explicit)
}

// Untyped implements analyze.Caster.
func (s caster) Untyped(n Node, _ ast.Pos) (Node, error) { return n, nil }

// Modify implements analyze.Caster.
func (s caster) Modify(n Node, to types.T, explicit bool) (Node, error) {
	if n.Type().Domain != nil && to.Domain == nil {
		n = &Cast{Arg: n, typed: typed{n.Type().Base().Bare()}, Implicit: !explicit || to.Mod >= 0}
	}
	switch {
	case n.Type().Mod == to.Mod || to.Mod < 0 && !explicit:
		return n, nil
	case to.Mod < 0:
		return &Cast{Arg: n, typed: typed{to}}, nil
	}
	return &Cast{Arg: n, typed: typed{to}, Implicit: !explicit, Kind: FunctionCast}, nil
}

// Cast implements analyze.Caster.
func (s caster) Cast(n Node, to types.T, _ types.Cast, explicit bool) (Node, error) {
	out := &Cast{Arg: n, typed: typed{to}, Implicit: !explicit, Kind: FunctionCast}
	if to.Mod < 0 {
		out.Kind = kindOf(n.Type().OID, to.OID)
	}
	return out, nil
}

// UserCast implements analyze.Casts.
func (s caster) UserCast(n Node, to types.T, context types.CastContext, _ ast.Pos) (Node, bool, error) {
	if !s.stored().HasCast(n.Type().OID, to.OID, context) {
		return nil, false, nil
	}
	return &Cast{Arg: n, typed: typed{to}, Implicit: context != types.Explicit, Kind: FunctionCast}, true, nil
}

// Implicit implements analyze.Calls.
func (s caster) Implicit(from, to types.OID) bool { return s.stored().Implicit(from, to) }

// Constrain implements analyze.Caster.
func (s caster) Constrain(n Node, to types.T, written bool) (Node, error) {
	if n.Type().Number() == to.Number() {
		return n, nil
	}
	return &Cast{Arg: n, typed: typed{to}, Implicit: !written}, nil
}

// CastRow implements analyze.Caster.
func (s caster) CastRow(n Node, to types.T, context types.CastContext, pos ast.Pos) (Node, bool, error) {
	if v, ok := n.(*Variable); ok && v.Whole() {
		of, _ := types.RowOID(v.Rel.ID)
		if of == to.OID {
			return n, true, nil
		}
		return s.UserCast(&Variable{v.Rel, v.Column, typed{types.Of(of)}}, to, context, pos)
	}
	row, ok := n.(*Row)
	if !ok || len(row.Args) != len(s.Constants.WrittenOut(to)) {
		return n, false, nil
	}
	out := &Row{T: to}
	for i, of := range to.Def.Types {
		arg := Node(&Constant{typed: typed{of}})
		if at := slices.IndexFunc(s.Constants.WrittenOut(to), func(k catalog.Named) bool {
			return k.ID == to.Def.Number(i)
		}); at >= 0 {
			arg = row.Args[at]
		}
		x, ok, err := s.coercion().Coerce(arg, of, context, pos)
		if err != nil || !ok {
			return n, ok, err
		}
		if c, ok := x.(*Cast); ok && x != arg {
			c.Implicit = true
		}
		out.Args = append(out.Args, x)
	}
	return out, true, nil
}

// to makes an expression of a type, where the context allows the cast.
func (s *Source) to(n Node, to types.T, context types.CastContext) (Node, error) {
	out, ok, err := s.coercion().Coerce(n, to, context, 0)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", n.Type(), to)
	}
	return out, err
}

// known makes a text of a literal that nothing gives a type.
func (s *Source) known(n Node) (Node, error) { return s.coercion().KnownType(n, 0) }

// valueFunctions are the functions that SQL calls without parentheses.
var valueFunctions = []string{
	"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_role", "current_user",
	"user", "session_user", "current_catalog", "current_schema",
}

// Functions implements analyze.Caster.
func (s caster) Functions(schema, name string) []*expr.Function {
	return s.stored().Functions(schema, name)
}

// Aggregates implements analyze.Caster.
func (s caster) Aggregates(schema, name string) []*expr.Function {
	return s.stored().Aggregates(schema, name)
}

// Procedures implements analyze.Caster.
func (s caster) Procedures(schema, name string) []*expr.Function {
	return s.stored().Procedures(schema, name)
}

// stored finds what a text names wherever the reader's search path leads.
func (s *Source) stored() *bind.Names { return &bind.Names{Catalog: s.Names.Catalog} }

// Call implements analyze.Caster.
func (s caster) Call(c analyze.Call[Node]) (Node, error) {
	if c.Tree.Syntax && slices.Contains(valueFunctions, c.Fn.Name) {
		out := &ValueFunction{strings.ToUpper(c.Fn.Name), typed{c.T}}
		if len(c.Args) == 1 {
			digits := c.Args[0].(*Constant).Value.Int()
			out.Text, out.T.Mod = fmt.Sprintf("%s(%d)", out.Text, digits), int32(digits)
		}
		return out, nil
	}
	proc := builtin.ProcByOID(c.Fn.OID)
	if f, ok := c.Fn.Routine.(*catalog.Function); ok {
		proc = routine.Proc(f, types.T.String)
	}
	if proc == nil {
		return nil, sqlerr.Unsupported("printing a call of %s", c.Fn.Name)
	}
	return &Call{Proc: proc, Fn: c.Fn, Args: c.Args, Names: c.Tree.ArgNames, typed: typed{c.T}, Variadic: c.Spread,
		Syntax: c.Tree.Syntax}, nil
}

// CallType implements analyze.Caster. Where the cast is a function of that name, it is a call of it.
func (s caster) CallType(e *ast.Call, arg Node, to types.T) (Node, error) {
	r := casts[[2]types.OID{arg.Type().OID, to.OID}]
	if proc := builtin.ProcByOID(r.Function); proc != nil && proc.Name == e.Name && len(proc.Args) == 1 {
		return &Call{Proc: proc, Args: []Node{arg}, typed: typed{to}}, nil
	}
	return s.coercion().Explicit(arg, to, e.Pos)
}

// InCollation implements analyze.Caster.
func (caster) InCollation(n Node, _ types.Collation) Node { return n }

// Collate implements analyze.Caster.
func (caster) Collate(list []Node) ([]Node, types.Collation, error) {
	return list, types.Collation{}, nil
}
