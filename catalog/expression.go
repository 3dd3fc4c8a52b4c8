package catalog

import "slices"

// An index over an expression is one over a hidden column that has the values of the expression. Rows do not store such
// a column: its values are computed where keys are made of rows. So a key, its statistics and the walk that reads it
// are as those of any other column.

// FirstExpression is the least ID of such a column. They are above those of other columns, which clients number.
const FirstExpression = 1 << 26

// Expression says whether the column is that of an expression of indexes, which rows do not store.
func (c *Column) Expression() bool { return c.ID >= FirstExpression }

// Shown is how a key shows the column: by its name, quoted where it must be, or by its expression.
func (c *Column) Shown(quote func(name string) string) string {
	if c.Expression() {
		return c.Name
	}
	return quote(c.Name)
}

// dropExpressions takes the columns of expressions away that no index is over any more. Partitions keep them, since the
// columns of a table and of its partitions are the same.
func dropExpressions(t *Table) {
	if t.Partitioning != nil || t.PartitionOf != nil {
		return
	}
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool {
		return c.Unstored() && !slices.ContainsFunc(t.Indexes, func(x Index) bool { return x.KeyHas(c.ID) })
	})
}

// KeyHas says whether keys of the index are made of a column.
func (x *Index) KeyHas(column uint32) bool { return slices.Contains(x.Layout.Sources(), column) }

// expressionsOver are the columns of expressions that name a column.
func expressionsOver(t *Table, column uint32) (out []uint32) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Expression() && c.Generated.over(column) {
			out = append(out, c.ID)
		}
	}
	return out
}

// Blank says whether rows of its table store nothing in the column. They store the values of an expression of an index
// that the store keeps by itself: its entries have no values but those of rows.
func (c *Column) Blank(t *Table) bool {
	return c.Unstored() && !slices.ContainsFunc(carried(t), func(x *Index) bool { return x.KeyHas(c.ID) })
}

// elsewhere says whether entries of an index that holds all columns lack one, since rows do not store it and the key is
// not made of it. With nil it is about rows, which have room for all columns.
func elsewhere(x *Index, c *Column) bool {
	return x != nil && c.Unstored() && !x.KeyHas(c.ID)
}
