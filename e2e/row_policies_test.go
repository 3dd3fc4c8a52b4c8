package e2e

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestPoliciesAreConditions asks random queries and writes of a table as a role on which random policies bear, and as
// its owner with what the policies say as conditions of the statement, and wants the same rows and the same table. A
// row that is written and does not meet what the policies say of new rows is an error.
func TestPoliciesAreConditions(t *testing.T) {
	for _, seed := range seeds(t, 10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := &guarded{T: t, dice: newDice(seed), seed: seed}
			g.open()
			for i := range 40 {
				if i%8 == 0 {
					g.changePolicies()
				}
				switch g.IntN(5) {
				case 0, 1, 2:
					g.query()
				case 3:
					g.write()
				default:
					g.insertSome()
				}
				if t.Failed() {
					return
				}
			}
			t.Logf("%d rows were read and written as the role, %d writes were refused", g.rows, g.refused)
		})
	}
}

// guarded is a table with policies, seen by a role on which they bear, and by its owner.
type guarded struct {
	*testing.T
	dice
	seed       uint64
	table      randomTable
	tenant     randomColumn // whose value the setting app.tenant may have
	policies   []rowPolicy
	app, owner *asker
	log        []string
	rows       int
	refused    int
}

// rowPolicy is a policy; an empty condition says nothing.
type rowPolicy struct {
	command      string // empty: all
	restrictive  bool
	using, check string
}

// rowCommands are those that policies are for; empty: all.
var rowCommands = []string{"", "", "SELECT", "SELECT", "INSERT", "UPDATE", "DELETE"}

// open makes the table, of any layout.
func (g *guarded) open() {
	g.table = g.dice.table()
	store := openDB(g.T, pick(g.dice, []kind{inMemory, onPebble, onFake}))
	g.app = &asker{"", "role", store.connect(g.T).PgConn()}
	g.owner = &asker{"", "owner", store.connect(g.T).PgConn()}
	create := []string{g.table.create() + g.table.layout}
	if g.chance(4) {
		c := pick(g.dice, g.table.key)
		create = []string{g.table.create() + " PARTITION BY LIST (" + c.name + ")",
			"CREATE TABLE ta PARTITION OF t FOR VALUES IN ('" + pick(g.dice, c.values) + "')",
			"CREATE TABLE tb PARTITION OF t DEFAULT"}
	}
	for _, sql := range append(create, "CREATE SCHEMA conditional", "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
		"CREATE ROLE app", "GRANT ALL ON t TO app") {
		g.do(g.owner, sql)
	}
	for _, x := range g.table.indexes {
		if _, err := g.owner.write(x.sql); err != nil { // some options are not for all tables
			g.Fatal(err)
		}
		g.log = append(g.log, x.sql)
	}
	g.do(g.owner, g.insert(&g.table, pick(g.dice, []int{5, 20, 60})))
	g.do(g.app, "SET ROLE app")
	g.tenant = pick(g.dice, g.table.columns)
	value := "SET app.tenant = '" + pick(g.dice, g.tenant.values) + "'"
	g.do(g.app, value)
	g.do(g.owner, value)
}

// do runs what cannot fail.
func (g *guarded) do(a *asker, sql string) {
	g.log = append(g.log, sql)
	if _, err := a.conn.Exec(context.Background(), sql).ReadAll(); err != nil {
		g.Fatalf("-seed %d: %s\n%v", g.seed, strings.Join(g.log, ";\n"), err)
	}
}

// changePolicies makes other policies, and what they say of rows that are read a view.
func (g *guarded) changePolicies() {
	for i := range g.policies {
		g.do(g.owner, fmt.Sprintf("DROP POLICY p%d ON t", i))
	}
	g.policies = nil
	for i := range g.IntN(6) {
		p := rowPolicy{command: pick(g.dice, rowCommands), restrictive: g.chance(4)}
		if i == 0 {
			p = rowPolicy{} // so that some rows can be read
		}
		sql := fmt.Sprintf("CREATE POLICY p%d ON t", i)
		if p.restrictive {
			sql += " AS RESTRICTIVE"
		}
		if p.command != "" {
			sql += " FOR " + p.command
		}
		if p.command != "INSERT" {
			p.using = g.condition()
			sql += " USING (" + p.using + ")"
		}
		if p.command == "INSERT" || p.command != "SELECT" && p.command != "DELETE" && g.chance(2) {
			p.check = g.condition()
			sql += " WITH CHECK (" + p.check + ")"
		}
		g.policies = append(g.policies, p)
		g.do(g.owner, sql)
	}
	g.do(g.owner, "CREATE OR REPLACE VIEW conditional.t AS SELECT * FROM public.t WHERE "+g.says("SELECT", false))
}

func (g *guarded) condition() string {
	if g.chance(3) {
		return g.tenant.name + " = current_setting('app.tenant')::" + g.tenant.sql
	}
	cond := g.predicate(&g.table, 2, nil)
	if g.chance(2) {
		return "(" + cond + ") IS NOT TRUE"
	}
	return cond
}

// says is what the policies say together of the rows that are there for a command, or of those that it writes.
func (g *guarded) says(command string, written bool) string {
	var anyOf, all []string
	for _, p := range g.policies {
		cond := p.using
		if written && p.check != "" {
			cond = p.check
		}
		switch {
		case p.command != "" && p.command != command || cond == "":
		case p.restrictive:
			all = append(all, "("+cond+")")
		default:
			anyOf = append(anyOf, "("+cond+")")
		}
	}
	if len(anyOf) == 0 {
		return "false"
	}
	return strings.Join(append(all, "("+strings.Join(anyOf, " OR ")+")"), " AND ")
}

var readsTable = regexp.MustCompile(`\bFROM t\b`)

// query asks both the same, the owner of the view; or for rows that are to be changed.
func (g *guarded) query() {
	q := g.dice.query(&g.table)
	conditional := readsTable.ReplaceAllString(q.sql, "FROM conditional.t")
	if g.chance(5) {
		cond := g.predicate(&g.table, 2, nil)
		q = randomQuery{sql: "SELECT * FROM t WHERE " + cond + " FOR UPDATE"}
		conditional = fmt.Sprintf("SELECT * FROM t WHERE (%s) AND %s AND %s", cond, g.says("SELECT", false),
			g.says("UPDATE", false))
	}
	want := answer(g.owner, q, conditional, directly)
	got := answer(g.app, q, q.sql, g.way())
	g.rows += strings.Count(got, "\n")
	if got != want {
		g.fail(fmt.Sprintf("%s; %q", q.sql, q.params.values), got, want)
	}
}

// write is an UPDATE or a DELETE, which reads what it writes.
func (g *guarded) write() {
	sql := g.change(&g.table)
	for strings.HasPrefix(sql, "INSERT") {
		sql = g.change(&g.table)
	}
	head, where, _ := strings.Cut(sql, " WHERE ")
	command, checks := "DELETE", "true"
	if strings.HasPrefix(sql, "UPDATE") {
		command, checks = "UPDATE", g.says("UPDATE", true)+" AND "+g.says("SELECT", false)
	}
	g.both(sql+" RETURNING *", fmt.Sprintf("%s WHERE (%s) AND %s AND %s RETURNING *", head, where,
		g.says("SELECT", false), g.says(command, false)), checks)
}

// insertSome inserts rows, and may read them.
func (g *guarded) insertSome() {
	sql := strings.TrimSuffix(g.insert(&g.table, 1+g.IntN(2)), " ON CONFLICT DO NOTHING")
	checks, returning := g.says("INSERT", true), ""
	if g.chance(2) {
		checks, returning = checks+" AND "+g.says("SELECT", false), " RETURNING *"
	}
	g.both(sql+returning, sql+" RETURNING *", checks)
}

// both writes as the role, and as the owner with the conditions, where each new row must meet a condition. Both are
// undone, and what the owner did may be done again.
func (g *guarded) both(sql, conditional, checks string) {
	g.run(g.owner, "BEGIN")
	want, failed := g.run(g.owner, conditional+", ("+checks+") IS TRUE")
	allowed := true
	for i, row := range want {
		rest, last := row[:strings.LastIndex(row, " | ")], row[strings.LastIndex(row, " | "):]
		allowed, want[i] = allowed && last == " | t", rest
	}
	after, _ := g.run(g.owner, "SELECT * FROM t")
	g.run(g.owner, "ROLLBACK")
	g.run(g.app, "BEGIN")
	got, code := g.run(g.app, sql)
	g.run(g.app, "RESET ROLE")
	seen, _ := g.run(g.app, "SELECT * FROM t")
	g.run(g.app, "ROLLBACK")
	g.rows += len(got)
	switch {
	case failed != "" && code != "":
	case failed == "" && !allowed && code == "42501":
		g.refused++
	case failed != "" || !allowed || code != "":
		g.fail(sql, "error "+code, fmt.Sprintf("error %s, allowed %v", failed, allowed))
	case strings.Contains(sql, "RETURNING") && !sameLines(got, want):
		g.fail(sql, strings.Join(got, "\n"), strings.Join(want, "\n"))
	case !sameLines(seen, after):
		g.fail(sql+"; SELECT * FROM t", strings.Join(seen, "\n"), strings.Join(after, "\n"))
	}
	if failed == "" && g.chance(2) {
		g.do(g.owner, conditional)
	}
}

// run gives the rows of a statement, or the code of its error.
func (g *guarded) run(a *asker, sql string) ([]string, string) {
	rows, err := a.rows(sql, parameters{}, directly)
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return nil, e.Code
	case err != nil:
		g.Fatalf("-seed %d: %s: %v", g.seed, sql, err)
	}
	return rows, ""
}

func sameLines(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// fail tells how to see it again.
func (g *guarded) fail(sql, got, want string) {
	g.Helper()
	g.Errorf("-seed %d\n%s;\n%s\ngot:\n%s\nwant:\n%s", g.seed, strings.Join(g.log, ";\n"), sql, got, want)
}
