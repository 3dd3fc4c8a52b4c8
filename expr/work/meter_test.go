package work

import (
	"errors"
	"testing"

	"zproxy/sqlerr"
)

// Interrupt is asked at least once for every tickUnits of work, however it is cut.
func TestTickAsksBoundedOften(t *testing.T) {
	end := errors.New("end")
	for _, step := range []int{1, 7, 1000, tickUnits - 1, tickUnits, 10 * tickUnits} {
		c := &Meter{Interrupt: func() error { return end }}
		for done := 0; ; done += step {
			if err := c.Tick(step); err == end {
				break
			} else if err != nil || done > tickUnits {
				t.Fatalf("steps of %d: %v after %d units", step, err, done)
			}
		}
	}
}

type grown struct{ total int64 }

func (g *grown) Grow(bytes int64) error { g.total += bytes; return nil }

func TestMakeChargesWhatIsLarge(t *testing.T) {
	g := &grown{}
	c := &Meter{Memory: g}
	for _, n := range []int64{0, SmallBytes, SmallBytes + 1, 1 << 20} {
		if err := c.Make(n); err != nil {
			t.Fatal(err)
		}
	}
	if want := int64(SmallBytes + 1 + 1<<20); g.total != want {
		t.Errorf("charged %d, want %d", g.total, want)
	}
	if err := c.Make(maxBytes + 1); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
		t.Error(err)
	}
}
