package check_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/cluster/check"
	"zproxy/internal/nodetest"
	"zproxy/sqlerr"
	"zproxy/store"
)

const tables = `CREATE TABLE t (id int PRIMARY KEY, a int, b text);
CREATE INDEX t_a ON t (a) INCLUDE (b);
CREATE INDEX t_b ON t (b) WHERE a > 10;
CREATE TABLE u (id int PRIMARY KEY, a int);
CREATE UNIQUE INDEX u_a ON u (a)`

func newChecker(t *testing.T) (*nodetest.World, check.Checker) {
	w := nodetest.New(t, tables)
	w.Exec("INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd'), (5, NULL, 'e')",
		"INSERT INTO u VALUES (1, 10), (2, 20)")
	return w, check.Checker{Node: w.Node, Tables: w.Tables, Now: time.Now}
}

// put writes the entry of a row into an index, behind the table's back; remove takes one away.
func put(w *nodetest.World, table, index string, row ...string) {
	space, item := w.Entry(w.Table(table), index, row...)
	w.In(func(txn store.Txn) error { return txn.Put(space, item, store.Always) })
}

func remove(w *nodetest.World, table, index string, row ...string) {
	space, item := w.Entry(w.Table(table), index, row...)
	w.In(func(txn store.Txn) error { return txn.Delete(space, item.Key, store.Always) })
}

// found is a check of all tables as text, a line for each finding or error.
func found(t *testing.T, c check.Checker, repair bool) string {
	var out strings.Builder
	for f, err := range c.All(context.WithoutCancel(t.Context()), repair) {
		if err != nil {
			fmt.Fprintf(&out, "%s: %v\n", cmp.Or(f.Name, f.Table.Name), err)
			continue
		}
		line := fmt.Sprintf("%s %s %s %s %s", f.Name, f.Class, f.Key, f.Row, f.Detail)
		if line = strings.TrimSpace(line); f.Repaired {
			line += " repaired"
		}
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%swant\n%s", what, got, want)
	}
}

// TestFindings spoils entries in each way, and wants each to be found by its key, to stay as it is unless a
// repair is asked for, and to be as it should be then.
func TestFindings(t *testing.T) {
	w, c := newChecker(t)
	want(t, "at first", found(t, c, true), "")
	right := w.Stored(w.Table("t"), "t_a")
	remove(w, "t", "t_a", "2", "20", "b")
	put(w, "t", "t_a", "3", "31", "c")
	put(w, "t", "t_a", "4", "40", "x")
	put(w, "t", "t_a", "9", "90", "n")
	remove(w, "t", "t_b", "3", "30", "c")
	put(w, "t", "t_b", "1", "10", "a")
	put(w, "u", "u_a", "1", "20")
	lines := []string{
		`t_a missing (a)=(20) (id)=(2)`,
		`t_a wrong (a)=(40) (id)=(4) Column "b" is x in the entry and d in the row.`,
		`t_a stale (a)=(31) (id)=(3) The row has key (a)=(30).`,
		`t_a dangling (a)=(90) (id)=(9)`,
		`t_b missing (b)=(c) (id)=(3)`,
		`t_b extra (b)=(a) (id)=(1)`,
		`u_a wrong (a)=(20) (id)=(2) The entry is of row (id)=(1).`, "",
	}
	for range 2 {
		want(t, "without a repair", found(t, c, false), strings.Join(lines, "\n"))
	}
	want(t, "with a repair", found(t, c, true), strings.Join(lines, " repaired\n"))
	want(t, "behind it", found(t, c, false), "")
	want(t, "the index", strings.Join(w.Stored(w.Table("t"), "t_a"), "\n"), strings.Join(right, "\n"))
}

// TestNotRepaired says of what cannot be repaired that it was not: two rows with one unique key.
func TestNotRepaired(t *testing.T) {
	w, c := newChecker(t)
	w.In(func(txn store.Txn) error {
		space, item := w.Row(w.Table("u"), "3", "20")
		return txn.Put(space, item, store.Always)
	})
	const line = "u_a duplicate (a)=(20) (id)=(3) The entry is of row (id)=(2).\n"
	want(t, "with a repair", found(t, c, true), line)
	want(t, "behind it", found(t, c, false), line)
}

// TestRepairRunsAgain lets another writer be in the way of the first repair.
func TestRepairRunsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := newChecker(t)
		remove(w, "t", "t_a", "2", "20", "b")
		remove(w, "t", "t_a", "3", "30", "c")
		commits := 0
		w.Store.Commit = func(int) error {
			if commits++; commits > 1 {
				return nil
			}
			w.Exec("DELETE FROM t WHERE id = 3")
			return store.ErrConflict
		}
		want(t, "with a repair", found(t, c, true),
			"t_a missing (a)=(20) (id)=(2) repaired\nt_a missing (a)=(30) (id)=(3) repaired\n")
		want(t, "behind it", found(t, c, false), "")
		if entries := w.Stored(w.Table("t"), "t_a"); commits != 2 || len(entries) != 4 {
			t.Errorf("%d commits, entries %q", commits, entries)
		}
	})
}

// TestRepairFails ends with the error of a repair, which has repaired nothing.
func TestRepairFails(t *testing.T) {
	w, c := newChecker(t)
	remove(w, "t", "t_a", "2", "20", "b")
	remove(w, "u", "u_a", "2", "20")
	w.Store.Commit = func(int) error { return store.ErrUnreachable }
	want(t, "with a repair", found(t, c, true), "t: the store does not answer\n")
	w.Store.Commit = nil
	want(t, "behind it", found(t, c, false), "t_a missing (a)=(20) (id)=(2)\nu_a missing (a)=(20) (id)=(2)\n")
}

// TestManyFindings repairs some at once, and no more when who asked has enough.
func TestManyFindings(t *testing.T) {
	w, c := newChecker(t)
	w.Exec("INSERT INTO t SELECT g, g, 'm' FROM generate_series(101, 250) g")
	for id := 101; id <= 250; id++ {
		remove(w, "t", "t_a", fmt.Sprint(id), fmt.Sprint(id), "m")
	}
	var repairs []int
	w.Store.Commit = func(writes int) error {
		repairs = append(repairs, writes)
		return nil
	}
	for f, err := range c.All(t.Context(), true) {
		if err != nil || !f.Repaired {
			t.Errorf("%v, repaired %t", err, f.Repaired)
		}
		break
	}
	if n := strings.Count(found(t, c, false), "missing"); len(repairs) != 1 || n != 150-64 {
		t.Errorf("one was asked for, and %d are left after %d repairs", n, len(repairs))
	}
	if n := strings.Count(found(t, c, true), "repaired"); n != 150-64 || len(repairs) != 3 {
		t.Errorf("%d were repaired, in %d repairs", n, len(repairs))
	}
}

// TestRepairInParts repairs entries that are missing on stores whose transactions write few items: a repair of one
// writes two.
func TestRepairInParts(t *testing.T) {
	for most, want := range map[int]string{2: "10 repaired in 10 commits", 5: "10 repaired in 6 commits",
		1: "t: transaction writes more than 1 items"} {
		w, c := newChecker(t)
		w.Exec("INSERT INTO t SELECT g, g, 'm' FROM generate_series(101, 110) g")
		for id := 101; id <= 110; id++ {
			remove(w, "t", "t_a", fmt.Sprint(id), fmt.Sprint(id), "m")
		}
		commits := 0
		w.Store.Commit = func(writes int) error {
			if writes > most {
				return fmt.Errorf("transaction writes more than %d items: %w", most, store.ErrTooLarge)
			}
			commits++
			return nil
		}
		got := found(t, c, true)
		if n := strings.Count(got, "repaired"); n > 0 {
			got = fmt.Sprintf("%d repaired in %d commits", n, commits)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("with %d writes: %s, want %s", most, got, want)
		}
	}
}

// TestDamagedIndex goes on with the next index where one cannot be read, and ends with another error.
func TestDamagedIndex(t *testing.T) {
	w, c := newChecker(t)
	remove(w, "t", "t_b", "2", "20", "b")
	remove(w, "u", "u_a", "2", "20")
	of, is := w.Table("t").Index("t_a").Space.Name, error(&store.Damaged{File: "7.sst", Reason: "checksum"})
	w.Store.Scan = func(s *store.Space) error {
		if s.Name == of {
			return is
		}
		return nil
	}
	want(t, "damaged", found(t, c, false), "t_a: scan of public.t.t_a.20003: file 7.sst is damaged: checksum\n"+
		"t_b missing (b)=(b) (id)=(2)\nu_a missing (a)=(20) (id)=(2)\n")
	is = store.ErrUnreachable
	want(t, "unreachable", found(t, c, false), "t: scan of public.t.t_a.20003: the store does not answer\n")
}

// verified is a store that knows of damaged files.
type verified struct {
	store.Store
	damages []*store.Damaged
}

func (v verified) Verify(context.Context) iter.Seq2[*store.Damaged, error] {
	return func(yield func(*store.Damaged, error) bool) {
		for _, d := range v.damages {
			if !yield(d, nil) {
				return
			}
		}
		yield(nil, store.ErrUnreachable)
	}
}

// TestDamages names the tables whose rows are in a damaged file.
func TestDamages(t *testing.T) {
	w, c := newChecker(t)
	for damage, err := range c.Damages(t.Context()) {
		t.Errorf("a store that verifies nothing: %v, %v", damage, err)
	}
	index := w.Table("u").IndexSpace(w.Table("u").Index("u_a")).Name
	w.Node.Store = verified{w.Store, []*store.Damaged{
		{File: "7.sst", Spaces: []string{w.Table("t").Space.Name, index}, Reason: "checksum"}, {Reason: "torn"},
	}}
	var got []string
	for damage, err := range c.Damages(t.Context()) {
		var e *sqlerr.Error
		if err != nil {
			got = append(got, err.Error())
		} else if errors.As(damage, &e) {
			got = append(got, fmt.Sprintf("%s %s: %s", e.Code, e.Message, e.Detail))
		}
	}
	want(t, "damages", strings.Join(got, "\n"),
		`XX001 could not read file "7.sst": it is damaged: It may have rows of table "t", index "u_a". checksum.
XX001 could not read an item of the store: it is damaged: torn.
the store does not answer`)
}

// TestElements finds entries of an inverted index that are missing, and those of a row that is not there, each with its
// element.
func TestElements(t *testing.T) {
	w := nodetest.New(t, "CREATE TABLE g (id int PRIMARY KEY, tags text[], n int[]);"+
		" CREATE INDEX g_tags ON g USING gin (tags, n)")
	c := check.Checker{Node: w.Node, Tables: w.Tables, Now: time.Now}
	w.Exec("INSERT INTO g VALUES (1, '{red,blue}', '{7}'), (2, '{green}', NULL)")
	w.In(func(txn store.Txn) error {
		space, item := w.Row(w.Table("g"), "1", "{red}", "{8}")
		return txn.Put(space, item, store.Always)
	})
	w.In(func(txn store.Txn) error {
		space, item := w.Row(w.Table("g"), "2", "{}", "NULL")
		return txn.Delete(space, item.Key, store.Always)
	})
	want(t, "without a repair", found(t, c, false), `g_tags missing (element)=(\002v\021\010) (id)=(1)
g_tags stale (element)=(\001v0blue\000\001) (id)=(1) The row has no such element.
g_tags dangling (element)=(\001v0green\000\001) (id)=(2)
g_tags stale (element)=(\002v\021\007) (id)=(1) The row has no such element.
`)
	found(t, c, true)
	want(t, "behind it", found(t, c, false), "")
}
