package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// explained is what EXPLAIN (ANALYZE) of a query tells, on either side.
type explained struct {
	rows     int     // that came out
	examined int     // keys, where the side tells it
	time     float64 // of execution, in microseconds
	path     string  // the indexes that were read, with a plus between them; "table" where there is none
}

// These are found in the lines of a plan.
var (
	rowsPattern     = regexp.MustCompile(`\(actual .*?rows=(\d+)`)
	examinedPattern = regexp.MustCompile(`(\d+) keys? examined`)
	timePattern     = regexp.MustCompile(`^Execution Time: ([\d.]+) ms`)
	pathPattern     = regexp.MustCompile(`(?:Scan (?:Backward )?using|Bitmap Index Scan on) (\w+)`)
)

// explain runs a query inside the server. The time is of its execution alone: neither of parsing and planning nor of
// the way of the rows to the client, which the server throws away.
func explain(ctx context.Context, conn *pgx.Conn, query string) (explained, error) {
	query = "EXPLAIN (ANALYZE, TIMING OFF) " + query
	rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return explained{}, fmt.Errorf("%s: %w", query, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return explained{}, fmt.Errorf("%s: %w", query, err)
	}
	e, err := parseExplained(lines)
	if err != nil {
		return e, fmt.Errorf("%s: %w", query, err)
	}
	return e, nil
}

func parseExplained(lines []string) (e explained, err error) {
	var paths []string
	e.rows = -1
	for _, l := range lines {
		if m := rowsPattern.FindStringSubmatch(l); m != nil && e.rows < 0 {
			e.rows, err = strconv.Atoi(m[1])
		}
		if m := examinedPattern.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1]) // digits
			e.examined += n
		}
		if m := pathPattern.FindStringSubmatch(l); m != nil {
			paths = append(paths, m[1])
		}
		if m := timePattern.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			e.time, err = strconv.ParseFloat(m[1], 64)
			e.time *= 1e3
		}
	}
	e.path = strings.Join(paths, "+")
	if e.path == "" {
		e.path = "table"
	}
	if err == nil && (e.rows < 0 || e.time == 0) {
		err = fmt.Errorf("a plan without rows or time:\n%s", strings.Join(lines, "\n"))
	}
	return e, err
}
