package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/celltime"
	"zproxy/catalog/keytext"
	"zproxy/catalog/notes"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// addUnique adds the index of a UNIQUE constraint.
func (t *NewTable) addUnique(u ast.Unique) error {
	create := &ast.CreateIndex{Name: u.Name, Table: ast.Name{Schema: t.Schema, Name: t.Name}, Method: "btree",
		Unique: true, Keys: u.Columns, NullsEqual: u.NullsEqual, Include: u.KeyInclude, Options: u.KeyOptions}
	if u.Name != "" && t.taken(u.Name) {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", u.Name)
	}
	x, err := t.by.createIndex(create, t.Table, uniqueKey)
	if err != nil {
		return err
	}
	x.Constraint, x.Layout.Timing = true, u.Timing
	t.Table = t.WithIndex(*x)
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
		if err := t.keys.forTable(t.keys.zorder); err != nil {
			return err
		}
		return t.rowID()
	}
	if s.Deferrable {
		return sqlerr.Unsupported("DEFERRABLE of a primary key").At(int(s.PrimaryPos))
	}
	if len(s.PrimaryKey) > maxKeyColumns {
		return tooManyColumns(maxKeyColumns)
	}
	for _, option := range []string{keytext.KeyOption, keytext.PartitionOption} {
		if t.Options[option] != "" {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "parameter %q is for a table without a primary key",
				option).
				WithHint("PRIMARY KEY and PARTITION BY say the same.")
		}
	}
	curve, err := t.keyCurve(s)
	if err == nil {
		err = t.keys.forTable(curve != nil)
	}
	if err != nil {
		return err
	}
	what := primaryKeys
	if curve != nil {
		what = zorderKey
	}
	parts, err := keyParts(t.Table, plainParts(s.PrimaryKey, curve), what)
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
	if err == nil {
		err = t.keyClauses(s.KeyClauses)
	}
	if err != nil {
		return err
	}
	t.KeyID = uint32(id)
	if t.parent.parent != "" {
		return t.interleave(parts, hashedBy(s))
	}
	return t.layOut(parts, hashedBy(s), curve)
}

// hashedBy is what PARTITION BY HASH names, by which the store divides rows.
func hashedBy(s *ast.CreateTable) []ast.KeyPart {
	if s.PartitionBy == nil || s.PartitionBy.Strategy != "hash" {
		return nil
	}
	return s.PartitionBy.Keys
}

// rowID lays out the table by a hidden row id. Heavy keys are those of a primary key that is yet to be added, as a dump
// does.
func (t *NewTable) rowID() error {
	t.keys.heavy = nil
	var id uint32
	if at := t.Column(catalog.RowID); at >= 0 && t.Columns[at].Hidden { // which partitions have in common
		id = t.Columns[at].ID
	} else {
		id = t.hide(catalog.Column{Name: catalog.RowID, Type: types.Int8})
	}
	return t.layOut([]catalog.Part{{Column: id}}, nil, nil)
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
		if i < 0 || t.Columns[i].Hidden && k.Expr == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q%s does not exist", k.Column, named).At(int(k.Pos))
		}
		c := t.Columns[i]
		points := what == zorderKey && axis.Of(c.ID, c.Type) != nil
		if _, array := types.ElementOf(c.Type); !analyze.Ordered(c.Type) && !array && !points {
			method := catalog.BTree
			if what == zorderKey {
				method = catalog.ZOrder
			}
			return nil, noOrder(c.Type, method)
		}
		if !keyable(c.Type) && !points {
			return nil, notKeyable(c.Type).At(int(k.Pos))
		}
		if slices.ContainsFunc(parts, func(p catalog.Part) bool { return p.Column == c.ID }) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q appears twice in %s", k.Column, what).
				At(int(k.Pos))
		}
		parts = append(parts, catalog.Part{Column: c.ID, Desc: k.Desc, NullsSwapped: nullsSwapped(k)})
	}
	return parts, nil
}

// nullsSwapped says whether NULLs of a column are not where they are by default: last, or first when it descends.
func nullsSwapped(k ast.KeyPart) bool {
	return k.Nulls == ast.NullsFirst && !k.Desc || k.Nulls == ast.NullsLast && k.Desc
}

// keyable says whether keys can hold the values of a type in their order: it, its elements, and the fields of its rows
// have one.
func keyable(t types.T) bool {
	if element, array := types.ElementOf(t); array {
		return keyable(element)
	}
	rowsToo := !t.IsComposite() || t.Def == nil || !slices.ContainsFunc(t.Def.Types, func(field types.T) bool {
		return !keyable(field)
	})
	return analyze.Ordered(t) && rowsToo
}

// keepsKeys refuses another field without an order of rows of a type that keys hold.
func keepsKeys(snap *catalog.Snapshot, row types.OID, added types.T) error {
	if keyable(snap.Defined(added)) {
		return nil
	}
	if heldInKeys(snap, row) {
		return sqlerr.Unsupported("an attribute of type %s of rows that are keys", added)
	}
	return nil
}

// MayLoseField refuses that rows of a type lose a field if keys hold them, whose order depends on it.
func MayLoseField(snap *catalog.Snapshot, row types.OID) error {
	if heldInKeys(snap, row) {
		return sqlerr.Unsupported("dropping an attribute of rows that are keys")
	}
	return nil
}

// heldInKeys says whether keys of tables or indexes hold rows of a type.
func heldInKeys(snap *catalog.Snapshot, row types.OID) bool {
	return slices.ContainsFunc(snap.Tables(), func(t *catalog.Table) bool {
		return slices.ContainsFunc(inKeys(t), func(id uint32) bool {
			return contains(t.Columns[t.Ordinal(id)].Type, row)
		})
	})
}

func notKeyable(t types.T) *sqlerr.Error {
	return sqlerr.Unsupported("a key on a column of type %s", t)
}

func noOrder(t types.T, method catalog.Method) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, "data type %s has no default operator class for access method %q",
		t, method).
		WithHint("You must specify an operator class for the index " +
			"or define a default operator class for the data type.")
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
func (a *Alter) AddPrimaryKey(cmd *ast.AlterCommand) (*catalog.Table, error) {
	if a.Table.PrimaryKey != "" {
		return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed",
			a.Table.Name)
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	t, err := a.unkeyed(moved)
	if err != nil {
		return nil, err
	}
	create := &ast.CreateTable{PrimaryKey: cmd.PrimaryKey, PrimaryName: cmd.Name, KeyClauses: cmd.KeyClauses}
	written, err := keyAsWritten(moved, create)
	if err == nil {
		err = t.primaryKey(written)
	}
	if err != nil && written != create {
		err = bind.InStored(err)
	}
	if err != nil {
		return nil, err
	}
	if err := dividedBy(moved, moved.Primary.Columns(), "PRIMARY KEY"); err != nil {
		return nil, err
	}
	if len(a.Waiting(a.Table)) > 0 {
		moved.Hosted++ // so that its rows are kept as those of a host before there are any
	}
	return moved, a.retie(moved)
}

// unkeyed is a table that is to be laid out anew by its options, without the hidden columns
// of the layout that it had.
func (a *Alter) unkeyed(moved *catalog.Table) (*NewTable, error) {
	moved.Columns = slices.DeleteFunc(moved.Columns, func(c catalog.Column) bool {
		stays := c.Unstored() || moved.TTL != nil && c.ID == moved.TTL.Column || a.inPartitions(moved, c.ID)
		return c.Hidden && !stays
	})
	t := &NewTable{Table: moved, by: a.Builder}
	for name, value := range moved.Options {
		if _, err := t.keys.read(ast.Option{Name: name, Value: value, Pos: -1}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// inPartitions says whether a hidden column is one that partitions and their table have in common: it stays as long as
// the key of any of the others is made of it.
func (a *Alter) inPartitions(t *catalog.Table, column uint32) bool {
	above := catalog.WithParents(a.Catalog, t)
	root := above[len(above)-1]
	if root.Partitioning == nil {
		return false
	}
	return slices.ContainsFunc(append(a.Catalog.Descendants(root.ID), root), func(o *catalog.Table) bool {
		return o.ID != t.ID && slices.Contains(o.Primary.Sources(), column)
	})
}

// DropPrimaryKey lays the table out by a hidden row id. A partition_key over columns of the
// primary key has nothing to go by until there is another one.
func (a *Alter) DropPrimaryKey() (*catalog.Table, error) {
	if err := a.keepsKeys(); err != nil {
		return nil, err
	}
	if a.Table.Partitioned() {
		return nil, sqlerr.Unsupported("dropping the primary key of a table with PARTITION BY")
	}
	if celltime.Has(a.Table) {
		return nil, sqlerr.Unsupported("dropping the primary key of a table whose cells have timestamps")
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	moved.PrimaryKey, moved.KeyID, moved.OfKey = "", 0, notes.OfKey{}
	return a.byRowID(moved)
}

// byRowID lays out a table that has no primary key by its options.
func (a *Alter) byRowID(moved *catalog.Table) (*catalog.Table, error) {
	t, err := a.unkeyed(moved)
	if err != nil {
		return nil, err
	}
	if err := t.keys.forTable(t.keys.zorder); err != nil {
		return nil, err
	}
	delete(t.keys.pos, templateOption)
	if err := t.rowID(); err != nil {
		return nil, err
	}
	return moved, a.retie(moved)
}

// retie tells the entries of indexes apart by the table's present key.
func (b Builder) retie(t *catalog.Table) error {
	for i := range t.Indexes {
		x := &t.Indexes[i]
		reshard(x, t)
		x.Layout.Tie = tieBreaker(t, x.Layout.Parts())
		if err := b.fits(t, &x.Layout); err != nil {
			return err
		}
	}
	return nil
}
