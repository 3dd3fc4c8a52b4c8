package define

import (
	"maps"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/opclass"
	"zproxy/catalog/partition"
	"zproxy/catalog/reference"
	"zproxy/catalog/rollover"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/rowhash"
)

// divide makes a table one whose rows are in partitions, as PARTITION BY says. With a primary key HASH chooses
// partitions of the store, unless hash partitions are made.
func (t *NewTable) divide(clause *ast.PartitionBy) error {
	if clause == nil {
		return nil
	}
	by := &partition.By{Strategy: partition.Strategy(clause.Strategy)}
	ofStore := by.Strategy == partition.Hash && t.PrimaryKey != "" && t.PartitionOf == nil
	if ofStore && slices.ContainsFunc(clause.Keys, func(k ast.KeyPart) bool { return k.Expr != nil }) {
		return nil
	}
	if len(clause.Keys) > maxKeyColumns {
		return sqlerr.New(sqlerr.TooManyColumns, "cannot partition using more than %d columns", maxKeyColumns)
	}
	var exprs []catalog.Condition
	for _, part := range clause.Keys {
		key, e, err := t.partitionKey(by.Strategy, part)
		if err != nil {
			if ofStore {
				return nil // which is what the store can go by nevertheless
			}
			return err
		}
		if by.Keys = append(by.Keys, key); e != nil {
			exprs = append(exprs, *e)
		}
	}
	if ofStore {
		t.HashedBy = by
		return nil
	}
	if celltime.Has(t.Table) {
		return sqlerr.Unsupported("PARTITION BY of a table whose cells have timestamps").At(int(clause.Pos))
	}
	t.Partitioning, t.PartitionExprs = by, exprs
	return t.uniqueInPartitions()
}

// uniqueInPartitions wants the unique keys of a partitioned table to have the columns that divide the rows.
func (t *NewTable) uniqueInPartitions() error {
	if t.PrimaryKey != "" {
		if err := dividedBy(t.Table, t.Primary.Columns(), "PRIMARY KEY"); err != nil {
			return err
		}
	}
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Unique {
			if err := dividedBy(t.Table, x.Layout.Columns(), "UNIQUE"); err != nil {
				return err
			}
		}
	}
	return nil
}

// partitionKey is a column or an expression that rows are divided by.
func (t *NewTable) partitionKey(by partition.Strategy, part ast.KeyPart) (partition.Key, *catalog.Condition, error) {
	if part.Expr == nil {
		of, err := t.partitionColumn(part.Column, part.Pos)
		if err != nil {
			return partition.Key{}, nil, err
		}
		if t.Columns[t.Ordinal(of.ID)].Generated != nil {
			return partition.Key{}, nil, sqlerr.New(sqlerr.InvalidObjectDefinition,
				"cannot use generated column in partition key").
				WithDetail("Column %q is a generated column.", of.Name).At(int(part.Pos))
		}
		key, err := divides(by, part, of.Type)
		key.Column = of.ID
		return key, nil, err
	}
	c, e, err := stated(t.by, t.Table, part.Text, func(c *catalog.Condition) (expr.Expr, map[int]bool, error) {
		return t.by.Stored().BindPartitionKey(t.Table, c, part.Expr)
	})
	switch {
	case err != nil:
		return partition.Key{}, nil, err
	case expr.Mutable(e):
		return partition.Key{}, nil, sqlerr.New(sqlerr.InvalidObjectDefinition,
			"functions in partition key expression must be marked IMMUTABLE")
	case len(c.Over.Columns) == 0:
		return partition.Key{}, nil, sqlerr.New(sqlerr.InvalidObjectDefinition,
			"cannot use constant expression as partition key")
	}
	if c, ok := e.(expr.Column); ok {
		return t.partitionKey(by, ast.KeyPart{Column: t.Columns[c.Index].Name, OpClass: part.OpClass, Pos: part.Pos})
	}
	key, err := divides(by, part, e.Type())
	return key, c, err
}

// divides is a key of a type, by whose values rows can be divided, and with the operator class that its definition
// names.
func divides(by partition.Strategy, part ast.KeyPart, t types.T) (partition.Key, error) {
	method := catalog.BTree
	if by == partition.Hash {
		method = catalog.Hash
	}
	key := partition.Key{Type: t}
	if part.OpClass != "" {
		var err error
		key.Class, err = opclass.Chosen(string(method), part.OpClass, t)
		return key, err
	}
	if method == catalog.Hash {
		if rowhash.Hashable(t) {
			return key, nil
		}
		return key, sqlerr.New(sqlerr.UndefinedObject, "data type %s has no default operator class for access method \"hash\"",
			t).WithHint("You must specify a hash operator class or define a default hash operator class for the data type.")
	}
	if analyze.Ordered(t) {
		return key, nil
	}
	return key, sqlerr.New(sqlerr.UndefinedObject,
		"data type %s has no default operator class for access method \"btree\"",
		t).WithHint("You must specify a btree operator class or define a default btree operator class for the data type.")
}

// dividedBy wants a unique key of a partitioned table to have the columns that divide the rows: then equal keys are in
// one partition.
func dividedBy(t *catalog.Table, key []uint32, constraint string) error {
	if t.Partitioning == nil {
		return nil
	}
	if t.Partitioning.Computed() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "unsupported %s constraint with partition key definition",
			constraint).
			WithDetail("%s constraints cannot be used when partition keys include expressions.", constraint)
	}
	for _, column := range t.Partitioning.Columns() {
		if !slices.Contains(key, column) {
			return lacksPartition(t, constraint, t.Columns[t.Ordinal(column)].Name)
		}
	}
	return nil
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
	c.Partitioning, c.PartitionExprs, c.PartitionOf, c.StorageNames = nil, nil, &of, nil
	c.OfType = 0
	c.Comment, c.KeyComment, c.IndexComment = "", "", ""
	c.Tables = reference.Tables{} // its parent keeps the foreign keys
	c.Rights, c.Stats, c.Options = catalog.Rights{}, catalog.Stats{}, maps.Clone(parent.Options)
	maps.DeleteFunc(c.Options, func(name, _ string) bool { return rollover.IsOption(name) })
	if err := b.number(&c.ID, &c.Space, c.Schema, c.Name); err != nil {
		return nil, err
	}
	c.Columns = slices.Clone(c.Columns)
	for i := range c.Columns {
		own := &c.Columns[i]
		own.Missing, own.Comment = types.Null, ""
		own.Identity, own.Sequence = catalog.NoIdentity, 0
	}
	if err := t.ownNames(parent); err != nil {
		return nil, err
	}
	if err := t.divide(s.PartitionBy); err != nil {
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
		return a.ID == b.ID && a.Name == b.Name && a.Type.Same(b.Type)
	}) {
		return nil
	}
	return sqlerr.Unsupported("a TTL of a partition without ttl_column").
		WithHint("Set the TTL of the partitioned table, or name the column that it counts from.")
}

// Inherited is the definition of a column for the tables below one that has got it: they share its sequence.
func Inherited(d *ast.ColumnDef, t *catalog.Table) *ast.ColumnDef {
	of, serial := serialTypes[d.Type.Name]
	at := t.Column(d.Name)
	if !serial || at < 0 {
		return d
	}
	out := *d
	out.Type.Name, out.NotNull, out.DefaultText = of, true, t.Columns[at].Default
	out.Default, _ = parser.Expression(out.DefaultText)
	return &out
}

// ByHash is a table with hash partitions by what PARTITION BY HASH has named.
func ByHash(b Builder, t *catalog.Table) (*catalog.Table, error) {
	next := *t
	next.Version++
	next.Partitioning, next.HashedBy = t.HashedBy, nil
	return &next, (&NewTable{Table: &next, by: b}).uniqueInPartitions()
}
