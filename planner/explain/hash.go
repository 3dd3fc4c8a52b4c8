package explain

import (
	"cmp"
	"fmt"
	"strings"

	"zproxy/planner/plan"
)

// hashDetails is what ANALYZE says of a hash table, or of the files that stood for it. A join begins with one part, and
// its table grows as rows come, so that no number of buckets is thought of before.
func hashDetails(p *plan.NodeProfile) []property {
	if p == nil || p.Loops == 0 {
		return nil
	}
	parts := max(1, p.Batches)
	buckets, memory := counted("Hash Buckets", p.Buckets), kilobytes(p.Memory)
	buckets.lines = []string{fmt.Sprintf("Buckets: %d  Batches: 1  Memory Usage: %dkB", p.Buckets, memory)}
	if p.Spilled > 0 {
		buckets.lines = []string{fmt.Sprintf("Buckets: %d (originally %d)  Batches: %d (originally 1)  Memory Usage: %dkB"+
			"  Disk Usage: %dkB", p.Buckets, p.Buckets, parts, memory, kilobytes(p.Spilled))}
	}
	out := []property{buckets, unsaid("Original Hash Buckets", buckets.value),
		unsaid("Hash Batches", counted("", parts).value), unsaid("Original Hash Batches", counted("", 1).value),
		unsaid("Peak Memory Usage", counted("", memory).value)}
	if p.Spilled > 0 {
		out = append(out, unsaid("Disk Usage", counted("", kilobytes(p.Spilled)).value))
	}
	return out
}

// hashedGroups are the expressions whose values make groups, or different rows, with what ANALYZE says of their table.
func (x *explainer) hashedGroups(groups []string, p *plan.NodeProfile) []property {
	return append([]property{listed("Group Key", groups)}, x.hashed(p)...)
}

// hashed is what is told of a table of groups.
func (x *explainer) hashed(p *plan.NodeProfile) (out []property) {
	if x.Costs {
		out = append(out, unsaid("Planned Partitions", counted("", 0).value))
	}
	if p == nil || p.Loops == 0 {
		return out
	}
	batches, memory := counted("HashAgg Batches", 1+p.Batches), counted("Peak Memory Usage", kilobytes(p.Memory))
	line := fmt.Sprintf("Batches: %d  Memory Usage: %dkB", 1+p.Batches, kilobytes(p.Memory))
	if p.Spilled > 0 {
		line += fmt.Sprintf("  Disk Usage: %dkB", kilobytes(p.Spilled))
	}
	batches.lines = []string{line}
	memory.quiet = true
	return append(out, batches, memory, unsaid("Disk Usage", counted("", kilobytes(p.Spilled)).value))
}

// groupingSetsTitle is the name that PostgreSQL has for sets of which some, all or none have expressions.
func groupingSetsTitle(n plan.GroupingSets) title {
	hashed, plain := false, false
	for _, set := range n.Sets {
		hashed, plain = hashed || len(set) > 0, plain || len(set) == 0
	}
	switch {
	case !hashed:
		return title{node: "Aggregate", way: aggregation("Plain", simple)}
	case plain:
		return title{node: "Aggregate", called: "MixedAggregate", way: aggregation("Mixed", simple)}
	}
	return title{node: "Aggregate", called: "HashAggregate", way: aggregation("Hashed", simple)}
}

// groupingSets tells of each set by what its groups are made, first of those that have a table.
func (x *explainer) groupingSets(n plan.GroupingSets, p *plan.NodeProfile) []property {
	sets := groups{item: "Grouping Set"}
	var lines []string
	add := func(label string, texts []string) {
		sets.list = append(sets.list, group{unsaid(label+"s", lists{item: label, list: [][]string{texts}})})
		lines = append(lines, label+": "+cmp.Or(strings.Join(texts, ", "), "()"))
	}
	var plain, hashed int
	for i, set := range n.Sets {
		if len(set) > 0 {
			hashed++
			add("Hash Key", textsOf(n.Set(i).Groups))
		} else {
			plain++
		}
	}
	for range plain {
		add("Group Key", []string{})
	}
	out := []property{{label: "Grouping Sets", value: sets, lines: lines}}
	if hashed == 0 {
		return out
	}
	return append(out, x.hashed(p)...)
}
