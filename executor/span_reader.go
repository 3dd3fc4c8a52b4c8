package executor

import (
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/store"
	"zproxy/types"
)

// spanReader reads spans of a layout.
type spanReader struct {
	*reader
	path plan.Spans
}

func (r spanReader) entries() (Rows, error) {
	r.testEntries()
	spans, sets, err := r.spans()
	if err != nil || sets == nil {
		return nothing, err
	}
	if r.path.Skip > 0 {
		r.skip = func(whole bool) store.Skipper { return r.from.codec.Skipper(r.path.Skip, sets, whole) }
	}
	if m := r.scan.Access.Merge; m != nil {
		return mergeReader{r, m}.entries(spans), nil
	}
	return r.sequentially(r.rangesOf(spans), r.pointwise(spans)), nil
}

// spans are those that the bounds leave, with the sets of values that make them: nil where one is empty.
func (r spanReader) spans() ([]span.Span, keys.Sets, error) {
	sets, ok, err := spans.SetsOf(r.path.Bounds(), r.env.Expr)
	if err != nil || !ok {
		return nil, nil, err
	}
	spans, err := spans.In(r.path, r.from.codec, sets, r.env.Expr)
	return spans, sets, err
}

// rangesOf are the ranges of spans, in the order in which they are to be read.
func (r spanReader) rangesOf(spans []span.Span) []store.Range {
	ranges := r.from.codec.Ranges(spans, r.env.Store.OrderedPartitions)
	if r.scan.Access.Reverse {
		slices.Reverse(ranges)
	}
	return ranges
}

// pointwise says whether each span is one whole key of a unique layout. NULLs are not
// equal, so a key with one may stand for several entries.
func (r spanReader) pointwise(spans []span.Span) bool {
	n := r.from.parts
	if !r.from.unique || r.from.deferrable() || r.path.Parts() != n {
		return false
	}
	return !slices.ContainsFunc(spans, func(s span.Span) bool {
		return s.Last != nil || len(s.Prefix) != n || slices.ContainsFunc(s.Prefix, types.Value.IsNull)
	})
}
