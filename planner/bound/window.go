package bound

import (
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
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

// window analyzes a window. What it has of a named one it does not print.
func (a *analyzer) window(w *ast.Window) (*Window, error) {
	out := &Window{Name: w.Name, Ref: w.Ref, Bare: w.Bare, Frame: w.Frame}
	tree, err := clause.Completed(w, a.windows)
	if err != nil || w.Bare {
		return out, err
	}
	all, err := clause.NewWindow(a.analysis(), tree)
	if err != nil {
		return nil, err
	}
	if w.PartitionBy != nil {
		out.Partition = all.Partition
	}
	if w.OrderBy != nil {
		out.Order = sortItems(all.Order)
	}
	if w.Frame == nil {
		return out, nil
	}
	if out.Start, err = a.frameOffset(w.Frame.Mode, w.Frame.Start, all.Order); err == nil {
		out.End, err = a.frameOffset(w.Frame.Mode, w.Frame.End, all.Order)
	}
	return out, err
}

func (a *analyzer) frameOffset(m ast.FrameMode, b ast.FrameBound, order []clause.Sort[Node]) (Node, error) {
	if b.Offset == nil {
		return nil, nil
	}
	n, err := a.expr(b.Offset)
	if err != nil {
		return nil, err
	}
	key := types.Unknown
	if len(order) == 1 {
		key = order[0].Expr.Type()
	}
	return clause.FrameOffset(a.coercion(), m, n, key, analyze.Start(b.Offset))
}
