package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// comment runs COMMENT ON. No version changes: nothing is planned by comments.
func (d *Definer) comment(ctx context.Context, tree *ast.Comment) error {
	text := ""
	if tree.Text != nil {
		text = *tree.Text
	}
	if tree.Kind == ast.LargeObject {
		return largeObjects{d}.comment(ctx, tree.Name, text)
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	switch {
	case isPlain(tree.Kind):
		return plains{d}.comment(ctx, tree, text)
	case isSystem(tree.Kind):
		return systemObjects{d}.comment(ctx, tree, text)
	case tree.Routine != nil:
		return routines{d}.comment(ctx, tree, text)
	}
	switch tree.Kind {
	case ast.SchemaObject:
		schema, err := owners{d}.schemaNamed(change.Snap, tree.Name.Name)
		if err == nil {
			err = d.MustOwn(change.Snap, schema)
		}
		if err != nil {
			return err
		}
		c := *schema
		c.Comment = text
		return d.Txn.Put(ctx, &c)
	case ast.StatisticsObject:
		return statisticsObjects{d}.comment(ctx, tree.Name, text)
	case ast.ExtensionObject:
		return extensions{d}.comment(ctx, tree.Name.Name, text)
	case ast.TypeObject, ast.DomainObject:
		return userTypes{d}.comment(ctx, tree, text)
	case ast.DomainConstraintObject:
		return userTypes{d}.commentConstraint(ctx, tree, text)
	case ast.RoleObject:
		return roles{d}.commentRole(ctx, tree.Name.Name, text)
	case ast.PolicyObject:
		return policies{d}.comment(ctx, tree, text)
	case ast.DatabaseObject:
		return owners{d}.commentDatabase(ctx, tree.Name.Name, text)
	}
	return commentRelation(ctx, d, change.Snap, tree, text)
}

// commentRelation is comment on a relation, on a part of one, or on an attribute of a composite type.
func commentRelation(ctx context.Context, d *Definer, snap *catalog.Snapshot, tree *ast.Comment, text string) error {
	r, err := d.changeable(snap, tree.Name)
	if tree.Kind == ast.ColumnObject && sqlerr.Has(err, sqlerr.UndefinedTable) {
		return userTypes{d}.commentField(ctx, tree, text)
	}
	if err != nil {
		return err
	}
	if err := d.MustOwnRelation(snap, r); err != nil {
		if tree.Kind == ast.ColumnObject || tree.Kind == ast.ConstraintObject || tree.Kind == ast.TriggerObject {
			err = statement.Denied("must be owner of relation %s", r.Ref().Name)
		}
		return err
	}
	if tree.Kind == ast.TriggerObject {
		return Triggers{d}.comment(ctx, r, tree.Column, text)
	}
	o, err := commented(r, tree, text)
	if err == nil {
		err = d.Txn.WithoutChanges(ctx, r)
	}
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, o)
}

// commented is a relation with a comment on it, or on a part of it.
func commented(r catalog.Relation, tree *ast.Comment, text string) (catalog.Object, error) {
	switch tree.Kind {
	case ast.ColumnObject:
		return commentedColumn(r, tree, text)
	case ast.ConstraintObject:
		t, ok := r.(*catalog.Table)
		if !ok || !t.HasConstraint(tree.Column) {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", tree.Column,
				tree.Name.Name)
		}
		return commentedConstraint(t, tree.Column, text), nil
	}
	if ref := r.Ref(); ref.Kind != catalog.Kind(tree.Kind) {
		article := "a"
		if tree.Kind == ast.IndexObject {
			article = "an"
		}
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not %s %s", ref.Name, article, tree.Kind)
	}
	switch r := r.(type) {
	case *catalog.Table:
		c := *r
		c.Comment = text
		return &c, nil
	case *catalog.View:
		c := *r
		c.Comment = text
		return &c, nil
	case *catalog.Sequence:
		c := *r
		c.Comment = text
		return &c, nil
	case catalog.TableIndex:
		c := *r.Table
		if r.Index == nil {
			c.IndexComment = text
			return &c, nil
		}
		c.Indexes = slices.Clone(c.Indexes)
		c.Index(r.Index.Name).Comment = text
		return &c, nil
	}
	return nil, nil
}

func commentedColumn(r catalog.Relation, tree *ast.Comment, text string) (catalog.Object, error) {
	switch r := r.(type) {
	case *catalog.Table:
		if i := r.Column(tree.Column); i >= 0 && !r.Columns[i].Hidden {
			c := *r
			c.Columns = slices.Clone(r.Columns)
			c.Columns[i].Comment = text
			return &c, nil
		}
	case *catalog.View:
		if i := r.Column(tree.Column); i >= 0 {
			c := *r
			c.Columns = slices.Clone(r.Columns)
			c.Columns[i].Comment = text
			return &c, nil
		}
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot set comment on relation %q", r.Ref().Name)
	}
	return nil, noColumn(tree)
}

// noColumn is the error about a column that is not there, of a relation as the statement names it.
func noColumn(tree *ast.Comment) error {
	return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", tree.Column,
		bind.Dotted(tree.Name))
}

func commentedConstraint(t *catalog.Table, name, text string) *catalog.Table {
	c := *t
	c.Checks, c.Indexes = slices.Clone(t.Checks), slices.Clone(t.Indexes)
	switch i, k := t.Check(name), t.ForeignKeys.Find(name); {
	case i >= 0:
		c.Checks[i].Comment = text
	case k != nil:
		commented := *k
		commented.Comment = text
		c.ForeignKeys = t.ForeignKeys.With(commented)
	case t.PrimaryKey == name:
		c.KeyComment = text
	default:
		c.Index(name).ConstraintComment = text
	}
	return &c
}
