package define

import (
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

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
	return t.addColumnOf(typ, d, isSerial)
}

// addColumnOf is addColumn for a column whose type is known.
func (t *NewTable) addColumnOf(typ types.T, d ast.ColumnDef, isSerial bool) (err error) {
	if tableoid.IsSystem(d.Name) {
		return sqlerr.New(sqlerr.DuplicateColumn, "column name %q conflicts with a system column name", d.Name)
	}
	c := catalog.Column{ID: max(t.NextColumn, 1), Name: d.Name, Type: typ}
	c.NotNull = d.NotNull || isSerial || d.Identity != ""
	if info := types.InfoOf(typ.OID); info.Category == types.CategoryPseudo || info.Category == types.CategoryUnknown {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", d.Name, typ)
	}
	if row, _ := types.RowOID(t.ID); t.ID != 0 && contains(typ, row) {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "composite type %s cannot be made a member of itself", t.Name)
	}
	if c.Type, err = collated(t.by, d.Collation, typ); err != nil {
		return err
	}
	if _, err := set(&c, d.Settings); err != nil {
		return err
	}
	t.nameInStore(&c)
	switch {
	case d.Generated && isSerial:
		return sqlerr.New(sqlerr.SyntaxError,
			"both default and generation expression specified for column %q of table %q", d.Name, t.Name).At(int(d.Pos))
	case isSerial && d.Default != nil:
		return sqlerr.New(sqlerr.SyntaxError, "multiple default values specified for column %q of table %q", d.Name,
			t.Name).At(int(d.Pos))
	case d.Identity != "" && (d.Default != nil || isSerial):
		return sqlerr.New(sqlerr.SyntaxError, "both default and identity specified for column %q of table %q", d.Name,
			t.Name).At(int(d.Pos))
	case isSerial, d.Identity != "":
		err = t.addSequence(&c, d)
	case d.Default != nil && !d.Generated:
		err = t.by.newDefault(&c, d.Default, d.DefaultText)
	}
	t.Columns, t.NextColumn = append(slices.Clip(t.Columns), c), c.ID+1
	return err
}

// nameInStore gives a new column another name in the store if a column has or had its own
// there: what was stored under it must not be taken for its values.
func (t *NewTable) nameInStore(c *catalog.Column) {
	taken := func(name string) bool {
		return slices.Contains(t.StorageNames, name) ||
			slices.ContainsFunc(t.Columns, func(o catalog.Column) bool { return o.Stored() == name })
	}
	for i := int(c.ID); taken(c.Stored()); i++ {
		c.StorageName = c.Name + "." + strconv.Itoa(i)
	}
}

// hide adds a hidden column.
func (t *NewTable) hide(c catalog.Column) uint32 {
	c.NotNull = true
	return t.conceal(c)
}

// conceal adds a hidden column that may be NULL.
func (t *NewTable) conceal(c catalog.Column) uint32 {
	c.ID, c.Hidden = max(t.NextColumn, 1), true
	t.nameInStore(&c)
	t.Columns, t.NextColumn = append(slices.Clip(t.Columns), c), c.ID+1
	return c.ID
}

// Added is a table with one more column.
type Added struct {
	*NewTable
	Value expr.Expr // of the column in rows that are there
	// Each says that every row gets a value of its own, so that all are written anew.
	Each bool
}

// AddColumn adds a column to the table.
func (a *Alter) AddColumn(d ast.ColumnDef) (*Added, error) {
	t := *a.Table
	t.Version++
	out := &Added{NewTable: &NewTable{Table: &t, by: a.Builder}}
	if len(t.Columns) >= maxColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	if err := out.addColumn(d); err != nil {
		return nil, err
	}
	row, _ := types.RowOID(t.ID)
	if err := keepsKeys(a.Catalog, row, t.Columns[len(t.Columns)-1].Type); err != nil {
		return nil, err
	}
	if err := out.generate([]ast.ColumnDef{d}); err != nil {
		return nil, err
	}
	var err error
	out.Value, err = a.Stored().Default(t.Columns[len(t.Columns)-1])
	out.Each = volatile(out.Value) || d.Generated
	return out, err
}

// Moved is a column's table in other spaces.
func (a *Added) Moved() (*catalog.Table, error) {
	return (&Alter{Builder: a.by, Table: a.Table}).moved()
}

// volatile says whether an expression may have another value each time.
func volatile(e expr.Expr) bool {
	return expr.Any(e, func(e expr.Expr) bool {
		c, ok := e.(expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
}

// Column finds a column that can be altered.
func (a *Alter) Column(name string) (int, error) {
	i := a.Table.Column(name)
	if i < 0 || a.Table.Columns[i].Hidden {
		return -1, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, a.Table.Name)
	}
	return i, RefuseDynamic(a.Table, i)
}

// SetNotNull forbids NULLs in a column, or allows them.
func (a *Alter) SetNotNull(name string, notNull bool) (*catalog.Table, error) {
	i, err := a.Column(name)
	if err != nil {
		return nil, err
	}
	c := a.Table.Columns[i]
	switch {
	case notNull:
	case c.Identity != catalog.NoIdentity:
		return nil, sqlerr.New(sqlerr.SyntaxError, "column %q of relation %q is an identity column", name, a.Table.Name)
	case slices.Contains(a.Table.Primary.Columns(), c.ID):
		return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q is in a primary key", name)
	}
	return a.Table.WithColumn(i, func(c *catalog.Column) { c.NotNull = notNull }), nil
}

// mayStore refuses the rows of relations of the system as values of columns.
func mayStore(b Builder, t types.T) error {
	id, _ := t.OID.Relation()
	if _, system := b.Catalog.Numbered(id).(*catalog.Virtual); system {
		return sqlerr.Unsupported("a column with the rows of a relation of the system")
	}
	return nil
}

// storedType resolves the name of the type of a column, which the role must have the right to use.
func (b Builder) storedType(n ast.TypeName) (types.T, error) {
	t, err := b.TypeNamed(n)
	if err == nil {
		err = bind.At(mayStore(b, t), n.Pos)
	}
	if of, _ := b.Catalog.TypeOf(t.Number()); err == nil && of != nil && b.Role != 0 {
		if have, _ := b.Catalog.Privileges(b.Role, of); have&catalog.MayUse == 0 {
			err = sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for type %s", of.Name)
		}
	}
	return t, err
}
