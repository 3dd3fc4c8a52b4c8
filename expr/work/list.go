package work

import (
	"slices"
	"unsafe"

	"zproxy/types"
	"zproxy/types/form"
)

// List is a list that grows without being copied, since copying a long one takes long and nothing
// ends it.
type List[T any] struct {
	full [][]T
	last []T
}

// chunkItems is the length of the chunks but the first, which begins small.
const chunkItems = 16 << 10

// Add appends a value.
func (l *List[T]) Add(v T) {
	if len(l.last) == chunkItems {
		l.full = append(l.full, l.last)
		l.last = make([]T, 0, chunkItems)
	}
	l.last = append(l.last, v)
}

// Len is how many values there are.
func (l *List[T]) Len() int { return len(l.full)*chunkItems + len(l.last) }

// All is the whole list, which stays as it is.
func (l *List[T]) All(c form.Work) ([]T, error) {
	if l.full == nil {
		return slices.Clip(l.last), nil
	}
	var v T
	if err := c.Make(int64(l.Len()) * int64(unsafe.Sizeof(v))); err != nil {
		return nil, err
	}
	out := make([]T, 0, l.Len())
	for _, chunk := range append(slices.Clip(l.full), l.last) {
		if err := c.Tick(len(chunk) * int(unsafe.Sizeof(v))); err != nil {
			return nil, err
		}
		out = append(out, chunk...)
	}
	return out, nil
}

// Values gathers values. It keeps the first error, and takes nothing more then.
type Values struct {
	m    *Meter
	list List[types.Value]
	Err  error
}

// All is what was gathered.
func (i *Values) All() ([]types.Value, error) {
	if i.Err != nil {
		return nil, i.Err
	}
	return i.list.All(i.m)
}

// ItemBytes is the memory of a value.
const ItemBytes = int(unsafe.Sizeof(types.Value{}))

// MakeItems is Make for a list of values.
func (m *Meter) MakeItems(n int) error { return m.Make(int64(n) * int64(ItemBytes)) }

// Join is the items of several lists one after the other, in a list of their own. They are copied in pieces, between
// which the statement can end.
func Join(c form.Work, lists ...[]types.Value) ([]types.Value, error) {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if err := c.Make(int64(n) * int64(ItemBytes)); err != nil {
		return nil, err
	}
	out := make([]types.Value, 0, n)
	for _, list := range lists {
		for piece := range slices.Chunk(list, PieceBytes/ItemBytes) {
			if err := c.Tick(len(piece) * ItemBytes); err != nil {
				return nil, err
			}
			out = append(out, piece...)
		}
	}
	return out, nil
}

// Add takes a value, and says whether it takes another.
func (i *Values) Add(v types.Value) bool {
	if i.Err == nil {
		i.Err = i.m.Grow(ItemBytes)
	}
	if i.Err == nil {
		i.list.Add(v)
	}
	return i.Err == nil
}

// NewValues begins a list of values.
func (m *Meter) NewValues() Values { return Values{m: m} }

// CompareUnits is the work of comparing two elements.
const CompareUnits = 16
