package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// geometries draws rows with points, and conditions on these.
type geometries struct{ *rand.Rand }

// number is often one of a few, so that points are equal and on boundaries.
func (g geometries) number() string {
	if g.IntN(3) > 0 {
		return fmt.Sprint(g.IntN(20) - 5)
	}
	return fmt.Sprintf("%.3f", g.NormFloat64()*8)
}

func (g geometries) point() string { return "ST_MakePoint(" + g.number() + ", " + g.number() + ")" }

// value is a point of a row, as geometry and as a point of PostgreSQL's own.
func (g geometries) value() string {
	switch g.IntN(30) {
	case 0:
		return "NULL"
	case 1:
		return "ST_GeomFromText('POINT EMPTY')"
	case 2:
		return "ST_MakePoint('Infinity', " + g.number() + ")"
	}
	return g.point()
}

func (g geometries) shape() string {
	switch g.IntN(6) {
	case 0:
		return g.point()
	case 1:
		return "ST_MakeLine(ST_MakePoint(" + g.number() + ", 3), " + g.point() + ")"
	case 2:
		x, y := g.IntN(12)-6, g.IntN(12)-6
		return fmt.Sprintf("ST_GeomFromText('POLYGON((%d %d, %d %d, %d %d, %d %d))')", x, y, x+1+g.IntN(9), y, x+2,
			y+1+g.IntN(9), x, y)
	case 3:
		return "'POLYGON EMPTY'::geometry"
	}
	x, y := g.IntN(12)-6, g.IntN(12)-6
	return fmt.Sprintf("ST_MakeEnvelope(%d, %d, %d, %d)", x, y, x+g.IntN(8), y+g.IntN(8))
}

// condition is about the column at or p, in one of the forms that bound it.
func (g geometries) condition() string {
	column := []string{"at", "p"}[g.IntN(2)]
	a, b := column, g.shape()
	if g.IntN(2) == 0 {
		a, b = b, a
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("ST_DWithin(%s, %s, %d)", a, b, g.IntN(6))
	case 1:
		return fmt.Sprintf("ST_Distance(%s, %s) < %d", a, b, g.IntN(6))
	case 2:
		return fmt.Sprintf("%d >= %s <-> %s", g.IntN(6), a, b)
	case 3:
		return fmt.Sprintf("p <@ box '(%s,%s),(%s,%s)'", g.number(), g.number(), g.number(), g.number())
	case 4:
		return fmt.Sprintf("circle '<(%s,%s),%d>' @> p", g.number(), g.number(), g.IntN(5))
	case 5:
		return a + " && " + b
	}
	name := []string{"ST_Within", "ST_Contains", "ST_Intersects", "ST_Covers", "ST_CoveredBy"}[g.IntN(5)]
	return fmt.Sprintf("%s(%s, %s)", name, a, b)
}

func (g geometries) where() string {
	switch g.IntN(6) {
	case 0:
		return g.condition() + " OR " + g.condition()
	case 1:
		return g.condition() + " AND " + g.condition()
	case 2:
		return g.condition() + fmt.Sprintf(" AND n < %d", g.IntN(10))
	}
	return g.condition()
}

// change is a statement about %s that changes rows.
func (g geometries) change(id int) string {
	v := g.value()
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("DELETE FROM %%s WHERE id = %d", g.IntN(id))
	case 1:
		return fmt.Sprintf("UPDATE %%s SET at = %s, p = %s WHERE id = %d", v, v, g.IntN(id))
	}
	return fmt.Sprintf("INSERT INTO %%s VALUES (%d, %s, %s, %d)", id, v, v, g.IntN(10))
}

// TestPointsByZOrder asks a table with Z-order indexes on its points, and one without, and wants the same rows.
func TestPointsByZOrder(t *testing.T) {
	for _, k := range append(slices.Clone(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			g := geometries{rand.New(rand.NewPCG(testseed.Of(t), 1))}
			conn := openDB(t, k).connect(t)
			for _, table := range []string{"indexed", "plain"} {
				must(t, conn, fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, at geometry(Point), p point, n int)", table))
			}
			change := func(from, to int) {
				for id := from; id < to; id++ {
					statement := g.change(id)
					for _, table := range []string{"indexed", "plain"} {
						must(t, conn, fmt.Sprintf(statement, table))
					}
				}
			}
			change(1, 300)
			must(t, conn, "CREATE INDEX a ON indexed USING zorder (at)",
				"CREATE INDEX b ON indexed USING zorder (p, n)",
				"CREATE INDEX c ON indexed USING zorder (p) INCLUDE (n)",
				"CREATE INDEX d ON indexed USING zorder (at, p) WITH (covering = 'none', shards = 3)", "ANALYZE")
			change(300, 500)
			boxes, found := 0, 0
			for range 120 {
				where := g.where()
				ask := func(table string) string {
					query := "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM " + table + " WHERE "
					if table == "indexed" && g.IntN(2) == 0 {
						query = "/*+ USE_INDEX(indexed " + string("abcd"[g.IntN(4)]) + ") */ " + query
					}
					return strings.Join(texts(t, conn, query+where), "\n")
				}
				got, want := ask("indexed"), ask("plain")
				if got != want {
					t.Fatalf("WHERE %s\n has %s\nwant %s", where, got, want)
				}
				if want != "" {
					found++
				}
				if strings.Contains(texts(t, conn, "EXPLAIN SELECT id FROM indexed WHERE "+where)[0], "Z-Order Scan") {
					boxes++
				}
			}
			if boxes < 20 || found < 40 {
				t.Errorf("%d queries read boxes, and %d found rows", boxes, found)
			}
		})
	}
}
