// Package spans computes the spans and boxes that the access paths of a plan read, once the values in the
// conditions are known. It connects plans with the keys of package keys: the executor reads the spans, EXPLAIN
// shows them, and package cost counts them. Plans themselves know no keys. Read In first.
package spans

import (
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// In are the spans of a path whose bounds leave some sets.
func In(p plan.Spans, codec *keys.Codec, sets keys.Sets, c *expr.Context) ([]span.Span, error) {
	if len(p.Sides) == 1 {
		return inSide(&p.Sides[0], codec, sets, c)
	}
	var all []span.Span
	for i := range p.Sides {
		side := &p.Sides[i]
		sets, ok, err := SetsOf(side.Bounds, c)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		spans, err := inSide(side, codec, sets, c)
		if err != nil {
			return nil, err
		}
		all = append(all, spans...)
	}
	return codec.Union(all), nil
}

func inSide(s *plan.Side, codec *keys.Codec, sets keys.Sets, c *expr.Context) ([]span.Span, error) {
	walk := keys.Walk{Parts: s.Parts, Counted: s.Counted}
	if s.Tuple == nil {
		return codec.Spans(walk, sets), nil
	}
	t := keys.Tuple{Greater: s.Tuple.Greater, Equal: s.Tuple.Equal}
	for _, e := range s.Tuple.Values {
		v, err := e.Eval(c, nil)
		if err != nil {
			return nil, err
		}
		if v.IsNull() { // the comparison is NULL once it comes to this value
			t.Equal = false
			break
		}
		t.Values = append(t.Values, v)
	}
	if len(t.Values) == 0 {
		return nil, nil
	}
	return codec.TupleSpans(walk, sets, t), nil
}

// Boxes are those of a path through a Z-order index. It says false when no row can match.
func Boxes(p plan.Box, codec *keys.Codec, c *expr.Context) (keys.Boxes, bool, error) {
	var alternatives []keys.Sets
	for _, bounds := range p.Sides {
		sets, ok, err := SetsOf(bounds, c)
		if err != nil {
			return keys.Boxes{}, false, err
		}
		if ok {
			alternatives = append(alternatives, sets)
		}
	}
	boxes, ok := codec.Boxes(alternatives...)
	return boxes, ok, nil
}
