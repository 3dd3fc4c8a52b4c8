package table

import (
	"context"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/sqlerr"
)

// A foreign key of a partitioned table, or one that refers to it, is kept with the table alone: writes of partitions
// find it there.

// aboutForeignKeys says whether a command is about foreign keys, so that nothing is to be done to partitions.
func aboutForeignKeys(kind ast.AlterKind) bool {
	switch kind {
	case ast.AddForeignKey, ast.ValidateConstraint, ast.AlterConstraint, ast.EnforceConstraint, ast.SwitchTriggers:
		return true
	}
	return false
}

// attached wants the rows of a new partition to meet the foreign keys of its parent.
func (d foreignKeys) attached(ctx context.Context, parent, p *catalog.Table) error {
	snap := d.Txn.Changed().Snap
	a := &alteration{Alter: &define.Alter{Builder: d.Builder(ctx, snap), Table: p}, d: d.Definer, ctx: ctx}
	for i := range parent.ForeignKeys {
		k := &parent.ForeignKeys[i]
		to, _ := snap.ByID(k.Table).(*catalog.Table)
		if to == nil || k.NotValid {
			continue
		}
		if err := a.validate(k, p, to); err != nil {
			return err
		}
	}
	return nil
}

// detached wants no row to refer to rows of a partition that leaves its parent.
func (d foreignKeys) detached(ctx context.Context, parent, p *catalog.Table) error {
	snap := d.Txn.Changed().Snap
	stored := d.Planner(snap).Stored()
	for _, id := range parent.Referrers {
		child, _ := snap.ByID(id).(*catalog.Table)
		if child == nil {
			continue
		}
		// A transaction that has found keys in the partition must not commit rows that refer to them.
		next := *child
		next.Version++
		if err := d.Txn.Put(ctx, &next); err != nil {
			return err
		}
		for _, k := range child.ForeignKeys.To(parent.ID).Enforced() {
			r, err := referential.New(stored, &k, child, p)
			if err == nil {
				err = d.unreferred(ctx, &r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// unreferred wants no row to refer to rows of a partition, which stands for the parent.
func (d foreignKeys) unreferred(ctx context.Context, r *plan.Reference) error {
	rows, err := d.Query(ctx, referential.References(r))
	if err != nil || len(rows) == 0 {
		return err
	}
	e := sqlerr.New(sqlerr.ForeignKeyViolation, "removing partition %q violates foreign key constraint %q",
		r.Parent.Name, r.Key.Name)
	e.Schema, e.Table, e.Constraint = r.Child.Schema, r.Child.Name, r.Key.Name
	names, values := keyTexts(r.Child, r.Own, rows[0], d.Env)
	return e.WithDetail("Key (%s)=(%s) is still referenced from table %q.", strings.Join(names, ", "),
		strings.Join(values, ", "), r.Child.Name)
}
