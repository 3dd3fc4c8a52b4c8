package faults

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"zproxy/sqlerr"
)

// changes copies rows into a table while indexes, columns and constraints of every kind come and go, by servers that
// are cut off at times. No index may miss a row or have one too many, and no COPY loses rows that it has told of.
type changes struct {
	mu    sync.Mutex
	next  int64
	tries []load
}

func newChanges(w *world) program {
	w.lease = 10 * time.Second                // a change waits until others have renewed
	w.slow = min(w.slow, 20*time.Millisecond) // requests go one at a time, and a change reads all rows: leases would end all the time
	return &changes{next: 1}
}

func (p *changes) schema() []string {
	return []string{"CREATE TABLE t (id int PRIMARY KEY, n int, g int)"}
}

// ddl are the changes that are drawn; # is the number of the client.
var ddl = []string{
	"CREATE INDEX x# ON t (g)", "CREATE UNIQUE INDEX x# ON t (n)", "CREATE INDEX x# ON t (g) INCLUDE (n)",
	"CREATE INDEX x# ON t (n) WHERE g > 1", "CREATE INDEX x# ON t USING zorder (g, n)", "CREATE INDEX CONCURRENTLY x# ON t (g, n)",
	"CREATE UNIQUE INDEX x# ON t (n, g) ASYNC", "DROP INDEX IF EXISTS x#", "DROP INDEX CONCURRENTLY IF EXISTS x#", "REINDEX TABLE t",
	"ALTER TABLE t ADD COLUMN IF NOT EXISTS c# int DEFAULT 5", "ALTER TABLE t DROP COLUMN IF EXISTS c#",
	"ALTER TABLE t ADD CONSTRAINT u# UNIQUE (n)", "ALTER TABLE t DROP CONSTRAINT IF EXISTS u#",
	"ALTER TABLE t ADD CONSTRAINT k# CHECK (id > 0)", "ALTER TABLE t DROP CONSTRAINT IF EXISTS k#",
	"ALTER TABLE t ALTER g TYPE bigint", "ALTER TABLE t ALTER g TYPE int", "ALTER TABLE t ALTER n SET NOT NULL", "ALTER TABLE t ALTER n DROP NOT NULL",
	"ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (id)", "ALTER TABLE t ALTER g SET DEFAULT 3",
}

// maybe are errors of changes beside others, such as of an index that is there already, or that is being built or dropped.
var maybe = []sqlerr.Code{sqlerr.DuplicateTable, sqlerr.DuplicateObject, sqlerr.UndefinedObject, sqlerr.ObjectNotInPrerequisiteState, sqlerr.LockNotAvailable,
	sqlerr.FeatureNotSupported, sqlerr.ProgramLimitExceeded}

func (p *changes) step(c *client) {
	switch k := c.IntN(8); {
	case k < 3:
		_ = p.load(c)
	case k < 4:
		_, _ = c.exec("UPDATE t SET g = g + 1 WHERE id = %d", 1+c.Int64N(200))
	case k < 5:
		_, _ = c.exec("SELECT id, n FROM t WHERE g = %d", c.IntN(5))
	default:
		c.also = maybe
		_, _ = c.exec("%s", strings.ReplaceAll(drawn(c.Rand, ddl...), "#", fmt.Sprint(c.number)))
		c.also = nil
	}
}

func (p *changes) load(c *client) error {
	in := load{rows: 1 + c.Int64N([]int64{10, 40, 250}[c.IntN(3)])}
	p.mu.Lock()
	in.first = p.next
	p.next += in.rows
	p.mu.Unlock()
	var data strings.Builder
	for i := range in.rows {
		fmt.Fprintf(&data, "%d\t%d\t%d\n", in.first+i, 7*(in.first+i), (in.first+i)%5)
	}
	c.copied = data.String()
	_, err := c.exec("COPY t (id, n, g) FROM STDIN")
	in.there, in.exact = written(err, in.rows)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries = append(p.tries, in)
	return err
}

func (p *changes) converged(c *client) {
	time.Sleep(2 * time.Minute) // what others had begun is ended, or taken over
	if err := p.load(c); err != nil {
		c.w.Errorf("-seed %d: %s: no COPY without faults: %v", c.w.seed, c.name, err)
	}
}

func (p *changes) check(c *client) {
	time.Sleep(time.Minute)
	a, err := c.exec("SELECT id FROM t")
	if err != nil {
		c.w.Errorf("-seed %d: %s: %v", c.w.seed, c.name, err)
	}
	found := map[int64]bool{}
	for _, row := range a.rows {
		found[row[0]] = true
	}
	for _, in := range p.tries {
		there := int64(0)
		for i := range in.rows {
			if found[in.first+i] {
				there++
			}
		}
		if there < in.there || in.exact && there != in.there {
			c.w.Errorf("-seed %d: %s: %d rows are there of %+v", c.w.seed, c.name, there, in)
		}
	}
}

func (p *changes) judge(*world) {}
