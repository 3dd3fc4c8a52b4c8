package table

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/catalog/reference"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/referential"
	"zproxy/sqlerr"
	"zproxy/types"
)

// foreignKeys knows the foreign keys of tables that are made or emptied.
type foreignKeys struct{ *Definer }

// add adds the foreign keys of a table that was just made.
func (d foreignKeys) add(ctx context.Context, t *catalog.Table, list []ast.ForeignKey) error {
	for i := range list {
		snap := d.Txn.Changed().Snap
		a := &alteration{Alter: &define.Alter{Builder: d.Builder(ctx, snap), Table: snap.ByID(t.ID).(*catalog.Table)},
			d: d.Definer, ctx: ctx}
		if err := a.addForeignKey(&list[i], true); err != nil {
			return err
		}
	}
	return nil
}

// addForeignKey adds a foreign key, which the rows that are there must meet, unless the table is new and has none.
func (a *alteration) addForeignKey(k *ast.ForeignKey, fresh bool) error {
	parent, err := a.referred(k)
	if err != nil {
		return err
	}
	child, to, err := a.AddForeignKey(k, parent)
	if err != nil {
		return err
	}
	if err := mayRefer(a, child.ForeignKeys.Last(), parent); err != nil {
		return err
	}
	if key := child.ForeignKeys.Last(); !fresh && !key.NotValid {
		if err := a.validate(key, child, to); err != nil {
			return err
		}
	}
	if err := unchecked(a.d, child, child.ForeignKeys.Last().Name, k.Validity); err != nil {
		return err
	}
	if child == to {
		return a.d.Txn.Put(a.ctx, child)
	}
	if err := a.d.Txn.Alone(a.ctx, parent); err != nil {
		return err
	}
	return a.d.Txn.Put(a.ctx, child, to)
}

// referred is the table that a foreign key refers to.
func (a *alteration) referred(k *ast.ForeignKey) (*catalog.Table, error) {
	name := k.Table
	name.Pos = -1
	r, err := a.Relation(name)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", bind.Dotted(name))
	case *catalog.Table:
		return r, nil
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "referenced relation %q is not a table", name.Name)
	}
}

// mayRefer wants the present role to be allowed to refer to a table, or to the columns of it that a key refers to.
func mayRefer(a *alteration, k *reference.Key, to *catalog.Table) error {
	snap := a.d.Txn.Changed().Snap
	for _, id := range k.Refers {
		if have, _ := privilege.OnColumn(snap, a.d.Role, to, int16(id)); have&catalog.MayReference == 0 {
			return a.d.MustHold(snap, to, catalog.MayReference)
		}
	}
	return nil
}

// validate wants the rows of a table to meet a foreign key.
func (a *alteration) validate(k *reference.Key, child, parent *catalog.Table) error {
	for _, t := range []*catalog.Table{child, parent} {
		for _, leaf := range a.d.Txn.Changed().Snap.Leaves(t) {
			if _, err := a.d.Txn.RowsOf(a.ctx, leaf); err != nil {
				return err
			}
		}
	}
	r, err := referential.New(a.Stored(), k, child, parent)
	if err != nil {
		return err
	}
	rows, err := a.d.Query(a.ctx, referential.Orphans(&r))
	if err != nil || len(rows) == 0 {
		return err
	}
	e := referential.Unmet(child, k.Name)
	if slices.ContainsFunc(rows[0], types.Value.IsNull) {
		return e.WithDetail(referential.MixedNulls)
	}
	names, values := keyTexts(child, r.Own, rows[0], a.d.Env)
	return e.WithDetail("Key (%s)=(%s) is not present in table %q.", strings.Join(names, ", "),
		strings.Join(values, ", "), parent.Name)
}

// keyTexts are the names of columns, and the texts of their values in a key.
func keyTexts(t *catalog.Table, ordinals []int, key types.Row, env *types.Env) (names, values []string) {
	for i, at := range ordinals {
		names = append(names, t.Columns[at].Name)
		values = append(values, types.FormatText(key[i], t.Columns[at].Type, env))
	}
	return names, values
}

// constraintKey finds a foreign key of the table by name. Other constraints are of kinds that a command is not for.
func (a *alteration) constraintKey(name, refusal string) (*reference.Key, error) {
	if k := a.Table.ForeignKeys.Find(name); k != nil {
		return k, nil
	}
	if a.Table.HasConstraint(name) {
		return nil, sqlerr.New(sqlerr.WrongObjectType, refusal, name, a.Table.Name)
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint %q of relation %q does not exist", name, a.Table.Name)
}

// validateConstraint runs VALIDATE CONSTRAINT.
func (a *alteration) validateConstraint(name string) error {
	if a.Table.Check(name) >= 0 {
		return a.validateCheck(name)
	}
	k, err := a.constraintKey(name, "constraint %q of relation %q is not a foreign key or check constraint")
	switch {
	case err != nil:
		return err
	case k.NotEnforced || !k.NotValid:
		return mayValidate(k.Validity)
	}
	parent, _ := a.Catalog.ByID(k.Table).(*catalog.Table)
	if err := a.validate(k, a.Table, parent); err != nil {
		return err
	}
	return a.keep(a.WithForeignKey(k, func(k *reference.Key) { k.NotValid = false }), nil)
}

// alterConstraint runs ALTER CONSTRAINT, which says when a foreign key is checked.
func (a *alteration) alterConstraint(cmd ast.AlterCommand) error {
	k, err := a.constraintKey(cmd.Name, "constraint %q of relation %q is not a foreign key constraint")
	if err != nil {
		return err
	}
	return a.keep(a.WithForeignKey(k, func(k *reference.Key) {
		k.Timing = cmd.ForeignKey.Timing
	}), nil)
}

// refersStill wants foreign keys over a column that gets another type to go on to be possible, and rows to meet them.
func (a *alteration) refersStill(column uint32) error {
	snap := a.d.Txn.Changed().Snap
	t := snap.ByID(a.Table.ID).(*catalog.Table)
	check := func(child, parent *catalog.Table, k *reference.Key) error {
		if err := define.Comparable(k, child, parent); err != nil || k.NotValid {
			return err
		}
		return a.validate(k, child, parent)
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		parent, _ := snap.ByID(k.Table).(*catalog.Table)
		if parent == nil || !k.Uses(column) {
			continue
		}
		if err := check(t, parent, k); err != nil {
			return err
		}
	}
	for _, id := range t.Referrers {
		child, _ := snap.ByID(id).(*catalog.Table)
		if child == nil || child.ID == t.ID {
			continue
		}
		for _, k := range child.ForeignKeys.To(t.ID) {
			if !refersTo(&k, column) {
				continue
			}
			if err := check(child, t, &k); err != nil {
				return err
			}
		}
	}
	return nil
}

func refersTo(k *reference.Key, column uint32) bool {
	return slices.Contains(k.Refers, column)
}

// truncated are tables that are to be emptied, with those that refer to them where CASCADE says so.
func (d foreignKeys) truncated(tables []*catalog.Table, cascade bool) ([]*catalog.Table, error) {
	snap := d.Txn.Changed().Snap
	listed := map[uint32]bool{}
	for _, t := range tables {
		listed[t.ID] = true
	}
	for i := 0; i < len(tables); i++ {
		t := tables[i]
		for _, id := range d.referrers(t) {
			child, _ := snap.ByID(id).(*catalog.Table)
			switch {
			case child == nil || listed[id] || !refersEnforced(snap, child, t):
				continue
			case !cascade:
				return nil, sqlerr.New(sqlerr.FeatureNotSupported,
					"cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table %q references %q.", child.Name, t.Name).
					WithHint("Truncate table %q at the same time, or use TRUNCATE ... CASCADE.", child.Name)
			}
			if err := d.MustHold(snap, child, catalog.MayTruncate); err != nil {
				return nil, err
			}
			if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "truncate cascades to table %q",
				child.Name)); err != nil {
				return nil, err
			}
			listed[id], tables = true, append(tables, child)
		}
	}
	return tables, nil
}

// refersEnforced says whether a table has a key that is checked, and refers to another one or to one that this is a
// partition of.
func refersEnforced(snap *catalog.Snapshot, child, to *catalog.Table) bool {
	return slices.ContainsFunc(catalog.WithParents(snap, to), func(of *catalog.Table) bool {
		return len(child.ForeignKeys.To(of.ID).Enforced()) > 0
	})
}

// referrers are the tables that refer to a table, or to one that it is a partition of.
func (d foreignKeys) referrers(t *catalog.Table) (out []uint32) {
	for _, of := range catalog.WithParents(d.Txn.Changed().Snap, t) {
		out = append(out, of.Referrers...)
	}
	return out
}

// dropForeignKey drops a foreign key by name.
func (a *alteration) dropForeignKey(k *reference.Key) error {
	return a.d.Drop(a.ctx, []ddl.Target{{Object: a.Table, ForeignKey: k.ID}}, true)
}
