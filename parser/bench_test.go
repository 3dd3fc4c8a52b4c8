package parser

import (
	"strings"
	"testing"

	libpg "github.com/pganalyze/pg_query_go/v6/parser"
)

const (
	pointSelect = "SELECT * FROM t WHERE id = $1"
	bigSelect   = "SELECT a, count(*), sum(b * (1 - c)) AS revenue FROM t AS x WHERE a = $1 AND b BETWEEN 1 AND 2 AND " +
		"c IN (1, 2, 3, 4) AND d LIKE 'x%' AND CASE WHEN e THEN f ELSE g END > 3 GROUP BY a HAVING count(*) > 1 ORDER BY revenue DESC LIMIT 10"
)

func BenchmarkParse(b *testing.B) {
	for name, sql := range map[string]string{
		"point":      pointSelect,
		"big":        bigSelect,
		"insert1000": "INSERT INTO t VALUES (1, 'a')" + strings.Repeat(", (1, 'a')", 999),
		"hint":       "SELECT /*+ use_index(t i) */ * FROM t WHERE id = $1",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParallel reads the same text in as many goroutines as there are processors.
func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := Parse(bigSelect); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkGrammar is the share of libpg_query, and then of protobuf, in the former.
func BenchmarkGrammar(b *testing.B) {
	for name, sql := range map[string]string{"point": pointSelect, "big": bigSelect} {
		b.Run("c/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := libpg.ParseToProtobuf(sql); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("c+protobuf/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := postgres(sql, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
