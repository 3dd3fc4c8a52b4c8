package planner_test

import (
	"testing"

	"zproxy/internal/plantest"
	"zproxy/parser"
	"zproxy/types"
)

// BenchmarkPlan plans a SELECT by the primary key and a join with groups.
func BenchmarkPlan(b *testing.B) {
	for _, q := range []struct{ name, text string }{
		{"point", "SELECT * FROM t WHERE id = $1"},
		{"join", "SELECT t.a, count(*) FROM t JOIN u USING (id) WHERE t.a IN (1, 2, 3) GROUP BY 1 ORDER BY a"},
	} {
		b.Run(q.name, func(b *testing.B) {
			var s plantest.Schema
			if err := s.Define("CREATE TABLE t (id int PRIMARY KEY, a int, b text)"); err != nil {
				b.Fatal(err)
			}
			if err := s.Define("CREATE TABLE u (id int PRIMARY KEY, c int)"); err != nil {
				b.Fatal(err)
			}
			list, err := parser.Parse(q.text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				p := s.Planner()
				p.Params = []types.T{types.Int4}
				if _, err := p.Plan(list[0].Statement); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
