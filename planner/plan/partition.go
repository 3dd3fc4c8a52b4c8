package plan

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/expr"
	"zproxy/types"
)

// Partitions are those of a table that is written: each row goes to the one that its values of some keys belong to.
type Partitions struct {
	Of   []Indexed // those with rows, also of partitions that have partitions
	Tree Divided
	// Bound is the condition for all rows where the table is a partition itself; nil: it takes all.
	Bound expr.Expr
}

// Divided says which partition of a table takes a row.
type Divided struct {
	Table    *catalog.Table
	Keys     []expr.Expr // over its rows
	Branches []Branch    // in the order of what they take, the default one last
}

// Branch is a partition: a leaf, or one that has partitions itself.
type Branch struct {
	*partition.Of
	Leaf  int // its number among those with rows
	Below *Divided
}

// tables are the partitions.
func (p *Partitions) tables() (out []*catalog.Table) {
	for i := range p.Of {
		out = append(out, p.Of[i].Table)
	}
	return out
}

// Stop is where no partition takes a row: a table, and the values of its keys.
type Stop struct {
	Table  *catalog.Table
	Keys   []expr.Expr
	Values []types.Value
}

// Find is the number of the partition for a row; -1 if there is none, and where that shows.
func (p *Partitions) Find(c *expr.Context, row types.Row) (int, *Stop, error) {
	at := &p.Tree
	for {
		values := make([]types.Value, len(at.Keys))
		for i, key := range at.Keys {
			var err error
			if values[i], err = key.Eval(c, row); err != nil {
				return -1, nil, err
			}
		}
		b := at.branch(values)
		switch {
		case b == nil:
			return -1, &Stop{at.Table, at.Keys, values}, nil
		case b.Below == nil:
			return b.Leaf, nil, nil
		}
		at = b.Below
	}
}

// branch is the partition for the rows with some values, nil if there is none.
func (d *Divided) branch(values []types.Value) *Branch {
	n := len(d.Branches)
	last := n > 0 && d.Branches[n-1].Default
	if last {
		n--
	}
	among := d.Branches[:n]
	if n > 0 && among[0].By.Strategy == partition.Range { // only the last one that begins before them can have them
		at, found := slices.BinarySearchFunc(among, values, func(b Branch, values []types.Value) int {
			return partition.CompareEnds(b.From, partition.Ends(values))
		})
		if found {
			at++
		}
		among = among[max(at-1, 0):at]
	}
	for i := range among {
		if among[i].Takes(values) {
			return &among[i]
		}
	}
	if last {
		return &d.Branches[n]
	}
	return nil
}

// Into is the part of an Insert that writes to one of its partitions.
func (n Insert) Into(p *Indexed) Insert {
	n.Table, n.Partitions, n.Fires = p.Table, nil, p.Fires
	n.Keep(*p)
	if n.Arbiter != nil {
		n.Arbiter = n.Arbiter.OfPartition(p.Table)
	}
	return n
}
