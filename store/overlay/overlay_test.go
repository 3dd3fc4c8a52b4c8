package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/store"
)

// walk is a cursor in the middle of its way, and what it must still give.
type walk struct {
	cursor Cursor[int]
	want   []string
}

func (w *walk) step(t *testing.T) {
	t.Helper()
	got, ok := w.cursor.Next(nil)
	if !ok || len(w.want) == 0 {
		if ok || len(w.want) > 0 {
			t.Fatalf("cursor gives %q, want %q", show(got), w.want)
		}
		return
	}
	if show(got) != w.want[0] {
		t.Fatalf("cursor gives %q, want %q", show(got), w.want)
	}
	w.want = w.want[1:]
}

func (w *walk) all(t *testing.T) {
	t.Helper()
	for len(w.want) > 0 {
		w.step(t)
	}
	w.step(t)
}

func show(w Write[int]) string {
	if w.Delete {
		return fmt.Sprintf("%q gone", w.Key)
	}
	return fmt.Sprintf("%q %d", w.Key, w.Payload)
}

func randomKey(rng *rand.Rand) (store.SpaceID, store.Key) {
	key := store.Key{Partition: []byte{"\x00a\xff"[rng.IntN(3)]}}
	for range rng.IntN(4) {
		key.Sort = append(key.Sort, "\x00a\xff"[rng.IntN(3)])
	}
	return store.SpaceID(1 + rng.IntN(2)), key
}

// begin starts a cursor over a random range of the model.
func begin(rng *rand.Rand, o *Overlay[int], model map[string]string, at *store.Mark) *walk {
	id, a := randomKey(rng)
	_, b := randomKey(rng)
	from, to := AppendBounds(nil, id, store.Range{From: a.Sort, To: b.Sort})
	if rng.IntN(3) == 0 {
		from, to = AppendBounds(nil, id, store.Range{Partition: a.Partition, From: b.Sort})
	}
	reverse := rng.IntN(2) == 0
	w := &walk{cursor: o.Cursor(from, to, reverse, at)}
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if string(from) <= key && key < string(to) {
			w.want = append(w.want, model[key])
		}
	}
	if reverse {
		slices.Reverse(w.want)
	}
	return w
}

// look reads one key.
func look(t *testing.T, o *Overlay[int], whole string, at *store.Mark, model map[string]string) {
	t.Helper()
	got, ok := o.Get([]byte(whole), at)
	if want, there := model[whole]; ok != there || ok && show(got) != want {
		t.Fatalf("Get gives %q, want %q", show(got), want)
	}
}

// marked is what there was at a mark.
type marked struct {
	mark  store.Mark
	model map[string]string
	walks []*walk // that began before
}

// TestModel writes at random while cursors are under way, goes back to marks, and
// compares with a map.
func TestModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 120 {
		o := Overlay[int]{direct: []int{1, 10, blockSize}[rng.IntN(3)]}
		model := map[string]string{}
		var walks []*walk
		var marks []marked
		reads := 1 + rng.IntN(7) // fewer let more writes wait
		for i := range 300 {
			id, key := randomKey(rng)
			whole := string(AppendKey(nil, id, key))
			action := rng.IntN(7)
			if action != 1 && rng.IntN(reads) > 0 {
				action = 2
			}
			switch action {
			case 6:
				if len(marks) == 0 || rng.IntN(2) == 0 {
					marks = append(marks, marked{o.Mark(), maps.Clone(model), slices.Clone(walks)})
					break
				}
				marks = marks[:1+rng.IntN(len(marks))]
				m := marks[len(marks)-1]
				o.RollbackTo(m.mark)
				model, walks = maps.Clone(m.model), slices.Clone(m.walks)
			case 0:
				walks = append(walks, begin(rng, &o, model, nil))
				for _, m := range marks {
					begin(rng, &o, m.model, &m.mark).all(t)
				}
			case 1:
				if err := o.Delete(id, key, store.Always); err != nil {
					t.Fatal(err)
				}
				model[whole] = show(Write[int]{Key: whole, Delete: true})
			case 2, 3:
				guard := store.Always
				if _, there := model[whole]; !there && rng.IntN(3) == 0 {
					guard = store.Absent
				}
				if err := o.Put(id, key, i, guard); err != nil {
					t.Fatal(err)
				}
				model[whole] = show(Write[int]{Key: whole, Payload: i})
			case 4:
				look(t, &o, whole, nil, model)
				for _, m := range marks {
					look(t, &o, whole, &m.mark, m.model)
				}
			default:
				if len(walks) > 0 {
					walks[rng.IntN(len(walks))].step(t)
				}
			}
		}
		for _, w := range walks {
			w.all(t)
		}
		compareAll(t, &o, model)
	}
}

// compareAll compares all writes with a model.
func compareAll(t *testing.T, o *Overlay[int], model map[string]string) {
	t.Helper()
	all, empty := &walk{}, o.Empty()
	for w := range o.All {
		all.want = append(all.want, show(w))
	}
	want := slices.Collect(func(yield func(string) bool) {
		for _, key := range slices.Sorted(maps.Keys(model)) {
			if !yield(model[key]) {
				return
			}
		}
	})
	if !slices.Equal(all.want, want) || o.Len() != len(want) || empty != (len(want) == 0) {
		t.Fatalf("All gives %q, want %q", all.want, want)
	}
}

// TestNextUpTo stops a cursor at given keys, in both directions.
func TestNextUpTo(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		var o Overlay[int]
		for i, c := range "bdf" {
			if err := o.Put(1, store.Key{Partition: []byte(string(c))}, i, store.Always); err != nil {
				t.Fatal(err)
			}
		}
		from, to := AppendBounds(nil, 1, store.Range{})
		c := o.Cursor(from, to, reverse, nil)
		stops, want := "abcdeg", "a bb c dd e fg "
		if reverse {
			stops, want = "gedcba", "g fe dd c bb a "
		}
		got := ""
		for _, stop := range stops {
			key := AppendKey(nil, 1, store.Key{Partition: []byte(string(stop))})
			for w, ok := c.Next(key); ok; w, ok = c.Next(key) {
				got += w.Key[SpaceBytes:]
			}
			got += string(stop) + " "
		}
		if got != want || !c.Done() {
			t.Errorf("reverse %v: %q, want %q", reverse, got, want)
		}
	}
}

func TestGuards(t *testing.T) {
	var o Overlay[int]
	key := store.Key{Partition: []byte("k")}
	steps := []struct {
		put   bool
		guard store.Guard
		err   error
	}{
		{true, store.Unchanged, nil},
		{true, store.Absent, store.ErrConflict},
		{false, store.Unchanged, nil},
		{true, store.Absent, nil},
		{true, store.Always, nil},
	}
	for i, step := range steps {
		err := o.Delete(1, key, step.guard)
		if step.put {
			err = o.Put(1, key, i, step.guard)
		}
		if !errors.Is(err, step.err) {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	w, _ := o.Get(AppendKey(nil, 1, key), nil)
	if w.Guard != store.Unchanged || w.Delete || w.Payload != 4 || w.Partition != 1 {
		t.Fatalf("%+v", w)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		r        store.Range
		from, to string
	}{
		{store.Range{}, "", "\x00\x00\x00\x00\x00\x00\x00\x08"},
		{store.Range{From: []byte("a")}, "a", "\x00\x00\x00\x00\x00\x00\x00\x08"},
		{store.Range{From: []byte("a"), To: []byte("b")}, "a", "b"},
		{store.Range{Partition: []byte("p")}, "p", "q"},
		{store.Range{Partition: []byte("p\xff"), From: []byte("x")}, "p\xffx", "q"},
		{store.Range{Partition: []byte("p"), To: []byte("")}, "p", "p"},
	} {
		from, to := AppendBounds([]byte("before"), 7, c.r)
		space := "\x00\x00\x00\x00\x00\x00\x00\x07"
		if len(c.to) < SpaceBytes {
			c.to = space + c.to
		}
		if string(from) != space+c.from || string(to) != c.to {
			t.Errorf("%+v: %q to %q", c.r, from, to)
		}
	}
}

// BenchmarkPut loads a transaction, in key order and not.
func BenchmarkPut(b *testing.B) {
	for _, random := range []bool{false, true} {
		b.Run(fmt.Sprintf("random=%v", random), func(b *testing.B) {
			b.ReportAllocs()
			var o Overlay[[]byte]
			payload := bytes.Repeat([]byte("x"), 40)
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range b.N {
				n := uint64(i)
				if random {
					n = rng.Uint64()
				}
				key := fmt.Appendf(nil, "%016x", n)
				if err := o.Put(1, store.Key{Partition: key[:8], Sort: key[8:]}, payload, store.Absent); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
