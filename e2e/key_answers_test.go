package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// answeringDesigns keep tables with the primary key (number, name, at) in different ways.
// The first has nothing but columns in its keys, and is what the others are compared with.
var answeringDesigns = []string{
	"",
	"PARTITION BY HASH (number, name)",
	"PARTITION BY HASH (name, date_trunc('month', at))",
	"PARTITION BY HASH (date_trunc('day', at)) WITH (shards = 2)",
	"WITH (shards = 5)",
	"WITH (shards = 3, shard_by = 'random')",
	"WITH (shards = 4, partition_key = '{number}-{shard}')",
	"WITH (shards = 3, shard_by = 'random', partition_key = '{name}-{number:03}-{shard:02}')",
	"WITH (partition_key = '{number}-{at:DDMONYYYY}')",
	"WITH (partition_key = '{at:YYYYMM},{name}')",
	"WITH (partition_key = '{md5(number || E''\\n''):2}{number}')",
	"PARTITION BY HASH (number, date_trunc('week', at))",
	"PARTITION BY HASH (date_trunc('year', at), name) WITH (shards = 2, shard_by = 'random')",
	"WITH (partition_key = '{at:DY}{md5(name):1}')",
	"WITH (partition_key = '{name}-{number}')",
	"PARTITION BY HASH (name, bucket(number, 7))",
	"WITH (partition_key = '{name}/{bucket(number, 3):03}')",
}

// numericDesigns are of tables whose number is a numeric.
var numericDesigns = []string{
	"",
	"PARTITION BY HASH (number)",
	"PARTITION BY HASH (bucket(number, 0.25))",
	"PARTITION BY HASH (name, bucket(number, 7))",
	"PARTITION BY HASH (bucket(number, 2.5), date_trunc('week', at)) WITH (shards = 2)",
	"WITH (partition_key = '{name}/{bucket(number, 0.5)}')",
}

// nullableIndexes are over the column w, which may be NULL; the designs take them in turn.
var nullableIndexes = []string{
	"(w)", "(w DESC, number) WITH (shards = 3)", "(w, at) WITH (partition_key = '{w}')", "(w) WITH (shards = 2, partition_key = '{shard}/{w}')",
	"(at, w DESC) WITH (partition_key = '{md5(w):1}')",
}

// alike is one round of TestEveryDesignAnswersAlike.
type alike struct {
	dice
	t    *testing.T
	conn *pgconn.PgConn
	seed uint64
	time string              // the type of at
	kind string              // that of number
	make []string            // the designs of the tables
	rows []map[string]string // the keys inserted first
	near map[string]string   // one of them, around which conditions are made
	args [][]byte            // of the statement being made
	log  []string

	asked, found int // statements, and those that had rows
	fannedOut    int // scans of several partitions that were counted
}

// TestEveryDesignAnswersAlike asks the same of tables with the same rows, whose keys are
// made in different ways: with constants and with parameters, in orders, joins and writes.
func TestEveryDesignAnswersAlike(t *testing.T) {
	all := seeds(t, 3)
	onEvery(t, func(t *testing.T, s *server) {
		for _, seed := range all {
			a := &alike{dice: newDice(seed), t: t, conn: s.connect(t).PgConn(), seed: seed,
				time: []string{"timestamp", "date", "timestamptz"}[seed%3], kind: "int", make: answeringDesigns}
			a.run()
		}
	})
}

// TestBucketsOfNumericsAnswerAlike is TestEveryDesignAnswersAlike for keys of numerics.
func TestBucketsOfNumericsAnswerAlike(t *testing.T) {
	all := seeds(t, 3)
	onEvery(t, func(t *testing.T, s *server) {
		for _, seed := range all {
			a := &alike{dice: newDice(seed), t: t, conn: s.connect(t).PgConn(), seed: seed, time: "timestamp",
				kind: "numeric", make: numericDesigns}
			a.run()
		}
	})
}

func (a *alike) run() {
	a.open()
	for range 40 {
		if a.ask(a.query(), false); a.chance(4) {
			a.ask(a.change(), true)
		}
		a.explain(listOfDesigns + a.condition() +
			pick(a.dice, []string{"", " ORDER BY number, name, at", " ORDER BY at DESC, name, number"}))
		if a.t.Failed() {
			return
		}
	}
	if a.found < a.asked/3 || a.fannedOut < 20 {
		a.t.Errorf("-seed %d: of %d statements only %d found rows, and %d scans were of several partitions", a.seed,
			a.asked, a.found, a.fannedOut)
	}
	for i := range a.make {
		if got := a.answer(fmt.Sprintf("CHECK INDEXES ON d%d", i), nil); got != "\nCHECK INDEX\n" {
			a.t.Errorf("-seed %d: CHECK INDEXES ON d%d: %s", a.seed, i, got)
		}
	}
}

func (a *alike) open() {
	a.do("SET timezone = 'America/New_York'") // so that no unit of a timestamptz begins where a day does
	a.do("DROP TABLE IF EXISTS probe; CREATE TABLE probe (number int, name text); INSERT INTO probe VALUES (1, 'a'), (7, 'ab'), (20, 'b'), (33, 'a,b'), (NULL, 'a')")
	rows := make([]string, 150)
	for i := range rows {
		key := map[string]string{"number": a.number(), "name": a.name(), "at": a.at()}
		rows[i], a.rows = fmt.Sprintf("(%s, %s, %s, %d, %s)", key["number"], key["name"], key["at"], i, a.nullable()),
			append(a.rows, key)
	}
	for i, options := range a.make {
		a.do(fmt.Sprintf("DROP TABLE IF EXISTS d%[1]d; CREATE TABLE d%[1]d (number %[4]s, name text, at %[3]s, v int, w text, PRIMARY KEY (number, name, at)) %[2]s", i, options, a.time, a.kind))
		a.do(fmt.Sprintf("INSERT INTO d%d VALUES %s ON CONFLICT DO NOTHING", i, strings.Join(rows, ", ")))
		a.do(fmt.Sprintf("CREATE INDEX ON d%[1]d (at, v DESC) WITH (shards = 3); CREATE INDEX ON d%[1]d %[2]s", i,
			nullableIndexes[i%len(nullableIndexes)]))
	}
}

func (a *alike) do(sql string) {
	a.t.Helper()
	a.log = append(a.log, sql)
	if _, err := a.conn.Exec(a.t.Context(), sql).ReadAll(); err != nil {
		a.t.Fatalf("-seed %d: %s\n%v", a.seed, sql, err)
	}
}

func (a *alike) number() string {
	if a.kind == "numeric" && a.chance(2) {
		return pick(a.dice, []string{"-1e30", "-7.01", "-7.0", "-0.25", "-0.001", "0.249", "0.5", "2.500", "6.99",
			"7.01", "24.75", "1e30", "'NaN'", "'Infinity'", "'-Infinity'"})
	}
	return fmt.Sprint(a.IntN(25))
}

func (a *alike) name() string { return pick(a.dice, []string{"'a'", "'ab'", "'a,b'", "'b'", "''"}) }
func (a *alike) nullable() string {
	return pick(a.dice, []string{"NULL", "NULL", "''", "'p'", "'q/r'"})
}

func (a *alike) at() string {
	return fmt.Sprintf("'2016-%02d-%02d %02d:00:00'", 8+a.IntN(2), pick(a.dice, []int{1, 2, 3, 29, 30}), 12*a.IntN(2))
}

// value is a constant, or now and then a parameter in its place.
func (a *alike) value(column string) string {
	text := a.near[column]
	if a.chance(4) {
		text = map[string]func() string{"number": a.number, "name": a.name, "at": a.at}[column]()
	}
	if !a.chance(3) {
		return text
	}
	a.args = append(a.args, []byte(strings.Trim(text, "'")))
	return fmt.Sprintf("$%d::%s", len(a.args), a.typeOf(column))
}

var keyOfDesigns = []string{"number", "name", "at"}

func (a *alike) typeOf(column string) string {
	return map[string]string{"number": a.kind, "name": "text", "at": a.time}[column]
}

// term is a condition on a column, or on several in a row.
func (a *alike) term(c string) string {
	switch a.IntN(10) {
	case 7:
		return pick(a.dice, []string{"w IS NULL", "w = 'p'", "w IN ('p', NULL, 'q/r')", "(w IS NULL OR w = '')",
			"w > ''", "w < 'q'", "w LIKE 'q/%%'", "w <> 'p'", "w IS NOT NULL"})
	case 0:
		return fmt.Sprintf("%s IN (%s, %s, %s)", c, a.value(c), a.value(c), a.value(c))
	case 1, 2:
		return fmt.Sprintf("%s BETWEEN LEAST(%s, CAST(%s AS %s)) AND %s", c, a.value(c), a.value(c), a.typeOf(c),
			a.value(c))
	case 3:
		return fmt.Sprintf("%s %s %s", c, pick(a.dice, []string{"<", "<=", ">", ">="}), a.value(c))
	case 4:
		return fmt.Sprintf("(number, name) %s (%s, %s)", pick(a.dice, []string{"=", "<", ">=", ">"}), a.value("number"),
			a.value("name"))
	case 5:
		return fmt.Sprintf("(number, name) IN ((%s, %s), (%s, %s))", a.value("number"), a.value("name"),
			a.value("number"), a.value("name"))
	case 6:
		return "name LIKE " + pick(a.dice, []string{"'a%%'", "'a,%%'", "'%%b'"})
	}
	return c + " = " + a.value(c)
}

func (a *alike) condition() string {
	a.near = pick(a.dice, a.rows)
	var terms []string
	for _, i := range a.Perm(3)[:1+a.IntN(3)] {
		terms = append(terms, a.term(keyOfDesigns[i]))
	}
	if a.chance(5) {
		return "(" + strings.Join(terms, " OR ") + ")"
	}
	return strings.Join(terms, " AND ")
}

const listOfDesigns = "SELECT number, name, at, v, w FROM %[1]s WHERE "

// query is a SELECT from the table %[1]s, whose rows are in a total order if in any.
func (a *alike) query() string {
	switch a.IntN(8) {
	case 6:
		return listOfDesigns + a.condition() + " ORDER BY w, at, number, name" + pick(a.dice, []string{"", " LIMIT 7"})
	case 7:
		return "SELECT DISTINCT w, number FROM %[1]s WHERE " + a.condition() + " ORDER BY w DESC, number DESC"
	case 0:
		return listOfDesigns + a.condition() + " ORDER BY number, name, at" + pick(a.dice, []string{"", " LIMIT 3"})
	case 1:
		return listOfDesigns + a.condition() + " ORDER BY number DESC, name DESC, at DESC" +
			pick(a.dice, []string{"", " LIMIT 3"})
	case 2:
		return listOfDesigns + a.condition() + " ORDER BY at, number, name LIMIT 4"
	case 3:
		return "SELECT k.number, k.at, p.name FROM probe p JOIN %[1]s k USING (number) WHERE " + "k." + a.single()
	case 4:
		return "SELECT count(*), sum(v), min(at), max(number) FROM %[1]s WHERE " + a.condition()
	}
	return listOfDesigns + a.condition()
}

// single is a condition that begins with its only column.
func (a *alike) single() string {
	a.near = pick(a.dice, a.rows)
	c := pick(a.dice, keyOfDesigns)
	return c + pick(a.dice, []string{" = ", " >= ", " < "}) + a.value(c)
}

// change is a statement that writes to the table %[1]s.
func (a *alike) change() string {
	a.near = pick(a.dice, a.rows)
	switch a.IntN(7) {
	case 5:
		return "UPDATE %[1]s SET w = " + a.nullable() + " WHERE " + a.condition() + " RETURNING number, w"
	case 6:
		return "DELETE FROM %[1]s WHERE " + a.condition() + " AND v BETWEEN 20 AND 30 RETURNING number, name, at, v, w"
	case 0:
		return "DELETE FROM %[1]s WHERE " + a.condition() + " AND v < 20"
	case 1:
		return "UPDATE %[1]s SET number = 25 - number WHERE number <= 25 AND " + a.condition()
	case 2:
		return "UPDATE %[1]s SET v = v + 1, at = at + interval '1 day' WHERE " + a.condition()
	case 3:
		return fmt.Sprintf("INSERT INTO %%[1]s VALUES (%s, %s, %s, 1000)", a.value("number"), a.value("name"),
			a.value("at"))
	}
	return fmt.Sprintf("INSERT INTO %%[1]s VALUES (%s, %s, %s, 2000) ON CONFLICT (number, name, at) DO UPDATE SET v = excluded.v + 1", a.value("number"), a.value("name"), a.value("at"))
}

// ask runs a statement on each table, and after one that writes compares all of their rows.
func (a *alike) ask(sql string, writes bool) {
	args := a.args
	a.args = nil
	if writes {
		a.log = append(a.log, fmt.Sprintf("%s  %q", sql, args))
	}
	want := ""
	for i, options := range a.make {
		got := a.answer(fmt.Sprintf(sql, fmt.Sprintf("d%d", i)), args)
		if writes {
			got += a.answer(fmt.Sprintf("SELECT * FROM d%d", i), nil)
		}
		if i == 0 {
			want = got
			if a.asked++; strings.HasPrefix(got, "[") || writes && !strings.HasSuffix(got, " 0\n") {
				a.found++
			}
		} else if got != want {
			a.t.Errorf("-seed %d: %s  %q\n%s answers\n%s\nand without\n%s\nafter\n%s", a.seed, sql, args, options, got,
				want, strings.Join(a.log, ";\n"))
		}
	}
}

// answer is the rows, sorted unless they are ordered, and the tag, or the code of an error.
func (a *alike) answer(sql string, args [][]byte) string {
	r := a.conn.ExecParams(a.t.Context(), sql, args, nil, nil, nil).Read()
	if r.Err != nil {
		if codeOf(r.Err) != "23505" {
			a.t.Errorf("-seed %d: %s  %q\n%v", a.seed, sql, args, r.Err)
		}
		return codeOf(r.Err)
	}
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, fmt.Sprintf("%q", row))
	}
	if !strings.Contains(sql, "ORDER BY") {
		slices.Sort(rows)
	}
	return strings.Join(rows, "\n") + "\n" + r.CommandTag.String() + "\n"
}

// fannedOut is what EXPLAIN (ANALYZE) says of the partitions of a scan: how many the spans are in, and
// in how many ranges were read.
var fannedOut = regexp.MustCompile(`(?s)Fan-out: (\d+) partitions.*Read: \d+ requests in (\d+) partitions`)

// explain wants EXPLAIN to name as many partitions as are read.
func (a *alike) explain(sql string) {
	args := a.args
	a.args = nil
	for i, options := range a.make {
		r := a.conn.ExecParams(a.t.Context(), "EXPLAIN (ANALYZE) "+fmt.Sprintf(sql, fmt.Sprintf("d%d", i)), args, nil,
			nil, nil).Read()
		if r.Err != nil {
			a.t.Fatalf("-seed %d: %s  %q\n%v", a.seed, sql, args, r.Err)
		}
		plan := strings.Join(lines(r), "\n")
		if match := fannedOut.FindStringSubmatch(plan); match != nil {
			if a.fannedOut++; match[1] != match[2] {
				a.t.Errorf("-seed %d: %s  %q\n%s\n%s", a.seed, sql, args, options, plan)
			}
		}
	}
}
