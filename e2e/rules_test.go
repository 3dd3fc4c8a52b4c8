package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/memstore"
)

// variant is one way to plan.
type variant struct {
	name  string
	rules optimizer.Options
}

// variants are all rules on, each one off, each family of access paths off, and all of
// them off, which reads whole tables and checks every row.
func variants() []variant {
	out := []variant{{name: "all on"}}
	for _, rule := range optimizer.Names() {
		out = append(out, variant{"without " + rule, optimizer.Options{Off: []string{rule}}})
	}
	return append(out,
		variant{"without prefixes", optimizer.Options{Paths: access.Off{Prefix: true}}},
		variant{"without boxes", optimizer.Options{Paths: access.Off{ZOrder: true}}},
		variant{"without skips", optimizer.Options{Paths: access.Off{Skip: true}}},
		variant{"all of each prefix", optimizer.Options{Paths: access.Off{Each: true}}},
		variant{"without merges", optimizer.Options{Paths: access.Off{Merge: true}}},
		variant{"without either", optimizer.Options{Paths: access.Off{Prefix: true, ZOrder: true}}},
		allOff)
}

var allOff = variant{"all off", optimizer.Options{Off: optimizer.Names(),
	Paths: access.Off{Prefix: true, ZOrder: true}}}

// TestRulesKeepRows asks random queries on every store with all rules on and all off, on one or the
// other with each one off, through each index, prepared and not, and wants the same rows each time.
// Statements that write run in between, each through a plan of its own.
func TestRulesKeepRows(t *testing.T) {
	rounds, queries := 4, 30 // make rules plays more
	calls := trials(t, openDB(t, inMemory).connect(t).PgConn())
	merges := 0
	for _, seed := range seeds(t, rounds) {
		o := &oracle{T: t, seed: seed, dice: newDice(seed), kinds: append(slices.Clip(kinds), priced, jumping),
			variants: variants()}
		o.maker = &maker{dice: o.dice, calls: calls, features: map[string]int{}}
		o.table = o.dice.table()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o.T = t
			o.open()
			defer func() { merges += o.merges }()
			for range queries {
				switch o.IntN(8) {
				case 0, 1:
					o.checkChange(o.change(&o.table))
				case 2:
					o.checkBlock()
				}
				if o.checkQuery(o.query(&o.table)); t.Failed() {
					return
				}
				if o.checkQuery(o.program()); t.Failed() {
					return
				}
			}
		})
	}
	if merges == 0 && !t.Failed() && !testing.Short() {
		t.Error("no query was answered by a merge of indexes")
	}
}

// TestManyRows is TestRulesKeepRows on tables whose rows are many enough to be jumped over, each
// with values of its own.
func TestManyRows(t *testing.T) {
	const rounds = 1 // make rules plays more
	families := slices.Delete(variants(), 1, 1+len(optimizer.Names()))
	for _, seed := range seeds(t, rounds) {
		o := &oracle{T: t, seed: seed, dice: newDice(seed), kinds: []kind{inMemory, onPebble, priced, jumping},
			variants: families}
		o.maker = &maker{dice: o.dice, features: map[string]int{}}
		o.table = o.dice.wideTable()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o.T = t
			o.open()
			for range 40 {
				switch o.IntN(8) {
				case 0:
					o.checkChange(o.change(&o.table))
				case 1:
					o.checkBlock()
				}
				if o.checkQuery(o.query(&o.table)); t.Failed() {
					return
				}
			}
		})
	}
}

// oracle is one round: a table on every store, and those to ask.
type oracle struct {
	*testing.T
	dice
	seed     uint64
	kinds    []kind // the stores that are asked, the judge's as the first
	variants []variant
	table    randomTable
	maker    *maker   // of other tables, and queries that join them
	judge    *asker   // reads everything and checks every row
	askers   []*asker // all others
	log      []string // what made the table
	merges   int      // queries of which a hint asked for a merge of indexes and got it
}

// open makes the table, with its indexes before, between or after the rows, and then
// servers that plan in different ways over the same stores.
func (o *oracle) open() {
	statements := append([]string{o.table.create() + o.table.layout}, o.lifetime(&o.table)...)
	for _, x := range o.table.indexes {
		statements = append(statements, x.sql)
		if o.chance(3) {
			statements = append(statements, o.insert(&o.table, 10))
		}
	}
	inserts := o.IntN(5)
	if o.table.wide {
		inserts = 40
	}
	for range inserts {
		statements = append(statements, o.insert(&o.table, pick(o.dice, []int{1, 150, 150, 150})))
	}
	if o.chance(2) {
		statements = append(statements, "ANALYZE")
	}
	var create, fill []statement
	var indexes []string
	if !o.table.wide {
		create, indexes = o.maker.schema()
		fill = o.maker.fill()
	}
	o.log = statements
	for i, k := range o.kinds {
		base := openDB(o.T, k)
		must(o.T, base.connect(o.T), statements...)
		done := o.maker.prepare(base.connect(o.T).PgConn(), create, fill, indexes)
		if i == 0 {
			o.log = append(o.log, done...)
		}
		for _, v := range o.variants {
			s := serve(o.T, base.store, session.Options{Shared: true, Rules: v.rules})
			a := &asker{k.name, v.name, s.connect(o.T).PgConn()}
			if k.name == inMemory.name && v.name == allOff.name {
				o.judge = a
			} else {
				o.askers = append(o.askers, a)
			}
		}
	}
}

// charged plays a store where every range, and every jump in one, is a request, and is charged in units.
var charged = kind{name: "charged", open: func(testing.TB) store.Store {
	return memstore.New(memstore.Options{Unordered: true, RangePrice: 50, Units: true})
}}

// priced plays one where they are not charged.
var priced = kind{name: "priced",
	open: func(testing.TB) store.Store { return memstore.New(memstore.Options{Unordered: true, RangePrice: 50}) }}

// jumping plays one that reads few keys in vain before it jumps.
var jumping = kind{name: "jumping",
	open: func(testing.TB) store.Store { return memstore.New(memstore.Options{RangePrice: 3}) }}

// fail tells how to see it again.
func (o *oracle) fail(a *asker, sql string, params parameters, got, want string) {
	o.Helper()
	plan, _ := a.rows("EXPLAIN (WHY) "+sql, params, directly)
	o.Errorf("-seed %d, %s\n%s;\n%s\n%q\ngot:\n%s\nwant:\n%s\nplan:\n%s",
		o.seed, a, strings.Join(o.log, ";\n"), sql, params.values, got, want, strings.Join(plan, "\n"))
}

// checkQuery wants the same rows of all.
func (o *oracle) checkQuery(q randomQuery) {
	want := answer(o.judge, q, q.sql, directly)
	check := func(a *asker, sql string, as way) {
		if got := answer(a, q, sql, as); got != want && !o.Failed() {
			o.fail(a, sql, q.params, got, want)
		}
	}
	for _, a := range o.askers {
		if a.plan != "all on" && a.plan != allOff.name && !o.chance(len(o.kinds)) {
			continue // what a rule does differs little from store to store
		}
		check(a, q.sql, o.way())
		if a.plan != "all on" {
			continue
		}
		if plan, _ := a.rows("EXPLAIN "+q.sql, q.params, directly); strings.Contains(strings.Join(plan, ""), "(cost=") {
			if err := wrongPrice(plan); err != nil && !o.Failed() {
				o.fail(a, q.sql, q.params, err.Error(), "prices that add up")
			}
		}
		if !strings.Contains(q.sql, hintPosition) {
			continue
		}
		for _, x := range o.table.indexes {
			check(a, q.with("/*+ USE_INDEX("+o.table.name+", "+x.name+") */"), directly)
		}
		check(a, q.with("/*+ USE_INDEX("+o.table.name+", primary) */"), directly)
		merge := q.with("/*+ USE_INDEX_MERGE(" + o.table.name + ") */")
		check(a, merge, directly)
		if plan, _ := a.rows("EXPLAIN "+merge, q.params, directly); strings.Contains(strings.Join(plan, "\n"),
			"Bitmap Heap Scan") {
			o.merges++
		}
	}
}

// program is a query over tables of their own: joins, subqueries, windows.
func (o *oracle) program() randomQuery {
	q := o.maker.query(nil, 3, nil)
	return randomQuery{sql: q.text.String(), order: q.ordered}
}

// checkChange writes on every store by a plan of its own, and compares the tables.
func (o *oracle) checkChange(sql string) {
	o.log = append(o.log, sql)
	everything := "SELECT * FROM " + o.table.name
	result := ""
	for _, k := range o.kinds {
		a := o.any(k)
		tag, err := a.write(sql)
		got := tag
		if err != nil {
			got = brief(err)
		}
		rows, err := a.rows(everything, parameters{}, directly)
		if err != nil {
			o.Fatal(err)
		}
		slices.Sort(rows)
		got += "\n" + strings.Join(rows, "\n")
		if result == "" {
			result = got
		}
		if got != result {
			o.fail(a, sql, parameters{}, got, result)
			return
		}
		o.checkIndexes(k, rows)
	}
}

// checkBlock writes in a transaction on every store, and wants it to see what it wrote.
func (o *oracle) checkBlock() {
	askers := []*asker{o.judge}
	for _, k := range o.kinds {
		askers = append(askers, o.any(k))
	}
	must := func(sql string) {
		for _, a := range askers {
			if _, err := a.conn.Exec(o.Context(), sql).ReadAll(); err != nil {
				o.Fatalf("%s: %v", sql, err)
			}
		}
	}
	before := o.log
	must("BEGIN")
	defer func() { must("ROLLBACK"); o.log = before }()
	for range 1 + o.IntN(3) {
		sql, want := o.change(&o.table), ""
		o.log = append(slices.Clip(o.log), sql)
		for _, a := range askers {
			got, err := a.write(sql)
			if err != nil {
				o.Fatal(err)
			}
			if want = cmp.Or(want, got); got != want {
				o.fail(a, sql, parameters{}, got, want)
			}
		}
		if strings.HasPrefix(want, "ERROR") {
			return
		}
		q := o.query(&o.table)
		want = answer(o.judge, q, q.sql, directly)
		for _, a := range askers[1:] {
			if got := answer(a, q, q.sql, directly); got != want && !o.Failed() {
				o.fail(a, q.sql, q.params, got, want)
			}
		}
		if strings.HasPrefix(want, "ERROR") {
			return
		}
	}
}

// checkIndexes wants the rows of the table through each index that holds all of them, and
// no others.
func (o *oracle) checkIndexes(k kind, want []string) {
	for _, a := range o.askers {
		if a.store != k.name || a.plan != "all on" {
			continue
		}
		for _, x := range o.table.indexes {
			sql := "SELECT /*+ USE_INDEX(" + o.table.name + ", " + x.name + ") */ * FROM " + o.table.name
			got, err := a.rows(sql, parameters{}, directly)
			if err != nil {
				o.Fatal(err)
			}
			if slices.Sort(got); !slices.Equal(got, want) && !o.Failed() {
				o.fail(a, sql, parameters{}, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// any is one of those who ask a store.
func (o *oracle) any(k kind) *asker {
	of := slices.DeleteFunc(slices.Clone(o.askers), func(a *asker) bool { return a.store != k.name })
	return pick(o.dice, of)
}
