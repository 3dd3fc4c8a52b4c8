package pebblestore

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
)

var mutations = flag.Int("mutations", 0, "how many mutations each test makes; 0: a number of its own")

// mutationsOr is how many mutations a test makes that makes few unless told otherwise. The number is fixed, not the
// time, so that a seed tells all that a run does.
func mutationsOr(few int) int { return cmp.Or(*mutations, few) }

const smallTable = 64 << 10

func openSmall(fs vfs.FS, fatal func(error)) (*Store, error) {
	return Open("db", Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: smallTable, Fatal: fatal})
}

// image is the files of a folder.
type image map[string][]byte

func imageOf(t testing.TB, fs vfs.FS) image {
	t.Helper()
	files := image{}
	names, err := fs.List("db")
	must(t, err)
	for _, name := range names {
		f, err := fs.Open(fs.PathJoin("db", name))
		must(t, err)
		files[name], err = io.ReadAll(f)
		must(t, errors.Join(err, f.Close()))
	}
	return files
}

func (m image) onDisk(t testing.TB) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	must(t, fs.MkdirAll("db", 0o700))
	for name, content := range m {
		f, err := fs.Create(fs.PathJoin("db", name), vfs.WriteCategoryUnspecified)
		must(t, err)
		if len(content) > 0 {
			_, err = f.Write(slices.Clone(content))
		}
		must(t, errors.Join(err, f.Close()))
	}
	return fs
}

// killed is the folder of a process that was killed, and how many texts it had acknowledged.
func killed(t testing.TB) (image, int) {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s, err := openSmall(fs, nil)
	must(t, err)
	must(t, s.Create(ctx, texts))
	rng := rand.New(rand.NewPCG(1, 1))
	const commits, each = 120, 10
	for i := range commits {
		tx := begin(t, s, store.Mode{})
		for k := range each {
			n := k*commits + i // all over the keys
			value := fmt.Sprint(n, " ", strings.Repeat(fmt.Sprint(rng.Uint64()), 20))
			must(t, tx.Put(texts, textAt(n, value), store.Absent))
		}
		must(t, tx.Commit(ctx))
	}
	files := imageOf(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng}))
	must(t, s.Close())
	return files, commits * each
}

// mutate changes one file in one of the ways in which disks and people do.
func (m image) mutate(rng *rand.Rand) (file, what string) {
	names := make([]string, 0, len(m))
	for name := range m {
		if name != "LOCK" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	file = names[rng.IntN(len(names))]
	b := slices.Clone(m[file])
	m[file] = b
	kind := rng.IntN(20)
	switch {
	case kind == 0 || len(b) == 0:
		delete(m, file)
		return file, "missing"
	case kind < 4:
		m[file] = b[:rng.IntN(len(b))]
		return file, fmt.Sprintf("truncated to %d of %d", len(m[file]), len(b))
	case kind < 7:
		at := rng.IntN(len(b)) &^ 511
		end := min(len(b), at+512<<rng.IntN(4))
		clear(b[at:end])
		return file, fmt.Sprintf("zero from %d to %d", at, end)
	default:
		bit := rng.IntN(8 * len(b))
		b[bit/8] ^= 1 << (bit % 8)
		return file, fmt.Sprintf("bit %d of byte %d of %d", bit%8, bit/8, len(b))
	}
}

// readAll reads every text, by a scan and by keys.
func readAll(s *Store, n int) error {
	tx, err := s.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows := 0
	for batch, err := range tx.Scan(ctx, texts, &store.Scan{Columns: []int{0}, Stats: &store.Stats{}}) {
		if err != nil {
			return err
		}
		for i := range batch.Len() {
			if got := batch.Row(i)[0].Text(); !strings.HasPrefix(got, fmt.Sprint(rows, " ")) {
				return fmt.Errorf("LOST: text %d is %.20q", rows, got)
			}
			rows++
		}
	}
	if rows != n {
		return fmt.Errorf("LOST: %d texts of %d", rows, n)
	}
	for i := 0; i < n; i += 7 {
		there, err := tx.Get(ctx, texts, &store.Get{Keys: []store.Key{textAt(i, "").Key}, Columns: []int{0},
			Stats: &store.Stats{}}, types.NewBatch(1))
		if err != nil || !there[0] {
			return errors.Join(err, fmt.Errorf("LOST: no text %d", i))
		}
	}
	return nil
}

// TestMutations damages one file of a store after the other. Each start must find all texts, or say which file
// is damaged, and a store that is not opened must be left as it was.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	whole, n := killed(t)
	counts := map[string]int{}
	for name := range whole {
		counts["file "+strings.TrimRight(strings.Map(dropDigits, name), ".-")]++
	}
	done := mutationsOr(3000)
	for range done {
		files := image{}
		for name, content := range whole {
			files[name] = content
		}
		file, what := files.mutate(rng)
		fs := files.onDisk(t)
		found, err := outcome(fs, n)
		counts[found]++
		switch {
		case found == "all rows":
		case strings.Contains(err.Error(), "LOST") || !strings.Contains(err.Error(), file) &&
			!strings.Contains(err.Error(), ledgerName):
			t.Errorf("%s, %s: %s: %v", file, what, found, err)
		case found == "refused":
			wantSame(t, file, files, imageOf(t, fs))
		}
	}
	t.Logf("%d mutations: %v", done, counts)
}

func dropDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

func wantSame(t *testing.T, file string, before, after image) {
	t.Helper()
	for name, content := range before {
		if got, there := after[name]; !there || string(got) != string(content) {
			t.Errorf("%s was damaged, and the refusal changed %s", file, name)
		}
	}
}

// outcome is what a start, and reading everything, comes to.
func outcome(fs vfs.FS, n int) (found string, err error) {
	s, err := openSmall(fs, nil)
	if err != nil {
		if !errors.As(err, new(*Refusal)) {
			return "not opened", err
		}
		return "refused", err
	}
	err = readAll(s, n)
	var damage *store.Damaged
	switch {
	case err == nil:
		found = "all rows"
	case errors.As(err, &damage):
		found, err = "read error", fmt.Errorf("%w, spaces %v", err, damage.Spaces)
	default:
		found = "other error"
	}
	return found, errors.Join(err, s.Close())
}
