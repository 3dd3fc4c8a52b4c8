package executor

import (
	"context"
	"maps"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/celltime"
	"zproxy/catalog/extended"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Survey is what a read of a table has shown.
type Survey struct {
	Stats catalog.Stats
	// Cut says that it did not come to the end of the table, which others own and may be large.
	Cut bool
	// Sampling is how much was read.
	Sampling
	table  *catalog.Table
	sample []sampledRow
	of     *surveying
	// Of surveys is what is known of all, and Stats.Columns leaves out those of the table of which it is a partition.
	surveys []columnSurvey
	all     map[uint32]catalog.ColumnStats
	tree    *tree // of one that adds up those of partitions
}

// mostForeign is how many rows of a table that others own are read.
const mostForeign = 10_000

// Statistics reads a table, or parts of it if it is large, and says what its rows are like: how many there are, how
// many values are NULL or different, and the least and the greatest, of all rows that were read; the rest of a sample.
func Statistics(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, by Reading) (*Survey, error) {
	r := newSurveying(txn, tables, t, by)
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	return r.survey(), nil
}

// surveying is a survey that is under way.
type surveying struct {
	Reading
	Sampling
	txn     store.Txn
	tables  *Tables
	table   *catalog.Table
	columns []columnSurvey
	groups  []groupSurvey
	sample  *reservoir
	cut     bool
}

func newSurveying(txn store.Txn, tables *Tables, t *catalog.Table, by Reading) *surveying {
	return &surveying{Reading: by, txn: txn, tables: tables, table: t, columns: surveysOf(t, by.Computed),
		groups: groupsOf(t, by.Computed, slices.Concat(by.Extended, by.Above)), sample: newReservoir(sampleRows, sampleBytes)}
}

// add adds rows of the part that is being read.
func (r *surveying) add(batch *types.Batch) {
	r.Seen.add(batch.Len())
	deleted := celltime.DeletedAt(r.table)
	for i := range batch.Len() {
		row := batch.Row(i)
		if deleted >= 0 && !row[deleted].IsNull() {
			continue
		}
		r.Rows++
		for c := range r.columns {
			r.columns[c].add(r.columns[c].of.value(row), r.Parts)
		}
		for g := range r.groups {
			r.groups[g].add(r.columns, r.Parts)
		}
		r.sample.add(row)
	}
	r.cut = r.table.Foreign != nil && r.Rows >= mostForeign
}

// survey is what the rows have shown.
func (r *surveying) survey() *Survey {
	out := &Survey{Cut: r.cut, Sampling: r.Sampling, table: r.table, sample: r.sample.ordered(), of: r,
		surveys: r.columns, all: map[uint32]catalog.ColumnStats{}}
	rows, before := r.rows(r.tables.Store.Segments > 0), &r.table.Stats
	out.Stats = catalog.Stats{Known: true, Rows: rows, Columns: map[uint32]catalog.ColumnStats{}}
	for c := range r.columns {
		of := r.columns[c].of
		known := r.columns[c].stats(&r.Sampling, rows)
		if r.Parts < r.Of && isKey(r.table, of.ID) {
			known.Distinct = rows * (1 - known.Nulls)
		}
		added := (rows - before.Rows) * float64(r.Rows) / math.Max(rows, 1)
		known.Grown = r.columns[c].grown(added, before.Columns[of.ID].Grown)
		out.describe(of, &known)
		out.all[of.ID] = known
	}
	for g := range r.groups {
		if known := r.groups[g].known(&r.Sampling, rows); r.groups[g].ofKey {
			out.Stats.Groups = append(out.Stats.Groups, known)
		}
	}
	out.Stats.Extended = out.extended(r.Extended, func(columns []uint32) (extended.Group, bool) {
		at := groupOf(r.groups, columns)
		if at < 0 {
			return extended.Group{}, false
		}
		return r.groups[at].known(&r.Sampling, rows), true
	})
	out.keepColumns()
	return out
}

// keepColumns leaves out what is known of expressions of other statistics objects than those of the table.
func (s *Survey) keepColumns() {
	for _, c := range s.surveys {
		_, own := s.Stats.Expression(c.of.ID)
		if c.of.computed == nil || own {
			s.Stats.Columns[c.of.ID] = s.all[c.of.ID]
		}
	}
}

// isKey says whether no two rows of a table have the same value of a column.
func isKey(t *catalog.Table, column uint32) bool {
	alone := func(l *catalog.Layout) bool {
		of := l.Columns()
		return len(of) == 1 && of[0] == column
	}
	return alone(&t.Primary) || slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool {
		return x.Unique && x.Where == nil && alone(&x.Layout)
	})
}

// measured is a column that is surveyed, or an axis of one, or an expression over columns.
type measured struct {
	part.Source
	computed expr.Expr // nil: it is no expression
	reads    []int     // the ordinals of what that reads
}

// value is that in a row, NULL for an expression that cannot be evaluated.
func (s measured) value(row types.Row) types.Value {
	if s.computed == nil {
		return axis.Coordinate(s.ID, row[s.Ordinal])
	}
	v, err := s.computed.Eval(&expr.Context{Env: &types.Env{}}, row)
	if err != nil {
		return types.Null
	}
	return v
}

// lost is how many bytes the value has lost in a sampled row, or what it is computed from.
func (s measured) lost(r sampledRow) int {
	if s.computed == nil {
		return r.cut[s.Ordinal]
	}
	lost := 0
	for _, at := range s.reads {
		lost += r.cut[at]
	}
	return lost
}

// surveysOf are those of the columns of a table, and behind them the axes of columns of points, and expressions.
func surveysOf(t *catalog.Table, computed []plan.Predicate) []columnSurvey {
	var out []columnSurvey
	add := func(id uint32) {
		out = append(out, columnSurvey{of: measured{Source: t.Source(id)}, before: t.Stats.Columns[id].Max})
	}
	for _, c := range t.Columns {
		add(c.ID)
	}
	for _, c := range t.Columns {
		for _, axis := range axis.Of(c.ID, c.Type) {
			add(axis)
		}
	}
	for _, e := range computed {
		read := map[int]bool{}
		expr.Columns(e.Cond, read)
		of := measured{computed: e.Cond, reads: slices.Sorted(maps.Keys(read))}
		of.ID, of.Type = e.Index, e.Cond.Type()
		out = append(out, columnSurvey{of: of, before: t.Stats.Columns[e.Index].Max})
	}
	return out
}

// Sample are the sampled values of a column, or of an axis of one, that are not NULL.
func (s *Survey) Sample(column uint32) []types.Value {
	return s.valuesOf(measured{Source: s.table.Source(column)})
}

func (s *Survey) valuesOf(of measured) []types.Value {
	var out []types.Value
	for _, r := range s.sample {
		if v := of.value(r.row); !v.IsNull() {
			out = append(out, v)
		}
	}
	return out
}

// columnSurvey is what has been seen of a column.
type columnSurvey struct {
	of       measured
	min, max types.Value
	before   types.Value // the greatest value of the statistics before; NULL: not known
	above    int         // values above that
	nulls    int
	distinct distinctCount
	key      []byte
	last     uint64 // the hash of the value of the last row; 0: it was NULL
}

func (s *columnSurvey) add(v types.Value, part int) {
	if v.IsNull() {
		s.nulls, s.last = s.nulls+1, 0
		return
	}
	s.key = types.AppendKey(s.key[:0], v)
	before := s.last
	s.last = hash(s.key)
	s.distinct.add(s.last, part)
	if !v.Kind().Ordered() || v.Kind() == types.KindJSONB {
		return // no key has them, or they do not lie on a line
	}
	if !s.before.IsNull() && types.Compare(v, s.before) > 0 {
		s.above++
	}
	if s.last == before {
		return // min and max know the value
	}
	if s.min.IsNull() || types.Compare(v, s.min) < 0 {
		s.min = v
	}
	if s.max.IsNull() || types.Compare(v, s.max) > 0 {
		s.max = v
	}
}

// leastAdded is how many rows must have come since the statistics before to say whether values grow.
const leastAdded = 100

// grown is Grown of the column where so many rows were added, or what it was if they are few.
func (s *columnSurvey) grown(added, was float64) float64 {
	if s.before.IsNull() || added < leastAdded {
		return was
	}
	return math.Min(float64(s.above)/added, 1)
}

// stats are those of a column of so many rows, of which some were read.
func (s *columnSurvey) stats(by *Sampling, rows float64) catalog.ColumnStats {
	known := catalog.ColumnStats{Nulls: float64(s.nulls) / math.Max(float64(by.Rows), 1)}
	known.Distinct = math.Min(s.distinct.estimateAll(by.Parts, by.Of), math.Ceil(rows*(1-known.Nulls)))
	if fits(s.min) && fits(s.max) { // others would make the descriptor of the table too large for a store
		known.Min, known.Max = s.min, s.max
	}
	return known
}
