package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// planNode is a node of a plan as EXPLAIN (ANALYZE, FORMAT JSON) tells of it, on either side.
type planNode struct {
	Type     string  `json:"Node Type"`
	Strategy string  `json:"Strategy"`
	Partial  string  `json:"Partial Mode"` // of an aggregate
	Join     string  `json:"Join Type"`
	Expected float64 `json:"Plan Rows"`                 // of each loop
	Rows     float64 `json:"Actual Rows"`               // of each loop
	Unjoined float64 `json:"Rows Removed by Hash Join"` // by one above: the estimate has them
	Unsorted float64 `json:"Rows Removed by Sort"`      // the same
	Loops    float64 `json:"Actual Loops"`
	Plans    []planNode
}

// ranPlan is a plan and how long it ran, in milliseconds.
type ranPlan struct {
	Plan      planNode
	Planning  float64 `json:"Planning Time"`
	Execution float64 `json:"Execution Time"`
}

// explainPlan runs a query inside the server.
func explainPlan(ctx context.Context, conn *pgx.Conn, query string) (*ranPlan, error) {
	query = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + query
	var text string
	if err := conn.QueryRow(ctx, query, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	var plans []ranPlan
	if err := json.Unmarshal([]byte(text), &plans); err != nil || len(plans) != 1 {
		return nil, fmt.Errorf("%s: %d plans: %w", query, len(plans), err)
	}
	return &plans[0], nil
}

// explainWithin runs a query for as long as it may run; 0: there is no limit.
func explainWithin(ctx context.Context, conn *pgx.Conn, query string, limit time.Duration) (*ranPlan, error) {
	if err := execAll(ctx, conn, fmt.Sprintf("SET statement_timeout = %d", limit.Milliseconds())); err != nil {
		return nil, err
	}
	p, err := explainPlan(ctx, conn, query)
	return p, errors.Join(err, execAll(ctx, conn, "RESET statement_timeout"))
}

// canceled says whether the server has ended a statement since it took too long.
func canceled(err error) bool {
	var failed *pgconn.PgError
	return errors.As(err, &failed) && failed.Code == "57014"
}

// estimate is what was expected of a node beside what came.
type estimate struct {
	node           string
	expected, rows float64
}

// qError is by which factor an estimate is off, up or down; fewer than one row count as one (Leis et al., "How good
// are query optimizers, really?", 2015).
func (e estimate) qError() float64 {
	expected, rows := math.Max(1, e.expected), math.Max(1, e.rows)
	return math.Max(expected/rows, rows/expected)
}

// uncounted are the nodes whose rows are those of the node below, or of which PostgreSQL does not count the rows.
var uncounted = []string{"Hash", "BitmapAnd", "BitmapOr"}

// estimates are those of all nodes that ran to their end. One below a LIMIT, or in an inner side that ends with the
// first match, need not: it is left out up to the node that reads all of its input before its first row.
func (n *planNode) estimates() []estimate {
	var out []estimate
	n.walk(false, func(node *planNode, ended bool) {
		if ended && node.Loops > 0 && !slices.Contains(uncounted, node.Type) && !node.inParts() {
			out = append(out, estimate{node.Type, node.Expected, node.Rows + node.Unjoined + node.Unsorted})
		}
	})
	return out
}

// inParts says whether the rows of a node are those of partial groups, whose number depends on who makes them.
func (n *planNode) inParts() bool {
	return n.Partial == "Partial" || n.Type == "Gather" && n.Plans[0].inParts()
}

// flown is how many rows came out of all joins: the cost of a join order without regard to methods, C_out.
func (n *planNode) flown() float64 {
	var sum float64
	n.walk(false, func(node *planNode, _ bool) {
		if strings.HasSuffix(node.Type, "Join") || node.Type == "Nested Loop" {
			sum += node.Rows * node.Loops
		}
	})
	return sum
}

func (n *planNode) walk(cut bool, visit func(node *planNode, ended bool)) {
	visit(n, !cut)
	switch {
	case n.Type == "Sort" || n.Type == "Hash" || n.Type == "Aggregate" && n.Strategy != "Sorted":
		cut = false
	case n.Type == "Limit":
		cut = true
	}
	for i := range n.Plans {
		n.Plans[i].walk(cut || n.endsEarly(i), visit)
	}
}

// endsEarly says whether a join may need only a part of its i-th input: as much as finds a match for each row of
// the other one, or next to nothing if the other one has no rows.
func (n *planNode) endsEarly(i int) bool {
	if n.Join == "" || len(n.Plans) < 2 || i > 1 {
		return false
	}
	if n.Plans[1-i].Rows == 0 {
		return true
	}
	switch n.Join {
	case "Semi", "Anti":
		return n.Type == "Nested Loop" && i == 1
	case "Right Semi":
		return i == 0
	}
	return false
}
