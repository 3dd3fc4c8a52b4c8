package keys

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
)

// CheckLength says why nothing can be stored under a key: it is longer than keys of a store may be.
// The index is what the error, an *sqlerr.Error, calls it.
func (c *Codec) CheckLength(key store.Key, on store.Capabilities, index string) error {
	switch {
	case on.MostPartition > 0 && len(key.Partition) > on.MostPartition:
		return c.tooLong("partition", len(key.Partition), on.MostPartition, index)
	case on.MostSort > 0 && len(key.Sort) > on.MostSort:
		return c.tooLong("sort", len(key.Sort), on.MostSort, index)
	}
	return nil
}

// tooLong says that one of the two parts of a key has too many bytes.
func (c *Codec) tooLong(which string, size, limit int, index string) error {
	made := c.layout.Partition
	if which == "sort" {
		made = slices.Concat(c.layout.Sort, c.layout.Tie)
	}
	names := c.columnsOf(made)
	err := sqlerr.New(sqlerr.ProgramLimitExceeded, "index row size %d exceeds maximum %d for index \"%s\"", size, limit,
		index).
		WithDetail("The %s key is made from \"%s\".", which, strings.Join(names, "\", \"")).
		WithHint("Make the key from a column with a hash of the long value, such as its md5.")
	if len(names) == 1 {
		err.Column = names[0]
	}
	return err
}

// columnsOf names the columns that parts are computed from, each once, without the
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
