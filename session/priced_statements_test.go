package session

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testcharge"
	"zproxy/internal/testseed"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/parser"
)

var chargedUnits = regexp.MustCompile(`Charged: .*?([0-9.]+) read units?(?:, ([0-9.]+) write unit)?`)

// TestPricedStatements compares what statements are thought to be charged, before their first request, with what they
// are charged.
func TestPricedStatements(t *testing.T) {
	for _, analyzed := range []bool{true, false} {
		t.Run(fmt.Sprintf("analyzed=%v", analyzed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(testseed.Of(t), 3))
			synctest.Test(t, func(t *testing.T) {
				w := newPricedWrites(t)
				accepted(t, w.Session, testcharge.Tables...)
				if analyzed {
					accepted(t, w.Session, "ANALYZE t, d, w, z")
				}
				w.db.analyzer.Measure(t.Context()) // as a server does before it renews statistics
				var off []misprice
				for i := range 200 {
					off = append(off, w.misprice(testcharge.Statement(i, random.IntN)))
				}
				judge(t, off, map[bool][2]int{true: {190, 0}, false: {180, 0}}[analyzed])
			})
		})
	}
}

// misprice is by which factor the estimate of a statement is off.
type misprice struct {
	factor  float64
	low     bool
	message string
}

// judge wants so many estimates to be within a factor of 1.2, and no more to be 3 times too low than the second number:
// how many rows have a value of an index is not known before ANALYZE.
func judge(t *testing.T, list []misprice, want [2]int) {
	t.Helper()
	slices.SortStableFunc(list, func(a, b misprice) int { return cmp.Compare(b.factor, a.factor) })
	within, low := 0, 0
	var worst []string
	for i := range list {
		if list[i].factor <= 1.2 {
			within++
		} else {
			worst = append(worst, list[i].message)
		}
		if list[i].low && list[i].factor > 3 {
			low++
		}
	}
	t.Logf("%d of %d estimates are within a factor of 1.2, %d more than 3 times too low\n%s", within, len(list), low,
		strings.Join(worst, "\n"))
	if within < want[0] || low > want[1] {
		t.Errorf("%d are within a factor of 1.2, and %d more than 3 times too low, want %v", within, low, want)
	}
}

// misprice runs a statement.
func (w *pricedWrites) misprice(sql string) misprice {
	w.t.Helper()
	thought := w.thought(sql)
	reads, writes := w.chargedBy(sql)
	out := misprice{factor: 1}
	for _, c := range [][2]float64{{thought.ReadUnits, reads}, {thought.WriteUnits, writes}} {
		by := math.Max(c[0], 1) / math.Max(c[1], 1)
		if f := math.Max(by, 1/by); f > out.factor {
			out.factor, out.low = f, by < 1
		}
	}
	out.message = fmt.Sprintf("%.2f: %.1f read and %.1f write units thought, %.1f and %.1f charged: %s", out.factor,
		thought.ReadUnits, thought.WriteUnits, reads, writes, sql)
	return out
}

// chargedBy runs a statement, and says what it was charged.
func (w *pricedWrites) chargedBy(sql string) (reads, writes float64) {
	w.t.Helper()
	for _, line := range answer(w.t, w.Session, "EXPLAIN (ANALYZE) "+sql) {
		if m := chargedUnits.FindStringSubmatch(line); m != nil {
			reads, _ = strconv.ParseFloat(m[1], 64)
			writes, _ = strconv.ParseFloat(cmp.Or(m[2], "0"), 64)
		}
	}
	time.Sleep(time.Minute)
	return reads, writes
}

// thought is what a statement is thought to be charged when it begins.
func (w *pricedWrites) thought(sql string) cost.Charge {
	w.t.Helper()
	parsed, err := parser.Parse(sql)
	if err != nil {
		w.t.Fatal(err)
	}
	tree := parsed[0].Statement
	st := &Statement{source: source{tree: tree, part: tree, text: sql}, noParams: true}
	if err := w.planning.plan(st); err != nil {
		w.t.Fatal(sql, err)
	}
	values := w.reach.context(w.t.Context(), nil)
	rows := cardinality.Estimator{Values: values}.Rows
	k := cost.Known{Values: values, Store: w.db.Store.Capabilities(), AtCommit: w.runner.writesBlindly(st, true)}
	n := st.chooser.Priced(w.admission.planFor(st, values, false), values)
	sum, _, _ := k.Writes(n, rows)
	sum.ReadUnits += k.Reads(n, rows).Units
	w.txn.Rollback()
	return sum
}
