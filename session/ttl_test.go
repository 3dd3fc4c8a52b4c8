package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// stepClock goes on only when it is told to.
type stepClock struct{ micros atomic.Int64 }

func newStepClock() *stepClock {
	c := &stepClock{}
	c.micros.Store(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *stepClock) now() time.Time { return time.UnixMicro(c.micros.Load()).UTC() }

func (c *stepClock) step(d time.Duration) { c.micros.Add(d.Microseconds()) }

// gathering is a client that keeps rows as texts.
type gathering struct {
	silent
	lines []string
}

// Rows implements Client.
func (g *gathering) Rows(p *Portal, b *types.Batch) error {
	for i := range b.Len() {
		var cells []string
		for at, v := range b.Row(i) {
			cell := "NULL"
			if !v.IsNull() {
				cell = types.FormatText(v, p.Columns[at].Type, nil)
			}
			cells = append(cells, cell)
		}
		g.lines = append(g.lines, strings.Join(cells, " "))
	}
	return nil
}

func answer(t *testing.T, s *Session, query string) []string {
	t.Helper()
	c := &gathering{}
	if err := s.Query(t.Context(), query, c); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return c.lines
}

// storedRows is how many rows of a table there are, due or not.
func storedRows(t *testing.T, db *DB, name string) int {
	t.Helper()
	txn, snap, err := db.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	table := snap.Relation("public", name).(*catalog.Table)
	survey, err := executor.Statistics(t.Context(), txn, db.tables, table, executor.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return int(survey.Stats.Rows)
}

// TestReaper waits for rows to be removed by and by, also in a DB that is opened on them.
func TestReaper(t *testing.T) {
	clock, st := newStepClock(), memstore.New(memstore.Options{})
	open := func(every string) (*DB, *Session) {
		db, err := Open(t.Context(), st,
			Options{Now: clock.now, Settings: map[string]string{"zproxy.ttl_interval": every, "zproxy.advice": "off"}})
		if err != nil {
			t.Fatal(err)
		}
		return db, connect(t, db, "joe")
	}
	left := func(db *DB, want int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); storedRows(t, db, "t") != want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d rows are stored, want %d", storedRows(t, db, "t"), want)
			}
		}
	}
	db, s := open("0")
	accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v int) WITH (ttl = '1 hour')",
		"CREATE INDEX t_v ON t (v)",
		"INSERT INTO t SELECT i, i, i % 10 FROM generate_series(1, 1200) AS i")
	clock.step(time.Hour)
	accepted(t, s, "INSERT INTO t SELECT i, i, i % 10 FROM generate_series(1201, 1300) AS i")
	db.Close()
	left(db, 1300)

	db, s = open("1")
	left(db, 100)
	if wrong := answer(t, s, "SELECT * FROM zproxy.check_index('t')"); wrong != nil {
		t.Errorf("after the removal: %v", wrong)
	}
	clock.step(time.Hour)
	left(db, 0)
	db.Close()
}

// TestTTLInAnyZone looks at rows around the moment at which they come due, with the beginning
// of summer in between.
func TestTTLInAnyZone(t *testing.T) {
	clock := newStepClock()
	db, err := Open(t.Context(), memstore.New(memstore.Options{}),
		Options{Now: clock.now, Settings: map[string]string{"zproxy.ttl_interval": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, db, "joe")
	for _, column := range []string{"timestamptz", "timestamp", "timestamptz NOT NULL"} {
		accepted(t, s, "CREATE TABLE t (at "+column+") WITH (ttl = '4 days', ttl_column = 'at')",
			"SET TimeZone = 'UTC'",
			fmt.Sprintf("INSERT INTO t SELECT at FROM generate_series('%[1]s', '%[1]s'::timestamptz + interval '2 hours', '1 minute') AS at", clock.now().Format(time.RFC3339)))
		clock.step(4*24*time.Hour + 30*time.Minute)
		for _, zone := range []string{"Europe/Paris", "UTC", "America/Lima"} {
			if got := answer(t, s, "SET TimeZone = '"+zone+"'; SELECT count(*) FROM t"); got[0] != "90" {
				t.Errorf("%s in %s: %s rows, want 90", column, zone, got[0])
			}
		}
		if got := answer(t, s, "SELECT zproxy.expire('t')"); got[0] != "31" {
			t.Errorf("%s: %s rows were removed, want 31", column, got[0])
		}
		clock.step(-(4*24*time.Hour + 30*time.Minute))
		accepted(t, s, "DROP TABLE t")
	}
}

// ttlFlavor is a way in which rows come due.
type ttlFlavor struct {
	column string // of the CREATE TABLE; empty: rows live from their insert
	layout string // how a time is written
	life   time.Duration
}

var ttlFlavors = []ttlFlavor{
	{life: 100 * time.Second},
	{column: "at timestamptz NOT NULL", layout: "2006-01-02 15:04:05.999999Z07", life: 100 * time.Second},
	{column: "at timestamptz", layout: "2006-01-02 15:04:05.999999Z07", life: 100 * time.Hour}, // summer begins meanwhile
	{column: "at timestamp", layout: "2006-01-02 15:04:05.999999", life: 100 * time.Second},
	{column: "at date", layout: "2006-01-02", life: 100 * time.Hour},
}

// lived is a row of the model.
type lived struct {
	id, u, v int // u below 0 is NULL
	at       time.Time
	ever     bool // it is never due
}

// lives is a table with a TTL and what it should hold.
type lives struct {
	ttlFlavor
	*rand.Rand
	t     *testing.T
	clock *stepClock
	s     *Session
	rows  map[int]lived
}

func newLives(t *testing.T, f ttlFlavor, r *rand.Rand) *lives {
	m := &lives{ttlFlavor: f, Rand: r, t: t, clock: newStepClock(), rows: map[int]lived{}}
	db, err := Open(t.Context(), memstore.New(memstore.Options{Unordered: r.IntN(2) == 0}),
		Options{Now: m.clock.now, Settings: map[string]string{"zproxy.advice": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	m.s = connect(t, db, "joe")
	column, option, index := "", "", "CREATE INDEX more ON t (v) INCLUDE (u)"
	if f.column != "" {
		column, option, index = ", "+f.column, ", ttl_column = 'at'", "CREATE INDEX more ON t (at)"
	}
	shards := []string{"", ", shards = 3", ", shards = 3, shard_by = 'random'"}[r.IntN(3)]
	accepted(t, m.s, "SET TimeZone = 'Europe/Paris'",
		fmt.Sprintf("CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v int NOT NULL%s) WITH (ttl = '%d'%s%s)", column,
			int(f.life.Seconds()), option, shards),
		"CREATE INDEX by_v ON t (v)", "CREATE INDEX part ON t (v, u) WHERE v > 3", index)
	return m
}

// expire takes rows that are due out of the model.
func (m *lives) expire() {
	for id, r := range m.rows {
		if !r.ever && !r.at.Add(m.life).After(m.clock.now()) {
			delete(m.rows, id)
		}
	}
}

// row is a random row, which may be due before it is written.
func (m *lives) row(alive bool) lived {
	r := lived{id: m.IntN(12), u: m.IntN(16) - 2, v: m.IntN(8), at: m.clock.now()}
	switch {
	case m.column == "":
	case m.IntN(8) == 0 && !strings.Contains(m.column, "NOT NULL"):
		r.ever = true
	case alive:
		r.at = r.at.Add(time.Duration(m.Int64N(int64(m.life / 4)))) // a date begins up to a day before
	default:
		r.at = r.at.Add(-time.Duration(m.Int64N(int64(m.life * 3 / 2))))
	}
	if m.layout == "2006-01-02" {
		r.at = r.at.Truncate(24 * time.Hour)
	}
	return r
}

func orNullText(n int) string {
	if n < 0 {
		return "NULL"
	}
	return fmt.Sprint(n)
}

func (m *lives) atText(r lived) string {
	if r.ever {
		return "NULL"
	}
	return "'" + r.at.Format(m.layout) + "'"
}

func (m *lives) values(rows ...lived) string {
	var out []string
	for _, r := range rows {
		at := ""
		if m.column != "" {
			at = ", " + m.atText(r)
		}
		out = append(out, fmt.Sprintf("(%d, %s, %d%s)", r.id, orNullText(r.u), r.v, at))
	}
	return " INTO t VALUES " + strings.Join(out, ", ")
}

// taken is the other row that keeps a row from its keys; it says by which.
func (m *lives) taken(r lived, except int) (byID, byU bool) {
	for id, o := range m.rows {
		if id == except {
			continue
		}
		byID = byID || id == r.id
		byU = byU || r.u >= 0 && o.u == r.u
	}
	return byID, byU
}

// write runs a statement, whose violation of a unique key must be expected.
func (m *lives) write(text string, violates bool) bool {
	m.t.Helper()
	err := ask(m.t, m.s, text)
	if violates != sqlerr.Has(err, sqlerr.UniqueViolation) || err != nil && !violates {
		m.t.Fatalf("%s: %v, want a violation: %t, with %v", text, err, violates, m.rows)
	}
	return err == nil
}

// act makes a random change.
func (m *lives) act() {
	m.expire()
	switch m.IntN(10) {
	case 0, 1:
		rows := []lived{m.row(false)}
		if m.IntN(2) == 0 {
			rows = []lived{m.row(true), m.row(true), m.row(true)}
		}
		m.insert(rows, m.IntN(2) == 0)
	case 2:
		m.upsert(m.row(false))
	case 3:
		r := m.row(false)
		_, byU := m.taken(r, r.id)
		if m.write("REPLACE"+m.values(r), byU) {
			m.rows[r.id] = r
		}
	case 4, 5:
		m.moveKey(m.row(true))
	case 6:
		v, to := m.IntN(8), m.row(false)
		set := fmt.Sprintf("v = %d", to.v)
		if m.column != "" {
			set += ", at = " + m.atText(to)
		}
		m.write(fmt.Sprintf("UPDATE t SET %s WHERE v = %d", set, v), false)
		for id, r := range m.rows {
			if r.v != v {
				continue
			}
			if r.v = to.v; m.column != "" {
				r.at, r.ever = to.at, to.ever
			}
			m.rows[id] = r
		}
	case 7:
		v := m.IntN(8)
		m.write(fmt.Sprintf("DELETE FROM t WHERE v = %d", v), false)
		for id, r := range m.rows {
			if r.v == v {
				delete(m.rows, id)
			}
		}
	default:
		m.clock.step(time.Duration(m.Int64N(int64(m.life / 2))))
	}
}

func (m *lives) insert(rows []lived, orNothing bool) {
	made, violates := map[int]lived{}, false
	for id, r := range m.rows {
		made[id] = r
	}
	now := &lives{rows: made}
	for _, r := range rows {
		byID, byU := now.taken(r, -1)
		if byID || byU {
			violates = true
			continue
		}
		made[r.id] = r
	}
	text := "INSERT" + m.values(rows...)
	if orNothing {
		text, violates = text+" ON CONFLICT DO NOTHING", false
	}
	if m.write(text, violates) {
		m.rows = made
	}
}

func (m *lives) upsert(r lived) {
	byID, byU := m.taken(r, -1)
	if m.IntN(2) == 0 || r.u < 0 {
		_, byU = m.taken(r, r.id)
		if m.write("INSERT"+m.values(r)+" ON CONFLICT (id) DO UPDATE SET v = excluded.v", byU && !byID) {
			if old, ok := m.rows[r.id]; ok {
				r.u, r.at, r.ever = old.u, old.at, old.ever
			}
			m.rows[r.id] = r
		}
		return
	}
	if m.write("INSERT"+m.values(r)+" ON CONFLICT (u) DO UPDATE SET v = excluded.v", byID && !byU) {
		if byU {
			for id, o := range m.rows {
				if o.u == r.u {
					o.v = r.v
					m.rows[id] = o
				}
			}
			return
		}
		m.rows[r.id] = r
	}
}

// moveKey gives a row, if there is one, other keys.
func (m *lives) moveKey(to lived) {
	from := m.IntN(12)
	old, ok := m.rows[from]
	byID, byU := m.taken(to, from)
	if !m.write(fmt.Sprintf("UPDATE t SET id = %d, u = %s WHERE id = %d", to.id, orNullText(to.u), from), ok &&
		(byID || byU)) || !ok {
		return
	}
	delete(m.rows, from)
	old.id, old.u = to.id, to.u
	m.rows[to.id] = old
}

// TestRowsLive makes random changes while time goes on, and compares what there is, in all
// indexes, with a model of the rows that are not due.
func TestRowsLive(t *testing.T) {
	for i, f := range ttlFlavors {
		for run := range 3 {
			t.Run(fmt.Sprintf("%d/%d", i, run), func(t *testing.T) {
				seed := testseed.Of(t)
				m := newLives(t, f, rand.New(rand.NewPCG(seed, uint64(10*i+run))))
				for range 40 {
					m.several()
					m.compare()
				}
			})
		}
	}
}

// unique makes a unique index, in which only rows that are not due may be in each other's way.
func (m *lives) unique() {
	m.t.Helper()
	m.expire()
	count, duplicates := map[int]int{}, false
	for _, r := range m.rows {
		count[r.v]++
		duplicates = duplicates || count[r.v] > 1
	}
	texts := [][]string{
		{"CREATE UNIQUE INDEX uniq ON t (v)"},
		{"CREATE UNIQUE INDEX CONCURRENTLY uniq ON t (v)", "SELECT zproxy.wait_for_index('t', 'uniq')"},
		{"BEGIN", "UPDATE t SET v = v", "CREATE UNIQUE INDEX uniq ON t (v)", "COMMIT"},
		{"ALTER TABLE t ADD CONSTRAINT uniq UNIQUE (v)", "ALTER TABLE t DROP CONSTRAINT uniq"},
	}[m.IntN(4)]
	var err error
	for _, text := range texts {
		if err = ask(m.t, m.s, text); err != nil {
			break
		}
	}
	if sqlerr.Has(err, sqlerr.UniqueViolation) != duplicates || err != nil && !duplicates {
		m.t.Fatalf("%s: %v, want duplicates: %t", texts, err, duplicates)
	}
	if m.s.Status() == 'E' {
		accepted(m.t, m.s, "ROLLBACK")
	}
	m.compare()
	accepted(m.t, m.s, "DROP INDEX IF EXISTS uniq")
}

// several makes some changes: one by one, in a block that may be rolled back, or all that is due
// is removed.
func (m *lives) several() {
	m.t.Helper()
	switch m.IntN(6) {
	case 5:
		m.unique()
	case 0:
		answer(m.t, m.s, "SELECT zproxy.expire('t')")
		m.expire()
		if n := storedRows(m.t, m.s.db, "t"); n != len(m.rows) {
			m.t.Fatalf("%d rows are stored, want %d", n, len(m.rows))
		}
	case 1:
		before := map[int]lived{}
		for id, r := range m.rows {
			before[id] = r
		}
		accepted(m.t, m.s, "BEGIN")
		for range 1 + m.IntN(4) {
			if m.act(); m.s.Status() == 'E' {
				break
			}
		}
		if m.s.Status() == 'T' && m.IntN(3) > 0 {
			accepted(m.t, m.s, "COMMIT")
			return
		}
		accepted(m.t, m.s, "ROLLBACK")
		m.rows = before
	default:
		for range 1 + m.IntN(4) {
			m.act()
		}
	}
}
