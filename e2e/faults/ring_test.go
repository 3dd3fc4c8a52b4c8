package faults

import (
	"fmt"
	"strings"

	"zproxy/sqlerr"
)

// ring is a cycle of rows, each of which points to the next one. Transactions splice it, and it stays one cycle, be it
// by a foreign key, too.
type ring struct {
	options string
	replace bool // rows are not updated but deleted and inserted again
	lock    bool // rows are read FOR UPDATE, not compared when they are written
	unique  string
	refers  string
}

const ringSize, ringMost = 6, 12

func newRing(w *world) program {
	r := &ring{lock: w.IntN(2) == 0, replace: w.IntN(2) == 0}
	class := "MUTABLE_LATEST"
	if r.replace {
		class = drawn(w.Rand, "IMMUTABLE_ROWS", class)
		r.unique = drawn(w.Rand, "UNIQUE ", "")
	}
	r.refers = drawn(w.Rand, " REFERENCES ring DEFERRABLE INITIALLY DEFERRED", "")
	r.options = " WITH (mutability = '" + class + "'" + drawn(w.Rand, "", ", shards = 3") + ")"
	return r
}

func (r *ring) schema() []string {
	var rows []string
	for i := range ringSize {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i, (i+1)%ringSize))
	}
	return []string{"CREATE TABLE ring (id int PRIMARY KEY, next int" + r.refers + ")" + r.options,
		"CREATE " + r.unique + "INDEX ring_next ON ring (next)", "INSERT INTO ring VALUES " + strings.Join(rows, ", ")}
}

func (r *ring) judge(*world) {}

// step splices. A check of a foreign key sees what others commit meanwhile, so that it may fail where the commit would.
func (r *ring) step(c *client) {
	also := c.also
	defer func() { c.also = also }()
	if r.refers != "" {
		c.also = append(c.also, sqlerr.ForeignKeyViolation)
	}
	_, _ = r.splice(c)
}

func (r *ring) converged(c *client) {
	if _, err := r.splice(c); err != nil {
		c.w.Errorf("-seed %d: %s: no splice without faults: %v", c.w.seed, c.name, err)
	}
}

// splice swaps two rows, takes one out or puts one in.
func (r *ring) splice(c *client) (bool, error) {
	what, a, fresh := c.IntN(4), c.Int64N(ringMost), c.Int64N(ringMost)
	return c.atomically("BEGIN", func() (bool, error) {
		path := []int64{a}
		for len(path) < 4 {
			next, err := r.after(c, path[len(path)-1])
			if err != nil || next < 0 || next == a {
				return false, err
			}
			path = append(path, next)
		}
		b, x, y := path[1], path[2], path[3]
		switch what {
		case 0: // without b
			return r.write(c, [][3]int64{{a, b, x}, {b, x, null}})
		case 1: // with a fresh one
			return r.write(c, [][3]int64{{a, b, fresh}, {fresh, null, b}})
		}
		return r.write(c, [][3]int64{{a, b, x}, {x, y, b}, {b, x, y}})
	})
}

// after is the next row of one, -1 if that is not there.
func (r *ring) after(c *client, id int64) (int64, error) {
	sql := "SELECT next FROM ring WHERE id = %d"
	if r.lock {
		sql += " FOR UPDATE"
	}
	a, err := c.exec(sql, id)
	if err != nil || len(a.rows) == 0 {
		return -1, err
	}
	return a.rows[0][0], nil
}

// write gives rows another next one. Each is its id, the one before, and the one to be; null is for no row.
func (r *ring) write(c *client, rows [][3]int64) (bool, error) {
	was := func(row [3]int64) string {
		if r.lock {
			return ""
		}
		return fmt.Sprintf(" AND next = %d", row[1])
	}
	for _, row := range rows {
		if row[1] == null || !r.replace && row[2] != null {
			continue
		}
		if a, err := c.exec("DELETE FROM ring WHERE id = %d%s", row[0], was(row)); err != nil || a.count != 1 {
			return false, err
		}
	}
	for _, row := range rows {
		switch {
		case row[2] == null:
		case row[1] == null || r.replace:
			if _, err := c.exec("INSERT INTO ring VALUES (%d, %d)", row[0], row[2]); err != nil {
				return false, ignore(err, duplicate)
			}
		default:
			if a, err := c.exec("UPDATE ring SET next = %d WHERE id = %d%s", row[2], row[0], was(row)); err != nil ||
				a.count != 1 {
				return false, err
			}
		}
	}
	return true, nil
}

func (r *ring) check(c *client) {
	for _, sql := range []string{"SELECT id, next FROM ring",
		"SELECT /*+ USE_INDEX(ring, ring_next) */ id, next FROM ring WHERE next >= 0"} {
		a, err := c.exec("%s", sql)
		next := map[int64]int64{}
		for _, row := range a.rows {
			next[row[0]] = row[1]
		}
		seen, at := 0, int64(-1)
		for id := range next {
			at = max(at, id)
		}
		for first := at; seen <= len(next); {
			seen++
			if at = next[at]; at == first {
				break
			}
		}
		if err != nil || seen != len(next) || len(next) != len(a.rows) || len(next) < 2 {
			c.w.Errorf("-seed %d: %s: %s: not one cycle: %v %v", c.w.seed, c.name, sql, a.rows, err)
		}
	}
}
