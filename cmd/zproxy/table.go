package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types"
)

// printTable prints rows in psql's manner: numbers to the right, names in the middle.
func printTable(w io.Writer, r result) {
	names := make([]string, len(r.columns))
	widths := make([]int, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
		widths[i] = utf8.RuneCountInString(c.Name)
	}
	for _, row := range r.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	printRow(w, names, func(i int, cell string) string { return pad(cell, widths[i], 2) })
	rules := make([]string, len(widths))
	for i, width := range widths {
		rules[i] = strings.Repeat("-", width+2)
	}
	fmt.Fprintln(w, strings.Join(rules, "+"))
	for _, row := range r.rows {
		printRow(w, row, func(i int, cell string) string {
			if numeric(r.columns[i].Type.Kind()) {
				return pad(cell, widths[i], 1)
			}
			return cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		})
	}
	word := "rows"
	if len(r.rows) == 1 {
		word = "row"
	}
	fmt.Fprintf(w, "(%d %s)\n", len(r.rows), word)
}

func printRow(w io.Writer, cells []string, align func(int, string) string) {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = " " + align(i, cell)
	}
	fmt.Fprintln(w, strings.TrimRight(strings.Join(out, " |"), " "))
}

// pad widens a cell: 1/share of the blanks go to its left.
func pad(cell string, width, share int) string {
	blanks := width - utf8.RuneCountInString(cell)
	left := blanks / share
	return strings.Repeat(" ", left) + cell + strings.Repeat(" ", blanks-left)
}

func numeric(k types.Kind) bool {
	return k == types.KindInt || k == types.KindFloat || k == types.KindNumeric
}

// complaint is an error of a one-line statement as psql prints it.
func complaint(sql string, err error) string {
	if err == nil {
		return "no error\n"
	}
	e := sqlerr.From(err)
	out := fmt.Sprintf("ERROR:  %s: %s\n", e.Code, e.Message)
	if e.Position > 0 {
		line := "LINE 1: "
		out += line + sql + ";\n" + strings.Repeat(" ", len(line)+e.Position-1) + "^\n"
	}
	if e.Hint != "" {
		out += "HINT:  " + e.Hint + "\n"
	}
	return out
}
