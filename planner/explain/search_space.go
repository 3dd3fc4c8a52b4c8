package explain

import (
	"fmt"
	"math/big"
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/planner/plan"
)

// spaceText shows by the formula, with its numbers, how many addresses boxes take of a curve. The formula reckons with
// the share of each dimension that bounds exclude; where they leave a part of one, the addresses of the box are
// counted, too, and those from its lowest to its highest.
func spaceText(s keys.SearchSpace, boxes int) string {
	if boxes > 1 {
		return fmt.Sprintf("n^((a-b)/a) of n = 2^%d addresses, summed over %d boxes: %s, %s in the boxes", s.Bits, boxes,
			addresses(s.Formula), addresses(s.Addresses))
	}
	out := formulaText(s)
	if s.Partial {
		out += fmt.Sprintf(", %s in the box, %s from its lowest to its highest", addresses(s.Addresses),
			addresses(s.Between))
	}
	return out
}

// symbolicSpace is spaceText while the values of bounds are not known: only an equality tells what it leaves.
func symbolicSpace(curve []catalog.Dimension, p plan.Box) string {
	excluded := make([]float64, len(curve))
	if len(p.Sides) > 1 {
		n := keys.Formula(curve, excluded).Bits
		return fmt.Sprintf("n^((a-b)/a) of n = 2^%d addresses, summed over %d boxes", n, len(p.Sides))
	}
	ranges := false
	for i, d := range curve {
		for _, b := range p.Sides[0] {
			switch {
			case b.Column != d.Column:
			case slices.ContainsFunc(b.Terms, func(t plan.Term) bool { return t.Op == plan.TermEQ }):
				excluded[i] = 1
			default:
				ranges = true
			}
		}
	}
	out := formulaText(keys.Formula(curve, excluded))
	if ranges {
		out += " at most"
	}
	return out
}

// formulaText shows n^((a-b)/a): n addresses, a dimensions, of which bounds exclude b together.
func formulaText(s keys.SearchSpace) string {
	return fmt.Sprintf("n^((a-b)/a) = (2^%d)^((%d-%s)/%d) = %s of 2^%d addresses", s.Bits, s.Dims, short(s.Excluded),
		s.Dims, addresses(s.Formula), s.Bits)
}

// addresses is a number of addresses, in full up to 2^64 and rounded beyond.
func addresses(n *big.Float) string {
	if n.MantExp(nil) <= 65 {
		return n.Text('f', 0)
	}
	return n.Text('g', 4)
}
