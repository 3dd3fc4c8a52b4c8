package explain

import (
	"fmt"

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

// hashedGroups are the expressions whose values make groups, or different rows, with what ANALYZE says of their table,
// which never goes to files.
func (x *explainer) hashedGroups(groups []string, p *plan.NodeProfile) []property {
	out := []property{listed("Group Key", groups)}
	if x.Costs {
		out = append(out, unsaid("Planned Partitions", counted("", 0).value))
	}
	if p == nil || p.Loops == 0 {
		return out
	}
	batches, memory := counted("HashAgg Batches", 1), counted("Peak Memory Usage", kilobytes(p.Memory))
	batches.lines = []string{fmt.Sprintf("Batches: 1  Memory Usage: %dkB", kilobytes(p.Memory))}
	memory.quiet = true
	return append(out, batches, memory, unsaid("Disk Usage", counted("", 0).value))
}
