package levels

import (
	"fmt"
	"strings"

	"zproxy/internal/anomaly"
)

// reading is a query and what it tells.
type reading struct {
	sql  string // its columns are pairs of a key and a list
	args []any
	// covers are the lists that it reads, those that are not there, too.
	covers    []list
	predicate bool // it selects lists by a condition
	below     int  // lists that are there have at least so many values if they are selected
	locks     bool // rows, so that it may read newer ones than its snapshot has: what is not there tells nothing
}

// list is that of an id in a table.
type list struct {
	table string
	id    int
}

func (l list) key() string { return key(l.table, l.id) }

// read draws a query and asks it.
func (c *client) read() error { return c.ask(c.draw()) }

// ask runs a query, and notes what it told.
func (c *client) ask(r reading) error {
	rows, err := c.query(r.sql, r.args...)
	if err != nil {
		return err
	}
	return c.note(r, rows)
}

// note adds to the transaction what a query told of each list that it covers.
func (c *client) note(r reading, rows [][]*string) error {
	found := map[string][][]int{}
	for _, row := range rows {
		for i := 0; i+1 < len(row); i += 2 {
			if row[i] == nil || row[i+1] == nil {
				continue
			}
			values, err := valuesOf(*row[i+1])
			if err != nil {
				return err
			}
			if len(found[*row[i]]) > 0 && c.atomic {
				return fmt.Errorf("%s: %s is there twice", r.sql, *row[i])
			}
			found[*row[i]] = append(found[*row[i]], values)
		}
	}
	for _, l := range r.covers {
		op := anomaly.Op{Key: l.key(), Predicate: r.predicate}
		lists := found[l.key()]
		delete(found, l.key())
		for _, values := range lists {
			if len(values) < r.below {
				return fmt.Errorf("%s: %s is %v", r.sql, l.key(), values)
			}
			op.List = values
			c.at.Ops = append(c.at.Ops, op)
		}
		switch {
		case len(lists) > 0 || r.locks || !c.atomic:
			continue
		case r.below > 0:
			op.Action, op.Value = anomaly.Below, r.below
		default:
			op.Gone = ends(l.id)
		}
		c.at.Ops = append(c.at.Ops, op)
	}
	for k, lists := range found {
		return fmt.Errorf("%s: %s is there, %v, and was not asked for", r.sql, k, lists)
	}
	return nil
}

// within are the lists of ids from low to high in a table that some is true for.
func within(table string, low, high int, some func(id int) bool) (out []list) {
	for id := low; id <= high; id++ {
		if some(id) {
			out = append(out, list{table, id})
		}
	}
	return out
}

func all(int) bool { return true }

// rangeOfIDs draws one in the window.
func (c *client) rangeOfIDs() (low, high int) {
	low = c.first + c.IntN(window)
	return low, min(low+c.IntN(window), c.first+window-1)
}

// draw makes a query of one of the kinds that there are: by key, by several keys, by ranges of each kind of index, as
// aggregates, as joins, with locks.
func (c *client) draw() reading {
	table := tables[c.IntN(2)]
	columns := fmt.Sprintf("'%s' || id, v FROM %s", table, table)
	low, high := c.rangeOfIDs()
	inRange := []any{low, high}
	switch c.IntN(10) {
	case 0:
		return reading{sql: "SELECT " + columns + " WHERE id = $1", args: []any{low}, covers: []list{{table, low}}}
	case 1:
		if !c.readOnly {
			return c.locking(table)
		}
		fallthrough
	case 2:
		return reading{sql: "SELECT " + columns + " WHERE id IN ($1, $2)", args: inRange,
			covers: within(table, low, high, func(id int) bool { return id == low || id == high })}
	case 3:
		return reading{sql: "SELECT " + columns + " WHERE id BETWEEN $1 AND $2", args: inRange, predicate: true,
			covers: within(table, low, high, all)}
	case 4:
		return c.byValue(table, columns)
	case 5:
		return reading{sql: "SELECT /*+ USE_INDEX(a, a_z) */ 'a' || id, v FROM a WHERE id BETWEEN $1 AND $2 AND val BETWEEN 3 AND 17",
			args: inRange, predicate: true,
			covers: within("a", low, high, func(id int) bool { return 3 <= valOf(id) && valOf(id) <= 17 })}
	case 6:
		most := 1 + c.IntN(4)
		return reading{sql: "SELECT /*+ USE_INDEX(a, a_n) */ 'a' || id, v FROM a WHERE n >= $3 AND id BETWEEN $1 AND $2",
			args: append(inRange, most), predicate: true, below: most, covers: within("a", low, high, all)}
	case 7:
		return reading{sql: "SELECT " + aggregated(c.IntN(2) == 0, table), args: inRange, predicate: true,
			covers: within(table, low, high, all)}
	case 8:
		return reading{sql: "SELECT 'a' || id, v FROM a WHERE id BETWEEN $1 AND $2 UNION ALL " +
			"SELECT 'b' || id, v FROM b WHERE val % 3 = 0 AND id BETWEEN $1 AND $2", args: inRange, predicate: true,
			covers: append(within("a", low, high, all),
				within("b", low, high, func(id int) bool { return valOf(id)%3 == 0 })...)}
	default:
		// What an outer join tells of b it tells of all ids: they come from a list of their own.
		return reading{sql: "SELECT 'a' || a.id, a.v, 'b' || b.id, b.v FROM generate_series($1::int, $2::int) AS g(id) " +
			"LEFT JOIN a ON a.id = g.id LEFT JOIN b ON b.id = g.id", args: inRange, predicate: true,
			covers: append(within("a", low, high, all), within("b", low, high, all)...)}
	}
}

// aggregated is a query with an aggregate: of each row alone, or of all rows, which are taken apart again.
func aggregated(alone bool, table string) string {
	if alone {
		return fmt.Sprintf("'%s' || id, max(v) FROM %s WHERE id BETWEEN $1 AND $2 GROUP BY id", table, table)
	}
	return fmt.Sprintf("split_part(x, '=', 1), split_part(x, '=', 2) FROM (SELECT unnest(string_to_array("+
		"string_agg('%s' || id || '=' || v, ' ' ORDER BY v), ' ')) FROM %s WHERE id BETWEEN $1 AND $2 HAVING count(*) > 0) AS s(x)",
		table, table)
}

// byValue reads by the index of another column than the key, some of all ids.
func (c *client) byValue(table, columns string) reading {
	val := c.IntN(20)
	hint := fmt.Sprintf("/*+ USE_INDEX(%s, %s_val) */ ", table, table)
	return reading{sql: "SELECT " + hint + columns + " WHERE val IN ($1, $2) AND id BETWEEN $3 AND $4",
		args: []any{val, (val + 7) % 20, c.first, c.first + window - 1}, predicate: true,
		covers: within(table, c.first, c.first+window-1, func(id int) bool {
			return valOf(id) == val || valOf(id) == (val+7)%20
		})}
}

var lockClauses = []string{"FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE"}

// locking reads one row or several, and locks them.
func (c *client) locking(table string) reading {
	low, high := c.rangeOfIDs()
	if c.IntN(2) == 0 {
		high = low
	}
	clause := lockClauses[c.IntN(len(lockClauses))]
	switch c.IntN(6) {
	case 0:
		clause += " NOWAIT"
	case 1:
		clause += " SKIP LOCKED"
	}
	return reading{sql: fmt.Sprintf("SELECT '%s' || id, v FROM %s WHERE id BETWEEN $1 AND $2 ORDER BY id %s", table, table,
		clause), args: []any{low, high}, covers: within(table, low, high, all), locks: true}
}

// everything reads all lists of the tables up to an id.
func everything(last int) reading {
	parts := make([]string, 0, len(tables))
	r := reading{}
	for _, table := range tables {
		parts = append(parts, fmt.Sprintf("SELECT '%s' || id, v FROM %s", table, table))
		r.covers = append(r.covers, within(table, 0, last, all)...)
	}
	r.sql = strings.Join(parts, " UNION ALL ")
	return r
}
