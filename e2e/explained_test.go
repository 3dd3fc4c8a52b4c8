package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// explained is a node of EXPLAIN (FORMAT JSON), with its keys.
type explained map[string]any

func (n explained) text(key string) string { s, _ := n[key].(string); return s }

func (n explained) number(key string) float64 { f, _ := n[key].(float64); return f }

// below are the nodes below a node.
func (n explained) below() (out []explained) {
	list, _ := n["Plans"].([]any)
	for _, x := range list {
		out = append(out, x.(map[string]any))
	}
	return out
}

// inputs are those of the nodes below that hand rows to a node.
func (n explained) inputs() []explained {
	return slices.DeleteFunc(n.below(), func(in explained) bool { return in.text("Subplan Name") != "" })
}

// total is the time, or the rows, of all runs of a node.
func (n explained) total(key string) float64 { return n.number(key) * n.number("Actual Loops") }

// each calls visit with a node and all below it.
func (n explained) each(visit func(explained)) {
	visit(n)
	for _, in := range n.below() {
		in.each(visit)
	}
}

// explain is the plan of a query that has run, with what stands beside it. What it wrote is undone.
func explain(ctx context.Context, c *pgconn.PgConn, query string) (map[string]any, error) {
	results, err := c.Exec(ctx, "BEGIN; EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) "+query+"; ROLLBACK").ReadAll()
	if err != nil {
		_, _ = c.Exec(ctx, "ROLLBACK").ReadAll()
		return nil, err
	}
	var out []map[string]any
	err = json.Unmarshal(results[1].Rows[0][0], &out)
	return out[0], err
}

// TestExplainKeys wants the keys of each type of node to be those that PostgreSQL 15 has, and no others but our own.
func TestExplainKeys(t *testing.T) {
	here := connect(t, openDB(t, inMemory).url()).PgConn()
	there := connectPostgres(t)
	if _, err := there.Exec(t.Context(), "SET compute_query_id = on").ReadAll(); err != nil {
		t.Fatal(err)
	}
	theirs, ours := map[string][]explained{}, map[string][]explained{}
	for c, of := range map[*pgconn.PgConn]map[string][]explained{here: ours, there: theirs} {
		for _, text := range statementsOf(t, "testdata/explain/schema.sql") {
			if _, err := c.Exec(t.Context(), text).ReadAll(); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		for _, query := range statementsOf(t, "testdata/explain/queries.sql") {
			top, err := explain(t.Context(), c, query)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			explained(top["Plan"].(map[string]any)).each(func(n explained) {
				of[n.text("Node Type")] = append(of[n.text("Node Type")], n)
			})
			delete(top, "Plan")
			of[""] = append(of[""], top)
		}
	}
	for kind, nodes := range ours {
		like := theirs[kind]
		if like == nil && !slices.Contains(ownNodes, kind) {
			t.Errorf("PostgreSQL has no node %s", kind)
			continue
		}
		for _, n := range nodes {
			differsInKeys(t, kind, n, like)
		}
	}
}

// differsInKeys compares the keys of a node with those of nodes of this type in PostgreSQL.
func differsInKeys(t *testing.T, kind string, n explained, like []explained) {
	t.Helper()
	with := func(key string) int {
		count := 0
		for _, m := range like {
			if _, ok := m[key]; ok {
				count++
			}
		}
		return count
	}
	for key := range n {
		if like != nil && with(key) == 0 && !slices.Contains(ownKeys, key) && !slices.Contains(anyNode, key) {
			t.Errorf("%s has the key %s, as in PostgreSQL none has: %v", kind, key, n)
		}
	}
	for _, m := range like {
		for key := range m {
			_, ok := n[key]
			if !ok && with(key) == len(like) && !slices.Contains(slices.Concat(lacking, anyNode), key) {
				t.Errorf("%s has no key %s, as in PostgreSQL all have: %v", kind, key, n)
			}
		}
	}
}

var (
	// ownNodes are types of nodes that PostgreSQL does not have.
	ownNodes = []string{"Filter", "Z-Order Scan", "Interleaved Scan", "Interleaved Join", "Nearest"}
	// ownKeys are keys that PostgreSQL does not have, or not for all nodes that have them here.
	ownKeys = []string{"Estimate", "Read", "Write", "Written", "Spans", "Fan-out", "Skip", "Lookups", "Entry Filter",
		"Misestimated", "Range Read", "Lock", "Key", "Requests", "Consistency", "Rows Removed by Hash Join",
		"Rows Removed by Sort"}
	// anyNode are keys that nodes of all types have where there is something to say.
	anyNode = []string{"Parent Relationship", "Subplan Name", "Plans", "Output", "Filter", "Rows Removed by Filter",
		"Join Filter", "Rows Removed by Join Filter", "Index Cond"}
	// lacking are keys of what is not here.
	lacking = []string{"Exact Heap Blocks", "Lossy Heap Blocks", "Rows Removed by Index Recheck"}
)

// TestExplainMeasures runs random queries, and wants the times and the rows of the nodes of their plans to agree.
func TestExplainMeasures(t *testing.T) {
	calls := trials(t, openDB(t, inMemory).connect(t).PgConn())
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := &oracle{T: t, seed: seed, dice: newDice(seed), variants: variants()[:1]}
			o.kinds = []kind{inMemory, priced}
			o.maker = &maker{dice: o.dice, calls: calls, features: map[string]int{}}
			o.table = o.dice.table()
			o.open()
			j := joins{o.dice}
			tables := j.tables()
			for _, a := range o.askers {
				if _, err := a.conn.Exec(t.Context(), strings.Join(tables, "; ")).ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			for range 60 {
				query := j.query()
				if o.chance(2) {
					query = o.program().sql
				}
				for _, a := range o.askers {
					top, err := explain(t.Context(), a.conn, query)
					if err != nil {
						continue // the query fails
					}
					m := measures{top: top["Plan"].(map[string]any)}
					m.ctes, m.scans = map[string]float64{}, map[string]float64{}
					m.node(m.top, false)
					if m.compareScans(); len(m.wrong) > 0 {
						text, _ := json.MarshalIndent(top, "", " ")
						t.Fatalf("seed %d, %s\n%s\n%s\n%s", seed, a.store, query, strings.Join(m.wrong, "\n"), text)
					}
				}
			}
		})
	}
}

// measures is what is wrong with the measurements of a plan.
type measures struct {
	top         explained
	wrong       []string
	ctes, scans map[string]float64 // the times of the queries of WITH, and of the scans of them
}

// rounding is how far times may be off that were not rounded together, in milliseconds.
const rounding = 0.01

// node compares a node with those below it. If it is cut, it may have been left before its last row.
func (m *measures) node(n explained, cut bool) {
	const time, rows = "Actual Total Time", "Actual Rows"
	sum := 0.0
	cut = cut || n.text("Node Type") == "Limit" || n.text("Node Type") == "Merge Join"
	for _, in := range n.below() {
		name, is := strings.CutPrefix(in.text("Subplan Name"), "CTE ")
		if is {
			m.ctes[name] += in.total(time)
		} else {
			sum += in.total(time)
		}
		m.node(in, cut || in.text("Subplan Name") != "" || in.text("Parent Relationship") == "Inner")
	}
	if name := n.text("CTE Name"); name != "" {
		m.scans[name] += n.total(time)
	}
	if slack := m.shared(n); sum > n.total(time)+slack+1e-9 {
		m.say("%s takes %.6f ms, those below it %.6f", n.text("Node Type"), n.total(time), sum)
	}
	if n.number("Actual Startup Time") > n.number(time) {
		m.say("%s has the first row after the last one", n.text("Node Type"))
	}
	if came, want := m.rows(n, rows); !cut && math.Abs(came-want) > n.number("Actual Loops")/2 {
		m.say("%s has %g rows, not %g", n.text("Node Type"), came, want)
	}
	if outer := n.inputs(); n["Inner Unique"] == true && n.text("Join Type") == "Inner" && !cut &&
		n.total(rows) > outer[0].total(rows)+n.number("Actual Loops") {
		m.say("%s has more rows than its first input", n.text("Node Type"))
	}
}

func (m *measures) say(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// shared is how long those InitPlans of a node took that other nodes read, too, and may have run.
func (m *measures) shared(n explained) (took float64) {
	for _, in := range n.below() {
		_, name, _ := strings.Cut(in.text("Subplan Name"), "returns ")
		name, is := strings.CutSuffix(name, ")")
		if is && in.text("Parent Relationship") == "InitPlan" && m.readers(name) > 1 {
			took += in.total("Actual Total Time")
		}
	}
	return took
}

// readers are how many nodes read the value of an InitPlan.
func (m *measures) readers(name string) (count int) {
	is := regexp.MustCompile(regexp.QuoteMeta(name) + `\b`)
	m.top.each(func(n explained) {
		for key, value := range n {
			if key != "Plans" && key != "Subplan Name" && is.MatchString(fmt.Sprint(value)) {
				count++
				break
			}
		}
	})
	return count
}

// rows are how many rows a node has delivered, and how many it must by those below it: the same, if that is not known.
func (m *measures) rows(n explained, key string) (came, want float64) {
	came = n.total(key)
	inputs := n.inputs()
	switch n.text("Node Type") {
	case "Sort", "Hash", "WindowAgg", "LockRows":
		if n.text("Sort Method") == "top-N heapsort" { // which keeps the first ones, of all or of each group
			return came, math.Min(came, inputs[0].total(key))
		}
		return came, inputs[0].total(key) - n.total("Rows Removed by Filter")
	case "Filter":
		return came + n.total("Rows Removed by Filter"), inputs[0].total(key)
	case "Append", "Merge Append":
		sum := 0.0
		for _, in := range inputs {
			sum += in.total(key)
		}
		return came, sum
	case "Aggregate":
		if n.text("Strategy") == "Plain" && n["Filter"] == nil {
			return came, n.number("Actual Loops")
		}
	}
	return came, came
}

// compareScans wants the scans of the query of a WITH to take as long as that, which runs within them.
func (m *measures) compareScans() {
	for name, took := range m.ctes {
		if scans, ok := m.scans[name]; ok && scans+rounding < took {
			m.say("the scans of %s take %.3f ms, it takes %.3f", name, scans, took)
		}
	}
}
