package catalog

import (
	"slices"

	"zproxy/catalog/foreign"
	"zproxy/store"
)

// Foreign says that the rows of a table are the items of one that other programs own. Its key, and
// its indexes, are those of that table.
type Foreign struct {
	Server  string
	Table   string   // as the server calls it
	Options []Option // as they were given
}

// Updatable says whether statements may write the items.
func (f *Foreign) Updatable() bool {
	value, given := FindOption(f.Options, foreign.Updatable)
	return !given || value == "true"
}

// KeyName is what errors call the key that tells the rows of a table apart, empty where row ids do.
func (t *Table) KeyName() string {
	if t.Foreign != nil {
		return t.Name + "_pkey"
	}
	return t.PrimaryKey
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

// outside makes of a foreign table what its store knows of it.
type outside struct{ *Table }

// of is where the items of a foreign table, or of an index of it, are.
func (t outside) of(x *Index) *store.Outside {
	if t.Foreign == nil {
		return nil
	}
	o := &store.Outside{Table: t.Foreign.Table, Rows: store.SpaceID(t.Space.ID), Sets: t.sets()}
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

// sets are the attributes that hold sets.
func (t outside) sets() []string {
	var out []string
	for i := range t.Columns {
		c := &t.Columns[i]
		if kind, given := FindOption(c.Options, foreign.AttributeType); given && kind != "L" {
			out = append(out, c.Stored())
		}
	}
	return out
}

// attributes are those of the columns that make parts of a key.
func (t outside) attributes(parts []Part) []store.Attribute {
	out := make([]store.Attribute, len(parts))
	for i, p := range parts {
		c := &t.Columns[t.Ordinal(p.Column)]
		out[i] = store.Attribute{Name: c.Stored(), Type: c.Type}
	}
	return out
}
