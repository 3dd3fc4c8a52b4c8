package define

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/foreign"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// ForeignTable is a foreign table that is being made.
type ForeignTable struct {
	*catalog.Table
	// Unused tells of indexes of the table behind it that cannot be used, and why.
	Unused []string
}

// CreateForeignTable makes the table that a CREATE FOREIGN TABLE describes, over one that looks so.
// Its key is the one that it has there, and so are its indexes.
func (b Builder) CreateForeignTable(s *ast.CreateTable, schema string, d *store.OutsideTable) (*ForeignTable, error) {
	t := b.newTable(schema, s.Table.Name)
	t.Foreign = &catalog.Foreign{Server: s.Foreign.Server, Table: d.Table}
	var err error
	if t.Foreign.Options, err = ForeignTableOptions(s.Foreign.Options); err != nil {
		return nil, err
	}
	if err := b.number(&t.ID, &t.Space, t.Schema, t.Name); err != nil {
		return nil, err
	}
	for _, def := range s.Columns {
		if t.Column(def.Name) >= 0 {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", def.Name)
		}
		if err := t.addForeignColumn(def); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Checks {
		if err := t.addCheck(c); err != nil {
			return nil, err
		}
	}
	out, err := b.LayOutForeign(t.Table, d)
	if err == nil {
		out.Version = 1
	}
	return out, err
}

// addForeignColumn adds a column, which is an attribute of items: that of its name, or of another.
func (t *NewTable) addForeignColumn(def ast.ColumnDef) error {
	options, err := ForeignColumnOptions(def.Options)
	if err != nil {
		return err
	}
	if _, serial := serialTypes[def.Type.Name]; serial || def.Identity != "" {
		return sqlerr.Unsupported("a sequence of a foreign table").At(int(def.Pos))
	}
	if err := t.addColumn(def); err != nil {
		return err
	}
	c := &t.Columns[len(t.Columns)-1]
	c.Options, c.StorageName = options, ""
	if name, ok := catalog.FindOption(options, foreign.AttributeName); ok {
		c.StorageName = name
	}
	c.Declared, c.NotNull = c.NotNull, false
	return CheckAttributeType(c)
}

// AddForeignColumn adds a column to a foreign table, whose key and indexes are to be laid out anew.
func (b Builder) AddForeignColumn(from *catalog.Table, def ast.ColumnDef) (*catalog.Table, error) {
	c := *from
	t := &NewTable{Table: &c, by: b}
	return t.Table, t.addForeignColumn(def)
}

// LayOutForeign gives a foreign table the key and the indexes that its table has.
func (b Builder) LayOutForeign(from *catalog.Table, d *store.OutsideTable) (*ForeignTable, error) {
	c := *from
	t := &ForeignTable{Table: &c}
	t.Version++
	t.Columns, t.Indexes = slices.Clone(from.Columns), nil
	for i := range t.Columns {
		t.Columns[i].Declared, t.Columns[i].NotNull = t.Columns[i].Declared || t.Columns[i].NotNull, false
	}
	t.Primary = catalog.Layout{Unique: true}
	f := *t.Foreign
	f.Keys, f.Texts, f.When = namesOf(d.Partition, d.Sort), nil, nil
	t.Foreign = &f
	err := t.checkNames(d)
	if err != nil {
		return nil, err
	}
	if t.Primary.Partition, err = t.keyParts(d.Partition, foreign.PartitionKey); err != nil {
		return nil, err
	}
	if t.Primary.Sort, err = t.keyParts(d.Sort, foreign.SortKey); err != nil {
		return nil, err
	}
	for _, id := range t.Primary.Columns() { // no item is without its key
		t.Columns[t.Ordinal(id)].NotNull = true
	}
	for i := range d.Indexes {
		if err := b.addForeignIndex(t, &d.Indexes[i]); err != nil {
			return nil, err
		}
	}
	if err := t.readWhen(); err != nil {
		return nil, err
	}
	t.leaveOutBlind(d)
	return t, nil
}

// leaveOutBlind leaves out indexes that do not project what tells the items of the table from others.
func (t *ForeignTable) leaveOutBlind(d *store.OutsideTable) {
	for _, of := range d.Indexes {
		known := append(namesOf(d.Partition, d.Sort, of.Partition, of.Sort), of.Columns...)
		for _, w := range t.Foreign.When {
			at := slices.IndexFunc(t.Indexes, func(x catalog.Index) bool { return x.Name == of.Index })
			if of.All || at < 0 || slices.Contains(known, w.Name) {
				continue
			}
			t.Indexes = slices.Delete(t.Indexes, at, at+1)
			t.Unused = append(t.Unused, fmt.Sprintf(
				"index \"%s\" is not used: it does not hold the attribute \"%s\" of the option %s", of.Index, w.Name, foreign.When))
		}
	}
}

// namesOf are the names of attributes.
func namesOf(lists ...[]store.Attribute) []string {
	var out []string
	for _, a := range slices.Concat(lists...) {
		out = append(out, a.Name)
	}
	return out
}

// template makes a part of the template that the options have for an attribute, by its name or another one. It says
// false where there is none.
func (t *ForeignTable) template(attribute, also string) (catalog.Part, bool, error) {
	for _, k := range t.Foreign.Texts {
		if k.Attribute == attribute {
			return k.Part, true, nil
		}
	}
	name := attribute
	text, given := catalog.FindOption(t.Foreign.Options, name)
	if !given && also != "" {
		name = also
		text, given = catalog.FindOption(t.Foreign.Options, name)
	}
	if !given {
		return catalog.Part{}, false, nil
	}
	r := part.Template{Text: text, Table: t.Table, Column: visible(t.Table), Option: name, Fixed: true}
	p, err := r.Read()
	if err == nil {
		err = r.Check(p)
	}
	t.Foreign.Texts = append(t.Foreign.Texts, foreign.KeyText{Attribute: attribute, Part: p})
	return p, true, err
}

// keyParts are the parts of a key. Its attributes are columns, or texts by templates, of which also is another name
// in the options.
func (t *ForeignTable) keyParts(attributes []store.Attribute, also string) ([]catalog.Part, error) {
	var out []catalog.Part
	for _, a := range attributes {
		text, made, err := t.template(a.Name, also)
		if err != nil {
			return nil, err
		}
		if made {
			out = append(out, text)
			continue
		}
		at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Stored() == a.Name && !c.Hidden })
		if at < 0 {
			return nil, sqlerr.New(sqlerr.ForeignColumnNotFound,
				"foreign table %q has no column for the key attribute \"%s\" of table \"%s\"",
				t.Name, a.Name, t.Foreign.Table).
				WithHint("Declare %s %s, or another column WITH OPTIONS (%s '%s').", expr.QuoteIdent(a.Name), a.Type,
					foreign.AttributeName, a.Name)
		}
		c := &t.Columns[at]
		if !holdsKey(c.Type, a.Type) {
			return nil, sqlerr.New(sqlerr.ForeignDataType,
				"column %q of foreign table %q is of type %s, which does not hold a key of type %s",
				c.Name, t.Name, c.Type, a.Type)
		}
		out = append(out, catalog.Part{Column: c.ID})
	}
	return out, nil
}

// holdsKey says whether a column of a type has the values of a key attribute, in their order and each
// in one way.
func holdsKey(column, attribute types.T) bool {
	switch attribute.Kind() {
	case types.KindText:
		return column.OID == types.OIDText || column.OID == types.OIDVarchar
	case types.KindNumeric:
		return column.Kind() == types.KindNumeric && column.Mod < 0 || column.OID == types.OIDInt2 ||
			column.OID == types.OIDInt4 || column.OID == types.OIDInt8
	}
	return column.OID == attribute.OID
}

// addForeignIndex adds an index, unless its key has attributes that are no columns.
func (b Builder) addForeignIndex(t *ForeignTable, d *store.OutsideIndex) error {
	x := catalog.Index{Name: d.Index, Method: catalog.BTree, Covers: d.All,
		Foreign: &catalog.OutsideIndex{Name: d.Index, Eventual: d.Eventual, Keys: namesOf(d.Partition, d.Sort)}}
	var err error
	if x.Layout.Partition, err = t.keyParts(d.Partition, ""); err == nil {
		x.Layout.Sort, err = t.keyParts(d.Sort, "")
	}
	if err != nil {
		t.Unused = append(t.Unused, fmt.Sprintf("index \"%s\" is not used: %s", d.Index, sqlerr.From(err).Message))
		return nil
	}
	x.Keys = len(x.Layout.Columns())
	for _, c := range t.Columns {
		projected := slices.Contains(d.Columns, c.Stored()) && t.Foreign.HasAttribute(t.Table, &c)
		if projected && !slices.Contains(x.Layout.Columns(), c.ID) && !slices.Contains(t.Primary.Columns(), c.ID) {
			x.Include = append(x.Include, c.ID)
		}
	}
	if err := b.number(&x.ID, &x.Space, t.Schema, t.Name, d.Index); err != nil {
		return err
	}
	// It holds the items that have all attributes of its key.
	sparse := &ast.CreateIndex{NullFiltered: true}
	for _, id := range x.Layout.Columns() {
		if c := t.Columns[t.Ordinal(id)]; !c.NotNull {
			sparse.Keys = append(sparse.Keys, ast.KeyPart{Column: c.Name, Pos: -1})
		}
	}
	if len(sparse.Keys) > 0 {
		if err := b.leaveOut(&x, t.Table, sparse); err != nil {
			return err
		}
	}
	t.Indexes = append(t.Indexes, x)
	return nil
}
