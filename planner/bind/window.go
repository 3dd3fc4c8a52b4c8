package bind

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/planner/collate"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Windows are the window function calls of one SELECT. While its expressions are bound,
// a call stands in them as a column behind the aggregates.
type Windows struct {
	Named []ast.Window // of the WINDOW clause
	Defs  []plan.Window
	Calls []windowCall
	Pos   []ast.Pos // of each call
	// inside is what is being bound and cannot have window functions in it.
	inside *sqlerr.Error
}

// windowCall is a call over the window of a number.
type windowCall struct {
	plan.WindowCall
	Def int
}

// WindowColumn is the first column number that stands for a window function.
const WindowColumn = 1 << 21

// windowBinder binds calls with OVER.
type windowBinder struct{ *Scalars }

// window binds a call with OVER.
func (s windowBinder) window(e *ast.Call) (expr.Expr, error) {
	switch {
	case s.Windows == nil:
		return nil, sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", s.Where).At(int(e.Pos))
	case s.Windows.inside != nil:
		return nil, s.Windows.inside.At(int(e.Pos))
	case e.Distinct:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"DISTINCT is not implemented for window functions").At(int(e.Pos))
	case e.OrderBy != nil:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"aggregate ORDER BY is not implemented for window functions").At(int(e.Pos))
	case e.Within != nil:
		return nil, notOver(e)
	}
	s.Windows.inside = sqlerr.New(sqlerr.WindowingError, "window function calls cannot be nested")
	defer func() { s.Windows.inside = nil }()
	before := s.noSets
	s.noSets = lateralInstead("window function calls cannot contain set-returning function calls")
	call, in, err := s.windowFunction(e)
	s.noSets = before
	if err != nil {
		return nil, err
	}
	def, frame, err := s.windowOf(e.Over)
	if err != nil {
		return nil, err
	}
	w := windowCall{WindowCall: call, Def: def}
	w.Frame = frame
	s.Windows.Calls, s.Windows.Pos = append(s.Windows.Calls, w), append(s.Windows.Pos, e.Pos)
	out := expr.Column{Index: WindowColumn + len(s.Windows.Calls) - 1, Name: e.Name + "() OVER (?)", T: w.Type}
	return collate.OutputOf(out, in), nil
}

func notOver(e *ast.Call) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s",
		e.Name).At(int(e.Pos))
}

// windowFunction resolves the function or aggregate of a call with OVER, and the collation of its arguments.
func (s windowBinder) windowFunction(e *ast.Call) (w plan.WindowCall, in types.Collation, err error) {
	args, err := s.exprs(e.Args)
	if err != nil {
		return w, in, err
	}
	if s.coercion().IsAggregate(e) {
		if all := analyze.BuiltIn(e); len(all) > 0 && all[0].Ordered {
			return w, in, clause.WithinGroup(all[0], e)
		}
		call, err := s.coercion().Aggregate(e, args)
		if err == nil {
			err = userAggregates{s.Binder}.complete(&call)
		}
		if err != nil {
			return w, in, err
		}
		collate.Extremes(call.Fn, call.Args, call.Collation)
		w = plan.WindowCall{Aggregate: call.Fn, Args: call.Args, Type: call.T}
		if e.Filter != nil {
			s.noSets = sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in FILTER")
			w.Filter, err = s.Condition(e.Filter, "FILTER")
		}
		return w, call.Collation, err
	}
	if builtin.Windows(e.Name) == nil && builtin.Functions(e.Name) == nil {
		return w, in, analyze.Called{Name: e.Name, Types: analyze.Types(args)}.NoFunction(e.Pos)
	}
	if builtin.Windows(e.Name) == nil {
		return w, in, sqlerr.New(sqlerr.WrongObjectType,
			"OVER specified, but %s is not a window function nor an aggregate function", e.Name).At(int(e.Pos))
	}
	call, err := s.coercion().WindowFunction(e, args)
	if err == nil && e.Filter != nil {
		err = sqlerr.New(sqlerr.FeatureNotSupported,
			"FILTER is not implemented for non-aggregate window functions").At(int(e.Pos))
	}
	return plan.WindowCall{Fn: call.Window, Args: call.Args, Type: call.T}, call.Collation, err
}

// windowOf finds or binds the window of a call.
func (s windowBinder) windowOf(over *ast.Window) (int, plan.Frame, error) {
	tree, err := clause.Completed(over, s.Windows.Named)
	if err != nil {
		return 0, plan.Frame{}, err
	}
	w, err := clause.NewWindow(s.Analysis(), tree)
	if err != nil {
		return 0, plan.Frame{}, err
	}
	def := plan.Window{Partition: w.Partition}
	if def.Order, err = s.sortKeys(w.Order); err != nil {
		return 0, plan.Frame{}, err
	}
	for _, e := range w.Partition {
		if err := collate.Sortable(s.Catalog, e); err != nil {
			return 0, plan.Frame{}, err
		}
	}
	frame, err := s.frame(tree, &def)
	if err != nil {
		return 0, frame, err
	}
	same := func(d plan.Window) bool {
		return equalLists(d.Partition, def.Partition) && sameKeys(d.Order, def.Order)
	}
	if i := slices.IndexFunc(s.Windows.Defs, same); i >= 0 {
		return i, frame, nil
	}
	s.Windows.Defs = append(s.Windows.Defs, def)
	return len(s.Windows.Defs) - 1, frame, nil
}

func sameKeys(a, b []plan.SortKey) bool {
	return slices.EqualFunc(a, b, func(x, y plan.SortKey) bool {
		return x.Desc == y.Desc && x.NullsFirst == y.NullsFirst && expr.Equal(x.Expr, y.Expr)
	})
}

// sortKeys are the keys of ORDER BY of a window or an aggregate.
func (s *Scalars) sortKeys(sorts []clause.Sort[expr.Expr]) (keys []plan.SortKey, err error) {
	for _, by := range sorts {
		e, err := collate.Determined(s.Catalog, by.Expr)
		if err != nil {
			return nil, err
		}
		keys = append(keys, plan.SortKey{Expr: e, Desc: by.Desc, NullsFirst: by.NullsFirst})
	}
	return keys, nil
}

// frame binds the frame of a window.
func (s windowBinder) frame(w *ast.Window, def *plan.Window) (plan.Frame, error) {
	if w.Frame == nil {
		return plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}, nil
	}
	t := w.Frame
	out := plan.Frame{
		Mode: map[ast.FrameMode]plan.FrameMode{
			ast.RangeFrame: plan.RangeFrame, ast.RowsFrame: plan.RowsFrame, ast.GroupsFrame: plan.GroupsFrame,
		}[t.Mode],
		Exclude: map[ast.Exclusion]plan.Exclusion{
			ast.ExcludeNothing: plan.ExcludeNothing, ast.ExcludeCurrentRow: plan.ExcludeCurrentRow,
			ast.ExcludeGroup: plan.ExcludeGroup, ast.ExcludeTies: plan.ExcludeTies,
		}[t.Exclude],
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

func (s windowBinder) frameBound(b ast.FrameBound, w *ast.Window, def *plan.Window) (plan.FrameBound, error) {
	out := plan.FrameBound{Kind: boundKinds[b.Kind]}
	if b.Offset == nil {
		return out, nil
	}
	where := clause.FrameMode(w.Frame.Mode)
	in := s.In("window " + where)
	in.noSets = sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in window definitions")
	offset, err := in.Expr(b.Offset)
	if err != nil {
		return out, err
	}
	read := map[int]bool{}
	expr.Columns(offset, read)
	if len(read) > 0 {
		return out, sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables",
			where).At(int(analyze.Start(b.Offset)))
	}
	if w.Frame.Mode == ast.RangeFrame {
		if len(def.Order) != 1 {
			return out, sqlerr.New(sqlerr.WindowingError,
				"RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column").At(int(w.Pos))
		}
		return s.rangeBound(out, offset, analyze.Start(b.Offset), def)
	}
	out.Offset, err = clause.FrameOffset(s.coercion(), w.Frame.Mode, offset, types.Unknown, analyze.Start(b.Offset))
	return out, err
}

// rangeBound is the value that the key of the order is compared with: its own, moved by
// the offset. Whole numbers are widened, so that no bound is out of their range, and
// dates made timestamps, which a moved date is.
func (b *Binder) rangeBound(
	at plan.FrameBound, offset expr.Expr, pos ast.Pos, def *plan.Window,
) (plan.FrameBound, error) {
	key := &def.Order[0]
	sign := "+"
	if (at.Kind == plan.Preceding) != key.Desc {
		sign = "-"
	}
	from, own := key.Expr, key.Expr.Type()
	switch from.Type().OID {
	case types.OIDInt2, types.OIDInt4:
		from, _, _ = b.Coerce(from, types.Int8, types.Implicit, pos)
	case types.OIDDate:
		from, _, _ = b.Coerce(from, types.Timestamp, types.Implicit, pos)
		key.Expr = from
	}
	if !slices.Contains(rangeTypes, from.Type().OID) {
		return at, sqlerr.New(sqlerr.FeatureNotSupported,
			"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", from.Type()).At(int(pos))
	}
	offset, err := clause.FrameOffset(b.coercion(), ast.RangeFrame, offset, own, pos)
	if err != nil {
		return at, err
	}
	moved, err := called(b, func() (expr.Expr, error) { return b.operator(sign, []expr.Expr{from, offset}, pos) })
	if err != nil || moved.Type().Kind() != from.Type().Kind() {
		return at, sqlerr.New(sqlerr.FeatureNotSupported,
			"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s", key.Expr.Type(), offset.Type()).
			WithHint("Cast the offset value to an appropriate type.").At(int(pos))
	}
	at.Offset, at.Value = moved.Inputs()[1], moved
	return at, nil
}

// rangeTypes are those whose values an offset moves.
var rangeTypes = []types.OID{
	types.OIDInt8, types.OIDFloat4, types.OIDFloat8, types.OIDNumeric, types.OIDTimestamp, types.OIDTimestamptz,
	types.OIDTime, types.OIDTimetz, types.OIDInterval,
}

// Each hands on the expressions of all windows and calls, to be changed.
func (w *Windows) Each(f func([]expr.Expr)) {
	one := func(e *expr.Expr) {
		if *e != nil {
			list := []expr.Expr{*e}
			f(list)
			*e = list[0]
		}
	}
	for i := range w.Defs {
		f(w.Defs[i].Partition)
		for k := range w.Defs[i].Order {
			one(&w.Defs[i].Order[k].Expr)
		}
	}
	for i := range w.Calls {
		c := &w.Calls[i]
		f(c.Args)
		one(&c.Filter)
		one(&c.Frame.Start.Value)
		one(&c.Frame.End.Value)
	}
}
