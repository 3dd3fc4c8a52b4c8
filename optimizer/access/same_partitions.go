package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// keyBounds is what the spans of a scan demand of the columns of its key.
type keyBounds struct {
	table  *catalog.Table
	layout *catalog.Layout
	bounds []plan.Bound
}

// ReadsPartitions says whether a scan of a table of another program reads ranges of single partitions, and no more than
// what it finds there.
func ReadsPartitions(s plan.Scan) bool {
	a := s.Access
	spans, ok := a.Spans()
	return ok && s.Table.Foreign != nil && !s.Write && s.Marked == 0 && a.Lookup == nil && a.Merge == nil &&
		len(spans.Sides) == 1 && spans.Skip == 0 && spans.Sides[0].Tuple == nil &&
		spans.Parts() >= len(s.Layout().Partition)
}

// SamePartitions says whether two scans that ReadsPartitions is true of read the same partitions of one table or index,
// and ranges there that go on with all items of a kind behind what they have in common.
func SamePartitions(a, b plan.Scan) bool {
	f, g, x, y := a.Table.Foreign, b.Table.Foreign, a.Access.Index(), b.Access.Index()
	if a.Table.ID == b.Table.ID || f.Table != g.Table || f.Server != g.Server || (x == nil) != (y == nil) ||
		x != nil && x.Foreign.Name != y.Foreign.Name {
		return false
	}
	p, q := newKeyBounds(a), newKeyBounds(b)
	if !p.sameParts(p.layout.Partition, q, q.layout.Partition) {
		return false
	}
	left, right := pieces(p.layout.Sort), pieces(q.layout.Sort)
	for len(left) > 0 && len(right) > 0 && p.same(&left[0], q, &right[0]) {
		left, right = left[1:], right[1:]
	}
	return !p.any(left) && !q.any(right)
}

// Bounds says whether the spans of a scan are bound by a column, or the column is none of the key.
func Bounds(s plan.Scan, column uint32) bool {
	of := newKeyBounds(s)
	return of.terms(column) != nil || !slices.Contains(of.layout.Columns(), column)
}

// pieces are parts of a key, and in place of texts what these are joined from.
func pieces(parts []part.Part) (out []part.Part) {
	for _, p := range parts {
		if p.Kind == part.Text {
			out = append(out, p.Pieces...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// newKeyBounds are those of a scan that reads spans of one side.
func newKeyBounds(s plan.Scan) keyBounds {
	spans, _ := s.Access.Spans()
	return keyBounds{s.Table, s.Layout(), spans.Bounds()}
}

// terms are what is demanded of a column, nil for nothing.
func (k keyBounds) terms(column uint32) []plan.Term {
	i := slices.IndexFunc(k.bounds, func(b plan.Bound) bool { return b.Column == column })
	if i < 0 {
		return nil
	}
	return k.bounds[i].Terms
}

// any says whether something is demanded of a column of some parts.
func (k keyBounds) any(parts []part.Part) bool {
	return slices.ContainsFunc(parts, func(p part.Part) bool {
		return slices.ContainsFunc(p.Columns(), func(id uint32) bool { return k.terms(id) != nil })
	})
}

// sameParts says whether parts have the same values in all rows of both scans.
func (k keyBounds) sameParts(mine []part.Part, other keyBounds, theirs []part.Part) bool {
	return slices.EqualFunc(mine, theirs, func(p, q part.Part) bool { return k.same(&p, other, &q) })
}

// same is sameParts for one part.
func (k keyBounds) same(mine *part.Part, other keyBounds, theirs *part.Part) bool {
	switch {
	case mine.Kind != theirs.Kind:
		return false
	case mine.Kind == part.Literal:
		return mine.Text == theirs.Text
	case mine.Kind == part.Text:
		return k.sameParts(mine.Pieces, other, theirs.Pieces)
	}
	return mine.Kind == part.Column && mine.Width == theirs.Width && mine.Format == theirs.Format &&
		k.typeOf(mine.Column).Same(other.typeOf(theirs.Column)) &&
		equalTerms(k.terms(mine.Column), other.terms(theirs.Column))
}

func (k keyBounds) typeOf(column uint32) types.T {
	return k.table.Columns[k.table.Ordinal(column)].Type
}

// equalTerms says whether both demand the same single values, or some of the same.
func equalTerms(a, b []plan.Term) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(s, t plan.Term) bool {
		single := s.Op == plan.TermEQ || s.Op == plan.TermIn || s.Op == plan.TermAny
		return single && s.Op == t.Op && s.Image == nil && t.Image == nil && s.Area == nil && t.Area == nil &&
			slices.EqualFunc(s.Args, t.Args, expr.Equal)
	})
}
