package e2e

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// planned is a node of EXPLAIN (ANALYZE, FORMAT JSON).
type planned struct {
	Node     string    `json:"Node Type"`
	Relation string    `json:"Relation Name"`
	Rows     *float64  `json:"Plan Rows"`
	Actual   *float64  `json:"Actual Rows"`
	Unjoined float64   `json:"Rows Removed by Hash Join"` // by one above: the estimate has them
	Loops    float64   `json:"Actual Loops"`
	Plans    []planned `json:"Plans"`
}

// errors are the q-errors of a plan (Leis et al., "How good are query optimizers, really?", 2015): by what factor
// each estimate is too high or too low. What ends early, below a LIMIT, says nothing.
func (p *planned) errors(out []float64) []float64 {
	if p.Rows != nil && p.Actual != nil && p.Loops > 0 {
		estimate, actual := math.Max(1, *p.Rows), math.Max(1, *p.Actual+p.Unjoined)
		out = append(out, math.Max(estimate/actual, actual/estimate))
	}
	for i := range p.Plans {
		out = p.Plans[i].errors(out)
	}
	return out
}

// TestEstimates compares how many rows the nodes of queries of a skewed and correlated shop are thought to deliver with
// how many they do, here and in PostgreSQL.
func TestEstimates(t *testing.T) {
	here, err := pgconn.Connect(t.Context(), openDB(t, inMemory).url())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close(t.Context())
	there := connectPostgres(t)
	var ours, theirs []float64
	for _, s := range []*pgconn.PgConn{here, there} {
		for _, text := range statementsOf(t, "testdata/estimates/shop.sql") {
			if _, err := s.Exec(t.Context(), text).ReadAll(); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
	for _, query := range statementsOf(t, "testdata/estimates/queries.sql") {
		a, b := errorsOf(t, here, query), errorsOf(t, there, query)
		t.Logf("%6.1f  %6.1f  %s", slices.Max(a), slices.Max(b), query)
		ours, theirs = append(ours, a...), append(theirs, b...)
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	t.Logf("median %.2f, PostgreSQL %.2f; 95th percentile %.1f, PostgreSQL %.1f; most %.1f, PostgreSQL %.1f",
		quantile(ours, 0.5), quantile(theirs, 0.5), quantile(ours, 0.95), quantile(theirs, 0.95),
		quantile(ours, 1), quantile(theirs, 1))
	if quantile(ours, 0.5) > 1.5 || quantile(ours, 0.95) > quantile(theirs, 0.95) {
		t.Error("the estimates are worse than they should be")
	}
}

// quantile is the one of sorted numbers.
func quantile(sorted []float64, q float64) float64 {
	return sorted[int(math.Ceil(q*float64(len(sorted)-1)))]
}

// statementsOf are the statements of a file.
func statementsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), ";\n") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// errorsOf are the q-errors of a query.
func errorsOf(t *testing.T, s *pgconn.PgConn, query string) []float64 {
	t.Helper()
	got, err := s.Exec(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+query).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var explained []struct{ Plan planned }
	if err := json.Unmarshal(got[0].Rows[0][0], &explained); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return explained[0].Plan.errors(nil)
}
