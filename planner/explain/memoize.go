package explain

import (
	"fmt"
	"strings"

	"zproxy/planner/plan"
)

// memoizeDetails are as PostgreSQL says them. Keys count as the same if their values are identical, not only equal,
// which it calls binary.
func memoizeDetails(n plan.Memoize, p *plan.NodeProfile) []property {
	keys := strings.Join(textsOf(n.Keys), ", ")
	out := []property{textProperty("Cache Key", keys), textProperty("Cache Mode", "binary")}
	if p == nil || p.Loops == 0 {
		return out
	}
	hits := counted("Cache Hits", p.Hits)
	hits.lines = []string{fmt.Sprintf("Hits: %d  Misses: %d  Evictions: %d  Overflows: 0  Memory Usage: %dkB",
		p.Hits, p.Misses, p.Evictions, kilobytes(p.Memory))}
	return append(out, hits, unsaid("Cache Misses", counted("", p.Misses).value),
		unsaid("Cache Evictions", counted("", p.Evictions).value), unsaid("Cache Overflows", counted("", 0).value),
		unsaid("Peak Memory Usage", counted("", kilobytes(p.Memory)).value))
}
