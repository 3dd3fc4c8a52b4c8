package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// tagged is a client that keeps the command tag, and how many rows that is about.
type tagged struct {
	gathering
	tag   string
	count int64
}

// Done implements Client.
func (c *tagged) Done(o Outcome) error {
	c.tag, c.count = string(o.AppendTag(nil)), o.Count
	return nil
}

// did is the command tag of a statement.
func did(t *testing.T, s *Session, text string) (string, error) {
	var c tagged
	err := s.Query(t.Context(), text, &c)
	return c.tag, err
}

// TestBlindKeys deletes and replaces rows by keys of types in which one value has several spellings, without a read:
// the key that is written is that of the row.
func TestBlindKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		accepted(t, w.Session, "CREATE TABLE m (a text, b text, PRIMARY KEY (a, b)) "+
			"WITH (item_keys = 'text', partition_key = '{a}-{b}')", "INSERT INTO m VALUES ('x', 'y-z')")
		misfit := "DELETE FROM m WHERE a = 'x-y' AND b = 'z'"
		if tag, cost := w.did("m", misfit); tag != "DELETE 0" || cost != "0" {
			t.Errorf("%s: %q, %s", misfit, tag, cost) // the key of its values is that of the row
		}
		for i, c := range []struct{ column, with, put, same string }{
			{"char(4)", "", "'a'", "'a   '"},
			{"numeric", "", "1.00", "1.0"},
			{"date", " WITH (item_keys = 'text')", "'2026-01-02'", "'Jan 2 2026'"},
			{"bigint", " WITH (item_keys = 'native')", "1", "1.00::int8"},
			{"float8", "", "0", "'-0'"},
			{"text", " WITH (item_keys = 'native')", "'é'", "'é'"},
			{"timestamptz", "", "'2026-01-01 12:00+00'", "'2026-01-01 13:00+01'"},
			{"interval", "", "'1 day'", "'24 hours'"},
			{"uuid", "", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'"},
			{"int8", "", "7", "7::int2"},
		} {
			table := fmt.Sprintf("k%d", i)
			accepted(t, w.Session, fmt.Sprintf("CREATE TABLE %s (a %s, b int, v text, PRIMARY KEY (a, b))%s",
				table, c.column, c.with))
			for _, step := range []struct{ text, tag, cost string }{
				{"UPSERT INTO TABLE VALUES (PUT, 1, 'x')", "INSERT 0 1", "1"},
				{"UPSERT INTO TABLE VALUES (SAME, 1, 'y')", "INSERT 0 1", "1"},
				{"DELETE FROM TABLE WHERE b = 1 AND a = SAME", "DELETE 1", "1"},
				{"DELETE FROM TABLE WHERE a = PUT AND b = 1", "DELETE 0", "1 + 1 read"},
			} {
				text := strings.NewReplacer("TABLE", table, "PUT", c.put, "SAME", c.same).Replace(step.text)
				tag, cost := w.did(table, text)
				if tag != step.tag || cost != step.cost {
					t.Errorf("%s%s: %s: %q, %s; want %q, %s", c.column, c.with, text, tag, cost, step.tag, step.cost)
				}
			}
		}
	})
}

// did is the command tag of a statement, and its cost.
func (w *pricedWrites) did(table, text string) (tag, cost string) {
	cost = w.charged(table, func() error {
		var err error
		tag, err = did(w.t, w.Session, text)
		return err
	})
	return tag, cost
}

// TestBlindWrites holds which writes are made without a look, and what comes of them.
func TestBlindWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		accepted(t, w.Session, "CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a < 100), b int DEFAULT 5)",
			"CREATE TABLE d (id int PRIMARY KEY, at date DEFAULT CURRENT_DATE)",
			"CREATE TABLE n (a int)")
		for _, c := range []struct{ table, text, tag, cost string }{
			{"t", "UPSERT INTO t VALUES (1, 1, 1)", "INSERT 0 1", "1"},
			{"t", "UPSERT INTO t VALUES (2, 1, 1), (2, 2, 2), (1, 3, 3)", "INSERT 0 3", "4"},
			{"t", "UPSERT INTO t VALUES (1, 100, 3)", "", "0"},
			{"t", "UPSERT INTO t (id, a) VALUES (1, 4)", "INSERT 0 1", "1 + 1 read"},
			{"t", "UPSERT INTO t VALUES (3, 1, 1) RETURNING a, b", "INSERT 0 1", "1"},
			{"t", "REPLACE INTO t (id, a) VALUES (2, 6)", "INSERT 0 1", "1"},
			{"t", "INSERT INTO t VALUES (3, 7, 7) ON CONFLICT (id) DO UPDATE SET b = EXCLUDED.b, a = EXCLUDED.a",
				"INSERT 0 1", "1"},
			{"t", "INSERT INTO t VALUES (3, 8, 8) ON CONFLICT (id) DO UPDATE SET b = EXCLUDED.a, a = EXCLUDED.a",
				"INSERT 0 1", "1 + 1 read"},
			{"t", "INSERT INTO t VALUES (3, 9, 9) ON CONFLICT (id) DO UPDATE SET b = EXCLUDED.b, a = EXCLUDED.a " +
				"WHERE t.a = 9", "INSERT 0 0", "0 + 1 read"},
			{"t", "INSERT INTO t VALUES (4, 1, 1), (4, 2, 2) ON CONFLICT (id) DO UPDATE SET b = EXCLUDED.b, a = EXCLUDED.a",
				"", "0 + 1 read"},
			{"d", "UPSERT INTO d (id) VALUES (1)", "INSERT 0 1", "1"}, // DO NOTHING where it is there
			{"d", "UPSERT INTO d (id) VALUES (1)", "INSERT 0 0", "1 + 1 read"},
			{"n", "INSERT INTO n VALUES (1)", "INSERT 0 1", "1"},
			{"t", "DELETE FROM t WHERE id = 1 AND a = 5", "DELETE 0", "0 + 1 read"},
			{"t", "DELETE FROM t WHERE id = 1 RETURNING a", "DELETE 1", "1 + 1 read"},
			{"t", "DELETE FROM t WHERE id = 1", "DELETE 0", "1 + 1 read"},
			{"t", "DELETE FROM t WHERE id = NULL", "DELETE 0", "0"},
			{"t", "DELETE FROM t WHERE id = 5000000000", "DELETE 0", "1 + 1 read"},
			{"t", "DELETE FROM t WHERE id IN (2, 9)", "DELETE 1", "1 + 2 read"},
			{"t", "BEGIN; DELETE FROM t WHERE id = 3; ROLLBACK", "ROLLBACK", "0 + 1 read"},
			{"t", "DELETE FROM t WHERE id = (SELECT 3)", "DELETE 1", "1"},
		} {
			if tag, cost := w.did(c.table, c.text); tag != c.tag || cost != c.cost {
				t.Errorf("%s: %q, %s; want %q, %s", c.text, tag, cost, c.tag, c.cost)
			}
		}
	})
}

// TestBlindBalance lets sessions of three processes insert, replace and delete the same rows. For each key the rows
// that were inserted, less those that were deleted, are left; and no two updates of a row, which others replace with
// values of their own, come to the same value.
func TestBlindBalance(t *testing.T) {
	seed := testseed.Of(t)
	synctest.Test(t, func(t *testing.T) {
		const keys, writes = 3, 200
		f := dynamofake.New(dynamofake.Options{Seed: seed})
		var sessions []*Session
		for _, name := range []string{"a", "b", "c"} {
			db := joined(t, f, name).DB
			sessions = append(sessions, connect(t, db, "joe"), connect(t, db, "joe"))
		}
		accepted(t, sessions[0], "CREATE TABLE t (id int PRIMARY KEY, n int)",
			"CREATE TABLE r (id int PRIMARY KEY, n int)")
		var balance [keys]atomic.Int64
		var values sync.Map
		var all sync.WaitGroup
		for i, s := range sessions {
			draw := rand.New(rand.NewPCG(seed, uint64(i)))
			all.Go(func() {
				for n := range writes {
					id := draw.IntN(keys)
					text, step := fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", id, n), int64(1)
					var c tagged
					switch draw.IntN(4) {
					case 0:
						text, step = fmt.Sprintf("DELETE FROM t WHERE id = %d", id), -1
					case 1:
						own := (i*writes + n) * writes * len(sessions)
						text, step = fmt.Sprintf("UPSERT INTO r VALUES (%d, %d)", id, own), 0
					case 2:
						text, step = fmt.Sprintf("UPDATE r SET n = n + 1 WHERE id = %d RETURNING n", id), 0
					}
					err := s.Query(t.Context(), text, &c)
					switch {
					case err != nil && !sqlerr.Has(err, sqlerr.UniqueViolation) && !errors.Is(err, store.ErrConflict):
						t.Errorf("%s: %v", text, err)
					case err == nil && c.count > 0:
						balance[id].Add(step)
					}
					for _, value := range c.lines {
						if by, twice := values.LoadOrStore(value, text); err == nil && twice {
							t.Errorf("%s came to %s, as %s did", text, value, by)
						}
					}
				}
			})
		}
		all.Wait()
		for id := range keys {
			got := answer(t, sessions[0], fmt.Sprintf("SELECT n FROM t WHERE id = %d", id))
			if n := balance[id].Load(); int64(len(got)) != n {
				t.Errorf("key %d: rows %q, and %d more inserted than deleted", id, got, n)
			}
		}
	})
}
