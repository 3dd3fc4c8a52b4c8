package main

import (
	"strings"
	"testing"
)

func TestParseExplained(t *testing.T) {
	for _, c := range []struct {
		plan string
		want explained
	}{
		{`Z-Order Scan using z_u_abc on z_u (actual time=0.018 rows=4 loops=1)
  Index Cond: ((a >= 1) AND (a <= 2))
  Read: 1 request, 6 keys examined, 4 rows kept, 138 bytes
Execution Time: 0.025 ms`, explained{4, 6, 25, "z_u_abc"}},
		{`Seq Scan on z_u (actual time=1.2 rows=0 loops=1)
  Read: 1 request, 1 key examined, 0 rows kept
Execution Time: 1.5 ms`, explained{0, 1, 1500, "table"}},
		{`Index Only Scan Backward using z_u_btree on z_u  (cost=0.43..8.45 rows=1 width=8) (actual rows=20 loops=1)
Execution Time: 0.5 ms`, explained{20, 0, 500, "z_u_btree"}},
		{`Bitmap Heap Scan on z_u (actual rows=2 loops=1)
  ->  BitmapAnd (actual rows=2 loops=1)
        ->  Bitmap Index Scan on z_u_b (actual rows=20 loops=1)
        ->  Bitmap Index Scan on z_u_c (actual rows=30 loops=1)
Execution Time: 0.5 ms`, explained{2, 0, 500, "z_u_b+z_u_c"}},
	} {
		got, err := parseExplained(strings.Split(c.plan, "\n"))
		if err != nil || got != c.want {
			t.Errorf("%s\nis read as %v, %v, want %v", c.plan, got, err, c.want)
		}
	}
	if _, err := parseExplained([]string{"Result"}); err == nil {
		t.Error("a plan without figures is taken")
	}
}

func TestGoals(t *testing.T) {
	table := goalTable([]goal{{"fast", 20, 21.5, true}, {"small", 1.25, 1.3, false}})
	const want = "| goal | wanted | reached | met |\n|---|---|---|---|\n" +
		"| fast | at least 20.0 | **21.5** | yes |\n| small | at most 1.25 | **1.30** | no |\n"
	if got := table.markdown(); got != want {
		t.Errorf("goals are\n%s", got)
	}
}
