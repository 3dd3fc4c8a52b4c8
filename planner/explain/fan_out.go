package explain

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/planner/plan"
)

// fanOut says over how many partitions the spans of a path are, because of which parts of
// the key, and how what they bring becomes one. It is empty where there is one partition.
func fanOut(s plan.Scan, spans []span.Span, sets keys.Sets) string {
	l, a := s.Layout(), s.Access
	n, ok := keys.Partitions(spans, len(l.Partition))
	streams := 0
	if a.Merge != nil {
		streams = len(keys.Streams(spans, a.Merge.Parts))
	}
	var out []string
	switch {
	case ok && n > 1:
		out = append(out, count(float64(n), "partition")+" ("+causes(s, spans, sets, n)+")")
	case streams <= 1:
		return ""
	}
	if streams > 1 && streams != n {
		out = append(out, count(float64(streams), "stream"))
	}
	return strings.Join(append(out, mergedBy(s)), ", ")
}

// mergedBy says in which order streams are merged.
func mergedBy(s plan.Scan) string {
	if s.Access.Merge == nil {
		return "concatenated"
	}
	var by []string
	for _, o := range s.Access.Merge.By {
		name := s.Table.Columns[o.Column].Name
		if o.Desc {
			name += " DESC"
		}
		by = append(by, name)
	}
	return "merged by " + strings.Join(by, ", ")
}

// causes says how many values each part of the partition key has in some spans: multiplied,
// where all of one go with all of the others.
func causes(s plan.Scan, spans []span.Span, sets keys.Sets, partitions int) string {
	var out []string
	product := 1
	several := func(id uint32) bool {
		set := sets(id)
		return set.Null || len(set.Intervals) != 1 || !set.Intervals[0].Point()
	}
	for i, p := range s.Layout().Partition {
		values := map[string]bool{}
		for _, sp := range spans {
			values[string(ordered.Append(nil, sp.Prefix[i], false))] = true
		}
		if len(values) > 1 {
			out = append(out, p.Varying(several).Values(s.Table, len(values)))
			product *= len(values)
		}
	}
	if product != partitions {
		return strings.Join(out, ", ")
	}
	return strings.Join(out, " x ")
}

// boxFanOut says over how many partitions a box is read.
func boxFanOut(t *catalog.Table, l *catalog.Layout, ranges int) string {
	if ranges < 2 {
		return ""
	}
	return fmt.Sprintf("%s (%s), concatenated", count(float64(ranges), "partition"), l.Partition[0].Values(t, ranges))
}
