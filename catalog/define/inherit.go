package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/dynamic"
	"zproxy/catalog/lineage"
	"zproxy/catalog/reference"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// heir is a table that is being made and inherits from others.
type heir struct{ *NewTable }

// inherit adds the columns of the tables that a table inherits from.
func (t heir) inherit(names []ast.Name) (likes, error) {
	var out likes
	for _, name := range names {
		parent, err := heritable(t.by, name)
		if err != nil {
			return nil, err
		}
		temporary := func(schema string) bool { return strings.HasPrefix(schema, catalog.TemporaryPrefix) }
		if temporary(parent.Schema) && !temporary(t.Schema) {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot inherit from temporary relation %q", parent.Name)
		}
		if t.Inherits.Has(parent.ID) {
			return nil, sqlerr.New(sqlerr.DuplicateTable, "relation %q would be inherited from more than once",
				parent.Name)
		}
		one, err := t.inheritColumns(parent)
		if err != nil {
			return nil, err
		}
		t.Inherits, out = t.Inherits.With(parent.ID), append(out, one)
	}
	return out, nil
}

// heritable is a table from which others may inherit.
func heritable(b Builder, name ast.Name) (*catalog.Table, error) {
	r, err := b.Relation(name)
	if err != nil {
		return nil, err
	}
	t, ok := r.(*catalog.Table)
	switch {
	case r == nil:
		return nil, bind.NoRelation(name)
	case !ok || t.Materialized != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "inherited relation %q is not a table or foreign table",
			name.Name)
	case b.Role != 0 && !b.Catalog.Owns(b.Role, t):
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of table %s", t.Name)
	case t.Partitioning != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot inherit from partitioned table %q", t.Name)
	case t.PartitionOf != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot inherit from partition %q", t.Name)
	case t.Foreign != nil || celltime.Has(t) || dynamic.Of(t.Options) != "":
		return nil, sqlerr.Unsupported("inheriting from table %q", t.Name).At(int(name.Pos))
	}
	return t, nil
}

// inherits are what columns have from parents.
const inherits = ast.LikeDefaults | ast.LikeGenerated | ast.LikeStorage | ast.LikeCompression

// inheritColumns adds the columns of a table, or merges them with those of the same names.
func (t heir) inheritColumns(parent *catalog.Table) (likeOne, error) {
	numbers, from := map[uint32]uint32{}, t.NextColumn
	for _, c := range parent.Columns {
		if c.Hidden {
			continue
		}
		at := t.Column(c.Name)
		if at < 0 {
			numbers[c.ID] = max(t.NextColumn, 1)
			if err := t.likeColumn(c, inherits); err != nil {
				return likeOne{}, err
			}
			continue
		}
		numbers[c.ID] = t.Columns[at].ID
		if err := t.tell(merging("merging multiple inherited definitions of column %q", c.Name)); err != nil {
			return likeOne{}, err
		}
		if err := t.mergeParents(&t.Columns[at], &c); err != nil {
			return likeOne{}, err
		}
	}
	one := t.likeWith(parent, ast.LikeConstraints, numbers, from)
	one.inherited = true
	return one, nil
}

// mergeParents makes a column that one parent has that of another one, too.
func (t heir) mergeParents(c, of *catalog.Column) error {
	switch {
	case !c.Type.Same(of.Type):
		return typeConflict("inherited column", c.Name, c.Type.String(), of.Type.String())
	case (c.Generated != nil) != (of.Generated != nil):
		return sqlerr.New(sqlerr.DatatypeMismatch, "inherited column %q has a generation conflict", c.Name)
	}
	c.NotNull = c.NotNull || of.NotNull
	switch {
	case of.Default == "" || of.Default == c.Default:
	case c.Default == "" && !slices.Contains(t.conflicts, c.Name):
		c.Default, c.DefaultUses, c.DefaultRead = of.Default, of.DefaultUses, of.DefaultRead
	default:
		t.conflicts = append(t.conflicts, c.Name)
	}
	return nil
}

func typeConflict(what, column, is, other string) error {
	return sqlerr.New(sqlerr.DatatypeMismatch, "%s %q has a type conflict", what, column).
		WithDetail("%s versus %s", is, other)
}

// addOwnColumn adds a column that the statement declares, as the one of a number, or makes it that of a parent.
func (t heir) addOwnColumn(d ast.ColumnDef, number int) error {
	at := t.Column(d.Name)
	if at < 0 {
		return t.addColumn(d)
	}
	was := t.Columns[at]
	if t.Inherits == nil || t.Inherits.Declares(was.ID) {
		return columnTwice(d.Name)
	}
	notice := merging("merging column %q with inherited definition", d.Name)
	if number != at+1 {
		notice = merging("moving and merging column %q with inherited definition", d.Name).
			WithDetail("User-specified column moved to the position of the inherited column.")
	}
	if err := t.tell(notice); err != nil {
		return err
	}
	switch {
	case d.Generated && was.Generated != nil:
		return sqlerr.New(sqlerr.InvalidColumnDefinition, "child column %q specifies generation expression", d.Name).
			WithHint("Omit the generation expression in the definition of the child table column to inherit the " +
				"generation expression from the parent table.")
	case was.Generated != nil && d.Default != nil:
		return sqlerr.New(sqlerr.InvalidColumnDefinition,
			"column %q inherits from generated column but specifies default", d.Name)
	case was.Generated != nil && d.Identity != "":
		return sqlerr.New(sqlerr.InvalidColumnDefinition,
			"column %q inherits from generated column but specifies identity", d.Name)
	}
	others, next := slices.Clone(t.Columns), t.NextColumn
	t.Columns, t.NextColumn = slices.Delete(slices.Clone(others), at, at+1), was.ID
	if err := t.addColumn(d); err != nil {
		return err
	}
	own := t.Columns[len(t.Columns)-1]
	if !own.Type.Same(was.Type) {
		return typeConflict("column", d.Name, was.Type.String(), own.Type.String())
	}
	own.NotNull, own.Generated = own.NotNull || was.NotNull, was.Generated
	if own.Default == "" {
		own.Default, own.DefaultUses, own.DefaultRead = was.Default, was.DefaultUses, was.DefaultRead
	} else {
		t.conflicts = slices.DeleteFunc(t.conflicts, func(name string) bool { return name == d.Name })
	}
	others[at] = own
	t.Columns, t.NextColumn = others, next
	t.Inherits = t.Inherits.WithColumn(was.ID)
	return nil
}

// mergeLike makes a column of a relation that a table is like that of a parent.
func (t heir) mergeLike(at int, of catalog.Column) error {
	c := &t.Columns[at]
	if t.Inherits == nil || t.Inherits.Declares(c.ID) {
		return columnTwice(of.Name)
	}
	if err := t.tell(merging("merging column %q with inherited definition", of.Name)); err != nil {
		return err
	}
	if !c.Type.Same(of.Type) {
		return typeConflict("column", of.Name, c.Type.String(), of.Type.String())
	}
	c.NotNull = c.NotNull || of.NotNull
	t.Inherits = t.Inherits.WithColumn(c.ID)
	return nil
}

// inheritChecks adds the checks of the tables that a table inherits from.
func (l likes) inheritChecks(t *NewTable) error {
	if len(t.conflicts) > 0 {
		return sqlerr.New(sqlerr.InvalidColumnDefinition, "column %q inherits conflicting default values",
			t.conflicts[0]).
			WithHint("To resolve the conflict, specify a default explicitly.")
	}
	for _, one := range l {
		if one.inherited {
			if err := one.checks(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergesCheck says whether another parent has the same check.
func (t heir) mergesCheck(k *catalog.Check) (bool, error) {
	at := t.Check(k.Name)
	if at >= 0 && condition(t.by, t.Table, t.Checks[at]) != condition(t.by, t.Table, *k) {
		return false, sqlerr.New(sqlerr.DuplicateObject,
			"check constraint name %q appears multiple times but with different expressions", k.Name)
	}
	return at >= 0, nil
}

// addOwnCheck adds a check that the statement declares, or makes it that of a parent.
func (t heir) addOwnCheck(c ast.Check) error {
	at := t.Check(c.Name)
	if c.Name == "" || at < 0 || t.Inherits == nil || t.Inherits.DeclaresCheck(t.Checks[at].ID) {
		return t.addCheck(c)
	}
	if k := &t.Checks[at]; k.NotEnforced && !c.NotEnforced {
		k.Validity = c.Validity
	}
	if err := merges(t.by, t.Table, at, c); err != nil {
		return err
	}
	t.Inherits = t.Inherits.WithCheck(t.Checks[at].ID)
	return t.tell(merging("merging constraint %q with inherited definition", c.Name))
}

// condition is the text of a check with the names that columns have now.
func condition(b Builder, t *catalog.Table, k catalog.Check) string {
	only := *t
	only.Checks = []catalog.Check{k}
	checks, err := b.Stored().Checks(&only)
	if err != nil || len(checks) != 1 {
		return k.Text
	}
	return expr.Rewrite(checks[0].Cond, func(e expr.Expr) expr.Expr {
		if c, ok := e.(expr.Column); ok {
			c.Name = t.Columns[c.Index].Name
			return c
		}
		return e
	}).String()
}

// merges refuses to take a check for one of the same name that a table has, which is another one.
func merges(b Builder, t *catalog.Table, at int, c ast.Check) error {
	alone := *t
	if alone.Checks = nil; b.newCheck(&alone, c) != nil {
		return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", c.Name, t.Name)
	}
	conflict := ""
	switch {
	case condition(b, t, t.Checks[at]) != condition(b, t, alone.Checks[0]):
		return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", c.Name, t.Name)
	case c.NoInherit:
		conflict = "inherited"
	case t.Checks[at].NoInherit:
		conflict = "non-inherited"
	case t.Checks[at].Conflict(c.Validity) != "":
		conflict = t.Checks[at].Conflict(c.Validity)
	default:
		return nil
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "constraint %q conflicts with %s constraint on relation %q",
		c.Name, conflict, t.Name)
}

// childConflict is the error about a check of a child that does not hold as that of its parent does.
func childConflict(t *catalog.Table, k *catalog.Check, parent reference.Validity) error {
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "constraint %q conflicts with %s constraint on child table %q",
		k.Name, k.Conflict(parent), t.Name)
}

// tell tells of a column or a constraint that is merged with another one.
func (t heir) tell(notice *sqlerr.Error) error {
	if t.by.Tell == nil {
		return nil
	}
	return t.by.Tell(notice)
}

func merging(format, name string) *sqlerr.Error {
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, format, name)
}

// Inherit makes the table one that inherits from another one, all of whose columns and checks it has.
func (a *Alter) Inherit(name ast.Name) (*catalog.Table, error) {
	parent, err := heritable(a.Builder, name)
	switch {
	case err != nil:
		return nil, err
	case a.Table.Inherits.Has(parent.ID):
		return nil, sqlerr.New(sqlerr.DuplicateTable, "relation %q would be inherited from more than once", parent.Name)
	case slices.Contains(a.Catalog.Lineage(a.Table), parent):
		return nil, sqlerr.New(sqlerr.DuplicateTable, "circular inheritance not allowed").
			WithDetail("%q is already a child of %q.", parent.Name, a.Table.Name)
	}
	t := *a.Table
	t.Version++
	from := t.Inherits
	for _, c := range parent.Columns {
		if c.Hidden {
			continue
		}
		own, err := a.inherits(c)
		if err != nil {
			return nil, err
		}
		if lineage.OfColumn(a.Catalog, a.Table, c.Name) == 0 {
			from = from.WithColumn(own.ID)
		}
	}
	for _, k := range parent.Checks {
		if k.NoInherit {
			continue
		}
		at := t.Check(k.Name)
		switch {
		case at < 0:
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "child table is missing constraint %q", k.Name)
		case condition(a.Builder, &t, t.Checks[at]) != condition(a.Builder, parent, k):
			return nil, sqlerr.New(sqlerr.DatatypeMismatch,
				"child table %q has different definition for check constraint %q", t.Name, k.Name)
		case t.Checks[at].NoInherit:
			return nil, sqlerr.New(sqlerr.InvalidObjectDefinition,
				"constraint %q conflicts with non-inherited constraint on child table %q", k.Name, t.Name)
		case t.Checks[at].Conflict(k.Validity) != "":
			return nil, childConflict(&t, &t.Checks[at], k.Validity)
		}
		if lineage.OfCheck(a.Catalog, a.Table, k.Name) == 0 {
			from = from.WithCheck(t.Checks[at].ID)
		}
	}
	t.Inherits = from.With(parent.ID)
	return &t, nil
}

// inherits is the column of the table that is that of a parent.
func (a *Alter) inherits(c catalog.Column) (*catalog.Column, error) {
	at := a.Table.Column(c.Name)
	if at < 0 {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "child table is missing column %q", c.Name)
	}
	own := &a.Table.Columns[at]
	switch {
	case !own.Type.Same(c.Type):
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "child table %q has different type for column %q", a.Table.Name,
			c.Name)
	case c.NotNull && !own.NotNull:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "column %q in child table must be marked NOT NULL", c.Name)
	case (c.Generated != nil) != (own.Generated != nil):
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "column %q in child table must be a generated column", c.Name)
	}
	return own, nil
}

// Merges refuses to take a check for one of the same name that the table has, which is another one.
func (a *Alter) Merges(check int, c ast.Check) error { return merges(a.Builder, a.Table, check, c) }
