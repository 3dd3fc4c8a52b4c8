package e2e

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/types"
)

var statementsFlag = flag.Int("statements", 0,
	"how many statements TestDiffersNowhere asks; 0 asks 500 that are always the same")

// TestDiffersNowhere runs random programs here and on PostgreSQL, and wants the same
// rows, columns with their types, tags and errors. What differs on purpose is in
// different_test.go.
func TestDiffersNowhere(t *testing.T) {
	theirs := connectPostgres(t)
	calls := trials(t, theirs)
	r := &report{features: map[string]int{}, found: map[string]int{}}
	seed, most := seeds(t, 1)[0], *statementsFlag
	if most == 0 {
		most = 500
	}
	for ; r.statements < most && r.shown < 40 && !theirs.IsClosed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			k := onPebble
			if seed%4 == 0 {
				k = inMemory
			}
			d := &differ{T: t, seed: seed, report: r, theirs: theirs, ours: openDB(t, k).connect(t).PgConn()}
			d.m = &maker{dice: newDice(seed), calls: calls, features: r.features}
			d.round()
		})
	}
	r.print(t)
}

// trials tells the functions that cannot fail for our values from those that can.
func trials(t *testing.T, theirs *pgconn.PgConn) *callTable {
	scalar, sets := allCalls()
	table := &callTable{all: scalar, total: map[*valueType][]call{}}
	total := func(c call) bool {
		_, err := theirs.Exec(t.Context(), c.trial()).ReadAll()
		return err == nil && !slices.ContainsFunc(growing,
			func(g string) bool { return strings.HasPrefix(c.f.Name, g) })
	}
	for _, c := range scalar {
		if total(c) {
			table.total[c.result] = append(table.total[c.result], c)
		}
	}
	for _, c := range sets {
		if total(c) {
			table.sets = append(table.sets, c)
		}
	}
	return table
}

// report sums up what was done.
type report struct {
	statements, failed, purpose, shown int
	features                           map[string]int
	found                              map[string]int
}

func (r *report) print(t *testing.T) {
	t.Logf("%d statements, %.1f%% of which failed on both sides, %d different on purpose", r.statements,
		100*float64(r.failed)/float64(max(r.statements, 1)), r.purpose)
	var lines []string
	for f, n := range r.features {
		lines = append(lines, fmt.Sprintf("%s %d", f, n))
	}
	slices.Sort(lines)
	t.Log("met: " + strings.Join(lines, ", "))
	lines = nil
	for f, n := range r.found {
		lines = append(lines, fmt.Sprintf("%6d  %s", n, f))
	}
	slices.Sort(lines)
	t.Log("different:\n" + strings.Join(lines, "\n"))
}

// differ runs one program on both sides.
type differ struct {
	*testing.T
	*report
	m              *maker
	seed           uint64
	ours, theirs   *pgconn.PgConn
	log            []statement
	numbers        int
	unknownOutcome []*madeTable // whose next number is not known
}

func (d *differ) round() {
	for _, sql := range []string{"ROLLBACK", "RESET ROLE", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public",
		"DROP ROLE IF EXISTS " + subject} {
		if _, err := d.theirs.Exec(d.Context(), sql).ReadAll(); err != nil {
			d.Fatal(err)
		}
	}
	d.both("SET statement_timeout = '30s'")
	d.both("SET min_parallel_table_scan_size = 0") // so that workers read also the tables that there are here
	if d.seed%3 == 0 {
		d.both("SET work_mem = '64kB'") // so that more goes to files
	}
	d.both("CREATE EXTENSION IF NOT EXISTS pg_trgm")
	d.m.trigrams = true
	d.both("CREATE ROLE " + subject)
	create, ours := d.m.schema()
	if !d.steps(create) || !d.steps(d.m.fill()) {
		return
	}
	for _, sql := range ours {
		if !d.step(statement{text: word(sql), ours: true}) {
			return
		}
	}
	for range d.m.IntN(3) {
		if !d.view() {
			return
		}
	}
	if d.m.chance(2) && !d.steps(d.m.triggers()) {
		return
	}
	if !d.steps(d.m.writableViews()) || !d.steps(d.m.policies()) {
		return
	}
	for range 60 {
		if !d.steps(d.m.next(d.theirs.TxStatus() == 'E')) {
			return
		}
	}
	d.both("ROLLBACK")
}

// steps are step for several statements.
func (d *differ) steps(all []statement) bool {
	return !slices.ContainsFunc(all, func(s statement) bool { return !d.step(s) })
}

// view makes a view that queries read from then on.
func (d *differ) view() bool {
	q, name := d.m.query(nil, 2, nil), d.m.alias("v")
	before := d.failed
	ok := d.step(statement{text: phrase("CREATE VIEW "+name+" AS %s", q.text)})
	if ok && d.failed == before {
		d.m.met("view")
		d.m.commons = append(d.m.commons, relation{text: word(name), columns: q.columns, key: q.key})
	}
	return ok
}

func (d *differ) both(sql string) {
	for _, c := range []*pgconn.PgConn{d.ours, d.theirs} {
		if _, err := c.Exec(context.Background(), sql).ReadAll(); err != nil {
			d.Fatalf("%s: %v", sql, err)
		}
	}
}

// step runs a statement on both sides. It is false when they have parted for good.
func (d *differ) step(s statement) bool {
	d.statements++
	ours, theirs := d.play(s)
	kind := differs(s, ours, theirs)
	switch {
	case kind == "":
	case onPurpose(s.String(), ours, theirs):
		d.purpose++
		if !s.query {
			return false
		}
		d.level()
	default:
		d.found[kind]++
		if d.found[kind] == 1 || kind == "rows" || kind == "columns" {
			d.shown++
			d.fail(s, kind)
		} else {
			d.Fail()
		}
		if !s.query {
			return false
		}
		d.level()
	}
	if theirs.code == "" && s.then != nil && d.theirs.TxStatus() == 'I' {
		s.then()
	}
	if theirs.code != "" {
		d.failed++
		d.features["error "+theirs.code]++
		if s.numbers != nil && s.numbers.id != "" {
			d.unknownOutcome = append(d.unknownOutcome, s.numbers)
		}
	}
	if !s.query {
		d.log = append(d.log, s)
	}
	if d.theirs.TxStatus() == 'I' {
		d.renumber()
	}
	return true
}

// renumber sets the numbers that failed statements may have left anywhere: how many of
// them were used up depends on when the failure was found.
func (d *differ) renumber() {
	unknownOutcome := d.unknownOutcome
	d.unknownOutcome = nil
	for _, t := range unknownOutcome {
		d.numbers += 100
		d.step(statement{text: word(fmt.Sprintf("SELECT setval('%s_id_seq', %d)", t.name, d.numbers))})
	}
}

// level ends a transaction that only one side still has.
func (d *differ) level() {
	if d.ours.TxStatus() != d.theirs.TxStatus() {
		d.both("ROLLBACK")
		d.log = append(d.log, statement{text: word("ROLLBACK")})
	}
}

// play asks both sides.
func (d *differ) play(s statement) (ours, theirs reply) {
	sql := s.String()
	ours = ask(d.ours, sql+s.layout, s.binary)
	if !s.ours {
		theirs = ask(d.theirs, sql, s.binary)
	} else if ours.code == "" {
		theirs = ours
	}
	return ours, theirs
}

// reply is all that a server says to one statement.
type reply struct {
	columns, rows      []string
	tag, code, message string
}

func (r reply) String() string {
	if r.code != "" {
		return r.code + " " + r.message
	}
	return strings.Join(r.columns, " | ") + "\n" + strings.Join(r.rows, "\n") + "\n" + r.tag
}

// mostRows is how many rows of a statement are compared. The product of a few views may have more than fit into memory:
// such a statement is canceled.
const mostRows = 100_000

func ask(c *pgconn.PgConn, sql string, binary bool) (out reply) {
	r := &pgconn.Result{}
	if binary {
		result := c.ExecParams(context.Background(), sql, nil, nil, nil, []int16{1})
		r = read(c, result)
		for _, row := range r.Rows {
			for i, v := range row {
				if v != nil {
					row[i] = portable(r.FieldDescriptions[i].DataTypeOID, v)
				}
			}
		}
	} else {
		reader := c.Exec(context.Background(), sql)
		for reader.NextResult() {
			r = read(c, reader.ResultReader())
		}
		if err := reader.Close(); err != nil && r.Err == nil {
			r = &pgconn.Result{Err: err}
		}
	}
	var e *pgconn.PgError
	switch {
	case errors.As(r.Err, &e):
		return reply{code: e.Code, message: e.Message}
	case r.Err != nil:
		return reply{code: "?", message: r.Err.Error()}
	}
	out.tag = r.CommandTag.String()
	for _, f := range r.FieldDescriptions {
		out.columns = append(out.columns, f.Name+" "+typeText(f))
	}
	for _, row := range r.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, cell(v))
		}
		out.rows = append(out.rows, strings.Join(cells, " | "))
	}
	return out
}

// read takes the rows of a result, and cancels the statement if they are too many.
func read(c *pgconn.PgConn, from *pgconn.ResultReader) *pgconn.Result {
	r, canceled := &pgconn.Result{}, false
	for from.NextRow() {
		if len(r.Rows) == mostRows && !canceled {
			canceled = c.CancelRequest(context.Background()) == nil
		}
		if len(r.Rows) < mostRows {
			row := slices.Clone(from.Values())
			for i := range row {
				row[i] = bytes.Clone(row[i])
			}
			r.Rows = append(r.Rows, row)
		}
	}
	r.FieldDescriptions = slices.Clone(from.FieldDescriptions())
	r.CommandTag, r.Err = from.Close()
	if canceled { // also where it ended first
		r.Err = &pgconn.PgError{Code: "57014"}
	}
	return r
}

// portable is a value of the binary format without what depends on how PostgreSQL has made it: an array that is a part
// of one with NULLs says that it has some, too.
func portable(oid uint32, v []byte) []byte {
	if _, array := types.ElementOf(types.T{OID: types.OID(oid)}); array && len(v) >= 8 {
		clear(v[4:8])
	}
	return []byte(notANumber.ReplaceAllString(hex.EncodeToString(v), "NaN"))
}

// notANumber is a NaN with either sign: which one comes out depends on the processor and the order of operands.
var notANumber = regexp.MustCompile(`^[7f]ff80*$|^[7f]fc0*$`)

// differs names the kind of a difference.
func differs(s statement, ours, theirs reply) string {
	switch {
	case theirs.code == "57014":
		return ""
	case ours.code != theirs.code && s.loose && isRule(ours.code) && isRule(theirs.code):
		return ""
	case theirs.code == "42803" && ours.code == theirs.code && !strings.Contains(s.String(), " AS r GROUP BY"):
		return "" // which of several columns is named
	case theirs.code == "42P17" && ours.code == theirs.code:
		return "" // and of several relations with policies
	case ours.code != theirs.code || ours.message != theirs.message && !s.loose:
		return fmt.Sprintf("%s %s / %s %s", ours.code, general(ours.message), theirs.code, general(theirs.message))
	case !slices.Equal(ours.columns, theirs.columns) && !s.binary:
		return "columns"
	case ours.tag != theirs.tag:
		return "rows"
	}
	a, b := slices.Clone(ours.rows), slices.Clone(theirs.rows)
	if !s.ordered {
		slices.Sort(a)
		slices.Sort(b)
	}
	if !slices.Equal(a, b) {
		return "rows"
	}
	return ""
}

// isRule says whether a row breaks a rule: of a type, a constraint or a policy.
func isRule(code string) bool {
	return code == "42501" || slices.Contains([]string{"21", "22", "23"}, code[:min(2, len(code))])
}

var particular = regexp.MustCompile(`"[^"]*"|\d+`)

// general is a message without what is particular to the statement.
func general(message string) string { return particular.ReplaceAllString(message, "#") }

// everywhere are statements that concern all tables.
var everywhere = regexp.MustCompile(`^(CREATE TYPE|CREATE DOMAIN|CREATE FUNCTION|ALTER TYPE|GRANT|SET ROLE|RESET ROLE)`)

// history is what was done to the tables and views that a statement names, and to those that their views name.
func (d *differ) history(s string) string {
	var names []string
	for _, t := range d.m.tables {
		names = append(names, t.name)
	}
	for _, c := range d.m.commons {
		names = append(names, c.text.String())
	}
	named := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	concerned := named.FindAllString(s, -1)
	if strings.Contains(s, "audit") {
		concerned = names // whose triggers write to it
	}
	var log []string
	for _, l := range slices.Backward(d.log) {
		text := l.String()
		found := named.FindAllString(text, -1)
		if everywhere.MatchString(text) ||
			slices.ContainsFunc(found, func(name string) bool { return slices.Contains(concerned, name) }) {
			log = append(log, text+l.layout+";\n")
			if strings.HasPrefix(text, "CREATE VIEW") {
				concerned = append(concerned, found...)
			}
		}
	}
	slices.Reverse(log)
	return strings.Join(log, "")
}

// fail shrinks a statement, and shows it with what made the tables.
func (d *differ) fail(s statement, kind string) {
	before, after := "BEGIN", "ROLLBACK"
	if d.ours.TxStatus() != 'I' || d.theirs.TxStatus() != 'I' {
		d.both("ROLLBACK")
	}
	fails := func() bool {
		d.both(before)
		ours, theirs := d.play(s)
		d.both(after)
		return differs(s, ours, theirs) == kind
	}
	note := "not seen again outside of its transaction"
	if !s.ours && fails() {
		shrink(s.text, 300, fails)
		note = ""
	}
	d.both(before)
	ours, theirs := d.play(s)
	d.both(after)
	log := d.history(s.String())
	if note != "" {
		log = ""
		for _, l := range d.log {
			log += l.String() + l.layout + ";\n"
		}
	}
	d.Errorf("-seed %d: %s %s\n%s\n%s;\ngot:\n%s\nPostgreSQL:\n%s", d.seed, kind, note, log, s, ours, theirs)
}
