package syscat

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/lineage"
	"zproxy/catalog/notes"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// columnCatalogs are those that tell of columns.
func columnCatalogs() []definition {
	return []definition{
		{
			name: "pg_attribute", key: "attrelid", rows: allAttributes,
			columns: "attrelid attname atttypid attlen attnum attndims atttypmod attbyval attalign attstorage attnotnull atthasdef atthasmissing attidentity attcollation attfdwoptions attstattarget attgenerated attcompression attoptions attacl attislocal attinhcount",
			fixed:   map[string]types.Value{"attcacheoff": number(-1)},
		},
		{name: "pg_attrdef", key: "adrelid", columns: "oid adrelid adnum adbin", rows: defaults},
	}
}

// attribute is a column of any relation.
type attribute struct {
	name       string
	typ        types.T
	number     int
	notNull    bool
	hasDefault bool
	hasMissing bool
	generated  bool
	identity   catalog.Identity
	included   bool // in an index: nothing is ordered by it
	notes      notes.Notes
	options    []catalog.Option
	acl        catalog.ACL
	inherited
}

// inherited counts the parents that have a column or a check, too, and says whether only they declare it.
type inherited struct {
	parents int
	only    bool
}

// sequenceColumns are what a sequence looks like.
var sequenceColumns = []attribute{
	{name: "last_value", typ: types.Int8, number: 1, notNull: true},
	{name: "log_cnt", typ: types.Int8, number: 2, notNull: true},
	{name: "is_called", typ: types.Bool, number: 3, notNull: true},
}

func allAttributes(r *rows) {
	for _, v := range r.Catalog.Virtuals() {
		if r.wants(v.ID) {
			for i, c := range v.Columns {
				r.attribute(v.ID, attribute{name: c.Name, typ: c.Type, number: i + 1, notNull: c.NotNull})
			}
		}
	}
	for _, t := range r.Catalog.Tables() {
		if r.wants(t.ID) {
			list := attributes(t)
			for i := range list {
				list[i].inherited = inheritedColumn(r.Catalog, t, &list[i])
			}
			r.attributes(t.ID, list)
		}
		for _, x := range t.TableIndexes() {
			if id := x.Ref().ID; r.wants(id) {
				r.attributes(id, indexAttributes(r, x))
			}
		}
	}
	for _, v := range r.Catalog.Views() {
		if r.wants(v.ID) {
			for i, c := range v.Columns {
				r.attribute(v.ID, attribute{name: c.Name, typ: c.Type, number: i + 1, hasDefault: c.Default != "",
					acl: v.Rights.Columns[int16(i+1)]})
			}
		}
	}
	for _, q := range r.Catalog.Sequences() {
		if r.wants(q.ID) {
			for _, a := range sequenceColumns {
				a.acl = q.Rights.Columns[int16(a.number)]
				r.attribute(q.ID, a)
			}
		}
	}
	compositeAttributes(r)
}

// attributes are the columns of a table that have names.
func attributes(t *catalog.Table) []attribute {
	var out []attribute
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Hidden {
			out = append(out, attribute{
				name: c.Name, typ: c.Type, number: int(c.ID), notNull: c.NotNull || c.Declared, options: c.Options,
				hasDefault: hasDefault(c), hasMissing: !c.Missing.IsNull(), identity: c.Identity,
				notes: c.Notes, generated: c.Generated != nil, acl: t.Rights.Columns[int16(c.ID)],
			})
		}
	}
	return out
}

// inheritedColumn is from where a table has a column.
func inheritedColumn(s *catalog.Snapshot, t *catalog.Table, a *attribute) inherited {
	n := lineage.OfColumn(s, t, a.name)
	return inherited{n, n > 0 && !t.Inherits.Declares(uint32(a.number))}
}

// hasDefault says whether a column has an expression as its default, which an identity
// column has not, or of which it is generated.
func hasDefault(c *catalog.Column) bool {
	return c.Default != "" && c.Identity == catalog.NoIdentity || c.Generated != nil
}

// indexAttributes are the columns of an index, under the names of those of its table, or of expressions.
func indexAttributes(r *rows, x catalog.TableIndex) []attribute {
	var out []attribute
	o := r.object("pg_class", x.Number())
	for i, c := range x.Columns() {
		of := x.Table.Columns[x.Table.Ordinal(c.ID)]
		if o != nil && of.Expression() {
			of.Name = o.Relation.Columns[i].Name
		}
		out = append(out, attribute{name: of.Name, typ: of.Type, number: i + 1, included: c.Included})
	}
	return out
}

func (r *rows) attributes(relation uint32, list []attribute) {
	for _, a := range list {
		r.attribute(relation, a)
	}
}

func (r *rows) attribute(relation uint32, a attribute) {
	info, form := types.InfoOf(a.typ.OID), r.relations.formOf(a.typ.OID)
	dims := 0
	if info.Category == types.CategoryArray {
		dims = 1
	}
	collation := r.relations.collationOf(a.typ)
	if a.included {
		collation = 0
	}
	target, generated, settings := int64(-1), "", types.Null
	if a.notes.Target != nil {
		target = *a.notes.Target
	}
	if a.generated {
		generated = "s"
	}
	if a.notes.Settings != nil {
		settings = texts(types.OIDText, a.notes.Settings)
	}
	form.storage = cmp.Or(a.notes.Storage, form.storage)
	identity := map[catalog.Identity]string{catalog.IdentityAlways: "a", catalog.IdentityByDefault: "d"}[a.identity]
	r.add(number(relation), text(a.name), number(a.typ.Number()), number(form.length), number(a.number), number(dims),
		number(declaredMod(a.typ)),
		boolean(form.byValue), text(form.align), text(form.storage), boolean(a.notNull), boolean(a.hasDefault),
		boolean(a.hasMissing),
		text(identity), number(collation), given(a.options), number(target), text(generated),
		text(a.notes.Compression), settings, r.acl(a.acl), boolean(!a.only), number(a.parents))
}

// declaredMod is the modifier of a column, which one of a domain has not.
func declaredMod(t types.T) int32 {
	if t.Domain != nil {
		return -1
	}
	return t.Mod
}

// form is how PostgreSQL keeps values of a type.
type form struct {
	length         int64
	byValue        bool
	align, storage string
	collation      uint32
}

// typeForms reads the forms of types from the rows of pg_type.
func typeForms(f *filled) map[types.OID]form {
	names := f.names()
	at := func(row []types.Value, name string) types.Value { return row[slices.Index(names, name)] }
	out := map[types.OID]form{}
	for _, row := range f.recorded {
		out[types.OID(at(row, "oid").Int())] = form{
			length: at(row, "typlen").Int(), byValue: at(row, "typbyval").Bool(), align: at(row, "typalign").Text(),
			storage: at(row, "typstorage").Text(), collation: uint32(at(row, "typcollation").Int()),
		}
	}
	return out
}

func defaults(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if !r.wants(t.ID) {
			continue
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.Hidden && hasDefault(c) { // those of expressions of indexes are hidden
				r.add(number(derived(t.ID, c.ID)), number(t.ID), number(c.ID),
					text(r.defaultText(t.ID, c.ID, c.Default)))
			}
		}
	}
	for _, v := range r.Catalog.Views() {
		if !r.wants(v.ID) {
			continue
		}
		for i, c := range v.Columns {
			if at := uint32(i + 1); c.Default != "" {
				r.add(number(derived(v.ID, at)), number(v.ID), number(at), text(r.defaultText(v.ID, at, c.Default)))
			}
		}
	}
}

// defaultText is the default of a column, as PostgreSQL prints it.
func (r *rows) defaultText(relation, column uint32, written string) string {
	if o := r.object("pg_class", relation); o != nil && o.Relation != nil {
		if col := o.Relation.Column(int64(column)); col != nil && col.Default != nil {
			return col.Default(system.Layout{})
		}
	}
	return written
}

// object is what functions tell of an object, nil when none does.
func (r *rows) object(class string, oid uint32) *system.Object {
	if r.Objects == nil {
		return nil
	}
	return r.Objects.Object(class, oid)
}
