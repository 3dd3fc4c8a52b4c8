package session

import (
	"fmt"
	"slices"
)

// compare reads the table in several ways.
func (m *lives) compare() {
	m.t.Helper()
	m.expire()
	v, u := m.IntN(8), m.IntN(12)
	for query, passes := range map[string]func(lived) bool{
		"SELECT id, u, v FROM t":                              func(lived) bool { return true },
		fmt.Sprintf("SELECT id, u, v FROM t WHERE v = %d", v): func(r lived) bool { return r.v == v },
		fmt.Sprintf("SELECT id, u, v FROM t WHERE u = %d", u): func(r lived) bool { return r.u == u },
		fmt.Sprintf("SELECT id, u, v FROM t WHERE id IN (%d, %d)", u,
			v): func(r lived) bool { return r.id == u || r.id == v },
		"SELECT /*+ USE_INDEX(t, part) */ id, u, v FROM t WHERE v > 3": func(r lived) bool { return r.v > 3 },
		"SELECT /*+ USE_INDEX(t, by_v) */ id, u, v FROM t":             func(lived) bool { return true },
		"SELECT /*+ USE_INDEX(t, more) */ id, u, v FROM t":             func(lived) bool { return true },
		fmt.Sprintf("SELECT id, u, v FROM t WHERE v = %d OR u = %d", v, u): func(r lived) bool {
			return r.v == v ||
				r.u == u
		},
		"SELECT a.id, b.u, a.v FROM t AS a JOIN t AS b USING (id)":              func(lived) bool { return true },
		"SELECT id, u, v FROM t AS a WHERE id IN (SELECT id FROM t ORDER BY v)": func(lived) bool { return true },
	} {
		var want []string
		for _, r := range m.rows {
			if passes(r) {
				want = append(want, fmt.Sprintf("%d %s %d", r.id, orNullText(r.u), r.v))
			}
		}
		got := answer(m.t, m.s, query)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			m.t.Fatalf("%s at %v:\n%v, want\n%v", query, m.clock.now(), got, want)
		}
	}
	m.compareEnds()
	if wrong := answer(m.t, m.s, "SELECT * FROM zproxy.check_index('t')"); wrong != nil {
		m.t.Fatalf("the indexes are wrong: %v", wrong)
	}
}

// compareEnds asks for what only the first and the last rows of an index tell.
func (m *lives) compareEnds() {
	m.t.Helper()
	var ids, us []int
	for _, r := range m.rows {
		if ids = append(ids, r.id); r.u >= 0 {
			us = append(us, r.u)
		}
	}
	slices.Sort(ids)
	slices.Sort(us)
	end := func(list []int, last bool) string {
		switch {
		case len(list) == 0:
			return "NULL"
		case last:
			return fmt.Sprint(list[len(list)-1])
		}
		return fmt.Sprint(list[0])
	}
	want := fmt.Sprint(end(ids, false), " ", end(ids, true), " ", end(us, false), " ", end(us, true))
	if got := answer(m.t, m.s, "SELECT min(id), max(id), min(u), max(u) FROM t"); got[0] != want {
		m.t.Fatalf("the ends are %v, want %s", got, want)
	}
	if got := answer(m.t, m.s, "SELECT count(*) FROM t"); got[0] != fmt.Sprint(len(ids)) {
		m.t.Fatalf("%v rows, want %d", got, len(ids))
	}
	if got := answer(m.t, m.s, "SELECT id FROM t ORDER BY id DESC LIMIT 2"); len(got) != min(len(ids), 2) ||
		len(got) > 0 && got[0] != end(ids, true) {
		m.t.Fatalf("the last rows are %v of %v", got, ids)
	}
}
