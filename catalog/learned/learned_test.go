package learned

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

func judge(c *Cell, conditions string, thought, came float64) {
	c.Judge(func() string { return conditions }, thought, came)
}

func TestCorrects(t *testing.T) {
	var c Cell
	judge(&c, "a = $", 10, 1000)
	judge(&c, "a = $", 10, 500)
	judge(&c, "a = $", 10, 2000)
	if c.Version() != 0 || c.Factor("a = $") != 1 {
		t.Error("three runs are not enough")
	}
	judge(&c, "a = $", 10, 600)
	if got := c.Factor("a = $"); math.Abs(got-50) > 1e-9 {
		t.Errorf("got %g", got)
	}
	before := c.Version()
	judge(&c, "a = $", 10, 450) // nearly the same
	if c.Version() != before {
		t.Error("a small change made plans anew")
	}
	judge(&c, "a = $", 10, 10)
	if c.Factor("a = $") != 1 || c.Version() == before || c.Corrections() != nil {
		t.Error("a run that was right leaves a correction")
	}
}

func TestForgets(t *testing.T) {
	var c Cell
	for range enough {
		judge(&c, "a < $", 1000, 3)
	}
	if list := c.Corrections(); len(list) != 1 || list[0].Runs != enough || list[0].Conditions != "a < $" {
		t.Errorf("got %v", list)
	}
	before := c.Version()
	if n := c.Forget(); n != 1 || c.Factor("a < $") != 1 || c.Version() == before {
		t.Errorf("%d, version %d", n, c.Version())
	}
}

func TestMakesRoom(t *testing.T) {
	var c Cell
	for i := range 2 * most {
		for range enough {
			judge(&c, fmt.Sprint(i), 1, 100)
		}
	}
	if list := c.Corrections(); len(list) != most || c.Factor("0") != 1 || c.Factor(fmt.Sprint(2*most-1)) < 99 {
		t.Errorf("%d are left", len(list))
	}
}

// TestNeverWorse corrects by random runs: no estimate of the runs that are kept gets worse by it.
func TestNeverWorse(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 2000 {
		var c Cell
		var runs [][2]float64
		spread := random.Float64() * 8
		for range 1 + random.IntN(12) {
			run := [2]float64{math.Ceil(random.Float64() * 1000), math.Floor(math.Exp(random.NormFloat64() + spread))}
			judge(&c, "x", run[0], run[1])
			if runs = append(runs, run); len(runs) == 1 && len(c.sets) == 0 {
				runs = nil // not kept: it was right
			}
		}
		factor := c.Factor("x")
		for _, run := range runs[max(0, len(runs)-window):] {
			wrong := func(thought float64) float64 {
				return math.Abs(math.Log(math.Max(1, thought) / math.Max(1, run[1])))
			}
			if wrong(run[0]*factor) > wrong(run[0])+math.Log(moved)+1e-9 {
				t.Fatalf("%v: corrected by %g", runs, factor)
			}
		}
	}
}

func TestNilHoldsNothing(t *testing.T) {
	var c *Cell
	judge(c, "x", 1, 100)
	if c.Version() != 0 || c.Factor("x") != 1 || c.Corrections() != nil || c.Forget() != 0 {
		t.Error("a nil cell holds something")
	}
}
