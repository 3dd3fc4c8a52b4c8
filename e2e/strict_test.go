package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// TestStrictOnNull calls each strict function and operator with a NULL for each argument, beside values, and wants NULL
// of the type that PostgreSQL gives, or its error: also where another argument cannot be computed.
func TestStrictOnNull(t *testing.T) {
	ctx := t.Context()
	theirs, ours := connectPostgres(t), openDB(t, inMemory).connect(t).PgConn()
	for _, c := range []*pgconn.PgConn{theirs, ours} {
		if _, err := c.Exec(ctx, "CREATE TABLE one (x int); INSERT INTO one VALUES (1)").ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range strictCalls() {
		if want, got := answerWithType(ctx, theirs, sql), answerWithType(ctx, ours, sql); got != want {
			t.Errorf("%s: %s, PostgreSQL: %s", sql, got, want)
		}
	}
}

// strictCalls are queries of calls with a NULL.
func strictCalls() (all []string) {
	for _, p := range builtin.Procs() {
		if !p.Strict || p.Kind != 'f' || p.ReturnsSet || p.Schema != "pg_catalog" || p.OID >= 9500 && p.OID < 10000 ||
			p.Name == "acldefault" || p.Variadic != 0 || slices.Contains(p.Args, types.OIDXML) ||
			strings.HasSuffix(p.Name, "_to_record") || hasPseudo(p) {
			continue
		}
		for ordinal := range p.Args {
			args := make([]string, len(p.Args))
			for i, a := range p.Args {
				args[i] = sampleOf(a, i == ordinal)
			}
			all = append(all, fmt.Sprintf(`SELECT "%s"(%s)`, p.Name, strings.Join(args, ", ")),
				fmt.Sprintf(`SELECT "%s"(%s) FROM one`, p.Name, strings.Join(args, ", ")))
		}
	}
	for _, o := range pgproc.OperatorRows() {
		if o.Left != 0 {
			all = append(all, fmt.Sprintf("SELECT %s %s %s", sampleOf(o.Left, true), o.Name, sampleOf(o.Right, false)),
				fmt.Sprintf("SELECT %s %s %s", sampleOf(o.Left, false), o.Name, sampleOf(o.Right, true)))
		}
	}
	for _, failing := range []string{"1/0", "x/0", "(x - 1)/(x - 1)", "(SELECT 1/0)", "CASE WHEN x = 1 THEN 1/0 END"} {
		for _, e := range []string{"NULL::int + %s", "%s + NULL::int", "%s = NULL::int", "NULL::int < %s",
			"power(NULL, %s)", "lpad('a', %s, NULL)", "coalesce(NULL, %s)", "coalesce(1, %s)",
			"NULLIF(NULL, %s)", "NULLIF(%s, NULL)", "NULL::int IN (2, %s)", "(%s) IS NULL", "NOT (NULL AND %s = 1)", "false AND %s = 1", "%s = 1 OR true", "greatest(NULL, %s)", "CASE WHEN false THEN %s END", "NULL::int BETWEEN 1 AND %s"} {
			all = append(all, "SELECT "+fmt.Sprintf(e, failing)+" FROM one")
		}
	}
	return all
}

// hasPseudo says whether a function reads or prints what is no type of values.
func hasPseudo(p pgproc.Proc) bool {
	pseudo := func(oid types.OID) bool { return types.InfoOf(oid).Category == types.CategoryPseudo }
	return slices.Contains(p.Args, types.OIDInternal) || slices.Contains(p.Args, types.OIDCstring) &&
		(pseudo(p.Result) || p.Name == "unknownin") ||
		p.Result == types.OIDCstring && slices.ContainsFunc(p.Args, pseudo)
}

func sampleOf(oid types.OID, null bool) string {
	oid = concrete(oid, types.OIDInt4)
	info := types.InfoOf(oid)
	switch {
	case oid == types.OIDRecord && !null:
		return "ROW(1)"
	case info.Category == types.CategoryPseudo:
		return "NULL"
	case null:
		return "NULL::" + info.SQL
	case info.Element != types.OIDInvalid && !strings.HasSuffix(info.Name, "vector"):
		return "'{}'::" + info.SQL
	}
	for _, s := range []string{"1", "a", "2000-01-01", "12:00", "(1,2)", "[(0,0),(1,1)]", "(0,0),(1,1)", "<(0,0),1>",
		"{1,1,1}", "101", "1.2.3.4", "08:00:2b:01:02:03", "1 day", "0/1", "00000000-0000-0000-0000-000000000000", "t", "$"} {
		if _, err := types.ParseText(s, types.Of(oid), &types.Env{}); err == nil {
			return "'" + s + "'::" + info.SQL
		}
	}
	return "NULL::" + info.SQL
}

// answerWithType is the text of the one value of a query and the type of its column, or its SQLSTATE.
func answerWithType(ctx context.Context, c *pgconn.PgConn, sql string) string {
	r := c.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	var e *pgconn.PgError
	switch {
	case errors.As(r.Err, &e):
		return e.Code
	case r.Err != nil:
		return r.Err.Error()
	case len(r.Rows) != 1:
		return fmt.Sprintf("%d rows", len(r.Rows))
	}
	return cell(r.Rows[0][0]) + fmt.Sprintf(" of type %d", r.FieldDescriptions[0].DataTypeOID)
}
