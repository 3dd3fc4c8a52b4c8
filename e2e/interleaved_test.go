package e2e

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/internal/testseed"
	"zproxy/session"
	"zproxy/store"
)

// TestInterleaved sends random statements to tables that are interleaved, of three generations, and keeps their rows in
// maps: each statement answers, and each table holds, what the maps say. Tables that lie in one space must not see
// rows of each other, and no row may be left without its parent.
func TestInterleaved(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			c := openDB(t, k).connect(t)
			r := rand.New(rand.NewPCG(testseed.Of(t), 12))
			g := &generations{t: t, c: c, random: r}
			must(t, c, "CREATE TABLE a (p int, k int, v int, PRIMARY KEY (p, k DESC))",
				"CREATE TABLE b (p int, k int, b text, v int, PRIMARY KEY (p, k DESC, b)) WITH (interleave_in = 'a')",
				`CREATE TABLE c (p int, k int, b text, v int, PRIMARY KEY (p, k DESC, b)) WITH (interleave_in = 'a',
				interleave_on_delete = 'cascade')`,
				`CREATE TABLE d (p int, k int, b text, d int, v int, PRIMARY KEY (p, k DESC, b, d)) WITH (interleave_in = 'c',
				interleave_on_delete = 'cascade')`,
				"CREATE INDEX c_v ON c (v)", "CREATE UNIQUE INDEX d_v ON d (d, v, p, k, b)",
				"CREATE INDEX a_z ON a USING zorder (v, k)", "CREATE INDEX a_a ON a (p, k DESC, v) WITH (interleave_in = 'a')",
				"CREATE INDEX b_a ON b (p, k DESC, v) WITH (interleave_in = 'a')",
				"CREATE UNIQUE INDEX d_c ON d (p, k DESC, b, v, d) WITH (interleave_in = 'c')")
			for range 150 {
				if r.IntN(3) == 0 { // a join sees what the transaction wrote itself
					must(t, c, "BEGIN")
					g.write()
					if c.PgConn().TxStatus() == 'T' {
						g.join()
					}
					must(t, c, "COMMIT")
				}
				g.write()
				g.compare()
				g.join()
			}
			if g.together == 0 {
				t.Fatal("no join read both tables in one scan")
			}
			for _, of := range generationNames {
				must(t, c, "CHECK INDEXES ON "+of)
			}
		})
	}
}

// generations are the rows of the tables a, b, c and d by their keys, as text. A key begins with that of the parent.
type generations struct {
	t      *testing.T
	c      *pgx.Conn
	random *rand.Rand
	rows   [4]map[string]int
	// together is how many joins read both tables in one scan.
	together int
}

// The tables: their names, keys and parents.
var (
	generationNames = [4]string{"a", "b", "c", "d"}
	generationKeys  = [4]string{"p, k", "p, k, b", "p, k, b", "p, k, b, d"}
	generationAbove = [4]int{-1, 0, 0, 2}
)

// key is a random key of a table.
func (g *generations) key(of int) []string {
	r := g.random
	all := []string{fmt.Sprint(r.IntN(3)), fmt.Sprint(r.IntN(3)), "'" + []string{"", "x", "xy"}[r.IntN(3)] + "'",
		fmt.Sprint(r.IntN(3))}
	return all[:len(strings.Split(generationKeys[of], ","))]
}

// above is the key of a row's parent.
func above(of int, key string) (parent string, ok bool) {
	if of == 0 {
		return "", false
	}
	parts := strings.Split(key, ", ")
	return strings.Join(parts[:len(parts)-1], ", "), true
}

// fits says whether each row has its parent.
func fits(rows [4]map[string]int) bool {
	for of := range rows {
		for key := range rows[of] {
			parent, ok := above(of, key)
			if _, there := rows[max(generationAbove[of], 0)][parent]; ok && !there {
				return false
			}
		}
	}
	return true
}

// remove takes a row out of the maps, and what is deleted with it.
func remove(rows [4]map[string]int, of int, key string) {
	if _, there := rows[of][key]; !there {
		return
	}
	delete(rows[of], key)
	for below, cascade := range [4]bool{2: true, 3: true} {
		for child := range rows[below] {
			if parent, _ := above(below, child); cascade && generationAbove[below] == of && parent == key {
				remove(rows, below, child)
			}
		}
	}
}

// write sends a random statement, and wants it to succeed if the maps say so.
func (g *generations) write() {
	r := g.random
	of := r.IntN(4)
	name, names := generationNames[of], generationKeys[of]
	next := [4]map[string]int{}
	for i := range next {
		if next[i] = maps.Clone(g.rows[i]); next[i] == nil {
			next[i] = map[string]int{}
		}
	}
	parts, v := g.key(of), r.IntN(5)
	key := strings.Join(parts, ", ")
	sql, taken := "", false
	switch r.IntN(5) {
	case 0, 1:
		sql = fmt.Sprintf("INSERT INTO %s (%s, v) VALUES (%s, %d)", name, names, key, v)
		_, taken = next[of][key]
		next[of][key] = v
	case 2:
		sql = fmt.Sprintf("INSERT INTO %s (%s, v) VALUES (%s, %d) ON CONFLICT (%s) DO UPDATE SET v = excluded.v", name,
			names, key, v, names)
		next[of][key] = v
	case 3:
		sql = fmt.Sprintf("DELETE FROM %s WHERE (%s) = (%s)", name, names, key)
		remove(next, of, key)
	default:
		from := g.key(of)
		sql = fmt.Sprintf("UPDATE %s SET (%s, v) = (%s, %d) WHERE (%s) = (%s)", name, names, key, v, names,
			strings.Join(from, ", "))
		old := strings.Join(from, ", ")
		if _, there := next[of][old]; there {
			_, taken = next[of][key]
			taken = taken && old != key
			delete(next[of], old)
			next[of][key] = v
		}
	}
	_, err := g.c.Exec(g.t.Context(), sql)
	switch want := !taken && fits(next); {
	case want != (err == nil):
		g.t.Fatalf("%s: %v; the maps say %v", sql, err, want)
	case err == nil:
		g.rows = next
	case !strings.Contains(err.Error(), "23503") && !strings.Contains(err.Error(), "23505"):
		g.t.Fatalf("%s: %v", sql, err)
	}
}

// compare reads the tables whole, in ranges, and by their indexes.
func (g *generations) compare() {
	for of := range g.rows {
		cast := strings.ReplaceAll(generationKeys[of], "b", "quote_literal(b)")
		shown := "concat_ws(', ', " + cast + ") || ' = ' || v"
		p, v := g.random.IntN(3), g.random.IntN(5)
		for where, wanted := range map[string]func(string, int) bool{
			"true":                              func(string, int) bool { return true },
			fmt.Sprintf("p = %d", p):            func(key string, _ int) bool { return key[0] == byte('0'+p) },
			fmt.Sprintf("p = %d AND k <= 1", p): func(key string, _ int) bool { return key[0] == byte('0'+p) && key[3] <= '1' },
			fmt.Sprintf("v = %d", v):            func(_ string, has int) bool { return has == v },
			fmt.Sprintf("p = %d AND k = 1 AND v >= %d", p, v): func(key string, has int) bool {
				return key[0] == byte('0'+p) && key[3] == '1' && has >= v
			},
			fmt.Sprintf("v <= %d AND k >= 1", v): func(key string, has int) bool { return has <= v && key[3] >= '1' },
		} {
			want := []string{}
			for key, value := range g.rows[of] {
				if wanted(key, value) {
					want = append(want, fmt.Sprintf("%s = %d", key, value))
				}
			}
			slices.Sort(want)
			sql := fmt.Sprintf("SELECT %s FROM %s WHERE %s", shown, generationNames[of], where)
			rows, err := g.c.Query(g.t.Context(), sql)
			if err != nil {
				g.t.Fatal(err)
			}
			got, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if slices.Sort(got); err != nil || !slices.Equal(got, want) {
				g.t.Fatalf("%s: %v, %q, want %q", sql, err, got, want)
			}
		}
	}
}

// joinKind is a way to ask for the rows of a parent, o, with those of its child, i.
type joinKind struct {
	sql     string // with the columns of both, the names of both, what relates them, and a condition
	pairs   bool   // with the rows of the child
	partner bool   // for each row of the parent that has some
	alone   bool   // for each that has none
}

var joinsOfFamily = []joinKind{
	{sql: "SELECT %s || ' | ' || %s FROM %s AS o JOIN %s AS i ON %s AND %s", pairs: true},
	{sql: "SELECT %s || ' | ' || %s FROM %s AS o LEFT JOIN %s AS i ON %s AND %s", pairs: true, alone: true},
	{sql: "SELECT %s || ' | ' || %s FROM %[4]s AS i JOIN %[3]s AS o ON %[5]s WHERE %[6]s", pairs: true},
	{sql: "SELECT %s || ' | ' FROM %[3]s AS o WHERE EXISTS (SELECT FROM %[4]s AS i WHERE %[5]s AND %[6]s)", partner: true},
	{sql: "SELECT %s || ' | ' FROM %[3]s AS o WHERE NOT EXISTS (SELECT FROM %[4]s AS i WHERE %[5]s AND %[6]s)", alone: true},
}

// join joins a table with its parent in a random manner. The maps say which rows that has.
func (g *generations) join() {
	of, kind := 1+g.random.IntN(3), joinsOfFamily[g.random.IntN(len(joinsOfFamily))]
	parent := generationAbove[of]
	var on []string
	for _, k := range strings.Split(generationKeys[parent], ", ") {
		on = append(on, fmt.Sprintf("o.%[1]s = i.%[1]s", k))
	}
	cond, wanted := g.condition()
	sql := fmt.Sprintf(kind.sql, shownKey("o", parent), shownKey("i", of), generationNames[parent], generationNames[of],
		strings.Join(on, " AND "), cond)
	want := []string{}
	for key, v := range g.rows[parent] {
		some := false
		for below, has := range g.rows[of] {
			if of, _ := above(of, below); of != key || !wanted(key, v, has) {
				continue
			}
			if some = true; kind.pairs {
				want = append(want, key+" | "+below)
			}
		}
		if some && kind.partner || !some && kind.alone {
			want = append(want, key+" | ")
		}
	}
	slices.Sort(want)
	got := texts(g.t, g.c, sql)
	if slices.Sort(got); !slices.Equal(got, want) {
		g.t.Fatalf("%s: %q, want %q", sql, got, want)
	}
	for _, line := range texts(g.t, g.c, "EXPLAIN "+sql) {
		if strings.Contains(line, "Interleaved Scan") {
			g.together++
		}
	}
}

// shownKey is the key of a row as the maps have it.
func shownKey(table string, of int) string {
	keys := strings.Split(generationKeys[of], ", ")
	for i, k := range keys {
		if keys[i] = table + "." + k; k == "b" {
			keys[i] = "quote_literal(" + keys[i] + ")"
		}
	}
	return "concat_ws(', ', " + strings.Join(keys, ", ") + ")"
}

// condition is a random one on a row of a parent, o, and one of a child, i, with what it says of the key of the parent
// and the values of both.
func (g *generations) condition() (sql string, wanted func(key string, v, below int) bool) {
	p, v := g.random.IntN(3), g.random.IntN(5)
	is := func(key string) bool { return key[0] == byte('0'+p) }
	switch g.random.IntN(5) {
	case 0:
		return fmt.Sprintf("o.p = %d", p), func(key string, _, _ int) bool { return is(key) }
	case 1:
		return fmt.Sprintf("i.p = %d", p), func(key string, _, _ int) bool { return is(key) }
	case 2:
		return fmt.Sprintf("o.p = %d AND o.v < %d", p, v),
			func(key string, has, _ int) bool { return is(key) && has < v }
	case 3:
		return fmt.Sprintf("i.v <= %d AND o.v <> i.v", v),
			func(_ string, has, below int) bool { return below <= v && has != below }
	}
	return "true", func(string, int, int) bool { return true }
}

// TestCopyBehindParents copies rows of a child into DynamoDB, in parts, while their parents are deleted: none is left
// without its parent, and a part has no more items than a commit takes, with those of the parents.
func TestCopyBehindParents(t *testing.T) {
	db := openDB(t, onFake)
	c, other := db.connect(t), db.connect(t)
	must(t, c, "CREATE TABLE a (k int PRIMARY KEY)", "CREATE TABLE b (k int, b int, PRIMARY KEY (k, b)) WITH (interleave_in = 'a')")
	lines := func(from, to int, end string) io.Reader {
		var text strings.Builder
		for n := from; n < to; n++ {
			fmt.Fprintf(&text, "%d%s\n", n, end)
		}
		return strings.NewReader(text.String())
	}
	if _, err := c.PgConn().CopyFrom(t.Context(), lines(0, 1000, ""), "COPY a FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	tag, err := c.PgConn().CopyFrom(t.Context(), lines(0, 300, "\t0"), "COPY b FROM STDIN")
	if err != nil || tag.RowsAffected() != 300 {
		t.Fatalf("%s, %v", tag, err)
	}
	seed := testseed.Of(t)
	var deleting sync.WaitGroup
	deleting.Go(func() {
		r := rand.New(rand.NewPCG(seed, 1))
		for range 300 {
			k := r.IntN(3)
			_ = run(other, fmt.Sprintf("DELETE FROM b WHERE k = %d", k))
			code := codeOf(run(other, fmt.Sprintf("DELETE FROM a WHERE k = %d", k)))
			switch {
			case code == "<nil>":
				if rows := texts(t, other, fmt.Sprintf("SELECT b::text FROM b WHERE k = %d", k)); len(rows) > 0 {
					t.Errorf("rows %q have no parent %d", rows, k)
				}
				must(t, other, fmt.Sprintf("INSERT INTO a VALUES (%d)", k))
			case code != "23503" && code != "40001":
				t.Errorf("a delete: %s", code)
			}
		}
	})
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		_, err := c.PgConn().CopyFrom(t.Context(), lines(0, 3, fmt.Sprintf("\t%d", r.IntN(1e9))), "COPY b FROM STDIN")
		if code := codeOf(err); code != "<nil>" && code != "23503" && code != "40001" {
			t.Errorf("a COPY: %s", code)
		}
	}
	deleting.Wait()
}

// TestInterleavedLeftovers drops a table that lies behind another, and lets a process die that was to remove the rows
// of one: nothing of either is left in the space where they lie, and the rows of the others are.
func TestInterleavedLeftovers(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE a (k int PRIMARY KEY)", "CREATE TABLE b (k int, b int, PRIMARY KEY (k, b)) WITH (interleave_in = 'a')",
			"CREATE TABLE c (k int, c int, PRIMARY KEY (k, c)) WITH (interleave_in = 'a')",
			"CREATE TABLE d (k int, d int, PRIMARY KEY (k, d)) WITH (interleave_in = 'a')",
			"INSERT INTO a SELECT generate_series(1, 10)")
		for _, of := range []string{"b", "c", "d"} {
			must(t, c, fmt.Sprintf("INSERT INTO %s SELECT n, m FROM generate_series(1, 10) AS n, generate_series(1, 300) AS m", of))
		}
		must(t, c, "CREATE INDEX d_d ON d (k, d) WITH (interleave_in = 'a')", "REINDEX INDEX d_d", "DROP INDEX d_d")
		must(t, c, "DROP TABLE b", "BEGIN", "DROP TABLE c", "ROLLBACK", "TRUNCATE c", "INSERT INTO c VALUES (3, 7)")
		host, last := interleavedSpaces(t, s.store, "a", "d")
		if n := itemsIn(t, s.store, host); n != 10+1+3000 {
			t.Fatalf("%d items are left of 3011", n)
		}
		s.stop()
		err := store.InOwnTxn(t.Context(), s.store, func(txn store.Txn) error {
			return catalogstore.PutPendingDrop(txn, catalogstore.PendingDrop{Space: uint64(last.ID), Name: last.Name,
				Sorted: true, Host: last.Host})
		})
		if err != nil {
			t.Fatal(err)
		}
		serve(t, s.store, session.Options{})
		if n := itemsIn(t, s.store, host); n != 11 {
			t.Fatalf("%d items are left of 11", n)
		}
	})
}

// interleavedSpaces are the spaces of two tables, that of the host as if nothing else were in it.
func interleavedSpaces(t *testing.T, st store.Store, host, nested string) (of, in *store.Space) {
	t.Helper()
	txn, err := st.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	snap, err := catalogstore.Load(t.Context(), txn)
	if err != nil {
		t.Fatal(err)
	}
	of = snap.In(catalog.DatabaseID).Relation("public", host).(*catalog.Table).TableSpace()
	of.Host = nil
	return of, snap.In(catalog.DatabaseID).Relation("public", nested).(*catalog.Table).TableSpace()
}

func itemsIn(t *testing.T, st store.Store, s *store.Space) (n int) {
	t.Helper()
	txn, err := st.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	for batch, err := range txn.Scan(t.Context(), s, &store.Scan{Stats: &store.Stats{}}) {
		if err != nil {
			t.Fatal(err)
		}
		n += batch.Len()
	}
	return n
}
