package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// sets are the calls of set-returning functions of one select list. While its expressions
// are planned, a call stands in them as a column behind all others, until it is placed in
// the plan.
type sets struct {
	calls  []expr.Call
	pos    []ast.Pos
	placed []bool
}

// setColumn is the first place that stands for a set-returning function.
const setColumn = 1 << 22

// set keeps a call of a set-returning function, where one is allowed.
func (s *scalars) set(call expr.Call, pos ast.Pos) (expr.Expr, error) {
	if s.noSets != nil {
		return nil, at(s.noSets, pos)
	}
	if s.sets == nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.where).At(int(pos))
	}
	if i := s.sets.find(call); i >= 0 {
		return setAt(i, call), nil
	}
	s.sets.calls, s.sets.pos, s.sets.placed = append(s.sets.calls, call), append(s.sets.pos, pos),
		append(s.sets.placed, false)
	return setAt(len(s.sets.calls)-1, call), nil
}

func setAt(i int, call expr.Call) expr.Expr {
	return expr.Column{Index: setColumn + i, Name: call.String(), T: setType(call)}
}

// find is the number of a call that returns the same rows, or -1: one that GROUP BY repeats is the same
// set.
func (s *sets) find(call expr.Call) int {
	varies := expr.Any(call, func(x expr.Expr) bool {
		c, ok := x.(expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
	if varies {
		return -1
	}
	return slices.IndexFunc(s.calls, func(c expr.Call) bool { return expr.Equal(c, call) })
}

// topLevelSet plans a function in FROM, which may return a set, but not take one.
func (s *scalars) topLevelSet(e ast.Expr) (expr.Expr, error) {
	s.sets = &sets{}
	out, err := s.expr(e)
	if err != nil {
		return nil, err
	}
	inner := s.sets.calls
	if c, ok := out.(expr.Column); ok && c.Index >= setColumn {
		out, inner = s.sets.calls[c.Index-setColumn], inner[:len(inner)-1]
	}
	if len(inner) > 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"set-returning functions must appear at top level of FROM").At(int(s.sets.pos[0]))
	}
	return out, nil
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
	before := s.noSets
	s.noSets = lateralInstead("set-returning functions are not allowed in %s", where)
	defer func() { s.noSets = before }()
	return f()
}

func lateralInstead(format string, args ...any) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, format, args...).
		WithHint("You might be able to move the set-returning function into a LATERAL FROM item.")
}

// overSets puts set-returning functions above the input: those that are wanted, first those whose
// arguments are no sets, then those of what these return. The expressions below read them, too.
func (q *query) overSets(l *later, wanted func(i int) bool, below []expr.Expr) {
	for {
		var now []int
		for i, c := range q.sets.calls {
			if !q.sets.placed[i] && wanted(i) && !holds(expr.Row{Args: c.Args}, setColumn) {
				now = append(now, i)
			}
		}
		if len(now) == 0 {
			return
		}
		move := q.placeSets(now)
		for i, e := range below {
			below[i] = move(e)
		}
		_ = q.rewrite(l, func(e expr.Expr) (expr.Expr, error) { return move(e), nil })
	}
}

func allSets(int) bool { return true }

// setsOf wants the set-returning functions in some expressions, and those in their arguments.
func (q *query) setsOf(list []expr.Expr) func(i int) bool {
	found := map[int]bool{}
	var look func(e expr.Expr)
	look = func(e expr.Expr) {
		expr.Any(e, func(x expr.Expr) bool {
			if c, ok := x.(expr.Column); ok && c.Index >= setColumn && !found[c.Index-setColumn] {
				found[c.Index-setColumn] = true
				look(q.sets.calls[c.Index-setColumn])
			}
			return false
		})
	}
	for _, e := range list {
		look(e)
	}
	return func(i int) bool { return found[i] }
}

// windowSets places the set-returning functions that windows are made by below them.
func (q *query) windowSets(l *later) {
	var list []expr.Expr
	for _, d := range q.windows.defs {
		list = append(list, d.Partition...)
		for _, k := range d.Order {
			list = append(list, k.Expr)
		}
	}
	q.overSets(l, q.setsOf(list), nil)
}

// placeSets puts some calls above the input. What is returned makes expressions read
// their columns.
func (q *query) placeSets(now []int) func(expr.Expr) expr.Expr {
	n := plan.ProjectSet{Input: q.input, Cols: append([]plan.Column(nil), q.input.Columns()...)}
	places := map[int]int{}
	for _, i := range now {
		c := q.sets.calls[i]
		q.sets.placed[i], places[setColumn+i] = true, len(n.Cols)
		n.Calls, n.Cols = append(n.Calls, c), append(n.Cols, plan.Column{Name: c.Fn.Name, Type: setType(c)})
	}
	q.input = n
	return func(e expr.Expr) expr.Expr {
		return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(expr.Column); ok {
				if at, ok := places[c.Index]; ok {
					c.Index = at
				}
				return c
			}
			return x
		})
	}
}

// setType is the type of a row of a set-returning function as one value.
func setType(c expr.Call) types.T {
	if len(c.Fn.Out) > 1 && c.T.Row == nil {
		return types.Record
	}
	return c.T
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
		x := fieldOf(arg, i, name, ts[i])
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
	t := e.Type()
	if id, array := t.OID.Relation(); id != 0 && !array {
		if now := s.Catalog.Present(id); now != nil { // fields are those of today
			s.used(now)
			t = s.typeOf(t.OID)
		}
	}
	if t.Row != nil && t.IsComposite() {
		return t.Row.Names, t.Row.Types
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
