package planner

import (
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// sets are the calls of set-returning functions of one select list. While its expressions
// are planned, a call stands in them as a column behind all others.
type sets struct{ calls []expr.Call }

// setColumn is the first place that stands for a set-returning function.
const setColumn = 1 << 22

// set keeps a call of a set-returning function, where one is allowed.
func (s *scalars) set(call expr.Call, pos ast.Pos) (expr.Expr, error) {
	if s.sets == nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.where).At(int(pos))
	}
	for _, arg := range call.Args {
		if holds(arg, setColumn) {
			return nil, sqlerr.Unsupported("a set-returning function of a set-returning function").At(int(pos))
		}
	}
	s.sets.calls = append(s.sets.calls, call)
	return expr.Column{Index: setColumn + len(s.sets.calls) - 1, Name: call.String(), T: call.T}, nil
}

// holds says whether an expression has a column at a place or behind it.
func holds(e expr.Expr, place int) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		return ok && c.Index >= place
	})
}

// withoutSets plans what no set-returning function may stand in.
func (s *scalars) withoutSets(where string, f func() (expr.Expr, error)) (expr.Expr, error) {
	before, in := s.sets, s.where
	s.sets, s.where = nil, where
	defer func() { s.sets, s.where = before, in }()
	return f()
}

// overSets puts the set-returning functions of the select list above the input.
func (q *query) overSets(l *later) {
	if len(q.sets.calls) == 0 {
		return
	}
	n := plan.ProjectSet{Input: q.input, Calls: q.sets.calls, Cols: append([]plan.Column(nil), q.input.Columns()...)}
	width := len(n.Cols)
	for _, c := range n.Calls {
		n.Cols = append(n.Cols, plan.Column{Name: c.Fn.Name, Type: setType(c)})
	}
	q.input = n
	_ = q.rewrite(l, func(e expr.Expr) (expr.Expr, error) { return moveFrom(e, setColumn, width), nil })
}

// setType is the type of a row of a set-returning function as one value.
func setType(c expr.Call) types.T {
	if len(c.Fn.Out) > 1 {
		return types.Record
	}
	return c.T
}

// moveFrom moves the columns at a place and behind it to another place.
func moveFrom(e expr.Expr, place, to int) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(expr.Column); ok && c.Index >= place {
			c.Index += to - place
			return c
		}
		return x
	})
}

// fields lists the fields of a record, for (f(x)).* in a select list.
func (q *query) fields(e *ast.Field) error {
	arg, err := q.expr(e.Arg)
	if err != nil {
		return err
	}
	names, ts := q.recordFields(arg)
	if names == nil {
		return sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered").At(int(e.Pos))
	}
	for i, name := range names {
		x := expr.Field{Arg: arg, Place: i, Name: name, T: ts[i]}
		q.list, q.cols, q.pos = append(q.list, x), append(q.cols, plan.Column{Name: name, Type: ts[i]}), append(q.pos, e.Pos)
	}
	return checkTargets(len(q.cols))
}

// recordFields are the names and types of the fields of a record, nil when they are not
// known.
func (s *scalars) recordFields(e expr.Expr) (names []string, ts []types.T) {
	if c, ok := e.(expr.Column); ok && c.Index >= setColumn && s.sets != nil {
		e = s.sets.calls[c.Index-setColumn]
	}
	switch e := e.(type) {
	case expr.Column:
		if f := s.scope.fieldsOf(e.Index); f != nil {
			return f.Names, f.Types
		}
	case expr.Row:
		for i, arg := range e.Args {
			names, ts = append(names, rowField(e, i)), append(ts, arg.Type())
		}
	case expr.Call:
		if e.Fn.Out != nil {
			for _, c := range setColumns(e, "") {
				names, ts = append(names, c.Name), append(ts, c.Type)
			}
		}
	}
	return names, ts
}
