package copytext

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

var (
	postgres = flag.String("postgres", "", "connection string of a PostgreSQL 15 to compare with")
)

// connect gives a function that runs an attempt in PostgreSQL, if there is one.
func connect(ctx context.Context, t *testing.T) func(a attempt, command string) string {
	if *postgres == "" {
		return nil
	}
	conn, err := pgconn.Connect(ctx, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	return func(a attempt, command string) string {
		if command == "write" {
			return a.writtenByPostgres(ctx, t, conn)
		}
		return a.inPostgres(ctx, t, conn)
	}
}

func (a attempt) writtenByPostgres(ctx context.Context, t *testing.T, conn *pgconn.PgConn) string {
	literal := func(f Field) string {
		if f.Null {
			return "NULL"
		}
		return fmt.Sprintf("E'%s'::text", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(f.Text))
	}
	var rows []string
	for _, row := range a.rows {
		var values []string
		for _, f := range row {
			values = append(values, literal(f))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	query := fmt.Sprintf("(SELECT * FROM (VALUES %s) AS t (%s))", strings.Join(rows, ", "),
		strings.Join(a.columns, ", "))
	var out strings.Builder
	if _, err := conn.CopyTo(ctx, &out, "COPY "+query+" TO STDOUT"+a.optionList()); err != nil {
		return postgresError(t, err)
	}
	return showLines(out.String())
}

func (a attempt) inPostgres(ctx context.Context, t *testing.T, conn *pgconn.PgConn) string {
	columns := strings.Join(a.columns, ", ")
	table := "CREATE TEMP TABLE t ()" // without columns there is nothing to leave out
	if columns != "" {
		table = "CREATE TEMP TABLE t (" + strings.Join(a.columns, " text, ") + " text, other text)"
	}
	if _, err := conn.Exec(ctx, "DROP TABLE IF EXISTS t; "+table).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CopyFrom(ctx, strings.NewReader(a.data), a.sql()); err != nil {
		return postgresError(t, err)
	}
	results, err := conn.Exec(ctx, "SELECT "+columns+" FROM t").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, row := range results[0].Rows {
		var fields []Field
		for _, v := range row {
			fields = append(fields, Field{Text: string(v), Null: v == nil})
		}
		out += showRow(fields)
	}
	return out
}

func (a attempt) sql() string {
	sql := "COPY t"
	if len(a.columns) > 0 {
		sql += " (" + strings.Join(a.columns, ", ") + ")"
	}
	return sql + " FROM STDIN" + a.optionList()
}

func (a attempt) optionList() string {
	var options []string
	for _, o := range a.options {
		switch {
		case o.Value == "*":
			options = append(options, o.Name+" *")
		case strings.HasPrefix(o.Name, "force_"):
			options = append(options, fmt.Sprintf("%s (%s)", o.Name, strings.Join(o.List, ", ")))
		case o.Name == "header":
			options = append(options, o.Name+" "+o.Value)
		default:
			options = append(options, fmt.Sprintf("%s E'%s'", o.Name,
				strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(o.Value)))
		}
	}
	if options == nil {
		return ""
	}
	return " (" + strings.Join(options, ", ") + ")"
}

var contextLine = regexp.MustCompile(`^COPY t, line (\d+)`)

func postgresError(t *testing.T, err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	line := 0
	if m := contextLine.FindStringSubmatch(e.Where); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return showError(sqlerr.New(sqlerr.Code(e.Code), "%s", e.Message).WithHint("%s", e.Hint), int64(line))
}

// TestRandom compares with PostgreSQL, if there is one, on data of bytes that mean
// something.
func TestRandom(t *testing.T) {
	theirs := connect(context.Background(), t)
	if theirs == nil {
		t.Skip("no -postgres")
	}
	rnd := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 3000 {
		a := randomAttempt(rnd)
		got, want := a.run(false), theirs(a, "copy")
		if strings.HasPrefix(want, "22021") && strings.HasPrefix(got, "22") {
			continue // it checks the byte behind a line or a marker before it goes on
		}
		if got != want {
			t.Errorf("%s %q\ngot:\n%s\nPostgreSQL:\n%s", a.sql(), a.data, got, want)
		}
	}
}

func randomAttempt(rnd *rand.Rand) attempt {
	a := attempt{columns: []string{"a", "b"}[:rnd.IntN(3)]}
	pieces := []string{"a", "b", "\t", "\n", "\n", "\\", "\\N", "\\.", "\\.\n", "x4", "7", "é", "\xc3", "\r", "\r\n",
		"\x00"}
	if rnd.IntN(2) == 0 {
		a.options = append(a.options, Option{Name: "format", Value: "csv"})
		pieces = append(pieces[:8:8], ",", ",", `"`, `"`, `""`, "\r\n", "'")
		if rnd.IntN(2) == 0 {
			a.options = append(a.options, Option{Name: "escape", Value: `\`})
		}
		if len(a.columns) > 0 && rnd.IntN(4) == 0 {
			a.options = append(a.options,
				Option{Name: []string{"force_null", "force_not_null"}[rnd.IntN(2)], List: []string{"a"}})
		}
	}
	if rnd.IntN(4) == 0 {
		a.options = append(a.options, Option{Name: "null", Value: []string{"a", "", "x4"}[rnd.IntN(3)]})
	}
	if rnd.IntN(4) == 0 {
		a.options = append(a.options, Option{Name: "header", Value: []string{"", "match"}[rnd.IntN(2)]})
	}
	for range rnd.IntN(12) {
		a.data += pieces[rnd.IntN(len(pieces))]
	}
	return a
}

// TestRandomWrites compares what is written with PostgreSQL, if there is one, and always
// reads it again.
func TestRandomWrites(t *testing.T) {
	theirs := connect(context.Background(), t)
	rnd := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 1000 {
		a := randomAttempt(rnd)
		a.columns, a.data = []string{"a", "b"}[:1+rnd.IntN(2)], ""
		a.options = slices.DeleteFunc(a.options,
			func(o Option) bool { return o.Name == "force_null" || o.Name == "force_not_null" || o.Value == "match" })
		pieces := []string{"a", "b", "\t", "\n", "\\", "\\N", "\\.", "x4", "é", "\r", ",", `"`, `""`, "\b", "\v", "'",
			" "}
		for range 1 + rnd.IntN(3) {
			row := make([]Field, len(a.columns))
			for i := range row {
				row[i].Null = rnd.IntN(5) == 0
				for n := rnd.IntN(4); n > 0 && !row[i].Null; n-- {
					row[i].Text += pieces[rnd.IntN(len(pieces))]
				}
			}
			a.rows = append(a.rows, row)
		}
		if theirs != nil {
			if got, want := a.write(), theirs(a, "write"); got != want {
				t.Errorf("%v%s\ngot:\n%s\nPostgreSQL:\n%s", a.rows, a.optionList(), got, want)
			}
		}
		a.readsBack(t)
	}
}

// readsBack wants what is written to be read as it was. In the text format a mark of NULL that
// values can have makes that impossible.
func (a attempt) readsBack(t *testing.T) {
	if f, err := ParseOptions(a.options, true); err == nil && !f.CSV && f.Null != TextFormat().Null {
		return
	}
	want := ""
	for _, row := range a.rows {
		want += showRow(row)
	}
	var data strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(a.write(), "\n"), "\n") {
		text, err := strconv.Unquote(line)
		if err != nil {
			return // the options are an error
		}
		data.WriteString(text)
	}
	a.data = data.String()
	if got := a.run(false); got != want {
		t.Errorf("%v%s: %q\ngot:\n%s\nwant:\n%s", a.rows, a.optionList(), a.data, got, want)
	}
}
