package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestPartitionsAsOneTable sends the same random statements to a table in partitions and to one of the same columns
// without: both give the same answers.
func TestPartitionsAsOneTable(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			for _, seed := range seeds(t, 2) {
				p := &partitionedTables{dice: newDice(seed), t: t, c: openDB(t, k).connect(t).PgConn()}
				p.define()
				for range 80 {
					p.both(p.write())
					p.both(p.query())
					if p.chance(10) {
						p.replace()
					}
				}
				p.both("SELECT at, id, n, note FROM $ ORDER BY at, id")
			}
		})
	}
}

// partitionedTables are the two tables, parts and plain.
type partitionedTables struct {
	dice
	t *testing.T
	c *pgconn.PgConn
}

// define makes the tables; at is from 0 to 29, and no value is without a partition.
func (p *partitionedTables) define() {
	key := pick(p.dice, []string{", PRIMARY KEY (at, id)", ", PRIMARY KEY (id, at)", ", UNIQUE (at, id)"})
	columns := " (id int, at int NOT NULL, n int DEFAULT 7, note text CHECK (note <> 'bad')" + key + ")"
	p.do("CREATE TABLE parts" + columns + " PARTITION BY RANGE (at)")
	p.do("CREATE TABLE plain" + columns)
	first := "MINVALUE"
	if p.chance(2) {
		p.do("CREATE TABLE parts_others PARTITION OF parts DEFAULT")
		first = "3"
	}
	p.do("CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (" + first + ") TO (10)")
	if p.chance(2) {
		p.both("CREATE INDEX ON $ (n, at)")
	}
	p.do("CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (12) TO (MAXVALUE)")
	p.do("CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (12)")
	if p.chance(2) {
		p.both("CREATE INDEX ON $ (note) INCLUDE (n)")
	}
}

// replace detaches a partition and attaches it again, or a copy of it whose columns are in another order.
func (p *partitionedTables) replace() {
	p.do("ALTER TABLE parts DETACH PARTITION parts_2")
	if p.chance(2) {
		columns := []string{"id int NOT NULL", "at int NOT NULL", "n int", "gone int",
			"note text CONSTRAINT parts_note_check CHECK (note <> 'bad')"}
		p.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		p.do("CREATE TABLE copied (" + strings.Join(columns, ", ") +
			pick(p.dice, []string{"", ", UNIQUE (id, n, at)"}) + ")")
		p.do(pick(p.dice, []string{"", "CREATE INDEX ON copied (n, at)", "CREATE INDEX ON copied (note) WHERE n > 3"}))
		p.do("ALTER TABLE copied DROP COLUMN gone")
		p.do("INSERT INTO copied (note, n, at, id) SELECT note, n, at, id FROM parts_2")
		p.do("DROP TABLE parts_2")
		p.do("ALTER TABLE copied RENAME TO parts_2")
	}
	p.do("ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (10) TO (12)")
}

// write is a random statement that writes.
func (p *partitionedTables) write() string {
	row := func() string {
		return fmt.Sprintf("(%d, %d, %d, '%s')", p.IntN(6), p.IntN(30), p.IntN(9),
			pick(p.dice, []string{"a", "b", "c", "bad"}))
	}
	rows := []string{row()}
	for range p.IntN(5) {
		rows = append(rows, row())
	}
	values := "VALUES " + strings.Join(rows, ", ")
	returning := pick(p.dice, []string{"", " RETURNING id, at, n"})
	switch p.IntN(9) {
	case 0, 1:
		return "INSERT INTO $ " + values + returning
	case 2, 3:
		return "INSERT INTO $ " + values + " ON CONFLICT DO NOTHING" + returning
	case 4:
		return "INSERT INTO $ AS t " + values + " ON CONFLICT (at, id) DO UPDATE SET n = t.n + excluded.n WHERE t.n < 20" +
			returning
	case 5:
		return "WITH w AS (UPDATE $ SET n = n + 1, note = 'z' WHERE " + p.condition() +
			" RETURNING id, at, n) SELECT * FROM w ORDER BY at, id"
	case 6: // rows move, and may meet others
		return fmt.Sprintf("UPDATE $ SET at = (at + %d) %% 30 WHERE %s", p.IntN(30), p.condition())
	case 7:
		return fmt.Sprintf("UPDATE $ SET at = v.b FROM (VALUES (%d, %d), (%d, %d)) v (a, b) WHERE at = v.a AND id = 1",
			p.IntN(15), p.IntN(30), 15+p.IntN(15), p.IntN(30))
	}
	return "WITH w AS (DELETE FROM $ WHERE " + p.condition() + " RETURNING id, at, n) SELECT * FROM w ORDER BY at, id"
}

func (p *partitionedTables) condition() string {
	one := func() string {
		return pick(p.dice, []string{
			fmt.Sprintf("at = %d", p.IntN(30)), fmt.Sprintf("at > %d", p.IntN(30)), fmt.Sprintf("at <= %d", p.IntN(30)),
			fmt.Sprintf("at IN (%d, %d)", p.IntN(30), p.IntN(30)), fmt.Sprintf("n = %d", p.IntN(9)),
			fmt.Sprintf("id = %d", p.IntN(6)), "note = 'a'", "at IS NOT NULL", "at IS NULL",
			fmt.Sprintf("at = (SELECT max(at) FROM $ WHERE id = %d)", p.IntN(6)),
		})
	}
	if p.chance(3) {
		return one()
	}
	return one() + pick(p.dice, []string{" AND ", " OR "}) + one()
}

// query is a random query whose rows have an order.
func (p *partitionedTables) query() string {
	order := pick(p.dice, []string{"at, id", "at DESC, id DESC", "n, at, id", "id, at DESC", "note, n, at, id"})
	if p.chance(4) {
		return "SELECT note, count(*), sum(n), min(at), max(at) FROM $ WHERE " + p.condition() + " GROUP BY note ORDER BY 1"
	}
	if p.chance(6) {
		return "SELECT a.at, a.id, b.n FROM $ a JOIN $ b USING (at, id) WHERE a." + strings.TrimPrefix(p.bound(), " ") +
			" ORDER BY 1, 2"
	}
	return fmt.Sprintf("SELECT * FROM $ WHERE %s ORDER BY %s LIMIT %d OFFSET %d", p.condition(), order, 1+p.IntN(8),
		p.IntN(3))
}

func (p *partitionedTables) bound() string { return fmt.Sprintf("at > %d", p.IntN(30)) }

func (p *partitionedTables) do(sql string) {
	p.t.Helper()
	if got := spoken(p.t.Context(), p.c, sql); got != "" {
		p.t.Fatalf("%s: %s", sql, got)
	}
}

// both sends a statement to both tables. Of several errors in one statement either may be found first.
func (p *partitionedTables) both(sql string) {
	p.t.Helper()
	want := spoken(p.t.Context(), p.c, strings.ReplaceAll(sql, "$", "plain"))
	got := spoken(p.t.Context(), p.c, strings.ReplaceAll(sql, "$", "parts"))
	if got != want && !(violates(got) && violates(want)) {
		p.t.Fatalf("%s: %s, without partitions: %s", sql, got, want)
	}
}

// violates says whether an answer is the error about a row that must not be written.
func violates(answer string) bool {
	return slices.Contains([]string{"23505", "23514", "21000"}, answer)
}
