package catalogstore

import (
	"reflect"
	"testing"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

func testTable() *catalog.Table {
	return &catalog.Table{
		ID: 20000, Version: 3, Schema: "public", Name: "t", NextColumn: 3, Space: catalog.NewSpace(20000, "public", "t"),
		Columns: []catalog.Column{
			{ID: 1, Name: "a", Type: types.Int8, NotNull: true},
			{ID: 2, Name: "b", Type: types.T{OID: types.OIDVarchar, Mod: 14}, Default: "'x'"},
		},
		Primary:    catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Unique: true},
		PrimaryKey: "t_pkey",
		Indexes: []catalog.Index{{
			ID: 20001, Name: "z", Method: catalog.ZOrder, Space: catalog.NewSpace(20001, "public", "t", "z"), Keys: 1, Covers: true,
			Layout: catalog.Layout{Sort: []catalog.Part{{Kind: catalog.ZAddressPart, Curve: []catalog.Dimension{
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
		1: {Min: types.NewInt(-5), Max: types.NewInt(1 << 60), Distinct: 7},
		2: {Nulls: 0.5},
	}}
	txn := begin(t, st)
	if err := Put(txn, want); err != nil {
		t.Fatal(err)
	}
	if err := PutStats(txn, want, want.Stats); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	snap, err := Load(t.Context(), begin(t, st))
	if err != nil {
		t.Fatal(err)
	}
	if got := snap.Table("public", "t"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	txn = begin(t, st)
	if err := Delete(txn, want); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	if snap, err = Load(t.Context(), begin(t, st)); err != nil || len(snap.Tables()) != 0 {
		t.Errorf("after Delete: %v, %v", snap.Tables(), err)
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
	for _, s := range []*store.Space{table.TableSpace(), table.IndexSpace(&table.Indexes[0]), {ID: 30000, Name: "left"}} {
		if err := st.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Orphans(t.Context(), st, catalog.NewSnapshot(table))
	if err != nil || len(got) != 1 || got[0].Name != "left" {
		t.Errorf("orphans %v, %v", got, err)
	}
}
