package define

import (
	"maps"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Alter plans changes of one table.
type Alter struct {
	Builder
	Table *catalog.Table
	Now   time.Time // when the statement began
}

// moved is a copy of a table in spaces of its own, in which no row lacks a column.
func (a *Alter) moved() (*catalog.Table, error) {
	t := *a.Table
	t.Version++
	t.StorageNames = nil
	t.Columns, t.Indexes = slices.Clone(t.Columns), slices.Clone(t.Indexes)
	for i := range t.Columns {
		t.Columns[i].Missing = types.Null
	}
	id, err := a.Next()
	if err != nil {
		return nil, err
	}
	t.Space = catalog.NewSpace(id, t.Schema, t.Name)
	for i := range t.Indexes {
		if id, err = a.Next(); err != nil {
			return nil, err
		}
		t.Indexes[i].Space = catalog.NewSpace(id, t.Schema, t.Name, t.Indexes[i].Name)
		t.TellsDue(&t.Indexes[i])
	}
	return &t, nil
}

// Truncated is the table without rows.
func (a *Alter) Truncated() (*catalog.Table, error) {
	t, err := a.moved()
	if err == nil {
		t.Stats = catalog.Stats{Known: true}
	}
	return t, err
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
	var err error
	out.Value, err = a.Stored().Default(t.Columns[len(t.Columns)-1])
	out.Each = volatile(out.Value)
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
	return i, nil
}

// SetDefault gives a column a default, or with a nil tree takes it away.
func (a *Alter) SetDefault(name string, d *ast.ColumnDef) (*catalog.Table, error) {
	i, err := a.Column(name)
	if err != nil {
		return nil, err
	}
	c := a.Table.Columns[i]
	if c.Identity != catalog.NoIdentity {
		e := sqlerr.New(sqlerr.SyntaxError, "column %q of relation %q is an identity column", name, a.Table.Name)
		if d == nil {
			e = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return nil, e
	}
	c.Default, c.DefaultUses, c.DefaultRead = "", nil, nil
	if d != nil {
		if err := a.NewDefault(&c, d.Default, d.DefaultText); err != nil {
			return nil, err
		}
	}
	return a.Table.WithColumn(i, func(to *catalog.Column) { *to = c }), nil
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

// AddCheck adds a CHECK constraint, which is the last one of the table.
func (a *Alter) AddCheck(c ast.Check) (*catalog.Table, error) {
	if c.Name != "" && a.Table.HasConstraint(c.Name) {
		return nil, a.taken(c.Name)
	}
	t := *a.Table
	t.Version++
	return &t, a.newCheck(&t, c)
}

func (a *Alter) taken(name string) error {
	return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", name, a.Table.Name)
}

// Violated is the condition that rows which violate a check of the table meet.
func (a *Alter) Violated(t *catalog.Table, check int) (expr.Expr, error) {
	only := *t
	only.Checks = t.Checks[check : check+1]
	checks, err := a.Stored().Checks(&only)
	if err != nil {
		return nil, err
	}
	return expr.IsBool{Arg: checks[0].Cond, Want: false}, nil
}

// AddUnique makes the index of a UNIQUE constraint.
func (a *Alter) AddUnique(u ast.Unique) (*catalog.Index, error) {
	t := &NewTable{Table: a.Table, by: a.Builder}
	if err := t.addUnique(u); err != nil {
		return nil, err
	}
	return &t.Indexes[len(t.Indexes)-1], nil
}

// AddPrimaryKey lays the table out by a primary key.
func (a *Alter) AddPrimaryKey(name string, keys []ast.KeyPart) (*catalog.Table, error) {
	if a.Table.PrimaryKey != "" {
		return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed", a.Table.Name)
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	t, err := a.unkeyed(moved)
	if err != nil {
		return nil, err
	}
	if err := t.primaryKey(&ast.CreateTable{PrimaryKey: keys, PrimaryName: name}); err != nil {
		return nil, err
	}
	return moved, retie(moved)
}

// unkeyed is a table that is to be laid out anew by its options, without the hidden columns
// of the layout that it had.
func (a *Alter) unkeyed(moved *catalog.Table) (*NewTable, error) {
	moved.Columns = slices.DeleteFunc(moved.Columns, func(c catalog.Column) bool {
		return c.Hidden && (moved.TTL == nil || c.ID != moved.TTL.Column)
	})
	t := &NewTable{Table: moved, by: a.Builder}
	for name, value := range moved.Options {
		if _, err := t.keys.read(ast.Option{Name: name, Value: value, Pos: -1}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// DropPrimaryKey lays the table out by a hidden row id. A partition_key over columns of the
// primary key has nothing to go by until there is another one.
func (a *Alter) DropPrimaryKey() (*catalog.Table, error) {
	if a.Table.Partitioned() {
		return nil, sqlerr.Unsupported("dropping the primary key of a table with PARTITION BY")
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	moved.PrimaryKey, moved.KeyID, moved.KeyComment = "", 0, ""
	return a.byRowID(moved)
}

// byRowID lays out a table that has no primary key by its options.
func (a *Alter) byRowID(moved *catalog.Table) (*catalog.Table, error) {
	t, err := a.unkeyed(moved)
	if err != nil {
		return nil, err
	}
	if err := t.keys.forTable(); err != nil {
		return nil, err
	}
	delete(t.keys.pos, templateOption)
	if err := t.rowID(nil); err != nil {
		return nil, err
	}
	return moved, retie(moved)
}

// retie tells the entries of indexes apart by the table's present key.
func retie(t *catalog.Table) error {
	for i := range t.Indexes {
		x := &t.Indexes[i]
		reshard(x, t)
		x.Layout.Tie = tieBreaker(t, x.Layout.Parts())
		if err := fits(t, &x.Layout); err != nil {
			return err
		}
	}
	return nil
}

// AddIdentity makes a column an identity column.
func (a *Alter) AddIdentity(i int, cmd ast.AlterCommand) (*NewTable, error) {
	c := a.Table.Columns[i]
	if err := sequenceType(c.Type, "identity column type"); err != nil {
		return nil, err
	}
	switch {
	case c.Identity != catalog.NoIdentity:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "column %q of relation %q is already an identity column", c.Name, a.Table.Name)
	case !c.NotNull:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "column %q of relation %q must be declared NOT NULL before identity can be added", c.Name, a.Table.Name)
	case c.Default != "":
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "column %q of relation %q already has a default value", c.Name, a.Table.Name)
	}
	t := &NewTable{Table: a.Table, by: a.Builder}
	err := t.addSequence(&c, ast.ColumnDef{Name: c.Name, Identity: cmd.Identity, Sequence: cmd.Options})
	t.Table = a.Table.WithColumn(i, func(to *catalog.Column) { *to = c })
	return t, err
}

// KeyOptions are those of some options that keys are made with, and the others.
func KeyOptions(options []ast.Option) (keys, others []ast.Option) {
	for _, o := range options {
		if slices.Contains(keyOptionNames, o.Name) {
			keys = append(keys, o)
		} else {
			others = append(others, o)
		}
	}
	return keys, others
}

// ChangeKeys sets options that keys are made with, or takes them away, and lays the table out by
// them. It must have no primary key: what that one is laid out by is settled when it is added.
func (a *Alter) ChangeKeys(options []ast.Option, set bool) (*catalog.Table, error) {
	if a.Table.PrimaryKey != "" {
		return nil, sqlerr.Unsupported("changing parameter %q of a table with a primary key", options[0].Name).At(int(options[0].Pos)).
			WithDetail("The keys of its rows are made with it.").
			WithHint("ALTER TABLE ... DROP CONSTRAINT ..., SET (...), ADD PRIMARY KEY (...) makes the keys anew.")
	}
	var given keyOptions
	for _, o := range options {
		if !set && o.Value != "" {
			return nil, resetValue(o)
		}
		if _, err := given.read(o); set && err != nil {
			return nil, err
		}
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	moved.Options = maps.Clone(moved.Options)
	if moved.Options == nil {
		moved.Options = map[string]string{}
	}
	for _, o := range options {
		if delete(moved.Options, o.Name); set {
			moved.Options[o.Name] = o.Value
		}
	}
	return a.byRowID(moved)
}

// SetOptions changes WITH options of the table that keys are not made with.
func (a *Alter) SetOptions(options []ast.Option) (*catalog.Table, error) {
	t := *a.Table
	t.Options = maps.Clone(t.Options)
	if t.Options == nil {
		t.Options = map[string]string{}
	}
	if err := tableOptions(&t, options); err != nil {
		return nil, err
	}
	return a.relive(&t, options)
}
