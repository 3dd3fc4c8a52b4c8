package session

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// lookedAt is a store of which each batch that is read of a table's spaces is told, but for those that are
// read meanwhile.
type lookedAt struct {
	store.Store
	table string
	look  func() // nil: nothing is told
}

func (s *lookedAt) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := s.Store.Begin(ctx, m)
	if err != nil {
		return nil, err
	}
	return &lookedAtTxn{Txn: txn, of: s}, nil
}

type lookedAtTxn struct {
	store.Txn
	of *lookedAt
}

func (t *lookedAtTxn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		for batch, err := range t.Txn.Scan(ctx, s, r) {
			if !yield(batch, err) {
				return
			}
			if look := t.of.look; look != nil && strings.Contains(s.Name, t.of.table) {
				t.of.look = nil
				look()
				t.of.look = look
			}
		}
	}
}

// TestIndexProgress watches every statement that builds or checks indexes from another session: it says what it
// does, and how far it is, and nothing behind its end. A role without rights learns no more than that there is
// something.
func TestIndexProgress(t *testing.T) {
	st := &lookedAt{Store: memstore.New(memstore.Options{}), table: "public.t"}
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s, other := connect(t, db, "ann"), connect(t, db, "ann")
	answer(t, s, "CREATE ROLE stranger LOGIN; CREATE TABLE t (id int PRIMARY KEY, a int, b int); INSERT INTO t SELECT n, n, n % 7 FROM generate_series(1, 5000) AS n; ANALYZE t")
	stranger := connect(t, db, "stranger")
	const progress = `SELECT command, phase, relid::regclass::text, CASE index_relid WHEN 0 THEN '' ELSE index_relid::regclass::text END,
		tuples_total, tuples_done BETWEEN 1 AND tuples_total FROM pg_stat_progress_create_index`
	building := []string{"CREATE INDEX building index t  5000 t",
		"CREATE INDEX building index: scanning table t  5000 t"}
	rebuilding := func(index string) []string {
		return []string{"REINDEX building index t " + index + " 5000 t",
			"REINDEX building index: scanning table t " + index + " 5000 t"}
	}
	checking := func(index string) string { return "CHECK INDEX comparing rows and entries t " + index + " 10000 t" }
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"CREATE INDEX i ON t (a)", building},
		{"CREATE INDEX z ON t USING zorder (a, b)", building},
		{"BEGIN; CREATE INDEX j ON t (a); ROLLBACK", building},
		{"ALTER TABLE t ADD CONSTRAINT u UNIQUE (a, b)", building},
		{"REINDEX INDEX i", rebuilding("i")},
		{"REINDEX TABLE t", slices.Concat(rebuilding("i"), rebuilding("u"), rebuilding("z"))},
		{"CHECK INDEX i ON t", []string{checking("i")}},
		{"CHECK INDEXES ON t", []string{checking("i"), checking("u"), checking("z")}},
		{"SELECT * FROM zproxy.check_index('t', 'z')", []string{checking("z")}},
		{"SELECT * FROM zproxy.check_index('t', repair => true)",
			[]string{checking("i"), checking("u"), checking("z")}},
		{"ADMIN CHECK INDEX t u", []string{checking("u")}},
		{"ANALYZE t", nil},
	} {
		var seen []string
		st.look = func() {
			seen = append(seen, answer(t, other, progress)...)
			if got := answer(t, stranger,
				"SELECT count(*), count(relid), count(tuples_done) FROM pg_stat_progress_create_index"); c.want != nil && got[0] != "1 0 0" {
				t.Errorf("%s: a stranger sees %q", c.sql, got)
			}
		}
		answer(t, s, c.sql)
		st.look = nil
		slices.Sort(seen)
		want := slices.Sorted(slices.Values(c.want))
		if got := slices.Compact(seen); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.sql, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got := answer(t, other, progress); got != nil {
			t.Errorf("%s: behind its end: %q", c.sql, got)
		}
	}
}
