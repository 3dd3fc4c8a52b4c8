package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/types"
)

// scan shows how a table is read and what that is thought to cost.
func (x *explainer) scan(s plan.Scan, at int) []property {
	a := s.Access
	if a == nil {
		return nil
	}
	var out []property
	add := func(label, text string) { out = append(out, textProperty(label, text)) }
	properties, filter, e := x.path(s)
	out = append(out, properties...)
	onRow := a.RowFilter()
	if len(filter) > 0 {
		add(map[bool]string{true: "Entry Filter", false: "Filter"}[len(onRow) > 0], conditions(filter))
	}
	if a.Lookup != nil {
		add("Lookups", fmt.Sprintf("%s by primary key, in batches of %d%s", s.Table.Name, plan.LookupBatch,
			map[bool]string{true: ", which entries are held against"}[a.Lookup.Verify]))
	}
	if len(onRow) > 0 {
		add("Filter", conditions(onRow))
	}
	p := x.Profile.Node(at)
	if _, behind := a.Path.(plan.Behind); behind { // the scan that it is read with tells
		if p != nil && len(filter) > 0 {
			out = append(out, counted("Rows Removed by Filter", p.Removed))
		}
		return out
	}
	if a.Each.Count > 0 {
		add("First of Each", firstOfEach(s))
	}
	if x.known().MayLag(s) {
		add("Consistency", "eventual")
	}
	if a.With != "" {
		add("Requests", "those of "+a.With)
	} else {
		add("Estimate", x.estimate(e, s))
	}
	if p != nil {
		if _, keys := a.Keys(); len(filter)+len(onRow) > 0 || keys {
			out = append(out, counted("Rows Removed by Filter", p.Removed))
		}
		out = append(out, leftOut(p)...)
		add("Read", x.measured(p, s))
		if title := x.title(s); title.node == "Index Only Scan" {
			out = append(out, unsaid("Heap Fetches", counted("", int64(p.Lookups)).value))
		}
		out = append(out, rangesRead(s, p)...)
	}
	out = append(out, x.corrected(s)...)
	if x.Why && len(a.Candidates) > 0 {
		out = append(out, why(s))
	}
	return out
}

// path shows what decides which items are read, with what is left to be checked on them, and the estimate.
func (x *explainer) path(s plan.Scan) (out []property, filter []expr.Expr, e plan.Estimate) {
	a := s.Access
	filter, e = a.Entries().Filter, a.Estimate
	cond := func(label string) {
		if len(a.Cond) > 0 {
			out = append(out, textProperty(label, conditions(a.Cond)))
		}
	}
	switch p := a.Path.(type) {
	case plan.Whole, plan.Behind:
	case plan.Keys:
		out = append(out, textProperty("Recheck Cond", conditions(a.Cond)))
	case plan.Elements:
		cond("Index Cond")
		out = append(out, elements(x.Values, p)...)
	case plan.Box:
		cond("Index Cond")
		b := x.box(s, p)
		out, e = append(out, b.properties...), b.estimate
		if !b.exact {
			filter = slices.Concat(filter, p.Edges)
		}
	case plan.Point, plan.Spans:
		cond("Index Cond")
		spans, _ := a.Spans()
		out = append(out, x.spans(s, spans)...)
	}
	return out, filter, e
}

// firstOfEach shows how many entries are read of each prefix, and what columns it has.
func firstOfEach(s plan.Scan) string {
	l := s.Layout()
	var of []string
	for _, p := range append(l.Parts(), l.Tie...)[:s.Access.Each.Of] {
		of = append(of, s.Table.Columns[s.Table.Ordinal(p.Column)].Shown(expr.QuoteIdent))
	}
	return fmt.Sprintf("%d by (%s)", s.Access.Each.Count, strings.Join(of, ", "))
}

func (x *explainer) estimate(e plan.Estimate, s plan.Scan) string {
	parts := []string{count(e.Requests, "request"), "~" + count(e.Rows, "row") + " read"}
	if s.Access.Lookup != nil {
		parts = append(parts, "~"+count(e.Lookups, "lookup"))
	}
	if e.Seeks >= 0.5 {
		parts = append(parts, "~"+count(e.Seeks, "seek"))
	}
	if e.Waste > 0 {
		parts = append(parts, "~"+waste(e.Waste, 1))
	}
	if x.Store.Units {
		parts = append(parts, "~"+units(x.known().Units(e, s), "read"))
		if x.Validated {
			parts = append(parts, "~"+units(x.known().Units(e, s), "read")+" more to validate that")
		}
	}
	return strings.Join(parts, ", ")
}

// known is what the costs of a plan rest on.
func (x *explainer) known() cost.Known {
	return cost.Known{Values: x.Values, Store: x.Store, Eventual: x.Eventual}
}

func count(n float64, what string) string {
	s := fmt.Sprintf("%.0f %s", n, what)
	if s != "1 "+what {
		s += "s"
	}
	return s
}

// measured shows what reading did cost.
func (x *explainer) measured(p *plan.NodeProfile, scan plan.Scan) string {
	s, a := p.Stats, scan.Access
	examined, charge, known := 0.0, 0.0, false
	if x.Expected != nil {
		examined, charge, known = x.Expected(scan)
	}
	estimated := func(n float64) string {
		if !known {
			return ""
		}
		return fmt.Sprintf(" (~%.15g estimated)", n)
	}
	line := count(float64(s.Requests), "request")
	if p.Partitions > 1 {
		line += fmt.Sprintf(" in %d partitions", p.Partitions)
	}
	if p.AtOnce > 1 {
		line += fmt.Sprintf(", up to %d at once", p.AtOnce)
	}
	line += fmt.Sprintf(", %s examined%s, %s kept", count(float64(s.Examined), "key"), estimated(math.Round(examined)),
		count(float64(p.Rows), "row"))
	if _, box := a.Path.(plan.Box); box && s.Examined > 0 {
		line += ", " + waste(float64(s.Examined-int64(p.Lookups)), float64(p.Rows))
	}
	if n := s.CacheHits + s.CacheMisses; n > 0 {
		line += fmt.Sprintf(", %d of %s from the cache", s.CacheHits, count(float64(n), "row"))
	}
	if s.Unread > 0 {
		line += ", " + count(float64(s.Unread), "block") + " not read"
	}
	if s.Seeks > 0 {
		line += ", " + count(float64(s.Seeks), "seek")
	}
	if a.Lookup != nil {
		line += ", " + count(float64(p.Lookups), "lookup")
	}
	if s.Pages > 0 {
		line += ", " + count(float64(s.Pages), "page")
	}
	line += ", " + count(float64(s.Bytes), "byte")
	if x.Store.Units {
		line += ", " + units(s.ReadUnits, "read") + estimated(halves(charge))
	}
	return line
}

// spans shows the spans of a path, with values where they are known, and what partitions
// they are in.
func (x *explainer) spans(s plan.Scan, p plan.Spans) []property {
	sets, err := spans.SetsByColumn(p.Bounds(), x.Values)
	if err != nil {
		return unknownSpans(s, p)
	}
	codec, err := keys.NewCodec(s.Table, s.Layout())
	if err != nil {
		return unknownSpans(s, p)
	}
	all, err := spans.In(p, codec, sets, x.Values)
	if err != nil {
		return unknownSpans(s, p)
	}
	out := []property{listed("Spans", formatSpans(all, codec.Types()))}
	if line := fanOut(s, all, sets); line != "" {
		out = append(out, textProperty("Fan-out", line))
	}
	if line := skips(s, p, sets); line != "" {
		out = append(out, textProperty("Skip", line))
	}
	return out
}

// skips shows what keys are held against behind the spans.
func skips(s plan.Scan, path plan.Spans, sets keys.Sets) string {
	var sides []string
	l, bounds := s.Layout(), path.Bounds()
	for i, p := range append(l.Parts(), l.Tie...)[:path.Skip] {
		at := slices.IndexFunc(bounds, func(b plan.Bound) bool { return b.Column == p.Column })
		if i < path.Parts() || !p.Plain() || at < 0 {
			continue
		}
		c := s.Table.Columns[s.Table.Ordinal(p.Column)]
		side := symbolicSide(bounds[at])
		if sets != nil {
			side = keys.FormatSet(sets(p.Column), c.Type)
		}
		sides = append(sides, c.Name+" "+side)
	}
	return strings.Join(sides, "  ")
}

// unknownSpans shows the spans of a path while a parameter has no value.
func unknownSpans(s plan.Scan, p plan.Spans) []property {
	out := []property{listed("Spans", symbolic(s, p))}
	if n := s.Access.Estimate.Spans; n > 1 || s.Access.Merge != nil {
		out = append(out, textProperty("Fan-out", "~"+count(n, "span")+", "+mergedBy(s)))
	}
	if line := skips(s, p, nil); line != "" {
		out = append(out, textProperty("Skip", line))
	}
	return out
}

func formatSpans(all []span.Span, kinds []types.T) []string {
	if len(all) == 0 {
		return []string{"none"}
	}
	var shown []string
	for i, sp := range all {
		if i == shownSpans {
			shown = append(shown, fmt.Sprintf("... %d more", len(all)-i))
			break
		}
		shown = append(shown, keys.FormatSpan(sp, kinds))
	}
	return shown
}

// shownSpans is how many spans EXPLAIN prints.
const shownSpans = 5

// symbolic shows spans whose values are not known yet, those of the sides of an OR one after the other.
func symbolic(s plan.Scan, p plan.Spans) []string {
	var out []string
	for i, side := range p.Sides {
		if i == shownSpans {
			out = append(out, fmt.Sprintf("... %d more", len(p.Sides)-i))
			break
		}
		out = append(out, symbolicSpan(s, side.Bounds, side.Parts))
	}
	return out
}

// symbolicSpan shows a span part by part: /$1/($2 - $3). A part that is computed shows how.
func symbolicSpan(s plan.Scan, bounds []plan.Bound, n int) string {
	var b strings.Builder
	l := s.Layout()
	parts := append(l.Parts(), l.Tie...)
	for _, p := range parts[:n] {
		b.WriteString("/")
		if !p.Plain() {
			b.WriteString(s.Table.DescribePart(p))
			continue
		}
		for _, bound := range bounds {
			if bound.Column == p.Column {
				b.WriteString(bound.String())
			}
		}
	}
	return b.String()
}
