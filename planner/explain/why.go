package explain

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// headings are what is told of each path that was thought of.
var headings = []string{"Candidate", "Equal", "Range", "Covers", "Order", "Rows read", "Lookups", "Cost", "Verdict"}

// why shows the paths that were thought of, the text form as a table, and how the costs of Z-order
// indexes came about.
func why(s plan.Scan) property {
	rows := [][]string{headings}
	all := groups{item: "Candidate"}
	var notes []string
	for _, c := range s.Access.Candidates {
		properties := considered(&c)
		rows = append(rows, cells(properties))
		if c.Note != "" && !c.Removed {
			notes = append(notes, "  "+c.Path+": "+c.Note)
			properties = append(properties, textProperty("Note", c.Note))
		}
		if c.Estimate.ZOrder != nil && !c.Removed {
			numbers := rule(s, &c)
			properties = append(properties, listed("Z-Order Estimate", numbers))
			for i, line := range numbers {
				lead := c.Path + ":"
				if i > 0 {
					lead = strings.Repeat(" ", len(lead))
				}
				notes = append(notes, "  "+lead+" "+line)
			}
		}
		all.list = append(all.list, properties)
	}
	return property{label: "Why", value: all, lines: append(append([]string{"Why:"}, table(rows)...), notes...)}
}

// considered is what is told of a path.
func considered(c *plan.Candidate) group {
	if c.Removed {
		return group{textProperty("Candidate", c.Path), textProperty("Verdict", "removed: "+c.Verdict)}
	}
	verdict := c.Verdict
	if verdict != "chosen" {
		verdict = "behind by: " + verdict
	}
	rounded := func(n float64) numeral { return numeral(fmt.Sprintf("%.0f", n)) }
	values := []any{
		c.Path, numeral(fmt.Sprint(c.Equal)), c.Range, c.Covers, c.Ordered,
		rounded(c.Estimate.Rows), rounded(c.Estimate.Lookups), rounded(c.Cost), verdict,
	}
	properties := make(group, len(headings))
	for i, label := range headings {
		properties[i] = property{label: label, value: values[i]}
	}
	return properties
}

// cells are the row of a table for a path.
func cells(properties group) []string {
	row := make([]string, len(headings))
	for i, label := range headings {
		row[i] = "-"
		at := slices.IndexFunc(properties, func(p property) bool { return p.label == label })
		if at < 0 {
			continue
		}
		switch v := properties[at].value.(type) {
		case bool:
			if v {
				row[i] = "yes"
			}
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	return row
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
func rule(s plan.Scan, c *plan.Candidate) []string {
	z := c.Estimate.ZOrder
	if z.Boxes > 1 {
		return []string{fmt.Sprintf("N = %.0f, a = %d, m = N^(1/a) = %s; of %d boxes together V = %s, P = %s, V + 4 (P - V) = %s",
			z.N, z.Dims, short(z.Side), z.Boxes, shortRows(z.V), shortRows(z.P), shortRows(z.Cost))}
	}
	var kept []string
	one := "1"
	if z.Fractions != nil {
		for i, d := range (catalog.TableIndex{Table: s.Table, Index: s.Table.Index(c.Path)}).Layout().Curve() {
			side := s.Table.Columns[s.Table.Ordinal(d.Column)].Name + " " + short(z.Fractions[i])
			if z.Pieces[i] > 1 {
				side, one = side+fmt.Sprintf(" in %.0f pieces", z.Pieces[i]), "pieces"
			}
			kept = append(kept, side)
		}
	}
	return []string{
		fmt.Sprintf("N = %.0f, a = %d, m = N^(1/a) = %s, f = %s", z.N, z.Dims, short(z.Side), strings.Join(kept, ", ")),
		fmt.Sprintf("V = N f... = %s, P = (m f + %s)... = %s, V + 4 (P - V) = %s", shortRows(z.V), one, shortRows(z.P),
			shortRows(z.Cost)),
	}
}
