package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/planner/expr"
	"zproxy/types"
)

// fuzzBriefly is how many statements the tests make without a flag, always the same ones.
const fuzzBriefly = 800

var fuzzStatements = flag.Int("sqlfuzz", fuzzBriefly, "how many statements TestSQLFuzz makes of functions, operators and clauses")

// extremes are values of types that are at an end of what there is.
var extremes = map[types.OID][]string{
	types.OIDBool: {"true", "false"},
	types.OIDInt2: {"0", "-32768", "32767"}, types.OIDInt4: {"0", "1", "-2147483648", "2147483647"},
	types.OIDInt8:   {"0", "-9223372036854775808", "9223372036854775807"},
	types.OIDFloat4: {"NaN", "Infinity", "-0", "1e-45", "3.4028235e38"}, types.OIDFloat8: {"NaN", "-Infinity", "Infinity", "0", "5e-324", "1.7976931348623157e308"},
	types.OIDNumeric: {"NaN", "Infinity", "-Infinity", "0", "1e-1000", "1e5000", "-1.50"},
	types.OIDText:    {"", "a", "%_\\", "é𐍈", "(", "{}", "1", "[1]", "$.a", "2024-01-01", "YYYY"}, types.OIDBytea: {"", "\\x00ff"}, types.OIDName: {"", "a"},
	types.OIDDate: {"-infinity", "infinity", "4713-01-01 BC", "5874897-12-31"}, types.OIDTime: {"00:00", "24:00"}, types.OIDTimetz: {"00:00+15:59", "24:00-15:59"},
	types.OIDTimestamp:   {"-infinity", "infinity", "4713-01-01 BC", "294276-12-31 23:59:59.999999"},
	types.OIDTimestamptz: {"-infinity", "infinity", "4713-01-02 BC", "294276-12-30 23:59:59.999999"},
	types.OIDInterval:    {"0", "178000000 years", "-178000000 years", "1 mon -1 day"},
	types.OIDJSON:        {"null", "[]", "{}", `{"a":[1,null]}`}, types.OIDJSONB: {"null", "[]", "{}", `{"a":[1,null]}`, "1e400"}, types.OIDJSONPath: {"$", "strict $.a[*]", "$.**", "-1"},
	types.OIDUUID: {"00000000-0000-0000-0000-000000000000"}, types.OIDPoint: {"(NaN,Infinity)", "(0,0)"}, types.OIDInet: {"0.0.0.0/0", "::/0", "255.255.255.255"},
	types.OIDOID: {"0", "4294967295", "1259"}, types.OIDChar: {"", "a"}, types.OIDBpchar: {"", "a "}, types.OIDLSN: {"0/0", "FFFFFFFF/FFFFFFFF"},
}

// clauses put an expression, %[1]s, where one may stand, and a set, %[2]s, in some.
var clauses = []string{
	"SELECT %[1]s", "SELECT 1 WHERE (%[1]s) IS NULL", "SELECT count(*) FROM ft GROUP BY %[1]s", "SELECT count(*) FROM ft GROUP BY id HAVING (%[1]s) IS NOT NULL",
	"SELECT id FROM ft ORDER BY %[1]s", "SELECT id FROM ft ORDER BY %[1]s LIMIT 1", "SELECT DISTINCT ON (%[1]s) id FROM ft", "SELECT DISTINCT %[1]s FROM ft",
	"SELECT id FROM ft LIMIT %[1]s", "SELECT id FROM ft OFFSET %[1]s", "SELECT 1 FROM ft a JOIN ft b ON (%[1]s) IS NULL", "SELECT * FROM %[1]s", "SELECT * FROM ft, LATERAL %[1]s x",
	"SELECT * FROM %[1]s WITH ORDINALITY", "SELECT * FROM ROWS FROM (%[1]s, generate_series(1, 2))",
	"SELECT rank() OVER (PARTITION BY %[1]s ORDER BY id) FROM ft", "SELECT rank() OVER (ORDER BY %[1]s) FROM ft", "SELECT lag(%[1]s) OVER (ORDER BY id) FROM ft",
	"SELECT sum(id) OVER (ORDER BY id ROWS %[1]s PRECEDING) FROM ft", "SELECT sum(id) OVER (ORDER BY id RANGE %[1]s PRECEDING) FROM ft",
	"SELECT first_value(%[1]s) OVER (ORDER BY id), ntile(id) OVER () FROM ft", "SELECT count(%[1]s), min(%[1]s::text) FROM ft", "SELECT max(%[1]s) FROM ft",
	"SELECT count(*) FILTER (WHERE (%[1]s) IS NULL) FROM ft", "SELECT array_agg(id ORDER BY %[1]s) FROM ft", "SELECT array_agg(%[1]s), json_agg(%[1]s), jsonb_agg(%[1]s) FROM ft",
	"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY %[1]s) FROM ft", "VALUES (%[1]s), (NULL)", "INSERT INTO fw SELECT %[1]s", "INSERT INTO fw VALUES (%[1]s) RETURNING x, %[1]s",
	"UPDATE ft SET id = id WHERE id = 1 RETURNING %[1]s", "CREATE TEMP TABLE fc (a int, CHECK ((%[1]s) IS NULL)); DROP TABLE fc", "CREATE TEMP TABLE fd (a text DEFAULT (%[1]s)::text); INSERT INTO fd DEFAULT VALUES; DROP TABLE fd",
	"CREATE INDEX fi ON ft (id) WHERE (%[1]s) IS NULL; DROP INDEX fi", "CREATE TEMP VIEW fv AS SELECT %[1]s AS v; TABLE fv; SELECT pg_get_viewdef('fv'); DROP VIEW fv",
	"SELECT CASE WHEN (%[1]s) IS NULL THEN 1 END", "SELECT CASE (%[1]s) WHEN NULL THEN 1 END", "SELECT coalesce(%[1]s, NULL), nullif(%[1]s, NULL), greatest(%[1]s)", "EXPLAIN SELECT %[1]s", "EXPLAIN (ANALYZE, VERBOSE) SELECT %[1]s FROM ft",
	"SELECT ROW(%[1]s), ARRAY[%[1]s]", "SELECT (%[1]s)::text, to_jsonb(%[1]s), pg_typeof(%[1]s)", "SELECT (%[1]s) IN (NULL, %[1]s)", "SELECT (%[1]s) = ANY (ARRAY[%[1]s])", "SELECT (SELECT %[1]s FROM ft LIMIT 1)", "CREATE TEMP TABLE fa AS SELECT %[1]s AS v; DROP TABLE fa",
	"SELECT %[1]s UNION SELECT %[1]s", "WITH w AS (SELECT %[1]s AS v) SELECT * FROM w a, w b", "SELECT %[1]s, generate_series(1, 2)", "COPY (SELECT %[1]s) TO STDOUT", "PREPARE fp AS SELECT %[1]s; EXECUTE fp; DEALLOCATE fp",
}

// fuzzer makes statements of the tables of functions, aggregates and operators.
type fuzzer struct {
	dice
	procs []expr.Proc
}

// notFuzzed end others' sessions, wait, or make much of little.
var notFuzzed = []string{"pg_sleep", "pg_terminate", "pg_cancel", "pg_advisory", "pg_try_advisory", "repeat", "lpad", "rpad", "generate_series", "set_config", "array_fill", "setseed", "factorial"}

// value is a literal of a type, a NULL, an empty array, or a set.
func (f *fuzzer) value(oid types.OID) string {
	oid = concrete(oid, pick(f.dice, []types.OID{types.OIDInt4, types.OIDText, types.OIDNumeric}))
	info := types.InfoOf(oid)
	name := info.SQL
	switch list := extremes[oid]; {
	case f.IntN(8) == 0 || info.OID != oid:
		return "NULL::" + name
	case f.IntN(40) == 0:
		return "(generate_series(1, 2))::text::" + name
	case oid == types.OIDRecord:
		return pick(f.dice, []string{"ROW()", "ROW(1, NULL)", "ROW(ROW(1), 'a')"})
	case info.Element != types.OIDInvalid:
		return pick(f.dice, []string{"'{}'", "'{NULL}'", "'[-2147483648:-2147483648]={1}'", "'[2147483646:2147483646]={1}'", "'{{1,2},{3,4}}'"}) + "::" + name
	case list != nil:
		return "'" + pick(f.dice, list) + "'::" + name
	}
	return "'" + pick(f.dice, []string{"", "0", "1", "(0,0)", "((0,0),(1,1))", "<(0,0),1>", "1.2.3.4", "08:00:2b:01:02:03"}) + "'::" + name
}

// expression calls a function, or has an operator, or is a value.
func (f *fuzzer) expression() string {
	if f.IntN(6) == 0 {
		o := pick(f.dice, expr.OperatorRows())
		if o.Left == 0 {
			return fmt.Sprintf("(%s %s)", o.Name, f.value(types.OID(o.Right)))
		}
		return fmt.Sprintf("(%s %s %s)", f.value(types.OID(o.Left)), o.Name, f.value(types.OID(o.Right)))
	}
	p := pick(f.dice, f.procs)
	args := make([]string, len(p.Args))
	for i, a := range p.Args {
		args[i] = f.value(types.OID(a))
	}
	call := fmt.Sprintf(`"%s"(%s)`, p.Name, strings.Join(args, ", "))
	if p.Kind == 'w' || p.Kind == 'a' && f.IntN(3) == 0 {
		return call + " OVER ()"
	}
	return call
}

// TestSQLFuzz calls each function and operator with values at an end, in every clause, in both protocols and
// both formats. No statement may meet a bug, end the connection, or break its messages.
func TestSQLFuzz(t *testing.T) {
	all := []uint64{1}
	if *fuzzStatements > fuzzBriefly {
		all = seeds(t, 1)
	}
	for _, seed := range all {
		f := &fuzzer{dice: newDice(seed)}
		for _, p := range expr.Procs() {
			if !hasAnyPrefix(p.Name, notFuzzed) {
				f.procs = append(f.procs, p)
			}
		}
		s := openDB(t, inMemory)
		c := s.connect(t)
		must(t, c, "CREATE TABLE ft (id int PRIMARY KEY)", "INSERT INTO ft VALUES (1), (2)", "CREATE TABLE fw (x text)", "SET statement_timeout = '2s'")
		for range *fuzzStatements {
			f.try(t, c)
		}
	}
}

func hasAnyPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func (f *fuzzer) try(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sql := strings.ReplaceAll(pick(f.dice, clauses), "%[1]s", f.expression())
	c := conn.PgConn()
	var err error
	if f.IntN(2) == 0 || strings.Contains(sql, ";") || strings.HasPrefix(sql, "COPY") {
		_, err = c.Exec(ctx, sql).ReadAll()
	} else {
		err = c.ExecParams(ctx, sql, nil, nil, nil, []int16{int16(f.IntN(2))}).Read().Err
	}
	var e *pgconn.PgError
	switch {
	case err == nil:
	case !errors.As(err, &e) || e.Severity != "ERROR":
		t.Fatalf("%s\n%v", sql, err)
	case e.Code == "XX000":
		t.Errorf("%s\n%v", sql, err)
	}
	if _, err := c.Exec(ctx, "DROP TABLE IF EXISTS fc, fd, fa; DROP VIEW IF EXISTS fv; DROP INDEX IF EXISTS fi; DEALLOCATE ALL").ReadAll(); err != nil {
		t.Fatalf("after %s\n%v", sql, err)
	}
}
