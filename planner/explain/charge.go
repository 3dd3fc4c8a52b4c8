package explain

import (
	"fmt"
	"math"

	"zproxy/optimizer/cost"
	"zproxy/store"
)

// chargeText shows a charge.
func chargeText(c cost.Charge) string {
	out := count(c.Requests, "request")
	if c.ReadUnits > 0 {
		out += ", ~" + units(c.ReadUnits, "read")
	}
	return out + ", ~" + units(c.WriteUnits, "write")
}

// totalText shows the charge of a whole statement.
func totalText(c cost.Charge) string {
	out := "~" + count(c.Requests, "request") + ", ~" + units(c.ReadUnits, "read")
	if c.WriteUnits > 0 {
		out += ", ~" + units(c.WriteUnits, "write")
	}
	return out
}

// charges are the numbers of a charge for programs.
func charges(which string, c cost.Charge) group {
	return group{unsaid(which+" Requests", printed(c.Requests, 0)),
		unsaid(which+" Read Units", printed(halves(c.ReadUnits), 1)),
		unsaid(which+" Write Units", printed(halves(c.WriteUnits), 1))}
}

// halves rounds a number of units to what units are counted in.
func halves(n float64) float64 { return math.Round(2*n) / 2 }

// charged shows what a statement was charged.
func charged(s *store.Stats) string {
	line := count(float64(s.Requests), "request") + ", " + units(s.ReadUnits, "read")
	if s.WriteUnits > 0 {
		line += ", " + units(s.WriteUnits, "write")
	}
	if s.Throttled > 0 {
		line += fmt.Sprintf(", %d throttled", s.Throttled)
	}
	return line
}

// units shows a number of units: 1 read unit, 2.5 read units.
func units(n float64, of string) string {
	n = halves(n)
	if n == 1 {
		return "1 " + of + " unit"
	}
	return fmt.Sprintf("%.15g %s units", n, of)
}
