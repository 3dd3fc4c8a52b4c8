package executor

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/types"
)

// sampleSize is how many values of a column are sampled.
const sampleSize = 20_000

// Statistics reads a table once and says what its rows are like. Of each sampled column,
// given by its ID, it also gathers the keys.Code of values that are not NULL: all of
// them, or a uniform sample of 20,000, which is the same for the same rows.
func Statistics(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, sampled []uint32) (catalog.Stats, [][]uint64, error) {
	columns := make([]columnSurvey, len(t.Columns))
	samples := make([]reservoir, len(sampled))
	for i := range samples {
		samples[i].random = rand.New(rand.NewPCG(1, uint64(i)))
	}
	rows := 0
	for batch, err := range everything(ctx, txn, tables, t, nil) {
		if err != nil {
			return catalog.Stats{}, nil, err
		}
		rows += batch.Len()
		for i := range batch.Len() {
			row := batch.Row(i)
			for c := range columns {
				columns[c].add(row[c])
			}
			for s, id := range sampled {
				c := t.Ordinal(id)
				samples[s].add(row[c], t.Columns[c].Type)
			}
		}
	}
	stats := catalog.Stats{Known: true, Rows: float64(rows), Columns: map[uint32]catalog.ColumnStats{}}
	for c := range columns {
		stats.Columns[t.Columns[c].ID] = columns[c].stats(rows)
	}
	codes := make([][]uint64, len(samples))
	for i := range samples {
		codes[i] = samples[i].codes
	}
	return stats, codes, nil
}

// columnSurvey is what has been seen of a column.
type columnSurvey struct {
	min, max types.Value
	nulls    int
	distinct sketch
	key      []byte
}

func (s *columnSurvey) add(v types.Value) {
	if v.IsNull() {
		s.nulls++
		return
	}
	s.key = types.AppendKey(s.key[:0], v)
	s.distinct.add(hash(s.key))
	switch v.Kind() {
	case types.KindPoint, types.KindJSON, types.KindJSONB:
		return // no index is ordered by them
	}
	if s.min.IsNull() || types.Compare(v, s.min) < 0 {
		s.min = v
	}
	if s.max.IsNull() || types.Compare(v, s.max) > 0 {
		s.max = v
	}
}

func (s *columnSurvey) stats(rows int) catalog.ColumnStats {
	return catalog.ColumnStats{
		Min: s.min, Max: s.max, Distinct: s.distinct.estimate(), Nulls: float64(s.nulls) / math.Max(float64(rows), 1),
	}
}

// sketchSize is how many hashes a sketch keeps; its error is near 1/sqrt(sketchSize).
const sketchSize = 4096

// sketch counts different values by their smallest hashes (Bar-Yossef et al., Counting
// Distinct Elements in a Data Stream, 2002). Up to twice its size it is exact.
type sketch struct {
	hashes map[uint64]bool // the smallest ones, at least sketchSize of them once there were more
	limit  uint64          // none above it is of interest; 0 while all are
}

func (s *sketch) add(h uint64) {
	if s.limit != 0 && h > s.limit {
		return
	}
	if s.hashes == nil {
		s.hashes = map[uint64]bool{}
	}
	s.hashes[h] = true
	if len(s.hashes) > 2*sketchSize {
		s.trim()
	}
}

// trim keeps the sketchSize smallest hashes.
func (s *sketch) trim() {
	all := make([]uint64, 0, len(s.hashes))
	for h := range s.hashes {
		all = append(all, h)
	}
	slices.Sort(all)
	s.limit = all[sketchSize-1]
	for _, h := range all[sketchSize:] {
		delete(s.hashes, h)
	}
}

// estimate reckons from how densely the smallest hashes lie.
func (s *sketch) estimate() float64 {
	if s.limit == 0 {
		return float64(len(s.hashes))
	}
	s.trim()
	return (sketchSize - 1) / (float64(s.limit) / math.Exp2(64))
}

// hash is FNV-1a with its bits mixed once more by MurmurHash3's last step, so that the
// high ones are even too.
func hash(p []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range p {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// reservoir is a uniform sample of a stream (Vitter's algorithm R, 1985).
type reservoir struct {
	random *rand.Rand
	codes  []uint64
	seen   int
}

func (r *reservoir) add(v types.Value, t types.T) {
	if v.IsNull() {
		return
	}
	r.seen++
	if len(r.codes) < sampleSize {
		r.codes = append(r.codes, keys.Code(v, t))
		return
	}
	if at := r.random.IntN(r.seen); at < sampleSize {
		r.codes[at] = keys.Code(v, t)
	}
}
