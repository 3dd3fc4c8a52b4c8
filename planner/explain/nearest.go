package explain

import (
	"fmt"
	"strconv"

	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// nearest tells by which rounds the nearest rows are looked for, and of a run by which they were found.
func (x *explainer) nearest(n plan.Nearest, p *plan.NodeProfile) []property {
	out := []property{listed("Sort Key", textsOf(n.Keys))}
	out = append(out, textProperty("Nearest", x.rounds(n)))
	if p == nil || p.Loops == 0 {
		return out
	}
	out = append(out, counted("Rounds", p.Rounds))
	if p.Rounds > 0 {
		out = append(out, textProperty("Radius", distance(p.Radius)))
	}
	return append(out, sortMethod(plan.Sort{Most: n.Most}, p)...)
}

// rounds says by which radii the rows are looked for, as far as values are known.
func (x *explainer) rounds(n plan.Nearest) string {
	want, ok := cost.Wanted(n.Most, x.Values)
	if !ok {
		return unknownRounds
	}
	radii, err := n.Radii(x.Values, want)
	switch last := len(radii) - 1; {
	case err != nil:
		return unknownRounds
	case last < 0:
		return "all rows at once"
	case last == 0:
		return fmt.Sprintf("within %s, then all rows", distance(radii[0]))
	default:
		return fmt.Sprintf("within %s, in round %d within %s, then all rows", distance(radii[0]), last+1,
			distance(radii[last]))
	}
}

// unknownRounds is said where the center or the number of rows is not known yet.
const unknownRounds = "within a radius that grows, then all rows"

func distance(d float64) string { return strconv.FormatFloat(d, 'g', 4, 64) }
