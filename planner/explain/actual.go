package explain

import (
	"fmt"
	"strings"
	"time"
)

// actual is what ANALYZE adds to a node's title.
type actual struct {
	loops   int64
	rows    numeral       // of one run, on average
	first   time.Duration // until the first rows of the first run
	total   time.Duration // of all runs
	shown   int64         // the printed time of one run, in units of its last digit
	untimed bool          // no times are printed
}

// actual is what the node of a preorder number took, nil if nothing was measured.
func (x *explainer) actual(number int) *actual {
	p := x.Profile.Node(number)
	switch {
	case p == nil:
		return nil
	case p.Loops == 0:
		return &actual{rows: "0", untimed: x.Untimed}
	}
	rows := numeral(fmt.Sprintf("%.0f", float64(p.Rows)/float64(p.Loops)))
	return &actual{loops: p.Loops, rows: rows, first: min(p.First, p.Time), total: p.Time, untimed: x.Untimed}
}

// kept is what it took to have rows there before the first of them is asked for.
func (a *actual) kept() *actual {
	if a == nil {
		return nil
	}
	out := *a
	out.first = out.total
	return &out
}

// digits is how many digits of milliseconds are printed of one run, so that the time of all runs is printed to the
// microsecond: tools multiply.
func (a *actual) digits() int {
	out := 3
	for n := a.loops; n > 1 && out < picoDigits; n = (n + 9) / 10 {
		out++
	}
	return out
}

// unit is the last digit that is printed, in picoseconds.
func (a *actual) unit() int64 {
	unit := int64(1)
	for range picoDigits - a.digits() {
		unit *= 10
	}
	return unit
}

const (
	picosecond = 1000 // of them a nanosecond has
	picoDigits = 9    // of milliseconds
)

// agree rounds the times of a node and of those below it, so that the nodes below take no longer together than the node
// itself: tools subtract. It gives the printed time of all runs, in picoseconds.
func (d *described) agree() int64 {
	var sum int64
	var below time.Duration
	for i := range d.plans {
		in := &d.plans[i]
		took := in.agree()
		if in.actual != nil && !strings.HasPrefix(in.subplan, "CTE ") { // which are read by other nodes
			sum, below = sum+took, below+in.actual.total
		}
	}
	a := d.actual
	if a == nil || a.loops == 0 {
		return sum
	}
	step, need := a.unit()*a.loops, int64(a.total)*picosecond
	a.shown = (need + step/2) / step
	if a.total >= below && a.shown*step < sum {
		a.shown = (sum + step - 1) / step
	}
	return a.shown * step
}

// times are those of one run: until the first rows, and all of it.
func (a *actual) times() (first, all numeral) {
	early := min(a.first, a.total/time.Duration(max(1, a.loops)))
	show := func(n int64) numeral {
		return numeral(fmt.Sprintf("%.*f", a.digits(), float64(n*a.unit())/1e9))
	}
	return show(min(int64(early)*picosecond/a.unit(), a.shown)), show(a.shown)
}

// text stands behind the title.
func (a *actual) text() string {
	switch {
	case a == nil:
		return ""
	case a.loops == 0:
		return " (never executed)"
	case a.untimed:
		return fmt.Sprintf(" (actual rows=%s loops=%d)", a.rows, a.loops)
	}
	first, all := a.times()
	return fmt.Sprintf(" (actual time=%s..%s rows=%s loops=%d)", first, all, a.rows, a.loops)
}

func (a *actual) group() group {
	if a == nil {
		return nil
	}
	counts := group{unsaid("Actual Rows", a.rows), counted("Actual Loops", a.loops)}
	if a.untimed {
		return counts
	}
	first, all := a.times()
	return append(group{unsaid("Actual Startup Time", first), unsaid("Actual Total Time", all)}, counts...)
}
