package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// constantTypes are types with a constant of each, and another value.
var constantTypes = []struct{ name, constant, other string }{
	{"timestamptz", "'2000-01-01 12:00'", "'infinity'"}, {"timestamp", "'2000-01-01 12:00'", "'infinity'"}, {"date", "'2000-01-01'", "'infinity'"},
	{"timetz", "'12:00 America/New_York 2000-01-01'", "'00:00+00'"}, {"time", "'12:00'", "'00:00'"}, {"interval", "'-1 2:03:04'", "interval '0'"},
	{"text", "'2000-01-01 12:00'::timestamptz::text", "''"}, {"text", "'-1 2:03:04'::interval::text", "''"}, {"text", "0.30000000000000004::float8::text", "''"},
	{"float8", "0.30000000000000004", "0"}, {"float4", "0.1", "0"}, {"numeric", "1.10", "0"}, {"bytea", `'\x0041'`, "''"}, {"jsonb", `'{"a": 1.10}'`, "'null'"},
	{"timestamptz[]", `'{2000-01-01 12:00}'`, "'{}'"}, {"interval[]", "ARRAY['-1 2:03:04'::interval]", "'{}'"},
	{"regclass", "'sc'", "'pg_class'"}, {"regtype", "'int'", "'text'"}, {"regproc", "'chr'", "'ascii'"}, {"oid", "'pg_class'::regclass::oid", "'1'"}, {"regnamespace", "'sn'", "'public'"},
}

// constantChanges come between the writing of a constant and its use.
var constantChanges = [][2]string{
	{"SET timezone = 'America/New_York'", "SET timezone = 'Asia/Tokyo'"}, {"SET intervalstyle = 'sql_standard'", "SET intervalstyle = 'iso_8601'"},
	{"SET extra_float_digits = 0", "SET extra_float_digits = 1"}, {"SELECT 1", "ALTER TABLE sc RENAME TO sd"}, {"SELECT 1", "ALTER SCHEMA sn RENAME TO sm"},
	{"CREATE TABLE sn.sc (b int); SET search_path = sn, public", "SET search_path = public"},
}

// constantContexts keep a constant, $C of type $T, and use it later, beside another value, $O.
var constantContexts = [][2]string{
	{"CREATE TABLE public.m (a int PRIMARY KEY, v $T DEFAULT $C)", "INSERT INTO m VALUES (1); SELECT v FROM m"},
	{"CREATE TABLE public.m (a int PRIMARY KEY, v $T, CHECK (v::text <> ($C::$T)::text))", "INSERT INTO m VALUES (1, $O); INSERT INTO m VALUES (2, $C)"},
	{"CREATE VIEW public.mv AS SELECT $C::$T AS v, 1 AS n WHERE $C::$T IS NOT NULL", "SELECT * FROM mv"},
	{"CREATE VIEW public.mv AS SELECT $C::$T AS v; CREATE VIEW public.mw AS SELECT v, $C::$T AS w FROM public.mv", "SELECT v, w, v::text = w::text FROM mw"},
	{"CREATE TABLE public.m (a int PRIMARY KEY, v $T); INSERT INTO public.m VALUES (1, $C); ALTER TABLE public.m ALTER v SET DEFAULT $C", "INSERT INTO m VALUES (2); SELECT * FROM m"},
	{"BEGIN; DECLARE k CURSOR FOR SELECT $C::$T", "FETCH ALL FROM k; COMMIT"},
	{"DECLARE k CURSOR WITH HOLD FOR SELECT $C::$T", "FETCH ALL FROM k"},
	{"PREPARE p AS SELECT $C::$T", "EXECUTE p"},
	{"PREPARE p ($T) AS SELECT $1", "EXECUTE p ($O::text::$T)"},
	{"CREATE TABLE public.m AS SELECT 1 AS a, $C::$T AS v", "SELECT v FROM m"},
}

// TestStoredConstants writes constants of every type wherever one is kept, changes settings and names, and wants what
// PostgreSQL makes of them then.
func TestStoredConstants(t *testing.T) {
	ctx := t.Context()
	theirs, ours := connectPostgres(t), openDB(t, inMemory).connect(t).PgConn()
	for _, where := range constantContexts {
		for _, change := range constantChanges {
			for _, typ := range constantTypes {
				if typ.name == "text" && strings.HasPrefix(where[0], "BEGIN") {
					continue // a cursor goes on by the settings that it was declared under
				}
				fill := strings.NewReplacer("$C", typ.constant, "$T", typ.name, "$O", typ.other)
				steps := []string{"RESET ALL", "DROP SCHEMA IF EXISTS sn, sm CASCADE", "DROP VIEW IF EXISTS mw, mv",
					"DROP TABLE IF EXISTS m, sc, sd", "DEALLOCATE ALL", "CLOSE ALL",
					"CREATE SCHEMA sn", "CREATE TABLE sc (a int)", change[0], fill.Replace(where[0]), change[1], fill.Replace(where[1]), "ROLLBACK"}
				for i, sql := range steps {
					want, got := spoken(ctx, theirs, sql), spoken(ctx, ours, sql)
					if got != want {
						t.Errorf("%q:\n%s, PostgreSQL: %s", steps[8:i+1], got, want)
						break
					}
				}
			}
		}
	}
}

// spoken is all that a statement answers: values, and the code of an error.
func spoken(ctx context.Context, c *pgconn.PgConn, sql string) string {
	var out strings.Builder
	results, err := c.Exec(ctx, sql).ReadAll()
	for _, r := range results {
		for _, row := range r.Rows {
			for _, v := range row {
				out.WriteString(cell(v) + "|")
			}
		}
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		out.WriteString(e.Code)
	} else if err != nil {
		out.WriteString(err.Error())
	}
	return out.String()
}
