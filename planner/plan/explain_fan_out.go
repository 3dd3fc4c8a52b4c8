package plan

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
)

// fanOut says over how many partitions the spans of a path are, because of which parts of
// the key, and how what they bring becomes one. It is empty where there is one partition.
func (x *Explainer) fanOut(s Scan, spans []span.Span) string {
	l, a := layoutOf(s), s.Access
	n, ok := keys.Partitions(spans, len(l.Partition))
	streams := 0
	if a.Merge != nil {
		streams = len(keys.Streams(spans, a.Merge.Parts))
	}
	var out []string
	switch {
	case ok && n > 1:
		out = append(out, count(float64(n), "partition")+" ("+strings.Join(causes(s.Table, l.Partition, spans), " x ")+")")
	case streams <= 1:
		return ""
	}
	if streams > 1 && streams != n {
		out = append(out, count(float64(streams), "stream"))
	}
	return strings.Join(append(out, mergedBy(s)), ", ")
}

// mergedBy says in which order streams are merged.
func mergedBy(s Scan) string {
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

// causes says how many values each part of the partition key has in some spans.
func causes(t *catalog.Table, parts []catalog.Part, spans []span.Span) []string {
	var out []string
	for i, p := range parts {
		values := map[string]bool{}
		for _, s := range spans {
			values[string(keys.AppendValue(nil, s.Prefix[i], false))] = true
		}
		if len(values) > 1 {
			out = append(out, cause(t, p, len(values)))
		}
	}
	return out
}

// cause names n values of a part: 3 of 16 shards, 12 months of at.
func cause(t *catalog.Table, p catalog.Part, n int) string {
	switch {
	case p.Count > 0 && n == p.Count:
		return fmt.Sprintf("all %d shards", n)
	case p.Count > 0:
		return fmt.Sprintf("%d of %d shards", n, p.Count)
	case p.Kind == catalog.BucketPart:
		return fmt.Sprintf("%d %ss of %s", n, p.Unit, t.DescribePart(catalog.Part{Column: p.Column}))
	}
	p.Desc = false
	return fmt.Sprintf("%d values of %s", n, t.DescribePart(p))
}

// boxFanOut says over how many partitions a box is read.
func boxFanOut(t *catalog.Table, l *catalog.Layout, ranges int) string {
	if ranges < 2 {
		return ""
	}
	why := fmt.Sprintf("%d of %d cells", ranges, 1<<l.Partition[0].Count)
	if p := l.Partition[0]; p.Kind != catalog.ZAddressPart {
		why = cause(t, p, ranges)
	}
	return fmt.Sprintf("Fan-out: %s (%s), concatenated", count(float64(ranges), "partition"), why)
}
