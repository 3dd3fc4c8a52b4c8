package catalog

import (
	"slices"

	"zproxy/store"
)

// Foreign says that the rows of a table are the items of one that other programs own. Its key, and
// its indexes, are those of that table.
type Foreign struct {
	Server  string
	Table   string   // as the server calls it
	Options []Option // as they were given
}

// OutsideIndex is what is special about an index of a foreign table.
type OutsideIndex struct {
	Name     string // as the server calls it
	Eventual bool   // it may lack the last writes for a while
}

// Option is one of OPTIONS (name 'value').
type Option struct{ Name, Value string }

// ForeignKind is the kind of foreign tables.
const ForeignKind Kind = "foreign table"

// FindOption is the value of an option, and whether it is given.
func FindOption(list []Option, name string) (string, bool) {
	i := slices.IndexFunc(list, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return "", false
	}
	return list[i].Value, true
}

// Eventual says whether an index may lack the last writes, also where a statement wants them.
func (x *Index) Eventual() bool { return x != nil && x.Foreign != nil && x.Foreign.Eventual }

// outside is where the items of a foreign table, or of an index of it, are.
func (t *Table) outside(x *Index) *store.Outside {
	if t.Foreign == nil {
		return nil
	}
	o := &store.Outside{Table: t.Foreign.Table}
	row := slices.Concat(t.attributes(t.Primary.Partition), t.attributes(t.Primary.Sort))
	if x == nil {
		o.Partition = row[:len(t.Primary.Partition)]
		o.Sort = row[len(t.Primary.Partition):]
		return o
	}
	o.Index, o.Eventual, o.Row = x.Foreign.Name, x.Foreign.Eventual, row
	o.Partition, o.Sort = t.attributes(x.Layout.Partition), t.attributes(x.Layout.Sort)
	return o
}

// attributes are those of the columns that make parts of a key.
func (t *Table) attributes(parts []Part) []store.Attribute {
	out := make([]store.Attribute, len(parts))
	for i, p := range parts {
		c := &t.Columns[t.Ordinal(p.Column)]
		out[i] = store.Attribute{Name: c.Stored(), Type: c.Type}
	}
	return out
}
