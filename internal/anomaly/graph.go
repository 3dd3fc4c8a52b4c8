package anomaly

import "slices"

// dependency is one of Adya's kinds.
type dependency int

const (
	ww dependency = iota
	wr
	rw
)

func (d dependency) String() string { return [...]string{"ww", "wr", "rw"}[d] }

// edge says that in any serial order one transaction is before another. Both are numbers of transactions.
type edge struct {
	from, to  int
	kind      dependency
	key       string
	predicate bool
}

// graph has the edges that leave each transaction.
type graph [][]edge

// add notes an edge, but only one of each kind between two transactions. A read by a predicate gives way to
// another one, so that a cycle needs predicates only if it cannot do without.
func (g graph) add(e edge) {
	at := slices.IndexFunc(g[e.from], func(o edge) bool { return o.to == e.to && o.kind == e.kind })
	switch {
	case at < 0:
		g[e.from] = append(g[e.from], e)
	case g[e.from][at].predicate && !e.predicate:
		g[e.from][at] = e
	}
}

// component is a set of several transactions that reach each other.
type component map[int]bool

// call is one of Tarjan's function: which of the edges of a transaction is next.
type call struct{ node, next int }

// tarjan is a run of Tarjan's algorithm, which keeps its own stack of calls, as a history may be one long chain.
type tarjan struct {
	number, low []int // by transaction; 0: not visited
	visited     int
	open        []int // visited, and of no component yet
	isOpen      []bool
	found       []component
}

// components are the strongly connected ones of more than one transaction, by the edges that some is true for.
func (g graph) components(some func(edge) bool) []component {
	n := len(g)
	t := &tarjan{number: make([]int, n), low: make([]int, n), isOpen: make([]bool, n)}
	for root := range g {
		if t.number[root] > 0 {
			continue
		}
		for calls := []call{t.visit(root)}; len(calls) > 0; {
			at := &calls[len(calls)-1]
			if at.next == len(g[at.node]) {
				t.leave(at.node)
				if calls = calls[:len(calls)-1]; len(calls) > 0 {
					caller := calls[len(calls)-1].node
					t.low[caller] = min(t.low[caller], t.low[at.node])
				}
				continue
			}
			e := g[at.node][at.next]
			at.next++
			switch {
			case !some(e):
			case t.number[e.to] == 0:
				calls = append(calls, t.visit(e.to))
			case t.isOpen[e.to]:
				t.low[e.from] = min(t.low[e.from], t.number[e.to])
			}
		}
	}
	return t.found
}

func (t *tarjan) visit(node int) call {
	t.visited++
	t.number[node], t.low[node] = t.visited, t.visited
	t.open, t.isOpen[node] = append(t.open, node), true
	return call{node: node}
}

// leave makes a component of what was visited since a transaction that reaches none before itself.
func (t *tarjan) leave(node int) {
	if t.low[node] != t.number[node] {
		return
	}
	at := slices.Index(t.open, node)
	c := component{}
	for _, n := range t.open[at:] {
		c[n], t.isOpen[n] = true, false
	}
	t.open = t.open[:at]
	if len(c) > 1 {
		t.found = append(t.found, c)
	}
}

// path is a shortest way within a component from one transaction to another, by the edges that some is true for;
// nil if there is none.
func (g graph) path(within component, from, to int, some func(edge) bool) []edge {
	came := map[int]edge{} // by which edge each was reached first
	for next := []int{from}; len(next) > 0; next = next[1:] {
		for _, e := range g[next[0]] {
			if _, reached := came[e.to]; reached || !within[e.to] || !some(e) {
				continue
			}
			if came[e.to] = e; e.to != to {
				next = append(next, e.to)
				continue
			}
			out := []edge{e}
			for at := e.from; at != from; at = came[at].from {
				out = append(out, came[at])
			}
			slices.Reverse(out)
			return out
		}
	}
	return nil
}

// cycle is one that begins with an edge that first is true for and goes on by edges that some is true for, or nil.
func (g graph) cycle(within component, first, some func(edge) bool) []edge {
	for node := range g {
		if !within[node] {
			continue
		}
		for _, e := range g[node] {
			if !within[e.to] || !first(e) {
				continue
			}
			if back := g.path(within, e.to, node, some); back != nil {
				return append([]edge{e}, back...)
			}
		}
	}
	return nil
}
