package e2e

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// TestDamagedPartitions takes the first entry of each index of partitions away. A check of the table that they are part
// of finds them by the name of its own index, under the names that the partitions have for it.
func TestDamagedPartitions(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE t (id int PRIMARY KEY, a int) PARTITION BY RANGE (id)",
			"CREATE INDEX t_a ON t (a)",
			"CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10)",
			"CREATE TABLE high PARTITION OF t FOR VALUES FROM (10) TO (100) PARTITION BY LIST (id)",
			"CREATE TABLE ten PARTITION OF high FOR VALUES IN (10, 11)",
			"CREATE TABLE own (id int PRIMARY KEY, a int)", "CREATE INDEX own_index ON own (a)",
			"CREATE INDEX more ON own (a, id)",
			"ALTER TABLE high ATTACH PARTITION own FOR VALUES IN (20, 21)",
			"INSERT INTO t SELECT i, i * 2 FROM unnest(ARRAY[1, 2, 10, 11, 20, 21]) i")
		for _, leaf := range []string{"low", "ten", "own"} {
			loseEntries(t, s.store, leaf)
		}
		ask := func(name string, want ...string) {
			t.Helper()
			got := texts(t, c, "SELECT concat_ws(' ', index, class, key, \"row\") FROM zproxy.check_index('t'"+name+") ORDER BY index, key")
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		of := []string{"low_a_idx missing (a)=(2) (id)=(1)", "own_index missing (a)=(40) (id)=(20)",
			"ten_a_idx missing (a)=(20) (id)=(10)"}
		ask(", 't_a'", of...)
		ask(", 't_pkey'")
		all := slices.Insert(slices.Clone(of), 1, "more missing (a, id)=(40, 20) (id)=(20)")
		ask("", all...)
		ask(", repair => true", all...)
		ask("")
	})
}

// loseEntries deletes the first entry of each index of a table behind its back.
func loseEntries(t *testing.T, st store.Store, name string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	txn, err := st.Begin(t.Context(), store.Mode{})
	check(err)
	snap, err := catalogstore.Load(t.Context(), txn)
	check(err)
	tables := snap.Tables()
	table := tables[slices.IndexFunc(tables, func(of *catalog.Table) bool { return of.Name == name })]
	for i := range table.Indexes {
		space := table.IndexSpace(&table.Indexes[i])
		var all []store.Key
		scan := store.Scan{Stats: &store.Stats{}, Keys: func(k store.Key) { all = append(all, k) }}
		for _, err := range txn.Scan(t.Context(), space, &scan) {
			check(err)
		}
		check(txn.Delete(space, slices.MinFunc(all, func(a, b store.Key) int {
			return cmp.Or(bytes.Compare(a.Partition, b.Partition), bytes.Compare(a.Sort, b.Sort))
		}), store.Always))
	}
	check(txn.Commit(t.Context()))
}
