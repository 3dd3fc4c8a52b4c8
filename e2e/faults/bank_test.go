package faults

import (
	"fmt"
	"slices"
	"sync"
)

// bank moves money between accounts of two tables, through holds that are made by one transaction and ended by
// another. A ledger has a line for each. All money stays in the world, each line is the change that it tells of, and
// what a client was told of its commit is true.
type bank struct {
	options [3]string // of the accounts, the holds and the ledger

	mu     sync.Mutex
	next   int64
	made   map[int64]bool // lines whose commit was acknowledged
	failed map[int64]bool // and those that were surely not written
}

const (
	accounts = 4 // of each of two tables
	begins   = 100
)

// line is a row of the ledger: money that goes from an account, or from a hold, to another one.
type line struct{ id, from, to, amount, hold int64 }

func newBank(w *world) program {
	layout := func() string {
		return drawn(w.Rand, "", " WITH (shards = 3)", " WITH (mutability = 'MUTABLE_LATEST')")
	}
	class := func(classes ...string) string {
		shards := drawn(w.Rand, "", ", shards = 3", ", shards = 4, shard_by = 'random'")
		return " WITH (mutability = '" + drawn(w.Rand, classes...) + "'" + shards + ")"
	}
	return &bank{
		options: [3]string{layout(), class("IMMUTABLE_ROWS", "MUTABLE_LATEST"),
			class("IMMUTABLE", "IMMUTABLE", "IMMUTABLE_ROWS", "MUTABLE_LATEST")},
		made: map[int64]bool{}, failed: map[int64]bool{}, next: 1,
	}
}

func (b *bank) schema() []string {
	out := []string{
		"CREATE TABLE a0 (id int PRIMARY KEY, n int)" + b.options[0], "CREATE INDEX a0_n ON a0 (n)",
		"CREATE TABLE a1 (id int PRIMARY KEY, n int, u int UNIQUE)", "CREATE INDEX a1_z ON a1 USING zorder (n, id)",
		"CREATE TABLE holds (id int PRIMARY KEY, n int, dst int)" + b.options[1], "CREATE INDEX holds_dst ON holds (dst) INCLUDE (n)",
		"CREATE TABLE ledger (id int PRIMARY KEY, src int, dst int, n int, hold int)" + b.options[2],
		"CREATE INDEX ledger_src ON ledger (src) INCLUDE (dst, n)", "CREATE INDEX ledger_dst ON ledger (dst, n) WITH (shards = 2)",
	}
	for i := range accounts {
		out = append(out, fmt.Sprintf("INSERT INTO a0 VALUES (%d, %d)", i, begins),
			fmt.Sprintf("INSERT INTO a1 VALUES (%d, %d, %d)", accounts+i, begins, i))
	}
	return out
}

func tableOf(account int64) string { return fmt.Sprintf("a%d", account/accounts) }

// number is one that no line has.
func (b *bank) number() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.next
}

// know keeps how a transaction ended that writes a line.
func (b *bank) know(id int64, committed bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case committed:
		b.made[id] = true
	case codeOf(err) != unknown:
		b.failed[id] = true
	}
}

func (b *bank) step(c *client) {
	switch c.IntN(6) {
	case 0:
		b.look(c)
	case 1:
		b.release(c)
	case 2:
		b.transfer(c, true)
	default:
		b.transfer(c, false)
	}
}

func (b *bank) converged(c *client) {
	for range 2 {
		if _, err := b.transfer(c, false); err != nil {
			c.w.Errorf("-seed %d: %s: no transfer without faults: %v", c.w.seed, c.name, err)
		}
	}
}

// transfer moves money to another account, or into a hold for it.
func (b *bank) transfer(c *client, hold bool) (bool, error) {
	from, to := c.Int64N(2*accounts), c.Int64N(2*accounts)
	l := line{from: from, to: to, amount: 1 + c.Int64N(30)}
	return b.enter(c, &l, func() (bool, error) {
		if a, err := c.exec("UPDATE %s SET n = n - %d WHERE id = %d AND n >= %d", tableOf(from), l.amount, from,
			l.amount); err != nil || a.count != 1 {
			return false, err
		}
		if hold {
			l.hold = l.id
			_, err := c.exec("INSERT INTO holds VALUES (%d, %d, %d)", l.id, l.amount, to)
			return true, err
		}
		a, err := c.exec("UPDATE %s SET n = n + %d WHERE id = %d", tableOf(to), l.amount, to)
		return a.count == 1, err
	})
}

// release ends a hold.
func (b *bank) release(c *client) {
	l := line{from: -1}
	_, _ = b.enter(c, &l, func() (bool, error) {
		l.to = c.Int64N(2 * accounts)
		a, err := c.exec("SELECT id, n FROM holds WHERE dst = %d ORDER BY id LIMIT 1", l.to)
		if err != nil || len(a.rows) == 0 {
			return false, err
		}
		l.hold, l.amount = a.rows[0][0], a.rows[0][1]
		if a, err = c.exec("DELETE FROM holds WHERE id = %d", l.hold); err != nil || a.count != 1 {
			return false, err
		}
		a, err = c.exec("UPDATE %s SET n = n + %d WHERE id = %d", tableOf(l.to), l.amount, l.to)
		return a.count == 1, err
	})
}

// enter runs a transaction with a line, which has a number of its own in each attempt.
func (b *bank) enter(c *client, l *line, body func() (bool, error)) (done bool, err error) {
	for range 6 {
		l.id = b.number()
		done, err = c.attempt("BEGIN", func() (bool, error) {
			if ok, err := body(); err != nil || !ok {
				return false, err
			}
			_, err := c.exec("INSERT INTO ledger VALUES (%d, %d, %d, %d, %d)", l.id, l.from, l.to, l.amount, l.hold)
			return true, err
		})
		if b.know(l.id, done, err); err == nil || codeOf(err) == unknown {
			break
		}
	}
	return done, err
}

// look reads lines by an index, which misses none that was committed and shows none that failed.
func (b *bank) look(c *client) {
	b.mu.Lock()
	made := make(map[int64]bool, len(b.made))
	for id := range b.made {
		made[id] = true
	}
	b.mu.Unlock()
	if c.w.garbage {
		return
	}
	found := map[int64]bool{}
	for from := range int64(2*accounts + 1) {
		a, err := c.exec("SELECT id FROM ledger WHERE src = %d", from-1)
		if err != nil {
			return
		}
		for _, row := range a.rows {
			found[row[0]] = true
		}
	}
	for id := range made {
		if !found[id] {
			c.w.Errorf("-seed %d: %s: line %d was committed and an index does not find it", c.w.seed, c.name, id)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range found {
		if b.failed[id] {
			c.w.Errorf("-seed %d: %s: line %d was rolled back and an index finds it", c.w.seed, c.name, id)
		}
	}
}

func (b *bank) check(c *client) {
	want := map[int64]int64{}
	for i := range int64(2 * accounts) {
		want[i] = begins
	}
	held, lines := map[int64]int64{}, b.lines(c)
	for _, l := range lines {
		if l.from >= 0 {
			want[l.from] -= l.amount
		}
		switch {
		case l.from >= 0 && l.hold > 0:
			held[l.hold] += l.amount
		case l.hold > 0:
			held[l.hold] -= l.amount
			want[l.to] += l.amount
		default:
			want[l.to] += l.amount
		}
	}
	for _, sql := range []string{
		"SELECT id, n FROM a0 UNION ALL SELECT id, n FROM a1 ORDER BY 1",
		"SELECT /*+ USE_INDEX(a0, a0_n) */ id, n FROM a0 WHERE n >= 0 UNION ALL SELECT /*+ USE_INDEX(a1, a1_z) */ id, n FROM a1 WHERE n BETWEEN 0 AND 10000 ORDER BY 1",
	} {
		a, err := c.exec("%s", sql)
		if err != nil || len(a.rows) != 2*accounts {
			c.w.Errorf("-seed %d: %s: %s: %v %v", c.w.seed, c.name, sql, a.rows, err)
			continue
		}
		for _, row := range a.rows {
			if row[1] != want[row[0]] {
				c.w.Errorf("-seed %d: %s: account %d has %d, want %d", c.w.seed, c.name, row[0], row[1], want[row[0]])
			}
		}
	}
	for _, sql := range []string{"SELECT id, n FROM holds",
		"SELECT /*+ USE_INDEX(holds, holds_dst) */ id, n FROM holds WHERE dst >= 0"} {
		a, err := c.exec("%s", sql)
		got := map[int64]int64{}
		for _, row := range a.rows {
			got[row[0]] = row[1]
		}
		for id, n := range held {
			if err != nil || got[id] != n {
				c.w.Errorf("-seed %d: %s: %s: hold %d has %d, want %d; %v", c.w.seed, c.name, sql, id, got[id], n, err)
			}
		}
	}
}

// lines reads the ledger in several ways, and wants the same of all, which is what clients know.
func (b *bank) lines(c *client) (lines []line) {
	var last [][]int64
	for i, sql := range []string{"SELECT id, src, dst, n, hold FROM ledger ORDER BY id",
		"SELECT /*+ USE_INDEX(ledger, ledger_src) */ id, src, dst, n, hold FROM ledger WHERE src >= -1 ORDER BY id",
		"SELECT /*+ USE_INDEX(ledger, ledger_dst) */ id, src, dst, n, hold FROM ledger WHERE dst >= 0 ORDER BY id"} {
		a, err := c.exec("%s", sql)
		if err != nil || i > 0 && !slices.EqualFunc(a.rows, last, slices.Equal[[]int64]) {
			c.w.Errorf("-seed %d: %s: %s: %v, and before %v; %v", c.w.seed, c.name, sql, a.rows, last, err)
		}
		last = a.rows
	}
	there := map[int64]bool{}
	for _, r := range last {
		lines = append(lines, line{r[0], r[1], r[2], r[3], r[4]})
		there[r[0]] = true
		if b.failed[r[0]] {
			c.w.Errorf("-seed %d: %s: line %d was rolled back and is there", c.w.seed, c.name, r[0])
		}
	}
	for id := range b.made {
		if !there[id] {
			c.w.Errorf("-seed %d: %s: line %d was committed and is not there", c.w.seed, c.name, id)
		}
	}
	return lines
}

func (b *bank) judge(*world) {}
