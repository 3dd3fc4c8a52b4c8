package access

import (
	"slices"

	"zproxy/catalog/part"
	"zproxy/types"
)

// counts is what is known of one part when a statement is planned: of each column how many values
// there are, or only that there is an interval. It implements part.Known.
type counts struct {
	*walk
	part   part.Bound
	named  bool // the part must have single values
	inText bool // a piece of a text is looked at
	single stop // the single values of the part, as far as they are known
	among  stop // what the value is among, where there are none
}

// take binds columns that conditions bind to points. It says how many together, and false
// if one has none.
func (k *counts) take(of ...part.Source) (points int, ok bool) {
	points = 1
	for i := range of {
		if slices.Contains(k.bound, of[i].ID) {
			continue
		}
		s := k.shapeOf(of[i].ID)
		if s.points == 0 {
			return 0, false
		}
		points *= s.points
	}
	for i := range of {
		k.bound = append(k.bound, of[i].ID)
	}
	return points, true
}

// takes multiplies the values by those of columns that are bound to points, if they all are.
func (k *counts) takes(of ...part.Source) bool {
	n, ok := k.take(of...)
	if ok {
		k.single.points *= n
		k.narrow(of...)
	}
	return ok
}

// narrow says that conditions on columns narrow the part.
func (k *counts) narrow(of ...part.Source) {
	k.single.narrowed = true
	for i := range of {
		k.single.columns = append(k.single.columns, of[i].ID)
	}
}

// countOut says that intervals of columns are to be counted out, if they all may be.
func (k *counts) countOut(of ...part.Source) bool {
	if slices.ContainsFunc(of, func(s part.Source) bool { return !k.mayCount(s.ID) }) {
		return false
	}
	k.counted(of...)
	return true
}

// counted says that intervals of columns are counted out.
func (k *counts) counted(of ...part.Source) {
	k.single.counted = true
	k.narrow(of...)
}

// Column implements part.Known. An interval says all that there is to say, unless each value must be named.
func (k *counts) Column(c *part.Bound) bool {
	if k.takes(c.Source) {
		k.single.equal++
		if !k.inText {
			k.single.exact = k.single.columns
		}
		return true
	}
	if k.inText {
		return k.countOut(c.Source)
	}
	shape, of := k.shapeOf(c.ID), []uint32{c.ID}
	switch weak := !shape.interval; {
	case weak && (k.named || !shape.weak):
		return false
	case k.named:
		k.single.exact = of
		return k.countOut(c.Source)
	default:
		k.among = stop{interval: true, weak: weak, narrowed: true, columns: of, exact: of}
		return false
	}
}

// Points implements part.Known.
func (k *counts) Points(of []part.Source, _ part.Computed) bool { return k.takes(of...) }

// Values implements part.Known.
func (k *counts) Values(of []part.Source, _ part.Computed) bool {
	return k.takes(of...) || k.countOut(of...)
}

// Fewer implements part.Known. More values than a walk has spans are not computed.
func (k *counts) Fewer(_ int, of []part.Source, _ part.Computed) bool {
	before := k.bound
	n, ok := k.take(of...)
	if !ok || n >= maxPoints {
		k.bound = before
		return false
	}
	k.single.points *= n
	k.narrow(of...)
	return true
}

// Units implements part.Known. An interval may touch few units, however many values it has. Of a part an
// interval of units is known, too.
func (k *counts) Units(of *part.Source, _ part.Units) bool {
	if !k.inText {
		if !k.shapeOf(of.ID).interval {
			return false
		}
		k.among = stop{interval: true, narrowed: true, columns: []uint32{of.ID}}
		k.single.ranges = !k.named
	}
	if !k.ended(of.ID) {
		return false
	}
	k.counted(*of)
	return true
}

// Nothing implements part.Known.
func (k *counts) Nothing() bool { return false }

// Drawn implements part.Known.
func (k *counts) Drawn(_ *part.Source, n int) bool { return k.Each(n, nil) }

// Each implements part.Known.
func (k *counts) Each(n int, _ func(int) types.Value) bool {
	k.single.points *= n
	return true
}

// Spread implements part.Known.
func (k *counts) Spread(s *part.Spread) bool {
	if k.Fewer(0, s.Of(), s) {
		return true
	}
	k.single.points, k.single.spread = max(k.before, 1), s
	return true
}

// Possible implements part.Known: reading all that is possible is no path of its own.
func (k *counts) Possible(int, []part.Source, func(int) types.Value) bool { return false }

// Piece implements part.Known. What is known of a text by the single values of its first pieces, and by
// an interval of the piece behind them, is kept until a piece is counted out.
func (k *counts) Piece(t *part.Joined, i int) bool {
	k.inText, k.single.text = true, true
	if !k.single.counted {
		k.begin(t, i)
	}
	p, counted := t.Piece(i), k.single.counted
	if !p.Take(k) {
		return false
	}
	// Where other kinds of items lie, the same text in all keys of this one leaves theirs out.
	k.single.narrowed = k.single.narrowed || p.Literal() != "" && k.scan.Table.Foreign != nil
	if _, ordered := t.Ordered(i); ordered && !counted && k.single.counted && t.Ends(i) {
		k.single.ranges = !k.named
	}
	if id, ok := p.Kept(); ok {
		k.single.exact = append(k.single.exact, id)
	}
	return true
}

// begin says that the text begins with the pieces before i.
func (k *counts) begin(t *part.Joined, i int) {
	s := k.single
	s.interval, s.exact = s.narrowed, nil
	if column, ok := t.Ordered(i); ok && k.shapeOf(column.ID).interval {
		s.interval, s.narrowed = true, true
		s.columns = append(slices.Clip(s.columns), column.ID)
	}
	k.among = s
}

// Begins implements part.Known.
func (k *counts) Begins(*part.Joined, int) bool { return false }

// Whole implements part.Known.
func (k *counts) Whole(*part.Joined) bool { return true }
