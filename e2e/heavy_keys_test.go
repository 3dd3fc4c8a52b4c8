package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestHeavyKeys sends the same random statements to a table with heavy keys, which change meanwhile, and to one
// without: both give the same answers.
func TestHeavyKeys(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			s := openDB(t, k)
			for _, seed := range seeds(t, 2) {
				h := &heavyTables{dice: newDice(seed), t: t, c: s.connect(t), other: s.connect(t)}
				h.define()
				for i := range 60 {
					if i%15 == 9 {
						h.relay()
					}
					h.both(h.write())
					h.both(h.query())
					h.asked()
				}
				must(t, h.c, "CHECK INDEXES ON heavy", "DROP TABLE heavy, plain")
			}
		})
	}
}

// heavyTables are the two tables, heavy and plain.
type heavyTables struct {
	dice
	t        *testing.T
	c, other *pgx.Conn
}

// define makes the tables. Of who, 2 and 4 are heavy now and then, of note "b" is.
func (h *heavyTables) define() {
	by := pick(h.dice, []string{"", " PARTITION BY HASH (who)"})
	key := pick(h.dice, []string{"(who, at)", "(who DESC, at)", "(who, at DESC)"})
	if by != "" && h.chance(2) {
		key = "(at, who)"
	}
	columns := " (who int, at int, n int DEFAULT 7, note text, PRIMARY KEY " + key + ")" + by
	must(h.t, h.c, "CREATE TABLE plain"+columns, "CREATE INDEX ON plain (note)",
		"CREATE TABLE heavy"+columns+" WITH (heavy_keys = '{\"2\": 3, \"4\": 5}')",
		"CREATE INDEX heavy_note ON heavy (note) WITH (heavy_keys = '{\"b\": 3}')")
	if h.chance(2) {
		must(h.t, h.c, "CREATE UNIQUE INDEX ON heavy (n DESC, at, who) WITH (heavy_keys = '{\"7\": 4, \"1\": 2}')")
	}
}

// relay gives the table or its index other keys while it is written.
func (h *heavyTables) relay() {
	of := pick(h.dice, []string{"TABLE heavy", "TABLE heavy", "INDEX heavy_note"})
	value := pick(h.dice, []string{`{"1": 2}`, `{"2": 2, "4": 6}`, `{"0": 3, "1": 3, "2": 3, "3": 3, "4": 3, "5": 3}`})
	if of == "INDEX heavy_note" {
		value = pick(h.dice, []string{`{"b": 2, "a": 2}`, `{"c": 4}`})
	}
	change := "SET (heavy_keys = '" + value + "')"
	if h.chance(3) {
		change = "RESET (heavy_keys)"
	}
	done := make(chan error, 1)
	go func() { done <- run(h.other, "ALTER "+of+" "+change) }()
	for range 5 {
		sql := h.write()
		plain, heavy := strings.ReplaceAll(sql, "$", "plain"), strings.ReplaceAll(sql, "$", "heavy")
		h.once("BEGIN; " + plain + "; " + heavy + "; COMMIT")
	}
	if err := <-done; err != nil {
		h.t.Fatalf("ALTER %s %s: %v", of, change, err)
	}
}

// beyondStore is the error about a transaction that writes more items than a store takes.
const beyondStore = "54000"

// once sends a transaction until it meets no conflict. One that violates a key, or is too large, changes nothing.
func (h *heavyTables) once(sql string) {
	for {
		code := codeOf(run(h.c, sql))
		if code != "<nil>" {
			must(h.t, h.c, "ROLLBACK")
		}
		if code == "40001" {
			continue
		}
		if code != "<nil>" && code != beyondStore && !violates(code) {
			h.t.Fatalf("%s: %s", sql, code)
		}
		return
	}
}

// write is a random statement that writes.
func (h *heavyTables) write() string {
	var rows []string
	for range 1 + h.IntN(4) {
		rows = append(rows, fmt.Sprintf("(%d, %d, %d, '%s')", h.IntN(6), h.IntN(12), h.IntN(9),
			pick(h.dice, []string{"a", "b", "b", "c"})))
	}
	values := "VALUES " + strings.Join(rows, ", ")
	returning := pick(h.dice, []string{"", " RETURNING who, at, n"})
	switch h.IntN(8) {
	case 0, 1:
		return "INSERT INTO $ " + values + returning
	case 2, 3:
		return "INSERT INTO $ " + values + " ON CONFLICT DO NOTHING" + returning
	case 4:
		return "INSERT INTO $ AS t " + values + " ON CONFLICT (who, at) DO UPDATE SET n = t.n + excluded.n" + returning
	case 5: // rows become those of a heavy key, or are it no more, and may meet others
		return fmt.Sprintf("UPDATE $ SET who = (who + %d) %% 6, note = 'b' WHERE %s", 1+h.IntN(5), h.condition())
	case 6:
		return fmt.Sprintf("UPDATE $ SET at = at + %d, n = n + 1 WHERE %s", h.IntN(3), h.condition())
	}
	return "WITH w AS (DELETE FROM $ WHERE " + h.condition() + " AND at % 2 = 1 RETURNING *) SELECT * FROM w ORDER BY who, at"
}

func (h *heavyTables) condition() string {
	one := func() string {
		return pick(h.dice, []string{
			fmt.Sprintf("who = %d", h.IntN(6)), fmt.Sprintf("who IN (%d, %d)", h.IntN(6), h.IntN(6)),
			fmt.Sprintf("who BETWEEN %d AND 4", h.IntN(5)), fmt.Sprintf("who = %d AND at > %d", h.IntN(6), h.IntN(12)),
			fmt.Sprintf("who = %d AND at IN (1, 3, %d)", h.IntN(6), h.IntN(12)), fmt.Sprintf("who > %d", h.IntN(6)),
			fmt.Sprintf("note = 'b' AND n > %d", h.IntN(6)), "note IN ('a', 'b')", fmt.Sprintf("n = %d", h.IntN(9)),
			fmt.Sprintf("(who, at) > (%d, %d)", h.IntN(6), h.IntN(12)), "note IS NULL", fmt.Sprintf("at = %d", h.IntN(12)),
			fmt.Sprintf("who IN (SELECT n FROM $ WHERE at = %d)", h.IntN(12)),
		})
	}
	if h.chance(2) {
		return one()
	}
	return "(" + one() + pick(h.dice, []string{" AND ", " OR "}) + one() + ")"
}

// order is one that tells all rows apart.
func (h *heavyTables) order() string {
	return pick(h.dice, []string{"who, at", "who DESC, at DESC", "at, who", "note, who, at", "n DESC, at, who"})
}

// query is a random query whose rows have an order.
func (h *heavyTables) query() string {
	switch h.IntN(6) {
	case 0:
		return "SELECT who, count(*), sum(n), min(at), max(at) FROM $ WHERE " + h.condition() + " GROUP BY who ORDER BY 1"
	case 1:
		return "SELECT a.who, a.at, b.at FROM $ a JOIN $ b ON b.who = a.n WHERE a." + fmt.Sprintf("at > %d", h.IntN(12)) +
			" ORDER BY 1, 2, 3"
	}
	return fmt.Sprintf("SELECT * FROM $ WHERE %s ORDER BY %s LIMIT %d", h.condition(), h.order(), 1+h.IntN(8))
}

// asked asks by values that come when the statement runs.
func (h *heavyTables) asked() {
	sql := "SELECT who, at, n, note FROM $ WHERE " + pick(h.dice, []string{"who = $1 AND at < $2", "who IN ($1, $2)",
		"who = ANY (ARRAY[$1, $2]::int[])", "who BETWEEN $1 AND $2", "(who, at) > ($1, $2)"}) + " ORDER BY " + h.order()
	args := []any{h.IntN(6), h.IntN(12)}
	var answers [2][]string
	for i, table := range []string{"FROM heavy", "FROM plain"} {
		rows, err := h.c.Query(h.t.Context(), strings.ReplaceAll(sql, "FROM $", table), args...)
		if err == nil {
			answers[i], err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
				values, err := r.Values()
				return fmt.Sprint(values), err
			})
		}
		if err != nil {
			h.t.Fatalf("%s: %v", sql, err)
		}
	}
	if !slices.Equal(answers[0], answers[1]) {
		h.t.Fatalf("%s, %v: %v, without heavy keys: %v", sql, args, answers[0], answers[1])
	}
}

// both sends a statement to both tables. Of several errors in one statement either may be found first. The table with
// heavy keys has more indexes.
func (h *heavyTables) both(sql string) {
	h.t.Helper()
	got := spoken(h.t.Context(), h.c.PgConn(), strings.ReplaceAll(sql, "$", "heavy"))
	if strings.HasSuffix(got, beyondStore) {
		return
	}
	want := spoken(h.t.Context(), h.c.PgConn(), strings.ReplaceAll(sql, "$", "plain"))
	if got != want && !(violates(got) && violates(want)) {
		h.t.Fatalf("%s: %s, without heavy keys: %s", sql, got, want)
	}
}
