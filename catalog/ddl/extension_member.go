package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
)

// setMember runs ALTER ... [NO] DEPENDS ON EXTENSION.
func (d extensions) setMember(ctx context.Context, tree *ast.ExtensionMember) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	id, err := d.memberNamed(change.Snap, tree)
	if err != nil {
		return err
	}
	x, err := d.named(change.Snap, tree.Extension)
	if err != nil {
		return err
	}
	switch there := slices.Contains(x.Dependents, id); {
	case there && tree.Leaves:
		return d.put(ctx, x, func(c *catalog.Extension) {
			c.Dependents = slices.DeleteFunc(slices.Clone(x.Dependents), func(o uint32) bool { return o == id })
		})
	case !there && !tree.Leaves:
		return d.put(ctx, x, func(c *catalog.Extension) { c.Dependents = append(slices.Clip(x.Dependents), id) })
	}
	return nil
}

// memberNamed is the number of the object of a statement, which the present role must own.
func (d extensions) memberNamed(snap *catalog.Snapshot, tree *ast.ExtensionMember) (uint32, error) {
	if tree.Routine != nil {
		f, err := routines(d).own(tree.Kind, *tree.Routine)
		if err != nil {
			return 0, err
		}
		return f.ID, nil
	}
	r, err := d.changeable(snap, tree.Name)
	if err != nil {
		return 0, err
	}
	if tree.Kind == ast.TriggerObject {
		t, err := Triggers(d).named(r, tree.Trigger)
		if err != nil {
			return 0, err
		}
		if d.MustOwnRelation(snap, r) != nil {
			return 0, statement.Denied("must be owner of relation %s", r.Ref().Name)
		}
		return t.ID, nil
	}
	if err := OfKind(r, tree.Kind); err != nil {
		return 0, err
	}
	return r.Ref().ID, d.MustOwnRelation(snap, r)
}

// membersBy are the objects that go with an extension because statements said so.
func (d *drop) membersBy(x *catalog.Extension) (out []dependent) {
	if len(x.Dependents) == 0 {
		return nil
	}
	goes := func(id uint32, t Target) {
		if slices.Contains(x.Dependents, id) {
			out = append(out, dependent{t, true})
		}
	}
	for _, f := range d.snap.Functions() {
		goes(f.ID, Target{Object: f})
	}
	for _, t := range d.snap.Tables() {
		goes(t.ID, Target{Object: t})
		for _, i := range t.Indexes {
			goes(i.ID, Target{Object: t, Index: i.ID})
		}
	}
	for on, t := range catalog.AllTriggers(d.snap) {
		goes(t.ID, Target{Object: on.(catalog.Object), Trigger: t.ID})
	}
	return out
}
