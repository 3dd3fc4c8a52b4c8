package clients

import (
	"context"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"go.uber.org/goleak"
)

// asClient makes the program of these tests one of the clients that it tests: a second
// one need not be linked, and what it learns is no more than what others do.
var asClient = flag.String("client", "", "be the client of this name, not a test")

// goClients are the drivers of Go.
func goClients() map[string]func(context.Context, printer) error {
	return map[string]func(context.Context, printer) error{
		"golang/pgx": pgxClient, "golang/pq": pqClient, "orms/gorm": gormClient, "types/pgx": pgxTypesClient,
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *asClient != "" {
		if err := goClients()[*asClient](context.Background(), printer{os.Stdout}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"))
}

func goProgram(_ *testing.T, name string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, "-client", name}, err
}

// kinds are the columns of the table of that name with their types.
func kinds() []struct{ name, kind string } {
	return []struct{ name, kind string }{
		{"a_bool", "boolean"}, {"a_int2", "smallint"}, {"a_int4", "integer"}, {"a_int8", "bigint"}, {"a_numeric", "numeric"},
		{"a_numeric_10_2", "numeric(10,2)"}, {"a_float4", "real"}, {"a_float8", "double precision"}, {"a_text", "text"},
		{"a_varchar", "varchar(20)"}, {"a_char", "char(5)"}, {"a_bytea", "bytea"}, {"a_date", "date"}, {"a_time", "time"},
		{"a_time_3", "time(3)"}, {"a_timetz", "timetz"}, {"a_timestamp", "timestamp"}, {"a_timestamptz", "timestamptz"},
		{"a_interval", "interval"}, {"a_uuid", "uuid"}, {"a_json", "json"}, {"a_jsonb", "jsonb"}, {"a_point", "point"},
		{"some_int4", "int[]"}, {"some_text", "text[]"},
	}
}

// lookingAround are questions to the catalogs, whose answers have no OIDs.
func lookingAround() []string {
	return []string{
		`SELECT c.relname, c.relkind, c.relhasindex, c.relnatts, obj_description(c.oid) FROM pg_catalog.pg_class c
			JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' ORDER BY 1`,
		`SELECT attname, atttypid::regtype::text, format_type(atttypid, atttypmod), attnotnull, atthasdef, attidentity::text, pg_get_expr(adbin, adrelid)
			FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'customers'::regclass AND attnum > 0 ORDER BY attnum`,
		`SELECT i.indexrelid::regclass::text, indisunique, indisprimary, indkey, indoption, pg_get_indexdef(i.indexrelid)
			FROM pg_index i JOIN pg_class c ON c.oid = indrelid WHERE c.relname IN ('orders', 'Odd Names') ORDER BY 1`,
		`SELECT conname, contype, conkey, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = ANY (ARRAY['customers', 'orders']::regclass[]) ORDER BY 1`,
		`SELECT table_schema, table_name, table_type, is_insertable_into FROM information_schema.tables
			WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'zproxy') ORDER BY 1, 2`,
		`SELECT column_name, ordinal_position, column_default, is_nullable, data_type, udt_name, character_maximum_length, numeric_precision, numeric_scale,
			datetime_precision FROM information_schema.columns WHERE table_name = 'kinds' ORDER BY ordinal_position`,
		`SELECT constraint_name, constraint_type, k.column_name, k.ordinal_position FROM information_schema.table_constraints
			JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name) WHERE k.table_schema = 'public' ORDER BY 1, 4`,
		`SELECT schemaname, tablename, indexname, indexdef FROM pg_indexes WHERE schemaname IN ('public', 'archive') ORDER BY 1, 2, 3`,
		`SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'`,
		`SELECT sequencename, data_type::text, start_value, increment_by, last_value FROM pg_sequences ORDER BY 1`,
	}
}

// sleeping asks whether the session of a number has begun to sleep: a request to cancel that comes earlier has nothing
// to cancel. A client may prepare the statement first, which takes long on a loaded machine.
const sleeping = `SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'
	AND query LIKE '%pg_sleep%' AND query_start < clock_timestamp() - interval '200 ms'`

// printer writes what a client in Go sees, the same each time.
type printer struct{ w io.Writer }

func (p printer) title(format string, args ...any) { fmt.Fprintf(p.w, "\n== "+format+"\n", args...) }

func (p printer) line(values ...any) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = shown(v)
	}
	fmt.Fprintln(p.w, "  ", strings.Join(texts, " | "))
}

// shown is a value as a text that does not hang on where the value is in memory.
func shown(v any) string {
	if x, ok := v.(driver.Valuer); ok {
		value, err := x.Value()
		if err != nil {
			return fmt.Sprintf("%T: %v", v, err)
		}
		v = value
	}
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case []byte:
		return fmt.Sprintf("%q", v)
	case error:
		return errorText(v)
	case []any:
		texts := make([]string, len(v))
		for i, x := range v {
			texts[i] = shown(x)
		}
		return fmt.Sprintf("%q", texts)
	default:
		return fmt.Sprint(v)
	}
}

// errorText is an error with all fields that the server sent.
func errorText(err error) string {
	var ofPgx *pgconn.PgError
	var ofPq *pq.Error
	switch {
	case errors.As(err, &ofPgx):
		return strings.Join([]string{
			"ERROR", ofPgx.Severity, ofPgx.Code, ofPgx.Message, ofPgx.Detail, ofPgx.Hint, fmt.Sprint(ofPgx.Position),
			ofPgx.SchemaName, ofPgx.TableName, ofPgx.ColumnName, ofPgx.ConstraintName, ofPgx.DataTypeName,
		}, " | ")
	case errors.As(err, &ofPq):
		return strings.Join([]string{
			"ERROR", ofPq.Severity, string(ofPq.Code), ofPq.Message, ofPq.Detail, ofPq.Hint, ofPq.Position,
			ofPq.Schema, ofPq.Table, ofPq.Column, ofPq.Constraint, ofPq.DataTypeName,
		}, " | ")
	default:
		return fmt.Sprintf("ERROR %v", err)
	}
}
