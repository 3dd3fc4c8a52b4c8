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

// TestDynamicColumns sends the same random statements to a table whose columns are dynamic, all but the key and one,
// and to one whose schema names them: both give the same answers, also by their indexes.
func TestDynamicColumns(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake) {
		for _, of := range []string{"varbinary", "json"} {
			t.Run(k.name+"/"+of, func(t *testing.T) {
				c := openDB(t, k).connect(t)
				r := rand.New(rand.NewPCG(testseed.Of(t), 6))
				d := &dynamicTables{t: t, c: c, random: r, column: "bytea"}
				if of == "json" {
					d.column = "jsonb"
				}
				d.define(of)
				for range 60 {
					d.write()
					d.compare()
				}
				must(t, c, "CHECK INDEXES ON loose")
			})
		}
	}
}

// dynamicTables are the two tables, loose and named.
type dynamicTables struct {
	t      *testing.T
	c      *pgx.Conn
	random *rand.Rand
	column string // its type
}

// dynamicNames are the names of the dynamic columns; one has to be quoted.
var dynamicNames = []string{"a", "b", `"Über c"`, "d1"}

func (d *dynamicTables) define(of string) {
	named := strings.Join(dynamicNames, " "+d.column+", ") + " " + d.column
	must(d.t, d.c, "CREATE TABLE loose (p int, k int, f int, PRIMARY KEY (p, k)) WITH (DYNAMIC_COLUMNS = '"+of+"')",
		"CREATE TABLE named (p int, k int, f int, "+named+", PRIMARY KEY (p, k))",
		"CREATE INDEX loose_f ON loose (f) WITH (INDEX_COVERED_TYPE = 'COVERED_DYNAMIC_COLUMNS')",
		"CREATE INDEX loose_k ON loose (k) WITH (INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA')",
		"CREATE INDEX loose_z ON loose USING zorder (f, k)")
}

// value is a literal for a dynamic column.
func (d *dynamicTables) value() string {
	switch n := d.random.IntN(5); {
	case n == 0:
		return "NULL"
	case d.column == "jsonb":
		return []string{"'1'", "'\"x\"'", `'{"a": [1, null]}'`, "'true'"}[d.random.IntN(4)]
	}
	return []string{`'\x'`, `'\x00'`, `'\xff41'`, `'\x41'`}[d.random.IntN(4)]
}

// some are some of the dynamic columns, at least one.
func (d *dynamicTables) some() []string {
	names := slices.Clone(dynamicNames)
	d.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+d.random.IntN(len(names))]
}

// write sends a random statement to both tables.
func (d *dynamicTables) write() {
	r, names := d.random, d.some()
	var values, set, excluded []string
	for _, n := range names {
		v := d.value()
		values, set = append(values, v), append(set, n+" = "+v)
		excluded = append(excluded, n+" = excluded."+n)
	}
	p, k, f := r.IntN(3), r.IntN(4), r.IntN(3)
	into := fmt.Sprintf("INTO $ (k, %s, p, f) ", strings.Join(names, ", "))
	row := fmt.Sprintf("(%d, %s, %d, %d)", k, strings.Join(values, ", "), p, f)
	sql := ""
	switch r.IntN(7) {
	case 0:
		sql = "UPSERT " + into + "VALUES " + row
	case 1:
		sql = "INSERT " + into + "VALUES " + row + " ON CONFLICT (p, k) DO UPDATE SET f = 7, " +
			strings.Join(excluded, ", ")
	case 2:
		sql = "INSERT " + into + fmt.Sprintf("SELECT %d, %s::%s, %d, %d", k,
			strings.Join(values, "::"+d.column+", "), d.column, p, f)
		sql += fmt.Sprintf(" WHERE NOT EXISTS (SELECT FROM $ WHERE p = %d AND k = %d)", p, k)
	case 3:
		sql = fmt.Sprintf("UPDATE $ SET f = f + 1, %s WHERE f = %d", strings.Join(set, ", "), f)
	case 4:
		sql = fmt.Sprintf("UPDATE $ SET %s = %s, %s = DEFAULT WHERE k = %d", dynamicNames[0], dynamicNames[1],
			dynamicNames[2], k)
	case 5:
		sql = fmt.Sprintf("DELETE FROM $ WHERE %s IS NULL AND p = %d", names[0], p)
	default:
		sql = "INSERT " + into + "VALUES " + row + " ON CONFLICT DO NOTHING"
	}
	must(d.t, d.c, strings.ReplaceAll(sql, "$", "loose"), strings.ReplaceAll(sql, "$", "named"))
}

// compare asks both tables the same.
func (d *dynamicTables) compare() {
	all := strings.Join(dynamicNames, ", ")
	for _, q := range []string{
		"SELECT p, k, f, " + all + " FROM $ ORDER BY p, k",
		"SELECT " + all + ", k FROM $ WHERE f = 1 ORDER BY p, k",
		"SELECT x.f, " + all + " FROM $ AS x WHERE x.k = 2 ORDER BY p",
		"SELECT f, k, b FROM $ WHERE f BETWEEN 0 AND 1 AND k BETWEEN 1 AND 2 ORDER BY p, k",
		fmt.Sprintf("SELECT p, k FROM $ WHERE %s = %s ORDER BY p, k", d.some()[0], d.value()),
		"SELECT a, count(*) FROM $ GROUP BY a ORDER BY a",
		"SELECT l.b, r.a FROM $ l JOIN $ r ON l.a = r.a ORDER BY 1, 2",
	} {
		loose := wholeRows(d.t, d.c, strings.ReplaceAll(q, "$", "loose"))
		named := wholeRows(d.t, d.c, strings.ReplaceAll(q, "$", "named"))
		if !slices.Equal(loose, named) {
			d.t.Fatalf("%s: %v, of named columns %v", q, loose, named)
		}
	}
}
