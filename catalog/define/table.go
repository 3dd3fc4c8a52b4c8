package define

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"zproxy/planner/bind"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// NewTable is a table that is being made, with the sequences of its columns.
type NewTable struct {
	*catalog.Table
	Sequences []*catalog.Sequence

	by   Builder
	keys keyOptions
}

// CreateTable makes the table that a CREATE TABLE describes, with the indexes of its
// UNIQUE constraints. Nothing is stored yet.
func (b Builder) CreateTable(s *ast.CreateTable, schema string) (*NewTable, error) {
	t := b.newTable(schema, s.Table.Name)
	if err := t.setOptions(s.Options); err != nil {
		return nil, err
	}
	if len(s.Columns) > maxColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	if err := b.number(&t.ID, &t.Space, t.Schema, t.Name); err != nil {
		return nil, err
	}
	for _, d := range s.Columns {
		if t.Column(d.Name) >= 0 {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", d.Name)
		}
		if err := t.addColumn(d); err != nil {
			return nil, err
		}
	}
	if err := t.primaryKey(s); err != nil {
		return nil, err
	}
	if err := live(t, s.Options, time.Time{}); err != nil {
		return nil, err
	}
	for _, c := range s.Checks {
		if err := t.addCheck(c); err != nil {
			return nil, err
		}
	}
	for _, u := range s.Uniques {
		if err := t.addUnique(u); err != nil {
			return nil, err
		}
	}
	t.Version = 1
	return t, nil
}

// newTable is a table without columns.
func (b Builder) newTable(schema, name string) *NewTable {
	t := &catalog.Table{Version: 1, Schema: schema, Name: name, Options: map[string]string{}}
	return &NewTable{Table: t, by: b}
}

// addUnique adds the index of a UNIQUE constraint.
func (t *NewTable) addUnique(u ast.Unique) error {
	create := &ast.CreateIndex{Name: u.Name, Table: ast.Name{Schema: t.Schema, Name: t.Name}, Method: "btree", Unique: true, Keys: u.Columns, NullsEqual: u.NullsEqual}
	if u.Name != "" && t.taken(u.Name) {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", u.Name)
	}
	x, err := t.by.createIndex(create, t.Table, uniqueKey)
	if err != nil {
		return err
	}
	x.Constraint = true
	t.Table = t.WithIndex(*x)
	return nil
}

// addCheck adds a CHECK constraint.
func (t *NewTable) addCheck(c ast.Check) error {
	if c.Name != "" && t.HasConstraint(c.Name) {
		return sqlerr.New(sqlerr.DuplicateObject, "check constraint %q already exists", c.Name)
	}
	return t.by.newCheck(t.Table, c)
}

// taken says whether a relation in the table's schema has a name.
func (t *NewTable) taken(name string) bool {
	return name == t.Name || name == t.PrimaryKey || t.Index(name) != nil || t.by.Catalog.Relation(t.Schema, name) != nil ||
		slices.ContainsFunc(t.Sequences, func(q *catalog.Sequence) bool { return q.Name == name })
}

// maxColumns is how many columns a table has in PostgreSQL.
const maxColumns = 1600

// setOptions takes the WITH options of a new table.
func (t *NewTable) setOptions(options []ast.Option) error {
	var others []ast.Option
	for _, o := range options {
		laysOut, err := t.keys.read(o)
		switch {
		case err != nil:
			return err
		case laysOut:
			t.Options[o.Name] = o.Value
		default:
			others = append(others, o)
		}
	}
	if err := t.keys.forTable(); err != nil {
		return err
	}
	return tableOptions(t.Table, others)
}

// tableOptions are the WITH options that a table accepts at any time, and the values of
// them.
func tableOptions(t *catalog.Table, options []ast.Option) error {
	if err := once(options); err != nil {
		return err
	}
	for _, o := range options {
		if catalog.IsCapacityOption(o.Name) {
			if err := capacityOption(o); err != nil {
				return err
			}
			t.Options[o.Name] = o.Value
			continue
		}
		switch o.Name {
		case "consistency":
			if !strings.EqualFold(o.Value, "strong") {
				return sqlerr.Unsupported("CONSISTENCY = '%s'", o.Value).At(int(o.Pos))
			}
		case catalog.MutabilityOption:
			if err := mutability(o); err != nil {
				return err
			}
		case ttlOption, ttlColumnOption: // see live, when the columns are known
		case "interleave_in":
			return sqlerr.Unsupported("INTERLEAVE IN PARENT").At(int(o.Pos)).
				WithHint("A table whose key begins with the parent's columns lies in its order, too.")
		case "oids":
			if with, ok := boolOption(o); !ok || with {
				return sqlerr.New(sqlerr.FeatureNotSupported,
					"tables declared WITH OIDS are not supported").At(int(o.Pos))
			}
			continue
		default:
			if err := storageOption(o, ofTable); err != nil {
				return err
			}
		}
		t.Options[o.Name] = o.Value
	}
	return capacityFits(t.Options, options)
}

// mutability wants the name of a class of tables that there is.
func mutability(o ast.Option) error {
	switch m := strings.ToUpper(o.Value); m {
	case string(catalog.MutableLatest), string(catalog.ImmutableRows), string(catalog.Immutable):
		return nil
	case "MUTABLE_ALL", "MUTABLE_UDT":
		return sqlerr.Unsupported("MUTABILITY = '%s'", o.Value).At(int(o.Pos)).
			WithDetail("It is for rows that carry timestamps of the writer's own.").
			WithHint("MUTABLE_LATEST allows all other writes.")
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name, o.Value).At(int(o.Pos)).
		WithDetail("Valid values are \"%s\", \"%s\" and \"%s\".", catalog.Immutable, catalog.ImmutableRows, catalog.MutableLatest)
}

// addColumn adds a column behind the others.
func (t *NewTable) addColumn(d ast.ColumnDef) error {
	serial, isSerial := serialTypes[d.Type.Name]
	if isSerial {
		if d.Type.Array {
			return sqlerr.New(sqlerr.FeatureNotSupported, "array of serial is not implemented").At(int(d.Type.Pos))
		}
		d.Type.Name = serial
	}
	typ, err := t.by.storedType(d.Type)
	if err != nil {
		return err
	}
	c := catalog.Column{ID: uint32(len(t.Columns) + 1), Name: d.Name, Type: typ, NotNull: d.NotNull || isSerial || d.Identity != ""}
	c.ID = max(c.ID, t.NextColumn)
	if category := types.InfoOf(typ.OID).Category; category == types.CategoryPseudo || category == types.CategoryUnknown {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", d.Name, typ)
	}
	if typ.OID == types.OIDJSONPath || types.InfoOf(typ.OID).Element == types.OIDJSONPath {
		return sqlerr.Unsupported("a column of type %s", typ).At(int(d.Type.Pos))
	}
	if err := collated(d.Collated, typ, d.Pos); err != nil {
		return err
	}
	t.nameInStore(&c)
	switch {
	case isSerial && d.Default != nil:
		return sqlerr.New(sqlerr.SyntaxError, "multiple default values specified for column %q of table %q", d.Name, t.Name).At(int(d.Pos))
	case d.Identity != "" && (d.Default != nil || isSerial):
		return sqlerr.New(sqlerr.SyntaxError, "both default and identity specified for column %q of table %q", d.Name, t.Name).At(int(d.Pos))
	case isSerial, d.Identity != "":
		err = t.addSequence(&c, d)
	case d.Default != nil:
		err = t.by.NewDefault(&c, d.Default, d.DefaultText)
	}
	t.Columns, t.NextColumn = append(slices.Clip(t.Columns), c), c.ID+1
	return err
}

// collated wants a type with texts in it where COLLATE was written.
func collated(is bool, t types.T, pos ast.Pos) error {
	of := t
	if element, ok := types.ElementOf(t); ok {
		of = element
	}
	if category := types.InfoOf(of.OID).Category; !is || category == types.CategoryString {
		return nil
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", types.Of(t.OID)).At(int(pos))
}

// nameInStore gives a new column another name in the store if a column has or had its own
// there: what was stored under it must not be taken for its values.
func (t *NewTable) nameInStore(c *catalog.Column) {
	taken := func(name string) bool {
		return slices.Contains(t.StorageNames, name) || slices.ContainsFunc(t.Columns, func(o catalog.Column) bool { return o.Stored() == name })
	}
	for i := int(c.ID); taken(c.Stored()); i++ {
		c.StorageName = c.Name + "." + strconv.Itoa(i)
	}
}

// serialTypes are the types that make a sequence, too.
var serialTypes = map[string]string{
	"smallserial": "int2", "serial2": "int2", "serial": "int4", "serial4": "int4", "bigserial": "int8", "serial8": "int8",
}

// addSequence makes the sequence of a serial or an identity column.
func (t *NewTable) addSequence(c *catalog.Column, d ast.ColumnDef) error {
	if err := sequenceType(c.Type, "identity column type"); err != nil {
		return err
	}
	q := &catalog.Sequence{
		Schema: t.Schema, Name: freeName(t.Name, c.Name, "seq", t.taken), Type: c.Type,
		OwnerTable: t.ID, OwnerColumn: c.ID, Identity: d.Identity != "",
	}
	if err := t.by.newSequence(q, d.Sequence); err != nil {
		return err
	}
	t.Sequences = append(t.Sequences, q)
	if c.Identity = catalog.Identity(d.Identity); c.Identity != catalog.NoIdentity {
		c.Sequence = q.ID
		return nil
	}
	text := expr.QuoteIdent(q.Name)
	if same, _ := t.by.Relation(ast.Name{Name: q.Name}); same != nil || !slices.Contains(t.by.SearchPath, q.Schema) {
		text = expr.QuoteIdent(q.Schema) + "." + text
	}
	c.Default, c.DefaultUses = "nextval("+quoted(text)+"::regclass)", []catalog.Bound{{ID: q.ID, Name: text}}
	return nil
}

// How errors name keys.
const (
	primaryKeys = "primary key constraint"
	uniqueKey   = "unique constraint"
	indexKey    = "index"
	zorderKey   = "z-order index"
)

// primaryKey lays out the table by its primary key. A table without one is keyed by a
// hidden row id.
func (t *NewTable) primaryKey(s *ast.CreateTable) error {
	if len(s.PrimaryKey) == 0 {
		return t.rowID(s.PartitionBy)
	}
	if len(s.PrimaryKey) > maxKeyColumns {
		return tooManyColumns(maxKeyColumns)
	}
	parts, err := keyParts(t.Table, s.PrimaryKey, primaryKeys)
	if err != nil {
		return err
	}
	for _, part := range parts {
		t.Columns[t.Ordinal(part.Column)].NotNull = true
	}
	if s.PrimaryName != "" && t.taken(s.PrimaryName) {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", s.PrimaryName)
	}
	t.PrimaryKey = s.PrimaryName
	if t.PrimaryKey == "" {
		t.PrimaryKey = freeName(t.Name, "", "pkey", t.taken)
	}
	id, err := t.by.Next()
	if err != nil {
		return err
	}
	t.KeyID = uint32(id)
	return t.layOut(parts, s.PartitionBy)
}

// rowID lays out the table by a hidden row id.
func (t *NewTable) rowID(by []ast.KeyPart) error {
	id := t.hide(catalog.Column{Name: catalog.RowID, Type: types.Int8})
	return t.layOut([]catalog.Part{{Column: id}}, by)
}

// hide adds a hidden column.
func (t *NewTable) hide(c catalog.Column) uint32 {
	c.ID, c.NotNull, c.Hidden = max(t.NextColumn, 1), true, true
	t.nameInStore(&c)
	t.Columns, t.NextColumn = append(slices.Clip(t.Columns), c), c.ID+1
	return c.ID
}

// keyParts are the column parts of a key.
func keyParts(t *catalog.Table, keys []ast.KeyPart, what string) ([]catalog.Part, error) {
	var parts []catalog.Part
	named := ""
	if what == primaryKeys || what == uniqueKey {
		named = " named in key"
	}
	for _, k := range keys {
		i := t.Column(k.Column)
		if i < 0 || t.Columns[i].Hidden {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q%s does not exist", k.Column, named).At(int(k.Pos))
		}
		c := t.Columns[i]
		if _, array := types.ElementOf(c.Type); !bind.Ordered(c.Type) && !array {
			return nil, noOrder(c.Type, map[bool]catalog.Method{true: catalog.ZOrder, false: catalog.BTree}[what == zorderKey])
		}
		if !keyable(c.Type) {
			return nil, sqlerr.Unsupported("a key on a column of type %s", c.Type).At(int(k.Pos))
		}
		if slices.ContainsFunc(parts, func(p catalog.Part) bool { return p.Column == c.ID }) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q appears twice in %s", k.Column, what).At(int(k.Pos))
		}
		if k.Nulls == ast.NullsFirst && !k.Desc || k.Nulls == ast.NullsLast && k.Desc {
			return nil, sqlerr.Unsupported("an index column whose NULLs are not last in ascending order").At(int(k.Pos))
		}
		if k.OpClass != "" && what != zorderKey {
			return nil, sqlerr.Unsupported("operator class %q", k.OpClass).At(int(k.Pos))
		}
		if err := collated(k.Collated, c.Type, k.Pos); err != nil {
			return nil, err
		}
		parts = append(parts, catalog.Part{Column: c.ID, Desc: k.Desc})
	}
	return parts, nil
}

// keyable says whether keys can hold the values of a type in their order.
func keyable(t types.T) bool {
	if element, ok := types.ElementOf(t); ok {
		t = element
	}
	return t.Kind() != types.KindJSONB && bind.Ordered(t)
}

func noOrder(t types.T, method catalog.Method) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, "data type %s has no default operator class for access method %q", t, method).
		WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
}
