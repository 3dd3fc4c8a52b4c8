package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/racing"
	"zproxy/internal/testseed"
)

var (
	floodFlag = flag.Duration("flood", 3*time.Second, "how long TestFlood floods the server")
)

const (
	// floodMemory is what the server may take, and floodResident what it must stay below: three
	// quarters of it are the default of --memory.
	floodMemory   = "1152MB"
	floodResident = 1536 << 10 // kB
	flooders      = 20
)

// floods are statements that would take all memory, or never end, if nothing bounded them.
var floods = []string{
	"SELECT count(*) FROM regexp_split_to_table(repeat('x,', 50000000), ',')",
	"SELECT length(to_char(now(), repeat('YYYY-MM-DD HH24:MI:SS ', 500000)))",
	"SELECT ln(repeat('9', 100000)::numeric)",
	"SELECT cardinality(string_to_array(repeat('x,', 20000000), ','))",
	"SELECT length(encode(repeat('x', 200000000)::bytea, 'base64'))",
	"SELECT length(repeat('x', 1000000000) || repeat('y', 1000000))",
	"SELECT length(string_agg(repeat('x', 1000000), '')) FROM generate_series(1, 900)",
	"SELECT count(*) FROM (SELECT array_agg(i) FROM generate_series(1, 20000000) i) a",
	"SELECT count(*) FROM generate_series(1, 3000000) a JOIN generate_series(1, 3000000) b ON a = b",
	"SELECT i, repeat('x', 1000) FROM generate_series(1, 3000000) i ORDER BY 2, 1 LIMIT 1",
	"SELECT DISTINCT md5(i::text) FROM generate_series(1, 3000000) i LIMIT 1",
	"WITH c AS MATERIALIZED (SELECT i, repeat('x', 100) FROM generate_series(1, 5000000) i) SELECT count(*) FROM c a, c b",
	"SELECT replace(repeat('x', 10000000), 'x', repeat('y', 1000))",
	"SELECT jsonb_agg(i) FROM generate_series(1, 3000000) i",
}

// flood is one run of TestFlood.
type flood struct {
	t      *testing.T
	at     string
	seed   uint64
	ctx    context.Context
	counts sync.Map // of statements, by SQLSTATE
}

// TestFlood lets sessions of a role without rights run statements that want more memory than there is,
// and wants the server to live, within its memory, and to answer others.
func TestFlood(t *testing.T) {
	seed := testseed.Of(t)
	cmd, at := process(t, "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()+"/data", "--log-level", "error",
		"--memory", floodMemory)
	admin := dial(t, at)
	exec(t, admin, "CREATE TABLE points (id int PRIMARY KEY, v text)")
	exec(t, admin, "INSERT INTO points SELECT i, 'v' || i FROM generate_series(1, 1000) i")
	exec(t, admin, "CREATE ROLE flooder LOGIN")
	f := &flood{t: t, at: at, seed: seed}
	f.report("alone", f.read(admin, time.Now().Add(min(*floodFlag/4, 10*time.Second))))
	ctx, stop := context.WithTimeout(t.Context(), *floodFlag)
	defer stop()
	f.ctx = ctx
	var group sync.WaitGroup
	for i := range flooders {
		group.Go(func() { f.run(i) })
	}
	latencies := f.read(admin, time.Now().Add(*floodFlag))
	group.Wait()
	f.report("beside the flood", latencies)
	f.counts.Range(func(code, n any) bool {
		t.Logf("%v: %d statements", code, n.(*atomic.Int64).Load())
		return true
	})
	peak := resident(t, cmd.Process.Pid)
	t.Logf("resident at most: %d MB", peak>>10)
	if peak > floodResident && !racing.On {
		t.Errorf("the server took %d MB", peak>>10)
	}
	exec(t, dial(t, at), "SELECT 1")
}

// report tells how long point reads took. How long they take alone tells how busy the machine is.
func (f *flood) report(when string, took []time.Duration) {
	f.t.Logf("point reads %s: %d, median %v, 99th percentile %v, longest %v", when, len(took),
		took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

// read reads points until a time, and tells how long each took, in order.
func (f *flood) read(conn *pgx.Conn, until time.Time) []time.Duration {
	var all []time.Duration
	for i := 0; time.Now().Before(until); i++ {
		start := time.Now()
		var v string
		if err := conn.QueryRow(context.Background(), "SELECT v FROM points WHERE id = $1",
			i%1000+1).Scan(&v); err != nil {
			f.t.Errorf("seed %d: a point read: %v", f.seed, err)
			return []time.Duration{0}
		}
		all = append(all, time.Since(start))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(all)
	return all
}

// run is one session. The first ones hold much: a transaction, prepared statements.
func (f *flood) run(i int) {
	config, err := pgx.ParseConfig(strings.Replace(f.at, "you@", "flooder@", 1))
	if err != nil {
		f.t.Error(err)
		return
	}
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		f.t.Errorf("seed %d: %v", f.seed, err)
		return
	}
	defer conn.Close(context.Background())
	random := rand.New(rand.NewPCG(f.seed, uint64(i)))
	f.try(conn, "SET statement_timeout = '5s'")
	switch i {
	case 0:
		f.try(conn, "BEGIN")
		f.try(conn, "CREATE TEMP TABLE held (a int, b text)")
		f.try(conn, "INSERT INTO held SELECT i, 'a value of some length ' || i FROM generate_series(1, 600000) i")
		<-f.ctx.Done()
		return
	case 1, 2:
		for n := 0; n < 150 && f.ctx.Err() == nil; n++ {
			text := strings.Repeat("x", 4<<20)
			if n%10 == 9 {
				text = strings.Repeat("x', 'y", 4<<20/6)
			}
			f.try(conn, fmt.Sprintf("PREPARE p%d AS SELECT 1 WHERE 'a' IN ('%s')", n, text))
		}
	}
	for f.ctx.Err() == nil {
		f.try(conn, floods[random.IntN(len(floods))])
	}
}

// try runs a statement, which may fail for want of memory or time, but must not end the connection.
func (f *flood) try(conn *pgx.Conn, sql string) {
	_, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	code := "ok"
	var failed *pgconn.PgError
	switch {
	case errors.As(err, &failed):
		code = failed.Code + " " + failed.Message
	case err != nil:
		f.t.Errorf("seed %d: %.100s: %v", f.seed, sql, err)
		return
	}
	n, _ := f.counts.LoadOrStore(code, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	if failed != nil && !slices.Contains([]string{"53200", "57014", "54000", "54001", "25P02", "0A000", "22003"},
		failed.Code) {
		f.t.Errorf("seed %d: %.100s: %v", f.seed, sql, err)
	}
}

// resident is the most memory that a process has had, in kB.
func resident(t *testing.T, pid int) (kb int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("the system does not tell what a process takes")
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			return kb
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
