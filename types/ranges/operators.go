package ranges

import "zproxy/sqlerr"

// Contains says whether all values of another range lie in a range.
func (r Range[V]) Contains(o Range[V]) bool {
	return o.Empty || !r.Empty && compareBounds(r.Lower, o.Lower, true, true) <= 0 &&
		compareBounds(r.Upper, o.Upper, false, false) >= 0
}

// Overlaps says whether two ranges have a value in common.
func (r Range[V]) Overlaps(o Range[V]) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Lower, o.Upper, true, false) <= 0 &&
		compareBounds(o.Lower, r.Upper, true, false) <= 0
}

// Before says whether all values of a range lie before those of another one.
func (r Range[V]) Before(o Range[V]) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Upper, o.Lower, false, true) < 0
}

// EndsWith says whether no value of a range lies behind another range.
func (r Range[V]) EndsWith(o Range[V]) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Upper, o.Upper, false, false) <= 0
}

// BeginsWith says whether no value of a range lies before another range.
func (r Range[V]) BeginsWith(o Range[V]) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Lower, o.Lower, true, true) >= 0
}

// Adjacent says whether there is nothing between two ranges, which have no value in common.
func (r Range[V]) Adjacent(o Range[V]) bool {
	return !r.Empty && !o.Empty && (touch(r.Upper, o.Lower) || touch(o.Upper, r.Lower))
}

// touch says whether an upper bound ends where a lower one begins.
func touch[V Value[V]](upper, lower Bound[V]) bool {
	return !upper.Infinite && !lower.Infinite && upper.Inclusive != lower.Inclusive &&
		upper.Value.Compare(lower.Value) == 0
}

// Union is all values of two ranges, which must overlap or touch.
func (r Range[V]) Union(o Range[V]) (Range[V], error) {
	switch {
	case r.Empty:
		return o, nil
	case o.Empty:
		return r, nil
	case !r.Overlaps(o) && !r.Adjacent(o):
		return Range[V]{}, sqlerr.New(sqlerr.DataException, "result of range union would not be contiguous")
	}
	return r.Merge(o), nil
}

// Merge is the smallest range that contains two ranges.
func (r Range[V]) Merge(o Range[V]) Range[V] {
	switch {
	case r.Empty:
		return o
	case o.Empty:
		return r
	}
	if compareBounds(o.Lower, r.Lower, true, true) < 0 {
		r.Lower = o.Lower
	}
	if compareBounds(o.Upper, r.Upper, false, false) > 0 {
		r.Upper = o.Upper
	}
	return r
}

// Intersect is the values that two ranges have in common.
func (r Range[V]) Intersect(o Range[V]) Range[V] {
	if !r.Overlaps(o) {
		return Range[V]{Empty: true}
	}
	if compareBounds(o.Lower, r.Lower, true, true) > 0 {
		r.Lower = o.Lower
	}
	if compareBounds(o.Upper, r.Upper, false, false) < 0 {
		r.Upper = o.Upper
	}
	return r
}

// other is a bound as one of the other side: where it ends something, another thing begins.
func (b Bound[V]) other() Bound[V] {
	b.Inclusive = !b.Inclusive
	return b
}

// Without is what is left of a range without another one: nothing, a range, or two.
func (r Range[V]) Without(o Range[V]) []Range[V] {
	if !r.Overlaps(o) {
		return []Range[V]{r}
	}
	var out []Range[V]
	if compareBounds(r.Lower, o.Lower, true, true) < 0 {
		out = append(out, Range[V]{Lower: r.Lower, Upper: o.Lower.other()})
	}
	if compareBounds(r.Upper, o.Upper, false, false) > 0 {
		out = append(out, Range[V]{Lower: o.Upper.other(), Upper: r.Upper})
	}
	return out
}

// Minus is Without where one range is left, or none.
func (r Range[V]) Minus(o Range[V]) (Range[V], error) {
	switch left := r.Without(o); len(left) {
	case 0:
		return Range[V]{Empty: true}, nil
	case 1:
		return left[0], nil
	}
	return Range[V]{}, sqlerr.New(sqlerr.DataException, "result of range difference would not be contiguous")
}

// Span is the smallest range that contains a multirange.
func (m Multirange[V]) Span() Range[V] {
	if len(m) == 0 {
		return Range[V]{Empty: true}
	}
	return m[0].Merge(m[len(m)-1])
}

// Contains says whether all values of another multirange lie in one.
func (m Multirange[V]) Contains(o Multirange[V]) bool {
	at := 0
	for _, r := range o {
		for at < len(m) && m[at].Before(r) {
			at++
		}
		if at == len(m) || !m[at].Contains(r) {
			return false
		}
	}
	return true
}

// Overlaps says whether two multiranges have a value in common.
func (m Multirange[V]) Overlaps(o Multirange[V]) bool { return len(m.Intersect(o)) > 0 }

// Intersect is the values that two multiranges have in common.
func (m Multirange[V]) Intersect(o Multirange[V]) (out Multirange[V]) {
	for i, j := 0, 0; i < len(m) && j < len(o); {
		if common := m[i].Intersect(o[j]); !common.Empty {
			out = append(out, common)
		}
		if compareBounds(m[i].Upper, o[j].Upper, false, false) < 0 {
			i++
		} else {
			j++
		}
	}
	return out
}

// Minus is what is left of a multirange without another one.
func (m Multirange[V]) Minus(o Multirange[V]) Multirange[V] {
	var out Multirange[V]
	for _, r := range m {
		left := []Range[V]{r}
		for _, gone := range o {
			last := len(left) - 1
			if last < 0 {
				break
			}
			left = append(left[:last], left[last].Without(gone)...)
		}
		out = append(out, left...)
	}
	return out
}

// Adjacent says whether a multirange ends where another one begins, with nothing between them.
func (m Multirange[V]) Adjacent(o Multirange[V]) bool {
	return len(m) > 0 && len(o) > 0 && (touch(m[len(m)-1].Upper, o[0].Lower) || touch(o[len(o)-1].Upper, m[0].Lower))
}
