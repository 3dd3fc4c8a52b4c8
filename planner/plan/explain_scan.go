package plan

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/types"
)

// scan shows how a table is read and what that is thought to cost.
func (x *Explainer) scan(s Scan, at int) []property {
	a := s.Access
	if a == nil {
		return nil
	}
	var out []property
	add := func(label, text string) { out = append(out, said(label, text)) }
	filter, e := a.EntryFilter, a.Estimate
	if len(a.Cond) > 0 && (a.Parts > 0 || a.Box || a.Skip > 0) {
		add("Index Cond", conditions(a.Cond))
	}
	switch {
	case a.Keys != nil:
		add("Recheck Cond", conditions(a.Cond))
	case a.Box:
		b := x.box(s)
		out, e = append(out, b.told...), b.estimate
		if !b.exact {
			filter = slices.Concat(filter, a.BoxFilter)
		}
	case a.Parts > 0 || a.Skip > 0:
		out = append(out, x.spans(s)...)
	}
	if len(filter) > 0 {
		add(map[bool]string{true: "Entry Filter", false: "Filter"}[a.Lookup && len(a.RowFilter) > 0], conditions(filter))
	}
	if a.Lookup {
		add("Lookups", fmt.Sprintf("%s by primary key, in batches of %d%s", s.Table.Name, LookupBatch, map[bool]string{true: ", which entries are held against"}[a.Verify]))
	}
	if len(a.RowFilter) > 0 {
		add("Filter", conditions(a.RowFilter))
	}
	if a.Index.Eventual() {
		add("Consistency", "eventual")
	}
	add("Estimate", x.estimate(e, a))
	if p := x.Profile.Node(at); p != nil {
		if len(filter)+len(a.RowFilter) > 0 || a.Keys != nil {
			out = append(out, counted("Rows Removed by Filter", p.Removed))
		}
		add("Read", x.measured(p, a))
	}
	if x.Why && len(a.Candidates) > 0 {
		out = append(out, why(s))
	}
	return out
}

func (x *Explainer) estimate(e Estimate, a *Access) string {
	parts := []string{count(e.Requests, "request"), "~" + count(e.Rows, "row") + " read"}
	if a.Lookup {
		parts = append(parts, "~"+count(e.Lookups, "lookup"))
	}
	if e.Seeks >= 0.5 {
		parts = append(parts, "~"+count(e.Seeks, "seek"))
	}
	if e.Waste > 0 {
		parts = append(parts, "~"+waste(e.Waste, 1))
	}
	if x.Store.Units {
		parts = append(parts, "~"+units(x.readUnits(e, a), "read"))
	}
	return strings.Join(parts, ", ")
}

func count(n float64, what string) string {
	s := fmt.Sprintf("%.0f %s", n, what)
	if s != "1 "+what {
		s += "s"
	}
	return s
}

// measured shows what reading did cost.
func (x *Explainer) measured(p *NodeProfile, a *Access) string {
	s := p.Stats
	line := count(float64(s.Requests), "request")
	if p.Partitions > 1 {
		line += fmt.Sprintf(" in %d partitions", p.Partitions)
	}
	if p.AtOnce > 1 {
		line += fmt.Sprintf(", up to %d at once", p.AtOnce)
	}
	line += fmt.Sprintf(", %s examined, %s kept", count(float64(s.Examined), "key"), count(float64(p.Rows), "row"))
	if a.Box && p.Rows+p.Removed > 0 {
		line += ", " + waste(float64(s.Examined-int64(p.Lookups)), float64(p.Rows+p.Removed))
	}
	if s.Seeks > 0 {
		line += ", " + count(float64(s.Seeks), "seek")
	}
	if a.Lookup {
		line += ", " + count(float64(p.Lookups), "lookup")
	}
	if s.Pages > 0 {
		line += ", " + count(float64(s.Pages), "page")
	}
	line += ", " + count(float64(s.Bytes), "byte")
	if x.Store.Units {
		line += ", " + units(s.ReadUnits, "read")
	}
	return line
}

// spans shows the spans of a path, with values where they are known, and what partitions
// they are in.
func (x *Explainer) spans(s Scan) []property {
	sets, ok := x.sets(s.Access)
	if !ok {
		return unknownSpans(s)
	}
	codec, err := keys.NewCodec(s.Table, layoutOf(s))
	if err != nil {
		return unknownSpans(s)
	}
	all, err := s.Access.Spans(codec, sets, x.Context)
	if err != nil {
		return unknownSpans(s)
	}
	out := []property{listed("Spans", formatSpans(all, codec.Types()))}
	if line := fanOut(s, all, sets); line != "" {
		out = append(out, said("Fan-out", line))
	}
	if line := skips(s, sets); line != "" {
		out = append(out, said("Skip", line))
	}
	return out
}

// skips shows what keys are held against behind the spans.
func skips(s Scan, sets keys.Sets) string {
	var sides []string
	l := layoutOf(s)
	for i, p := range append(l.Parts(), l.Tie...)[:s.Access.Skip] {
		at := slices.IndexFunc(s.Access.Bounds, func(b Bound) bool { return b.Column == p.Column })
		if i < s.Access.Parts || !p.Plain() || at < 0 {
			continue
		}
		c := s.Table.Columns[s.Table.Ordinal(p.Column)]
		side := symbolicSide(s.Access.Bounds[at])
		if sets != nil {
			side = keys.FormatSet(sets(p.Column), c.Type)
		}
		sides = append(sides, c.Name+" "+side)
	}
	return strings.Join(sides, "  ")
}

// unknownSpans shows the spans of a path while a parameter has no value.
func unknownSpans(s Scan) []property {
	out := []property{listed("Spans", symbolic(s))}
	if n := s.Access.Estimate.Spans; n > 1 || s.Access.Merge != nil {
		out = append(out, said("Fan-out", "~"+count(n, "span")+", "+mergedBy(s)))
	}
	if line := skips(s, nil); line != "" {
		out = append(out, said("Skip", line))
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

// sets computes the bounds of a path; it says false while a parameter has no value.
func (x *Explainer) sets(a *Access) (keys.Sets, bool) {
	sets := make([]span.Set, len(a.Bounds))
	for i, b := range a.Bounds {
		var err error
		if sets[i], err = b.Set(x.Context); err != nil {
			return nil, false
		}
	}
	return byColumn(a.Bounds, sets), true
}

// symbolic shows spans whose values are not known yet, those of the alternatives of an OR
// one after the other.
func symbolic(s Scan) []string {
	if len(s.Access.Either) == 0 {
		return []string{symbolicSpan(s, s.Access.Bounds, s.Access.Parts)}
	}
	var out []string
	for i, alt := range s.Access.Either {
		if i == shownSpans {
			out = append(out, fmt.Sprintf("... %d more", len(s.Access.Either)-i))
			break
		}
		out = append(out, symbolicSpan(s, alt.Bounds, alt.Parts))
	}
	return out
}

// symbolicSpan shows a span part by part: /$1/($2 - $3). A part that is computed shows how.
func symbolicSpan(s Scan, bounds []Bound, n int) string {
	var b strings.Builder
	l := layoutOf(s)
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

// String shows a bound whose values are not known yet.
func (b Bound) String() string {
	list := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		if list[i] = t.String(); t.Op == TermEQ {
			list[i] = t.Args[0].String()
		}
	}
	return strings.Join(list, " ")
}

// String is how a term is shown while its values are not known.
func (t Term) String() string {
	if t.Image != nil {
		return t.Image.Of.String() + " " + t.Image.Term.String()
	}
	if len(t.Args) == 0 {
		return t.Op.String()
	}
	return t.Op.String() + " " + texts(t.Args, ", ")
}

// String is how a term is shown.
func (op TermOp) String() string {
	return [...]string{
		TermEQ: "=", TermLT: "<", TermLE: "<=", TermGT: ">", TermGE: ">=", TermIn: "in", TermAny: "any of",
		TermPrefix: "begins with", TermWithin: "within", TermNull: "null", TermNotNull: "not null",
	}[op]
}

func layoutOf(s Scan) *catalog.Layout {
	if s.Access.Index == nil {
		return &s.Table.Primary
	}
	return &s.Access.Index.Layout
}
