package plan

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/types"
)

// Partitions are those of a table that is written: each row goes to the one that its value of a column belongs to.
type Partitions struct {
	Column int // its ordinal in the table
	Of     []Indexed
}

// tables are the partitions.
func (p *Partitions) tables() (out []*catalog.Table) {
	for i := range p.Of {
		out = append(out, p.Of[i].Table)
	}
	return out
}

// Find is the number of the partition for the rows with a value, -1 if there is none.
func (p *Partitions) Find(v types.Value) int {
	n := len(p.Of)
	last := n > 0 && p.Of[n-1].PartitionOf.Default
	if last {
		n--
	}
	at, found := slices.BinarySearchFunc(p.Of[:n], partition.Edge{Value: v}, func(q Indexed, e partition.Edge) int {
		return q.PartitionOf.From.Compare(e)
	})
	if !found {
		at--
	}
	switch {
	case at >= 0 && p.Of[at].PartitionOf.Takes(v):
		return at
	case last:
		return n
	}
	return -1
}

// Into is the part of an Insert that writes to one of its partitions.
func (n Insert) Into(p *Indexed) Insert {
	n.Table, n.Partitions, n.Fires = p.Table, nil, p.Fires
	n.Keep(*p)
	if n.Arbiter != nil {
		of := n.Arbiter.ID
		at := slices.IndexFunc(p.Indexes, func(x catalog.Index) bool { return x.Of == of })
		if n.Arbiter = nil; at >= 0 {
			n.Arbiter = &p.Indexes[at]
		}
	}
	return n
}
