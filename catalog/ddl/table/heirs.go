package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/lineage"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// heirs does to the tables that inherit from a table what is done to it.
type heirs struct{ *Definer }

// alter does to the heirs of a table, which is as before, what a command has done to it.
func (d heirs) alter(ctx context.Context, t *catalog.Table, cmd ast.AlterCommand) error {
	snap := d.Txn.Changed().Snap
	if len(snap.Heirs(t.ID)) == 0 {
		return nil
	}
	now, _ := snap.ByID(t.ID).(*catalog.Table)
	switch cmd.Kind {
	case ast.SetType: // of each heir once, since USING may change the values
		for _, heir := range snap.Lineage(t)[1:] {
			if err := d.alterOne(ctx, heir, cmd, false); err != nil {
				return err
			}
		}
		return nil
	case ast.AddColumn:
		cmd.Column = define.Inherited(cmd.Column, now)
	case ast.SetDefault, ast.DropDefault, ast.SetNotNull, ast.DropNotNull, ast.DropExpression:
	case ast.SetColumn:
		name := cmd.Options[0].Name
		if len(cmd.Options) != 1 || name != ast.StatisticsOption && name != ast.StorageOption {
			return nil
		}
	case ast.AddCheck:
		if cmd.Check.NoInherit {
			return nil
		}
		check := *cmd.Check
		check.Name, cmd.Check = now.Checks[len(now.Checks)-1].Name, &check
	case ast.DropConstraint, ast.ValidateConstraint:
		if at := t.Check(cmd.Name); at < 0 || t.Checks[at].NoInherit {
			return nil
		}
	default:
		return nil
	}
	for _, heir := range snap.Heirs(t.ID) {
		heir = d.Txn.Changed().Snap.ByID(heir.ID).(*catalog.Table)
		if err := d.one(ctx, heir, cmd); err != nil {
			return err
		}
	}
	return nil
}

// one does to one heir what was done to a parent.
func (d heirs) one(ctx context.Context, t *catalog.Table, cmd ast.AlterCommand) error {
	switch cmd.Kind {
	case ast.AddColumn:
		if at := t.Column(cmd.Name); at >= 0 && !t.Columns[at].Hidden {
			return d.mergeColumn(t, at, cmd)
		}
	case ast.AddCheck:
		if at := t.Check(cmd.Check.Name); at >= 0 {
			if err := d.alteration(ctx, t).Merges(at, *cmd.Check); err != nil {
				return err
			}
			return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"merging constraint %q with inherited definition", cmd.Check.Name))
		}
	case ast.DropConstraint:
		at := t.Check(cmd.Name)
		if at < 0 || lineage.OfCheck(d.Txn.Changed().Snap, t, cmd.Name) > 0 ||
			t.Inherits.DeclaresCheck(t.Checks[at].ID) {
			return nil
		}
	}
	return d.alterWithPartitions(ctx, t, cmd, false)
}

// mergeColumn makes a column that an heir has one that a parent has been given.
func (d heirs) mergeColumn(t *catalog.Table, at int, cmd ast.AlterCommand) error {
	for _, parent := range lineage.Parents(d.Txn.Changed().Snap, t) {
		if i := parent.Column(cmd.Name); i >= 0 && !parent.Columns[i].Type.Same(t.Columns[at].Type) {
			return sqlerr.New(sqlerr.DatatypeMismatch, "child table %q has different type for column %q", t.Name,
				cmd.Name)
		}
	}
	return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "merging definition of column %q for child %q", cmd.Name,
		t.Name))
}

// declare notes of the heirs of a table which of them have what a command is to give the table as their own.
func (d heirs) declare(ctx context.Context, t *catalog.Table, cmd ast.AlterCommand) error {
	snap := d.Txn.Changed().Snap
	for _, heir := range snap.Lineage(t)[1:] {
		next := *heir
		next.Version++
		switch cmd.Kind {
		case ast.AddColumn:
			at := heir.Column(cmd.Name)
			if at < 0 || t.Column(cmd.Name) >= 0 || lineage.OfColumn(snap, heir, cmd.Name) > 0 {
				continue
			}
			next.Inherits = heir.Inherits.WithColumn(heir.Columns[at].ID)
		case ast.AddCheck:
			at := heir.Check(cmd.Check.Name)
			if at < 0 || t.Check(cmd.Check.Name) >= 0 || lineage.OfCheck(snap, heir, cmd.Check.Name) > 0 {
				continue
			}
			next.Inherits = heir.Inherits.WithCheck(heir.Checks[at].ID)
		default:
			return nil
		}
		if err := d.Txn.Alone(ctx, heir); err != nil {
			return err
		}
		if err := d.Txn.Put(ctx, &next); err != nil {
			return err
		}
	}
	return nil
}

// refuse refuses what would make an heir unlike its parents, and what ONLY forbids of a parent.
func (d heirs) refuse(t *catalog.Table, cmd ast.AlterCommand, only bool) error {
	snap := d.Txn.Changed().Snap
	if t.PartitionOf != nil || t.Partitioning != nil {
		return nil
	}
	inherited := lineage.OfColumn(snap, t, cmd.Name) > 0
	refused := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidTableDefinition, format, args...)
	}
	switch {
	case cmd.Kind == ast.DropColumn && inherited:
		return refused("cannot drop inherited column %q", cmd.Name)
	case cmd.Kind == ast.SetType && inherited:
		return refused("cannot alter inherited column %q", cmd.Name)
	case cmd.Kind == ast.DropConstraint && lineage.OfCheck(snap, t, cmd.Name) > 0:
		return refused("cannot drop inherited constraint %q of relation %q", cmd.Name, t.Name)
	case cmd.Kind == ast.DropExpression && inherited:
		return refused("cannot drop generation expression from inherited column")
	case len(snap.Heirs(t.ID)) == 0:
		return nil
	case cmd.Kind == ast.AddColumn && cmd.Column.Identity != "":
		return identityOfHeirs()
	case !only && cmd.Kind == ast.SetType:
		return d.ofOthers(t, cmd.Name)
	case !only:
		return nil
	case cmd.Kind == ast.DropExpression:
		return sqlerr.New(sqlerr.FeatureNotSupported, dropExpressionOnly)
	case cmd.Kind == ast.AddColumn:
		return refused("column must be added to child tables too")
	case cmd.Kind == ast.AddCheck && !cmd.Check.NoInherit:
		return refused("constraint must be added to child tables too")
	case cmd.Kind == ast.SetType:
		return refused("type of inherited column %q must be changed in child tables too", cmd.Name)
	case cmd.Kind == ast.ValidateConstraint && t.Check(cmd.Name) >= 0 && !t.Checks[t.Check(cmd.Name)].NoInherit:
		return refused("constraint must be validated on child tables too")
	}
	return nil
}

// dropExpressionOnly is the error about a column that would be generated in the tables that inherit it only.
const dropExpressionOnly = "ALTER TABLE / DROP EXPRESSION must be applied to child tables too"

// identityOfHeirs is the error about a new identity column that the tables below would have, too.
func identityOfHeirs() error {
	return sqlerr.New(sqlerr.InvalidTableDefinition,
		"cannot recursively add identity column to table that has child tables")
}

// ofOthers refuses to change a column that an heir has from other tables, too.
func (d heirs) ofOthers(t *catalog.Table, column string) error {
	snap := d.Txn.Changed().Snap
	all := snap.Lineage(t)
	for _, heir := range all[1:] {
		for _, parent := range lineage.Parents(snap, heir) {
			if parent.Column(column) >= 0 && !slices.Contains(all, parent) {
				return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot alter inherited column %q of relation %q",
					column, heir.Name)
			}
		}
	}
	return nil
}

// changeParent runs INHERIT and NO INHERIT.
func (heirs) changeParent(a *alteration, cmd ast.AlterCommand) error {
	switch {
	case a.Table.Partitioning != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change inheritance of partitioned table")
	case a.Table.PartitionOf != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change inheritance of a partition")
	case a.Table.OfType != 0:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change inheritance of typed table")
	}
	parent, err := a.Builder.Table(cmd.Parent)
	if err != nil {
		return err
	}
	next := *a.Table
	next.Version++
	switch {
	case cmd.Kind == ast.DropParent && !a.Table.Inherits.Has(parent.ID):
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q is not a parent of relation %q", parent.Name,
			a.Table.Name)
	case cmd.Kind == ast.DropParent:
		next.Inherits = a.Table.Inherits.Without(parent.ID)
		return a.keep(&next, nil)
	}
	return a.keep(a.Inherit(cmd.Parent))
}

// ownCheck makes a check that the table has from others its own, too.
func (heirs) ownCheck(a *alteration, at int, check ast.Check) error {
	if err := a.Merges(at, check); err != nil {
		return err
	}
	if err := a.d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "merging constraint %q with inherited definition",
		check.Name)); err != nil {
		return err
	}
	next := *a.Table
	next.Version++
	next.Inherits = a.Table.Inherits.WithCheck(a.Table.Checks[at].ID)
	return a.keep(&next, nil)
}
