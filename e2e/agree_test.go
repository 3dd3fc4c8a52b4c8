package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestAgreesWithPostgres asks PostgreSQL the random queries, too, in and out of transactions. Its
// tables have the same rows, and no indexes; ours are made anew now and then.
func TestAgreesWithPostgres(t *testing.T) {
	theirs := &asker{"PostgreSQL", "its own", connectPostgres(t)}
	stores := append(slices.Clip(kinds), priced, onDynamoDB)
	for i, seed := range seeds(t, 15) {
		k := stores[i%len(stores)]
		p := &pair{T: t, dice: newDice(seed), seed: seed, conn: openDB(t, k).connect(t), theirs: theirs}
		p.ours = &asker{k.name, "all on", p.conn.PgConn()}
		p.table = p.dice.table()
		if _, err := theirs.conn.Exec(t.Context(), "ROLLBACK; DROP TABLE IF EXISTS t").ReadAll(); err != nil {
			t.Fatal(err)
		}
		p.log = append(p.log, p.table.create()+p.table.layout)
		p.agree(p.log[0], p.ours.outcome(p.log[0]), theirs.outcome(p.table.create()))
		p.fill()
		for _, x := range p.table.indexes {
			must(t, p.conn, x.sql)
			p.log = append(p.log, x.sql)
		}
		for range 40 {
			p.change()
			if p.ask(); t.Failed() {
				return
			}
		}
	}
}

// pair is a table here and one on PostgreSQL.
type pair struct {
	*testing.T
	dice
	seed         uint64
	table        randomTable
	conn         *pgx.Conn // of ours
	ours, theirs *asker
	log          []string // what made the table what it is
	small        bool     // no transaction may write much
}

// fill inserts rows. A transaction of DynamoDB writes or checks no more than 100 items, which a row
// in a random shard has many of.
func (p *pair) fill() {
	p.small = p.ours.store == onDynamoDB.name
	rows, times := pick(p.dice, []int{1, 200, 200}), 1
	if p.small {
		rows, times = 5, 30
	}
	for range times {
		p.both(p.insert(&p.table, rows))
	}
}

// change may write, begin or end a transaction, or change how rows are found.
func (p *pair) change() {
	inBlock := p.conn.PgConn().TxStatus() != 'I'
	switch p.IntN(10) {
	case 0, 1:
		if p.small {
			p.both(p.insert(&p.table, 3))
			break
		}
		sql := p.dice.change(&p.table)
		for movesKeys(&p.table, sql) {
			sql = p.dice.change(&p.table)
		}
		p.both(sql)
	case 2:
		if !inBlock { // which a build in the background may meet, and end
			sql := p.upkeep(&p.table)
			if p.small && strings.HasPrefix(sql, "REINDEX TABLE") { // which fills all but one in its transaction
				break
			}
			p.log = append(p.log, sql)
			must(p.T, p.conn, sql)
		}
	case 3:
		if p.small {
			break
		}
		if inBlock {
			p.both(pick(p.dice, []string{"COMMIT", "ROLLBACK"}))
			break
		}
		p.awaitBuilds()
		p.both("BEGIN")
	case 4:
		if i := p.table.strict(); i >= 0 && !inBlock {
			p.awaitBuilds()
			p.table.columns[i].notNull = false
			p.both("ALTER TABLE t ALTER " + p.table.columns[i].name + " DROP NOT NULL")
		}
	}
}

func (p *pair) awaitBuilds() {
	awaitRow(p.T, p.conn, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)")
}

// both runs a statement on both sides, and compares the tables.
func (p *pair) both(sql string) {
	p.log = append(p.log, sql)
	p.agree(sql, p.ours.outcome(sql), p.theirs.outcome(sql))
}

// ask compares the answers to a query.
func (p *pair) ask() {
	q, as := p.query(&p.table), directly
	if p.conn.PgConn().TxStatus() == 'I' {
		as = p.way()
	}
	p.agree(fmt.Sprintf("%s\n%q", q.sql, q.params.values), answer(p.ours, q, q.sql, as),
		answer(p.theirs, q, q.sql, directly))
}

func (p *pair) agree(sql, ours, theirs string) {
	p.Helper()
	if ours != theirs {
		p.Errorf("-seed %d, %s\n%s;\n%s\ngot:\n%s\nPostgreSQL:\n%s", p.seed, p.ours, strings.Join(p.log, ";\n"), sql,
			ours, theirs)
	}
}

// strict is a column that takes no NULL, and need not be like that; -1 if there is none.
func (t *randomTable) strict() int {
	return slices.IndexFunc(t.columns, func(c randomColumn) bool {
		return c.notNull &&
			!slices.Contains(names(t.key), c.name)
	})
}

// movesKeys says whether an UPDATE sets columns of the key. PostgreSQL checks keys row by
// row, in an order of its own, and we at the end of the statement.
func movesKeys(t *randomTable, sql string) bool {
	set, _, _ := strings.Cut(sql, " WHERE ")
	return strings.HasPrefix(sql, "UPDATE") && slices.ContainsFunc(t.key, func(c randomColumn) bool {
		return strings.Contains(set, " "+c.name+" = ")
	})
}

// outcome is the tag of a statement or its error.
func (a *asker) outcome(sql string) string {
	tag, err := a.write(sql)
	if err != nil {
		return err.Error()
	}
	rows, err := a.rows("SELECT * FROM t", parameters{}, directly)
	var e *pgconn.PgError
	if err != nil && !errors.As(err, &e) {
		return err.Error()
	}
	slices.Sort(rows)
	return tag + "\n" + strings.Join(rows, "\n")
}
