package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/policy"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// policies runs the statements about policies of row security.
type policies struct{ *Definer }

// put runs CREATE POLICY and ALTER POLICY.
func (d policies) put(ctx context.Context, tree *ast.Policy) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	t, err := d.secured(ctx, snap, tree.Table)
	if err != nil {
		return err
	}
	old := t.Policy(tree.Name)
	switch {
	case tree.Alter && old == nil:
		return noPolicy(tree.Name, t)
	case !tree.Alter && old != nil:
		return policyExists(tree.Name, t)
	}
	var p catalog.Policy
	if tree.Alter {
		p = *old
	}
	if !tree.Alter || tree.Roles != nil {
		if p.Roles, err = d.roles(snap, tree.Roles); err != nil {
			return err
		}
	}
	if err := define.Policy(d.Builder(ctx, snap), &p, t, tree); err != nil {
		return err
	}
	return d.Txn.Put(ctx, policy.Put(t, p))
}

// secured finds the table that a policy is of, which the present role must own, and no other statement uses.
func (d policies) secured(ctx context.Context, snap *catalog.Snapshot, n ast.Name) (*catalog.Table, error) {
	r, err := d.changeable(snap, n)
	if err != nil {
		return nil, err
	}
	if err := d.MustOwnRelation(snap, r); err != nil {
		return nil, err
	}
	t, ok := r.(*catalog.Table)
	if !ok || t.Foreign != nil || t.Materialized != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", r.Ref().Name)
	}
	return t, d.Txn.Alone(ctx, t)
}

// relation finds the table of a policy for statements that name the policy as an object.
func (d policies) relation(ctx context.Context, n ast.Name) (*catalog.Table, error) {
	t, err := d.secured(ctx, d.Txn.Changed().Snap, n)
	if sqlerr.Has(err, sqlerr.InsufficientPrivilege) {
		err = statement.Denied("must be owner of relation %s", n.Name)
	}
	return t, err
}

// roles are those that a policy is for.
func (d policies) roles(snap *catalog.Snapshot, names []ast.RoleName) (out []uint32, err error) {
	for _, n := range names {
		if n.Kind == ast.PublicRole {
			if len(names) > 1 {
				err = d.Notice(sqlerr.Warn(sqlerr.InvalidParameterValue, "ignoring specified roles other than PUBLIC").
					WithHint("All roles are members of the PUBLIC role."))
			}
			return []uint32{catalog.Public}, err
		}
		r, err := d.RoleOf(snap, n)
		if err != nil {
			return nil, err
		}
		out = append(out, r.ID)
	}
	return out, nil
}

// drop runs DROP POLICY.
func (d policies) drop(ctx context.Context, tree *ast.DropPolicy) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	if skip, err := d.Skips(tree.IfExists, tree.Table); skip || err != nil {
		return err
	}
	t, err := d.relation(ctx, tree.Table)
	if err != nil {
		return err
	}
	p := t.Policy(tree.Name)
	if p == nil {
		if tree.IfExists {
			return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"policy %q for relation %q does not exist, skipping", tree.Name, t.Name))
		}
		return noPolicy(tree.Name, t)
	}
	return d.Txn.Put(ctx, policy.Without(t, p.ID))
}

// rename runs ALTER POLICY ... RENAME TO.
func (d policies) rename(ctx context.Context, tree *ast.Rename) error {
	if skip, err := d.Skips(tree.IfExists, tree.Name); skip || err != nil {
		return err
	}
	t, err := d.secured(ctx, d.Txn.Changed().Snap, tree.Name)
	if err != nil {
		return err
	}
	p := t.Policy(tree.Old)
	switch {
	case t.Policy(tree.New) != nil:
		return policyExists(tree.New, t)
	case p == nil:
		return noPolicy(tree.Old, t)
	}
	renamed := *p
	renamed.Name = tree.New
	return d.Txn.Put(ctx, policy.Put(t, renamed))
}

// comment runs COMMENT ON POLICY.
func (d policies) comment(ctx context.Context, tree *ast.Comment, text string) error {
	t, err := d.relation(ctx, tree.Name)
	if err != nil {
		return err
	}
	p := t.Policy(tree.Column)
	if p == nil {
		return noPolicy(tree.Column, t)
	}
	commented := *p
	commented.Comment = text
	return d.Txn.Put(ctx, policy.Put(t, commented))
}

// policiesFor are the policies of an object that name a role.
func policiesFor(o catalog.Owned, role uint32) (out []catalog.Policy) {
	if t, ok := o.(*catalog.Table); ok {
		for _, p := range t.Policies {
			if slices.Contains(p.Roles, role) {
				out = append(out, p)
			}
		}
	}
	return out
}

// forget takes a role out of the policies of an object. One that is for no other role goes.
func (d policies) forget(ctx context.Context, o catalog.Owned, role uint32) error {
	for _, p := range policiesFor(o, role) {
		t := d.Txn.Changed().Snap.ByID(o.(*catalog.Table).ID).(*catalog.Table)
		if err := d.Txn.Alone(ctx, t); err != nil {
			return err
		}
		p.Roles = slices.DeleteFunc(slices.Clone(p.Roles), func(id uint32) bool { return id == role })
		without := policy.Without(t, p.ID)
		if len(p.Roles) > 0 {
			without = policy.Put(t, p)
		}
		if err := d.Txn.Put(ctx, without); err != nil {
			return err
		}
	}
	return nil
}

func noPolicy(name string, t *catalog.Table) error {
	return sqlerr.New(sqlerr.UndefinedObject, "policy %q for table %q does not exist", name, t.Name)
}

func policyExists(name string, t *catalog.Table) error {
	return sqlerr.New(sqlerr.DuplicateObject, "policy %q for table %q already exists", name, t.Name)
}

// policiesLost are the policies of tables that would not mean the same if a table were another one, or gone.
func (d *drop) policiesLost(table uint32, instead *catalog.Table) (out []dependent) {
	for _, t := range d.snap.Tables() {
		for i := range t.Policies {
			p := &t.Policies[i]
			if t.ID == table && instead == nil || !d.lost(t, p, table, instead) {
				continue
			}
			out = append(out, dependent{Target: Target{Object: t, Policy: p.ID}})
		}
	}
	return out
}

// lost says whether a policy would not mean the same.
func (d *drop) lost(of *catalog.Table, p *catalog.Policy, table uint32, instead *catalog.Table) bool {
	for _, text := range []*catalog.StoredText{p.Using, p.Check} {
		if text == nil || !slices.ContainsFunc(text.Uses, func(u catalog.Use) bool { return u.ID == table }) {
			continue
		}
		if instead == nil || !d.of.Planner(d.snap).PolicyValid(of, text, instead) {
			return true
		}
	}
	return false
}
