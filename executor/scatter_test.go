package executor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/types"
)

// scatter shards the rows of a table at random, by a hidden column behind the others.
func scatter(t *catalog.Table, shards int) {
	id := uint32(len(t.Columns) + 1)
	t.Columns = append(t.Columns, catalog.Column{ID: id, Name: catalog.Shard, Type: types.Int2, NotNull: true,
		Hidden: true, Shards: shards})
	t.Primary.Key = t.Primary.Declared()
	t.Primary.Partition = append([]catalog.Part{{Column: id, Count: shards}}, t.Primary.Partition...)
}

// scattered is a table keyed by id whose rows go to the shards 2, 0, 1, 3, 2, ... of 4.
func scattered(t *testing.T, st store.Store) *world {
	table := tableOf("id int4, a int4, b text not null", 1)
	index(table, true, "a")
	index(table, false, "b", "+a")
	scatter(table, 4)
	w := newWorldIn(t, table, st)
	next := 0
	w.env.Tables.random = func(n int) int {
		if n != 4 {
			t.Errorf("a value below %d", n)
		}
		next++
		return []int{2, 0, 1, 3}[(next-1)%4]
	}
	w.insert(plan.Insert{}, row(1, 10, "x"), row(2, 20, "x"))
	w.commit()
	return w
}

// onStores runs a test on stores of every kind.
func onStores(t *testing.T, run func(t *testing.T, open func() store.Store)) {
	t.Run("memory", func(t *testing.T) {
		run(t, func() store.Store { return memstore.New(memstore.Options{}) })
	})
	t.Run("unordered", func(t *testing.T) {
		run(t, func() store.Store { return memstore.New(memstore.Options{Unordered: true}) })
	})
	t.Run("pebble", func(t *testing.T) {
		run(t, func() store.Store {
			st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			return st
		})
	})
}

// sortedRows are all rows with their shards, by their keys.
func (w *world) sortedRows() string {
	return w.rows(plan.Sort{Input: scanOf(w.table, plan.Access{Path: plan.Whole{}}),
		Keys: []plan.SortKey{{Expr: column(0)}}})
}

// scatteredCase is a statement and what becomes of it.
type scatteredCase struct {
	name string
	run  func(w *world) string
	want string
	all  string
}

const duplicateID = `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(`

func setTo(at int, v any) []plan.Assignment {
	return []plan.Assignment{{Column: at, Value: constant(v)}}
}

func scatteredInserts() []scatteredCase {
	return []scatteredCase{
		{"insert", func(w *world) string { return w.insert(plan.Insert{}, row(3, nil, "y"), row(4, nil, "y")) },
			"2", "(1,10,x,2) (2,20,x,0) (3,null,y,1) (4,null,y,3)"},
		{"a key in another shard", func(w *world) string { return w.insert(plan.Insert{}, row(3, 30, "y"), row(1, 11, "y")) },
			duplicateID + "1) already exists.", ""},
		{"a key twice", func(w *world) string { return w.insert(plan.Insert{}, row(3, 30, "y"), row(3, 31, "y")) },
			duplicateID + "3) already exists.", ""},
		{"do nothing", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictNothing, Primary: true}, row(1, 11, "y"),
				row(3, 30, "y"), row(3, 31, "z"))
		}, "1", "(1,10,x,2) (2,20,x,0) (3,30,y,3)"},
		{"do nothing, by an index", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictNothing}, row(3, 10, "y"))
		}, "0", "(1,10,x,2) (2,20,x,0)"},
		{"do update", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(2, "new")},
				row(1, 11, "y"), row(3, 30, "y"))
		}, "2", "(1,10,new,2) (2,20,x,0) (3,30,y,3)"},
		{"do update, by an index", func(w *world) string {
			n := plan.Insert{Conflict: plan.ConflictUpdate, Arbiter: &w.table.Indexes[0], Set: setTo(2, "new")}
			return w.insert(n, row(7, 20, "y"))
		}, "1", "(1,10,x,2) (2,20,new,0)"},
		{"do update of the key", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(0, 5)},
				row(1, 11, "y"))
		}, "1", "(2,20,x,0) (5,10,x,2)"},
		{"do update onto another key", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(0, 2)},
				row(1, 11, "y"))
		}, duplicateID + "2) already exists.", ""},
		{"do update twice", func(w *world) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(2, "new")},
				row(3, 30, "y"), row(3, 31, "y"))
		}, "21000 ON CONFLICT DO UPDATE command cannot affect row a second time", ""},
		{"replace", func(w *world) string {
			return w.insert(plan.Insert{Overwrite: true}, row(1, 11, "y"), row(3, 30, "y"), row(3, 31, "z"))
		}, "3", "(1,11,y,2) (2,20,x,0) (3,31,z,2)"},
	}
}

func scatteredChanges() []scatteredCase {
	return []scatteredCase{
		{"update", func(w *world) string {
			return w.write(plan.Update{Table: w.table, Input: w.wholeScan(), Set: setTo(2, "new")})
		},
			"2", "(1,10,new,2) (2,20,new,0)"},
		{"update of the key", func(w *world) string {
			swap := []plan.Assignment{{Column: 0, Value: expr.Call{Fn: &expr.Function{Fn2: from},
				Args: []expr.Expr{constant(3), column(0)}, T: types.Int4}}}
			return w.write(plan.Update{Table: w.table, Input: w.wholeScan(), Set: swap})
		}, "2", "(1,20,x,0) (2,10,x,2)"},
		{"update onto another key", func(w *world) string {
			return w.write(plan.Update{Table: w.table, Input: w.wholeScan(only(1)), Set: setTo(0, 2)})
		}, duplicateID + "2) already exists.", ""},
		{"update onto one key", func(w *world) string {
			return w.write(plan.Update{Table: w.table, Input: w.wholeScan(), Set: setTo(0, 7)})
		},
			duplicateID + "7) already exists.", ""},
		{"delete", func(w *world) string { return w.write(plan.Delete{Table: w.table, Input: w.wholeScan(only(1))}) },
			"1", "(2,20,x,0)"},
		{"delete and insert", func(w *world) string {
			w.write(plan.Delete{Table: w.table, Input: w.wholeScan(only(1))})
			w.insert(plan.Insert{}, row(1, 12, "y"))
			w.write(plan.Delete{Table: w.table, Input: w.wholeScan(only(1))})
			return w.insert(plan.Insert{}, row(1, 13, "z"))
		}, "1", "(1,13,z,3) (2,20,x,0)"},
		{"insert of what a statement before has", func(w *world) string {
			w.insert(plan.Insert{}, row(3, 30, "y"))
			return w.insert(plan.Insert{}, row(3, 31, "y"))
		}, duplicateID + "3) already exists.", ""},
	}
}

// TestScatteredWrites keeps a key unique wherever its row stands. Rows 1 and 2 are in the
// shards 2 and 0; the first row that a statement inserts goes to 1, the next one to 3.
func TestScatteredWrites(t *testing.T) {
	cases := append(scatteredInserts(), scatteredChanges()...)
	onStores(t, func(t *testing.T, open func() store.Store) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := scattered(t, open())
				if got := c.run(w); got != c.want {
					t.Fatalf("got %s, want %s", got, c.want)
				}
				if c.all == "" {
					w.env.Txn.Rollback()
					return
				}
				w.commit()
				w.indexesAgree()
				if got := w.sortedRows(); got != c.all {
					t.Errorf("got %s, want %s", got, c.all)
				}
				w.env.Txn.Rollback()
			})
		}
	})
}

// TestScatteredConflicts lets two transactions write one key in different shards. The one
// that commits last fails, whatever it did.
func TestScatteredConflicts(t *testing.T) {
	ways := map[string]func(w *world, a int) string{
		"insert":  func(w *world, a int) string { return w.insert(plan.Insert{}, row(3, a, "y")) },
		"replace": func(w *world, a int) string { return w.insert(plan.Insert{Overwrite: true}, row(3, a, "y")) },
		"do nothing": func(w *world, a int) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictNothing, Primary: true}, row(3, a, "y"))
		},
		"do update": func(w *world, a int) string {
			return w.insert(plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(0, 3)}, row(3, a, "y"))
		},
		"update": func(w *world, a int) string {
			return w.write(plan.Update{Table: w.table, Input: w.wholeScan(only(a%2 + 1)), Set: setTo(0, 3)})
		},
		"insert, delete and insert": func(w *world, a int) string {
			w.insert(plan.Insert{}, row(3, a, "y"))
			w.write(plan.Delete{Table: w.table, Input: w.wholeScan(only(3))})
			return w.insert(plan.Insert{}, row(3, a, "y"))
		},
	}
	onStores(t, func(t *testing.T, open func() store.Store) {
		for one, first := range ways {
			for other, second := range ways {
				w := scattered(t, open())
				late := *w
				env := *w.env
				late.env = &env
				late.begin()
				if got := first(w, 30); got != "1" {
					t.Fatalf("%s: %s", one, got)
				}
				if got := second(&late, 31); got != "1" {
					t.Fatalf("%s: %s", other, got)
				}
				w.commit()
				if err := late.env.Txn.Commit(context.Background()); !errors.Is(err, store.ErrConflict) {
					t.Errorf("%s after %s: %v; %s", other, one, err, w.sortedRows())
				}
				w.env.Txn.Rollback()
				w.begin()
				w.indexesAgree()
				w.env.Txn.Rollback()
			}
		}
	})
}

// TestScatteredRace lets several insert the same rows at the same time, each time again
// until the row is there. Each row is inserted once.
func TestScatteredRace(t *testing.T) {
	const workers, rows = 4, 25
	onStores(t, func(t *testing.T, open func() store.Store) {
		w := scattered(t, open())
		w.env.Txn.Rollback()
		w.env.Tables.random = rand.IntN
		var made atomic.Int64
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for id := 100; id < 100+rows; {
					env := Env{Expr: &expr.Context{Env: &types.Env{}}, Store: w.env.Store, Tables: w.env.Tables}
					var err error
					if env.Txn, err = w.store.Begin(context.Background(), store.Mode{}); err != nil {
						t.Error(err)
						return
					}
					n := plan.Insert{Table: w.table, Input: valuesOf(w.table, [][]types.Value{row(id, nil, "x")})}
					if _, _, err = Write(context.Background(), n, &env); err == nil {
						err = env.Txn.Commit(context.Background())
					}
					env.Txn.Rollback()
					switch {
					case err == nil:
						made.Add(1)
						id++
					case errors.Is(err, store.ErrConflict):
					case sqlerr.From(err).Code == sqlerr.UniqueViolation:
						id++
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		w.begin()
		count := plan.Aggregate{Input: scanOf(w.table, plan.Access{Path: plan.Whole{}}),
			Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}}
		if got := w.rows(count); got != "(27)" || made.Load() != rows {
			t.Errorf("%s rows, %d inserted", got, made.Load())
		}
		w.indexesAgree()
		w.env.Txn.Rollback()
	})
}

// TestScatteredPoint reads a row by its key in one request, wherever it stands.
func TestScatteredPoint(t *testing.T) {
	onStores(t, func(t *testing.T, open func() store.Store) {
		w := scattered(t, open())
		for id, want := range map[int]string{1: "(1,10,x,2)", 2: "(2,20,x,0)", 3: ""} {
			n := scanOf(w.table, plan.Access{Path: spansOf(plan.Entries{}, 2, term(1, plan.TermEQ, id)),
				Most: &plan.Limit{Count: constant(1)}})
			w.env.Profile = plan.NewProfile(n)
			if got := w.rows(n); got != want {
				t.Errorf("row %d: got %s, want %s", id, got, want)
			}
			if p := w.env.Profile.Node(0); p.Ranges != 0 || p.Stats.Requests != 1 {
				t.Errorf("%d ranges, %d requests", p.Ranges, p.Stats.Requests)
			}
		}
		w.env.Profile = nil
		if got := w.rows(lockedFrom(w.wholeScan(only(1)), w.table, 0)); got != "(1,10,x,2)" {
			t.Error(got)
		}
		w.commit()
		w.env.Txn.Rollback()
	})
}

func from(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() - b.Int()), nil
}

// only is whether a row has an id.
func only(id int) expr.Expr { return compare(expr.EQ, column(0), constant(id)) }

// TestScatteredCopy streams rows in chunks, the last of which has a key of the first.
func TestScatteredCopy(t *testing.T) {
	table := tableOf("id int4", 1)
	scatter(table, 3)
	w := newWorld(t, table)
	copies := func(rows []int) string {
		w.env.Stream = func(yield func(*types.Batch, error) bool) {
			batch := types.NewBatch(2)
			for _, id := range rows {
				batch.Reset(2)
				if batch.Append(row(id, nil)); !yield(batch, nil) {
					return
				}
			}
		}
		return w.write(plan.Insert{Table: table, Input: plan.Stream{Cols: plan.TableColumns(table, []int{0, 1})}})
	}
	all := rand.New(rand.NewPCG(testseed.Of(t), 0)).Perm(writeChunk)
	if got := copies(all); got != "4096" {
		t.Fatal(got)
	}
	shards := map[int64]int{}
	for batch, err := range Run(context.Background(), scanOf(table, plan.Access{Path: plan.Whole{}}), w.env) {
		w.check(err)
		for i := range batch.Len() {
			shards[batch.Row(i)[1].Int()]++
		}
	}
	if len(shards) != 3 || shards[0]+shards[1]+shards[2] != writeChunk || shards[0] < writeChunk/4 ||
		shards[1] < writeChunk/4 || shards[2] < writeChunk/4 {
		t.Errorf("rows of shards: %v", shards)
	}
	if got, want := copies([]int{10_000,
		7}), `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(7) already exists.`; got != want {
		t.Error(got)
	}
}

// compute makes a key anew, from parts that are computed from its columns.
func compute(random *rand.Rand, t *catalog.Table, l *catalog.Layout) {
	declared := l.Parts()
	shard := catalog.Part{Kind: part.Shard, Of: l.Columns(), Count: 2 + random.IntN(4)}
	if !l.Unique {
		shard.Of = t.Primary.Columns()
	}
	l.Key = l.Declared()
	switch random.IntN(4) {
	case 0:
		l.Partition, l.Sort = []catalog.Part{shard}, declared
	case 1:
		l.Partition, l.Sort = []catalog.Part{shard, declared[0]}, declared[1:]
	case 2:
		if typ := t.Columns[t.Ordinal(declared[0].Column)].Type; typ.OID != types.OIDInt4 {
			l.Partition, l.Sort = declared, nil
			return
		}
		shard.Width = 2
		pieces := []catalog.Part{{Column: declared[0].Column}, {Kind: part.Literal, Text: "-"}, shard}
		l.Partition, l.Sort = []catalog.Part{{Kind: part.Text, Pieces: pieces}}, declared
	default:
		prefix := catalog.Part{Kind: part.Prefix, Count: 1, Pieces: declared[:1]}
		if typ := t.Columns[t.Ordinal(declared[0].Column)].Type; typ.OID != types.OIDInt4 && typ.OID != types.OIDText {
			prefix = shard
		}
		l.Partition, l.Sort = []catalog.Part{prefix}, declared
	}
}

// TestComputedKeys runs random statements on random tables whose keys are computed or whose
// rows are sharded at random, and compares with a model that knows nothing of it.
func TestComputedKeys(t *testing.T) {
	seed := testseed.Of(t)
	for i := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, i))
		table := randomTable(random)
		for j := range table.Indexes {
			if x := &table.Indexes[j]; x.Method == catalog.BTree && random.IntN(2) == 0 {
				compute(random, table, &x.Layout)
			}
		}
		if random.IntN(2) == 0 {
			scatter(table, 2+random.IntN(4))
		} else {
			compute(random, table, &table.Primary)
		}
		tr := newTrialOf(t, random, table, i%2 == 1)
		for range 40 {
			tr.step()
			tr.pointsAgree()
		}
		tr.commit()
		tr.rebuild()
	}
}

// pointsAgree reads rows of the model by their keys, and one that is in none.
func (tr *trial) pointsAgree() {
	layouts := []*catalog.Index{nil}
	for i := range tr.table.Indexes {
		layouts = append(layouts, &tr.table.Indexes[i])
	}
	rows := append(tr.modelRows(), tr.row())
	for _, x := range layouts {
		l := &tr.table.Primary
		a, p := plan.Access{}, plan.Point{Entries: plan.Entries{Index: x}}
		if x != nil {
			l = &x.Layout
			a.Lookup, p.Reads = &plan.Lookups{}, tr.table.KeyOrdinals()
		}
		if !l.Unique {
			continue
		}
		r := rows[tr.random.IntN(len(rows))]
		columns := l.Columns()
		for _, at := range tr.random.Perm(len(columns)) {
			c := tr.table.Ordinal(columns[at])
			value := expr.Const{Value: r[c], T: tr.table.Columns[c].Type}
			p.Bounds = append(p.Bounds, plan.Bound{Column: columns[at],
				Terms: []plan.Term{{Op: plan.TermEQ, Args: []expr.Expr{value}}}})
		}
		p.Parts = len(l.Parts())
		if a.Path = p; tr.random.IntN(4) == 0 {
			a.Path = spansOf(p.Entries, p.Parts, p.Bounds...)
		}
		n := scanOf(tr.table, a)
		n.Reads = n.Reads[:len(tr.visible())]
		want := strings.Join(tr.within(p.Bounds), " ")
		if got := tr.rows(n); got != want {
			tr.t.Fatalf("the row with the key of %s in %v: got %s, want %s", rowText(r), l, got, want)
		}
	}
}
