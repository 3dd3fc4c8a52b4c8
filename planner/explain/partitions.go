package explain

import (
	"fmt"
	"slices"

	"zproxy/catalog/partition"
	"zproxy/planner/plan"
)

// aliased are the inputs of a node. Those of an Append have aliases by the order of their ranges, also if they are read
// from the last one to the first.
func (x *explainer) aliased(n plan.Node) []plan.Node {
	out := n.Inputs()
	if _, ok := n.(plan.Append); !ok || len(out) == 0 {
		return out
	}
	out = slices.Clone(out)
	first, last := partitionOf(out[0]), partitionOf(out[len(out)-1])
	backward := first != nil && last != nil && first.Parent == last.Parent && first.Compare(last) > 0
	if backward {
		slices.Reverse(out)
	}
	for i := range out {
		out[i] = x.numbered(out[i])
	}
	if backward {
		slices.Reverse(out)
	}
	return out
}

// partitionOf says which partition a plan reads, if it is one.
func partitionOf(n plan.Node) *partition.Of {
	switch n := n.(type) {
	case plan.Scan:
		return n.Table.PartitionOf
	case plan.Project, plan.Filter, plan.Sort, plan.Limit:
		return partitionOf(n.Inputs()[0])
	}
	return nil
}

// numbered is the plan of a partition with an alias of its own, as PostgreSQL makes it.
func (x *explainer) numbered(n plan.Node) plan.Node {
	switch n := n.(type) {
	case plan.Scan:
		if n.Table.PartitionOf != nil {
			x.aliases[n.Alias]++
			n.Alias = fmt.Sprintf("%s_%d", n.Alias, x.aliases[n.Alias])
		}
		return n
	case plan.Project, plan.Filter, plan.Sort, plan.Limit:
		return n.WithInputs([]plan.Node{x.numbered(n.Inputs()[0])})
	}
	return n
}
