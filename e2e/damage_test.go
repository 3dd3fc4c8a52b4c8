package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/types"
)

// damageTables have every kind of index. Columns a, b and c are in keys, d never is.
var damageTables = []string{
	"CREATE TABLE t (id int PRIMARY KEY, a int, b text, c float8, d numeric)",
	"CREATE TABLE t (id int PRIMARY KEY, a int, b text, c float8, d numeric) WITH (shards = 4)",
	"CREATE TABLE t (id int PRIMARY KEY, a int, b text, c float8, d numeric) PARTITION BY HASH (id)",
	"CREATE TABLE t (a int, d numeric, id int, c float8, b text, PRIMARY KEY (id)) WITH (partition_key = 'id-{id:06}')",
}

var damageIndexes = []string{
	"CREATE INDEX plain ON t (a)",
	"CREATE INDEX several ON t (c DESC, a) INCLUDE (d)",
	"CREATE UNIQUE INDEX alone ON t (b) INCLUDE (d, a)",
	"CREATE INDEX part ON t (a, b) INCLUDE (d) WHERE a IS NOT NULL",
	"CREATE INDEX third ON t (c) INCLUDE (d) WHERE id % 3 = 0 AND length(b) > 1",
	"CREATE INDEX spread ON t (a, c) WITH (shards = 3)",
	"CREATE INDEX whole ON t (c) WITH (INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA')",
	"CREATE INDEX curve ON t USING zorder (a, c)",
}

// TestDamage damages entries of indexes at random in each way that there is. A check must find
// exactly that, and nothing behind a repair.
func TestDamage(t *testing.T) {
	for _, seed := range seeds(t, 2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			onEvery(t, func(t *testing.T, s *server) {
				d := &damager{T: t, dice: newDice(seed), store: s.store, c: s.connect(t)}
				d.prepare()
				for range 6 {
					d.round()
				}
			})
		})
	}
}

// damager knows a table with its rows as they are stored.
type damager struct {
	*testing.T
	dice
	store store.Store
	c     *pgx.Conn
	table *catalog.Table
	txn   store.Txn
	rows  []types.Row
	next  int // the id of a row that there never was

	want []string // what is to be found
	stay []string // of it, what cannot be repaired
	dups []int
}

func (d *damager) check(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *damager) prepare() {
	must(d, d.c, pick(d.dice, damageTables))
	must(d, d.c, damageIndexes...)
	must(d, d.c, `INSERT INTO t (id, a, b, c, d)
		SELECT g, nullif(g % 9, 4), 'b' || g, nullif(g % 5, 2) / 2.0, g / 10.0 FROM generate_series(1, 400) g`)
	d.next = 1000
}

// round damages some rows, each in one way, and looks at what is found.
func (d *damager) round() {
	d.load()
	d.want, d.stay, d.dups = nil, nil, nil
	ways := []func(types.Row, *catalog.Index) bool{d.lose, d.orphan, d.leaveBehind, d.change, d.confuse, d.addForeign,
		d.misplace}
	order := d.Perm(len(d.rows))
	for n, way := range append(ways, ways...) {
		x := &d.table.Indexes[d.IntN(len(d.table.Indexes))]
		way(d.rows[order[n]], x)
	}
	d.dropRow(d.rows[order[50]])
	d.doubleRow(d.rows[order[51]])
	d.check(d.txn.Commit(context.Background()))

	d.found("damaged", "SELECT index, class, row, repaired FROM zproxy.check_index('t')", d.want)
	for i, line := range d.want {
		if !slices.Contains(d.stay, line) {
			d.want[i] = line[:len(line)-len("false")] + "true"
		}
	}
	d.found("repaired", "SELECT index, class, row, repaired FROM zproxy.check_index('t', repair => true)", d.want)
	d.found("behind the repair", "SELECT index, class, row, repaired FROM zproxy.check_index('t')", d.stay)
	for _, id := range d.dups {
		must(d, d.c, fmt.Sprintf("DELETE FROM t WHERE id = %d", id))
	}
	must(d, d.c, "CHECK INDEXES ON t REPAIR")
	d.found("at the end", "SELECT index, class, row, repaired FROM zproxy.check_index('t')", nil)
}

// load reads the rows, in a transaction that is to write.
func (d *damager) load() {
	ctx := context.Background()
	var err error
	d.txn, err = d.store.Begin(ctx, store.Mode{})
	d.check(err)
	snap, err := catalogstore.Load(ctx, d.txn)
	d.check(err)
	d.table = snap.Tables()[0]
	d.rows, _ = d.items(d.table.TableSpace(), d.table.StoredOrdinals(nil))
	slices.SortFunc(d.rows, func(a, b types.Row) int { return int(d.id(a) - d.id(b)) })
}

// items are all of a space, with the columns of the table, and their keys.
func (d *damager) items(space *store.Space, ordinals []int) ([]types.Row, []store.Key) {
	var rows []types.Row
	var reported []store.Key
	scan := store.Scan{Stats: &store.Stats{}, Keys: func(k store.Key) { reported = append(reported, k) }}
	for i := range ordinals {
		scan.Columns = append(scan.Columns, i)
	}
	for batch, err := range d.txn.Scan(context.Background(), space, &scan) {
		d.check(err)
		for i := range batch.Len() {
			row := make(types.Row, len(d.table.Columns))
			for at, c := range ordinals {
				row[c] = batch.Row(i)[at]
			}
			rows = append(rows, row)
		}
	}
	return rows, reported
}

func (d *damager) ordinal(column string) int { return d.table.Column(column) }
func (d *damager) id(row types.Row) int64    { return row[d.ordinal("id")].Int() }
func (d *damager) name(row types.Row) string { return fmt.Sprintf("(id)=(%d)", d.id(row)) }

// with is a row with another value of a column.
func (d *damager) with(row types.Row, column string, v types.Value) types.Row {
	out := slices.Clone(row)
	out[d.ordinal(column)] = v
	return out
}

func (d *damager) key(l *catalog.Layout, row types.Row) store.Key {
	codec, err := keys.NewCodec(d.table, l)
	d.check(err)
	return codec.Key(row)
}

// holds says whether an index should have an entry for a row.
func (d *damager) holds(x *catalog.Index, row types.Row) bool {
	switch x.Name {
	case "part":
		return !row[d.ordinal("a")].IsNull()
	case "third":
		return d.id(row)%3 == 0
	}
	return true
}

// put puts the values that an index stores of a row at a key.
func (d *damager) put(x *catalog.Index, at store.Key, row types.Row) {
	item := store.Item{Key: at}
	for _, c := range d.table.StoredOrdinals(x) {
		item.Values = append(item.Values, row[c])
	}
	d.check(d.txn.Put(d.table.IndexSpace(x), item, store.Always))
}

func (d *damager) expect(x *catalog.Index, class string, row types.Row, stays bool) bool {
	line := fmt.Sprintf("%s %s %s false", x.Name, class, d.name(row))
	if d.want = append(d.want, line); stays {
		d.stay = append(d.stay, line)
	}
	return true
}

// newID is a number that no row has had.
func (d *damager) newID() types.Value {
	d.next++
	return types.NewInt(int64(d.next))
}

// elsewhere is a row with other values in all columns of keys, which no row has.
func (d *damager) elsewhere(row types.Row) types.Row {
	d.next++
	row = d.with(row, "a", types.NewInt(int64(d.next)))
	row = d.with(row, "c", types.NewFloat(float64(d.next)))
	return d.with(row, "b", types.NewText(fmt.Sprint("other ", d.next)))
}

// lose takes the entry of a row away.
func (d *damager) lose(row types.Row, x *catalog.Index) bool {
	if !d.holds(x, row) {
		return false
	}
	d.check(d.txn.Delete(d.table.IndexSpace(x), d.key(&x.Layout, row), store.Always))
	return d.expect(x, "missing", row, false)
}

// orphan puts an entry of a row that is not there.
func (d *damager) orphan(row types.Row, x *catalog.Index) bool {
	row = d.with(d.elsewhere(row), "id", d.newID())
	d.put(x, d.key(&x.Layout, row), row)
	return d.expect(x, "dangling", row, false)
}

// leaveBehind puts an entry where the row might have had one before.
func (d *damager) leaveBehind(row types.Row, x *catalog.Index) bool {
	before := d.elsewhere(row)
	d.put(x, d.key(&x.Layout, before), before)
	return d.expect(x, map[bool]string{true: "stale", false: "extra"}[d.holds(x, row)], row, false)
}

// change gives the entry of a row another value.
func (d *damager) change(row types.Row, x *catalog.Index) bool {
	if !d.holds(x, row) {
		return false
	}
	other := d.elsewhere(row)
	if slices.Contains(d.table.StoredOrdinals(x), d.ordinal("d")) && d.chance(2) {
		other = d.with(row, "d", types.Null)
	}
	d.put(x, d.key(&x.Layout, row), other)
	return d.expect(x, "wrong", row, false)
}

// confuse puts the entry of another row in the place of a row's.
func (d *damager) confuse(row types.Row, x *catalog.Index) bool {
	if !d.holds(x, row) {
		return false
	}
	other := d.with(d.elsewhere(row), "id", types.NewInt(1+d.Int64N(800)))
	if d.id(other) == d.id(row) {
		return false
	}
	d.put(x, d.key(&x.Layout, row), other)
	return d.expect(x, "wrong", row, false)
}

// addForeign puts an entry of a row that the index does not hold.
func (d *damager) addForeign(row types.Row, x *catalog.Index) bool {
	if d.holds(x, row) {
		return false
	}
	d.put(x, d.key(&x.Layout, row), row)
	return d.expect(x, "extra", row, false)
}

// misplace puts the right values under a key that they do not make.
func (d *damager) misplace(row types.Row, x *catalog.Index) bool {
	at := d.elsewhere(row)
	d.put(x, d.key(&x.Layout, d.with(at, "id", d.newID())), row)
	return d.expect(x, map[bool]string{true: "stale", false: "extra"}[d.holds(x, row)], row, false)
}

// dropRow takes a row away, and leaves its entries.
func (d *damager) dropRow(row types.Row) {
	d.check(d.txn.Delete(d.table.TableSpace(), d.key(&d.table.Primary, row), store.Always))
	for i := range d.table.Indexes {
		if x := &d.table.Indexes[i]; d.holds(x, row) {
			d.expect(x, "dangling", row, false)
		}
	}
}

// doubleRow puts a second row with the values of one, and no entries.
func (d *damager) doubleRow(row types.Row) {
	row = d.with(row, "id", d.newID())
	d.check(d.txn.Put(d.table.TableSpace(), store.Item{Key: d.key(&d.table.Primary, row), Values: row}, store.Always))
	d.dups = append(d.dups, int(d.id(row)))
	for i := range d.table.Indexes {
		switch x := &d.table.Indexes[i]; {
		case x.Name == "alone":
			d.expect(x, "duplicate", row, true)
		case d.holds(x, row):
			d.expect(x, "missing", row, false)
		}
	}
}

// found compares what a query finds with what it should.
func (d *damager) found(what, sql string, want []string) {
	d.Helper()
	rows, err := d.c.Query(context.Background(), sql)
	d.check(err)
	got, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
		var index, class, row string
		var repaired bool
		err := r.Scan(&index, &class, &row, &repaired)
		return fmt.Sprintf("%s %s %s %v", index, class, row, repaired), err
	})
	d.check(err)
	want = slices.Sorted(slices.Values(want))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		d.Fatalf("%s: found\n%q, want\n%q", what, got, want)
	}
}

// TestCheckWhileWriting checks and repairs indexes, of which entries are lost now and then, while
// others write. A check finds what was lost and nothing else.
func TestCheckWhileWriting(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		d := &damager{T: t, dice: newDice(seeds(t, 1)[0]), store: s.store, c: s.connect(t)}
		d.prepare()
		ended := make(chan error, 2)
		for n := range 2 {
			c := s.connect(t)
			go func() {
				var err error
				for i := 0; i < 150 && err == nil; i++ {
					_, err = c.Exec(context.Background(), fmt.Sprintf(
						"UPDATE t SET a = a + 1, c = %d WHERE id BETWEEN %[1]d AND %[1]d + 10 AND id %% 2 = %[2]d", i, n))
				}
				ended <- err
			}()
		}
		for running := 2; running > 0; {
			d.load()
			d.want = nil
			for range 3 { // of rows that are not written
				d.lose(d.rows[len(d.rows)-1-d.IntN(50)], &d.table.Indexes[d.IntN(len(d.table.Indexes))])
			}
			d.check(d.txn.Commit(context.Background()))
			slices.Sort(d.want)
			d.want = slices.Compact(d.want)
			d.found("while others write", "SELECT index, class, row, repaired FROM zproxy.check_index('t')", d.want)
			must(d, d.c, "CHECK INDEXES ON t REPAIR")
			d.found("behind the repair", "SELECT index, class, row, repaired FROM zproxy.check_index('t')", nil)
			select {
			case err := <-ended:
				d.check(err)
				running--
			default:
			}
		}
	})
}
