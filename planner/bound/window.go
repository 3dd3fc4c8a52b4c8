package bound

import (
	"zproxy/parser/ast"
	"zproxy/types"
)

// Window is a window, with a name or without.
type Window struct {
	Name, Ref  string
	Bare       bool // OVER name
	Partition  []Node
	Order      []SortItem
	Frame      *ast.Frame
	Start, End Node
}

// window analyzes a window.
func (a *analyzer) window(w *ast.Window) (*Window, error) {
	out := &Window{Name: w.Name, Ref: w.Ref, Bare: w.Bare, Frame: w.Frame}
	for _, e := range w.PartitionBy {
		n, err := a.analysis().Known(e)
		if err != nil {
			return nil, err
		}
		out.Partition = append(out.Partition, n)
	}
	var err error
	if out.Order, err = a.sorted(w.OrderBy); err != nil || w.Frame == nil {
		return out, err
	}
	if out.Start, err = a.frameOffset(w.Frame, w.Frame.Start, out.Order); err == nil {
		out.End, err = a.frameOffset(w.Frame, w.Frame.End, out.Order)
	}
	return out, err
}

// frameOffset is how far a frame reaches: a number, or with RANGE what its order takes.
func (a *analyzer) frameOffset(f *ast.Frame, b ast.FrameBound, order []SortItem) (Node, error) {
	if b.Offset == nil {
		return nil, nil
	}
	n, err := a.expr(b.Offset)
	if err != nil {
		return nil, err
	}
	to := types.OIDInt8
	if f.Mode == ast.RangeFrame {
		to = n.Type().OID
		if len(order) == 1 && to == types.OIDUnknown {
			to = order[0].Expr.Type().OID
			if category := types.InfoOf(to).Category; category == types.CategoryDate {
				to = types.OIDInterval
			}
		}
	}
	return a.to(n, types.Of(to), types.Implicit)
}
