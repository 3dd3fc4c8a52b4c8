package catalogstore

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

func testTable() *catalog.Table {
	return &catalog.Table{
		ID: 20000, Version: 3, Schema: "public", Name: "t", NextColumn: 3,
		Space: catalog.NewSpace(20000, "public", "t"),
		Columns: []catalog.Column{
			{ID: 1, Name: "a", Type: types.Int8, NotNull: true},
			{ID: 2, Name: "b", Type: types.T{OID: types.OIDVarchar, Mod: 14}, Default: "'x'"},
		},
		Primary:    catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Unique: true},
		PrimaryKey: "t_pkey", KeyID: 20002,
		Indexes: []catalog.Index{{
			ID: 20001, Name: "z", Method: catalog.ZOrder, Space: catalog.NewSpace(20001, "public", "t", "z"), Keys: 1,
			Covers: true,
			Layout: catalog.Layout{Sort: []catalog.Part{{Kind: part.ZAddress, Curve: []catalog.Dimension{
				{Column: 1, Bits: 32, Map: catalog.MapQuantile, Knots: []uint64{1, 1 << 63, 1<<64 - 1}, Version: 1},
			}}}},
			Options: map[string]string{"covering": "all"},
		}},
		Options: map[string]string{"consistency": "strong"},
	}
}

func begin(t *testing.T, st store.Store) store.Txn {
	t.Helper()
	txn, err := st.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(txn.Rollback)
	return txn
}

func commit(t *testing.T, txn store.Txn) {
	t.Helper()
	if err := txn.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) store.Store {
	st := memstore.New(memstore.Options{})
	t.Cleanup(func() { _ = st.Close() })
	if err := Open(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	return st
}

// TestRoundTrip holds that a table comes back as it was stored, with its statistics.
func TestRoundTrip(t *testing.T) {
	st := open(t)
	want := testTable()
	want.Stats = catalog.Stats{Known: true, Rows: 7, Columns: map[uint32]catalog.ColumnStats{
		1: {
			Min: types.NewInt(-5), Max: types.NewInt(1 << 60), Distinct: 7,
			Common:    []catalog.Common{{Value: types.NewInt(-2), Share: 0.25}},
			Histogram: []types.Value{types.NewInt(-5), types.NewInt(1 << 60)},
		},
		2: {Nulls: 0.5, Width: 3.5, Correlation: -0.25},
	}}
	txn := begin(t, st)
	if err := Put(txn, catalog.DatabaseID, want); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	snap, err := Load(t.Context(), begin(t, st))
	if err != nil {
		t.Fatal(err)
	}
	got := snap.In(catalog.DatabaseID).Table("public", "t")
	got.Stats.Learned, got.Stats.Growth = nil, nil // what a process learns is not stored
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	txn = begin(t, st)
	if err := Delete(txn, catalog.DatabaseID, want); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	if snap, err = Load(t.Context(), begin(t, st)); err != nil || len(snap.Tables()) != 0 {
		t.Errorf("after Delete: %v, %v", snap.Tables(), err)
	}
}

// TestWideStats holds that statistics are thinned out until a store can keep them.
func TestWideStats(t *testing.T) {
	st, table := open(t), testTable()
	wide := catalog.ColumnStats{Width: 2000}
	for i := range 101 {
		v := types.NewText(fmt.Sprintf("%03d", i) + strings.Repeat("x", 2000))
		wide.Histogram = append(wide.Histogram, v)
		wide.Common = append(wide.Common, catalog.Common{Value: v, Share: 1 / float64(i+200)})
	}
	table.Stats = catalog.Stats{Known: true, Rows: 1e6, Columns: map[uint32]catalog.ColumnStats{2: wide}}
	txn := begin(t, st)
	if err := Put(txn, catalog.DatabaseID, table); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	snap, err := Load(t.Context(), begin(t, st))
	if err != nil {
		t.Fatal(err)
	}
	got := snap.In(catalog.DatabaseID).Table("public", "t").Stats.Columns[2]
	if h := got.Histogram; len(h) != 51 || !types.Equal(h[0], wide.Histogram[0]) ||
		!types.Equal(h[25], wide.Histogram[50]) ||
		!types.Equal(h[50], wide.Histogram[100]) {
		t.Errorf("%d bounds are left", len(h))
	}
	if len(got.Common) != 50 || got.Common[49].Share != wide.Common[49].Share || got.Width != 2000 {
		t.Errorf("%d common values are left, width %g", len(got.Common), got.Width)
	}
}

// TestNextID holds that numbers grow, also over transactions, and that two transactions
// never take the same.
func TestNextID(t *testing.T) {
	st := open(t)
	one, two := begin(t, st), begin(t, st)
	a, err := NextID(t.Context(), one)
	if err != nil || a != firstID {
		t.Fatalf("first number %d, %v", a, err)
	}
	if _, err := NextID(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	commit(t, one)
	if err := two.Commit(t.Context()); err == nil {
		t.Error("two transactions took the same number")
	}
	if b, err := NextID(t.Context(), begin(t, st)); err != nil || b != a+1 {
		t.Errorf("next number %d, %v", b, err)
	}
}

// TestOrphans finds the spaces that no table owns.
func TestOrphans(t *testing.T) {
	st := open(t)
	table := testTable()
	for _, s := range []*store.Space{table.TableSpace(), table.IndexSpace(&table.Indexes[0]),
		{ID: 30000, Name: "left"}} {
		if err := st.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	whole := catalog.NewWhole(nil, map[uint32][]catalog.Object{catalog.DatabaseID: {table}})
	got, err := Orphans(t.Context(), st, whole)
	if err != nil || len(got) != 1 || got[0].Name != "left" {
		t.Errorf("orphans %v, %v", got, err)
	}
}

// TestObjects holds that every kind of object comes back as it was stored, and that the
// schema public stays dropped.
func TestObjects(t *testing.T) {
	st := open(t)
	table := testTable()
	table.Columns = append(table.Columns,
		catalog.Column{ID: 3, Name: "c", Type: types.Numeric, StorageName: "c.3", Missing: decimal("1.50")})
	table.Checks = []catalog.Check{{Name: "t_a_check", Text: "a > 0", Columns: []catalog.Bound{{ID: 1, Name: "a"}}}}
	objects := []catalog.Object{
		table,
		&catalog.Schema{ID: 20010, Name: "s", Comment: "schema", Rights: catalog.Rights{Owner: 20013, ACL: catalog.ACL{}}},
		&catalog.View{
			ID: 20011, Version: 2, Schema: "s", Name: "v", Query: "SELECT a FROM t", Path: []string{"public"},
			Columns: []catalog.ViewColumn{{Name: "a", Type: types.Int8}},
			Uses: []catalog.Use{{ID: table.ID, Schema: "public", Name: "t",
				Columns: []catalog.Bound{{ID: 1, Name: "a"}}}},
		},
		sequence(20012),
		&catalog.Role{
			ID: 20013, Name: "r", Inherit: true, Login: true, ConnLimit: 3, Verifier: "SCRAM-SHA-256$4096:c2FsdA==$a:b",
			ValidUntil: new(int64),
			Config:     []string{"work_mem=1MB"},
			MemberOf:   []catalog.Membership{{Role: catalog.MonitorID, Grantor: catalog.BootstrapID, Admin: true}},
		},
		&catalog.Role{ID: catalog.BootstrapID, Name: "root", Superuser: true, ConnLimit: -1},
		&catalog.Database{ID: catalog.DatabaseID, Rights: catalog.Rights{ACL: catalog.ACL{{Grantee: 20013, Grantor: 10, Privileges: catalog.MayConnect}}}},
	}
	table.Rights = catalog.Rights{Owner: 20013,
		ACL: catalog.ACL{{Grantee: catalog.Public, Grantor: 20013, Privileges: catalog.MaySelect}}}
	txn := begin(t, st)
	for _, o := range objects {
		if err := Put(txn, catalog.DatabaseID, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := Delete(txn, catalog.DatabaseID, &catalog.Schema{ID: catalog.PublicID, Name: "public"}); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	whole, err := Load(t.Context(), begin(t, st))
	if err != nil {
		t.Fatal(err)
	}
	snap := whole.In(catalog.DatabaseID)
	for _, o := range objects[1:] {
		if r, ok := o.(catalog.Relation); ok && !reflect.DeepEqual(snap.ByID(r.Ref().ID), r) {
			t.Errorf("got  %+v\nwant %+v", snap.ByID(r.Ref().ID), r)
		}
	}
	for _, o := range objects {
		if r, ok := o.(*catalog.Role); ok &&
			(!reflect.DeepEqual(snap.RoleByID(r.ID), r) || snap.Role(r.Name) != snap.RoleByID(r.ID)) {
			t.Errorf("got  %+v\nwant %+v", snap.RoleByID(r.ID), r)
		}
		if owned, ok := o.(catalog.Owned); ok && !reflect.DeepEqual(rightsIn(snap, owned), catalog.RightsOf(owned)) {
			t.Errorf("rights of %+v are %+v", owned, rightsIn(snap, owned))
		}
	}
	back := snap.ByID(table.ID).(*catalog.Table)
	if c := back.Columns[2]; types.FormatText(c.Missing, c.Type, nil) != "1.50" || c.Stored() != "c.3" ||
		!reflect.DeepEqual(back.Checks, table.Checks) {
		t.Errorf("got %+v", back)
	}
	if snap.Schema("public") != nil || snap.Schema("s") == nil || snap.Schema("pg_catalog") == nil {
		t.Errorf("schemas %+v", snap.Schemas())
	}
}

// rightsIn are the rights of the object that stands in a snapshot for another.
func rightsIn(snap *catalog.Snapshot, o catalog.Owned) catalog.Rights {
	switch o := o.(type) {
	case *catalog.Schema:
		return snap.Schema(o.Name).Rights
	case *catalog.Database:
		return snap.Database().Rights
	case catalog.Relation:
		return catalog.RightsOf(snap.ByID(o.Ref().ID).(catalog.Owned))
	}
	return catalog.Rights{}
}

func decimal(s string) types.Value {
	v, _ := types.ParseText(s, types.Numeric, nil)
	return v
}

func sequence(id uint32) *catalog.Sequence {
	return &catalog.Sequence{
		ID: id, Version: 1, Schema: "public", Name: "q", Type: types.Int8, State: uint64(id),
		From: 1, Start: 1, Increment: 1, Min: 1, Max: math.MaxInt64, Cache: 1,
	}
}

// TestTakeBlock takes all numbers of sequences in blocks, up to the ends of their types.
func TestTakeBlock(t *testing.T) {
	for _, c := range []struct {
		name      string
		change    func(q *catalog.Sequence)
		want      []int64
		exhausted bool
	}{
		{"up", func(q *catalog.Sequence) { q.Max = 7 }, []int64{1, 2, 3, 4, 5, 6, 7}, true},
		{"steps", func(q *catalog.Sequence) { q.Increment, q.Max = 3, 9 }, []int64{1, 4, 7}, true},
		{"down", func(q *catalog.Sequence) { q.Increment, q.Min, q.Max, q.From = -2, -3, 2, 2 }, []int64{2, 0, -2}, true},
		{"called", func(q *catalog.Sequence) { q.FromCalled, q.Max = true, 3 }, []int64{2, 3}, true},
		{"round", func(q *catalog.Sequence) { q.Cycle, q.Max = true, 3 }, []int64{1, 2, 3, 1, 2, 3, 1}, false},
		{"highest", func(q *catalog.Sequence) { q.From = math.MaxInt64 - 1 }, []int64{math.MaxInt64 - 1, math.MaxInt64}, true},
		{
			"far", func(q *catalog.Sequence) { q.Min, q.From, q.Increment = math.MinInt64, math.MinInt64, math.MaxInt64 },
			[]int64{math.MinInt64, -1, math.MaxInt64 - 1}, true,
		},
		{
			"lowest", func(q *catalog.Sequence) { q.Min, q.From, q.Increment = math.MinInt64, 0, math.MinInt64 },
			[]int64{0, math.MinInt64}, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, q := open(t), sequence(1)
			c.change(q)
			var got []int64
			for len(got) < len(c.want) {
				txn := begin(t, st)
				b, err := TakeBlock(t.Context(), txn, q, 4)
				if err != nil {
					t.Fatal(err)
				}
				commit(t, txn)
				for b.Left > 0 {
					got = append(got, b.Take())
					if b.Given() != got[len(got)-1] {
						t.Errorf("%d was given, and said to be %d", got[len(got)-1], b.Given())
					}
				}
			}
			if !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("got %d, want %d", got, c.want)
			}
			_, err := TakeBlock(t.Context(), begin(t, st), q, 4)
			if exhausted := sqlerr.Has(err, sqlerr.SequenceLimitExceeded); exhausted != c.exhausted {
				t.Errorf("after the last number: %v", err)
			}
		})
	}
}

// TestBlocksAreDisjoint holds that two processes never take the same numbers.
func TestBlocksAreDisjoint(t *testing.T) {
	st, q := open(t), sequence(1)
	one, two := begin(t, st), begin(t, st)
	for _, txn := range []store.Txn{one, two} {
		if _, err := TakeBlock(t.Context(), txn, q, 10); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, one)
	if err := two.Commit(t.Context()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("both took a block: %v", err)
	}
	if b, err := TakeBlock(t.Context(), begin(t, st), q, 10); err != nil || b.Next != 11 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestOrphanStates finds the states that no sequence has, and forgets them.
func TestOrphanStates(t *testing.T) {
	st, q, left := open(t), sequence(1), sequence(2)
	txn := begin(t, st)
	for _, q := range []*catalog.Sequence{q, left} {
		if _, err := TakeBlock(t.Context(), txn, q, 4); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, txn)
	whole := catalog.NewWhole(nil, map[uint32][]catalog.Object{catalog.DatabaseID: {q}})
	txn = begin(t, st)
	got, err := OrphanStates(t.Context(), txn, whole)
	if err != nil || !slices.Equal(got, []uint64{left.State}) {
		t.Fatalf("orphans %v, %v", got, err)
	}
	if err := DeleteStates(txn, got); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	if got, err := OrphanStates(t.Context(), begin(t, st), whole); err != nil || len(got) > 0 {
		t.Errorf("after DeleteStates: %v, %v", got, err)
	}
}

// TestKeyWithoutNumber reads a table of the time when primary keys had no number.
func TestKeyWithoutNumber(t *testing.T) {
	o, err := decode(kindTable, `{"ID": 16400, "PrimaryKey": "t_pkey"}`)
	if err != nil || o.(*catalog.Table).KeyID != 1<<31|16400 {
		t.Errorf("%v, %v", o, err)
	}
}

// TestDatabases holds that objects with one number in two databases are two, and that a damage names them.
func TestDatabases(t *testing.T) {
	st := open(t)
	other := &catalog.Database{ID: 20000, Name: "other"}
	txn := begin(t, st)
	for database, comment := range map[uint32]string{catalog.DatabaseID: "first", other.ID: "second"} {
		public := &catalog.Schema{ID: catalog.PublicID, Name: "public", Comment: comment}
		for _, o := range []catalog.Object{other, public} {
			if err := Put(txn, database, o); err != nil {
				t.Fatal(err)
			}
		}
	}
	commit(t, txn)
	load := func() *catalog.Whole {
		whole, err := Load(t.Context(), begin(t, st))
		if err != nil {
			t.Fatal(err)
		}
		return whole
	}
	public := func(database uint32) *catalog.Schema { return load().In(database).Schema("public") }
	if a, b := public(catalog.DatabaseID), public(other.ID); a.Comment != "first" || b.Comment != "second" {
		t.Errorf("comments %q and %q", a.Comment, b.Comment)
	}
	txn = begin(t, st)
	if err := Delete(txn, other.ID, &catalog.Schema{ID: catalog.PublicID, Name: "public"}); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	if public(catalog.DatabaseID) == nil || public(other.ID) != nil {
		t.Error("the schema of the other database was dropped, too, or not at all")
	}
	_, id := itemIn(other.ID, &catalog.Schema{ID: catalog.PublicID})
	key := keyOf(kindSchema, id)
	if got := FormatKey(slices.Concat(key.Partition, key.Sort)); got != "/schema/20000/2200" {
		t.Errorf("the key is %s", got)
	}
}
