package explain

import (
	"fmt"
	"math"
	"strings"

	"zproxy/encoding/keys"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
)

// boxShown is what is told of the boxes of a scan.
type boxShown struct {
	properties []property
	exact      bool          // no cell of them holds a value outside
	estimate   plan.Estimate // of the scan, by the values of the bounds if they are known
}

// box shows the sides of a Z-order box, or of several, and what the formulas say of them.
func (x *explainer) box(s plan.Scan, p plan.Box) boxShown {
	out := boxShown{estimate: s.Access.Estimate}
	var sides []string
	for i, bounds := range p.Sides {
		if i == shownSpans {
			sides = append(sides, fmt.Sprintf("... %d more", len(p.Sides)-i))
			break
		}
		sides = append(sides, x.sides(s, bounds))
	}
	out.properties = append(out.properties, repeated("Box", sides))
	x.addresses(s, p, &out)
	out.add("Z-Order Estimate", estimateText(s.Access.Estimate.ZOrder))
	return out
}

func (b *boxShown) add(label, text string) {
	b.properties = append(b.properties, textProperty(label, text))
}

// sides shows what bounds leave of each dimension, with values where they are known.
func (x *explainer) sides(s plan.Scan, bounds []plan.Bound) string {
	var sides []string
	for _, d := range s.Layout().Curve() {
		c := s.Table.Source(d.Column)
		side := "all"
		for _, b := range bounds {
			if b.Column != d.Column {
				continue
			}
			if set, err := b.Set(x.Values); err == nil {
				side = keys.FormatSet(set, c.Type)
			} else {
				side = symbolicSide(b)
			}
		}
		sides = append(sides, c.Name+" "+side)
	}
	return strings.Join(sides, "  ")
}

// symbolicSide shows a bound of a dimension while its values are not known.
func symbolicSide(b plan.Bound) string {
	terms := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		terms[i] = t.String()
	}
	return strings.Join(terms, " ")
}

// addresses shows where boxes lie on the curve, if their values are known, and how much of it they take.
func (x *explainer) addresses(s plan.Scan, p plan.Box, out *boxShown) {
	curve := s.Layout().Curve()
	codec, err := keys.NewCodec(s.Table, s.Layout())
	if err != nil {
		return
	}
	boxes, some, err := spans.Boxes(p, codec, x.Values)
	if err != nil || !some {
		out.add("Search Space", symbolicSpace(curve, p))
		return
	}
	low, high := boxes.Corners()
	line := low + " - " + high
	if n := len(boxes.List); n > 1 {
		line += fmt.Sprintf(", %d boxes", n)
	}
	if out.exact = boxes.Exact; out.exact {
		line += ", exact"
	}
	out.add("Z-Addresses", line)
	if cover, ok := cost.CoverOf(s, &boxes, x.Store); ok {
		out.add("Cover", count(cover.Ranges, "range")+", "+waste(cover.Rows, cover.Wanted))
		if s.Access.Most == nil { // a scan that does not end before takes them all
			out.estimate = cover.Estimate
		}
	}
	if line := boxFanOut(s.Table, s.Layout(), len(boxes.Ranges)); line != "" {
		out.add("Fan-out", line)
	}
	out.add("Search Space", spaceText(codec.SearchSpace(&boxes), len(boxes.List)))
}

// estimateText shows the numbers that decide about a Z-order index.
func estimateText(z *plan.ZEstimate) string {
	where := "the box"
	if z.Boxes > 1 {
		where = "the boxes"
	}
	if z.Wanted < z.V {
		where += fmt.Sprintf(", %s of them wanted", shortRows(z.Wanted))
	}
	return fmt.Sprintf("V = %s of %.0f rows in %s, P = %s in cells that it cuts, cost V + 4 (P - V) = %s",
		shortRows(z.V), z.N, where, shortRows(z.P), shortRows(z.Cost))
}

// waste shows how many entries are read for one that is wanted.
func waste(read, wanted float64) string { return fmt.Sprintf("%.1fx waste", read/math.Max(wanted, 1)) }

// shortRows shows a number of rows; less than half a thousandth is none.
func shortRows(n float64) string { return short(math.Round(n*1000) / 1000) }

// short shows a number by its first four digits, and all of those in front of the point.
func short(n float64) string {
	if math.Abs(n) >= 1000 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.4g", n)
}
