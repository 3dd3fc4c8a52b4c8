package plan

import (
	"time"

	"zproxy/store"
)

// Profile is what running a plan took, node by node in preorder.
type Profile struct{ nodes []NodeProfile }

// NodeProfile is what one node of a plan took, with the nodes below it.
type NodeProfile struct {
	Loops   int64         // times that it ran
	Rows    int64         // rows that came out, or were written
	First   time.Duration // until the first rows came out
	Time    time.Duration // until the last, without what was done with them above
	Removed int64         // rows that the node's own conditions dropped

	// What a Scan read.
	Stats   store.Stats
	Lookups int64 // rows that were looked up
	Missing int64 // index entries whose row was not there
}

// NewProfile is an empty profile for a plan.
func NewProfile(n Node) *Profile { return &Profile{nodes: make([]NodeProfile, nodeCount(n))} }

func nodeCount(n Node) int {
	nodes := 1
	for _, in := range n.Inputs() {
		nodes += nodeCount(in)
	}
	return nodes
}

// Node is what the node at a place took, nil when nothing was measured.
func (p *Profile) Node(place int) *NodeProfile {
	if p == nil || place >= len(p.nodes) {
		return nil
	}
	return &p.nodes[place]
}
