package e2e

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// historyKeys are few, so that transactions meet.
const historyKeys = 4

// manyTransactions is how many a client runs.
const manyTransactions = 50

// state is what a transaction sees: the tag of each row. Each write gives a row a tag that
// no other write gives.
type state [historyKeys]string

// committed is a transaction that was acknowledged: what it saw first, and what it wrote.
type committed struct {
	saw   state
	wrote map[int]string
}

// history is what the transactions of several clients did.
type history struct {
	sync.Mutex
	committed []committed
}

// TestHistory runs random transactions of several clients on a few rows and wants every
// read to be explained by the snapshot of its transaction: no dirty, fractured or
// non-repeatable reads, one order of all snapshots, and no lost update.
func TestHistory(t *testing.T) {
	for _, seed := range seeds(t, 2) {
		onEvery(t, func(t *testing.T, s *server) {
			must(t, s.connect(t), "CREATE TABLE h (id int PRIMARY KEY, n int, tag text)",
				"CREATE INDEX h_tag ON h (tag) INCLUDE (n)",
				"INSERT INTO h VALUES (0, 0, ''), (1, 0, ''), (2, 0, ''), (3, 0, '')")
			h := &history{}
			together(t, s, func(c *pgx.Conn, client int) {
				must(t, c, "SET deadlock_timeout = '10ms'")
				a := &actor{conn: c, rng: rand.New(rand.NewPCG(seed, uint64(client))), name: fmt.Sprint(client)}
				for range manyTransactions {
					if err := a.transaction(h); err != nil {
						t.Errorf("client %d: %v", client, err)
						return
					}
				}
			})
			h.check(t, s.connect(t))
			t.Logf("%d of %d transactions were committed", len(h.committed), manyClients*manyTransactions)
		})
	}
}

// actor is one client.
type actor struct {
	conn *pgx.Conn
	rng  *rand.Rand
	name string
	tags int
}

func (a *actor) exec(sql string) error {
	_, err := a.conn.Exec(context.Background(), sql, execModes[a.rng.IntN(len(execModes))])
	return err
}

// look reads all rows, from the table or from its index.
func (a *actor) look() (state, error) {
	var out state
	sql := []string{"SELECT id, tag FROM h", "SELECT id, tag FROM h WHERE tag >= '' ORDER BY tag",
		"SELECT id, tag FROM h FOR UPDATE"}[a.rng.IntN(3)]
	rows, err := a.conn.Query(context.Background(), sql, execModes[a.rng.IntN(len(execModes))])
	if err != nil {
		return out, err
	}
	for rows.Next() {
		var id int
		var tag string
		if err := rows.Scan(&id, &tag); err != nil {
			return out, err
		}
		out[id] = tag
	}
	return out, rows.Err()
}

// transaction runs one, and notes it if its commit was acknowledged.
func (a *actor) transaction(h *history) error {
	err := a.attempt(h)
	if code := codeOf(err); code != "40001" && code != "40P01" { // rows are locked in any order
		return err
	}
	return a.exec("ROLLBACK")
}

func (a *actor) attempt(h *history) error {
	if err := a.exec("BEGIN ISOLATION LEVEL REPEATABLE READ"); err != nil {
		return err
	}
	saw, err := a.look()
	if err != nil {
		return err
	}
	seen, wrote := saw, map[int]string{}
	undone, unwrote := seen, map[int]string(nil) // at the savepoint, when unwrote is not nil
	for range 1 + a.rng.IntN(6) {
		switch a.rng.IntN(6) {
		case 0:
			if err := a.exec("SAVEPOINT s"); err != nil {
				return err
			}
			undone, unwrote = seen, maps.Clone(wrote)
		case 1:
			if unwrote == nil {
				continue
			}
			if err := a.exec("ROLLBACK TO s"); err != nil {
				return err
			}
			seen, wrote = undone, maps.Clone(unwrote)
		case 2:
			if now, err := a.look(); err != nil || now != seen {
				return cmp.Or(err, fmt.Errorf("it saw %q, and then %q", seen, now))
			}
		default:
			if err := a.write(&seen, wrote); err != nil {
				return err
			}
		}
	}
	if a.rng.IntN(5) == 0 {
		return a.exec("ROLLBACK")
	}
	if err := a.exec("COMMIT"); err != nil {
		return err
	}
	h.Lock()
	defer h.Unlock()
	h.committed = append(h.committed, committed{saw, wrote})
	return nil
}

func (a *actor) write(seen *state, wrote map[int]string) error {
	key := a.rng.IntN(historyKeys)
	a.tags++
	tag := fmt.Sprintf("%s.%d", a.name, a.tags)
	var before string
	sql := fmt.Sprintf("UPDATE h SET n = h.n + 1, tag = '%s' FROM h o WHERE h.id = o.id AND h.id = %d RETURNING o.tag",
		tag, key)
	err := a.conn.QueryRow(context.Background(), sql, execModes[a.rng.IntN(len(execModes))]).Scan(&before)
	if err == nil && before != seen[key] {
		err = fmt.Errorf("row %d was %q, and then %q when it was written", key, seen[key], before)
	}
	seen[key], wrote[key] = tag, tag
	return err
}

// check puts the versions of each row in order, and compares what was seen with them.
func (h *history) check(t *testing.T, c *pgx.Conn) {
	t.Helper()
	var next [historyKeys]map[string]string
	for k := range next {
		next[k] = map[string]string{}
		for _, x := range h.committed {
			tag, written := x.wrote[k]
			if other, twice := next[k][x.saw[k]]; written && twice {
				t.Errorf("row %d: %q and %q both replaced %q", k, tag, other, x.saw[k])
			}
			if written {
				next[k][x.saw[k]] = tag
			}
		}
	}
	var number [historyKeys]map[string]int
	last := state{}
	for k := range number {
		number[k] = map[string]int{"": 0}
		for tag, ok := next[k][""]; ok; tag, ok = next[k][tag] {
			number[k][tag] = len(number[k])
			last[k] = tag
		}
	}
	h.checkSnapshots(t, number)
	final, err := (&actor{conn: c, rng: rand.New(rand.NewPCG(1, 1))}).look()
	if err != nil || final != last {
		t.Errorf("the rows are %q, want %q; %v", final, last, err)
	}
	for k := range number {
		if len(number[k]) != len(next[k])+1 {
			t.Errorf("row %d: %d of %d versions follow from each other", k, len(number[k])-1, len(next[k]))
		}
	}
}

// checkSnapshots wants the snapshots in one order, each with all writes of a transaction
// or none.
func (h *history) checkSnapshots(t *testing.T, number [historyKeys]map[string]int) {
	t.Helper()
	var snapshots [][]int
	for _, x := range h.committed {
		vector := make([]int, historyKeys)
		for k, tag := range x.saw {
			n, known := number[k][tag]
			if !known {
				t.Errorf("row %d: %q was read and never committed", k, tag)
			}
			vector[k] = n
		}
		snapshots = append(snapshots, vector)
	}
	slices.SortFunc(snapshots, slices.Compare[[]int])
	for i, v := range snapshots {
		for k := range v {
			if i > 0 && snapshots[i-1][k] > v[k] {
				t.Errorf("neither of the snapshots %d and %d is before the other", snapshots[i-1], v)
			}
		}
		for _, x := range h.committed {
			sees := map[bool]int{}
			for k, tag := range x.wrote {
				sees[v[k] >= number[k][tag]]++
			}
			if len(sees) > 1 {
				t.Errorf("the snapshot %d has a part of %v", v, x.wrote)
			}
		}
	}
}
