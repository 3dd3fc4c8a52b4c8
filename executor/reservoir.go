package executor

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/types"
)

const (
	// sampleRows is how many rows are sampled: PostgreSQL's 300 for each piece of a histogram.
	sampleRows = 300 * histogramPieces
	// sampleBytes is how much memory a sample may take. Of rows that are wider there are fewer.
	sampleBytes = 64 << 20
	// wideBytes is the length beyond which a value is of no use but for what it begins with, as
	// in PostgreSQL.
	wideBytes = 1024
	// wideElements is the length beyond which not even the elements of a value are of use. A document takes about
	// documentBytes times as much memory as it is long.
	wideElements, documentBytes = 16 << 10, 4
)

// sampledRow is a row of a sample with its number among all rows.
type sampledRow struct {
	number int
	row    types.Row
	bytes  int
	cut    map[int]int // by ordinal: how many bytes a value has lost; nil: none has
}

// reservoir is a uniform sample of a stream of rows (Vitter's algorithm R, 1985), the same one
// for the same rows. When the rows together take too much memory, it goes on with half of them.
type reservoir struct {
	random *rand.Rand
	rows   []sampledRow
	most   int // rows
	budget int // bytes
	bytes  int
	seen   int
}

func newReservoir(rows, bytes int) *reservoir {
	return &reservoir{random: rand.New(rand.NewPCG(1, 0)), most: rows, budget: bytes}
}

func (r *reservoir) add(row types.Row) {
	number := r.seen
	r.seen++
	if len(r.rows) < r.most {
		kept := keepSampled(make(types.Row, len(row)), row, number)
		r.rows, r.bytes = append(r.rows, kept), r.bytes+kept.bytes
	} else {
		at := r.random.IntN(r.seen)
		if at >= r.most {
			return
		}
		kept := keepSampled(r.rows[at].row, row, number)
		r.bytes += kept.bytes - r.rows[at].bytes
		r.rows[at] = kept
	}
	for r.bytes > r.budget && len(r.rows) > 1 {
		r.halve()
	}
}

// halve keeps a uniform half of the sample, which is one of the stream as well.
func (r *reservoir) halve() {
	r.random.Shuffle(len(r.rows), func(i, j int) { r.rows[i], r.rows[j] = r.rows[j], r.rows[i] })
	r.most = (len(r.rows) + 1) / 2
	r.rows, r.bytes = slices.Clone(r.rows[:r.most]), 0
	for i := range r.rows {
		r.bytes += r.rows[i].bytes
	}
}

// ordered is the sample in the order of the stream.
func (r *reservoir) ordered() []sampledRow {
	slices.SortFunc(r.rows, func(a, b sampledRow) int { return cmp.Compare(a.number, b.number) })
	return r.rows
}

// keepSampled copies a row of a stream. Texts are copied, since they may lie in the memory of a
// whole batch.
func keepSampled(to, from types.Row, number int) sampledRow {
	const fixed = 32 // of each value
	kept := sampledRow{number: number, row: to, bytes: fixed * len(from)}
	for i, v := range from {
		var size, cut int
		to[i], size, cut = keepValue(v)
		kept.bytes += size
		if cut > 0 {
			if kept.cut == nil {
				kept.cut = map[int]int{}
			}
			kept.cut[i] = cut
		}
	}
	return kept
}

// keepValue copies a value and says how much memory it takes beside itself, and how many bytes it has lost. A wide one
// that has a beginning is cut, but stays wide; others become NULL, those with elements only if they are very wide.
func keepValue(v types.Value) (kept types.Value, size, cut int) {
	switch v.Kind() {
	case types.KindText, types.KindBpchar, types.KindCitext, types.KindCollated, types.KindBytes, types.KindJSON:
		kept, size = keepText(v)
		return kept, size, len(v.Text()) - size
	case types.KindNumeric, types.KindRecord, types.KindRange, types.KindJSONPath:
		return keepUpTo(wideBytes, v)
	case types.KindArray:
		return keepUpTo(wideElements, v)
	case types.KindJSONB:
		kept, size, cut = keepUpTo(wideElements, v)
		return kept, documentBytes * size, cut
	}
	return v, 0, 0
}

func keepUpTo(most int, v types.Value) (kept types.Value, size, cut int) {
	size = len(types.AppendKey(nil, v))
	if size > most {
		return types.Null, 0, size
	}
	return v, size, 0
}

func keepText(v types.Value) (types.Value, int) {
	s := v.Text()
	if len(s) > wideBytes+utf8.UTFMax {
		s = s[:wideBytes+utf8.UTFMax]
		for last, size := utf8.DecodeLastRuneInString(s); last == utf8.RuneError && size == 1 && len(s) > wideBytes+1; {
			s = s[:len(s)-1] // it ended within a character
			last, size = utf8.DecodeLastRuneInString(s)
		}
	}
	return v.WithText(strings.Clone(s)), len(s)
}
