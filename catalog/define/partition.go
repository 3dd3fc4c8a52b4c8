package define

import (
	"maps"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/partition"
	"zproxy/catalog/reference"
	"zproxy/catalog/rollover"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// rangeBy makes a table one whose rows are in partitions.
func (t *NewTable) rangeBy(clause *ast.PartitionBy) error {
	if clause == nil || clause.Strategy != "range" {
		return nil
	}
	by := clause.Keys
	of, err := t.partitionColumn(by[0].Column, by[0].Pos)
	switch {
	case err != nil:
		return err
	case !analyze.Ordered(of.Type):
		return sqlerr.New(sqlerr.UndefinedObject,
			"data type %s has no default operator class for access method \"btree\"", of.Type).
			WithHint("You must specify a btree operator class " +
				"or define a default btree operator class for the data type.")
	case t.Columns[t.Ordinal(of.ID)].Generated != nil:
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot use generated column in partition key").
			WithDetail("Column %q is a generated column.", of.Name).At(int(by[0].Pos))
	case celltime.Has(t.Table):
		return sqlerr.Unsupported("PARTITION BY RANGE of a table whose cells have timestamps").At(int(by[0].Pos))
	}
	t.Partitioning = &partition.By{Column: of.ID}
	if t.PrimaryKey != "" {
		return dividedBy(t.Table, t.Primary.Columns(), "PRIMARY KEY")
	}
	return nil
}

// dividedBy wants a unique key of a partitioned table to have the column that divides the rows: then equal keys are in
// one partition.
func dividedBy(t *catalog.Table, key []uint32, constraint string) error {
	if t.Partitioning == nil || slices.Contains(key, t.Partitioning.Column) {
		return nil
	}
	return lacksPartition(t, constraint, t.Columns[t.Ordinal(t.Partitioning.Column)].Name)
}

// lacksPartition is the error about a unique key without a column of the partition key.
func lacksPartition(t *catalog.Table, constraint, column string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"unique constraint on partitioned table must include all partitioning columns").
		WithDetail("%s constraint on table \"%s\" lacks column \"%s\" which is part of the partition key.", constraint,
			t.Name, column)
}

// Partition makes a partition of a table: one with the same columns, keys, indexes and checks, in spaces of its own.
func (b Builder) Partition(parent *catalog.Table, s *ast.CreateTable, schema string, of partition.Of) (
	*NewTable, error) {
	c := *parent
	t := &NewTable{Table: &c, by: b}
	c.Schema, c.Name, c.Version, c.Stepped = schema, s.Table.Name, 1, 0
	c.Partitioning, c.PartitionOf, c.StorageNames = nil, &of, nil
	c.Comment, c.KeyComment, c.IndexComment = "", "", ""
	c.Tables = reference.Tables{} // its parent keeps the foreign keys
	c.Rights, c.Stats, c.Options = catalog.Rights{}, catalog.Stats{}, maps.Clone(parent.Options)
	maps.DeleteFunc(c.Options, func(name, _ string) bool { return rollover.IsOption(name) })
	if err := b.number(&c.ID, &c.Space, c.Schema, c.Name); err != nil {
		return nil, err
	}
	c.Columns = slices.Clone(c.Columns)
	for i := range c.Columns {
		c.Columns[i].Missing, c.Columns[i].Comment = types.Null, ""
	}
	if err := t.ownNames(parent); err != nil {
		return nil, err
	}
	return t, t.ownOptions(parent, s.Options)
}

// ownNames gives the keys, checks and indexes of a new partition numbers, and names where these must differ.
func (t *NewTable) ownNames(parent *catalog.Table) error {
	t.PrimaryKey, t.Indexes = "", nil
	if parent.PrimaryKey != "" {
		t.PrimaryKey = freeName(t.Name, "", "pkey", t.taken)
		id, err := t.by.Next()
		if err != nil {
			return err
		}
		t.KeyID = uint32(id)
	}
	t.Checks = slices.Clone(parent.Checks)
	for i := range t.Checks {
		id, err := t.by.Next()
		if err != nil {
			return err
		}
		t.Checks[i].ID, t.Checks[i].Comment = uint32(id), ""
	}
	for i := range parent.Indexes {
		x, err := t.by.PartitionIndex(t.Table, &parent.Indexes[i])
		if err != nil {
			return err
		}
		t.Indexes = append(slices.Clip(t.Indexes), *x)
	}
	return nil
}

// PartitionIndex makes the index of a partition that belongs to one of its parent.
func (b Builder) PartitionIndex(t *catalog.Table, of *catalog.Index) (*catalog.Index, error) {
	x, err := indexLike(b, t, of)
	if x != nil {
		x.Of = of.ID
	}
	return x, err
}

// ownOptions are the WITH options of a new partition, before those of its parent.
func (t *NewTable) ownOptions(parent *catalog.Table, options []ast.Option) error {
	if keys, _ := KeyOptions(options); len(keys) > 0 {
		return sqlerr.Unsupported("parameter %q of a partition", keys[0].Name).At(int(keys[0].Pos)).
			WithHint("The keys of partitions are made as those of the partitioned table.")
	}
	if err := tableOptions(t.Table, options); err != nil {
		return err
	}
	if err := scheduled(t.Table, options); err != nil {
		return err
	}
	if err := live(t, options, time.Time{}); err != nil {
		return err
	}
	return fitsParent(parent, t.Table)
}

// fitsParent refuses a partition with other columns than its parent has, as a TTL without a column would give it.
func fitsParent(parent, t *catalog.Table) error {
	if slices.EqualFunc(parent.Columns, t.Columns, func(a, b catalog.Column) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Type == b.Type
	}) {
		return nil
	}
	return sqlerr.Unsupported("a TTL of a partition without ttl_column").
		WithHint("Set the TTL of the partitioned table, or name the column that it counts from.")
}

// PartitionOf is the range of the partition of a name, whose values are computed.
func (b Builder) PartitionOf(parent *catalog.Table, name string, tree *ast.PartitionOf, c *expr.Context) (
	partition.Of, error) {
	if parent.Partitioning == nil {
		return partition.Of{}, sqlerr.New(sqlerr.InvalidObjectDefinition, "%q is not partitioned", parent.Name)
	}
	column := parent.Partitioning.Column
	out := partition.Of{Parent: parent.ID, Column: column, Default: tree.Default}
	if !tree.Default {
		at := &parent.Columns[parent.Ordinal(column)]
		var err error
		if out.From, err = b.edge(at, "FROM", tree.From, c); err != nil {
			return out, err
		}
		if out.To, err = b.edge(at, "TO", tree.To, c); err != nil {
			return out, err
		}
		if out.From.Compare(out.To) >= 0 {
			return out, sqlerr.New(sqlerr.InvalidObjectDefinition, "empty range bound specified for partition %q",
				name).
				WithDetail("Specified lower bound %s is greater than or equal to upper bound %s.",
					out.From.Text(at.Type), out.To.Text(at.Type)).At(int(tree.From[0].Pos))
		}
	}
	return out, nil
}

// Disjoint refuses a partition that would have rows of another one.
func (b Builder) Disjoint(of *partition.Of, name string, tree *ast.PartitionOf) error {
	for _, p := range b.Catalog.Partitions(of.Parent) {
		switch {
		case !of.Overlaps(p.PartitionOf):
		case of.Default:
			return sqlerr.New(sqlerr.InvalidObjectDefinition,
				"partition %q conflicts with existing default partition %q", name, p.Name).At(int(tree.Pos))
		default:
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "partition %q would overlap partition %q", name, p.Name).
				At(int(tree.From[0].Pos))
		}
	}
	return nil
}

// edge is one end of the range of a partition.
func (b Builder) edge(column *catalog.Column, what string, list []ast.Edge, c *expr.Context) (partition.Edge, error) {
	if len(list) != 1 {
		return partition.Edge{}, sqlerr.New(sqlerr.InvalidTableDefinition,
			"%s must specify exactly one value per partitioning column", what)
	}
	tree := list[0]
	if tree.Infinity != 0 {
		return partition.Edge{Infinity: tree.Infinity}, nil
	}
	e, err := b.Over(bind.NewScope(), nil, "partition bound").Expr(tree.Value)
	if err != nil {
		return partition.Edge{}, err
	}
	e, ok, err := b.Coerce(e, column.Type, types.Assignment, tree.Pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "specified value cannot be cast to type %s for column %q",
			column.Type.Bare(), column.Name).At(int(tree.Pos))
	}
	if err != nil {
		return partition.Edge{}, err
	}
	v, err := e.Eval(c, nil)
	if err == nil && v.IsNull() {
		err = sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot specify NULL in range bound")
	}
	return partition.Edge{Value: v}, err
}

// MakesSequence says whether a column takes its values from a sequence of its own.
func MakesSequence(d *ast.ColumnDef) bool { return d.Identity != "" || serialTypes[d.Type.Name] != "" }
