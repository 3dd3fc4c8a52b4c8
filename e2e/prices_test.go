package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pricedLine is the first line of a node as EXPLAIN prints it.
var pricedLine = regexp.MustCompile(`^( *)(?:->  )?(.*?)  \(cost=([\d.]+)\.\.([\d.]+) rows=\d+ width=\d+\)`)

// ofItsOwn is the line above a plan that is not an input.
var ofItsOwn = regexp.MustCompile(`^( *)(SubPlan|InitPlan|CTE) `)

// wrongPrice finds in a plan a node whose first row comes later than its last, or that costs less than a node below it.
// A Limit and a Nearest do not read all that is below them.
func wrongPrice(plan []string) error {
	type node struct {
		column int
		title  string
		total  float64
	}
	var above []node
	for _, line := range plan {
		m := pricedLine.FindStringSubmatch(line)
		column := m
		if m == nil {
			column = ofItsOwn.FindStringSubmatch(line)
		}
		for column != nil && len(above) > 0 && above[len(above)-1].column >= len(column[1]) {
			above = above[:len(above)-1]
		}
		if m == nil {
			continue
		}
		startup, _ := strconv.ParseFloat(m[3], 64)
		total, err := strconv.ParseFloat(m[4], 64)
		if err != nil || startup > total {
			return fmt.Errorf("%s: it begins after it ends: %w", line, err)
		}
		if n := len(above); n > 0 && above[n-1].total < total-0.01 && !readsPart[above[n-1].title] {
			return fmt.Errorf("%s: the node above costs less", line)
		}
		above = append(above, node{len(m[1]), m[2], total})
	}
	if above == nil {
		return errors.New("no node has a price")
	}
	return nil
}

var readsPart = map[string]bool{"Limit": true, "Nearest": true}

// TestWrongPrice shows plans that wrongPrice finds.
func TestWrongPrice(t *testing.T) {
	const scan = "  ->  Seq Scan on t  (cost=0.00..3.00 rows=1 width=4)"
	for plan, want := range map[string]string{
		"Seq Scan on t  (cost=15.00..25.00 rows=10 width=4)": "",
		"Seq Scan on t  (cost=26.00..25.00 rows=10 width=4)": "begins after",
		"Seq Scan on t": "no node",
		"Sort  (cost=1.00..2.00 rows=1 width=4)\n" + scan:                              "costs less",
		"Limit  (cost=1.00..2.00 rows=1 width=4)\n" + scan + " (actual time=0..1)":     "",
		"Append  (cost=0.00..9.00 rows=1 width=4)\n" + scan + "\n" + scan:              "",
		"Sort  (cost=1.00..2.00 rows=1 width=4)\n  InitPlan 1\n  " + scan:              "costs less",
		"Sort  (cost=1.00..4.00 rows=1 width=4)\n" + scan + "\n  SubPlan 1\n  " + scan: "",
	} {
		err := wrongPrice(strings.Split(plan, "\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", plan, err, want)
		}
	}
}
