package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// windows are the window function calls of one SELECT. While its expressions are planned,
// a call stands in them as a column behind the aggregates.
type windows struct {
	named []ast.Window // of the WINDOW clause
	defs  []plan.Window
	calls []windowCall
	pos   []ast.Pos // of each call
	// inside is what is being planned and cannot have window functions in it.
	inside *sqlerr.Error
}

// windowCall is a call over the window of a number.
type windowCall struct {
	plan.WindowCall
	def int
}

// windowColumn is the first place that stands for a window function.
const windowColumn = 1 << 21

// window plans a call with OVER.
func (s *scalars) window(e *ast.Call) (expr.Expr, error) {
	switch {
	case s.windows == nil:
		return nil, sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", s.where).At(int(e.Pos))
	case s.windows.inside != nil:
		return nil, s.windows.inside.At(int(e.Pos))
	case e.Distinct:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "DISTINCT is not implemented for window functions").At(int(e.Pos))
	case e.OrderBy != nil:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions").At(int(e.Pos))
	case e.Within != nil:
		return nil, notOver(e)
	}
	s.windows.inside = sqlerr.New(sqlerr.WindowingError, "window function calls cannot be nested")
	defer func() { s.windows.inside = nil }()
	before := s.noSets
	s.noSets = lateralInstead("window function calls cannot contain set-returning function calls")
	call, err := s.windowFunction(e)
	s.noSets = before
	if err != nil {
		return nil, err
	}
	def, frame, err := s.windowOf(e.Over)
	if err != nil {
		return nil, err
	}
	w := windowCall{WindowCall: call, def: def}
	w.Frame = frame
	s.windows.calls, s.windows.pos = append(s.windows.calls, w), append(s.windows.pos, e.Pos)
	return expr.Column{Index: windowColumn + len(s.windows.calls) - 1, Name: e.Name + "() OVER (?)", T: w.Type}, nil
}

func notOver(e *ast.Call) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", e.Name).At(int(e.Pos))
}

// windowFunction resolves the function or aggregate of a call with OVER.
func (s *scalars) windowFunction(e *ast.Call) (plan.WindowCall, error) {
	var w plan.WindowCall
	args, err := s.exprs(e.Args)
	if err != nil {
		return w, err
	}
	all := expr.Windows(e.Name)
	if expr.Aggregates(e.Name) != nil && (all == nil || len(args) > 0) {
		if fn := expr.Aggregates(e.Name)[0]; fn.Ordered {
			return w, withinGroup(fn, e)
		}
		call, err := s.chooseAggregate(e, args)
		if err != nil {
			return w, err
		}
		w = plan.WindowCall{Aggregate: call.Fn, Args: call.Args, Type: call.Type}
		if e.Filter != nil {
			s.noSets = sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in FILTER")
			w.Filter, err = s.condition(e.Filter, "FILTER")
		}
		return w, err
	}
	if all == nil && expr.Functions(e.Name) == nil {
		return w, noFunction(e.Name, arguments{list: args}, e.Pos)
	}
	if all == nil {
		return w, sqlerr.New(sqlerr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", e.Name).At(int(e.Pos))
	}
	w, err = s.chooseWindow(e, all, args)
	if err == nil && e.Filter != nil {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions").At(int(e.Pos))
	}
	return w, err
}

// chooseWindow picks the overload of a window function and coerces the arguments.
func (s *scalars) chooseWindow(e *ast.Call, all []*expr.WindowFunction, args []expr.Expr) (plan.WindowCall, error) {
	lists := make([][]types.OID, len(all))
	for i, w := range all {
		lists[i] = w.Args
	}
	i, _ := overload(typesOf(args), lists)
	if i < 0 {
		return plan.WindowCall{}, noFunction(e.Name, arguments{list: args}, e.Pos)
	}
	resolved, err := signature{all[i].Args, all[i].Result}.resolve(typesOf(args))
	if err != nil {
		return plan.WindowCall{}, at(err, e.Pos)
	}
	out, err := s.coerceAll(args, resolved.args, e.Pos)
	return plan.WindowCall{Fn: all[i], Args: out, Type: s.typeOf(resolved.result)}, err
}

// windowOf finds or plans the window of a call.
func (s *scalars) windowOf(w *ast.Window) (int, plan.Frame, error) {
	tree, err := s.windowTree(w)
	if err != nil {
		return 0, plan.Frame{}, err
	}
	def := plan.Window{}
	for _, p := range tree.PartitionBy {
		e, err := s.expr(p)
		if err != nil {
			return 0, plan.Frame{}, err
		}
		if e, err = s.knownType(e, start(p)); err != nil {
			return 0, plan.Frame{}, err
		}
		def.Partition = append(def.Partition, e)
	}
	if err := equatable(def.Partition, func(i int) ast.Pos { return start(tree.PartitionBy[i]) }); err != nil {
		return 0, plan.Frame{}, err
	}
	if def.Order, err = s.sortKeys(tree.OrderBy); err != nil {
		return 0, plan.Frame{}, err
	}
	frame, err := s.frame(tree, &def)
	if err != nil {
		return 0, frame, err
	}
	same := func(d plan.Window) bool {
		return equalLists(d.Partition, def.Partition) && sameKeys(d.Order, def.Order)
	}
	if i := slices.IndexFunc(s.windows.defs, same); i >= 0 {
		return i, frame, nil
	}
	s.windows.defs = append(s.windows.defs, def)
	return len(s.windows.defs) - 1, frame, nil
}

func sameKeys(a, b []plan.SortKey) bool {
	return slices.EqualFunc(a, b, func(x, y plan.SortKey) bool {
		return x.Desc == y.Desc && x.NullsFirst == y.NullsFirst && expr.Equal(x.Expr, y.Expr)
	})
}

// sortKeys plans the ORDER BY of a window or an aggregate, where a number is only a number.
func (s *scalars) sortKeys(list []ast.Sort) ([]plan.SortKey, error) {
	var keys []plan.SortKey
	for _, o := range list {
		e, err := s.expr(o.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = s.knownType(e, start(o.Expr)); err != nil {
			return nil, err
		}
		if !ordered(e.Type()) {
			return nil, unordered(e.Type(), start(o.Expr))
		}
		keys = append(keys, plan.SortKey{Expr: e, Desc: o.Desc, NullsFirst: o.Nulls == ast.NullsFirst || o.Nulls == ast.NullsDefault && o.Desc})
	}
	return keys, nil
}

func unordered(t types.T, pos ast.Pos) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an ordering operator for type %s", t).
		WithHint("Use an explicit ordering operator or modify the query.").At(int(pos))
}

// equatable refuses expressions of a type whose values are not told equal or different.
func equatable(list []expr.Expr, pos func(i int) ast.Pos) error {
	for i, e := range list {
		if !ordered(e.Type()) {
			return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", e.Type()).At(int(pos(i)))
		}
	}
	return nil
}

// windowTree is the definition of a window, completed by the named one that it refers to.
func (s *scalars) windowTree(w *ast.Window) (*ast.Window, error) {
	if w.Ref == "" {
		return w, nil
	}
	i := slices.IndexFunc(s.windows.named, func(n ast.Window) bool { return n.Name == w.Ref })
	if i < 0 {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "window %q does not exist", w.Ref).At(int(w.Pos))
	}
	// A window may refer only to those before it.
	named := s.windows.named
	s.windows.named = named[:i]
	base, err := s.windowTree(&named[i])
	s.windows.named = named
	if err != nil || w.Bare {
		return base, err
	}
	wrong := func(format string) error {
		return sqlerr.New(sqlerr.WindowingError, format, w.Ref).At(int(w.Pos))
	}
	switch {
	case w.PartitionBy != nil:
		return nil, wrong("cannot override PARTITION BY clause of window %q")
	case w.OrderBy != nil && base.OrderBy != nil:
		return nil, wrong("cannot override ORDER BY clause of window %q")
	case base.Frame != nil:
		return nil, wrong("cannot copy window %q because it has a frame clause")
	}
	out := *w
	out.Ref, out.PartitionBy = "", base.PartitionBy
	if out.OrderBy == nil {
		out.OrderBy = base.OrderBy
	}
	return &out, nil
}

// frame plans the frame of a window.
func (s *scalars) frame(w *ast.Window, def *plan.Window) (plan.Frame, error) {
	if w.Frame == nil {
		return plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}, nil
	}
	t := w.Frame
	out := plan.Frame{
		Mode:    map[ast.FrameMode]plan.FrameMode{ast.RangeFrame: plan.RangeFrame, ast.RowsFrame: plan.RowsFrame, ast.GroupsFrame: plan.GroupsFrame}[t.Mode],
		Exclude: map[ast.Exclusion]plan.Exclusion{ast.ExcludeNothing: plan.ExcludeNothing, ast.ExcludeCurrentRow: plan.ExcludeCurrentRow, ast.ExcludeGroup: plan.ExcludeGroup, ast.ExcludeTies: plan.ExcludeTies}[t.Exclude],
	}
	if t.Mode == ast.GroupsFrame && len(def.Order) == 0 {
		return out, sqlerr.New(sqlerr.WindowingError, "GROUPS mode requires an ORDER BY clause").At(int(t.Pos))
	}
	var err error
	if out.Start, err = s.frameBound(t.Start, w, def); err != nil {
		return out, err
	}
	out.End, err = s.frameBound(t.End, w, def)
	return out, err
}

var boundKinds = map[ast.BoundKind]plan.BoundKind{
	ast.UnboundedPreceding: plan.UnboundedPreceding, ast.Preceding: plan.Preceding, ast.CurrentRow: plan.CurrentRow,
	ast.Following: plan.Following, ast.UnboundedFollowing: plan.UnboundedFollowing,
}

func (s *scalars) frameBound(b ast.FrameBound, w *ast.Window, def *plan.Window) (plan.FrameBound, error) {
	out := plan.FrameBound{Kind: boundKinds[b.Kind]}
	if b.Offset == nil {
		return out, nil
	}
	where := map[ast.FrameMode]string{ast.RangeFrame: "RANGE", ast.RowsFrame: "ROWS", ast.GroupsFrame: "GROUPS"}[w.Frame.Mode]
	offset, err := (&scalars{Planner: s.Planner, scope: s.scope, where: "window " + where,
		noSets: sqlerr.New(sqlerr.FeatureNotSupported,
			"set-returning functions are not allowed in window definitions")}).expr(b.Offset)
	if err != nil {
		return out, err
	}
	read := map[int]bool{}
	expr.Columns(offset, read)
	if len(read) > 0 {
		return out, sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", where).At(int(start(b.Offset)))
	}
	if w.Frame.Mode == ast.RangeFrame {
		if len(def.Order) != 1 {
			return out, sqlerr.New(sqlerr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column").At(int(w.Pos))
		}
		return s.rangeBound(out, offset, start(b.Offset), def)
	}
	out.Offset, err = s.must(offset, types.Int8, start(b.Offset), func() error {
		return sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", where, offset.Type()).At(int(start(b.Offset)))
	})
	return out, err
}

// rangeBound is the value that the key of the order is compared with: its own, moved by
// the offset. Whole numbers are widened, so that no bound is out of their range, and
// dates made timestamps, which a moved date is.
func (s *scalars) rangeBound(b plan.FrameBound, offset expr.Expr, pos ast.Pos, def *plan.Window) (plan.FrameBound, error) {
	key := &def.Order[0]
	sign := "+"
	if (b.Kind == plan.Preceding) != key.Desc {
		sign = "-"
	}
	from, own := key.Expr, key.Expr.Type()
	switch from.Type().OID {
	case types.OIDInt2, types.OIDInt4:
		from, _, _ = s.coerce(from, types.Int8, types.Implicit, pos)
	case types.OIDDate:
		from, _, _ = s.coerce(from, types.Timestamp, types.Implicit, pos)
		key.Expr = from
	}
	if !slices.Contains(rangeTypes, from.Type().OID) {
		return b, sqlerr.New(sqlerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", from.Type()).At(int(pos))
	}
	if offset.Type().OID == types.OIDUnknown {
		to := own
		if types.InfoOf(to.OID).Category == types.CategoryDate {
			to = types.Interval
		}
		var err error
		if offset, _, err = s.coerce(offset, to, types.Implicit, pos); err != nil {
			return b, err
		}
	}
	moved, err := s.operator(sign, []expr.Expr{from, offset}, pos)
	if err != nil || moved.Type().Kind() != from.Type().Kind() {
		return b, sqlerr.New(sqlerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s", key.Expr.Type(), offset.Type()).
			WithHint("Cast the offset value to an appropriate type.").At(int(pos))
	}
	b.Offset, b.Value = moved.Inputs()[1], moved
	return b, nil
}

// rangeTypes are those whose values an offset moves.
var rangeTypes = []types.OID{
	types.OIDInt8, types.OIDFloat4, types.OIDFloat8, types.OIDNumeric, types.OIDTimestamp, types.OIDTimestamptz,
	types.OIDTime, types.OIDTimetz, types.OIDInterval,
}

// overWindows puts a Sort and a Window above the input for each window that is used.
func (q *query) overWindows(l *later) error {
	q.windowSets(l)
	places := make([]int, len(q.windows.calls))
	for d, def := range q.windows.defs {
		cols := append([]plan.Column(nil), q.input.Columns()...)
		for i, c := range q.windows.calls {
			if c.def != d {
				continue
			}
			places[i] = len(cols)
			def.Calls, cols = append(def.Calls, c.WindowCall), append(cols, plan.Column{Name: "?column?", Type: c.Type})
		}
		var keys []plan.SortKey
		for _, p := range def.Partition {
			if !ordered(p.Type()) {
				return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", p.Type())
			}
			keys = append(keys, plan.SortKey{Expr: p})
		}
		if keys = append(keys, def.Order...); len(keys) > 0 {
			q.input = plan.Sort{Input: q.input, Keys: keys}
		}
		def.Input, def.Cols = q.input, cols
		q.input = def
	}
	if len(places) == 0 {
		return nil
	}
	return q.rewrite(l, func(e expr.Expr) (expr.Expr, error) {
		return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(expr.Column); ok && c.Index >= windowColumn && c.Index < setColumn {
				c.Index = places[c.Index-windowColumn]
				return c
			}
			return x
		}), nil
	})
}

// each hands on the expressions of all windows and calls, to be changed.
func (w *windows) each(f func([]expr.Expr)) {
	one := func(e *expr.Expr) {
		if *e != nil {
			list := []expr.Expr{*e}
			f(list)
			*e = list[0]
		}
	}
	for i := range w.defs {
		f(w.defs[i].Partition)
		for k := range w.defs[i].Order {
			one(&w.defs[i].Order[k].Expr)
		}
	}
	for i := range w.calls {
		c := &w.calls[i]
		f(c.Args)
		one(&c.Filter)
		one(&c.Frame.Start.Value)
		one(&c.Frame.End.Value)
	}
}
