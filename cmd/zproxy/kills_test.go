package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/catalog"
	"zproxy/internal/testseed"
)

var (
	killsFlag = flag.Int("kills", 4, "how often TestKills kills the server")
)

const (
	writersOfKills = 4
	adminsOfKills  = 2
	rowsOfBig      = 3000 // of each writer
	fullCheck      = 8    // one of so many checks waits for all builds to end
)

// TestKills kills a server again and again, at any point of transactions from several
// connections, changes of the schema, and builds of indexes, or while it starts. Each time the
// rows must be what was acknowledged, but for transactions of which nothing is known, which are there
// as a whole or not at all; indexes must agree with the rows as far as their states ask for, and
// builds must come to their ends.
func TestKills(t *testing.T) {
	seed := testseed.Of(t)
	t.Logf("%d kills from seed %d", *killsFlag, seed)
	k := &kills{T: t, rng: rand.New(rand.NewPCG(seed, 0)), data: t.TempDir()}
	k.start()
	k.setUp()
	for n := range *killsFlag {
		k.round(n)
		k.start()
		k.check()
		if n == *killsFlag-1 || k.rng.IntN(fullCheck) == 0 {
			k.awaitBuilds()
			k.check()
		}
		if t.Failed() {
			k.tell()
			t.Fatalf("after kill %d from seed %d", n+1, seed)
		}
	}
	for _, state := range catalog.States[:len(catalog.States)-1] {
		if *killsFlag >= 100 && k.interrupted[state.String()] == 0 {
			t.Errorf("no kill met a build that was %s", state)
		}
	}
	t.Logf("%d kills, of them %d while the server started; %d transactions; builds that went on after a kill: %v",
		*killsFlag, k.early, k.transactions, k.interrupted)
}

// kills is a server that is killed, and those who use it.
type kills struct {
	*testing.T
	rng    *rand.Rand
	data   string
	cmd    *osexec.Cmd
	stderr *bytes.Buffer // the errors that the server logs
	at     string
	conn   *pgx.Conn // of those who check
	mu     sync.Mutex
	wrote  []*writer
	admins []*admin

	early, transactions int
	interrupted         map[string]int // by state
}

// report notes a failure, from any goroutine.
func (k *kills) report(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Errorf(format, args...)
}

// launch starts the process.
func (k *kills) launch() {
	k.cmd = osexec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--data", k.data, "--log-level", "warn")
	k.cmd.Env = append(os.Environ(), asProgram+"=yes")
	k.stderr = &bytes.Buffer{}
	k.cmd.Stderr = k.stderr
}

// start starts the server and connects to it. At times it is killed before it is ready.
func (k *kills) start() {
	k.Helper()
	for k.transactions > 0 && k.rng.IntN(4) == 0 {
		k.launch()
		if err := k.cmd.Start(); err != nil {
			k.Fatal(err)
		}
		time.Sleep(time.Duration(k.rng.IntN(300)) * time.Millisecond)
		k.kill()
		k.early++
	}
	k.launch()
	out, err := k.cmd.StdoutPipe()
	if err == nil {
		err = k.cmd.Start()
	}
	if err != nil {
		k.Fatal(err)
	}
	cmd := k.cmd
	k.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	k.at = dsn(k.T, out)
	k.conn = dial(k.T, k.at)
}

// kill kills the process, which must not have had to say anything.
func (k *kills) kill() {
	_ = k.cmd.Process.Kill()
	_ = k.cmd.Wait()
	if k.stderr.Len() > 0 {
		k.report("the server said:\n%s", k.stderr)
	}
}

// setUp makes the tables, and those who use them.
func (k *kills) setUp() {
	for _, sql := range []string{"CREATE TABLE small " + rowsOfTable, "CREATE TABLE big " + rowsOfTable} {
		exec(k.T, k.conn, sql)
	}
	for i := range writersOfKills {
		w := &writer{number: i, rows: newRows(), report: k.report}
		exec(k.T, k.conn, "CREATE TABLE "+w.own()+" "+rowsOfTable)
		exec(k.T, k.conn, fmt.Sprintf("INSERT INTO big SELECT %d, g, g %% 1000, g %% 60, %d + g, g %% 500, 's' || g FROM generate_series(1, %d) g", i, (i+1)<<20, rowsOfBig))
		for g := int64(1); g <= rowsOfBig; g++ {
			w.rows.known[rowID{"big", g}] = values{g % 1000, g % 60, int64((i+1)<<20) + g, g % 500,
				fmt.Sprintf("s%d", g)}
		}
		k.wrote = append(k.wrote, w)
	}
	for i := range adminsOfKills {
		k.admins = append(k.admins, &admin{number: i, known: map[string]bool{}, doubt: map[string]bool{},
			report: k.report})
	}
	k.interrupted = map[string]int{}
}

// round lets all use the server until it is killed.
func (k *kills) round(n int) {
	var group sync.WaitGroup
	for i, w := range k.wrote {
		w.conn, w.rng = dial(k.T, k.at), rand.New(rand.NewPCG(k.rng.Uint64(), uint64(i)))
		group.Go(func() {
			for w.write() {
				k.mu.Lock()
				k.transactions++
				k.mu.Unlock()
			}
		})
	}
	for i, a := range k.admins {
		a.conn, a.rng = dial(k.T, k.at), rand.New(rand.NewPCG(k.rng.Uint64(), uint64(i)))
		group.Go(func() {
			for a.act() {
			}
		})
	}
	time.Sleep(time.Duration(k.rng.IntN(1200)) * time.Millisecond)
	k.kill()
	group.Wait()
}

// check compares what is there with what was acknowledged, and indexes with their tables.
func (k *kills) check() {
	k.Helper()
	states := k.strings("SELECT state FROM zproxy.index_builds WHERE error IS NULL")
	for _, s := range states {
		k.interrupted[s]++
	}
	there := make([]map[rowID]values, writersOfKills)
	for i := range there {
		there[i] = map[rowID]values{}
	}
	tables := []string{"small", "big"}
	for _, w := range k.wrote {
		tables = append(tables, w.own())
	}
	for _, table := range tables {
		k.read(table, there)
		for _, found := range k.strings("SELECT concat_ws(' ', index, class, key, row, detail) FROM zproxy.check_index('" + table + "') LIMIT 5") {
			k.report("%s: %s", table, found)
		}
		if len(k.strings("SELECT attname FROM pg_attribute WHERE attrelid = '"+table+"'::regclass AND attname = 'x'")) > 0 {
			for _, found := range k.strings("SELECT w || ' ' || n FROM " + table +
				" WHERE x IS DISTINCT FROM 7 LIMIT 5") {
				k.report("%s: the default of x is not that of row %s", table, found)
			}
		}
	}
	for i, w := range k.wrote {
		if wrong := w.rows.resolve(there[i]); wrong != "" {
			k.report("writer %d, %s", i, wrong)
		}
	}
	goes := k.set("SELECT tablename || '.' || indexname FROM zproxy.index_builds WHERE goal = 'absent'")
	indexes := k.set("SELECT tablename || '.' || indexname FROM pg_indexes")
	for _, a := range k.admins {
		if wrong := a.compare(indexes, goes); wrong != "" {
			k.report("%s", wrong)
		}
	}
}

// set are the texts that a query finds.
func (k *kills) set(sql string) map[string]bool {
	found := map[string]bool{}
	for _, x := range k.strings(sql) {
		found[x] = true
	}
	return found
}

// read reads the rows of a table, for each writer its own.
func (k *kills) read(table string, there []map[rowID]values) {
	rows, err := k.conn.Query(context.Background(), "SELECT w, n, a, b, u, m::bigint, s FROM "+table)
	if err != nil {
		k.Fatal(err)
	}
	for rows.Next() {
		var w, n int64
		var v values
		if err := rows.Scan(&w, &n, &v.a, &v.b, &v.u, &v.m, &v.s); err != nil {
			k.Fatal(err)
		}
		there[w][rowID{table, n}] = v
	}
	if rows.Err() != nil {
		k.Fatal(rows.Err())
	}
}

func (k *kills) strings(sql string) []string {
	k.Helper()
	rows, err := k.conn.Query(context.Background(), sql)
	if err != nil {
		k.Fatalf("%s: %v", sql, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		k.Fatalf("%s: %v", sql, err)
	}
	return out
}

// awaitBuilds waits until all builds have ended. Only unique indexes may have failed, and only
// those that were to take the place of others may be gone.
func (k *kills) awaitBuilds() {
	k.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		builds := k.strings("SELECT concat_ws(' ', tablename, indexname, state, goal, phase, rows_done, rate_limit, error) FROM zproxy.index_builds WHERE error IS NULL OR state <> 'disabled'")
		if len(builds) == 0 {
			break
		}
		if time.Now().After(deadline) {
			k.report("builds do not end:\n%s", strings.Join(builds, "\n"))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, failed := range k.strings("SELECT concat_ws(' ', tablename, indexname, error) FROM zproxy.index_builds WHERE sqlstate <> '23505'") {
		k.report("%s", failed)
	}
	for _, left := range k.strings("SELECT indexname FROM pg_indexes WHERE indexname LIKE '%ccnew%'") {
		k.report("index %s was left", left)
	}
}

// tell tells what led to a failure.
func (k *kills) tell() {
	var statements []string
	for _, a := range k.admins {
		statements = append(statements, a.log[max(len(a.log)-60, 0):]...)
	}
	slices.Sort(statements)
	k.Logf("the last statements about the schema:\n%s", strings.Join(statements, "\n"))
	k.Logf("builds:\n%s",
		strings.Join(k.strings("SELECT concat_ws(' ', tablename, indexname, state, goal, phase, rows_done, rate_limit, error) FROM zproxy.index_builds"), "\n"))
	k.Logf("indexes:\n%s",
		strings.Join(k.strings("SELECT concat_ws(' ', indisvalid, indisready, pg_get_indexdef(indexrelid)) FROM pg_index"), "\n"))
}
