package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// fuzzBriefly is how many statements the tests make without a flag, always the same ones.
const fuzzBriefly = 800

var fuzzStatements = flag.Int("sqlfuzz", fuzzBriefly,
	"how many statements TestSQLFuzz makes of functions, operators and clauses")

// extremes are values of types that are at an end of what there is.
var extremes = map[types.OID][]string{
	types.OIDBool: {"true", "false"},
	types.OIDInt2: {"0", "-32768", "32767"}, types.OIDInt4: {"0", "1", "-2147483648", "2147483647"},
	types.OIDInt8:    {"0", "-9223372036854775808", "9223372036854775807"},
	types.OIDFloat4:  {"NaN", "Infinity", "-0", "1e-45", "3.4028235e38"},
	types.OIDFloat8:  {"NaN", "-Infinity", "Infinity", "0", "5e-324", "1.7976931348623157e308"},
	types.OIDNumeric: {"NaN", "Infinity", "-Infinity", "0", "1e-1000", "1e5000", "-1.50"},
	types.OIDText:    {"", "a", "%_\\", "é𐍈", "(", "{}", "1", "[1]", "$.a", "2024-01-01", "YYYY"},
	types.OIDBytea:   {"", "\\x00ff"}, types.OIDName: {"", "a"},
	types.OIDDate: {"-infinity", "infinity", "4713-01-01 BC", "5874897-12-31"}, types.OIDTime: {"00:00", "24:00"},
	types.OIDTimetz:      {"00:00+15:59", "24:00-15:59"},
	types.OIDTimestamp:   {"-infinity", "infinity", "4713-01-01 BC", "294276-12-31 23:59:59.999999"},
	types.OIDTimestamptz: {"-infinity", "infinity", "4713-01-02 BC", "294276-12-30 23:59:59.999999"},
	types.OIDInterval:    {"0", "178000000 years", "-178000000 years", "1 mon -1 day"},
	types.OIDJSON:        {"null", "[]", "{}", `{"a":[1,null]}`},
	types.OIDJSONB:       {"null", "[]", "{}", `{"a":[1,null]}`, "1e400"},
	types.OIDJSONPath:    {"$", "strict $.a[*]", "$.**", "-1"},
	types.OIDUUID:        {"00000000-0000-0000-0000-000000000000"}, types.OIDPoint: {"(NaN,Infinity)", "(0,0)"},
	types.OIDInet: {"0.0.0.0/0", "::/0", "255.255.255.255"},
	types.OIDOID:  {"0", "4294967295", "1259"}, types.OIDChar: {"", "a"}, types.OIDBpchar: {"", "a "},
	types.OIDLSN: {"0/0", "FFFFFFFF/FFFFFFFF"},
}

// clauses put an expression, %[1]s, where one may stand.
var clauses = []string{
	"SELECT %[1]s", "SELECT %[1]s FROM ft", "SELECT 1 WHERE (%[1]s) IS NULL", "SELECT count(*) FROM ft GROUP BY %[1]s",
	"SELECT count(*) FROM ft GROUP BY id HAVING (%[1]s) IS NOT NULL",
	"SELECT %[1]s, count(*) FROM ft GROUP BY GROUPING SETS ((%[1]s), ())", "SELECT id FROM ft ORDER BY %[1]s",
	"SELECT id FROM ft ORDER BY %[1]s LIMIT 1", "SELECT DISTINCT ON (%[1]s) id FROM ft",
	"SELECT DISTINCT %[1]s FROM ft",
	"SELECT id FROM ft LIMIT %[1]s", "SELECT id FROM ft OFFSET %[1]s",
	"SELECT 1 FROM ft a JOIN ft b ON (%[1]s) IS NULL",
	"SELECT * FROM (SELECT %[1]s AS x) a FULL JOIN (SELECT %[1]s AS x) b USING (x)",
	"SELECT * FROM %[1]s", "SELECT * FROM ft, LATERAL %[1]s x",
	"SELECT * FROM ft LEFT JOIN LATERAL (SELECT %[1]s AS x WHERE id = 1) l ON true",
	"SELECT * FROM %[1]s WITH ORDINALITY", "SELECT * FROM ROWS FROM (%[1]s, generate_series(1, 2))",
	"SELECT rank() OVER (PARTITION BY %[1]s ORDER BY id) FROM ft", "SELECT rank() OVER (ORDER BY %[1]s) FROM ft",
	"SELECT lag(%[1]s) OVER (ORDER BY id) FROM ft",
	"SELECT rank() OVER w, count(%[1]s) OVER w FROM ft WINDOW w AS (PARTITION BY %[1]s ORDER BY %[1]s)",
	"SELECT max(id) OVER (ORDER BY %[1]s GROUPS 1 PRECEDING EXCLUDE TIES) FROM ft",
	"SELECT sum(id) OVER (ORDER BY id ROWS %[1]s PRECEDING) FROM ft",
	"SELECT sum(id) OVER (ORDER BY id RANGE %[1]s PRECEDING) FROM ft",
	"SELECT first_value(%[1]s) OVER (ORDER BY id), ntile(id) OVER () FROM ft",
	"SELECT count(%[1]s), min(%[1]s::text) FROM ft", "SELECT max(%[1]s) FROM ft",
	"SELECT count(DISTINCT %[1]s) FROM ft",
	"SELECT count(*) FILTER (WHERE (%[1]s) IS NULL) FROM ft", "SELECT array_agg(id ORDER BY %[1]s) FROM ft",
	"SELECT array_agg(%[1]s), json_agg(%[1]s), jsonb_agg(%[1]s) FROM ft",
	"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY %[1]s) FROM ft", "VALUES (%[1]s), (NULL)",
	"SELECT * FROM (VALUES (%[1]s), (%[1]s)) v (x) ORDER BY x", "INSERT INTO fw SELECT %[1]s",
	"INSERT INTO fw VALUES (%[1]s) RETURNING x, %[1]s",
	"INSERT INTO ft VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 1 WHERE (%[1]s) IS NULL RETURNING %[1]s",
	"UPDATE fw SET x = (%[1]s)::text", "DELETE FROM fw WHERE x = (%[1]s)::text RETURNING %[1]s",
	"UPDATE ft SET id = id WHERE id = 1 RETURNING %[1]s",
	"CREATE TEMP TABLE fc (a int, CHECK ((%[1]s) IS NULL)); INSERT INTO fc VALUES (1); DROP TABLE fc",
	"CREATE TEMP TABLE fd (a text DEFAULT (%[1]s)::text); INSERT INTO fd DEFAULT VALUES; DROP TABLE fd",
	"CREATE TEMP TABLE fd (a int, b text GENERATED ALWAYS AS ((%[1]s)::text) STORED); INSERT INTO fd VALUES (1); DROP TABLE fd",
	"CREATE INDEX fi ON ft (id) WHERE (%[1]s) IS NULL; DROP INDEX fi", "CREATE INDEX fi ON ft ((%[1]s)); DROP INDEX fi",
	"CREATE TEMP VIEW fv AS SELECT %[1]s AS v; TABLE fv; SELECT pg_get_viewdef('fv'); DROP VIEW fv",
	"SELECT CASE WHEN (%[1]s) IS NULL THEN 1 END", "SELECT CASE (%[1]s) WHEN NULL THEN 1 END",
	"SELECT coalesce(%[1]s, NULL), nullif(%[1]s, NULL), greatest(%[1]s)", "EXPLAIN SELECT %[1]s",
	"EXPLAIN (ANALYZE, VERBOSE) SELECT %[1]s FROM ft",
	"SELECT ROW(%[1]s), ARRAY[%[1]s]", "SELECT (%[1]s)::text, to_jsonb(%[1]s), pg_typeof(%[1]s)",
	"SELECT (%[1]s) IN (NULL, %[1]s)", "SELECT (%[1]s) = ANY (ARRAY[%[1]s])",
	"SELECT (SELECT %[1]s FROM ft LIMIT 1)", "SELECT ARRAY(SELECT %[1]s FROM ft)",
	"SELECT id FROM ft WHERE id IN (SELECT b.id FROM ft b WHERE b.id = ft.id AND (%[1]s) IS NULL)",
	"SELECT ROW(%[1]s, 1) < ROW(%[1]s, 2), ROW(%[1]s) IS DISTINCT FROM ROW(%[1]s)",
	"CREATE TEMP TABLE fa AS SELECT %[1]s AS v; CREATE INDEX fi ON fa (v); SELECT v FROM fa WHERE v = v ORDER BY v; ANALYZE fa; DROP TABLE fa",
	"SELECT %[1]s UNION SELECT %[1]s", "SELECT %[1]s EXCEPT ALL SELECT %[1]s",
	"WITH w AS (SELECT %[1]s AS v) SELECT * FROM w a, w b",
	"WITH RECURSIVE r (x, n) AS (SELECT %[1]s, 1 UNION SELECT x, n + 1 FROM r WHERE n < 3) SELECT * FROM r",
	"SELECT %[1]s, generate_series(1, 2)", "COPY (SELECT %[1]s) TO STDOUT",
	"PREPARE fp AS SELECT %[1]s; EXECUTE fp; DEALLOCATE fp", "PREPARE fp AS SELECT $1; EXECUTE fp(%[1]s)",
	"DECLARE fk CURSOR WITH HOLD FOR SELECT %[1]s; FETCH ALL FROM fk; CLOSE fk",
}

// fuzzer makes statements of the tables of functions, aggregates and operators: of each in turn, in an order of
// its own.
type fuzzer struct {
	dice
	conn     *pgx.Conn
	subjects []any                       // an expr.Proc or an expr.OperatorRow
	by       map[types.OID][]pgproc.Proc // functions by result
	params   *[]string                   // texts of the statement's parameters, where it may have some
	deep     int
	codes    map[string]int
	heap     *heapPeak
}

// notFuzzed end others' sessions, wait, take long, or change the session.
var notFuzzed = []string{
	"pg_sleep", "pg_terminate", "pg_cancel", "pg_advisory", "pg_try_advisory", "generate_series", "set_config", "setseed", "factorial",
}

func newFuzzer(seed uint64) *fuzzer {
	f := &fuzzer{dice: newDice(seed), by: map[types.OID][]pgproc.Proc{}, codes: map[string]int{}}
	for _, p := range builtin.Procs() {
		if hasAnyPrefix(p.Name, notFuzzed) {
			continue
		}
		f.subjects = append(f.subjects, p)
		if p.Kind == 'f' {
			f.by[p.Result] = append(f.by[p.Result], p)
		}
	}
	for _, o := range pgproc.OperatorRows() {
		f.subjects = append(f.subjects, o)
	}
	f.Shuffle(len(f.subjects), func(i, j int) { f.subjects[i], f.subjects[j] = f.subjects[j], f.subjects[i] })
	return f
}

// value is an expression of a type: a literal, also as one that is known only when it runs, a parameter, a set, a
// query, or a call of a function.
func (f *fuzzer) value(oid types.OID) string {
	oid = concrete(oid, pick(f.dice, []types.OID{types.OIDInt4, types.OIDText, types.OIDNumeric}))
	name := types.InfoOf(oid).SQL
	text, ok := f.text(oid)
	literal := "NULL::" + name
	if ok {
		literal = "'" + text + "'::" + name
	}
	switch f.IntN(16) {
	case 0:
		if types.InfoOf(oid).Element == types.OIDInvalid {
			return "unnest(ARRAY[" + literal + ", NULL])"
		}
	case 1:
		return "(SELECT " + literal + ")"
	case 2:
		return "(CASE WHEN random() < 2 THEN " + literal + " END)"
	case 3:
		if list := f.by[oid]; list != nil && f.deep < 2 {
			f.deep++
			defer func() { f.deep-- }()
			return f.call(pick(f.dice, list))
		}
	case 4, 5:
		if f.params != nil && ok {
			*f.params = append(*f.params, text)
			return fmt.Sprintf("$%d::%s", len(*f.params), name)
		}
	}
	return literal
}

// text is that of a value of a type; false: it is NULL.
func (f *fuzzer) text(oid types.OID) (string, bool) {
	info := types.InfoOf(oid)
	switch list := extremes[oid]; {
	case f.IntN(6) == 0 || info.OID != oid:
		return "", false
	case oid == types.OIDRecord:
		return "", false
	case info.Element != types.OIDInvalid:
		return pick(f.dice, []string{"{}", "{NULL}", "[-2147483648:-2147483648]={1}", "[2147483646:2147483646]={1}",
			"{{1,2},{3,4}}", "1 2"}), true
	case list != nil:
		return pick(f.dice, list), true
	}
	return pick(f.dice, []string{"", "0", "1", "(0,0)", "((0,0),(1,1))", "<(0,0),1>", "1.2.3.4", "08:00:2b:01:02:03"}),
		true
}

// expression calls a function, or has an operator.
func (f *fuzzer) expression(subject any) string {
	switch s := subject.(type) {
	case pgproc.OperatorRow:
		if s.Left == 0 {
			return fmt.Sprintf("(%s %s)", s.Name, f.value(s.Right))
		}
		return fmt.Sprintf("(%s %s %s)", f.value(s.Left), s.Name, f.value(s.Right))
	case pgproc.Proc:
		return f.call(s)
	}
	panic("neither a function nor an operator")
}

func (f *fuzzer) call(p pgproc.Proc) string {
	args := make([]string, len(p.Args))
	for i, a := range p.Args {
		if args[i] = f.value(a); a == types.OIDRecord {
			args[i] = pick(f.dice, []string{"ROW()", "ROW(1, NULL)", "ROW(ROW(1), 'a')", "NULL"})
		}
	}
	if p.Variadic != 0 && f.IntN(2) == 0 {
		args[len(args)-1] = "VARIADIC " + args[len(args)-1]
	}
	call := fmt.Sprintf(`"%s"(%s)`, p.Name, strings.Join(args, ", "))
	if p.Kind == 'w' || p.Kind == 'a' && f.IntN(3) == 0 {
		return call + " OVER ()"
	}
	return call
}

// TestSQLFuzz calls each function and operator with values at an end, in every clause, in both protocols and
// both formats. No statement may meet a bug, end the connection, break its messages, or go on past its time.
func TestSQLFuzz(t *testing.T) {
	all := []uint64{1}
	if *fuzzStatements > fuzzBriefly {
		all = seeds(t, 1)
	}
	for _, seed := range all {
		f := newFuzzer(seed)
		f.heap = watchHeap(t)
		s := openDB(t, inMemory)
		must(t, s.connect(t), "CREATE TABLE ft (id int PRIMARY KEY)", "INSERT INTO ft VALUES (1), (2)",
			"CREATE TABLE fw (x text)")
		began := time.Now()
		for n := range *fuzzStatements {
			if f.conn == nil {
				f.conn = s.connect(t)
				must(t, f.conn, "SET statement_timeout = '2s'", "SET zproxy.statement_memory = '64MB'")
			}
			f.try(t, f.subjects[n%len(f.subjects)])
			if (n+1)%5000 == 0 {
				t.Logf("%d statements in %v", n+1, time.Since(began).Round(time.Second))
			}
		}
		t.Logf("%d functions and operators, %d clauses; answers by SQLSTATE: %v", len(f.subjects), len(clauses),
			f.codes)
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

// fuzzHeap is what the process may take while statements run of which each may hold 64 MB, with garbage.
const fuzzHeap = 768 << 20

// heapPeak samples how much the heap takes, garbage included, every millisecond until the test ends.
type heapPeak struct{ bytes atomic.Uint64 }

func watchHeap(t *testing.T) *heapPeak {
	h, ctx := &heapPeak{}, t.Context()
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for ctx.Err() == nil {
			metrics.Read(sample)
			if n := sample[0].Value.Uint64(); n > h.bytes.Load() {
				h.bytes.Store(n)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return h
}

// fuzzPatience is for how long a statement may go on that has two seconds.
const fuzzPatience = 20 * time.Second

func (f *fuzzer) try(t *testing.T, subject any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), fuzzPatience)
	defer cancel()
	sql, params := pick(f.dice, clauses), []string{}
	simple := f.IntN(2) == 0 || strings.Contains(sql, ";") || strings.HasPrefix(sql, "COPY")
	if f.params = nil; !simple {
		f.params = &params
	}
	sql = strings.ReplaceAll(sql, "%[1]s", f.expression(subject))
	c := f.conn.PgConn()
	var err error
	f.heap.bytes.Store(0)
	if simple {
		_, err = c.Exec(ctx, sql).ReadAll()
	} else {
		values := make([][]byte, len(params))
		for i, p := range params {
			values[i] = []byte(p)
		}
		err = c.ExecParams(ctx, sql, values, nil, nil, []int16{int16(f.IntN(2))}).Read().Err
	}
	var e *pgconn.PgError
	code := "00000"
	switch {
	case err == nil:
	case !errors.As(err, &e) || e.Severity != "ERROR":
		t.Errorf("%s\n%v %q\n%v", sql, time.Now(), params, err)
		f.conn = nil
		return
	case e.Code == "XX000":
		t.Errorf("%s\n%q\n%v", sql, params, err)
		fallthrough
	default:
		code = e.Code
	}
	f.codes[code]++
	if n := f.heap.bytes.Load(); n > fuzzHeap {
		t.Errorf("%s\n%q\nlet the heap grow to %d MB, of which no account knew, and ended with %v", sql, params, n>>20,
			err)
		runtime.GC() // it is not that of the next statement
	}
	if _, err := c.Exec(ctx,
		"CLOSE ALL; DROP TABLE IF EXISTS fc, fd, fa; DROP VIEW IF EXISTS fv; DROP INDEX IF EXISTS fi; DEALLOCATE ALL; DELETE FROM fw").ReadAll(); err != nil {
		t.Errorf("after %s\n%v", sql, err)
		f.conn = nil
	}
}
