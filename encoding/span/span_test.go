package span

import (
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/types"
)

func newRand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

// top is the highest value that the tests try, from -1 on; bounds are between.
const top = 9

// randomInterval has ends from 0 to 8, some of them open or without a bound.
func randomInterval(r *rand.Rand) Interval {
	i := Interval{Low: types.NewInt(int64(r.IntN(top))), High: types.NewInt(int64(r.IntN(top)))}
	i.LowOpen, i.HighOpen = r.IntN(2) == 0, r.IntN(2) == 0
	if r.IntN(6) == 0 {
		i.Low, i.LowOpen = types.Null, false
	}
	if r.IntN(6) == 0 {
		i.High, i.HighOpen = types.Null, false
	}
	return i
}

// holds is what an interval holds, by definition.
func holds(i Interval, v int64) bool {
	above := i.Low.IsNull() || v > i.Low.Int() || v == i.Low.Int() && !i.LowOpen
	below := i.High.IsNull() || v < i.High.Int() || v == i.High.Int() && !i.HighOpen
	return above && below
}

// contents is which of NULL and the values from -1 to top are in a set.
func contents(s Set) (in [top + 3]bool) {
	in[0] = s.Contains(types.Null)
	for i := range top + 2 {
		in[i+1] = s.Contains(types.NewInt(int64(i - 1)))
	}
	return in
}

// randomSet is points, or some intervals apart from each other, and what it must contain.
func randomSet(r *rand.Rand) (s Set, want [top + 3]bool) {
	if r.IntN(3) == 0 {
		values := []types.Value{types.Null}
		for range r.IntN(4) {
			v := int64(r.IntN(top))
			values, want[v+2] = append(values, types.NewInt(v)), true
		}
		return Points(values...), want
	}
	s.Null = r.IntN(2) == 0
	want[0] = s.Null
	at := int64(0) // below it everything is taken
	for at < top && r.IntN(4) > 0 {
		i := randomInterval(r)
		if i.empty() || !i.Low.IsNull() && i.Low.Int() < at || i.Low.IsNull() && at > 0 {
			continue
		}
		at = top
		if !i.High.IsNull() {
			at = i.High.Int() + 1
		}
		s.Intervals = append(s.Intervals, i)
		for v := int64(-1); v <= top; v++ {
			want[v+2] = want[v+2] || holds(i, v)
		}
	}
	return s, want
}

func TestSetsHoldWhatTheyShould(t *testing.T) {
	r := newRand(t)
	for range 3000 {
		a, inA := randomSet(r)
		b, inB := randomSet(r)
		if contents(a) != inA {
			t.Fatalf("%+v holds %v, want %v", a, contents(a), inA)
		}
		both := a.Intersect(b)
		for i, in := range contents(both) {
			if in != (inA[i] && inB[i]) {
				t.Fatalf("%+v and %+v meet in %+v", a, b, both)
			}
		}
		checkSet(t, both)
		one, within := a.Union(b), true
		for i, in := range contents(one) {
			if in != (inA[i] || inB[i]) {
				t.Fatalf("%+v and %+v unite to %+v", a, b, one)
			}
			within = within && (!inA[i] || inB[i])
		}
		checkSet(t, one)
		for i, in := range contents(a.Complement()) {
			if in == inA[i] {
				t.Fatalf("%+v without is %+v", a, a.Complement())
			}
		}
		checkSet(t, a.Complement())
		if a.Within(b) && !within || !a.Within(a) || !a.Within(one) || !both.Within(a) {
			t.Fatalf("%+v within %+v: %t", a, b, a.Within(b))
		}
	}
}

// checkSet wants intervals that hold something, in ascending order, apart.
func checkSet(t *testing.T, s Set) {
	t.Helper()
	points := true
	for i, in := range s.Intervals {
		if in.empty() {
			t.Fatalf("%+v holds an empty interval", s)
		}
		points = points && in.Point()
		if i == 0 {
			continue
		}
		before := s.Intervals[i-1]
		c := types.Compare(before.High, in.Low)
		if c > 0 || c == 0 && !before.HighOpen && !in.LowOpen {
			t.Fatalf("the intervals of %+v are not apart", s)
		}
	}
	if s.Discrete() != points {
		t.Fatalf("%+v: Discrete is %t", s, s.Discrete())
	}
	if len(s.Intervals) > 0 {
		hull := s.Hull()
		for v := int64(-1); v <= top; v++ {
			if s.Contains(types.NewInt(v)) && !hull.Contains(types.NewInt(v)) {
				t.Fatalf("the hull of %+v leaves %d out", s, v)
			}
		}
	}
}

func TestIntervals(t *testing.T) {
	r := newRand(t)
	for range 1000 {
		i := randomInterval(r)
		s := Of(i)
		some := false
		for v := int64(-1); v <= top; v++ {
			if got := s.Contains(types.NewInt(v)); got != holds(i, v) {
				t.Fatalf("%+v holds %d: %t", i, v, got)
			}
			some = some || holds(i, v)
		}
		if some && s.Empty() {
			t.Fatalf("%+v is taken to be empty", i)
		}
		checkSet(t, s.Intersect(NotNull))
		checkSet(t, s.Intersect(Everything))
	}
}

func TestEnds(t *testing.T) {
	for _, test := range []struct {
		name             string
		set              Set
		empty, all, null bool
		discrete         bool
	}{
		{"everything", Everything, false, true, true, false},
		{"not null", NotNull, false, false, false, false},
		{"only null", OnlyNull, false, false, true, true},
		{"nothing", Set{}, true, false, false, true},
		{"points of nothing", Points(types.Null), true, false, false, true},
		{"points", Points(types.NewInt(2), types.NewInt(1), types.NewInt(2)), false, false, false, true},
		{"both", Everything.Intersect(Everything), false, true, true, false},
		{"none", NotNull.Intersect(OnlyNull), true, false, false, true},
	} {
		s := test.set
		if s.Empty() != test.empty || s.IsEverything() != test.all || s.Contains(types.Null) != test.null ||
			s.Discrete() != test.discrete {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
	if n := len(Points(types.NewInt(2), types.NewInt(1), types.NewInt(2)).Intervals); n != 2 {
		t.Errorf("%d points of 2, 1, 2", n)
	}
}
