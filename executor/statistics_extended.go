package executor

import (
	"cmp"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/types"
)

// collects says whether a kind is collected for a statistics object.
func collects(x *catalog.Statistics, kind extended.Kind) bool {
	return slices.Contains(x.Kinds, kind) && (x.Target == nil || *x.Target > 0)
}

// grouped is how many values columns have together, if that was counted.
type grouped func(columns []uint32) (extended.Group, bool)

// extended is what the rows have shown for the statistics objects that are asked for: of all rows how many values there
// are, and the rest of the sample. One without a target keeps what is known.
func (s *Survey) extended(asked []*catalog.Statistics, counted grouped) map[uint32]extended.Data {
	var out map[uint32]extended.Data
	for _, x := range asked {
		data, ok := s.table.Stats.Extended[x.ID]
		if x.Target == nil || *x.Target > 0 {
			data, ok = s.extendedOf(x, counted)
		}
		if !ok {
			continue
		}
		if out == nil {
			out = map[uint32]extended.Data{}
		}
		out[x.ID] = data
	}
	return out
}

func (s *Survey) extendedOf(x *catalog.Statistics, counted grouped) (extended.Data, bool) {
	data := extended.Data{Columns: x.Members()}
	sample, ok := newTuples(s, data.Columns)
	if !ok {
		return data, false
	}
	for _, of := range sample.of {
		if of.computed == nil {
			continue
		}
		e := extended.Expression{ID: of.ID, Type: of.Type}
		for _, at := range of.reads {
			e.Reads = append(e.Reads, s.table.Columns[at].ID)
		}
		data.Expressions = append(data.Expressions, e)
	}
	subsets := extended.Subsets(data.Columns, 2)
	slices.Reverse(subsets)
	for _, columns := range subsets {
		if g, ok := counted(columns); ok && collects(x, extended.Distinct) {
			data.Groups = append(data.Groups, g)
		}
	}
	if collects(x, extended.Dependencies) {
		data.Dependencies = sample.dependencies()
	}
	if collects(x, extended.Common) {
		most := mostCommon
		if x.Target != nil {
			most = *x.Target
		}
		data.Common = sample.common(s.Stats.Rows, most)
	}
	return data, true
}

// tuples are the values of some columns in the rows of a sample.
type tuples struct {
	columns []uint32
	of      []measured
	sample  []sampledRow
	hashes  [][]uint64 // of the values, by row and column
}

// newTuples takes columns and expressions of a sample; false without rows.
func newTuples(s *Survey, columns []uint32) (*tuples, bool) {
	t := &tuples{columns: columns, sample: s.sample}
	for _, id := range columns {
		at := slices.IndexFunc(s.surveys, func(c columnSurvey) bool { return c.of.ID == id })
		if at < 0 {
			return nil, false
		}
		t.of = append(t.of, s.surveys[at].of)
	}
	var key []byte
	for _, r := range s.sample {
		hashes := make([]uint64, len(columns))
		for i, of := range t.of {
			if v := of.value(r.row); !v.IsNull() {
				key = types.AppendKey(key[:0], v)
				hashes[i] = hash(key)
			}
		}
		t.hashes = append(t.hashes, hashes)
	}
	return t, len(t.sample) > 0
}

// dependencies are the degrees to which columns follow from others, by PostgreSQL's measure: the share of the rows
// whose values of the others go with one value alone.
func (t *tuples) dependencies() []extended.Dependency {
	var out []extended.Dependency
	for _, from := range extended.Subsets(t.columns, 1) {
		for _, to := range t.columns {
			if slices.Contains(from, to) {
				continue
			}
			if degree := t.degree(from, to); degree > 0 {
				out = append(out, extended.Dependency{From: from, To: to, Degree: degree})
			}
		}
	}
	return out
}

// degree is the share of the rows that have no other value of a column than all rows with their values of some others.
func (t *tuples) degree(from []uint32, to uint32) float64 {
	type group struct {
		value uint64
		rows  int
		mixed bool
	}
	groups := map[uint64]*group{}
	at, on := t.ordinals(from), slices.Index(t.columns, to)
	for _, hashes := range t.hashes {
		h := hashOf(at, func(i int) uint64 { return hashes[i] })
		g := groups[h]
		if g == nil {
			g = &group{value: hashes[on]}
			groups[h] = g
		}
		g.rows++
		g.mixed = g.mixed || g.value != hashes[on]
	}
	rows := 0
	for _, g := range groups {
		if !g.mixed {
			rows += g.rows
		}
	}
	return float64(rows) / float64(len(t.sample))
}

// ordinals are those of some of the columns.
func (t *tuples) ordinals(columns []uint32) []int {
	out := make([]int, len(columns))
	for i, id := range columns {
		out[i] = slices.Index(t.columns, id)
	}
	return out
}

// hashOf is a hash of several values, of which each has one.
func hashOf(at []int, each func(at int) uint64) uint64 {
	h := uint64(len(at))
	for _, i := range at {
		h = mix(h*0x9e3779b97f4a7c15 + each(i))
	}
	return h
}

// tupleRun is a combination of values in a sample: the first row with it, and how many there are.
type tupleRun struct{ first, count int }

// common are the most common combinations of values, at most so many, of a table of so many rows. As in PostgreSQL
// those are left out that are so rare in the sample that it tells little about them.
func (t *tuples) common(rows float64, most int) []extended.Combination {
	all := t.ordinals(t.columns)
	found := map[uint64]int{}
	var runs []tupleRun
	alone := make([]map[uint64]int, len(t.columns)) // how many rows have each value of each column
	for i := range alone {
		alone[i] = map[uint64]int{}
	}
	for n, hashes := range t.hashes {
		for i, h := range hashes {
			alone[i][h]++
		}
		h := hashOf(all, func(i int) uint64 { return hashes[i] })
		at, met := found[h]
		if !met {
			at = len(runs)
			found[h] = at
			runs = append(runs, tupleRun{first: n})
		}
		runs[at].count++
	}
	slices.SortStableFunc(runs, func(a, b tupleRun) int { return cmp.Compare(b.count, a.count) })
	sampled := float64(len(t.sample))
	least := leastCount(sampled, math.Max(rows, sampled))
	var out []extended.Combination
	for _, run := range runs[:min(len(runs), most)] {
		if float64(run.count) < least {
			break
		}
		r := t.sample[run.first]
		c := extended.Combination{Share: float64(run.count) / sampled, Base: 1}
		cut := false
		for i, of := range t.of {
			v := of.value(r.row)
			c.Values = append(c.Values, v)
			c.Base *= float64(alone[i][t.hashes[run.first][i]]) / sampled
			cut = cut || of.lost(r) > 0 || !v.IsNull() && !fits(v)
		}
		if !cut {
			out = append(out, c)
		}
	}
	return out
}

// leastCount is how many rows of a sample must have a combination for its share to be known to a fifth: PostgreSQL's
// bound, by the standard deviation of a hypergeometric distribution.
func leastCount(sampled, rows float64) float64 {
	below := rows - sampled + 0.04*sampled*(rows-1)
	if below == 0 {
		return 0
	}
	return sampled * (rows - sampled) / below
}
