package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/session"
)

var (
	onlyFlag   = flag.String("program", "", "play this program of clients only")
	runsFlag   = flag.Int("runs", 0, "how many runs TestFaults plays; 0: a few")
	memoryFlag = flag.Bool("memory", false, "play on stores in memory only")
	verbose    = flag.Bool("notes", false, "print what the clients of each run did")
)

// program is what the clients of a run do.
type program interface {
	schema() []string
	// step is what a client does next, with whatever faults there are.
	step(c *client)
	// converged does something that must succeed when there are no faults any more.
	converged(c *client)
	// check wants the tables to be as they must, by one of the servers.
	check(c *client)
	// judge looks at the history when the run has ended.
	judge(w *world)
}

// kind is a program by its name.
type kind struct {
	name string
	make func(*world) program
}

// programs are what may be played.
var programs = []kind{{"bank", newBank}, {"ring", newRing}, {"registers", newRegisters}, {"shapes", newShapes},
	{"loads", newLoads}, {"changes", newChanges}, {"lists", newLists}, {"kin", newKin}}

// program draws what is played, which is one of those that are asked for.
func (w *world) program() program {
	asked := slices.DeleteFunc(slices.Clone(programs),
		func(k kind) bool { return *onlyFlag != "" && k.name != *onlyFlag })
	return asked[w.IntN(len(asked))].make(w)
}

// TestFaults plays runs with faults, and then wants all that was acknowledged to be there, nothing that failed,
// and nothing by halves; everything to go on when the faults end; and the indexes to agree with the tables.
func TestFaults(t *testing.T) {
	runs, seed := *runsFlag, testseed.Of(t)
	if runs == 0 {
		runs = 25
		if testing.Short() {
			runs = 10
		}
	}
	failures := 0
	for i := range runs {
		if !t.Run(fmt.Sprint(seed+uint64(i)), func(t *testing.T) { play(t, seed+uint64(i)) }) {
			if failures++; failures == 5 {
				t.Fatalf("%d of %d runs failed", failures, i+1)
			}
		}
	}
}

// play is one run.
func play(t *testing.T, seed uint64) {
	var w *world
	var p program
	defer func() {
		if t.Failed() || *verbose {
			t.Logf("-seed %d: %d requests\n%s", seed, w.requests, strings.Join(w.trace, "\n"))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(t, seed)
		p = w.program()
		ended := make(chan struct{})
		var scheduler sync.WaitGroup
		scheduler.Go(func() { w.schedule(ended) })
		w.run(p)
		close(ended)
		scheduler.Wait()
	})
	if w.T = t; !w.garbage {
		p.judge(w)
	}
}

// run is a run inside its bubble.
func (w *world) run(p program) {
	w.faultless = true
	backend := w.openBackend()
	defer backend.close()
	first := connect(w, w.open(backend), 0)
	for _, sql := range p.schema() {
		if _, err := first.exec("%s", sql); err != nil {
			w.Fatal(err)
		}
	}
	first.session.Close()
	for range w.IntN(3) {
		w.open(backend)
	}
	var clients []*client
	for i := range 2 + w.IntN(3) {
		clients = append(clients, connect(w, w.servers[i%len(w.servers)], i+1))
	}
	backend.rough()
	w.drawKill()
	each(clients, func(c *client) {
		for range 4 + c.IntN(12) {
			c.step(p)
		}
	})
	for _, s := range w.servers {
		s.stand() // what it still asks then is late
	}
	backend.faultless()
	w.note("faultless")
	newest := w.open(backend) // takes over what dead servers have left
	leftOver := 0
	if !w.garbage {
		each(clients, p.converged)
		for _, c := range clients {
			p.check(c)
		}
		leftOver = w.findings(newest.db)
	}
	for _, c := range clients {
		c.session.Close()
	}
	for _, s := range w.servers {
		s.db.Close()
	}
	if leftOver > 0 {
		time.Sleep(old) // while no server asks every second what is new
		s := w.open(backend)
		w.repair(s.db)
		s.db.Close()
	}
}

// each lets all clients do something at the same time.
func each(clients []*client, do func(*client)) {
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { do(c) })
	}
	all.Wait()
}

// old is the age of an entry that no commit can be about to put a row to.
const old = 25 * time.Hour

// repair wants the entries of rows that never came, which are left over where writes are loose, to be gone once they
// are old enough. Stores may lose some of the repairs.
func (w *world) repair(db *session.DB) {
	found := 0
	for range 10 {
		if found = w.findings(db); found == 0 {
			return
		}
	}
	w.Errorf("-seed %d: %d entries of indexes stay after all repairs", w.seed, found)
}

// findings repairs what is left over and says how much that was. Nothing else may be found.
func (w *world) findings(db *session.DB) (found int) {
	for f, err := range db.Checker().All(w.Context(), true) {
		if err != nil {
			w.Errorf("-seed %d: check of indexes: %v", w.seed, err)
			return 0
		}
		if found++; !f.Harmless() {
			w.Errorf("-seed %d: %s: index %s: %s: key %s, row %s. %s", w.seed, f.Table.Name, f.Name, f.Class,
				f.Key, f.Row, f.Detail)
		}
	}
	return found
}

// drawn gives one of several texts.
func drawn(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }
