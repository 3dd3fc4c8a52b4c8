package planner

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// IDs gives numbers to new tables, indexes and spaces, each one once.
type IDs func() (uint64, error)

// CreateTable makes the table that a CREATE TABLE describes, with the indexes of its
// UNIQUE constraints. Nothing is stored yet.
func (p *Planner) CreateTable(s *ast.CreateTable, schema string, next IDs) (*catalog.Table, error) {
	if s.PartitionBy != nil {
		return nil, sqlerr.Unsupported("PARTITION BY")
	}
	t := &catalog.Table{Version: 1, Schema: schema, Name: s.Table.Name, Options: map[string]string{}}
	if err := tableOptions(t, s.Options); err != nil {
		return nil, err
	}
	if len(s.Columns) > maxColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	for _, d := range s.Columns {
		if err := p.addColumn(t, d); err != nil {
			return nil, err
		}
	}
	if err := primaryKey(t, s); err != nil {
		return nil, err
	}
	t.NextColumn = uint32(len(t.Columns) + 1)
	if err := number(next, &t.ID, &t.Space, t.Schema, t.Name); err != nil {
		return nil, err
	}
	for _, u := range s.Uniques {
		create := &ast.CreateIndex{Name: u.Name, Table: s.Table, Method: "btree", Unique: true, Keys: u.Columns}
		x, err := p.createIndex(create, t, next, uniqueKey)
		if err != nil {
			return nil, err
		}
		t = t.WithIndex(*x)
	}
	t.Version = 1
	return t, nil
}

// maxColumns is how many columns a table has in PostgreSQL.
const maxColumns = 1600

func number(next IDs, id *uint32, space *catalog.Space, words ...string) error {
	n, err := next()
	if err != nil {
		return err
	}
	*id = uint32(n)
	*space = catalog.NewSpace(n, words...)
	return nil
}

// tableOptions are the WITH options that a table accepts, and the values of them. The
// write classes that are not there yet are refused rather than taken and not honoured.
func tableOptions(t *catalog.Table, options []ast.Option) error {
	for _, o := range options {
		value := strings.ToUpper(o.Value)
		switch o.Name {
		case "consistency":
			if value != "STRONG" {
				return sqlerr.Unsupported("CONSISTENCY = '%s'", o.Value).At(int(o.Pos))
			}
		case "mutability":
			if value != "MUTABLE_LATEST" {
				return sqlerr.Unsupported("MUTABILITY = '%s'", o.Value).At(int(o.Pos))
			}
		case "fillfactor": // pages are the store's own matter
		default:
			return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter %q", o.Name)
		}
		t.Options[o.Name] = o.Value
	}
	return nil
}

func (p *Planner) addColumn(t *catalog.Table, d ast.ColumnDef) error {
	if t.Column(d.Name) >= 0 {
		return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", d.Name)
	}
	typ, err := TypeOf(d.Type)
	if err != nil {
		return err
	}
	c := catalog.Column{ID: uint32(len(t.Columns) + 1), Name: d.Name, Type: typ, NotNull: d.NotNull}
	if category := types.InfoOf(typ.OID).Category; category == types.CategoryPseudo || category == types.CategoryUnknown {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", d.Name, typ)
	}
	if d.Default != nil {
		if _, err := p.Default(d.Default, c); err != nil {
			return err
		}
		c.Default = d.DefaultText
	}
	t.Columns = append(t.Columns, c)
	return nil
}

// How errors name keys.
const (
	primaryKeys = "primary key constraint"
	uniqueKey   = "unique constraint"
	indexKey    = "index"
	zorderKey   = "z-order index"
)

// primaryKey lays out the table: the first column is the partition, the others sort
// within it. A table without a primary key is keyed by a hidden row id.
func primaryKey(t *catalog.Table, s *ast.CreateTable) error {
	if len(s.PrimaryKey) == 0 {
		id := uint32(len(t.Columns) + 1)
		t.Columns = append(t.Columns, catalog.Column{ID: id, Name: catalog.RowID, Type: types.Int8, NotNull: true, Hidden: true})
		t.Primary = catalog.Layout{Partition: []catalog.Part{{Column: id}}, Unique: true}
		return nil
	}
	parts, err := keyParts(t, s.PrimaryKey, primaryKeys)
	if err != nil {
		return err
	}
	for _, part := range parts {
		t.Columns[t.Ordinal(part.Column)].NotNull = true
	}
	t.PrimaryKey = s.PrimaryName
	if t.PrimaryKey == "" {
		t.PrimaryKey = t.Name + "_pkey"
	}
	t.Primary = catalog.Layout{Partition: parts[:1], Sort: parts[1:], Unique: true}
	return nil
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
		if _, array := types.ElementOf(c.Type); !ordered(c.Type) && !array {
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
		parts = append(parts, catalog.Part{Column: c.ID, Desc: k.Desc})
	}
	return parts, nil
}

// keyable says whether keys can hold the values of a type in their order.
func keyable(t types.T) bool {
	if element, ok := types.ElementOf(t); ok {
		t = element
	}
	return t.Kind() != types.KindJSONB && ordered(t)
}

func noOrder(t types.T, method catalog.Method) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, "data type %s has no default operator class for access method %q", t, method).
		WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
}
