package e2e

import (
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

// TestListedIsCallable calls each function of pg_proc and each operator of pg_operator with NULLs of its types. What
// the catalogs list must be found.
func TestListedIsCallable(t *testing.T) {
	c := openDB(t, inMemory).connect(t)
	must(t, c, "SET statement_timeout = '1s'")
	nulls := func(oids []types.OID) string {
		out := make([]string, len(oids))
		for i, oid := range oids {
			oid = concrete(oid, types.OIDInt4)
			if out[i] = "NULL"; types.InfoOf(oid).Category != types.CategoryPseudo {
				out[i] = "NULL::" + types.InfoOf(oid).SQL
			}
		}
		return strings.Join(out, ", ")
	}
	call := func(sql string) {
		_, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
		var e *pgconn.PgError
		if errors.As(err, &e) && (e.Code == "42883" || e.Code == "XX000") {
			t.Errorf("%s: %s %s", sql, e.Code, e.Message)
		}
	}
	for _, p := range builtin.Procs() {
		if slices.Contains(p.Args, types.OIDAnyEnum) {
			continue // no argument is one, as in PostgreSQL
		}
		over, args := "", nulls(p.Args)
		if p.Kind == 'w' {
			over = " OVER ()"
		}
		if n := len(p.Args); p.Variadic != 0 && types.RangeTypeOf(types.InfoOf(p.Args[n-1]).Element) != nil {
			args = strings.TrimPrefix(nulls(p.Args[:n-1])+", VARIADIC "+nulls(p.Args[n-1:]), ", ")
		}
		call(fmt.Sprintf(`SELECT %s."%s"(%s)%s`, p.Schema, p.Name, args, over))
	}
	for _, o := range pgproc.OperatorRows() {
		if o.Left == 0 {
			call("SELECT " + o.Name + " " + nulls([]types.OID{o.Right}))
		} else {
			call("SELECT " + nulls([]types.OID{o.Left}) + " " + o.Name + " " + nulls([]types.OID{o.Right}))
		}
	}
}
