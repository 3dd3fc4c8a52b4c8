package clause

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Window is what the rows of a window are divided and sorted by.
type Window[E analyze.Typed] struct {
	Partition []E
	Order     []Sort[E]
}

// NewWindow makes a window that is complete.
func NewWindow[E analyze.Typed](a analyze.Analysis[E], w *ast.Window) (out Window[E], err error) {
	for _, p := range w.PartitionBy {
		e, err := a.Known(p)
		if err != nil {
			return out, err
		}
		out.Partition = append(out.Partition, e)
	}
	for i, e := range out.Partition {
		if err := Equatable(e.Type(), analyze.Start(w.PartitionBy[i])); err != nil {
			return out, err
		}
	}
	out.Order, err = Sorted(a, w.OrderBy)
	if err == nil && w.Frame != nil && w.Frame.Mode == ast.GroupsFrame && len(out.Order) == 0 {
		err = sqlerr.New(sqlerr.WindowingError, "GROUPS mode requires an ORDER BY clause").At(int(w.Frame.Pos))
	}
	return out, err
}

// Completed is a window with what the named one has that it refers to. A window may refer only to those before it.
func Completed(w *ast.Window, named []ast.Window) (*ast.Window, error) {
	if w.Ref == "" {
		return w, nil
	}
	i := slices.IndexFunc(named, func(n ast.Window) bool { return n.Name == w.Ref })
	if i < 0 {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "window %q does not exist", w.Ref).At(int(w.Pos))
	}
	base, err := Completed(&named[i], named[:i])
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

// FrameMode is the word for a mode of frames.
func FrameMode(m ast.FrameMode) string {
	return map[ast.FrameMode]string{ast.RangeFrame: "RANGE", ast.RowsFrame: "ROWS", ast.GroupsFrame: "GROUPS"}[m]
}

// FrameOffset gives the offset of a frame its type: that of a number of rows or groups. With RANGE it has its own, a
// literal that of the values which rows are sorted by, but for times, which an interval moves.
func FrameOffset[E analyze.Typed](c analyze.Coercion[E], m ast.FrameMode, offset E, order types.T, pos ast.Pos) (
	out E, err error) {
	t := offset.Type()
	switch {
	case m != ast.RangeFrame:
		return c.Must(offset, types.Int8, pos, func() error { return notOfType(FrameMode(m), types.Int8, t, pos) })
	case t.OID != types.OIDUnknown:
		return offset, nil
	case types.InfoOf(order.OID).Category == types.CategoryDate:
		order = types.Interval
	}
	out, _, err = c.Coerce(offset, order.Bare(), types.Implicit, pos)
	return out, err
}
