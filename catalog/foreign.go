package catalog

import (
	"slices"

	"zproxy/catalog/foreign"
	"zproxy/catalog/part"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Foreign says that the rows of a table are the items of one that other programs own. Its key, and
// its indexes, are those of that table.
type Foreign struct {
	Server  string
	Table   string   // as the server calls it
	Options []Option // as they were given
	// Keys are the attributes of the parts of the key; nil: those of the columns that make the parts.
	Keys []string `json:",omitempty"`
	// Texts are the attributes, of keys of the table and of its indexes, that are made from columns.
	Texts []foreign.KeyText `json:",omitempty"`
	// When is what attributes have that tell the items of the table from others.
	When []foreign.Fixed `json:",omitempty"`
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
	Name     string   // as the server calls it
	Eventual bool     // it may lack the last writes for a while
	Keys     []string `json:",omitempty"` // as of Foreign
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
func (x *Index) Eventual() bool {
	return x != nil && (x.Follows || x.Foreign != nil && x.Foreign.Eventual)
}

// HasAttribute says whether a column of a foreign table is an attribute of its own. One that a text of a key tells is
// none, unless it is given a name.
func (f *Foreign) HasAttribute(t *Table, c *Column) bool {
	if f == nil || len(f.Texts) == 0 {
		return true
	}
	if _, named := FindOption(c.Options, foreign.AttributeName); named {
		return true
	}
	plain := func(l *Layout) bool { return slices.ContainsFunc(l.Parts(), func(p Part) bool { return p.Is(c.ID) }) }
	if plain(&t.Primary) || slices.ContainsFunc(t.Indexes, func(x Index) bool { return plain(&x.Layout) }) {
		return true
	}
	return !slices.ContainsFunc(f.Texts, func(k foreign.KeyText) bool {
		has := func(p Part) bool { return p.Kind == part.Column && p.Column == c.ID }
		return slices.ContainsFunc(k.Part.Pieces, has)
	})
}

// outside makes of a foreign table what its store knows of it.
type outside struct{ *Table }

// of is where the items of a foreign table, or of an index of it, are. The columns of the space are some of the
// table's.
func (t outside) of(x *Index, columns []int) *store.Outside {
	if t.Foreign == nil {
		return nil
	}
	f := t.Foreign
	o := &store.Outside{Table: f.Table, Rows: store.SpaceID(t.Space.ID), Sets: t.sets()}
	row := t.attributes(slices.Concat(t.Primary.Partition, t.Primary.Sort), f.Keys, columns)
	inKey := row
	if x == nil {
		o.Partition = row[:len(t.Primary.Partition)]
		o.Sort = row[len(t.Primary.Partition):]
	} else {
		o.Index, o.Eventual, o.Row = x.Foreign.Name, x.Foreign.Eventual, row
		key := t.attributes(x.Layout.Parts(), x.Foreign.Keys, columns)
		o.Partition, o.Sort = key[:len(x.Layout.Partition)], key[len(x.Layout.Partition):]
		inKey = slices.Concat(row, key)
	}
	for _, k := range f.Texts {
		if x != nil && !x.Covers { // it need not hold them
			break
		}
		if !slices.ContainsFunc(inKey, func(a store.Attribute) bool { return a.Name == k.Attribute }) {
			text := store.Attribute{Name: k.Attribute, Type: types.Text, Text: t.text(k.Part, columns)}
			o.Others = append(o.Others, text)
		}
	}
	for _, w := range f.When {
		if v, err := types.ParseText(w.Value, w.Type, nil); err == nil {
			o.Others = append(o.Others, store.Attribute{Name: w.Name, Type: w.Type, Value: v})
		}
	}
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

// attributes are those that parts of a key are. Their names are known where they are not those of columns.
func (t outside) attributes(parts []Part, names []string, columns []int) []store.Attribute {
	out := make([]store.Attribute, len(parts))
	for i, p := range parts {
		if p.Kind == part.Text {
			out[i] = store.Attribute{Type: types.Text, Text: t.text(p, columns)}
		} else {
			c := &t.Columns[t.Ordinal(p.Column)]
			out[i] = store.Attribute{Name: c.Stored(), Type: c.Type}
		}
		if i < len(names) {
			out[i].Name = names[i]
		}
	}
	return out
}

// text is how a store makes a text from some columns of the table.
func (t outside) text(p Part, columns []int) store.Text {
	bound, err := p.Bind(t.Table)
	joined, ok := bound.Of.(*part.Joined)
	if err != nil || !ok { // of a definition that was checked, neither is so
		return nil
	}
	return &columnText{bound: bound, joined: joined, table: t.Table, columns: columns}
}

// columnText makes a text from values that are in the order of some columns of a table.
type columnText struct {
	bound   part.Bound
	joined  *part.Joined
	table   *Table
	columns []int
}

// Columns implements store.Text.
func (c *columnText) Columns() []int {
	var out []int
	for _, at := range c.joined.Kept() {
		if i := slices.Index(c.columns, at); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// Read implements store.Text.
func (c *columnText) Read(text string, values types.Row) bool {
	row := make(types.Row, len(c.table.Columns))
	if !c.joined.Read(text, row) {
		return false
	}
	for _, at := range c.joined.Kept() {
		if i := slices.Index(c.columns, at); i >= 0 {
			values[i] = row[at]
		}
	}
	return true
}

// Write implements store.Text.
func (c *columnText) Write(values types.Row) (types.Value, error) {
	row := make(types.Row, len(c.table.Columns))
	for i, at := range c.columns {
		row[at] = values[i]
	}
	if v := c.joined.Value(row); v.IsNull() {
		return v, nil
	}
	if why, at := c.bound.Misfit(row); why != "" {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
			"a value of column %q has no place in a key of foreign table %q: %s",
			c.table.Columns[at].Name, c.table.Name, why)
	}
	return c.joined.Value(row), nil
}
