package cells

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
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
// before: the row is always the same, with the same versions.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 3000 {
		l := layout(1 + r.IntN(3))
		writes := make([]types.Row, 1+r.IntN(6))
		for i := range writes {
			writes[i] = randomWrite(r, l)
		}
		want := ""
		for range 6 {
			row := merged(t, r, l, writes)
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
func layout(versions int) *Layout {
	return &Layout{Times: 3, Deleted: 4, Columns: []Column{{2, 1}, {5, 2}}, Versions: versions}
}

// randomWrite is a write of a few cells, of the row or of nothing but a delete.
func randomWrite(r *rand.Rand, l *Layout) types.Row {
	row := make(types.Row, 5)
	at := At(int64(r.IntN(4))) + Time(r.IntN(2))
	if r.IntN(4) == 0 {
		l.Put(row, State{Deleted: at})
		return row
	}
	var columns []uint32
	if r.IntN(2) == 0 {
		columns = append(columns, Row)
	}
	for _, c := range l.Columns {
		if r.IntN(3) > 0 {
			columns = append(columns, c.ID)
			row[c.Ordinal] = randomValue(r)
		}
	}
	if columns == nil {
		columns = []uint32{Row}
	}
	l.Put(row, Written(at, columns...))
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
func merged(t *testing.T, r *rand.Rand, l *Layout, writes []types.Row) types.Row {
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
		l.Merge(into, state(t, l, into), from, state(t, l, from))
	}
	return all[0]
}

func state(t *testing.T, l *Layout, row types.Row) State {
	t.Helper()
	s, err := l.State(row)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestVersions compares the versions that are left of random writes with those of the writes themselves.
func TestVersions(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 3000 {
		l := layout(1 + r.IntN(4))
		var writes []types.Row
		for range 1 + r.IntN(8) {
			writes = append(writes, randomWrite(r, l))
		}
		row := merged(t, r, l, writes)
		s := state(t, l, row)
		pick := Pick{Min: r.Int64N(3), Max: 2 + r.Int64N(3), Rank: r.Int64N(3)}
		pick.Most = 1 + r.Int64N(int64(l.Versions))
		picked := pick.State(&s)
		for _, c := range l.Columns {
			want := pickedOf(t, l, writes, c, pick)
			got := Version{Cell{c.ID, picked.Of(c.ID)}, pick.Value(&s, c.ID, row[c.Ordinal])}
			if text(got.Value) != text(want.Value) || got.At != want.At {
				t.Fatalf("%v by %+v: %v, want %v", writes, pick, got, want)
			}
		}
		rows := int64(0)
		for pick.Rank = 0; ; pick.Rank++ {
			if some := pick.State(&s); some.Gone() {
				break
			}
			rows++
		}
		if got := pick.Count(&s, []uint32{Row, 2, 5}); got != rows {
			t.Fatalf("%v by %+v: %d rows, want %d", writes, pick, got, rows)
		}
	}
}

// pickedOf is the version of a cell that is picked of writes: the greatest value of a time that is newer than all
// deletes.
func pickedOf(t *testing.T, l *Layout, writes []types.Row, c Column, p Pick) Version {
	t.Helper()
	values, deleted := map[Time]types.Value{}, Never
	for _, w := range writes {
		s := state(t, l, w)
		deleted = max(deleted, s.Deleted)
		if at := s.Of(c.ID); at != Never {
			if v, ok := values[at]; !ok || order(v, w[c.Ordinal]) < 0 {
				values[at] = w[c.Ordinal]
			}
		}
	}
	times := slices.SortedFunc(maps.Keys(values), func(a, b Time) int { return cmp.Compare(b, a) })
	times = slices.DeleteFunc(times, func(at Time) bool { return at <= deleted })
	times = times[:min(len(times), int(p.Most), l.Versions)]
	times = slices.DeleteFunc(times, func(at Time) bool { return at.Milli() < p.Min || at.Milli() >= p.Max })
	if int(p.Rank) >= len(times) {
		return Version{Cell: Cell{c.ID, Never}}
	}
	return Version{Cell{c.ID, times[p.Rank]}, values[times[p.Rank]]}
}

// TestNeverWritten picks a cell that was never written only before all times.
func TestNeverWritten(t *testing.T) {
	s := Written(At(5), Row)
	one := types.NewInt(1)
	for _, c := range []struct {
		pick Pick
		want bool
	}{
		{Pick{Min: Start, Max: 9, Most: 1}, true},
		{Pick{Min: Start, Max: 9, Most: 2, Rank: 1}, false},
		{Pick{Min: 0, Max: 9, Most: 1}, false},
	} {
		if got := c.pick.Value(&s, 2, one); got.IsNull() == c.want {
			t.Errorf("%+v: %v", c.pick, got)
		}
	}
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
			if r.IntN(20) == 0 {
				s.Older = append(s.Older, Version{Cell{c, At(r.Int64N(9))}, randomValue(r)})
			}
		}
		p := s.Append(nil)
		got, err := Decode(p)
		if err != nil || got.Deleted != s.Deleted || !slices.Equal(got.Cells, s.Cells) ||
			!bytes.Equal(got.Append(nil), p) {
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
