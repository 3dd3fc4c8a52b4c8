package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
)

const (
	accounts = 6
	opening  = 1000 // the balance that each begins with
)

// TestBank kills a server under transfers, several times: the sum holds, each account is
// what its transfers make it, and every acknowledged transfer is there.
func TestBank(t *testing.T) {
	const writers, acknowledged = 4, 150
	seed := testseed.Of(t)
	folder := t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error"}
	cmd, at := process(t, args...)
	conn := dial(t, at)
	exec(t, conn, "CREATE TABLE account (id int PRIMARY KEY, n int)")
	exec(t, conn, "CREATE TABLE transfer (id text PRIMARY KEY, payer int, payee int, n int)")
	exec(t, conn, "CREATE INDEX transfer_payee ON transfer (payee) INCLUDE (n)")
	for id := range accounts {
		exec(t, conn, fmt.Sprintf("INSERT INTO account VALUES (%d, %d)", id, opening))
	}
	b := &bank{known: map[string]bool{}}
	for round := range 3 {
		var group sync.WaitGroup
		before := b.count()
		for w := range writers {
			conn := dial(t, at)
			exec(t, conn, "SET deadlock_timeout = '10ms'") // accounts are locked in any order
			group.Go(func() {
				rng := rand.New(rand.NewPCG(seed+uint64(round), uint64(w)))
				for i := 0; b.transfer(conn, rng, fmt.Sprintf("%d.%d.%d", round, w, i)); i++ {
					if b.count() < before+acknowledged {
						continue
					}
					if err := cmd.Process.Kill(); err != nil {
						return // another writer was first
					}
				}
			})
		}
		group.Wait()
		_ = cmd.Wait() // killed
		wantSound(t, folder)
		cmd, at = process(t, args...)
		b.check(t, dial(t, at))
	}
}

// bank knows the transfers that were acknowledged.
type bank struct {
	sync.Mutex
	known map[string]bool
}

func (b *bank) count() int {
	b.Lock()
	defer b.Unlock()
	return len(b.known)
}

// transfer moves an amount, with a mistake on the way that it takes back. It says false
// when the connection is broken.
func (b *bank) transfer(conn *pgx.Conn, rng *rand.Rand, id string) bool {
	payer, payee, n := rng.IntN(accounts), rng.IntN(accounts), 1+rng.IntN(9)
	statements := []string{
		"BEGIN",
		fmt.Sprintf("INSERT INTO transfer VALUES ('%s', %d, %d, %d)", id, payer, payee, n),
		fmt.Sprintf("UPDATE account SET n = n - %d WHERE id = %d", n, payer),
		"SAVEPOINT mistake",
		fmt.Sprintf("UPDATE account SET n = n + %d", n),
		"ROLLBACK TO mistake",
		fmt.Sprintf("UPDATE account SET n = n + %d WHERE id = %d", n, payee),
		"COMMIT",
	}
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			_, err = conn.Exec(context.Background(), "ROLLBACK") // after a conflict
			return err == nil
		}
	}
	b.Lock()
	defer b.Unlock()
	b.known[id] = true
	return true
}

// check compares the accounts with the transfers.
func (b *bank) check(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	want := [accounts]int64{}
	for i := range want {
		want[i] = opening
	}
	rows, err := conn.Query(context.Background(), "SELECT id, payer, payee, n FROM transfer")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for rows.Next() {
		var id string
		var payer, payee int
		var n int64
		if err := rows.Scan(&id, &payer, &payee, &n); err != nil {
			t.Fatal(err)
		}
		there[id] = true
		want[payer] -= n
		want[payee] += n
	}
	for id := range b.known {
		if !there[id] {
			t.Errorf("transfer %s was acknowledged and is lost", id)
		}
	}
	got := numbers(t, conn, "SELECT n FROM account ORDER BY id")
	sum := int64(0)
	for i, n := range got {
		sum += n
		if n != want[i] {
			t.Errorf("account %d has %d, its transfers make %d", i, n, want[i])
		}
	}
	if len(got) != accounts || sum != accounts*opening {
		t.Errorf("%d accounts have %d", len(got), sum)
	}
}
