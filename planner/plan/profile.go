package plan

import (
	"slices"
	"time"

	"zproxy/store"
)

// Profile is what running a plan took, node by node in preorder.
type Profile struct {
	nodes      []NodeProfile
	subqueries map[int]int // the preorder numbers of their roots, by their own numbers
}

// NodeProfile is what one node of a plan took, with the nodes below it.
type NodeProfile struct {
	Loops   int64         // times that it ran
	Rows    int64         // rows that came out, or were written
	First   time.Duration // until the first rows came out
	Time    time.Duration // until the last, without what was done with them above
	Removed int64         // rows that the node's own conditions dropped
	leftOut
	kept
	read
	wrote
}

// leftOut are the rows that a scan, or a Gather of one, has left out since nodes above it do not need them.
type leftOut struct {
	Unjoined int64 // a hash join has no partner for them
	Unsorted int64 // they come behind the first ones of a sort
	Early    int64 // of both those for which the store did not make all columns
}

// LeftOut is how many rows were left out since nodes above do not need them.
func (p *NodeProfile) LeftOut() int64 { return p.Unjoined + p.Unsorted }

// AddLeftOut adds the rows that another node, or another run, left out.
func (p *NodeProfile) AddLeftOut(q *NodeProfile) {
	p.Unjoined, p.Unsorted, p.Early = p.Unjoined+q.Unjoined, p.Unsorted+q.Unsorted, p.Early+q.Early
}

// kept is what a node held, if it keeps rows.
type kept struct {
	Memory  int64 // bytes that it held at the most
	Spilled int64 // bytes that it wrote to files
	Batches int64 // parts that a hash join went to files in
	Buckets int64 // of a hash table at the most
	// Rounds are those of a Nearest, and Radius that of the last one.
	Rounds int64
	Radius float64
	memoized
}

// memoized is how a Memoize fared.
type memoized struct {
	Hits, Misses int64 // runs whose rows were kept, and others
	Evictions    int64 // keys whose rows had to make room for others
}

// read is what a node read: mostly a Scan, but one that writes looks for what is in its way.
type read struct {
	Stats  store.Stats
	Scans  int64 // times that a table or an index was opened
	Ranges int64 // ranges that were scanned
	// Partitions are those in which ranges were scanned, one after another; AtOnce is how
	// many scans were under way together at the most.
	Partitions, AtOnce int64
	// Reads are the ranges of keys that a scan with a skipper examined, in no order.
	Reads []*RangeRead

	Lookups int64 // rows that were looked up
	Missing int64 // index entries whose row was not there
}

// RangeRead is a range of keys that was examined without a seek.
type RangeRead struct {
	From, To []byte // the first and the last key: the bytes of its partition and its sort key
	Examined int64
	Wanted   int64 // keys that the scan did not skip
}

// Wasteful says whether keys were examined that were not wanted.
func (r *RangeRead) Wasteful() bool { return r.Wanted < r.Examined }

// wrote is what a node that writes, or locks, handed to the transaction.
type wrote struct {
	Writes  int64 // items put and deleted
	Deletes int64 // of them those deleted
	Spared  int64 // of them those where nothing is, kept free
	Written int64 // bytes of their keys and values
	Met     int64 // rows to be inserted that others were in the way of
}

// Add adds what another node, or another run, read and wrote.
func (p *NodeProfile) Add(q *NodeProfile) {
	p.Removed += q.Removed
	p.AddLeftOut(q)
	p.Spilled += q.Spilled
	p.Stats.Add(&q.Stats)
	p.Scans += q.Scans
	p.Ranges += q.Ranges
	p.Partitions += q.Partitions
	p.AtOnce = max(p.AtOnce, q.AtOnce)
	p.Reads = append(p.Reads, q.Reads...)
	p.Lookups += q.Lookups
	p.Missing += q.Missing
	p.Writes += q.Writes
	p.Deletes += q.Deletes
	p.Spared += q.Spared
	p.Written += q.Written
	p.Met += q.Met
	p.Hits += q.Hits
	p.Misses += q.Misses
	p.Evictions += q.Evictions
}

// AddWorker adds what a worker took for the nodes from one on, as many as there are in a plan. Once are the numbers of
// those that compute parts of one run, in which all workers take part: scans are the same ones for all of them.
func (p *Profile) AddWorker(q *Profile, from, count int, once []int) {
	for i := from; i < from+count; i++ {
		mine, its := &p.nodes[i], &q.nodes[i]
		loops, time := mine.Loops+its.Loops, mine.Time+its.Time
		if slices.Contains(once, i) {
			its.Scans = 0
			loops, time = max(mine.Loops, min(its.Loops, 1)), max(mine.Time, its.Time)
		}
		mine.Add(its)
		mine.Loops, mine.Time = loops, time
		mine.Rows += its.Rows
		if mine.First == 0 || its.First != 0 && its.First < mine.First {
			mine.First = its.First
		}
	}
}

// Fork is an empty profile of the same plan.
func (p *Profile) Fork() *Profile {
	if p == nil {
		return nil
	}
	return &Profile{nodes: make([]NodeProfile, len(p.nodes)), subqueries: p.subqueries}
}

// Total adds up what the nodes read and wrote.
func (p *Profile) Total() NodeProfile {
	var total NodeProfile
	for i := range p.nodes {
		total.Add(&p.nodes[i])
	}
	return total
}

// NewProfile is an empty profile for a plan.
func NewProfile(n Node) *Profile {
	p := &Profile{nodes: make([]NodeProfile, CountNodes(n)), subqueries: map[int]int{}}
	p.find(n, 0)
	return p
}

// find notes the preorder numbers of the subqueries of a node and of those below. One that several nodes have is that
// of the lowest of them, which runs it first.
func (p *Profile) find(n Node, number int) {
	number++
	for _, in := range n.Inputs() {
		p.find(in, number)
		number += CountNodes(in)
	}
	for _, s := range Subqueries(n) {
		if sub, ok := s.Plan.(Sub); ok {
			if _, twice := p.subqueries[s.Number]; !twice {
				p.subqueries[s.Number] = number
			}
			p.find(sub.Node, number)
			number += CountNodes(sub.Node)
		}
	}
}

// CountNodes is how many nodes a plan has, those of its subqueries among them.
func CountNodes(n Node) int {
	count := 1
	for _, in := range n.Inputs() {
		count += CountNodes(in)
	}
	for _, s := range Subqueries(n) {
		if sub, ok := s.Plan.(Sub); ok {
			count += CountNodes(sub.Node)
		}
	}
	return count
}

// Subquery is the preorder number of the root of a subquery.
func (p *Profile) Subquery(number int) int {
	if p == nil {
		return 0
	}
	return p.subqueries[number]
}

// Below is the profile of the node of a preorder number and of those below it, as of a plan of their own.
func (p *Profile) Below(number int) *Profile {
	out := &Profile{nodes: p.nodes[number:], subqueries: map[int]int{}}
	for q, root := range p.subqueries {
		out.subqueries[q] = root - number
	}
	return out
}

// Node is what the node of a preorder number took, nil when nothing was measured.
func (p *Profile) Node(number int) *NodeProfile {
	if p == nil || number >= len(p.nodes) {
		return nil
	}
	return &p.nodes[number]
}
