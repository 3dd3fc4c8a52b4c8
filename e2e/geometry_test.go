package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

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

// pointTables makes a table with Z-order indexes on its points, indexed, and one without, plain, with the same rows;
// and one that is stored in the Z-order of points, stored, whose rows located has, too.
func pointTables(t *testing.T, g geometries, conn *pgx.Conn) {
	t.Helper()
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
	must(t, conn, "CREATE VIEW located AS SELECT * FROM plain WHERE at IS NOT NULL",
		"CREATE TABLE stored AS SELECT * FROM located WHERE id < 300",
		"ALTER TABLE stored ADD PRIMARY KEY USING zorder (at, id)")
	for id := 300; id < 500; id += 50 { // a transaction of DynamoDB has few rows
		must(t, conn, fmt.Sprintf("INSERT INTO stored SELECT * FROM located WHERE id BETWEEN %d AND %d", id, id+49))
	}
	must(t, conn, "ANALYZE stored")
}

// pair is a table that is read by boxes, and one that is not, with the same rows.
func (g geometries) pair() (fast, slow string) {
	if g.IntN(3) == 0 {
		return "stored", "located"
	}
	return "indexed", "plain"
}

// TestPointsByZOrder asks a table with Z-order indexes on its points, and one without, and wants the same rows.
func TestPointsByZOrder(t *testing.T) {
	for _, k := range append(slices.Clone(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			g := geometries{rand.New(rand.NewPCG(testseed.Of(t), 1))}
			conn := openDB(t, k).connect(t)
			pointTables(t, g, conn)
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
				fast, slow := g.pair()
				got, want := ask(fast), ask(slow)
				if got != want {
					t.Fatalf("WHERE %s\n has %s\nwant %s", where, got, want)
				}
				if want != "" {
					found++
				}
				if strings.Contains(texts(t, conn, "EXPLAIN SELECT id FROM "+fast+" WHERE "+where)[0], "Z-Order Scan") {
					boxes++
				}
			}
			if boxes < 20 || found < 40 {
				t.Errorf("%d queries read boxes, and %d found rows", boxes, found)
			}
		})
	}
}

// nearest is a query of %s for the rows nearest to something. Of rows that are as far only the distance is compared, or
// the order is by their number.
func (g geometries) nearest() string {
	column := []string{"at", "p"}[g.IntN(2)]
	to := g.shape()
	if column == "p" {
		to = fmt.Sprintf("point(%s, %s)", g.number(), g.number())
	}
	distance := fmt.Sprintf([]string{"%s <-> %s", "%[2]s <-> %[1]s"}[g.IntN(2)], column, to)
	if column == "at" && g.IntN(3) == 0 {
		distance = fmt.Sprintf("ST_Distance(%s, %s)", column, to)
	}
	where := []string{"", "WHERE n < 5 ", "WHERE n = 3 ", "WHERE id > 40 ", "WHERE at IS NULL ",
		"WHERE " + g.condition() + " ", "WHERE id %% 20 = 3 ", "WHERE id %% 40 = 1 ", "WHERE id %% 9 < 2 AND n < 8 "}[g.IntN(9)]
	limit := fmt.Sprintf("LIMIT %d", 1+g.IntN(1+g.IntN(20)))
	if g.IntN(3) == 0 {
		limit += fmt.Sprintf(" OFFSET %d", g.IntN(20))
	}
	switch g.IntN(12) {
	case 0:
		limit = "" // everything
	case 1:
		limit = "LIMIT 1000"
	case 2:
		return fmt.Sprintf("SELECT c || ' ' || id FROM centers, LATERAL (SELECT id FROM %%s "+
			"%sORDER BY %s <-> centers.%s, id LIMIT 4) AS t ORDER BY c, id", where, column, column)
	case 3, 4:
		return fmt.Sprintf("SELECT coalesce((%s)::text, '') FROM %%s %sORDER BY %s %s", distance, where,
			distance, limit)
	}
	direction := []string{"", "", "", "", "", "", " DESC NULLS LAST", " NULLS FIRST"}[g.IntN(8)]
	ties := []string{"id", "n DESC, id", "id DESC"}[g.IntN(3)]
	return fmt.Sprintf("SELECT id || ' ' || coalesce(far::text, '') FROM (SELECT id, %s AS far FROM %%s "+
		"%sORDER BY far%s, %s %s) AS t", distance, where, direction, ties, limit)
}

// TestNearestByZOrder asks both tables for the rows nearest to shapes, and wants the same in the same order.
func TestNearestByZOrder(t *testing.T) {
	for _, k := range append(slices.Clone(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			g := geometries{rand.New(rand.NewPCG(testseed.Of(t), 2))}
			conn := openDB(t, k).connect(t)
			pointTables(t, g, conn)
			must(t, conn, "CREATE TABLE centers (c int PRIMARY KEY, at geometry(Point), p point)",
				"INSERT INTO centers SELECT i, ST_MakePoint(i * 3 - 9, 4 - i), point(i, 2) FROM generate_series(1, 5) AS i",
				"INSERT INTO centers VALUES (6, NULL, NULL), (7, 'POINT EMPTY', point(900, 7))")
			found, later := 0, 0
			for range 200 {
				query := g.nearest()
				fast, slow := g.pair()
				got := texts(t, conn, fmt.Sprintf(query, fast))
				if want := texts(t, conn, fmt.Sprintf(query, slow)); !slices.Equal(got, want) {
					t.Fatalf("%s\n has %s\nwant %s", query, got, want)
				}
				shown := strings.Join(texts(t, conn, "EXPLAIN ANALYZE "+fmt.Sprintf(query, fast)), "\n")
				if strings.Contains(shown, "Rounds: ") && strings.Contains(shown, "never executed") {
					found++
					if !strings.Contains(shown, "Rounds: 1\n") {
						later++
					}
				}
			}
			if found < 20 || later < 5 {
				t.Errorf("of %d queries rounds had enough rows, of %d not the first", found, later)
			}
		})
	}
}
