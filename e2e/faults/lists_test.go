package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"zproxy/internal/anomaly"
)

// lists are rows to which transactions of some level append values, and that they read by keys, by ranges and by
// indexes. The history of all that they did has no cycle that a level forbids, as in TestHistories of e2e/levels, which
// is without faults.
type lists struct {
	options    [2]string
	levels     []anomaly.Level
	consistent bool // queries are of one state at all levels

	mu      sync.Mutex
	values  int
	history []*anomaly.Transaction
}

const (
	listIDs    = 6 // of each table; the even ones are there from the beginning, and may be deleted
	listGroups = 3
)

func newLists(w *world) program {
	levels := []anomaly.Level{anomaly.ReadCommitted, anomaly.RepeatableRead, anomaly.Serializable}
	l := &lists{levels: levels, consistent: w.IntN(2) == 0}
	if n := w.IntN(4); n < len(levels) {
		l.levels = levels[n : n+1]
	}
	for i := range l.options {
		l.options[i] = drawn(w.Rand, "", " WITH (shards = 3)", " WITH (mutability = 'MUTABLE_LATEST')")
	}
	return l
}

func (l *lists) schema() (out []string) {
	for i, o := range l.options {
		out = append(out, fmt.Sprintf("CREATE TABLE l%d (id int PRIMARY KEY, g int, n int, v int[])", i)+o,
			fmt.Sprintf("CREATE INDEX l%d_g ON l%[1]d (g, id)", i), fmt.Sprintf("CREATE INDEX l%d_n ON l%[1]d (n)", i),
			fmt.Sprintf("CREATE INDEX l%d_z ON l%[1]d USING zorder (id, g)", i))
		for id := 0; id < listIDs; id += 2 {
			out = append(out, fmt.Sprintf("INSERT INTO l%d VALUES (%d, %d, 0, '{}')", i, id, id%listGroups))
		}
	}
	return out
}

// listTransaction is one that runs.
type listTransaction struct {
	*lists
	c      *client
	at     *anomaly.Transaction
	single bool // it has no BEGIN
}

// begin begins a transaction of a level, as far as servers that share a store keep it: the order of those that are
// serializable is among them the affair of a store without snapshots.
func (l *lists) begin(c *client, level anomaly.Level) *listTransaction {
	if c.server.db.Store.Capabilities().Snapshots {
		level = min(level, anomaly.RepeatableRead)
	}
	t := &listTransaction{lists: l, c: c,
		at: &anomaly.Transaction{Level: level, Began: c.w.tick(), Outcome: anomaly.Aborted}}
	t.at.ID = int(t.at.Began)
	return t
}

// end keeps what has come of it.
func (t *listTransaction) end(committed bool, err error) {
	switch {
	case committed:
		t.at.Outcome = anomaly.Committed
	case codeOf(err) == unknown:
		t.at.Outcome = anomaly.Unknown
	}
	t.at.Ended = t.c.w.tick()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history = append(t.history, t.at)
}

func (l *lists) step(c *client) {
	if c.IntN(12) == 0 {
		change := []string{"DROP INDEX IF EXISTS l%d_n", "CREATE INDEX IF NOT EXISTS l%d_n ON l%[1]d (n)"}[c.IntN(2)]
		_, _ = c.exec(change, c.IntN(2))
		return
	}
	if l.consistent {
		_, _ = c.exec("SET zproxy.consistent_statements = on")
	}
	asks := l.levels[c.IntN(len(l.levels))]
	t := l.begin(c, asks)
	if asks == anomaly.ReadCommitted && c.IntN(3) == 0 {
		t.single = true
		err := t.statement()
		t.end(err == nil, err)
		return
	}
	asked := false
	committed, err := c.attempt("BEGIN ISOLATION LEVEL "+asks.String(), func() (bool, error) {
		for range 1 + c.IntN(4) {
			if err := t.statement(); err != nil {
				return false, err
			}
		}
		asked = c.IntN(10) > 0
		return asked, nil
	})
	if !asked { // it surely has not committed
		err = nil
	}
	t.end(committed, err)
}

func (l *lists) converged(c *client) { l.step(c) }

// statement reads or writes.
func (t *listTransaction) statement() error {
	table := t.c.IntN(2)
	low := t.c.IntN(listIDs)
	high := min(low+t.c.IntN(3), listIDs-1)
	switch t.c.IntN(8) {
	case 0:
		if low%2 == 0 && !t.single {
			return t.remove(table, low)
		}
		return t.put(table, low|1)
	case 1, 2:
		if !t.single { // of one whose outcome is not known it would not be known which rows it has found
			return t.update(table, low, high)
		}
		fallthrough
	case 3:
		return t.put(table, 2*t.c.IntN(listIDs/2)+1)
	case 4:
		return t.read(table, within(low, low), fmt.Sprintf("id = %d", low), 0)
	case 5:
		g := t.c.IntN(listGroups)
		ids := slices.DeleteFunc(within(0, listIDs-1), func(id int) bool { return id%listGroups != g })
		return t.read(table, ids, fmt.Sprintf("g = %d", g), 0)
	case 6:
		most := 1 + t.c.IntN(3)
		return t.read(table, within(0, listIDs-1), fmt.Sprintf("n >= %d", most), most)
	}
	return t.read(table, within(low, high), fmt.Sprintf("id BETWEEN %d AND %d", low, high), 0)
}

func within(low, high int) (out []int) {
	for id := low; id <= high; id++ {
		out = append(out, id)
	}
	return out
}

func (t *listTransaction) value() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values++
	return t.values
}

func (t *listTransaction) did(op anomaly.Op) { t.at.Ops = append(t.at.Ops, op) }

// put appends a value to a list, and makes its row if it is not there.
func (t *listTransaction) put(table, id int) error {
	v := t.value()
	t.did(anomaly.Op{Action: anomaly.Append, Key: listKey(table, id), Value: v})
	_, err := t.c.exec("INSERT INTO l%d VALUES (%d, %d, 1, '{%d}') ON CONFLICT (id) DO UPDATE "+
		"SET v = l%[1]d.v || excluded.v, n = l%[1]d.n + 1", table, id, id%listGroups, v)
	return err
}

// update appends a value to the lists that are there. If it fails that may be any.
func (t *listTransaction) update(table, low, high int) error {
	v := t.value()
	a, err := t.c.exec("UPDATE l%d SET v = v || %d, n = n + 1 WHERE id BETWEEN %d AND %d RETURNING id", table, v, low, high)
	there := map[int]bool{}
	for _, row := range a.rows {
		there[int(row[0])] = true
	}
	for _, id := range within(low, high) {
		op := anomaly.Op{Key: listKey(table, id), Predicate: true}
		switch {
		case there[id] || err != nil:
			op.Action, op.Value = anomaly.Append, v
		case t.at.Level < anomaly.RepeatableRead:
			continue
		default:
			op.Gone = id%2 == 0
		}
		t.did(op)
	}
	return err
}

// remove deletes a list.
func (t *listTransaction) remove(table, id int) error {
	a, err := t.c.exec("DELETE FROM l%d WHERE id = %d RETURNING v", table, id)
	op := anomaly.Op{Action: anomaly.Delete, Key: listKey(table, id)}
	if len(a.rows) > 0 {
		op.List = ints(a.rows[0])
	}
	if len(a.rows) > 0 || err != nil {
		t.did(op)
	}
	return err
}

// read notes what a query finds of the lists that it covers. Those with fewer than below values may be left out.
func (t *listTransaction) read(table int, covers []int, where string, below int) error {
	a, err := t.c.exec("SELECT id, v FROM l%d WHERE %s", table, where)
	if err != nil {
		return err
	}
	found := map[int]int{}
	for _, row := range a.rows {
		id := int(row[0])
		if found[id]++; found[id] > 1 && t.consistent {
			t.c.w.Errorf("-seed %d: %s: list %d is there twice", t.c.w.seed, t.c.name, id)
		}
		t.did(anomaly.Op{Key: listKey(table, id), Predicate: true, List: ints(row[1:])})
	}
	for _, id := range covers {
		op := anomaly.Op{Key: listKey(table, id), Predicate: true}
		switch {
		case found[id] > 0 || t.at.Level < anomaly.RepeatableRead:
			continue
		case below > 0:
			op.Action, op.Value = anomaly.Below, below
		default:
			op.Gone = id%2 == 0
		}
		t.did(op)
	}
	return nil
}

func listKey(table, id int) string { return fmt.Sprintf("l%d/%d", table, id) }

func ints(row []int64) []int {
	out := make([]int, len(row))
	for i, v := range row {
		out[i] = int(v)
	}
	return out
}

// check reads everything.
func (l *lists) check(c *client) {
	t := l.begin(c, anomaly.Serializable)
	committed, err := c.attempt("BEGIN ISOLATION LEVEL SERIALIZABLE", func() (bool, error) {
		for table := range l.options {
			if err := t.read(table, within(0, listIDs-1), "true", 0); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	t.end(committed, err)
}

func (l *lists) judge(w *world) {
	found := anomaly.Forbidden(anomaly.Check(l.history))
	for _, a := range found[:min(len(found), 3)] {
		w.Errorf("-seed %d: %s\n%s", w.seed, a.Kind, a.Text)
	}
	if len(found) > 0 {
		var all []string
		for _, t := range l.history {
			all = append(all, t.String())
		}
		w.Logf("%s", strings.Join(all, "\n"))
	}
}
