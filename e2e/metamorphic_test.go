package e2e

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
)

var programsFlag = flag.Int("programs", 0,
	"how many programs TestMetamorphic plays on all twins, DynamoDB Local among them; 0: two on some")

// twin is one of those that are asked the same and must answer the same.
type twin struct {
	*asker
	shards  int
	indexed bool
}

// small plays a store that refuses large transactions, so that what the others are asked fits into theirs.
var small = kind{name: "small",
	open: func(testing.TB) store.Store { return memstore.New(memstore.Options{Unordered: true, MostTogether: 60}) }}

// twinKinds are the stores of twins: the fake with pages of any size, too.
func twinKinds() []kind {
	out := []kind{inMemory, onPebble, onFake}
	for _, n := range []int{1, 3, 20} {
		out = append(out, fakeOf(fmt.Sprintf("fake with pages of %d", n), dynamofake.Options{PageItems: n}))
	}
	return out
}

// TestMetamorphic runs random programs, of changes of the schema, writes and queries, on every kind of store, with
// keys in 1, 3 or 16 shards, with indexes and without, and wants the same answers of all.
func TestMetamorphic(t *testing.T) {
	programs, most := *programsFlag, 100
	if programs == 0 {
		programs, most = 2, 7
	}
	calls := trials(t, openDB(t, inMemory).connect(t).PgConn())
	for _, seed := range seeds(t, programs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &metamorphic{T: t, seed: seed, dice: newDice(seed)}
			m.maker = &maker{dice: m.dice, calls: calls, features: map[string]int{}}
			m.open(most)
			for range 40 {
				if m.step(); t.Failed() {
					return
				}
			}
			t.Logf("%d twins, %d statements changed something, %d were too large", len(m.twins), len(m.log), m.refused)
		})
	}
}

// metamorphic is one program. The first twin is the small one, the second the judge.
type metamorphic struct {
	*testing.T
	dice
	seed    uint64
	maker   *maker
	table   randomTable
	twins   []*twin
	refused int
	log     []string
}

// open makes the twins, and their tables. Partitions are the same ones for all, and shards come on top.
func (m *metamorphic) open(most int) {
	m.table = m.dice.table()
	m.table.layout = ""
	if m.chance(3) {
		m.table.layout = " PARTITION BY HASH (" + strings.Join(m.partition(m.table.key), ", ") + ")"
	}
	open := func(k kind, shards int, indexed bool) *twin {
		name := fmt.Sprintf("%d shards, indexes %v", shards, indexed)
		return &twin{&asker{k.name, name, openDB(m.T, k).connect(m.T).PgConn()}, shards, indexed}
	}
	type option struct {
		kind
		shards  int
		indexed bool
	}
	var options []option
	for _, k := range twinKinds() {
		for _, shards := range []int{1, 3, 16} {
			options = append(options, option{k, shards, true}, option{k, shards, false})
		}
	}
	m.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	m.twins = append(m.twins, open(small, 16, true), open(inMemory, 1, false))
	options = options[:min(most, len(options))]
	if *programsFlag > 0 {
		options = append(options, option{onDynamoDB, pick(m.dice, []int{1, 3, 16}), true})
	}
	for _, o := range options {
		m.twins = append(m.twins, open(o.kind, o.shards, o.indexed))
	}
	m.same(func(w *twin) string {
		options := []string{}
		if w.shards > 1 {
			options = append(options, fmt.Sprintf("shards = %d", w.shards))
		}
		return m.table.create() + m.table.layout + withOptions(options)
	})
	m.everywhere(m.lifetime(&m.table)...)
	for _, x := range m.table.indexes {
		m.index(x.sql)
	}
	create, indexes := m.maker.schema()
	fill := m.maker.fill()
	for _, w := range m.twins {
		if w.indexed {
			m.maker.prepare(w.conn, create, fill, indexes)
		} else {
			m.maker.prepare(w.conn, create, fill, nil)
		}
	}
	for range m.IntN(8) {
		m.write(m.insert(&m.table, 8))
	}
}

// step is one statement, or a transaction.
func (m *metamorphic) step() {
	switch m.IntN(12) {
	case 0, 1, 2:
		m.write(m.change(&m.table))
	case 3:
		m.block()
	case 4:
		m.alter()
	case 5:
		q := m.maker.query(nil, 3, nil)
		m.query(randomQuery{sql: q.text.String(), order: q.ordered})
	case 6:
		m.write(m.insert(&m.table, 8))
	default:
		m.query(m.dice.query(&m.table))
	}
}

// same asks each twin what is said for it, and wants the same answers. The text is empty for those that are not asked.
func (m *metamorphic) same(text func(*twin) string) {
	want, asked := "", false
	for i, w := range m.twins {
		sql := text(w)
		if sql == "" {
			continue
		}
		got, err := w.write(sql)
		if err != nil {
			m.Fatalf("-seed %d, %s: %s: %v", m.seed, w, sql, err)
		}
		if !asked {
			want, asked = got, true
			m.log = append(m.log, sql)
		}
		if got == "ERROR 54" && (i == 0 || strings.HasPrefix(want, "ERROR")) { // what is wrong first depends on the store
			m.refused++
			return
		}
		if got != want {
			m.fail(w, sql, got, want)
			return
		}
	}
}

func (m *metamorphic) everywhere(statements ...string) {
	for _, sql := range statements {
		m.same(func(*twin) string { return sql })
	}
}

// index is a statement for those that have indexes.
func (m *metamorphic) index(sql string) {
	m.same(func(w *twin) string {
		if w.indexed {
			return sql
		}
		return ""
	})
}

// write is everywhere, and compares the tables then.
func (m *metamorphic) write(sql string) {
	m.everywhere(sql)
	m.compare("SELECT * FROM " + m.table.name)
}

func (m *metamorphic) compare(sql string) { m.query(randomQuery{sql: sql}) }

// query wants the same rows of all.
func (m *metamorphic) query(q randomQuery) {
	as := m.way()
	want := answer(m.twins[1].asker, q, q.sql, directly)
	for _, w := range m.twins {
		if got := answer(w.asker, q, q.sql, as); got != want && !m.Failed() {
			m.fail(w, fmt.Sprintf("%s; %q", q.sql, q.params.values), got, want)
		}
	}
}

// block is a transaction of some writes, of which a part may be undone, and which sees what it wrote. The small twin
// tries it before the others.
func (m *metamorphic) block() {
	statements := []string{"BEGIN"}
	for range 1 + m.IntN(3) {
		statements = append(statements, m.change(&m.table))
		if m.chance(3) {
			statements = append(statements, "SAVEPOINT s", m.change(&m.table),
				pick(m.dice, []string{"ROLLBACK TO s", "RELEASE s"}))
		}
	}
	statements = append(statements, pick(m.dice, []string{"COMMIT", "COMMIT", "ROLLBACK"}))
	first := m.twins[0]
	for _, sql := range statements {
		got, err := first.write(sql)
		if err != nil {
			m.Fatal(err)
		}
		if got == "ERROR 54" {
			m.refused++
			if _, err := first.write("ROLLBACK"); err != nil {
				m.Fatal(err)
			}
			return
		}
	}
	rest := m.twins
	m.twins = slices.Clone(rest[1:])
	for _, sql := range statements {
		m.everywhere(sql)
		if sql != "BEGIN" && sql != "ROLLBACK" && !m.Failed() && m.twins[0].conn.TxStatus() == 'T' {
			m.compareOf("SELECT * FROM " + m.table.name)
		}
	}
	m.twins = rest
	m.compare("SELECT * FROM " + m.table.name)
}

// compareOf is compare inside a block, where the small twin is not asked.
func (m *metamorphic) compareOf(sql string) {
	want := answer(m.twins[0].asker, randomQuery{sql: sql}, sql, directly)
	for _, w := range m.twins {
		if got := answer(w.asker, randomQuery{sql: sql}, sql, directly); got != want && !m.Failed() {
			m.fail(w, sql, got, want)
		}
	}
}

// alter changes the schema, or how rows are found.
func (m *metamorphic) alter() {
	t := &m.table
	switch m.IntN(4) {
	case 0:
		x := m.dice.index(t, fmt.Sprintf("n%d", len(m.log)))
		t.indexes = append(t.indexes, x)
		m.index(x.sql)
	case 1:
		if len(t.indexes) > 0 {
			i := m.IntN(len(t.indexes))
			m.index("DROP INDEX " + t.indexes[i].name)
			t.indexes = slices.Delete(t.indexes, i, i+1)
		}
	case 2:
		c := randomColumn{name: fmt.Sprintf("x%d", len(m.log)), kindOfValue: pick(m.dice, kindTable)}
		m.everywhere("ALTER TABLE t ADD COLUMN " + c.name + " " + c.sql + " DEFAULT " + m.literal(c.kindOfValue))
		t.columns = append(t.columns, c)
	default:
		if sql := m.upkeep(t); strings.HasPrefix(sql, "ANALYZE") {
			m.everywhere(sql)
		} else {
			m.index(sql)
		}
	}
}

// fail tells how to see it again.
func (m *metamorphic) fail(w *twin, sql, got, want string) {
	m.Helper()
	m.Errorf("-seed %d, %s\n%s;\n%s\ngot:\n%s\nwant:\n%s", m.seed, w, strings.Join(m.log, ";\n"), sql, got, want)
}
