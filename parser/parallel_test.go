package parser

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"zproxy/internal/testseed"
)

// TestParallel reads texts in many goroutines at once, and wants each to be read as it is alone. The error stream
// of the process must stay where it is: a libpg_query built without DEBUG points it at a pipe while it reads.
func TestParallel(t *testing.T) {
	texts := scripted(t)
	alone := make([]string, len(texts))
	for i, sql := range texts {
		alone[i] = parse(sql, tree{})
	}
	before := stderr(t)
	var workers sync.WaitGroup
	seed := testseed.Of(t)
	for worker := range uint64(8) {
		order := rand.New(rand.NewPCG(seed, worker)).Perm(len(texts))
		workers.Go(func() {
			for _, i := range order {
				if got := parse(texts[i], tree{}); got != alone[i] {
					t.Errorf("%s\nis read as\n%s\nand alone as\n%s", texts[i], got, alone[i])
				}
				if !os.SameFile(before, stderr(t)) {
					t.Error("the error stream goes elsewhere")
				}
			}
		})
	}
	workers.Wait()
}

// stderr is the file that the error stream of the process goes to.
func stderr(t *testing.T) os.FileInfo {
	info, err := os.Stderr.Stat()
	if err != nil {
		t.Error(err)
	}
	return info
}
