package faults

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"zproxy/sqlerr"
)

// changes copies rows into a table while indexes, columns and constraints of every kind come and go, and the table is
// emptied or dropped and made anew. No index may miss a row or have one too many, no COPY loses rows that it has told
// of, and no row outlives its table.
type changes struct {
	mu    sync.Mutex
	next  int64
	tries []attempt
	wipes []wipe
}

// attempt is a COPY and when it ran, in ticks.
type attempt struct {
	load
	began, ended int64
}

// wipe is a TRUNCATE or DROP TABLE and when it ran, in ticks.
type wipe struct {
	began, ended int64
	sure         bool // else it is not known whether it happened
}

func newChanges(w *world) program {
	w.lease = 10 * time.Second // a change waits until others have renewed
	// requests go one at a time, and a change reads all rows: leases would end all the time
	w.slow = min(w.slow, 20*time.Millisecond)
	return &changes{next: 1}
}

func (p *changes) schema() []string { return []string{created} }

const created = "CREATE TABLE t (id int PRIMARY KEY, n int, g int)"

// ddl are the changes that are drawn; # is the number of the client.
var ddl = []string{
	"CREATE INDEX x# ON t (g)", "CREATE UNIQUE INDEX x# ON t (n)", "CREATE INDEX x# ON t (g) INCLUDE (n)",
	"CREATE INDEX x# ON t (n) WHERE g > 1", "CREATE INDEX x# ON t USING zorder (g, n)",
	"CREATE INDEX CONCURRENTLY x# ON t (g, n)",
	"CREATE UNIQUE INDEX x# ON t (n, g) ASYNC", "DROP INDEX IF EXISTS x#", "DROP INDEX CONCURRENTLY IF EXISTS x#",
	"REINDEX TABLE t",
	"ALTER TABLE t ADD COLUMN IF NOT EXISTS c# int DEFAULT 5", "ALTER TABLE t DROP COLUMN IF EXISTS c#",
	"ALTER TABLE t ADD CONSTRAINT u# UNIQUE (n)", "ALTER TABLE t DROP CONSTRAINT IF EXISTS u#",
	"ALTER TABLE t ADD CONSTRAINT k# CHECK (id > 0)", "ALTER TABLE t DROP CONSTRAINT IF EXISTS k#",
	"ALTER TABLE t ALTER g TYPE bigint", "ALTER TABLE t ALTER g TYPE int", "ALTER TABLE t ALTER n SET NOT NULL",
	"ALTER TABLE t ALTER n DROP NOT NULL",
	"ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (id)", "ALTER TABLE t ALTER g SET DEFAULT 3",
	"ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (g, id)", "ALTER TABLE t SET (shards = 3)",
	"ALTER TABLE t RESET (shards, heavy_keys)", "CREATE INDEX x# ON t (g) WITH (heavy_keys = '{\"1\": 3}')",
	"ALTER INDEX IF EXISTS x# SET (heavy_keys = '{\"2\": 3, \"3\": 2}')", "ALTER INDEX IF EXISTS x# RESET (heavy_keys)",
	"ALTER TABLE t SET (heavy_keys = '{\"1\": 3, \"2\": 2}')", "ALTER TABLE t SET (heavy_keys = '{\"4\": 5}')",
}

// maybe are errors of changes beside others, such as of an index that is there already, or that is being built or
// dropped, or of heavy keys of what is not the first column of a longer key.
var maybe = []sqlerr.Code{sqlerr.DuplicateTable, sqlerr.DuplicateObject, sqlerr.UndefinedObject,
	sqlerr.ObjectNotInPrerequisiteState, sqlerr.LockNotAvailable,
	sqlerr.FeatureNotSupported, sqlerr.ProgramLimitExceeded, sqlerr.InvalidParameterValue, sqlerr.ObjectInUse}

func (p *changes) step(c *client) {
	also := c.also
	switch k := c.IntN(16); {
	case k < 6:
		_ = p.load(c)
	case k < 8:
		_, _ = c.exec("UPDATE t SET g = g + 1 WHERE id = %d", 1+c.Int64N(200))
	case k < 10:
		_, _ = c.exec("SELECT id, n FROM t WHERE g = %d", c.IntN(5))
	case k < 11:
		c.also = append(c.also, maybe...)
		p.wipe(c)
	default:
		c.also = append(c.also, maybe...)
		_, _ = c.exec("%s", strings.ReplaceAll(drawn(c.Rand, ddl...), "#", fmt.Sprint(c.number)))
	}
	c.also = also
}

// wipe empties the table, or replaces it.
func (p *changes) wipe(c *client) {
	w := wipe{began: c.w.tick()}
	_, err := c.exec("%s", drawn(c.Rand, "TRUNCATE t", "DROP TABLE t; "+created))
	if err != nil && codeOf(err) != unknown {
		return
	}
	w.ended, w.sure = c.w.tick(), err == nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipes = append(p.wipes, w)
}

func (p *changes) load(c *client) error {
	in := attempt{load: load{rows: 1 + c.Int64N([]int64{10, 40, 250}[c.IntN(3)])}, began: c.w.tick()}
	p.mu.Lock()
	in.first = p.next
	p.next += in.rows
	p.mu.Unlock()
	c.copied = in.lines()
	_, err := c.exec("COPY t (id, n, g) FROM STDIN")
	in.there, in.exact = written(err, in.rows)
	in.ended = c.w.tick()
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
	found := ids(a)
	for _, in := range p.tries {
		if there, want := in.among(found), p.wiped(in); there < want.there || want.exact && there != want.there {
			c.w.Errorf("-seed %d: %s: %d rows are there of %+v, want %+v", c.w.seed, c.name, there, in, want)
		}
	}
}

// wiped is how many rows of a COPY must be there behind all wipes.
func (p *changes) wiped(in attempt) load {
	out := in.load
	for _, w := range p.wipes {
		switch {
		case w.sure && in.exact && w.began > in.ended:
			return load{rows: in.rows, exact: true}
		case w.sure && w.ended < in.began: // long done
		default:
			out.there, out.exact = 0, false
		}
	}
	return out
}

func (p *changes) judge(*world) {}
