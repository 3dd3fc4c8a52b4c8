package anomaly

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// depend notes that one transaction is before another, if these are different ones that committed.
func (c *checker) depend(from, to *Transaction, kind dependency, op Op) {
	if from != nil && to != nil && from != to && c.committed(from) && c.committed(to) {
		c.graph.add(edge{c.number[from], c.number[to], kind, op.Key, op.Predicate && kind == rw})
	}
}

// dependenciesOfRead are wr on the writer of what was read, and rw to the writer of what follows.
func (c *checker) dependenciesOfRead(t *Transaction, op Op) {
	l := c.lists[op.Key]
	if op.Gone {
		c.depend(l.deleter(), t, wr, op)
		return
	}
	if !l.follows(op.List) {
		return
	}
	for _, v := range slices.Backward(op.List) {
		if w := l.written[v]; w != t {
			c.depend(w, t, wr, op)
			break
		}
	}
	if next := len(op.List); next < len(l.order) {
		c.depend(t, l.written[l.order[next]], rw, op)
	} else {
		c.depend(t, l.deleter(), rw, op)
	}
}

// dependenciesOfWrites are ww from version to version.
func (c *checker) dependenciesOfWrites() {
	for _, key := range slices.Sorted(maps.Keys(c.lists)) {
		l := c.lists[key]
		for i := 1; i < len(l.order); i++ {
			c.depend(l.written[l.order[i-1]], l.written[l.order[i]], ww, Op{Key: key})
		}
		if n := len(l.order); n > 0 {
			c.depend(l.written[l.order[n-1]], l.deleter(), ww, Op{Key: key})
		}
	}
}

// dependenciesOfBelow are rw to the writer of the value that was not there. Of a list that was deleted such a read
// tells nothing.
func (c *checker) dependenciesOfBelow() {
	for _, t := range c.history {
		for _, op := range t.Ops {
			l := c.lists[op.Key]
			if op.Action == Below && op.Value > 0 && op.Value <= len(l.order) && len(l.deleters)+len(l.dirty) == 0 {
				c.depend(t, l.written[l.order[op.Value-1]], rw, op)
			}
		}
	}
}

// The edges that cycles are made of.
func every(edge) bool      { return true }
func isWW(e edge) bool     { return e.kind == ww }
func isWR(e edge) bool     { return e.kind == wr }
func isRW(e edge) bool     { return e.kind == rw }
func isNoRead(e edge) bool { return e.kind != rw }

// watched are the edges of which serializable transactions allow no cycle.
func (c *checker) watched(e edge) bool {
	return e.kind != rw || min(c.history[e.from].Level, c.history[e.to].Level) == Serializable
}

// checkCycles looks for a cycle of each kind in each part of the graph that has one.
func (c *checker) checkCycles() {
	for _, part := range c.graph.components(isWW) {
		c.reportCycle(c.graph.cycle(part, isWW, isWW), false)
	}
	for _, part := range c.graph.components(isNoRead) {
		c.reportCycle(c.graph.cycle(part, isWR, isNoRead), false)
	}
	watched := func(e edge) bool { return isRW(e) && c.watched(e) }
	for _, part := range c.graph.components(c.watched) {
		c.reportCycle(c.graph.cycle(part, watched, c.watched), false)
	}
	for _, part := range c.graph.components(every) {
		c.checkSingles(part)
		c.reportCycle(c.graph.cycle(part, func(e edge) bool {
			return isRW(e) && !c.watched(e) && c.graph.path(part, e.to, e.from, isNoRead) == nil
		}, every), true)
	}
}

// checkSingles reports for each transaction of a part of the graph a cycle of which only one edge is rw, that from
// it.
func (c *checker) checkSingles(part component) {
	for node := range c.graph {
		if !part[node] {
			continue
		}
		t := c.history[node]
		for _, e := range c.graph[node] {
			if !isRW(e) {
				continue
			}
			if back := c.graph.path(part, e.to, node, isNoRead); back != nil {
				c.reportCycle(append([]edge{e}, back...), t.Level < RepeatableRead)
				break
			}
		}
	}
}

// reportCycle notes one, if it is one.
func (c *checker) reportCycle(cycle []edge, allowed bool) {
	if cycle == nil {
		return
	}
	var text strings.Builder
	fmt.Fprintf(&text, "T%d", c.history[cycle[0].from].ID)
	for _, e := range cycle {
		fmt.Fprintf(&text, " -%s %s-> T%d", e.kind, e.key, c.history[e.to].ID)
	}
	for _, e := range cycle {
		fmt.Fprintf(&text, "\n%s", c.history[e.from])
	}
	c.found = append(c.found, Anomaly{kindOfCycle(cycle), allowed, text.String()})
}

func kindOfCycle(cycle []edge) Kind {
	count := map[dependency]int{}
	predicate := false
	for _, e := range cycle {
		count[e.kind]++
		predicate = predicate || e.predicate
	}
	switch {
	case count[rw] == 1:
		return GSingle
	case count[rw] > 1 && predicate:
		return G2
	case count[rw] > 1:
		return G2Item
	case count[wr] > 0:
		return G1c
	}
	return G0
}
