package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// createDomain makes a domain.
func (d userTypes) createDomain(ctx context.Context, tree *ast.CreateDomain) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, err := d.newName(ctx, tree.Name)
	if err != nil {
		return err
	}
	t, err := define.Domain(d.Builder(ctx, change.Snap), tree)
	if err != nil {
		return err
	}
	t.Schema = schema
	t.Rights = privilege.New(change.Snap, t, d.Role)
	if t.ID, err = d.newID(ctx); err != nil {
		return err
	}
	return d.Txn.Put(ctx, t)
}

// newID is the number of a new type.
func (d userTypes) newID(ctx context.Context) (uint32, error) {
	id, err := d.NextID(ctx)()
	if err == nil && id >= types.MaxNumber {
		err = sqlerr.New(sqlerr.ProgramLimitExceeded, "there have been too many objects for another type")
	}
	return uint32(id), err
}

// OwnDomain finds a domain that the present role must own.
func OwnDomain(d *Definer, snap *catalog.Snapshot, n ast.Name) (*catalog.Type, error) {
	return userTypes{d}.own(snap, ast.DomainObject, n)
}

// toGrant finds a type whose rights a statement changes.
func (d userTypes) toGrant(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (*catalog.Type, error) {
	t, err := d.Planner(snap).UserType(n)
	if err == nil {
		err = t.Usable(bind.Dotted(n))
	}
	if err == nil && kind == ast.DomainObject && t.Domain == nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a domain", n.Name)
	}
	return t, err
}

// NoDomainConstraint is the error about a constraint that a domain has not.
func NoDomainConstraint(domain, constraint string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" of domain \"%s\" does not exist", constraint, domain)
}

// constraint finds a constraint of a domain that the present role owns.
func (d userTypes) constraint(n ast.Name, constraint string) (*catalog.Type, int, error) {
	t, err := d.own(d.Txn.Changed().Snap, ast.DomainObject, n)
	if err != nil {
		return nil, -1, err
	}
	at := t.Domain.Check(constraint)
	if at < 0 {
		return nil, -1, sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" for domain %s does not exist", constraint,
			bind.Dotted(n))
	}
	return t, at, nil
}

func (d userTypes) renameConstraint(ctx context.Context, tree *ast.Rename) error {
	t, at, err := d.constraint(tree.Name, tree.Old)
	switch {
	case err != nil:
		return err
	case t.Domain.Check(tree.New) >= 0:
		return sqlerr.New(sqlerr.DuplicateObject, "constraint \"%s\" for domain %s already exists", tree.New,
			bind.Dotted(tree.Name))
	}
	return d.Txn.Put(ctx, t.WithDomain(func(o *catalog.Domain) { o.Checks[at].Name = tree.New }))
}

func (d userTypes) commentConstraint(ctx context.Context, tree *ast.Comment, text string) error {
	t, at, err := d.constraint(tree.Name, tree.Column)
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, t.WithDomain(func(o *catalog.Domain) { o.Checks[at].Comment = text }))
}
