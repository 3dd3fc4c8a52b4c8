package table

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// uniqueByIndex makes a unique index that is there one of a UNIQUE constraint.
func (a *alteration) uniqueByIndex(u *ast.Unique) error {
	x, err := a.indexForKey(u.KeyIndex, u.Pos)
	if err != nil {
		return err
	}
	next := *x
	next.Constraint, next.Layout.Timing = true, u.Timing
	if next.Name, err = a.nameOfKey(x, u.Name); err != nil {
		return err
	}
	return a.keep(a.Table.WithIndex(next), nil)
}

// keyByIndex reads ADD PRIMARY KEY USING INDEX as the primary key over the columns of the index, which goes: the rows
// themselves are in the order of the key.
func (a *alteration) keyByIndex(cmd *ast.AlterCommand) error {
	if cmd.KeyIndex == "" {
		return nil
	}
	x, err := a.indexForKey(cmd.KeyIndex, cmd.Pos)
	if err != nil {
		return err
	}
	if cmd.Name, err = a.nameOfKey(x, cmd.Name); err != nil {
		return err
	}
	cmd.KeyIndex = ""
	for _, c := range (catalog.TableIndex{Table: a.Table, Index: x}).Columns() {
		name := a.Table.Columns[a.Table.Ordinal(c.ID)].Name
		if c.Included {
			cmd.KeyInclude = append(cmd.KeyInclude, ast.ColumnName{Name: name, Pos: -1})
			continue
		}
		cmd.PrimaryKey = append(cmd.PrimaryKey, ast.KeyPart{Column: name, Desc: c.Desc, Pos: -1})
		if err := a.setNotNull(name, true); err != nil {
			return err
		}
		a.Table = a.d.Txn.Changed().Snap.ByID(a.Table.ID).(*catalog.Table)
	}
	if err := a.d.Remove(a.ctx, a.Table, a.Table.Index(x.Name)); err != nil {
		return err
	}
	a.Table = a.d.Txn.Changed().Snap.ByID(a.Table.ID).(*catalog.Table)
	a.Builder = a.d.Builder(a.ctx, a.d.Txn.Changed().Snap)
	return nil
}

// nameOfKey is the name of a constraint that is made of an index, which gets that name.
func (a *alteration) nameOfKey(x *catalog.Index, name string) (string, error) {
	if name = cmp.Or(name, x.Name); name == x.Name {
		return name, nil
	}
	if err := a.d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
		"ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index %q to %q", x.Name, name)); err != nil {
		return "", err
	}
	if ddl.IndexNameTaken(a.d.Txn.Changed().Snap, a.Table, name) {
		return "", sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", name)
	}
	return name, nil
}

// indexForKey finds the index that USING INDEX names, and refuses one that cannot be that of a key.
func (a *alteration) indexForKey(name string, pos ast.Pos) (*catalog.Index, error) {
	refused := func(code sqlerr.Code, format string, args ...any) *sqlerr.Error {
		return sqlerr.New(code, format, args...).At(int(pos))
	}
	const detail = "Cannot create a primary key or unique constraint using such an index."
	x := a.Table.Index(name)
	if a.Table.Partitioning != nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"ALTER TABLE / ADD CONSTRAINT USING INDEX is not supported on partitioned tables")
	}
	if x == nil {
		if r, ok := a.d.Txn.Changed().Snap.Relation(a.Table.Schema, name).(catalog.TableIndex); ok {
			if r.Index == nil && r.Table.ID == a.Table.ID {
				return nil, refused(sqlerr.ObjectNotInPrerequisiteState,
					"index %q is already associated with a constraint", name)
			}
			return nil, refused(sqlerr.ObjectNotInPrerequisiteState, "index %q does not belong to table %q", name,
				a.Table.Name)
		}
		return nil, refused(sqlerr.UndefinedObject, "index %q does not exist", name)
	}
	switch {
	case x.Constraint:
		return nil, refused(sqlerr.ObjectNotInPrerequisiteState, "index %q is already associated with a constraint",
			name)
	case x.State != catalog.Readable:
		return nil, refused(sqlerr.ObjectNotInPrerequisiteState, "index %q is not valid", name)
	case !x.Unique:
		return nil, refused(sqlerr.WrongObjectType, "%q is not a unique index", name).WithDetail(detail)
	case x.Partial():
		return nil, refused(sqlerr.WrongObjectType, "%q is a partial index", name).WithDetail(detail)
	}
	for i, c := range (catalog.TableIndex{Table: a.Table, Index: x}).Columns() {
		if (c.Desc || c.NullsSwapped) && !c.Included {
			return nil, refused(sqlerr.WrongObjectType,
				"index %q column number %d does not have default sorting behavior", name, i+1).WithDetail(detail)
		}
	}
	return x, nil
}
