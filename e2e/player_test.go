package e2e

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/types"
)

// player runs the commands of a script.
type player struct {
	ctx     context.Context
	conn    *pgconn.PgConn
	notices []*pgconn.Notice // since the last command
	quiet   bool             // it prints no notices of what has no effect, or less than in PostgreSQL
	pieces  bool             // what is too large for a transaction of the store is written in pieces
}

func newPlayer(t *testing.T, url string) *player {
	t.Helper()
	p := &player{ctx: context.Background()}
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.notices = append(p.notices, n) }
	if p.conn, err = pgconn.ConnectConfig(p.ctx, config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.conn.Close(p.ctx) })
	return p
}

// run answers a command. The error is that of the statement, which out shows, too.
func (p *player) run(d *datadriven.TestData) (out string, err error) {
	switch d.Cmd {
	case "exec":
		return p.statements(d.Input, (*player).tag)
	case "query":
		return p.statements(d.Input, func(p *player,
			r *pgconn.Result) string {
			return p.table(r, d.HasArg("rowsort"))
		})
	case "eval":
		return p.eachLine(d.Input, "SELECT ", p.value)
	case "error":
		return p.statements(d.Input, (*player).tag)
	case "prints":
		return p.prints(d)
	case "errors":
		return p.eachLine(d.Input, "", func(*pgconn.Result) string { return "no error" })
	case "copy":
		return p.copy(d.Input)
	case "explain":
		return p.explain(d)
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

// prints shows how views are printed whose queries stand between semicolons, with many
// parentheses and, where they differ, with few. With from, what stands in each line is an expression over that
// relation instead.
func (p *player) prints(d *datadriven.TestData) (string, error) {
	queries := strings.Split(strings.TrimSuffix(d.Input, ";"), ";\n")
	from := ""
	if d.HasArg("from") {
		arg, _ := d.Arg("from")
		from = arg.Vals[0]
		queries = strings.Split(d.Input, "\n")
	}
	var out strings.Builder
	for _, q := range queries {
		query := q
		if from != "" {
			query = "SELECT " + q + " AS x FROM " + from
		}
		results, err := p.conn.Exec(p.ctx,
			"CREATE VIEW printed AS "+query+";SELECT pg_get_viewdef('printed'::regclass), pg_get_viewdef('printed'::regclass, true);DROP VIEW printed").ReadAll()
		if err != nil {
			fmt.Fprintf(&out, "%s\n  %s\n", q, brief(err))
			continue
		}
		full, few := string(results[1].Rows[0][0]), string(results[1].Rows[0][1])
		if from != "" {
			full, few = strings.TrimPrefix(full, " SELECT "), strings.TrimPrefix(few, " SELECT ")
			full, few = strings.TrimSuffix(full, " AS x\n   FROM "+from+";"),
				strings.TrimSuffix(few, " AS x\n   FROM "+from+";")
			q = "  " + q
		}
		fmt.Fprintf(&out, "%s\n%s\n", q, full)
		if few != full {
			fmt.Fprintf(&out, "%s\n", few)
		}
	}
	return p.takeNotices() + out.String(), nil
}

// statements runs a text in one message.
func (p *player) statements(text string, show func(*player, *pgconn.Result) string) (string, error) {
	outside, notices := p.conn.TxStatus() == 'I', len(p.notices)
	results, err := p.send(text)
	if p.pieces && outside && p.conn.TxStatus() == 'I' && tooLarge(err) {
		p.notices = p.notices[:notices]
		results, err = p.inPieces(text, err)
	}
	return p.shown(text, results, show, err)
}

// send gives the results of a text up to the statement that fails.
func (p *player) send(text string) (results []*pgconn.Result, err error) {
	reader := p.conn.Exec(p.ctx, text)
	for reader.NextResult() {
		columns := slices.Clone(reader.ResultReader().FieldDescriptions()) // Read tells of them only with rows
		r := reader.ResultReader().Read()
		r.FieldDescriptions = columns
		results = append(results, r)
	}
	return results, reader.Close()
}

// shown prints results, the notices before them and the error behind them.
func (p *player) shown(text string, results []*pgconn.Result, show func(*player, *pgconn.Result) string,
	err error) (string, error) {
	var out strings.Builder
	for _, r := range results {
		if r.Err == nil {
			out.WriteString(show(p, r))
		}
	}
	notices := p.takeNotices()
	if err != nil {
		return notices + out.String() + errorText(err, text), err
	}
	return notices + out.String(), nil
}

func (*player) tag(r *pgconn.Result) string { return r.CommandTag.String() + "\n" }

func (p *player) takeNotices() string {
	var out strings.Builder
	for _, n := range p.notices {
		if p.quiet && (strings.HasSuffix(n.Message, "has no effect") ||
			strings.HasSuffix(n.Message, "has less effect than in PostgreSQL")) {
			continue
		}
		fmt.Fprintf(&out, "%s %s: %s\n", n.Severity, n.Code, n.Message)
		if n.Hint != "" {
			out.WriteString("HINT: " + n.Hint + "\n")
		}
	}
	p.notices = nil
	return out.String()
}

// eachLine runs each line and prints it with what it gives.
func (p *player) eachLine(text, prefix string, show func(*pgconn.Result) string) (string, error) {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		results, err := p.conn.Exec(p.ctx, prefix+line).ReadAll()
		answer := ""
		switch {
		case err != nil:
			answer = brief(err)
		case len(results) > 0:
			answer = show(results[0])
		}
		fmt.Fprintf(&out, "%s  =>  %s\n", line, answer)
	}
	return p.takeNotices() + out.String(), nil
}

func brief(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error()
	}
	out := fmt.Sprintf("%s %s: %s", e.Severity, e.Code, e.Message)
	if e.Detail != "" {
		out += " DETAIL: " + e.Detail
	}
	return out
}

// errorText shows an error as psql does.
func errorText(err error, text string) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error() + "\n"
	}
	out := fmt.Sprintf("%s %s: %s\n", e.Severity, e.Code, e.Message)
	if e.Position > 0 {
		before := string([]rune(text)[:e.Position-1])
		line := before[strings.LastIndex(before, "\n")+1:]
		whole, _, _ := strings.Cut(text[len(before)-len(line):], "\n")
		out += whole + "\n" + strings.Repeat(" ", len([]rune(line))) + "^\n"
	}
	if e.Detail != "" {
		out += "DETAIL: " + e.Detail + "\n"
	}
	if e.Hint != "" {
		out += "HINT: " + e.Hint + "\n"
	}
	return out
}

// value is the one value of a result, and its type.
func (p *player) value(r *pgconn.Result) string {
	return cell(r.Rows[0][0]) + "  " + p.typeText(r.FieldDescriptions[0])
}

func cell(v []byte) string {
	if v == nil {
		return "NULL"
	}
	return strings.ReplaceAll(string(v), "\n", `\n`)
}

// typeText asks for the name of the type of a table's rows, whose number PostgreSQL has chosen.
func (p *player) typeText(f pgconn.FieldDescription) string {
	if f.DataTypeOID < 16384 {
		return typeText(f)
	}
	r, err := p.conn.Exec(p.ctx, fmt.Sprintf("SELECT %d::regtype", f.DataTypeOID)).ReadAll()
	if err != nil {
		return err.Error()
	}
	return cell(r[0].Rows[0][0])
}

func typeText(f pgconn.FieldDescription) string {
	if f.DataTypeOID >= 16384 {
		return "row"
	}
	return types.T{OID: types.OID(f.DataTypeOID), Mod: f.TypeModifier}.String()
}

// table shows a result: a line of names and types, then the rows.
func (p *player) table(r *pgconn.Result, sorted bool) string {
	var head, rows []string
	for _, f := range r.FieldDescriptions {
		head = append(head, f.Name+" "+p.typeText(f))
	}
	for _, row := range r.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, cell(v))
		}
		rows = append(rows, strings.TrimRight(strings.Join(cells, " | "), " "))
	}
	if sorted {
		slices.Sort(rows)
	}
	return strings.Join(append([]string{strings.Join(head, " | ")}, rows...), "\n") + "\n" + r.CommandTag.String() +
		"\n"
}

// copy runs COPY FROM STDIN.
func (p *player) copy(text string) (string, error) {
	sql, data, _ := strings.Cut(text, "\n")
	tag, err := p.conn.CopyFrom(p.ctx, strings.NewReader(data+"\n"), sql)
	if err != nil {
		return p.takeNotices() + errorText(err, sql), err
	}
	return p.takeNotices() + tag.String() + "\n", nil
}

// measured are the parts of a plan that are not the same in every run and store.
var measured = regexp.MustCompile(`actual time=[\d.]+ |, \d+ bytes?|, up to \d+ at once|(Planning|Execution) Time: [\d.]+ ms`)

// times are those that forms other than text have.
var times = regexp.MustCompile(`(Time(": |: |>))[\d.]+`)

func (p *player) explain(d *datadriven.TestData) (string, error) {
	var options []string
	for _, word := range []string{"analyze", "why"} {
		if d.HasArg(word) {
			options = append(options, strconv.Quote(word))
		}
	}
	if format, ok := d.Arg("format"); ok {
		options = append(options, "FORMAT "+format.Vals[0])
	}
	if len(options) == 0 || !strings.HasPrefix(options[len(options)-1], "FORMAT") {
		options = append(options, "COSTS OFF") // which come with the least change of an estimate
	}
	text := explainOf(d.Input, options...)
	results, err := p.conn.Exec(p.ctx, text).ReadAll()
	if err != nil {
		return errorText(err, text), err
	}
	var out strings.Builder
	for _, row := range results[0].Rows {
		if line := times.ReplaceAllString(measured.ReplaceAllString(string(row[0]), ""), "${1}0.000"); line != "" {
			out.WriteString(line + "\n")
		}
	}
	notices := p.takeNotices()
	err = p.inEveryFormat(d.Input, options)
	p.notices = nil
	return notices + out.String(), err
}

// explainOf is EXPLAIN of a statement.
func explainOf(sql string, options ...string) string {
	if len(options) == 0 {
		return "EXPLAIN " + sql
	}
	return "EXPLAIN (" + strings.Join(options, ", ") + ") " + sql
}
