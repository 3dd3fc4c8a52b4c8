package e2e

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// driverRow is a row of the table of TestDriverRows.
type driverRow struct {
	A int32
	B *string
	N float64
}

// TestDriverRows looks the type of a table's rows up as drivers do, reads rows and arrays of them
// in binary and as text, and sends them back.
func TestDriverRows(t *testing.T) {
	ctx := context.Background()
	c := openDB(t, inMemory).connect(t)
	must(t, c, "CREATE TABLE r (a int PRIMARY KEY, b text, n float8)",
		`INSERT INTO r VALUES (1, 'x "y", (z)', 1.5), (2, NULL, 2)`)
	for _, name := range []string{"r", "r[]"} {
		typ, err := c.LoadType(ctx, name)
		if err != nil {
			t.Fatal(name, err)
		}
		c.TypeMap().RegisterType(typ)
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe,
		pgx.QueryExecModeDescribeExec} {
		var one driverRow
		if err := c.QueryRow(ctx, "SELECT r FROM r WHERE a = $1", mode, 1).Scan(&one); err != nil || one.A != 1 ||
			*one.B != `x "y", (z)` || one.N != 1.5 {
			t.Errorf("%s: %+v %v", mode, one, err)
		}
		var all []driverRow
		if err := c.QueryRow(ctx, "SELECT array_agg(r ORDER BY a) FROM r", mode).Scan(&all); err != nil ||
			len(all) != 2 || all[1].B != nil {
			t.Fatalf("%s: %+v %v", mode, all, err)
		}
		var text, each string
		var same bool
		err := c.QueryRow(ctx, "SELECT $1::r::text, $1::r = (SELECT r FROM r WHERE a = 2), ($2::r[])[1]::text", mode,
			all[1], all).Scan(&text, &same, &each)
		if want := `(1,"x ""y"", (z)",1.5)`; err != nil || text != "(2,,2)" || !same || each != want {
			t.Errorf("%s: %q %v %q %v", mode, text, same, each, err)
		}
	}
}
