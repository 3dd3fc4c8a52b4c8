package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// The bits of a frame, as in PostgreSQL's parsenodes.h.
const (
	frameWritten  = 0x1
	frameRows     = 0x4
	frameGroups   = 0x8
	frameBetween  = 0x10
	excludeRow    = 0x8000
	excludeGroup  = 0x10000
	excludeTies   = 0x20000
	frameEndShift = 1 // the bit of an end stands next to that of the same start
)

// frameStarts are the bits of a frame's start.
func frameStarts() map[int32]ast.BoundKind {
	return map[int32]ast.BoundKind{
		0x20:   ast.UnboundedPreceding,
		0x80:   ast.UnboundedFollowing,
		0x200:  ast.CurrentRow,
		0x800:  ast.Preceding,
		0x2000: ast.Following,
	}
}

// over is the window of a call: by name alone, or in parentheses.
func (c *converter) over(n *pg.WindowDef) *ast.Window {
	if n == nil {
		return nil
	}
	w := c.window(n)
	if w.Name != "" {
		c.refuse(w.Ref != "", n, "OVER with two names")
		w.Name, w.Ref, w.Bare = "", w.Name, true
	}
	return w
}

func (c *converter) window(n *pg.WindowDef) *ast.Window {
	return &ast.Window{
		Name:        n.GetName(),
		Ref:         n.GetRefname(),
		PartitionBy: c.exprs(n.GetPartitionClause()),
		OrderBy:     c.orderBy(n.GetOrderClause()),
		Frame:       c.frame(n),
		Pos:         c.at(n.GetLocation()),
	}
}

// frame is the frame of a window, nil when none is written.
func (c *converter) frame(n *pg.WindowDef) *ast.Frame {
	bits := n.GetFrameOptions()
	if bits&frameWritten == 0 {
		c.refuse(n.GetStartOffset() != nil || n.GetEndOffset() != nil, n, "the offset of no frame")
		return nil
	}
	f := &ast.Frame{
		Start:   c.bound(n, bits, n.StartOffset),
		End:     c.bound(n, bits>>frameEndShift, n.EndOffset),
		Between: bits&frameBetween != 0,
		Pos:     c.at(n.Location),
	}
	switch {
	case bits&frameRows != 0:
		f.Mode = ast.RowsFrame
	case bits&frameGroups != 0:
		f.Mode = ast.GroupsFrame
	}
	switch {
	case bits&excludeRow != 0:
		f.Exclude = ast.ExcludeCurrentRow
	case bits&excludeGroup != 0:
		f.Exclude = ast.ExcludeGroup
	case bits&excludeTies != 0:
		f.Exclude = ast.ExcludeTies
	}
	return f
}

// bound is one end of a frame, whose bits are those of a start.
func (c *converter) bound(n *pg.WindowDef, bits int32, offset *pg.Node) ast.FrameBound {
	for bit, kind := range frameStarts() {
		if bits&bit == 0 {
			continue
		}
		counts := kind == ast.Preceding || kind == ast.Following
		c.refuse(counts != (offset != nil), n, "a bound of a frame without its offset")
		return ast.FrameBound{Kind: kind, Offset: c.maybe(offset)}
	}
	c.refuse(true, n, "this bound of a frame")
	return ast.FrameBound{}
}
