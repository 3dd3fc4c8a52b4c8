package pebblestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/encoding/rows"
	"zproxy/internal/testseed"
	"zproxy/store/overlay"
)

// before is the folder of a version that kept no ledger: what Pebble makes by itself. It was closed, or killed.
func before(t *testing.T, n int, killed bool) image {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s := &Store{}
	o := s.options(Options{MemTableBytes: smallTable, CacheBytes: 1 << 20})
	o.FS = fs
	must(t, fs.MkdirAll("db", 0o700))
	db, err := pebble.Open("db", o)
	must(t, err)
	must(t, db.Set(recordKey(texts.ID), []byte(texts.Name), pebble.Sync))
	for i := range n {
		it := textAt(i, fmt.Sprint(i, " ", strings.Repeat("x", 400)))
		must(t, db.Set(overlay.AppendKey(nil, texts.ID, it.Key), rows.Append(nil, texts.Columns, it.Values),
			pebble.Sync))
	}
	if killed {
		files := imageOf(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100,
			RNG: rand.New(rand.NewPCG(1, 1))}))
		must(t, db.Close())
		return files
	}
	must(t, db.Close())
	return imageOf(t, fs)
}

// TestAdopt opens folders of a version that kept no ledger: with all rows, twice, or not, if that version was
// killed, and then the folder is as it was.
func TestAdopt(t *testing.T) {
	for _, n := range []int{0, 1, 50, 900} {
		for _, killed := range []bool{false, true} {
			files := before(t, n, killed)
			fs := files.onDisk(t)
			what := fmt.Sprintf("%d texts, killed %t", n, killed)
			s, err := openSmall(fs, nil)
			var refusal *Refusal
			if killed && errors.As(err, &refusal) &&
				strings.Contains(refusal.Hint, "with the version that made the folder") {
				wantSame(t, what, files, imageOf(t, fs))
				s, lost := salvage(t, files, fs, what)
				if err := readAll(s, n); err != nil || len(lost) > 0 {
					t.Errorf("%s: salvaged: %v, lost %v", what, err, lost)
				}
				must(t, s.Close())
				continue
			}
			must(t, err)
			for range 2 {
				if err := readAll(s, n); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				writeText(t, s, "new") // under the number 1
				must(t, s.Drop(ctx, texts))
				must(t, s.Close())
				if s, err = openSmall(fs, nil); err != nil {
					t.Fatal(err)
				}
				n = 0
			}
			must(t, s.Close())
		}
	}
}

// TestAdoptDamaged damages folders of a version that kept no ledger: there are all rows, or an error.
func TestAdoptDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	const n = 900
	whole := before(t, n, false)
	counts := map[string]int{}
	for range 300 {
		files := image{}
		for name, content := range whole {
			files[name] = content
		}
		file, what := files.mutate(rng)
		if strings.HasSuffix(file, ".log") && !strings.Contains(what, "bit") {
			continue // where a log ends is not known without a ledger
		}
		fs := files.onDisk(t)
		found, err := outcome(fs, n)
		counts[found]++
		if err != nil && strings.Contains(err.Error(), "LOST") {
			t.Errorf("%s, %s: %s: %v", file, what, found, err)
		}
		if found == "refused" {
			wantSame(t, file, files, imageOf(t, fs))
		}
	}
	t.Log(counts)
}
