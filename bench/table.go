package main

import (
	"fmt"
	"strings"
)

// table is a table of a section whose cells are written already.
type table struct {
	heads []string
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(t.heads, " | "), strings.Repeat("---|", len(t.heads)))
	for _, row := range t.rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
	}
	return out.String()
}

// goal is a figure that a measurement should reach.
type goal struct {
	what    string
	wanted  float64
	reached float64
	atLeast bool // otherwise at most
}

func (g goal) met() bool {
	if g.atLeast {
		return g.reached >= g.wanted
	}
	return g.reached <= g.wanted
}

// goalTable sets what was reached beside what was wanted.
func goalTable(goals []goal) table {
	t := table{heads: []string{"goal", "wanted", "reached", "met"}}
	for _, g := range goals {
		bound, met := "at most", "no"
		if g.atLeast {
			bound = "at least"
		}
		if g.met() {
			met = "yes"
		}
		t.add(g.what, fmt.Sprintf("%s %s", bound, digits(g.wanted)), "**"+digits(g.reached)+"**", met)
	}
	return t
}

// digits writes a number with so many decimals that it has three digits or more.
func digits(value float64) string {
	switch {
	case value < 10:
		return fmt.Sprintf("%.2f", value)
	case value < 100:
		return fmt.Sprintf("%.1f", value)
	}
	return thousands(value)
}

// whole writes a whole number with a comma between groups of three digits.
func whole(n int) string { return strings.TrimSuffix(thousands(float64(n)), ".0") }
