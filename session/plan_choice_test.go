package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/session/settings"
	"zproxy/store/memstore"
	"zproxy/types"
)

// ids is a client that notes the first column.
type ids struct {
	silent
	got []int64
}

func (c *ids) Rows(_ *Portal, b *types.Batch) error {
	for i := range b.Len() {
		c.got = append(c.got, b.Row(i)[0].Int())
	}
	return nil
}

// regionSession has a table that is read by a box or by a prefix, as the values are, and a statement
// that reads it.
func regionSession(tb testing.TB) *Session {
	db, err := Open(tb.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	err = s.Query(tb.Context(), `CREATE TABLE p (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL);
		INSERT INTO p SELECT i, i * 7919 % 3000, i * 1471 % 3000, i * 1979 % 3000 FROM generate_series(1, 3000) AS i;
		CREATE INDEX p_abc ON p (a, b, c);
		CREATE INDEX p_z ON p USING zorder (a, b, c);
		ANALYZE p`, &silent{})
	if err == nil {
		err = s.Prepare(tb.Context(), "s",
			"SELECT id FROM p WHERE a BETWEEN $1 AND $2 AND b BETWEEN $3 AND $4 AND c BETWEEN $5 AND $6",
			slices.Repeat([]types.OID{types.OIDInt4}, 6))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// bindRegion makes a portal for some values.
func bindRegion(tb testing.TB, s *Session, name string, values []int64) *Portal {
	tb.Helper()
	st, err := s.Statement("s")
	if err != nil {
		tb.Fatal(err)
	}
	params := make([]types.Value, len(values))
	for i, v := range values {
		params[i] = types.NewInt(v)
	}
	if err := s.Bind(tb.Context(), name, Binding{Statement: st, Params: params}); err != nil {
		tb.Fatal(err)
	}
	p, err := s.Portal(name)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

var (
	cube = []int64{500, 1500, 500, 1500, 500, 1500} // is read by a box
	flat = []int64{500, 520, 0, 2900, 0, 2900}      // by a prefix
)

// TestPortalsKeepTheirPaths reads two portals of one statement in turns, of which each has the path
// for its own values, also while the other one begins.
func TestPortalsKeepTheirPaths(t *testing.T) {
	s := regionSession(t)
	run := func(p *Portal, rows int) []int64 {
		c := &ids{}
		if err := s.Execute(t.Context(), p, Ask{MaxRows: rows}, c); err != nil {
			t.Fatal(err)
		}
		return c.got
	}
	var whole [2][]int64
	for i, values := range [][]int64{cube, flat} {
		whole[i] = run(bindRegion(t, s, "", values), 0)
	}
	var pieces [2][]int64
	portals := []*Portal{bindRegion(t, s, "cube", cube), bindRegion(t, s, "flat", flat)}
	for range 1 + max(len(whole[0]), len(whole[1]))/3 {
		for i, p := range portals {
			if len(pieces[i]) < len(whole[i]) {
				pieces[i] = append(pieces[i], run(p, 3)...)
			}
		}
	}
	for i := range whole {
		if len(whole[i]) == 0 || !slices.Equal(whole[i], pieces[i]) {
			t.Errorf("region %d: %v in pieces, %v at once", i, pieces[i], whole[i])
		}
	}
}

// BenchmarkChoosePlan is how long it takes until it is known how a region is read.
func BenchmarkChoosePlan(b *testing.B) {
	s := regionSession(b)
	for name, values := range map[string][]int64{"cube": cube, "flat": flat} {
		b.Run(name, func(b *testing.B) {
			p := bindRegion(b, s, "", values)
			known := s.reach.context(b.Context(), p.params)
			b.ReportAllocs()
			for b.Loop() {
				s.admission.planFor(p.statement, known, false)
			}
		})
	}
}

// TestPreparedReadsAsConstants wants a prepared statement to read what it reads with its values as constants, also
// where only the values tell whether the partitions of an interval can be named.
func TestPreparedReadsAsConstants(t *testing.T) {
	dice := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, unordered := range []bool{false, true} {
		db, err := Open(t.Context(), memstore.New(memstore.Options{Unordered: unordered}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := connect(t, db, "joe")
		answer(t, s, `CREATE TABLE r (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL);
			INSERT INTO r SELECT i, i * 7919 % 3000, i * 1471 % 3000, i * 1979 % 3000 FROM generate_series(1, 3000) AS i;
			CREATE INDEX r_abc ON r (a, b, c); CREATE INDEX r_z ON r USING zorder (a, b, c); CREATE INDEX r_c ON r (c, b)`)
		for _, analyzed := range []string{"", "ANALYZE r"} {
			answer(t, s, analyzed)
			for range 100 {
				columns := []string{"a", "b", "c", "id"}[dice.IntN(3):]
				var conds, generic, values, types []string
				for i, c := range columns {
					low := dice.IntN(3000)
					high := low + 1<<dice.IntN(12)
					conds = append(conds, fmt.Sprintf("%s BETWEEN %d AND %d", c, low, high))
					generic = append(generic, fmt.Sprintf("%s BETWEEN $%d AND $%d", c, 2*i+1, 2*i+2))
					values = append(values, fmt.Sprint(low), fmt.Sprint(high))
					types = append(types, "int", "int")
				}
				const query = "SELECT count(*) FROM r WHERE "
				want, _ := inCacheMode(t, s, settings.CacheOff, query+strings.Join(conds, " AND "), false)
				answer(t, s, fmt.Sprintf("PREPARE p (%s) AS %s%s", strings.Join(types, ", "), query,
					strings.Join(generic, " AND ")))
				got, _ := inCacheMode(t, s, settings.CacheOff, "EXECUTE p ("+strings.Join(values, ", ")+")", false)
				answer(t, s, "DEALLOCATE p")
				if !slices.Equal(got, want) {
					t.Errorf("unordered %v, %s %s: %q, want %q", unordered, analyzed, conds, got, want)
				}
			}
		}
	}
}
