package metrics

import (
	"math"
	"testing"
	"time"
)

// TestJudged holds what is kept of how right estimates were: the geometric mean of the factors, up or down, of calls
// that did not fail and of which something was expected.
func TestJudged(t *testing.T) {
	var s Statement
	call := func(expected bool, thought float64, came int64, state string) {
		r := Run{State: state, Expected: expected, ExpectedRows: thought, ExpectedUnits: 2}
		r.Usage[RowsReturned] = came
		s.add(&r, time.Unix(0, 0))
	}
	if s.Judged.QError() != 1 {
		t.Errorf("no call is off by %g", s.Judged.QError())
	}
	call(true, 100, 10, "")
	call(true, 10, 1000, "")
	call(true, 0.2, 0, "") // both count as a row
	call(true, 1000, 1, "40001")
	call(false, 0, 5000, "")
	if got, want := s.Judged.QError(), math.Pow(10*100*1, 1./3); math.Abs(got-want) > 1e-9 {
		t.Errorf("they are off by %g, want %g", got, want)
	}
	if s.Calls != 5 || s.Judged.Calls != 3 || s.Judged.Rows != 110.2 || s.Judged.Units != 6 {
		t.Errorf("%d calls, judged %+v", s.Calls, s.Judged)
	}
}
