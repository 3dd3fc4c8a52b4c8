package extent

import (
	"sync"

	"zproxy/types"
)

// Growth is what a process has written above the greatest values that the statistics of a table know of its columns,
// such as numbers and times that ever grow. Some of it may not be committed, or never be. It may be used by several
// goroutines, and a nil one is of nothing.
type Growth struct {
	mu   sync.Mutex
	tops map[uint32]Top
}

// Top is what was written above the greatest value of a column.
type Top struct {
	Rows  float64     // so many more than were deleted
	Value types.Value // the greatest one
}

// Add notes by how many rows a column has grown above its greatest value, or with less than 0 shrunk, and the greatest
// of their values, or NULL.
func (g *Growth) Add(column uint32, rows int, v types.Value) {
	if g == nil || rows == 0 && v.IsNull() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tops == nil {
		g.tops = map[uint32]Top{}
	}
	t := g.tops[column]
	t.Rows += float64(rows)
	t.Value = Greater(t.Value, v)
	g.tops[column] = t
}

// Greater is the greater one of two values, of which either may be NULL.
func Greater(a, b types.Value) types.Value {
	if a.IsNull() || !b.IsNull() && types.Compare(b, a) > 0 {
		return b
	}
	return a
}

// Top is what was written above the greatest value of a column.
func (g *Growth) Top(column uint32) Top {
	if g == nil {
		return Top{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tops[column]
}
