package cardinality

import (
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

// tried is the share of rows for which a condition is true, by the values of a sample.
func (e *estimate) tried(cond expr.Expr, in profile) (float64, bool) {
	s := sampleOf(cond, in)
	if s == nil {
		return 0, false
	}
	share, common, others := 0.0, 0.0, 0.0
	holds := func(v types.Value) (bool, error) {
		s.row[s.at] = v
		got, err := cond.Eval(e.Values, s.row)
		return err == nil && got.IsTrue(), err
	}
	for _, c := range s.stats.Common {
		ok, err := holds(c.Value)
		if err != nil {
			return 0, false
		}
		if common += c.Share; ok {
			share += c.Share
		}
	}
	if null, err := holds(types.Null); err == nil && null {
		share += s.stats.Nulls
	}
	rest := max(0, 1-common-s.stats.Nulls)
	if n := len(s.stats.Histogram); n >= fewestSamples {
		for _, v := range s.stats.Histogram {
			ok, err := holds(v)
			if err != nil {
				return 0, false
			}
			if ok {
				others++
			}
		}
		if others == 0 {
			others = 0.5 // it may hold for fewer than one of them
		}
		return share + rest*others/float64(n), true
	}
	if rest > 0.1 {
		return 0, false
	}
	return share, true
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
