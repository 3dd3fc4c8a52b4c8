package bind

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Sets are the calls of set-returning functions of one select list. While its expressions
// are bound, a call stands in them as a column behind all others, until it is placed in
// the plan.
type Sets struct {
	Calls     []expr.Call
	pos       []ast.Pos
	Projected []bool
}

// SetColumn is the first column number that stands for a set-returning function.
const SetColumn = 1 << 22

// set keeps a call of a set-returning function, where one is allowed.
func (s *Scalars) set(call expr.Call, pos ast.Pos) (expr.Expr, error) {
	if s.noSets != nil {
		return nil, At(s.noSets, pos)
	}
	if s.Sets == nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s",
			s.Where).At(int(pos))
	}
	if i := s.Sets.find(call); i >= 0 {
		return setAt(i, call), nil
	}
	s.Sets.Calls, s.Sets.pos, s.Sets.Projected = append(s.Sets.Calls, call), append(s.Sets.pos, pos),
		append(s.Sets.Projected, false)
	return setAt(len(s.Sets.Calls)-1, call), nil
}

func setAt(i int, call expr.Call) expr.Expr {
	return expr.Column{Index: SetColumn + i, Name: call.String(), T: SetType(call)}
}

// find is the number of a call that returns the same rows, or -1: one that GROUP BY repeats is the same
// set.
func (s *Sets) find(call expr.Call) int {
	varies := expr.Any(call, func(x expr.Expr) bool {
		c, ok := x.(expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
	if varies {
		return -1
	}
	return slices.IndexFunc(s.Calls, func(c expr.Call) bool { return expr.Equal(c, call) })
}

// TopLevelSet binds a function in FROM, which may return a set, but not take one.
func (s *Scalars) TopLevelSet(e ast.Expr) (expr.Expr, error) {
	s.Sets = &Sets{}
	if s.Inlining != nil { // it is the item, whatever it does
		s.Inlining.Kept = e
	}
	out, err := s.Expr(e)
	if err != nil {
		return nil, err
	}
	inner := s.Sets.Calls
	if c, ok := out.(expr.Column); ok && c.Index >= SetColumn {
		out, inner = s.Sets.Calls[c.Index-SetColumn], inner[:len(inner)-1]
	}
	if len(inner) > 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"set-returning functions must appear at top level of FROM").At(int(s.Sets.pos[0]))
	}
	return out, nil
}

// withoutSets binds an expression that no set-returning function may stand in.
func (s *Scalars) withoutSets(where string, e ast.Expr) (expr.Expr, error) {
	before := s.noSets
	s.noSets = lateralInstead("set-returning functions are not allowed in %s", where)
	defer func() { s.noSets = before }()
	return s.Analysis().Analyze(e)
}

func lateralInstead(format string, args ...any) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, format, args...).
		WithHint("You might be able to move the set-returning function into a LATERAL FROM item.")
}

// SetType is the type of a row of a set-returning function as one value.
func SetType(c expr.Call) types.T {
	if len(c.Fn.Out) > 1 && c.T.Def == nil {
		return types.Record
	}
	return c.T
}

// RecordFields are the names and types of the fields of a record, nil when they are not
// known.
func (s *Scalars) RecordFields(e expr.Expr) (names []string, ts []types.T) {
	if c, ok := e.(expr.Column); ok && c.Index >= SetColumn && s.Sets != nil {
		e = s.Sets.Calls[c.Index-SetColumn]
	}
	t := e.Type()
	if id, array := t.OID.Relation(); id != 0 && !array {
		if now := s.Catalog.Present(id); now != nil { // fields are those of today
			s.used(now)
			t = s.Typed(t.OID)
		}
	}
	if t.Def != nil && t.IsComposite() {
		return s.FieldNames(t), t.Def.Types
	}
	switch e := e.(type) {
	case expr.Column:
		if f := s.Scope.fieldsOf(e.Index); f != nil {
			return f.Names, f.Types
		}
	case expr.Row:
		for i, arg := range e.Args {
			names, ts = append(names, rowField(e, i)), append(ts, arg.Type())
		}
	case expr.Call:
		if e.Fn.Rows == nil && !t.IsComposite() {
			return nil, nil
		}
		fields := OutFields(e)
		return fields.Names, fields.Types
	}
	return names, ts
}

// OutFields are the fields of the rows that a function returns, none where it returns values.
func OutFields(call expr.Call) (out analyze.Fields) {
	for i, o := range call.Fn.Out {
		out.Names, out.Types = append(out.Names, o.Name), append(out.Types, call.OutType(i))
	}
	return out
}
