package plan

import (
	"fmt"
	"math"
	"strings"

	"zproxy/encoding/keys"
)

// box shows the sides of a Z-order box, or of several, and what the formulas say of them. It says
// true when no cell of them holds a value outside.
func (x *Explainer) box(s Scan) (lines []string, exact bool) {
	a := s.Access
	alternatives := a.Either
	if len(alternatives) == 0 {
		alternatives = []Alternative{{Bounds: a.Bounds}}
	}
	for i, alt := range alternatives {
		if i == shownSpans {
			lines = append(lines, fmt.Sprintf("Box: ... %d more", len(alternatives)-i))
			break
		}
		lines = append(lines, "Box: "+x.sides(s, alt.Bounds))
	}
	more, exact := x.addresses(s)
	lines = append(lines, more...)
	z := a.Estimate.ZOrder
	return append(lines, "Search Space: "+z.space(), "Z-Order Estimate: "+z.String()), exact
}

// sides shows what bounds leave of each dimension, with values where they are known.
func (x *Explainer) sides(s Scan, bounds []Bound) string {
	var sides []string
	for _, d := range s.Access.Index.Layout.Sort[0].Curve {
		c := s.Table.Columns[s.Table.Ordinal(d.Column)]
		side := "all"
		for _, b := range bounds {
			if b.Column != d.Column {
				continue
			}
			if set, err := b.Set(x.Context); err == nil {
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
func symbolicSide(b Bound) string {
	terms := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		terms[i] = t.String()
	}
	return strings.Join(terms, " ")
}

// addresses shows where boxes lie on the curve, if their values are known.
func (x *Explainer) addresses(s Scan) (lines []string, exact bool) {
	codec, err := keys.NewCodec(s.Table, layoutOf(s))
	if err != nil {
		return nil, false
	}
	boxes, some, err := s.Access.Boxes(codec, x.Context)
	if err != nil || !some {
		return nil, false
	}
	low, high := boxes.Corners()
	line := "Z-Addresses: " + low + " - " + high
	if n := len(boxes.List); n > 1 {
		line += fmt.Sprintf(", %d boxes", n)
	}
	if boxes.Exact {
		line += ", exact"
	}
	lines = append(lines, line)
	lines = append(lines, x.cover(s, &boxes)...)
	if line := boxFanOut(s.Table, layoutOf(s), len(boxes.Ranges)); line != "" {
		lines = append(lines, line)
	}
	return lines, boxes.Exact
}

// space shows by the formula, with its numbers, how many addresses are in boxes.
func (z *ZEstimate) space() string {
	if z.Boxes > 1 {
		return fmt.Sprintf("n^((a-b)/a) of n = 2^%d addresses, summed over %d boxes: %s", z.Bits, z.Boxes, z.Addresses)
	}
	return fmt.Sprintf("n^((a-b)/a) = (2^%d)^((%d-%s)/%d) = %s of 2^%d addresses", z.Bits, z.Dims, short(z.Excluded), z.Dims, z.Addresses, z.Bits)
}

// String shows the numbers that decide about a Z-order index.
func (z *ZEstimate) String() string {
	where := "the box"
	if z.Boxes > 1 {
		where = "the boxes"
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
