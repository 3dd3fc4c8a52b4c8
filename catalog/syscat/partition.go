package syscat

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/types"
)

// partitionCatalogs are those that tell which tables are partitions of which, and how their rows are divided.
func partitionCatalogs() []definition {
	return []definition{
		{
			name: "pg_inherits", columns: "inhrelid inhparent inhseqno", rows: inherits,
		},
		{
			name: "pg_partitioned_table", key: "partrelid", rows: partitioned,
			columns: "partrelid partstrat partnatts partdefid partattrs partclass partcollation partexprs",
		},
	}
}

// inherits has the partitions of tables, and their indexes that belong to indexes of these, and the tables that
// inherit from others.
func inherits(r *rows) {
	for _, t := range r.Catalog.Tables() {
		for i, parent := range t.Inherits.Of() {
			r.add(number(t.ID), number(parent), number(i+1))
		}
		if t.PartitionOf == nil {
			continue
		}
		r.add(number(t.ID), number(t.PartitionOf.Parent), number(1))
		if parent, ok := r.Catalog.ByID(t.PartitionOf.Parent).(*catalog.Table); ok && r.Catalog.SameKey(parent, t) {
			r.add(number(t.KeyID), number(parent.KeyID), number(1))
		}
		for _, x := range t.Indexes {
			if x.Of != 0 {
				r.add(number(x.ID), number(x.Of), number(1))
			}
		}
	}
}

func partitioned(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if t.Partitioning == nil || !r.wants(t.ID) {
			continue
		}
		others := uint32(0)
		for _, p := range r.Catalog.Partitions(t.ID) {
			if p.PartitionOf.Default {
				others = p.ID
			}
		}
		by, method := t.Partitioning, catalog.BTree
		if by.Strategy == partition.Hash {
			method = catalog.Hash
		}
		var columns []int16
		var classes, collations []uint32
		for _, k := range by.Keys {
			columns = append(columns, int16(k.Column))
			classes = append(classes, r.relations.operatorClass(method, k.Class, k.Type))
			collations = append(collations, r.relations.collationOf(k.Type))
		}
		var exprs []string
		for i := range t.PartitionExprs {
			exprs = append(exprs, t.PartitionExprs[i].Text)
		}
		r.add(number(t.ID), letter(by.Strategy[0]), number(uint32(len(by.Keys))), number(others),
			vector(types.OIDInt2, columns), vector(types.OIDOID, classes), vector(types.OIDOID, collations),
			textOrNull(strings.Join(exprs, ", ")))
	}
}

// boundOf is what FOR VALUES says of a table; NULL for one that is no partition.
func boundOf(t *catalog.Table) types.Value {
	if t.PartitionOf == nil {
		return types.Null
	}
	return text(t.PartitionOf.Text())
}
