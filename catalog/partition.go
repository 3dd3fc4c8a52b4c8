package catalog

import (
	"slices"

	"zproxy/catalog/inheritance"
	"zproxy/catalog/partition"
)

// Elsewhere says where the rows of a table are that has none in spaces of its own, what a partition is part of, and
// where rows come from that no statement writes.
type Elsewhere struct {
	// Foreign, if not nil, says whose the rows are.
	Foreign *Foreign `json:",omitempty"`
	// Partitioning is of a table whose rows are in partitions.
	Partitioning *partition.By `json:",omitempty"`
	// PartitionExprs are the expressions among the keys of Partitioning.
	PartitionExprs []Condition `json:",omitempty"`
	// HashedBy is what PARTITION BY HASH named of a table that keeps its rows itself. The first partition that has rows
	// by their hash makes it the Partitioning.
	HashedBy *partition.By `json:",omitempty"`
	// PartitionOf is of a partition, which has its rows itself unless it has partitions.
	PartitionOf *partition.Of `json:",omitempty"`
	// Inherits is of a table whose rows are also among those of others.
	Inherits *inheritance.From `json:",omitempty"`
	// OfType is the composite type that the columns are those of; 0: the table has its own.
	OfType uint32 `json:",omitempty"`
	// Materialized is of a materialized view.
	Materialized *Materialized `json:",omitempty"`
}

// Kept says whether the rows of a table are in spaces of its own.
func (e *Elsewhere) Kept() bool { return e.Foreign == nil && e.Partitioning == nil }

// SameKey says whether the primary key of a partition is what that of its parent stands for.
func (partitions) SameKey(parent, t *Table) bool {
	return parent.PrimaryKey != "" && t.PrimaryKey != "" &&
		slices.Equal(parent.Primary.Declared(), t.Primary.Declared())
}

// partitions are those of tables, by the numbers of the tables.
type partitions map[uint32][]*Table

// Partitions are those of a table, by their ranges, and the default one last.
func (p partitions) Partitions(parent uint32) []*Table { return p[parent] }

// Leaves are the tables that have the rows of a table: itself, or its partitions, and theirs.
func (p partitions) Leaves(t *Table) (out []*Table) {
	if t.Partitioning == nil {
		return []*Table{t}
	}
	for _, below := range p[t.ID] {
		out = append(out, p.Leaves(below)...)
	}
	return slices.Clip(out)
}

// Descendants are the partitions of a table, and theirs, each behind the one that it is a partition of.
func (p partitions) Descendants(table uint32) (out []*Table) {
	for _, t := range p[table] {
		out = append(append(out, t), p.Descendants(t.ID)...)
	}
	return slices.Clip(out)
}

// Keyed says whether each of the tables that have the rows of a table has a key that is no row id.
func (p partitions) Keyed(t *Table) bool {
	return !slices.ContainsFunc(p.Leaves(t), func(leaf *Table) bool { return leaf.KeyName() == "" })
}

// partitionsOf are the partitions among tables.
func partitionsOf(tables []*Table) partitions {
	out := partitions{}
	for _, t := range tables {
		if t.PartitionOf != nil {
			out[t.PartitionOf.Parent] = append(out[t.PartitionOf.Parent], t)
		}
	}
	for parent, list := range out {
		slices.SortFunc(list, func(a, b *Table) int { return a.PartitionOf.Compare(b.PartitionOf) })
		out[parent] = slices.Clip(list) // what many read at once and append to is copied
	}
	return out
}

// WithParents is a table with those that it is a partition of, the nearest first.
func WithParents(s *Snapshot, t *Table) []*Table {
	out := []*Table{t}
	for t.PartitionOf != nil {
		parent, ok := s.ByID(t.PartitionOf.Parent).(*Table)
		if !ok {
			break
		}
		out, t = append(out, parent), parent
	}
	return out
}
