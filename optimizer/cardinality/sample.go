package cardinality

import (
	"math"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/types"
)

// fewestSamples is how many values of a histogram tell something of all.
const fewestSamples = 20

// sample is the only column that an expression reads, if statistics have values of it. These stand for all.
type sample struct {
	at    int
	stats *catalog.ColumnStats
	row   types.Row
}

// sampleOf is the sample for an expression; nil: there is none.
func sampleOf(x expr.Expr, in profile) *sample {
	read := readBy(x)
	if len(read) != 1 || expr.Any(x, cannotBeTried) {
		return nil
	}
	stats := in.columns[read[0]].stats()
	if stats == nil || len(stats.Histogram) < fewestSamples && len(stats.Common) == 0 {
		return nil
	}
	return &sample{at: read[0], stats: stats, row: make(types.Row, len(in.columns))}
}

// cannotBeTried says whether an expression has no value before the run, or another one each time.
func cannotBeTried(x expr.Expr) bool {
	switch x := x.(type) {
	case expr.Param, expr.Outer, expr.Subquery:
		return true
	case expr.Call:
		return x.Fn.Volatility == expr.Volatile || x.Fn.Rows != nil
	}
	return false
}

// trial is what a condition makes of the values of a sample.
type trial struct {
	share       float64 // of the rows for whose values it is known to be true
	rest        float64 // the share of the rows that the histogram stands for
	hits, tried int     // the values of the histogram for which it is true, and all of them
}

// tried is the share of rows for which a condition is true, by the values of a sample.
func (e *estimate) tried(cond expr.Expr, in profile) (float64, bool) {
	t, ok := e.try(cond, in)
	switch {
	case !ok || t.tried == 0 && t.rest > 0.1:
		return 0, false
	case t.tried == 0:
		return t.share, true
	}
	hits := float64(t.hits)
	if hits == 0 {
		hits = 0.5 // it may hold for fewer than one of them
	}
	return t.share + t.rest*hits/float64(t.tried), true
}

// likely are the least and the greatest share of rows that a sample leaves likely: three standard deviations around
// what it shows.
func (t trial) likely() (least, greatest float64) {
	if t.tried == 0 {
		return t.share, t.share + t.rest
	}
	n, hits := float64(t.tried), float64(t.hits)
	far := 3 * math.Sqrt(hits*(1-hits/n)+1)
	return t.share + t.rest*math.Max(0, hits-far)/n, t.share + t.rest*math.Min(n, hits+far)/n
}

// try evaluates a condition over the values of a sample.
func (e *estimate) try(cond expr.Expr, in profile) (trial, bool) {
	s := sampleOf(cond, in)
	if s == nil {
		return trial{}, false
	}
	out := trial{rest: 1 - s.stats.Nulls}
	holds := func(v types.Value) (bool, error) {
		s.row[s.at] = v
		got, err := cond.Eval(e.Values, s.row)
		return err == nil && got.IsTrue(), err
	}
	for _, c := range s.stats.Common {
		ok, err := holds(c.Value)
		if err != nil {
			return trial{}, false
		}
		if out.rest -= c.Share; ok {
			out.share += c.Share
		}
	}
	if null, err := holds(types.Null); err == nil && null {
		out.share += s.stats.Nulls
	}
	out.rest = max(0, out.rest)
	if len(s.stats.Histogram) < fewestSamples {
		return out, true
	}
	for _, v := range s.stats.Histogram {
		ok, err := holds(v)
		if err != nil {
			return trial{}, false
		}
		if out.tried++; ok {
			out.hits++
		}
	}
	return out, true
}

// sampledValues is how many values an expression has over those of a sample, if these come again.
func (e *estimate) sampledValues(x expr.Expr, in profile) (float64, bool) {
	s := sampleOf(x, in)
	if s == nil {
		return 0, false
	}
	different, n := map[string]bool{}, 0
	try := func(v types.Value) bool {
		s.row[s.at] = v
		got, err := x.Eval(e.Values, s.row)
		if err == nil {
			n++
			different[string(types.AppendKey(nil, got))] = true
		}
		return err == nil
	}
	for _, c := range s.stats.Common {
		if !try(c.Value) {
			return 0, false
		}
	}
	for _, v := range s.stats.Histogram {
		if !try(v) {
			return 0, false
		}
	}
	if n < fewestSamples || len(different) > n/2 {
		return 0, false
	}
	return float64(len(different)), true
}
