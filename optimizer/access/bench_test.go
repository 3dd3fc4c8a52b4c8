package access_test

import (
	"testing"

	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/types"
)

func benchScan(b *testing.B, sql string) plan.Scan {
	var s plantest.Schema
	for _, ddl := range []string{
		"CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL, d int)",
		"CREATE INDEX t_abc ON t (a, b, c)",
		"CREATE INDEX t_b ON t (b)",
		"CREATE INDEX t_z ON t USING zorder (a, b, c)",
	} {
		if err := s.Define(ddl); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Know("t",
		"rows 1000000\na distinct=1000000 min=0 max=1000000\nb distinct=1000000 min=0 max=1000000\nc distinct=1000000 min=0 max=1000000"); err != nil {
		b.Fatal(err)
	}
	n, err := s.Plan(sql)
	if err != nil {
		b.Fatal(err)
	}
	o := optimizer.Options{Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}}
	if n, err = optimizer.Optimize(n, &o); err != nil {
		b.Fatal(err)
	}
	scan, _ := scanOf(n)
	return scan
}

func BenchmarkChoose(b *testing.B) {
	for name, sql := range map[string]string{
		"box":   "SELECT id FROM t WHERE a BETWEEN $1 AND $2 AND b BETWEEN $3 AND $4 AND c BETWEEN $5 AND $6",
		"point": "SELECT id FROM t WHERE id = $1",
	} {
		b.Run(name, func(b *testing.B) {
			scan := benchScan(b, sql)
			b.ReportAllocs()
			for b.Loop() {
				access.Choose(scan, access.Store{OrderedPartitions: true}, access.Off{}, &types.Env{})
			}
		})
	}
}

func BenchmarkChooseForValues(b *testing.B) {
	scan := benchScan(b, "SELECT id FROM t WHERE a BETWEEN $1 AND $2 AND b BETWEEN $3 AND $4 AND c BETWEEN $5 AND $6")
	known := &expr.Context{Env: &types.Env{}}
	for range 3 {
		known.Params = append(known.Params, types.NewInt(1000), types.NewInt(200000))
	}
	contest := access.Waiting(scan, access.Store{OrderedPartitions: true}, access.Off{}, &types.Env{})
	b.ReportAllocs()
	for b.Loop() {
		contest.Choose(known, false)
	}
}
