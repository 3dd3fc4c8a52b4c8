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

	"zproxy/internal/testseed"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/parser"
)

var chargedUnits = regexp.MustCompile(`Charged: .*?([0-9.]+) read units?(?:, ([0-9.]+) write unit)?`)

// pricedTables are what TestPricedStatements asks: rows of several widths, keys of one and of two columns, and indexes
// of all kinds.
var pricedTables = []string{
	"CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int, note text)",
	"CREATE INDEX t_a ON t (a)", "CREATE INDEX t_b ON t (b) INCLUDE (c) WITH (shards = 4)",
	"CREATE TABLE d (cust int, at int, kind int, body text, PRIMARY KEY (cust, at))",
	"CREATE TABLE w (id int PRIMARY KEY, k int, body text)",
	"CREATE TABLE z (x int, y int, id int PRIMARY KEY)", "CREATE INDEX z_xy ON z USING zorder (x, y)",
	"INSERT INTO t SELECT i, i % 100, i % 50, i % 7, repeat('x', 150 + i % 100) FROM generate_series(1, 3000) i",
	"INSERT INTO d SELECT i / 50, i % 50, i % 5, repeat('y', 600) FROM generate_series(0, 2999) i",
	"INSERT INTO w SELECT i, i % 4, repeat('z', 20000) FROM generate_series(1, 80) i",
	"INSERT INTO z SELECT (i * 37) % 100, i / 30, i FROM generate_series(1, 3000) i",
}

// pricedClasses make statements, each with numbers of its own; an id that is new is above 100000.
var pricedClasses = []func(n func(int) int) string{
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM t WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM w WHERE id = %d", 1+n(80)) },
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT note FROM t WHERE id IN (%d, %d, %d, %d)", 1+n(700), 701+n(700), 1401+n(700), 2200+n(700))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM d WHERE cust = %d", n(60)) },
	func(n func(int) int) string {
		lo := n(40)
		return fmt.Sprintf("SELECT body FROM d WHERE cust = %d AND at >= %d AND at < %d", n(60), lo, lo+1+n(9))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT * FROM d WHERE cust = %d ORDER BY at DESC LIMIT %d", n(60), 1+n(20))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM t WHERE a = %d", n(100)) },
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT a FROM t WHERE a IN (%d, %d)", n(50), 50+n(50))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT count(*), sum(c) FROM t WHERE b = %d", n(50)) },
	func(n func(int) int) string {
		x, y := n(80), n(80)
		return fmt.Sprintf("SELECT count(*) FROM z WHERE x BETWEEN %d AND %d AND y BETWEEN %d AND %d", x, x+2+n(18), y, y+2+n(18))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT d.body, t.note FROM d JOIN t ON t.id = d.at + 1 WHERE d.cust = %d", n(60))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT t.b, d.kind FROM t JOIN d ON d.cust = t.a AND d.at = t.c WHERE t.id IN (%d, %d)", 1+n(1000), 1001+n(1000))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT kind, count(*) FROM d WHERE cust < %d GROUP BY kind", 5+n(50))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT k, max(length(body)) FROM w WHERE k <> %d GROUP BY k", n(4))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, 1, repeat('x', %d))", 100000+n(1<<30), n(100), n(50), 100+n(200))
	},
	func(n func(int) int) string {
		id := 100000 + n(1<<30)
		return fmt.Sprintf("INSERT INTO d SELECT %d, g, 1, repeat('y', 600) FROM generate_series(1, %d) g", id, 2+n(10))
	},
	func(n func(int) int) string { return fmt.Sprintf("UPDATE t SET c = c + 1 WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string {
		return fmt.Sprintf("UPDATE d SET kind = 9 WHERE cust = %d AND at < %d", n(60), 2+n(20))
	},
	func(n func(int) int) string { return fmt.Sprintf("DELETE FROM t WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string {
		return fmt.Sprintf("INSERT INTO d VALUES (%d, %d, 3, repeat('y', 600)) ON CONFLICT (cust, at) DO UPDATE SET kind = 3", n(60), n(100))
	},
}

// TestPricedStatements compares what statements are thought to be charged, before their first request, with what they
// are charged.
func TestPricedStatements(t *testing.T) {
	for _, analyzed := range []bool{true, false} {
		t.Run(fmt.Sprintf("analyzed=%v", analyzed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(testseed.Of(t), 3))
			synctest.Test(t, func(t *testing.T) {
				w := newPricedWrites(t)
				accepted(t, w.Session, pricedTables...)
				if analyzed {
					accepted(t, w.Session, "ANALYZE t, d, w, z")
				}
				w.db.analyzer.Measure(t.Context()) // as a server does before it renews statistics
				var off []misprice
				for i := range 200 {
					off = append(off, w.misprice(pricedClasses[i%len(pricedClasses)](random.IntN)))
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
