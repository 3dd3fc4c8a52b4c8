package plan

import (
	"fmt"
	"strings"
)

// why shows the paths that were thought of as a table, and how the costs of Z-order indexes came
// about.
func why(s Scan) []string {
	rows := [][]string{{"Candidate", "Equal", "Range", "Covers", "Order", "Rows read", "Lookups", "Cost", "Verdict"}}
	yes := map[bool]string{true: "yes", false: "-"}
	var rules []string
	for _, c := range s.Access.Candidates {
		if c.Removed {
			rows = append(rows, []string{c.Path, "-", "-", "-", "-", "-", "-", "-", "removed: " + c.Verdict})
			continue
		}
		verdict := c.Verdict
		if verdict != "chosen" {
			verdict = "behind by: " + verdict
		}
		rows = append(rows, []string{
			c.Path, fmt.Sprint(c.Equal), yes[c.Range], yes[c.Covers], yes[c.Ordered],
			fmt.Sprintf("%.0f", c.Estimate.Rows), fmt.Sprintf("%.0f", c.Estimate.Lookups), fmt.Sprintf("%.0f", c.Cost), verdict,
		})
		if c.Note != "" {
			rules = append(rules, "  "+c.Path+": "+c.Note)
		}
		if c.Estimate.ZOrder != nil {
			rules = append(rules, rule(s, &c)...)
		}
	}
	return append(append([]string{"Why:"}, table(rows)...), rules...)
}

// table sets rows of cells in columns.
func table(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], len(cell))
		}
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		var b strings.Builder
		for j, cell := range r {
			fmt.Fprintf(&b, "  %-*s", widths[j], cell)
		}
		out[i] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// rule shows the numbers from which the cost of a Z-order index comes.
func rule(s Scan, c *Candidate) []string {
	z := c.Estimate.ZOrder
	if z.Boxes > 1 {
		return []string{fmt.Sprintf("  %s: N = %.0f, a = %d, m = N^(1/a) = %s; of %d boxes together V = %s, P = %s, V + 4 (P - V) = %s",
			c.Path, z.N, z.Dims, short(z.Side), z.Boxes, shortRows(z.V), shortRows(z.P), shortRows(z.Cost))}
	}
	var kept []string
	one := "1"
	if x := s.Table.Index(c.Path); x != nil {
		for i, d := range x.Layout.Sort[0].Curve {
			side := s.Table.Columns[s.Table.Ordinal(d.Column)].Name + " " + short(z.Fractions[i])
			if z.Pieces[i] > 1 {
				side, one = side+fmt.Sprintf(" in %.0f pieces", z.Pieces[i]), "pieces"
			}
			kept = append(kept, side)
		}
	}
	return []string{
		fmt.Sprintf("  %s: N = %.0f, a = %d, m = N^(1/a) = %s, f = %s", c.Path, z.N, z.Dims, short(z.Side), strings.Join(kept, ", ")),
		fmt.Sprintf("  %*s  V = N f... = %s, P = (m f + %s)... = %s, V + 4 (P - V) = %s", len(c.Path), "", shortRows(z.V), one, shortRows(z.P), shortRows(z.Cost)),
	}
}
