package executor

import (
	"math"
	"math/rand/v2"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/types"
)

// tree adds up what was read of the partitions of a table, which have its columns. Of all together there is more to say
// than that of each.
type tree struct {
	whole   *Survey
	asked   []*catalog.Statistics
	surveys []columnSurvey
	columns []united // of surveys
	groups  []unitedGroup
	random  *rand.Rand
}

// united counts the values that several partitions have together.
type united struct {
	distinct distinctCount
	// Of the partitions, each alone, are found that were met, and thought that all rows are thought to have.
	found, thought float64
	nulls          float64 // rows
	min, max       types.Value
}

// unitedGroup counts those of a group of columns. It is missing if one of the partitions has not counted it.
type unitedGroup struct {
	groupSurvey
	united
	missing bool
}

// Whole begins with a table that has partitions, and the statistics objects to collect for.
func (by Reading) Whole(t *catalog.Table) *Survey {
	out := &Survey{table: t, Stats: catalog.Stats{Known: true, Columns: map[uint32]catalog.ColumnStats{}}}
	out.tree = &tree{whole: out, asked: by.Extended, surveys: surveysOf(t, by.Computed),
		random: rand.New(rand.NewPCG(1, 0))}
	out.surveys, out.all = out.tree.surveys, map[uint32]catalog.ColumnStats{}
	out.tree.columns = make([]united, len(out.tree.surveys))
	for _, g := range groupsOf(t, by.Computed, by.Extended) {
		out.tree.groups = append(out.tree.groups, unitedGroup{groupSurvey: g})
	}
	return out
}

// Add adds to that of a whole table what was read of a partition.
func (s *Survey) Add(partition *Survey) { s.tree.add(partition) }

func (t *tree) add(s *Survey) {
	t.addSample(s)
	t.whole.Stats.Rows += s.Stats.Rows
	t.whole.Rows, t.whole.Parts, t.whole.Of = t.whole.Rows+s.Rows, t.whole.Parts+s.Parts, t.whole.Of+s.Of
	t.whole.Charged += s.Charged
	for i, c := range t.surveys {
		at := slices.IndexFunc(s.of.columns, func(other columnSurvey) bool { return other.of.ID == c.of.ID })
		if at >= 0 {
			known := s.all[c.of.ID]
			t.columns[i].add(&s.of.columns[at].distinct, known.Distinct)
			t.columns[i].nulls += known.Nulls * s.Stats.Rows
			t.columns[i].bound(known.Min, known.Max)
		}
	}
	for i := range t.groups {
		g := &t.groups[i]
		if at := groupOf(s.of.groups, g.ids); at >= 0 {
			g.united.add(&s.of.groups[at].distinct, s.of.groups[at].known(&s.Sampling, s.Stats.Rows).Distinct)
		} else {
			g.missing = true
		}
	}
}

// addSample keeps of the rows that were sampled before, and of those of a partition, the same share of all rows. So
// each row is in the sample with the same probability.
func (t *tree) addSample(s *Survey) {
	before, rows := t.whole.Stats.Rows, s.Stats.Rows
	share := sampleRows / math.Max(1, before+rows)
	for _, one := range []struct{ sampled, rows float64 }{
		{float64(len(t.whole.sample)), before}, {float64(len(s.sample)), rows}} {
		if one.rows > 0 && one.sampled > 0 {
			share = math.Min(share, one.sampled/one.rows)
		}
	}
	some := func(list []sampledRow, rows float64) []sampledRow {
		n := min(len(list), int(math.Round(share*rows)))
		chosen := t.random.Perm(len(list))[:n]
		slices.Sort(chosen)
		out := make([]sampledRow, n)
		for i, at := range chosen {
			out[i] = list[at]
		}
		return out
	}
	t.whole.sample = append(some(t.whole.sample, before), some(s.sample, rows)...)
}

// SumUp says what the rows of all partitions have shown that were added.
func (s *Survey) SumUp() {
	t, rows := s.tree, s.Stats.Rows
	for i, c := range t.surveys {
		u := &t.columns[i]
		known := catalog.ColumnStats{Nulls: u.nulls / math.Max(rows, 1), Min: u.min, Max: u.max}
		known.Distinct = u.different(math.Ceil(rows * (1 - known.Nulls)))
		s.describe(c.of, &known)
		s.all[c.of.ID] = known
	}
	counted := func(columns []uint32) (extended.Group, bool) {
		at := slices.IndexFunc(t.groups, func(g unitedGroup) bool { return slices.Equal(g.ids, columns) })
		if at < 0 || t.groups[at].missing {
			return extended.Group{}, false
		}
		return extended.Group{Columns: columns, Distinct: t.groups[at].different(rows)}, true
	}
	for _, g := range t.groups {
		if known, ok := counted(g.ids); ok && g.ofKey {
			s.Stats.Groups = append(s.Stats.Groups, known)
		}
	}
	s.Stats.Extended = s.extended(t.asked, counted)
	s.keepColumns()
}

func (u *united) add(d *distinctCount, thought float64) {
	u.found += d.estimate()
	u.thought += thought
	u.distinct.unite(d)
}

func (u *united) bound(low, high types.Value) {
	if !low.IsNull() && (u.min.IsNull() || types.Compare(low, u.min) < 0) {
		u.min = low
	}
	if !high.IsNull() && (u.max.IsNull() || types.Compare(high, u.max) > 0) {
		u.max = high
	}
}

// different is how many values there are: those that were met, each once, and of those that were not met as many more
// as in each partition.
func (u *united) different(most float64) float64 {
	if u.found == 0 {
		return 0
	}
	return math.Min(most, math.Round(u.distinct.estimate()*math.Max(1, u.thought/u.found)))
}
