package faults

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"zproxy/sqlerr"
)

// loads copies rows into a table while others read it, at times as it was a moment ago. All rows of a COPY that was
// acknowledged are there, of one that failed as many as it says, each as it was written, and with its entries.
type loads struct {
	options string

	mu    sync.Mutex
	next  int64
	tries []load
}

// load is a COPY: its first row, how many it has, and how many of them are there, at least or exactly.
type load struct {
	first, rows, there int64
	exact              bool
}

// lines are the rows of a COPY in its text format: id, n and g.
func (in load) lines() string {
	var out strings.Builder
	for i := range in.rows {
		id := in.first + i
		fmt.Fprintf(&out, "%d\t%d\t%d\n", id, 7*id, id%5)
	}
	return out.String()
}

// ids are the first columns of rows. A row that is there twice hides none that is missing.
func ids(a answer) map[int64]bool {
	found := map[int64]bool{}
	for _, row := range a.rows {
		found[row[0]] = true
	}
	return found
}

// among counts the rows of a COPY that were found.
func (in load) among(found map[int64]bool) (n int64) {
	for i := range in.rows {
		if found[in.first+i] {
			n++
		}
	}
	return n
}

func newLoads(w *world) program {
	class := drawn(w.Rand, "IMMUTABLE", "IMMUTABLE_ROWS", "MUTABLE_LATEST")
	return &loads{options: " WITH (mutability = '" + class + "'" + drawn(w.Rand, "", ", shards = 3") + ")", next: 1}
}

func (l *loads) schema() []string {
	return []string{"CREATE TABLE l (id int PRIMARY KEY, n int, g int)" + l.options, "CREATE INDEX l_g ON l (g)",
		"CREATE INDEX l_n ON l (n) INCLUDE (g)"}
}

func (l *loads) step(c *client) {
	if c.IntN(3) > 0 {
		l.look(c)
		return
	}
	_ = l.load(c)
}

func (l *loads) load(c *client) error {
	in := load{rows: 1 + c.Int64N([]int64{10, 40, 150}[c.IntN(3)])} // more than 100 are parts
	l.mu.Lock()
	in.first = l.next
	l.next += in.rows
	l.mu.Unlock()
	c.copied = in.lines()
	_, err := c.exec("COPY l FROM STDIN")
	in.there, in.exact = written(err, in.rows)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries = append(l.tries, in)
	return err
}

// written is how many of so many rows a COPY has written, or at least when that is not exact.
func written(err error, rows int64) (n int64, exact bool) {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return rows, err == nil
	}
	for line := range strings.Lines(e.Detail) {
		if found, _ := fmt.Sscanf(line, "At least %d rows were written.", &n); found == 1 {
			return n, false
		}
		if found, _ := fmt.Sscanf(line, "%d rows were written.", &n); found == 1 {
			return n, e.Code != unknown
		}
	}
	return 0, e.Code != unknown
}

// look reads rows, each of which must be as it was written.
func (l *loads) look(c *client) {
	if _, err := c.exec("SET zproxy.read_consistency = '%s'", drawn(c.Rand, "strong", "eventual")); err != nil {
		return
	}
	g := c.IntN(5)
	a, err := c.exec(drawn(c.Rand, "SELECT id, n, g FROM l WHERE g = %d",
		"SELECT id, n, g FROM l WHERE n > 0 AND n < 2000 AND g = %d"), g)
	if err != nil || c.w.garbage {
		return
	}
	for _, row := range a.rows {
		if row[1] != 7*row[0] || row[2] != int64(g) {
			c.w.Errorf("-seed %d: %s: no client has written the row %v", c.w.seed, c.name, row)
		}
	}
}

func (l *loads) converged(c *client) {
	if err := l.load(c); err != nil {
		c.w.Errorf("-seed %d: %s: no COPY without faults: %v", c.w.seed, c.name, err)
	}
}

func (l *loads) check(c *client) {
	if _, err := c.exec("SET zproxy.read_consistency = 'strong'"); err != nil {
		c.w.Errorf("-seed %d: %s: %v", c.w.seed, c.name, err)
	}
	for _, sql := range []string{
		"SELECT id FROM l", "SELECT /*+ USE_INDEX(l, l_g) */ id FROM l WHERE g >= 0", "SELECT /*+ USE_INDEX(l, l_n) */ id FROM l WHERE n >= 0",
	} {
		a, err := c.exec("%s", sql)
		if err != nil {
			c.w.Errorf("-seed %d: %s: %s: %v", c.w.seed, c.name, sql, err)
		}
		found := ids(a)
		for _, in := range l.tries {
			if there := in.among(found); there < in.there || in.exact && there != in.there {
				c.w.Errorf("-seed %d: %s: %s: %d rows are there of %+v", c.w.seed, c.name, sql, there, in)
			}
		}
	}
}

func (l *loads) judge(*world) {}
