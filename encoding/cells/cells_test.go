package cells

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestMerge applies random writes of one row in random orders, some several times, and some merged with each other
// before: the row is always the same.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 3000 {
		writes := make([]types.Row, 1+r.IntN(6))
		for i := range writes {
			writes[i] = randomWrite(r)
		}
		want := ""
		for range 6 {
			row := merged(t, r, writes)
			got := fmt.Sprintf("%v %v %v %x", text(row[1]), text(row[2]), row[4].IsNull(), row[3].Bytes())
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%s and %s of %v", want, got, writes)
			}
		}
	}
}

// layout has a key, two cells, the times and the delete.
var layout = &Layout{Times: 3, Deleted: 4, Columns: []Column{{2, 1}, {5, 2}}}

// randomWrite is a write of a few cells, of the row or of nothing but a delete.
func randomWrite(r *rand.Rand) types.Row {
	row := make(types.Row, 5)
	at := At(int64(r.IntN(4))) + Time(r.IntN(2))
	if r.IntN(4) == 0 {
		layout.Put(row, State{Deleted: at})
		return row
	}
	var columns []uint32
	if r.IntN(2) == 0 {
		columns = append(columns, Row)
	}
	for _, c := range layout.Columns {
		if r.IntN(3) > 0 {
			columns = append(columns, c.ID)
			row[c.Ordinal] = randomValue(r)
		}
	}
	if columns == nil {
		columns = []uint32{Row}
	}
	layout.Put(row, Written(at, columns...))
	return row
}

// randomValue is NULL or a number, also of some that are equal and not the same.
func randomValue(r *rand.Rand) types.Value {
	switch r.IntN(4) {
	case 0:
		return types.Null
	case 1:
		return types.NewNumeric(apd.New(1, 0))
	case 2:
		return types.NewNumeric(apd.New(10, -1))
	}
	return types.NewNumeric(apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(big.NewInt(int64(r.IntN(3)))), 0))
}

func text(v types.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	return types.FormatText(v, types.Of(types.OIDNumeric), &types.Env{})
}

// merged is all writes in one row, some of them again, in any order and grouping.
func merged(t *testing.T, r *rand.Rand, writes []types.Row) types.Row {
	var all []types.Row
	for _, w := range writes {
		for range 1 + r.IntN(2) {
			all = append(all, slices.Clone(w))
		}
	}
	for len(all) > 1 {
		i := r.IntN(len(all))
		from := all[i]
		all = slices.Delete(all, i, i+1)
		into := all[r.IntN(len(all))]
		layout.Merge(into, state(t, into), from, state(t, from))
	}
	return all[0]
}

func state(t *testing.T, row types.Row) State {
	t.Helper()
	s, err := layout.State(row)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEncoding reads what it wrote.
func TestEncoding(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 1000 {
		s := State{Deleted: Time(r.Int64N(3) * math.MaxInt64 / 2)}
		if r.IntN(2) == 0 {
			s.Deleted = Never
		}
		for c := range uint32(r.IntN(300)) {
			if r.IntN(2) == 0 {
				s.Cells = append(s.Cells, Cell{c, At(r.Int64N(3)*1_700_000_000_000) + Time(r.IntN(2))})
			}
		}
		p := s.Append(nil)
		got, err := Decode(p)
		if err != nil || got.Deleted != s.Deleted || !slices.Equal(got.Cells, s.Cells) {
			t.Fatalf("%v: %v, %v", s, got, err)
		}
		for n := range min(len(p), 20) {
			_, _ = Decode(p[:n]) // which must not panic
		}
	}
}

// TestNext comes after all writes without a time of their own, and not after others.
func TestNext(t *testing.T) {
	s := Written(At(10)+3, 1)
	s.Cells = append(s.Cells, Cell{2, At(99)})
	for _, c := range []struct {
		milli int64
		want  Time
	}{{9, At(10) + 4}, {10, At(10) + 4}, {11, At(11) + 1}} {
		if got := s.Next(c.milli); got != c.want {
			t.Errorf("in %d: %d, want %d", c.milli, got, c.want)
		}
	}
	s.Deleted = At(11) - 1
	if got := s.Next(1); got != At(11)+1 {
		t.Errorf("at the end of a millisecond: %d", got)
	}
	if At(12).Milli() != 12 || (At(12)+perMilli-1).Milli() != 12 {
		t.Error("milliseconds")
	}
}
