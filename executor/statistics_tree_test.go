package executor

import (
	"math"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/types"
)

// TestTree adds up partitions of which one is sampled, one is not, and one is empty.
func TestTree(t *testing.T) {
	const columns = "id int4, a int4, b int4"
	var large, small [][]types.Value
	for i := range 60_000 {
		large = append(large, row(i, i%10, i))
	}
	for i := range 20_000 {
		v := row(60_000+i, 100+i, i)
		if i%2 == 0 {
			v[2] = types.Null
		}
		small = append(small, v)
	}
	whole := Reading{}.Whole(surveyed(t, columns, nil).table)
	for _, rows := range [][][]types.Value{large, nil, small} {
		whole.Add(surveyed(t, columns, rows))
	}
	whole.SumUp()
	s := whole.Stats
	if !s.Known || s.Rows != 80_000 || whole.Rows != 80_000 || len(whole.sample) > sampleRows {
		t.Errorf("%g rows, of which %d were read and %d sampled", s.Rows, whole.Rows, len(whole.sample))
	}
	of := len(whole.Sample(2)) / 4
	ofSmall := slices.DeleteFunc(whole.Sample(2), func(v types.Value) bool { return v.Int() < 100 })
	if n := len(ofSmall); n < of-1 || n > of+1 {
		t.Errorf("%d of the sample are of the small partition", n)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("%s: %g instead of %g", what, got, want)
		}
	}
	near("keys", s.Columns[1].Distinct, 80_000)
	near("values", s.Columns[2].Distinct, 20_010)
	near("values that come again", s.Columns[3].Distinct, 60_000)
	near("nulls", s.Columns[3].Nulls, 1./8)
	if c := s.Columns[2]; len(c.Common) != 10 || c.Min.Int() != 0 || c.Max.Int() != 20_099 {
		t.Errorf("%d common values between %v and %v", len(c.Common), c.Min, c.Max)
	} else {
		near("a common value", c.Common[0].Share, 3./40)
	}
}

// TestTreeOfParts adds up partitions of which parts were read: of one column each part has values of its own, of the
// other one the same ones.
func TestTreeOfParts(t *testing.T) {
	whole := Reading{}.Whole(surveyed(t, "id int4, a int4", nil).table)
	for _, first := range []int{0, 3000} {
		var rows [][]types.Value
		for i := range 3000 {
			rows = append(rows, row(first+i, i%5))
		}
		s := surveyed(t, "id int4, a int4", rows)
		s.Parts, s.Of, s.Stats.Rows = 100, 1000, 30_000
		s.all[1] = catalog.ColumnStats{Distinct: 30_000}
		whole.Add(s)
	}
	whole.SumUp()
	if n := whole.Stats.Columns[1].Distinct; n < 57_000 || n > 60_000 {
		t.Errorf("%g keys", n)
	}
	if n := whole.Stats.Columns[2].Distinct; n != 5 {
		t.Errorf("%g values", n)
	}
}
