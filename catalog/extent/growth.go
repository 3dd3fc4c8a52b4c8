package extent

import (
	"maps"
	"sync"

	"zproxy/types"
)

// Growth is what was written of a table beyond the values that its statistics know of its columns, such as numbers and
// times that ever grow: by this process, and by others as far as it has seen what they have stored. Some of it may not
// be committed, or never be. It may be used by several goroutines, and a nil one is of nothing.
type Growth struct {
	mu      sync.Mutex
	unsaved map[uint32]Tails
	saved   map[uint32]Tails // what is stored, as it was seen last
}

// Tails are the rows written beyond the least and the greatest value of a column.
type Tails struct{ Below, Above Tail }

// Tail is the rows beyond one end.
type Tail struct {
	Rows  float64     // so many more than were deleted
	Value types.Value // the farthest one; NULL: it is not known
}

// Note counts rows whose value lies below or above, or with less than 0 takes them back.
func (t *Tails) Note(end, rows int, v types.Value) {
	if end < 0 {
		t.Below.add(Tail{Rows: float64(rows), Value: v}, end)
	} else {
		t.Above.add(Tail{Rows: float64(rows), Value: v}, end)
	}
}

// Add adds other rows.
func (t *Tails) Add(o Tails) {
	t.Below.add(o.Below, -1)
	t.Above.add(o.Above, +1)
}

// without takes rows back. What they have had as values stays known.
func (t Tails) without(o Tails) Tails {
	t.Below.Rows -= o.Below.Rows
	t.Above.Rows -= o.Above.Rows
	return t
}

func (t *Tail) add(o Tail, end int) {
	t.Rows += o.Rows
	if t.Value.IsNull() || !o.Value.IsNull() && types.Compare(o.Value, t.Value)*end > 0 {
		t.Value = o.Value
	}
}

// Add notes what was written beyond the ends of a column.
func (g *Growth) Add(column uint32, t Tails) {
	if g == nil || t == (Tails{}) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unsaved = with(g.unsaved, column, t)
}

// Of is what was written beyond the ends of a column.
func (g *Growth) Of(column uint32) Tails {
	if g == nil {
		return Tails{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.saved[column]
	t.Add(g.unsaved[column])
	return t
}

// Unsaved is what of it is not stored.
func (g *Growth) Unsaved() map[uint32]Tails {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.unsaved)
}

// Saved notes the sum that is stored, of which a part was Unsaved before.
func (g *Growth) Saved(part, sum map[uint32]Tails) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for column, t := range part {
		g.unsaved[column] = g.unsaved[column].without(t)
	}
	g.saved = sum
}

// Sum is two such lists together.
func Sum(a, b map[uint32]Tails) map[uint32]Tails {
	out := maps.Clone(a)
	for column, t := range b {
		out = with(out, column, t)
	}
	return out
}

// with adds rows to a list, which may be nil.
func with(list map[uint32]Tails, column uint32, t Tails) map[uint32]Tails {
	if list == nil {
		list = map[uint32]Tails{}
	}
	sum := list[column]
	sum.Add(t)
	list[column] = sum
	return list
}
