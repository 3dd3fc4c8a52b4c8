package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/internal/racing"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// This is a model checker. Two writers and a build take turns in every order that there is, and
// after each commit the index must hold what its state promises. What is atomic in a DB, a
// begin, a commit, a change of the schema, is one step here; all that is in between works on
// what its transaction saw, so it does not matter when it runs. The steps are the real ones of
// Builder and of the executor; only the locks of a session and its catalog are played.

// ctx is that of all calls.
var ctx = context.Background()

// operations are what writers do: to the same row, so that they meet. Row 2 has the key that
// "take" wants.
var operations = map[string]string{
	"insert": "INSERT INTO t VALUES (3, 30, 1)",
	"move":   "UPDATE t SET a = a + 1 WHERE id = 1",
	"change": "UPDATE t SET b = 1 - b WHERE id = 1",
	"delete": "DELETE FROM t WHERE id = 1",
	"upsert": "INSERT INTO t VALUES (1, 15, 0) ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE SET a = excluded.a",
	"take":   "UPDATE t SET a = 20 WHERE id = 1",
	"give":   "UPDATE t SET a = 21 WHERE id = 2",
}

// initial are the rows before.
const initial = "INSERT INTO t VALUES (1, 10, 1), (2, 20, 0)"

// setting is what all orders of a test begin with. It never changes.
type setting struct {
	start *catalog.Snapshot
	table *catalog.Table
	index uint32
	goal  catalog.Build
	holds []plan.Predicate
	plans map[string]plan.Node // of statements, by their SQL
	moved map[string]plan.Node // where the index has taken the place of the rows
	rows  int
	most  int // rows that a step of the build reads
	// lost is the commit of the build whose answer is lost, counted from 1; 0: none.
	lost int
	// guard is that of executor.Fill.
	guard bool
	// segments are those of Builder. Their entries are made by turns, since no two goroutines may take steps.
	segments int
}

// newSetting makes the table with an index in a state, and the build to a goal.
func newSetting(t *testing.T, index string, state catalog.State, goal catalog.Build) *setting {
	t.Helper()
	return newSettingOf(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b int)", index, state, goal)
}

func newSettingOf(t *testing.T, table, index string, state catalog.State, goal catalog.Build) *setting {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	schema := &plantest.Schema{}
	must(schema.Define(table))
	must(schema.Define(index))
	s := &setting{goal: goal, rows: 2, most: 2}
	made := schema.Catalog.Tables()[0].WithStep(func(x *catalog.Index) { x.Space = catalog.NewSpace(1001, "x") })
	made.Space = catalog.NewSpace(1000, "t") // not that of the catalog
	s.index = made.Indexes[0].ID
	// Statements are planned without the index, as long as it is not Readable.
	kept := made.WithState(s.index, catalog.WriteOnly)
	schema.Catalog = schema.Catalog.With(kept)
	s.plans = plansOf(t, schema)
	if goal.Replaces == theRows {
		s.goal.Replaces = made.KeyID
		schema.Catalog = schema.Catalog.With(kept.Exchange(made.KeyID, s.index))
		s.moved = plansOf(t, schema)
	}
	s.table = made.WithState(s.index, state)
	s.start = schema.Catalog.With(s.table)
	indexed, err := schema.Planner().Stored().Indexed(s.table)
	must(err)
	s.holds = indexed.Holds
	s.goal.Table, s.goal.Index = s.table.ID, s.index
	return s
}

// theRows stands for the number of the primary key in a goal.
const theRows = ^uint32(0)

// plansOf are the plans of all statements.
func plansOf(t *testing.T, schema *plantest.Schema) map[string]plan.Node {
	t.Helper()
	plans := map[string]plan.Node{}
	for _, sql := range append([]string{initial}, sqlOf(operations)...) {
		n, err := schema.Plan(sql)
		if err == nil {
			o := &optimizer.Options{Env: &types.Env{}, Store: access.Store{OrderedPartitions: true}}
			plans[sql], err = optimizer.Optimize(n, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return plans
}

func sqlOf(of map[string]string) []string {
	var out []string
	for _, sql := range of {
		out = append(out, sql)
	}
	return out
}

// world is one order of steps under way.
type world struct {
	*setting
	store   store.Store
	tables  *executor.Tables
	snap    *catalog.Snapshot // in force
	writing map[string]uint32 // the versions by which writers write for which a build waits
	count   int               // rows that there should be
	commits int               // of the build
	// exchanged is the version in which the rows have another place; 0: none yet.
	exchanged uint32
	nextID    uint64
	changed   bool             // a client has changed what is to become of the index
	yield     func(point) bool // of the actor that runs
	again     bool             // what happens now has happened in another order, and was checked
	trace     []string
	failed    string // the first mistake
}

// point is where an actor stops before its next step.
type point struct {
	what  string
	reads bool        // the step changes nothing that others see
	ready func() bool // nil: at any time
}

// actor takes steps, and stops before each.
type actor struct {
	name string
	act  func(*world)
}

// errGivenUp ends an actor in the middle of an order that has failed.
var errGivenUp = errors.New("given up")

// stop lets others take steps.
func (w *world) stop(p point) {
	if !w.yield(p) {
		panic(errGivenUp)
	}
}

func (w *world) fail(format string, args ...any) {
	if w.failed == "" {
		w.failed = fmt.Sprintf(format, args...)
	}
}

func (w *world) must(err error) {
	if err != nil {
		w.fail("%v", err)
	}
}

func (s *setting) world() *world {
	options := memstore.Options{Unordered: s.segments > 1}
	w := &world{setting: s, store: memstore.New(options), tables: executor.NewTables(),
		snap: s.start, writing: map[string]uint32{}, count: s.rows, nextID: 1 << 40}
	w.must(catalogstore.Open(ctx, w.store))
	w.must(w.store.Create(ctx, s.table.TableSpace()))
	w.must(w.store.Create(ctx, s.table.IndexSpace(s.table.IndexByID(s.index))))
	txn, err := w.store.Begin(ctx, store.Mode{})
	w.must(err)
	w.must(catalogstore.PutBuild(txn, &s.goal))
	_, err = w.write(txn, s.table, initial)
	w.must(err)
	w.must(txn.Commit(ctx))
	return w
}

// table is the one in force.
func (w *world) current() *catalog.Table { return w.snap.ByID(w.setting.table.ID).(*catalog.Table) }

// write runs a statement by a version of the table.
func (w *world) write(txn store.Txn, t *catalog.Table, sql string) (int64, error) {
	plans := w.plans
	if t.Space != w.setting.table.Space {
		plans = w.moved
	}
	n, _, err := executor.Write(ctx, w.over(plans[sql], t), &executor.Env{
		Txn: txn, Store: w.store.Capabilities(), Tables: w.tables, Expr: &expr.Context{Env: &types.Env{}}})
	return n, err
}

// over is a plan over a version of the table.
func (w *world) over(n plan.Node, t *catalog.Table) plan.Node {
	in := slices.Clone(n.Inputs())
	for i := range in {
		in[i] = w.over(in[i], t)
	}
	n = n.WithInputs(in)
	switch n := n.(type) {
	case plan.Scan:
		n.Table = t
		return n
	case plan.Insert:
		n.Table, n.Holds = t, w.holds
		return n
	case plan.Update:
		n.Table, n.Holds = t, w.holds
		return n
	case plan.Delete:
		n.Table, n.Holds = t, w.holds
		return n
	}
	return n
}

// check wants the index to hold what its state promises, as it is committed.
func (w *world) check() {
	if w.again {
		return
	}
	txn, err := w.store.Begin(ctx, store.Mode{ReadOnly: true})
	w.must(err)
	defer txn.Rollback()
	t := w.current()
	x := t.IndexByID(w.index)
	if there := w.rowsThere(t); there != w.count {
		w.fail("%d rows, want %d", there, w.count)
	}
	if t.Version == w.exchanged { // who goes by the version before reads the place before
		if there := w.rowsThere(w.setting.table); there != w.count {
			w.fail("%d rows in the place before, want %d", there, w.count)
		}
	}
	if x == nil {
		return
	}
	check := executor.IndexCheck{Txn: txn, Tables: w.tables, Table: w.indexed(t), Index: x}
	for f, err := range check.Findings(ctx) {
		if err != nil {
			w.fail("check: %v", err)
			return
		}
		w.fail("%s index: %s entry for key %s of row %s. %s", x.State, f.Class, f.Key, f.Row, f.Detail)
	}
}

// rowsThere is how many rows there are in the place that a version of the table reads.
func (w *world) rowsThere(t *catalog.Table) int {
	txn, err := w.store.Begin(ctx, store.Mode{ReadOnly: true})
	w.must(err)
	defer txn.Rollback()
	n := 0
	for batch, err := range txn.Scan(ctx, t.TableSpace(), &store.Scan{Stats: &store.Stats{}}) {
		w.must(err)
		n += batch.Len()
	}
	return n
}

// state is all that there is between steps of the build, when there are no writers any more.
func (w *world) state() string {
	txn, err := w.store.Begin(ctx, store.Mode{ReadOnly: true})
	w.must(err)
	defer txn.Rollback()
	build, err := catalogstore.ReadBuild(ctx, txn, w.index)
	w.must(err)
	t := w.current()
	out := fmt.Sprintf("%+v %d %d", build, t.Version, t.Stepped)
	spaces := []*store.Space{t.TableSpace()}
	if x := t.IndexByID(w.index); x != nil {
		spaces, out = append(spaces, t.IndexSpace(x)), out+x.State.String()
	}
	for _, space := range spaces {
		out += "|"
		keys := func(k store.Key) { out += fmt.Sprintf(" %x %x", k.Partition, k.Sort) }
		scan := &store.Scan{Keys: keys, Stats: &store.Stats{}}
		for i := range space.Columns {
			scan.Columns = append(scan.Columns, i)
		}
		for batch, err := range txn.Scan(ctx, space, scan) {
			w.must(err)
			for i := range batch.Len() {
				out += fmt.Sprint(batch.Row(i))
			}
		}
	}
	return out
}

// play lets actors take their steps, by turns that choose gives, to the end. It says false where
// it has left out how the build goes on alone from a state from which it has done so before.
func (w *world) play(actors []actor, choose func(options []int) int, seen map[string]bool) bool {
	next := make([]func() (point, bool), len(actors))
	at := make([]*point, len(actors)) // nil: has ended
	yields := make([]func(point) bool, len(actors))
	advance := func(i int) {
		w.yield = yields[i]
		p, more := next[i]()
		if at[i] = nil; more {
			at[i] = &p
		}
	}
	for i, a := range actors {
		var stop func()
		next[i], stop = iter.Pull(func(yield func(point) bool) {
			defer func() {
				if r := recover(); r != nil && r != errGivenUp {
					panic(r)
				}
			}()
			yields[i], w.yield = yield, yield
			a.act(w)
		})
		defer stop()
		advance(i)
	}
	last := -1 // who took the last step, if that only read
	for w.failed == "" {
		options := enabled(at, last)
		if len(options) == 0 {
			if slices.ContainsFunc(at, func(p *point) bool { return p != nil }) {
				w.fail("everybody waits")
			}
			return true
		}
		i := choose(options)
		w.trace = append(w.trace, actors[i].name+": "+at[i].what)
		if last = -1; at[i].reads {
			last = i
		}
		advance(i)
		if at[i] != nil && at[i].what == betweenSteps && others(at) == 0 {
			state := w.state()
			if seen[state] {
				return false
			}
			seen[state] = true
		}
	}
	return false
}

// betweenSteps is where a build stops before it begins a step, and knows nothing.
const betweenSteps = "begin a step"

// others is how many actors have not ended besides one.
func others(at []*point) int {
	n := -1
	for _, p := range at {
		if p != nil {
			n++
		}
	}
	return n
}

// enabled are the actors that can take a step. Of two steps behind each other that only read, the
// order does not matter, so only one order is tried where there is something else to try.
func enabled(at []*point, last int) []int {
	var all, other []int
	for i, p := range at {
		if p == nil || p.ready != nil && !p.ready() {
			continue
		}
		if all = append(all, i); i >= last || !p.reads {
			other = append(other, i)
		}
	}
	if len(other) > 0 {
		return other
	}
	return all
}

// explore plays every order and says how many there are.
func (s *setting) explore(t *testing.T, actors []actor, end func(*world)) int {
	t.Helper()
	if racing.On {
		t.Skip("the race detector takes all memory for it, and one goroutine runs at a time")
	}
	type decision struct {
		options []int
		at      int
	}
	var path []decision
	seen := map[string]bool{}
	for orders := 1; ; orders++ {
		w, i := s.world(), 0
		ended := w.play(actors, func(options []int) int {
			if i == len(path) {
				path = append(path, decision{options: options})
			}
			d := path[i]
			i++
			w.again = i < len(path)
			return d.options[d.at]
		}, seen)
		if w.failed == "" && ended {
			w.again = false
			w.check()
			end(w)
		}
		if w.failed != "" {
			t.Fatalf("order %d: %s\n%s", orders, w.failed, strings.Join(w.trace, "\n"))
		}
		for len(path) > 0 && path[len(path)-1].at+1 == len(path[len(path)-1].options) {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return orders
		}
		path[len(path)-1].at++
	}
}
