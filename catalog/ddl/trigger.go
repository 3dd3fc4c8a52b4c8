package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Triggers runs the statements about triggers.
type Triggers struct{ *Definer }

func (d Triggers) create(ctx context.Context, tree *ast.CreateTrigger) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	on, err := d.changeable(change.Snap, tree.Table)
	if err != nil {
		return err
	}
	if err := define.MayHaveTriggers(tree, on); err != nil {
		return err
	}
	from, err := d.from(change.Snap, tree)
	if err != nil {
		return err
	}
	if err := d.MustHold(change.Snap, on.(catalog.Owned), catalog.MayTrigger); err != nil {
		return err
	}
	t, err := define.Trigger(d.Builder(ctx, change.Snap), tree, on)
	if err != nil {
		return err
	}
	t.From = from
	if t.Function, err = d.function(change.Snap, tree.Function); err != nil {
		return err
	}
	if err := d.numbered(ctx, tree, on, t); err != nil {
		return err
	}
	return d.keep(ctx, on, *t)
}

// from is the table of FROM, 0 if there is none.
func (d Triggers) from(snap *catalog.Snapshot, tree *ast.CreateTrigger) (uint32, error) {
	if tree.From == nil {
		return 0, nil
	}
	r, err := d.changeable(snap, *tree.From)
	if err != nil {
		return 0, err
	}
	return r.Ref().ID, nil
}

// function finds the function of a trigger.
func (d Triggers) function(snap *catalog.Snapshot, n ast.Name) (uint32, error) {
	path := d.Path(snap)
	if schema := meantSchema(d.Definer, n.Schema); schema != "" {
		if snap.Schema(schema) == nil {
			return 0, noSchema(n.Schema)
		}
		path = []string{schema}
	}
	for _, schema := range path {
		if f := snap.Function(schema, n.Name, nil); f != nil {
			if err := d.MustHold(snap, f, catalog.MayExecute); err != nil {
				return 0, err
			}
			return f.ID, returnsTrigger(n, f.Result.OID)
		}
		for _, p := range builtin.ProcsNamed(schema, n.Name) {
			if len(p.Args) == 0 {
				return p.OID, returnsTrigger(n, p.Result)
			}
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedFunction, "function %s() does not exist", bind.Dotted(n))
}

func returnsTrigger(n ast.Name, result types.OID) error {
	if define.IsTriggerFunction(result) {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "function %s must return type %s", bind.Dotted(n), "trigger")
}

// numbered gives a trigger its number, and that of its constraint: those of the one that it replaces.
func (d Triggers) numbered(ctx context.Context, tree *ast.CreateTrigger, on catalog.Relation,
	t *catalog.Trigger) error {
	fail := func(format string) error {
		return sqlerr.New(sqlerr.DuplicateObject, format, tree.Name, on.Ref().Name)
	}
	list := catalog.TriggersOf(on)
	at := slices.IndexFunc(list, func(x catalog.Trigger) bool { return x.Name == tree.Name })
	next := d.NextID(ctx)
	switch {
	case at < 0:
		id, err := next()
		if err != nil {
			return err
		}
		t.ID = uint32(id)
	case !tree.Replace:
		return fail("trigger %q for relation %q already exists")
	case list[at].Parent != 0:
		return fail("trigger %q for relation %q is an internal or a child trigger")
	case list[at].IsConstraint():
		return fail("trigger %q for relation %q is a constraint trigger")
	default:
		t.ID = list[at].ID
	}
	if !tree.Constraint {
		return nil
	}
	if r, ok := on.(*catalog.Table); ok && r.HasConstraint(tree.Name) {
		return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", tree.Name, r.Name)
	}
	id, err := next()
	t.ConstraintID = uint32(id)
	return err
}

// keep keeps a trigger with its relation, and its copies with the partitions of that.
func (d Triggers) keep(ctx context.Context, on catalog.Relation, t catalog.Trigger) error {
	if err := d.put(ctx, on, func(list catalog.Triggers) catalog.Triggers { return list.WithTrigger(t) }); err != nil {
		return err
	}
	table, ok := on.(*catalog.Table)
	if !ok || !t.Row {
		return nil
	}
	return d.Below(ctx, table.ID, []catalog.Trigger{t})
}

// Below gives the partitions of a table, and those of these, copies of triggers of the table.
func (d Triggers) Below(ctx context.Context, table uint32, of []catalog.Trigger) error {
	for _, p := range d.Txn.Changed().Snap.Partitions(table) {
		list, err := d.copied(ctx, of, p)
		if err == nil {
			err = d.put(ctx, p, func(catalog.Triggers) catalog.Triggers { return list })
		}
		if err == nil {
			err = d.Below(ctx, p.ID, copiesOf(of, list))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copiesOf are those of some triggers among the triggers of a partition.
func copiesOf(of []catalog.Trigger, list catalog.Triggers) (out []catalog.Trigger) {
	for _, t := range of {
		out = append(out, *list.Trigger(t.Name))
	}
	return out
}

// put changes the triggers of a relation, which then is another version.
func (d Triggers) put(ctx context.Context, on catalog.Relation, change func(catalog.Triggers) catalog.Triggers) error {
	if t, ok := on.(*catalog.Table); ok {
		if err := d.Txn.Alone(ctx, t); err != nil {
			return err
		}
	}
	on = d.Txn.Changed().Snap.ByID(on.Ref().ID)
	return d.Txn.Put(ctx, catalog.WithTriggers(on, change(catalog.Triggers{Triggers: catalog.TriggersOf(on)})))
}

// For are the triggers of a partition, with the copies of those of its parent.
func (d Triggers) For(ctx context.Context, parent, p *catalog.Table) (catalog.Triggers, error) {
	var rows []catalog.Trigger
	for _, t := range parent.Triggers.Triggers {
		if t.Row {
			rows = append(rows, t)
		}
	}
	return d.copied(ctx, rows, p)
}

// copied are the triggers of a partition, with copies of some of its parent.
func (d Triggers) copied(ctx context.Context, of []catalog.Trigger, p *catalog.Table) (catalog.Triggers, error) {
	out := p.Triggers
	for _, t := range of {
		copied := t
		copied.Parent, copied.Comment = t.ID, ""
		old := p.Trigger(t.Name)
		switch {
		case old != nil && old.Parent == t.ID:
			copied.ID, copied.ConstraintID, copied.Enabled = old.ID, old.ConstraintID, old.Enabled
		case old != nil:
			return out, sqlerr.New(sqlerr.DuplicateObject, "trigger %q for relation %q already exists", t.Name, p.Name)
		default:
			id, err := d.NextID(ctx)()
			if err != nil {
				return out, err
			}
			copied.ID = uint32(id)
		}
		if t.IsConstraint() && copied.ConstraintID == t.ConstraintID {
			id, err := d.NextID(ctx)()
			if err != nil {
				return out, err
			}
			copied.ConstraintID = uint32(id)
		}
		out = out.WithTrigger(copied)
	}
	return out, nil
}

// named finds a trigger of a relation.
func (d Triggers) named(on catalog.Relation, name string) (*catalog.Trigger, error) {
	list := catalog.TriggersOf(on)
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "trigger %q for table %q does not exist", name, on.Ref().Name)
}

func (d Triggers) drop(ctx context.Context, tree *ast.Drop) error {
	name := tree.Names[0]
	on, err := relationOf(ctx, d.Definer, name, tree.IfExists)
	if err != nil || on == nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	t, err := d.named(on, tree.Part)
	if err != nil && tree.IfExists {
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"trigger %q for relation %q does not exist, skipping", tree.Part, bind.Dotted(name)))
	}
	if err == nil {
		err = d.MustOwnRelation(snap, on)
	}
	if err != nil {
		return err
	}
	target := Target{Object: on.(catalog.Object), Trigger: t.ID}
	if parent := parentOf(snap, on); t.Parent != 0 && parent != nil {
		of := d.Describe(snap, Target{Object: parent, Trigger: t.Parent})
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because %s requires it",
			d.Describe(snap, target), of).WithHint("You can drop %s instead.", of)
	}
	return d.Drop(ctx, []Target{target}, tree.Cascade)
}

// relationOf is the relation of a trigger or a rule that a statement drops. Nil and no error: it may be missing, and
// is.
func relationOf(ctx context.Context, d *Definer, name ast.Name, ifExists bool) (catalog.Relation, error) {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return nil, err
	}
	skip := func(format string, args ...any) error {
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, format+", skipping", args...))
	}
	if ifExists {
		if name.Schema != "" && change.Snap.Schema(name.Schema) == nil {
			return nil, skip("schema %q does not exist", name.Schema)
		}
		if r, err := d.Planner(change.Snap).Relation(name); err == nil && r == nil {
			return nil, skip("relation %q does not exist", bind.Dotted(name))
		}
	}
	return d.changeable(change.Snap, name)
}

// parentOf is the table of which a relation is a partition, nil if it is none.
func parentOf(snap *catalog.Snapshot, r catalog.Relation) *catalog.Table {
	t, ok := r.(*catalog.Table)
	if !ok || t.PartitionOf == nil {
		return nil
	}
	parent, _ := snap.ByID(t.PartitionOf.Parent).(*catalog.Table)
	return parent
}

// dropOne drops a trigger, and its copies.
func (d Triggers) dropOne(ctx context.Context, on catalog.Relation, id uint32) error {
	without := func(list catalog.Triggers) catalog.Triggers { return list.WithoutTrigger(id) }
	if err := d.put(ctx, on, without); err != nil {
		return err
	}
	return d.eachCopy(on, id, func(p *catalog.Table, copied uint32) error { return d.dropOne(ctx, p, copied) })
}

// eachCopy does something with the copies of a trigger that the partitions of its relation have.
func (d Triggers) eachCopy(on catalog.Relation, id uint32, do func(p *catalog.Table, copied uint32) error) error {
	for _, p := range d.Txn.Changed().Snap.Partitions(on.Ref().ID) {
		for _, t := range p.Triggers.Triggers {
			if t.Parent != id {
				continue
			}
			if err := do(p, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d Triggers) rename(ctx context.Context, on catalog.Relation, from, to string) error {
	t, err := d.named(on, from)
	if err != nil {
		return err
	}
	if t.Parent != 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot rename trigger %q on table %q", from, on.Ref().Name).
			WithHint("Rename the trigger on the partitioned table %q instead.",
				parentOf(d.Txn.Changed().Snap, on).Name)
	}
	if _, err := d.named(on, to); err == nil {
		return sqlerr.New(sqlerr.DuplicateObject, "trigger %q for relation %q already exists", to, on.Ref().Name)
	}
	return d.change(ctx, on, t.ID, func(t *catalog.Trigger) { t.Name = to })
}

// change changes a trigger and its copies.
func (d Triggers) change(ctx context.Context, on catalog.Relation, id uint32, change func(*catalog.Trigger)) error {
	err := d.put(ctx, on, func(list catalog.Triggers) catalog.Triggers {
		t := *list.TriggerByID(id)
		change(&t)
		return list.WithTrigger(t)
	})
	if err != nil {
		return err
	}
	return d.eachCopy(on, id, func(p *catalog.Table, copied uint32) error { return d.change(ctx, p, copied, change) })
}

func (d Triggers) comment(ctx context.Context, on catalog.Relation, name, text string) error {
	t, err := d.named(on, name)
	if err != nil {
		return err
	}
	return d.put(ctx, on, func(list catalog.Triggers) catalog.Triggers {
		c := *t
		c.Comment = text
		return list.WithTrigger(c)
	})
}

// Switch enables or disables triggers of a table, and their copies if it is asked for.
func (d Triggers) Switch(ctx context.Context, t *catalog.Table, of func(*catalog.Trigger) bool, to trigger.Enabled,
	only bool) error {
	for i := range t.Triggers.Triggers {
		one := t.Triggers.Triggers[i]
		if !of(&one) {
			continue
		}
		set := func(x *catalog.Trigger) { x.Enabled = to }
		var err error
		if only {
			err = d.put(ctx, t, func(list catalog.Triggers) catalog.Triggers {
				set(&one)
				return list.WithTrigger(one)
			})
		} else {
			err = d.change(ctx, t, one.ID, set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownTriggers are the triggers of a relation, which go with it.
func (d *drop) ownTriggers(r catalog.Relation) []dependent {
	return d.triggersThat(r, true, func(*catalog.Trigger) bool { return true })
}

// triggersThat are those triggers of a relation that match.
func (d *drop) triggersThat(r catalog.Relation, own bool, match func(*catalog.Trigger) bool) (out []dependent) {
	list := catalog.TriggersOf(r)
	for i := range list {
		if match(&list[i]) {
			out = append(out, dependent{Target{Object: r.(catalog.Object), Trigger: list[i].ID},
				own || list[i].Parent != 0})
		}
	}
	return out
}

// running are the triggers that run a function.
func (d *drop) running(f *catalog.Function) (out []dependent) {
	runs := func(t *catalog.Trigger) bool { return t.Function == f.ID }
	for _, t := range d.snap.Tables() {
		out = append(out, d.triggersThat(t, false, runs)...)
	}
	for _, v := range d.snap.Views() {
		out = append(out, d.triggersThat(v, false, runs)...)
	}
	return out
}

// describeTrigger names a trigger, if a target is one.
func describeTrigger(d *Definer, snap *catalog.Snapshot, t Target) (string, bool) {
	r, ok := t.Object.(catalog.Relation)
	if !ok || t.Trigger == 0 {
		return "", false
	}
	for _, one := range catalog.TriggersOf(r) {
		if one.ID == t.Trigger {
			return "trigger " + expr.QuoteIdent(one.Name) + " on " + d.Describe(snap, Target{Object: t.Object}), true
		}
	}
	return "", false
}
