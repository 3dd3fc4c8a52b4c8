package executor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestPagedListRandom reads random rows in many orders, from memory and from files, and looks at what is held.
func TestPagedListRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 12))
	for range 50 {
		f := frame{ctx: t.Context(), env: tight(t, 1)}
		held := f.hold()
		l := &pagedList[types.Row]{frame: f, held: &held, form: &rowForm{width: 2}, fewest: 1 + random.IntN(3)}
		most := int64(random.IntN(40_000))
		rows := make([]types.Row, 1+random.IntN(1000))
		moves, long := random.IntN(len(rows)), 1+random.IntN(300)
		for i := range rows {
			rows[i] = row(i, strings.Repeat("x", random.IntN(long)))
			if i == moves {
				if err := l.toFile(most); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.add(rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
		at := 0
		for range 3000 {
			if at += random.IntN(9) - 3; at < 0 || at >= len(rows) || random.IntN(50) == 0 {
				at = random.IntN(len(rows))
			}
			got, err := l.at(at)
			if err != nil || rowText(got) != rowText(rows[at]) {
				t.Fatalf("row %d of %d: %v, not %v; %v", at, len(rows), got, rows[at], err)
			}
			known := int64(len(l.pages)) * pageOverhead
			if held.bytes != l.bytes+known || l.bytes > most && len(l.loaded) > l.fewest {
				t.Fatalf("%d bytes are held, %d of %d pages, of which %d bytes may be", held.bytes, l.bytes,
					len(l.loaded), most)
			}
		}
		l.clear()
		held.release()
		if f.env.memory.used != 0 {
			t.Errorf("%d bytes are still held", f.env.memory.used)
		}
	}
}

// decodings counts the pages that are decoded.
type decodings struct {
	numberForm
	count int
}

func (d *decodings) decode(p []byte, count int) ([]int, error) {
	d.count++
	return d.numberForm.decode(p, count)
}

// TestPagedListReadsOnce reads the numbers of a file from several of them on at once: each page is decoded once by each
// reading, if so many may be loaded.
func TestPagedListReadsOnce(t *testing.T) {
	f := frame{ctx: t.Context(), env: tight(t, 1)}
	held, form := f.hold(), &decodings{}
	defer held.release()
	l := &pagedList[int]{frame: f, held: &held, form: form, fewest: 4}
	if err := l.toFile(0); err != nil {
		t.Fatal(err)
	}
	const count = 100_000
	for i := range count {
		if err := l.add(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	defer l.clear()
	for i := range count {
		for _, ahead := range []int{0, 1, 5000} {
			want := min(i+ahead, count-1)
			if got, err := l.at(want); got != want || err != nil {
				t.Fatalf("number %d: %d, %v", want, got, err)
			}
		}
	}
	if pages := len(l.pages); pages < 100 || form.count > 2*pages+4 {
		t.Errorf("%d pages were decoded, of %d", form.count, pages)
	}
}
