package keys

import (
	"zproxy/catalog/part"
	"zproxy/sqlerr"
	"zproxy/types"
)

// CheckValues says why a row can have no key: a value has no place in a text, since what is
// written must be read back as the same values, and sort as they do where it is padded. Key
// makes of such a row what may be the key of another. The index is what the error, an
// *sqlerr.Error, calls it.
func (c *Codec) CheckValues(row types.Row, index string) error {
	if !c.computes {
		return nil
	}
	for i := range c.parts {
		if why, column := c.parts[i].Misfit(row); why != "" {
			name := c.table.Columns[column].Name
			err := sqlerr.New(sqlerr.InvalidParameterValue,
				"value of column \"%s\" cannot stand in the key of \"%s\": %s", name, index, why).
				WithDetail("The key is made by %s = '%s'.", c.option(i), c.table.TemplateText(c.layout.Parts()[i]))
			err.Column = name
			return err
		}
	}
	return nil
}

// option is the one that says how a part is made: partition_key, sort_key, or of a foreign table the name of the
// attribute.
func (c *Codec) option(i int) string {
	switch f := c.table.Foreign; {
	case f != nil && i < len(f.Keys):
		return f.Keys[i]
	case i >= len(c.layout.Partition):
		return part.SortOption
	}
	return part.TemplateOption
}
