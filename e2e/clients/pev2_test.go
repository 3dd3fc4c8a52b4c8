package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// drawings are statements, and how the boxes that pev2 draws of their nodes begin.
var drawings = []struct {
	sql   string
	boxes []string
}{
	{"EXPLAIN (FORMAT JSON) SELECT * FROM orders WHERE total > 10", []string{"Seq Scan #1 on orders as orders"}},
	{"EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM orders o JOIN items i ON o.item = i.id", []string{
		"Hash Inner Join #1 on o.item = i.id", "Seq Scan #2 on orders as o", "Hash #3", "Seq Scan #4 on items as i"}},
	{"EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM orders o JOIN items i ON o.item = i.id WHERE o.id < 4", []string{
		"Nested Loop #1", "Index Scan #2 on orders as o using orders_pkey",
		"Index Scan #3 on items as i using items_pkey"}},
	{"EXPLAIN (ANALYZE, FORMAT JSON) SELECT item, sum(total) FROM orders GROUP BY item ORDER BY 2 LIMIT 3", []string{
		"Limit #1", "Sort #2 by sum(total)", "Simple HashAggregate #3 by item", "Seq Scan #4 on orders as orders"}},
	{`EXPLAIN (ANALYZE, FORMAT JSON) WITH large AS MATERIALIZED (SELECT * FROM orders WHERE total > 50)
		SELECT * FROM large a JOIN large b ON a.id = b.item`, []string{"Hash Inner Join #1 on a.id = b.item",
		"CTE large Seq Scan #2 on orders as orders", "CTE Scan #3 on a CTE large", "Hash #4",
		"CTE Scan #5 on b CTE large"}},
	{`EXPLAIN (ANALYZE, FORMAT JSON) SELECT (SELECT max(name) FROM items WHERE id <> o.item) FROM orders o
		WHERE total > (SELECT avg(total) + 40 FROM orders)`, []string{"Seq Scan #1 on orders as o",
		"InitPlan 2 (returns $1) Simple Aggregate #2", "Seq Scan #3 on orders as orders",
		"SubPlan 1 Memoize #4", "Simple Aggregate #5", "Seq Scan #6 on items as items"}},
	{"EXPLAIN (ANALYZE, FORMAT JSON) UPDATE orders SET total = total + 1 WHERE item = 3", []string{
		"Update #1 on orders", "Index Scan #2 on orders as orders using orders_item"}},
	{"EXPLAIN (ANALYZE, VERBOSE, SETTINGS, FORMAT JSON) SELECT * FROM orders o JOIN items i ON o.item = i.id", []string{
		"Hash Inner Join #1 on o.item = i.id", "Seq Scan #2 on public.orders as o", "Hash #3",
		"Seq Scan #4 on public.items as i"}},
	{"EXPLAIN (ANALYZE) SELECT * FROM orders JOIN items ON item = items.id", []string{
		"Hash Join #1 on orders.item = items.id", "Seq Scan #2 on orders", "Hash #3", "Seq Scan #4 on items"}},
	{`EXPLAIN (ANALYZE) WITH large AS MATERIALIZED (SELECT * FROM orders WHERE total > 90)
		SELECT (SELECT max(name) FROM items WHERE id <> large.item) FROM large`, []string{"CTE Scan #1 CTE large",
		"CTE large Seq Scan #2 on orders", "SubPlan 2 Memoize #3", "Aggregate #4", "Seq Scan #5 on items"}},
	{"EXPLAIN (ANALYZE) UPDATE orders SET total = total + 1 WHERE item = 3", []string{
		"Update #1 on orders", "Index Scan #2 on orders using orders_item"}},
}

// planned is a plan that the page draws, and drawn is what it shows of it.
type planned struct {
	Source string `json:"source"`
	Nodes  int    `json:"nodes"`
}

type drawn struct {
	Top    string
	Boxes  []string
	Errors []string
}

// TestPev2 has pev2, which draws plans of PostgreSQL, draw those of zproxy in a browser.
func TestPev2(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skipf("pev2 is not run: %v", err)
	}
	modules, err := nodeModules("pev2")
	if err != nil {
		t.Skipf("pev2 is not run: %v", err)
	}
	s := startZproxy(t)
	s.psql(t, database, "-f", "pev2/schema.sql")
	c, err := pgx.Connect(t.Context(), "postgres://postgres@"+s.address+"/"+database+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(t.Context(), "SET work_mem = '8MB'"); err != nil {
		t.Fatal(err)
	}
	var plans []planned
	for _, d := range drawings {
		rows, _ := c.Query(t.Context(), d.sql)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", d.sql, err)
		}
		plans = append(plans, planned{strings.Join(lines, "\n"), len(d.boxes)})
	}
	for i, got := range s.draw(t, modules, plans) {
		if problems := got.differs(plans[i].Source, drawings[i].boxes); len(problems) > 0 {
			t.Errorf("%s\n%s\n%s\nis drawn as\n%s\n%s", drawings[i].sql, plans[i].Source,
				strings.Join(problems, "\n"), got.Top, strings.Join(got.Boxes, "\n"))
		}
	}
}

// draw gives what pev2 shows of plans. The page that mounts it fetches them and sends it back.
func (s server) draw(t *testing.T, modules string, plans []planned) (out []drawn) {
	t.Helper()
	sent := make(chan error, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("pev2")))
	mux.Handle("/node_modules/", http.StripPrefix("/node_modules", http.FileServer(http.Dir(modules))))
	mux.HandleFunc("/plans", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(plans) })
	mux.HandleFunc("/drawn", func(_ http.ResponseWriter, r *http.Request) {
		sent <- json.NewDecoder(r.Body).Decode(&out)
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	// Its own sandbox does not work for root.
	c := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+t.TempDir(), web.URL+"/page.html")
	var log bytes.Buffer
	c.Env, c.Stdout, c.Stderr = s.environment(t), &log, &log
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-sent:
		if cancel(); err != nil {
			t.Error(err)
		}
		<-ended
	case err := <-ended:
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	if len(out) != len(plans) {
		t.Fatalf("%d plans are drawn, not %d", len(out), len(plans))
	}
	return out
}

// numbersOf are the cost, the expected rows, the time, the rows and the loops of each node, in JSON and in text.
var numbersOf = map[bool]*regexp.Regexp{
	true: regexp.MustCompile(`"Total Cost": ([\d.]+),\s+"Plan Rows": (\d+),\s+"Plan Width": \d+` +
		`(?:,\s+"Actual Startup Time": [\d.]+,\s+"Actual Total Time": ([\d.]+),` +
		`\s+"Actual Rows": (\d+),\s+"Actual Loops": (\d+))?`),
	false: regexp.MustCompile(`\(cost=[\d.]+\.\.([\d.]+) rows=(\d+) width=\d+\)` +
		`(?: \(actual time=[\d.]+\.\.([\d.]+) rows=(\d+) loops=(\d+)\))?`),
}

// boxNumbers are what a box shows of the first four of these numbers, for all loops.
var boxNumbers = []struct {
	what  string
	shown *regexp.Regexp
}{
	{"cost", regexp.MustCompile(`\(Total: ([\d,.]+)\)`)},
	{"expected rows", regexp.MustCompile(`\(Planned: ~?([\d,]+)\)`)},
	{"time", regexp.MustCompile(`Actual Total Time ([\d.]+)ms`)},
	{"rows", regexp.MustCompile(`Rows: ~?([\d,]+) \(`)},
}

var (
	order = regexp.MustCompile(` #(\d+) `)
	below = regexp.MustCompile(`Timing: -\d`) // less than what is subtracted for the nodes below
	times = regexp.MustCompile(`Execution time: [\d.]+m?s Planning time: [\d.]+m?s( Settings: 1)?`)
)

// differs says what of a drawing is not what the plan has.
func (d *drawn) differs(source string, boxes []string) []string {
	problems := d.Errors
	nodes := numbersOf[strings.HasPrefix(source, "[")].FindAllStringSubmatch(source, -1)
	if len(d.Boxes) != len(boxes) || len(nodes) != len(boxes) {
		return append(problems, fmt.Sprintf("%d boxes of %d nodes, not %d", len(d.Boxes), len(nodes), len(boxes)))
	}
	slices.SortFunc(d.Boxes, func(a, b string) int { return int(number(order, a) - number(order, b)) })
	for i, box := range d.Boxes {
		if !strings.HasPrefix(box, boxes[i]+" ") {
			problems = append(problems, "not the box "+boxes[i])
		}
		problems = append(problems, differingNumbers(box, nodes[i][1:])...)
	}
	shown := times.FindStringSubmatch(d.Top)
	if strings.Contains(source, "Execution Time") &&
		(shown == nil || strings.Contains(source, `"Settings"`) != (shown[1] != "")) {
		problems = append(problems, "other times or settings of the statement")
	}
	return problems
}

// differingNumbers compares a box with the numbers of its node, whose times it rounds to three digits.
func differingNumbers(box string, node []string) (problems []string) {
	loops, _ := strconv.ParseFloat(node[4], 64)
	if strings.Contains(box, "Never executed") && loops != 0 || node[4] == "" && strings.Contains(box, "Timing:") {
		problems = append(problems, "not as often executed: "+box)
	}
	if below.MatchString(box) {
		problems = append(problems, "a time below zero: "+box)
	}
	for i, n := range boxNumbers {
		want, err := strconv.ParseFloat(node[i], 64)
		if i > 0 {
			want *= max(loops, 1)
		}
		slow := n.what == "time" && want > 999 // it is shown in other units
		if got := number(n.shown, box); err == nil && !slow && math.Abs(got-want) > want/100 {
			problems = append(problems, fmt.Sprintf("%s %g, not %g: %s", n.what, got, want, box))
		}
	}
	return problems
}

// number is what a pattern finds, or 0.
func number(pattern *regexp.Regexp, text string) float64 {
	found := append(pattern.FindStringSubmatch(text), "", "")
	n, _ := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	return n
}
