package keys

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Check says why a row cannot be stored under its key: a value does not fit its place in a
// partition_key, or the key is longer than keys may be. The key is the one that Key has
// made of the row, and index is what the error calls the index. The error is an
// *sqlerr.Error that names the column.
func (c *Codec) Check(row types.Row, key store.Key, index string) error {
	if err := c.checkTexts(row, index); err != nil {
		return err
	}
	switch {
	case len(key.Partition) > catalog.MaxPartitionBytes:
		return c.tooLong("partition", len(key.Partition), index)
	case len(key.Sort) > catalog.MaxSortBytes:
		return c.tooLong("sort", len(key.Sort), index)
	}
	return nil
}

// tooLong says that one of the two parts of a key has too many bytes.
func (c *Codec) tooLong(which string, size int, index string) error {
	limit, made := catalog.MaxPartitionBytes, c.layout.Partition
	if which == "sort" {
		limit, made = catalog.MaxSortBytes, slices.Concat(c.layout.Sort, c.layout.Tie)
	}
	names := c.columnsOf(made)
	err := sqlerr.New(sqlerr.ProgramLimitExceeded, "index row size %d exceeds maximum %d for index \"%s\"", size, limit, index).
		WithDetail("The %s key is made from \"%s\".", which, strings.Join(names, "\", \"")).
		WithHint("Make the key from a column with a hash of the long value, such as its md5.")
	if len(names) == 1 {
		err.Column = names[0]
	}
	return err
}

// columnsOf names the columns that parts are computed from, each once; nobody knows the
// hidden ones.
func (c *Codec) columnsOf(parts []catalog.Part) []string {
	var names []string
	for _, p := range parts {
		for _, id := range p.Columns() {
			col := &c.table.Columns[c.table.Ordinal(id)]
			if !col.Hidden && !slices.Contains(names, col.Name) {
				names = append(names, col.Name)
			}
		}
	}
	return names
}
