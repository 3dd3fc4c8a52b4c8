package faults

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"zproxy/sqlerr"
)

// shapes changes a table while rows are written to it: columns come and go, indexes are built and dropped, and rows
// move to other keys. A change and what else its transaction did are both there or neither is; rows that were
// acknowledged stay, all money stays in the world, and no index misses a row.
type shapes struct {
	options string

	mu   sync.Mutex
	next int64
	rows map[int64]bool // the rows by their numbers that are surely there, or surely not

	indexes        map[int]bool // whether there is an index of a client
	unknownOutcome map[int]bool // or it does not know
}

const (
	purses = 6    // rows that money moves between, which stay
	pairs  = 1000 // and with the number of a client the row that is there if a column of its own is
)

func newShapes(w *world) program {
	w.lease = 10 * time.Second // a change waits until others have renewed
	return &shapes{
		options: drawn(w.Rand, "", " WITH (shards = 3)", " WITH (mutability = 'MUTABLE_LATEST')"),
		next:    100, rows: map[int64]bool{}, indexes: map[int]bool{}, unknownOutcome: map[int]bool{},
	}
}

func (s *shapes) schema() []string {
	out := []string{"CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, g int NOT NULL)" + s.options}
	for i := range int64(purses) {
		out = append(out, fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d)", i, begins, i%3))
		s.rows[i] = true
	}
	return out
}

func (s *shapes) step(c *client) {
	switch c.IntN(12) {
	case 0, 1, 2:
		_, _ = s.transfer(c)
	case 3, 4:
		_ = s.insert(c)
	case 5:
		s.remove(c)
	case 6, 7:
		s.look(c)
	case 8, 9:
		s.column(c)
	case 10:
		s.index(c)
	default:
		s.rekey(c)
	}
}

func (s *shapes) insert(c *client) error {
	s.mu.Lock()
	s.next++
	id := s.next
	s.mu.Unlock()
	_, err := c.exec("INSERT INTO t (id, n, g) VALUES (%d, 0, %d)", id, id%3)
	s.mu.Lock()
	defer s.mu.Unlock()
	if codeOf(err) != unknown {
		s.rows[id] = err == nil
	}
	return err
}

// remove deletes a row of which no other client knows while it does.
func (s *shapes) remove(c *client) {
	s.mu.Lock()
	id := int64(0)
	for i := int64(101); i <= s.next; i++ {
		if s.rows[i] {
			id = i
		}
	}
	if id != 0 {
		delete(s.rows, id)
	}
	s.mu.Unlock()
	if id == 0 {
		return
	}
	_, err := c.exec("DELETE FROM t WHERE id = %d", id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if codeOf(err) != unknown {
		s.rows[id] = err != nil
	}
}

func (s *shapes) transfer(c *client) (bool, error) {
	from, to, amount := c.IntN(purses), c.IntN(purses), 1+c.IntN(30)
	return c.atomically("BEGIN", func() (bool, error) {
		if a, err := c.exec("UPDATE t SET n = n - %d WHERE id = %d", amount, from); err != nil || a.count != 1 {
			return false, err
		}
		a, err := c.exec("UPDATE t SET n = n + %d WHERE id = %d", amount, to)
		return a.count == 1, err
	})
}

// column adds a column with a row, or takes both away.
func (s *shapes) column(c *client) {
	add := c.IntN(2) == 0
	_, _ = c.atomically("BEGIN", func() (bool, error) {
		if !add {
			if _, err := c.exec("ALTER TABLE t DROP COLUMN IF EXISTS c%d", c.number); err != nil {
				return false, err
			}
			_, err := c.exec("DELETE FROM t WHERE id = %d", pairs+c.number)
			return true, err
		}
		if _, err := c.exec("ALTER TABLE t ADD COLUMN IF NOT EXISTS c%d int DEFAULT %d", c.number,
			c.number); err != nil {
			return false, err
		}
		_, err := c.exec("INSERT INTO t (id, n, g) VALUES (%d, 0, 0) ON CONFLICT DO NOTHING", pairs+c.number)
		return true, err
	})
}

// index makes an index that other clients let alone, makes it anew or drops it.
func (s *shapes) index(c *client) {
	s.mu.Lock()
	there := s.indexes[c.number]
	s.mu.Unlock()
	if there && c.IntN(3) == 0 {
		_, _ = c.exec("REINDEX INDEX x%d", c.number)
		return
	}
	sql := "DROP INDEX IF EXISTS x%d"
	if !there {
		sql = "CREATE INDEX IF NOT EXISTS x%d ON t " +
			drawn(c.Rand, "(g)", "(g) INCLUDE (n)", "(n, id)", "USING zorder (g, id)", "(g) WITH (shards = 2)")
	}
	_, err := c.exec(sql, c.number)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch codeOf(err) {
	case "":
		s.indexes[c.number] = !there
	case unknown: // it may come or go at any later time
		s.unknownOutcome[c.number] = true
	}
}

// rekey moves all rows, which may be more than a transaction of the store can write.
func (s *shapes) rekey(c *client) {
	also := c.also
	defer func() { c.also = also }()
	c.also = append(slices.Clone(also), sqlerr.ProgramLimitExceeded)
	_, _ = c.exec("ALTER TABLE t %s", drawn(c.Rand, "ALTER n TYPE bigint", "ALTER n TYPE int",
		"DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (g, id)", "DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (id)"))
}

// look reads rows by whatever index there is.
func (s *shapes) look(c *client) {
	s.mu.Lock()
	before := maps.Clone(s.rows)
	s.mu.Unlock()
	found := map[int64]bool{}
	for g := range 3 {
		a, err := c.exec("SELECT id FROM t WHERE g = %d", g)
		if err != nil {
			return
		}
		for _, row := range a.rows {
			found[row[0]] = true
		}
	}
	s.compare(c, before, found)
}

// compare holds rows that were found against those that were known before and still are.
func (s *shapes) compare(c *client, before, found map[int64]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, there := range before {
		if now, known := s.rows[id]; known && now == there && found[id] != there && !c.w.garbage {
			c.w.Errorf("-seed %d: %s: row %d is there: %v, want %v", c.w.seed, c.name, id, found[id], there)
		}
	}
}

func (s *shapes) converged(c *client) {
	time.Sleep(2 * time.Minute) // what others had begun is ended, or taken over
	if _, err := s.transfer(c); err != nil {
		c.w.Errorf("-seed %d: %s: no transfer without faults: %v", c.w.seed, c.name, err)
	}
	if err := s.insert(c); err != nil {
		c.w.Errorf("-seed %d: %s: no row without faults: %v", c.w.seed, c.name, err)
	}
	a, err := c.exec("SELECT count(*) FROM zproxy.indexes WHERE indexname = 'x%d'", c.number)
	if there := s.indexes[c.number]; err != nil || !s.unknownOutcome[c.number] && (a.rows[0][0] == 1) != there {
		c.w.Errorf("-seed %d: %s: is its index there: %v, want %v; %v", c.w.seed, c.name, a.rows, there, err)
	}
	for range 3 { // others change the table, too
		if _, err = c.exec("CREATE INDEX IF NOT EXISTS x%d ON t (g)", c.number); err == nil {
			return
		}
	}
	c.w.Errorf("-seed %d: %s: no index without faults: %v", c.w.seed, c.name, err)
}

func (s *shapes) check(c *client) {
	time.Sleep(time.Minute)
	for _, sql := range []string{"SELECT id, n, g FROM t",
		fmt.Sprintf("SELECT /*+ USE_INDEX(t, x%d) */ id, n, g FROM t WHERE g BETWEEN 0 AND 2 AND n > -100000",
			c.number)} {
		a, err := c.exec("%s", sql)
		found, sum := map[int64]bool{}, int64(0)
		for _, row := range a.rows {
			found[row[0]] = true
			sum += row[1]
		}
		if err != nil || sum != purses*begins || len(found) != len(a.rows) {
			c.w.Errorf("-seed %d: %s: %s: %v, which sum up to %d; %v", c.w.seed, c.name, sql, a.rows, sum, err)
		}
		s.compare(c, s.rows, found)
	}
	a, err := c.exec("SELECT count(*) FROM zproxy.indexes WHERE state <> 'public'")
	if err != nil || a.rows[0][0] != 0 {
		c.w.Errorf("-seed %d: %s: indexes stay unreadable: %v %v", c.w.seed, c.name, a, err)
	}
	for k := 1; k <= 5; k++ {
		column := fmt.Sprint("c", k)
		a, err := c.exec("SELECT count(*) FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = '%s' AND NOT attisdropped UNION ALL SELECT count(*) FROM t WHERE id = %d", column, pairs+k)
		if err != nil || a.rows[0][0] != a.rows[1][0] {
			c.w.Errorf("-seed %d: %s: column %s and its row: %v %v", c.w.seed, c.name, column, a.rows, err)
			continue
		}
		if a.rows[0][0] == 0 {
			continue
		}
		if a, err = c.exec("SELECT id, %s FROM t WHERE %s IS DISTINCT FROM %d", column, column, k); err != nil ||
			len(a.rows) > 0 {
			c.w.Errorf("-seed %d: %s: column %s has not its default: %v %v", c.w.seed, c.name, column, a.rows, err)
		}
	}
}

func (s *shapes) judge(*world) {}
