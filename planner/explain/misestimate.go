package explain

import (
	"fmt"
	"math"
	"strconv"

	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/planner/plan"
)

// farOff is the factor by which the rows of a node may differ from what they were thought to be without a word.
const farOff = 10

// aged is the share of the rows of a table that may have changed since its statistics were made without a word.
const aged = 0.1

const misestimatedLabel = "Misestimated"

// ratio is the factor between what was thought and what came, at least 1 (the q-error of Moerkotte, Neumann and
// Steidl, "Preventing bad plans by bounding the impact of cardinality estimation errors", 2009).
func ratio(thought, came float64) float64 {
	thought, came = math.Max(1, thought), math.Max(1, came)
	return math.Max(thought/came, came/thought)
}

// misestimated says that far more or far fewer rows came out of a node than were expected, and why.
func (x *explainer) misestimated(n plan.Node, number int) []property {
	thought, came, off := x.off(n, number)
	if !off {
		return nil
	}
	text := fmt.Sprintf("%.0f rows expected, %.0f came", thought, came)
	if why := x.cause(n, number); why != "" {
		text += ": " + why
	}
	return []property{textProperty(misestimatedLabel, text)}
}

// corrected says by how much the estimate of a scan's rows is another than the statistics make it.
func (x *explainer) corrected(s plan.Scan) []property {
	if x.Estimator == nil || s.Table.Stats.Learned.Version() == 0 {
		return nil
	}
	factor := s.Table.Stats.Learned.Factor(cardinality.Conditions(s))
	if factor == 1 {
		return nil
	}
	times := numeral(strconv.FormatFloat(factor, 'g', 3, 64))
	return []property{{label: "Corrected By", value: times, lines: []string{
		fmt.Sprintf("Corrected: %s times the rows that the statistics make expect, as in earlier runs", times)}}}
}

// ofParts says whether rows are groups of parts of a scan, of which it is not known beforehand how many there are.
func ofParts(n plan.Node) bool {
	if g, ok := n.(plan.Gather); ok {
		n = g.Input
	}
	a, ok := n.(plan.Aggregate)
	return ok && a.Partial
}

// off says whether far more or far fewer rows came out of a run of a node than were expected. Fewer may come where
// they are not all asked for.
func (x *explainer) off(n plan.Node, number int) (thought, came float64, off bool) {
	p := x.Profile.Node(number)
	if ofParts(n) || x.price(number) == nil || p == nil || p.Loops == 0 {
		return 0, 0, false
	}
	thought, came = x.prices[number].Rows, float64(p.Rows+p.LeftOut())/float64(p.Loops)
	return thought, came, ratio(thought, came) > farOff && (came > thought || !x.cut)
}

// cause says why the rows of a node are off, as far as that can be seen.
func (x *explainer) cause(n plan.Node, number int) string {
	if scan, ok := n.(plan.Scan); ok {
		return x.causeOfScan(scan, number)
	}
	number++
	for _, in := range n.Inputs() {
		if _, _, off := x.off(in, number); off {
			return "its input is misestimated"
		}
		number += plan.CountNodes(in)
	}
	return ""
}

func (x *explainer) causeOfScan(scan plan.Scan, number int) string {
	name := expr.QuoteIdent(scan.Table.Name)
	if !scan.Table.Stats.Known {
		return fmt.Sprintf("%s has no statistics: ANALYZE %s", name, name)
	}
	p := x.Profile.Node(number)
	read, known := float64(p.Stats.Examined)/float64(p.Loops), scan.Table.Stats.Rows
	if scan.Access.ReadsAll() && !x.cut && ratio(known, read) > 1.1 {
		return fmt.Sprintf("the statistics of %s are of %.0f rows, and it has %.0f: ANALYZE %s", name, known, read, name)
	}
	if x.Changed != nil {
		if changed := float64(x.Changed(scan.Table)); changed > aged*known {
			return fmt.Sprintf("the statistics of %s are older than %.0f %% of its rows: ANALYZE %s", name,
				math.Min(100, 100*changed/math.Max(1, known)), name)
		}
	}
	if len(scan.Filter) > 1 {
		return "the conditions depend on each other"
	}
	return ""
}

// cuts says whether a node may leave an input before its last row; a node that reads all of it first does not pass
// that on from above.
func cuts(n plan.Node, input int, above bool) bool {
	switch n := n.(type) {
	case plan.Limit:
		return true
	case plan.Sort, plan.Aggregate, plan.GroupingSets:
		return false
	case plan.Join:
		if n.Method != nil && n.Method.Strategy == plan.Hash && (input == 0) == n.Method.BuildLeft {
			return false
		}
		return above || input == 1 && (n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin)
	}
	return above
}
