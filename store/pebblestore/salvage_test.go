package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
)

// history is what was acknowledged of each text, by its sort key, in the order of the commits; "": it is not there.
type history map[string][]string

// lived is the folder of a process that was killed after it had put, replaced and deleted texts, and dropped spaces.
// The space of the texts is Reserved or not.
func lived(t testing.TB, reserved bool) (image, history) {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s, err := openSmall(fs, nil)
	must(t, err)
	texts := *texts
	texts.Reserved = reserved
	must(t, s.Create(ctx, &texts))
	h := history{}
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 200 {
		dropped := &store.Space{ID: store.SpaceID(100 + i/20), Name: fmt.Sprint("dropped", i/20), Sorted: true,
			Columns: texts.Columns}
		must(t, s.Create(ctx, dropped))
		tx := begin(t, s, store.Mode{})
		for range 8 {
			it := textAt(rng.IntN(600), fmt.Sprint(i, " ", strings.Repeat(fmt.Sprint(rng.Uint64()), 20)))
			key := string(it.Key.Sort)
			if rng.IntN(6) == 0 {
				must(t, tx.Delete(&texts, it.Key, store.Always))
				h[key] = append(h[key], "")
				continue
			}
			must(t, tx.Put(&texts, it, store.Always))
			must(t, tx.Put(dropped, it, store.Always))
			h[key] = append(h[key], it.Values[0].Text())
		}
		must(t, tx.Commit(ctx))
		switch {
		case i%20 == 19:
			must(t, s.Drop(ctx, dropped))
		case i%50 == 33:
			must(t, s.db.Flush())
		}
	}
	files := imageOf(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng}))
	must(t, s.Close())
	return files, h
}

// salvage opens the new folder of a salvage after it has ended, and wants the source to be as it was.
func salvage(t *testing.T, files image, fs vfs.FS, what string) (*Store, []store.Loss) {
	t.Helper()
	s, sv := salvageTo(t, files, fs, what)
	if s == nil {
		return nil, nil
	}
	return s, sv.Lost
}

func salvageTo(t *testing.T, files image, fs vfs.FS, what string) (*Store, *Salvage) {
	t.Helper()
	sv, err := OpenSalvage(ctx, "db", "new", Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: smallTable})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil, nil
	}
	var refusal *Refusal
	must(t, sv.Finish())
	if after := imageOf(t, fs); !maps.EqualFunc(files, after, bytes.Equal) {
		t.Errorf("%s: the salvage changed the source", what)
	}
	s, err := Open("new", Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: smallTable})
	if errors.As(err, &refusal) || err != nil {
		t.Errorf("%s: the new folder is not opened: %v", what, err)
		return nil, nil
	}
	return s, sv
}

// within says whether a text is in a range that is lost.
func within(lost []store.Loss, key string) bool {
	at := textAt(0, "").Key
	full := string(at.Partition) + key
	return slices.ContainsFunc(lost, func(l store.Loss) bool {
		begins := l.From.Space < texts.ID || l.From.Space == texts.ID && string(l.From.Key) <= full
		ends := l.To.Space > texts.ID || l.To.Space == texts.ID && (l.To.Key == nil || full <= string(l.To.Key))
		return begins && ends
	})
}

// compare holds a salvaged store against the history: outside of what is lost everything is as it was last, and
// within nothing is there that never was.
func (h history) compare(t *testing.T, s *Store, lost []store.Loss, what string) (missing, old int) {
	t.Helper()
	found := contents(t, s)
	for key, values := range h {
		last, got := values[len(values)-1], found[key]
		switch {
		case got == last:
		case !within(lost, key):
			t.Errorf("%s: text %s is %.20q, want %.20q: %v", what, key, got, last, lost)
		case got == "":
			missing++
		case !slices.Contains(values, got):
			t.Errorf("%s: text %s is %.20q, which it never was", what, key, got)
		default:
			old++
		}
		delete(found, key)
	}
	if len(found) > 0 {
		t.Errorf("%s: %d texts are there that never were", what, len(found))
	}
	return missing, old
}

// earlier says whether the ledger was cut between two records, and a log was changed. That is what a process leaves
// that stopped earlier, so no salvage can tell that commits are missing.
func earlier(whole, files image) bool {
	cut := len(files[ledgerName]) < len(whole[ledgerName])
	if l := newLedger(nil, ""); !cut || l.parse(files[ledgerName]) != nil || l.torn {
		return false
	}
	for name, content := range whole {
		if ofLog(name) && !bytes.Equal(content, files[name]) {
			return true
		}
	}
	return false
}

// TestSalvage damages one file of a store after the other, in some rounds a second one, and salvages it.
func TestSalvage(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	whole, h := lived(t, false)
	counts := map[string]int{}
	for range mutationsOr(1500) {
		files := maps.Clone(whole)
		file, how := files.mutate(rng)
		what := file + ", " + how
		if rng.IntN(4) == 0 {
			file, how = files.mutate(rng)
			what += "; " + file + ", " + how
		}
		s, lost := salvage(t, files, files.onDisk(t), what)
		if s == nil {
			continue
		}
		counts["salvages"]++
		if len(lost) == 0 {
			counts["nothing lost"]++
		}
		if earlier(whole, files) {
			counts["earlier"]++
			lost = []store.Loss{{To: positionOf(nil, math.MaxUint64)}}
		}
		missing, old := h.compare(t, s, lost, what)
		must(t, s.Close())
		counts["missing"] += missing
		counts["old"] += old
	}
	t.Logf("of %d texts: %v", len(h), counts)
}

// TestSalvageCut cuts the end of each file of rows off, so that nothing tells where in it what is: no row is lost
// for that.
func TestSalvageCut(t *testing.T) {
	whole, h := lived(t, false)
	for name, content := range whole {
		if !ofTable(name) || len(content) == 0 {
			continue
		}
		files := maps.Clone(whole)
		files[name] = content[:len(content)-1]
		s, lost := salvage(t, files, files.onDisk(t), name)
		if s == nil {
			continue
		}
		if missing, old := h.compare(t, s, lost, name); missing+old > 0 {
			t.Errorf("%s: %d texts are missing, and %d are old: %v", name, missing, old, lost)
		}
		must(t, s.Close())
	}
}

// TestSalvageReserved is TestSalvage of a space that is kept twice: where it is said to be whole it is as it was.
func TestSalvageReserved(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	whole, h := lived(t, true)
	counts := map[string]int{}
	for range mutationsOr(400) {
		files := maps.Clone(whole)
		file, how := files.mutate(rng)
		what := file + ", " + how
		s, sv := salvageTo(t, files, files.onDisk(t), what)
		if s == nil {
			continue
		}
		lost := sv.Lost
		if slices.Contains(sv.Whole, texts.ID) {
			if lost = nil; len(sv.Lost) > 0 {
				counts["restored"]++
			}
		}
		missing, old := h.compare(t, s, lost, what)
		must(t, s.Close())
		counts["salvages"]++
		counts["missing"] += missing
		counts["old"] += old
	}
	t.Logf("of %d texts: %v", len(h), counts)
}
