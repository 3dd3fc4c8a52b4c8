package catalogstore

import (
	"testing"

	"zproxy/catalog"
	"zproxy/store"
)

// TestMend mends a catalog that has lost its counter and the records of spaces, and has a build that was under way.
func TestMend(t *testing.T) {
	for _, counter := range []bool{false, true} {
		st, table := open(t), testTable()
		txn := begin(t, st)
		if err := Put(txn, catalog.DatabaseID, table); err != nil {
			t.Fatal(err)
		}
		if err := Put(txn, catalog.DatabaseID, sequence(20100)); err != nil {
			t.Fatal(err)
		}
		commit(t, txn)
		txn = begin(t, st)
		if _, err := ReadBuild(t.Context(), txn, 20001); err != nil {
			t.Fatal(err)
		}
		if err := PutBuild(txn, &catalog.Build{Table: 20000, Index: 20001, Space: 20000, Done: 7,
			Segments: []*store.Key{{Partition: []byte("p"), Sort: []byte("s")}}}); err != nil {
			t.Fatal(err)
		}
		commit(t, txn)
		if counter {
			txn = begin(t, st)
			if _, err := NextID(t.Context(), txn); err != nil {
				t.Fatal(err)
			}
			commit(t, txn)
		}
		if err := st.Create(t.Context(), &store.Space{ID: 20200, Name: "left"}); err != nil {
			t.Fatal(err)
		}
		orphans, err := Mend(t.Context(), st)
		if err != nil || len(orphans) != 1 || orphans[0].ID != 20200 {
			t.Errorf("orphans %v, %v", orphans, err)
		}
		txn = begin(t, st)
		if id, err := NextID(t.Context(), txn); err != nil || id != 20201 {
			t.Errorf("counter %t: the next number is %d, %v", counter, id, err)
		}
		if b, err := ReadBuild(t.Context(), txn, 20001); err != nil || b.Space == table.Space.ID {
			t.Errorf("the build goes on at %+v, %v", b, err)
		}
		spaces, err := st.Spaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[store.SpaceID]bool{}
		for _, s := range spaces {
			found[s.ID] = true
		}
		if !found[20000] || !found[20001] {
			t.Errorf("spaces %v", spaces)
		}
	}
}
