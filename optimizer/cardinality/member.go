package cardinality

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
	"zproxy/types/json"
)

// access is what jsonb documents of a column have under a key, or under one in what they have under another one.
type access struct {
	column int
	keys   []string
}

// accessOf reads column -> 'key' ->> 'key'.
func accessOf(x expr.Expr) (access, bool) {
	c, ok := x.(expr.Call)
	if !ok || len(c.Args) != 2 || c.Fn.Operator != "->" && c.Fn.Operator != "->>" {
		return access{}, false
	}
	key, ok := c.Args[1].(expr.Const)
	if !ok || key.Value.Kind() != types.KindText {
		return access{}, false
	}
	if column, ok := plan.ColumnOf(c.Args[0]); ok {
		return access{column.Index, []string{key.Value.Text()}}, column.T.Kind() == types.KindJSONB
	}
	within, ok := accessOf(c.Args[0])
	return access{within.column, append(within.keys, key.Value.Text())}, ok
}

// onlyAccess is the access by which alone an expression reads columns.
func onlyAccess(x expr.Expr) (access, bool) {
	if a, ok := accessOf(x); ok {
		return a, true
	}
	var out access
	for _, in := range x.Inputs() {
		if len(readBy(in)) == 0 {
			continue
		}
		a, ok := onlyAccess(in)
		if !ok || out.keys != nil && (a.column != out.column || !slices.Equal(a.keys, out.keys)) {
			return access{}, false
		}
		out = a
	}
	return out, out.keys != nil
}

// known is what is known of the documents of an access; nil: nothing is.
func (a access) known(in profile) *catalog.ColumnStats {
	if a.column >= len(in.columns) {
		return nil
	}
	if stats := in.columns[a.column].stats(); stats != nil && stats.Elements != nil {
		return stats
	}
	return nil
}

// member is the share of rows for which a condition on what documents have under a key is true. It is evaluated for the
// scalars there that are listed, each in a document of its own, and for a document without the key.
func (e *estimate) member(cond expr.Expr, in profile) (float64, bool) {
	a, ok := onlyAccess(cond)
	if !ok || expr.Any(cond, cannotBeTried) {
		return 0, false
	}
	stats := a.known(in)
	if stats == nil {
		return 0, false
	}
	row := make(types.Row, len(in.columns))
	holds := func(v types.Value) bool {
		row[a.column] = v
		got, err := cond.Eval(e.Values, row)
		ok = ok && err == nil
		return err == nil && got.IsTrue()
	}
	listed, others := stats.Elements.Member(a.keys)
	share, hits, there := 0.0, 0, others.Mean
	for _, c := range listed {
		there += c.Share
		if holds(c.Value) {
			share, hits = share+c.Share, hits+1
		}
	}
	if len(a.keys) == 1 {
		containers := math.Max(0, stats.Elements.Share(types.NewText(a.keys[0]))-there)
		there += containers
		if containers > 1e-9 && holds(types.NewJSONB(json.NewObject(a.keys, []json.Value{{Kind: json.Object}}))) {
			share += containers
		}
	}
	if holds(types.NewJSONB(json.NewObject(nil, nil))) {
		share += math.Max(0, 1-there)
	}
	among, known := ofOthers(cond, hits, len(listed), others.Distinct)
	if !known && others.Mean > 0.1 {
		return 0, false
	}
	share = math.Max(share+others.Mean*among, stats.Elements.Missing()) * (1 - stats.Nulls)
	if holds(types.Null) {
		share += stats.Nulls
	}
	return math.Min(1, share), ok
}

// ofOthers is the share of the scalars that are not listed for which a condition is true that is so for some of the
// listed ones. Those that are equal to something are looked for among all. False: it cannot be said.
func ofOthers(cond expr.Expr, hits, listed int, distinct float64) (float64, bool) {
	points := 0
	switch c := cond.(type) {
	case expr.Compare:
		if c.Op == expr.EQ {
			points = 1
		}
	case expr.In:
		if !c.Not {
			points = len(c.List)
		}
	case expr.IsNull:
		if _, is := accessOf(c.Arg); is {
			if c.Not {
				return 1, true
			}
			return 0, true
		}
	}
	if points > 0 {
		return math.Min(1, float64(max(0, points-hits))/math.Max(1, distinct)), true
	}
	return float64(hits) / math.Max(1, float64(listed)), listed >= fewestSamples
}

// membersOf is how many values an expression has that is an access; false: that is not known.
func membersOf(x expr.Expr, in profile) (float64, bool) {
	a, ok := accessOf(x)
	if !ok {
		return 0, false
	}
	stats := a.known(in)
	if stats == nil {
		return 0, false
	}
	listed, others := stats.Elements.Member(a.keys)
	return math.Max(1, float64(len(listed))+others.Distinct), len(listed) > 0 || others.Distinct > 0
}
