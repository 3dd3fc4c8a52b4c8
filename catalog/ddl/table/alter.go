package table

import (
	"context"
	"errors"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/curve"
	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

// alterTable runs the commands of an ALTER TABLE, one after the other. Advice comes when all of them
// are done.
func (d *Definer) alterTable(ctx context.Context, tree *ast.AlterTable) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if skip, err := d.Skips(tree.IfExists, tree.Table); skip || err != nil {
		return err
	}
	r, err := altered(d, change.Snap, tree)
	if err != nil {
		return err
	}
	t, ok := r.(*catalog.Table)
	if !ok {
		return alterOther(ctx, d, r, tree)
	}
	if err := refuseCommands(d, tree, t, change.Snap); err != nil {
		return err
	}
	if cmd, ok := define.RelayCommand(tree.Commands); ok && t.PrimaryKey != "" && t.Foreign == nil {
		return d.relay(ctx, d.Builder(ctx, change.Snap), t, cmd)
	}
	before, there := t, columnsThere(t, tree.Commands)
	for _, cmd := range tree.Commands {
		if cmd.Column != nil && cmd.Kind != ast.AddColumn && slices.Contains(there, cmd.Column) {
			continue
		}
		t = change.Snap.ByID(t.ID).(*catalog.Table)
		if asScheduled(t, cmd) {
			continue
		}
		if err := (heirs{d}).declare(ctx, t, cmd); err != nil {
			return err
		}
		if err := d.alterWithPartitions(ctx, t, cmd, tree.Only); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(tree.Commands, func(cmd ast.AlterCommand) bool { return cmd.Kind == ast.SetOptions }) {
		if err := d.keepSchedule(ctx, change.Snap.ByID(t.ID).(*catalog.Table)); err != nil {
			return err
		}
	}
	for _, cmd := range tree.Commands {
		if cmd.Kind == ast.SetOptions {
			if err := d.warnOfExports(t, cmd.Options); err != nil {
				return err
			}
		}
	}
	if tree.Owner != nil {
		if err := d.Definer.Definer.Run(ctx, passed(tree, t.Ref())); err != nil {
			return err
		}
	}
	return d.AdviseChange(before, change.Snap.ByID(t.ID).(*catalog.Table))
}

// refuseCommands refuses what partitions, or tables that inherit, forbid.
func refuseCommands(d *Definer, tree *ast.AlterTable, t *catalog.Table, snap *catalog.Snapshot) error {
	for _, cmd := range tree.Commands {
		if err := refuseTyped(t, cmd); err != nil {
			return err
		}
		if err := refusePartitions(t, parentOf(snap, t), cmd); err != nil {
			return err
		}
		if err := d.refuseOnly(tree, t, cmd); err != nil {
			return err
		}
		if err := (heirs{d}).refuse(t, cmd, tree.Only); err != nil {
			return err
		}
	}
	return nil
}

// alteration is one command of ALTER TABLE.
type alteration struct {
	*define.Alter
	d    *Definer
	ctx  context.Context
	only bool // not the partitions of the table
}

func (a *alteration) run(cmd ast.AlterCommand) error {
	if a.Table.Foreign != nil {
		return a.alterForeign(cmd)
	}
	if err := a.lock(cmd); err != nil {
		return err
	}
	if done, err := a.settings(cmd); done || err != nil {
		return err
	}
	switch cmd.Kind {
	case ast.AddColumn:
		return a.addColumn(cmd)
	case ast.DropColumn:
		return a.dropColumn(cmd)
	case ast.SetDefault, ast.DropDefault:
		t, err := a.SetDefault(cmd.Name, cmd.Column)
		return a.keep(t, err)
	case ast.SetNotNull, ast.DropNotNull:
		return a.setNotNull(cmd.Name, cmd.Kind == ast.SetNotNull)
	case ast.SetType:
		return a.setType(cmd)
	case ast.AddCheck:
		return a.addCheck(*cmd.Check)
	case ast.AddUnique:
		return addUnique(a, cmd.Unique)
	case ast.AddPrimaryKey:
		if err := a.keyByIndex(&cmd); err != nil {
			return err
		}
		t, err := a.addPrimaryKey(&cmd)
		if err := a.rewrite(t, nil, err); err != nil {
			return err
		}
		return a.d.interleave(a.ctx, t.ID)
	case ast.DropConstraint:
		return a.dropConstraint(cmd)
	case ast.AddForeignKey:
		return a.addForeignKey(cmd.ForeignKey, false)
	case ast.ValidateConstraint:
		return a.validateConstraint(cmd.Name)
	case ast.AlterConstraint:
		return a.alterConstraint(cmd)
	case ast.EnforceConstraint:
		return enforceConstraint(a, cmd)
	case ast.SwitchTriggers:
		return a.switchTriggers(cmd)
	case ast.SwitchRule:
		return sqlerr.New(sqlerr.UndefinedObject, "rule %q for relation %q does not exist", cmd.Name, a.Table.Name)
	case ast.AddIdentity, ast.DropIdentity, ast.SetIdentity:
		return a.identity(cmd)
	case ast.SetOptions, ast.ResetOptions:
		return a.setOptions(cmd.Options, cmd.Kind == ast.SetOptions)
	case ast.AddParent, ast.DropParent:
		return heirs{a.d}.changeParent(a, cmd)
	case ast.SetRowType:
		return a.keep(a.OfType(cmd.Column.Type))
	case ast.DropRowType:
		return a.keep(notOfType(a.Table))
	case ast.ChangePartition:
		return a.d.changePartition(a.ctx, a.Table, cmd.Partition)
	default:
		return sqlerr.Unsupported("this form of ALTER TABLE")
	}
}

func addUnique(a *alteration, u *ast.Unique) error {
	if u.KeyIndex != "" {
		return a.uniqueByIndex(u)
	}
	x, err := a.AddUnique(*u)
	if err != nil {
		return err
	}
	if a.only && !a.Table.Kept() {
		return index.Partitions{Definer: a.d.Definer}.OfParentOnly(a.ctx, a.Table, x)
	}
	_, _, err = a.d.Fill(a.ctx, a.Table, x)
	return err
}

// DropKey drops the primary key of a table.
func DropKey(ctx context.Context, d *Definer, t *catalog.Table) error {
	if err := d.Txn.Alone(ctx, t); err != nil {
		return err
	}
	a := d.alteration(ctx, t)
	to, err := a.DropPrimaryKey()
	return a.rewrite(to, nil, err)
}

// lock locks the table in the mode that a command needs.
func (a *alteration) lock(cmd ast.AlterCommand) error {
	if setsOnly(cmd) {
		return a.d.Txn.WithoutChanges(a.ctx, a.Table)
	}
	return a.d.Txn.Alone(a.ctx, a.Table)
}

// addPrimaryKey lays the table out by a primary key. One in Z-order learns from the rows.
func (a *alteration) addPrimaryKey(cmd *ast.AlterCommand) (*catalog.Table, error) {
	t, err := a.AddPrimaryKey(cmd)
	if err != nil || t.Primary.Curve() == nil {
		return t, err
	}
	survey, err := a.d.Measure(a.ctx, a.Table, nil)
	if err != nil {
		return nil, err
	}
	rows := curve.Rows{Stats: survey.Stats, Samples: curve.Samples(&t.Primary, survey.Sample)}
	return t, a.Builder.LearnKey(t, rows)
}

// setOptions sets options of the table, or takes them away.
func (a *alteration) setOptions(options []ast.Option, set bool) error {
	keys, others := define.KeyOptions(options)
	if len(keys) > 0 {
		t, err := a.ChangeKeys(keys, set)
		if err := a.rewrite(t, nil, err); err != nil || len(others) == 0 {
			return err
		}
		a.Table = t
	}
	if !set {
		t, err := a.ResetOptions(others)
		return a.keepTTL(t, err)
	}
	t, err := a.SetOptions(others)
	if err == nil {
		err = define.MayBeReferred(t)
	}
	return a.keepTTL(t, err)
}

// keep puts the table as it is now into the schema.
func (a *alteration) keep(t *catalog.Table, err error) error {
	if err != nil {
		return err
	}
	return a.d.Txn.Put(a.ctx, t)
}

// rewrite makes the rows of the table those of one in other spaces.
func (a *alteration) rewrite(to *catalog.Table, values map[uint32]expr.Expr, err error) error {
	if err != nil || !a.Table.Kept() {
		return a.keep(to, err)
	}
	n, err := a.Rewrite(a.Table, to, values)
	if err != nil {
		return err
	}
	if _, err := a.d.Txn.RowsOf(a.ctx, a.Table); err != nil {
		return err
	}
	if err := a.d.Txn.CreateSpaces(a.ctx, to); err != nil {
		return err
	}
	if err := a.d.Txn.Put(a.ctx, to); err != nil {
		return err
	}
	spaces := cluster.NewSpaces{Spaces: cluster.SpacesOf(to), Table: to}
	err = a.d.Txn.FillNew(a.ctx, spaces, func(in cluster.Filling) error {
		env := a.d.Exec(a.ctx, in.Txn)
		env.Sorted = in.Sorted
		_, _, err := executor.Write(a.ctx, n, env)
		return err
	})
	if err != nil {
		return rewriteError(err, to)
	}
	return a.d.Txn.Retire(a.ctx, a.Table, cluster.SpacesOf(a.Table)...)
}

// rewriteError says what is wrong with rows that were there.
func rewriteError(err error, t *catalog.Table) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Table == "" && e.Code != sqlerr.UniqueViolation { // or it is about a domain
		return err
	}
	out := *e
	switch e.Code {
	case sqlerr.UniqueViolation:
		out.Message = "could not create unique index \"" + e.Constraint + "\""
		out.Detail = strings.Replace(e.Detail, "already exists.", "is duplicated.", 1)
	case sqlerr.NotNullViolation:
		return containsNulls(t, e.Column)
	case sqlerr.CheckViolation:
		return checkViolated(t, e.Constraint)
	default:
		return err
	}
	return &out
}

func containsNulls(t *catalog.Table, column string) error {
	e := sqlerr.New(sqlerr.NotNullViolation, "column %q of relation %q contains null values", column, t.Name)
	e.Schema, e.Table, e.Column = t.Schema, t.Name, column
	return e
}

func checkViolated(t *catalog.Table, check string) error {
	e := sqlerr.New(sqlerr.CheckViolation, "check constraint %q of relation %q is violated by some row", check, t.Name)
	e.Schema, e.Table, e.Constraint = t.Schema, t.Name, check
	return e
}

// any says whether a row of the table meets a condition.
func (a *alteration) any(cond expr.Expr) (bool, error) {
	return a.d.anyRow(a.ctx, a.Table, cond)
}

func (a *alteration) addColumn(cmd ast.AlterCommand) error {
	if i := a.Table.Column(cmd.Name); i >= 0 {
		if cmd.IfExists && !a.Table.Columns[i].Hidden {
			return a.d.Notice(sqlerr.Notice(sqlerr.DuplicateColumn, "column %q of relation %q already exists, skipping",
				cmd.Name, a.Table.Name))
		}
		return ddl.ColumnExists(a.Table, a.Table.Columns[i])
	}
	added, err := a.AddColumn(*cmd.Column)
	if err != nil {
		return err
	}
	for _, q := range added.Sequences {
		q.Rights = privilege.New(a.d.Txn.Changed().Snap, q, a.Table.OwnerID())
		if err := a.d.Txn.Put(a.ctx, q); err != nil {
			return err
		}
	}
	c := &added.Columns[len(added.Columns)-1]
	if c.Default != "" || added.Each {
		if err := ddl.RowsStay(a.d.Txn.Changed().Snap, a.Table.Ref()); err != nil {
			return err
		}
	}
	if added.Each {
		to, err := added.Moved()
		return a.rewrite(to, map[uint32]expr.Expr{c.ID: added.Value}, err)
	}
	if c.Missing, err = added.Value.Eval(a.d.Exec(a.ctx, nil).Expr, nil); err != nil {
		return err
	}
	if c.NotNull && c.Missing.IsNull() {
		some, err := a.any(expr.Const{Value: types.NewBool(true), T: types.Bool})
		if err != nil {
			return err
		}
		if some {
			return containsNulls(a.Table, c.Name)
		}
	}
	return a.keep(added.Table, nil)
}

func (a *alteration) dropColumn(cmd ast.AlterCommand) error {
	i, err := a.Column(cmd.Name)
	if err != nil {
		if tableoid.IsSystem(cmd.Name) {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot drop system column %q", cmd.Name)
		}
		if cmd.IfExists {
			return a.d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"column %q of relation %q does not exist, skipping", cmd.Name, a.Table.Name))
		}
		return err
	}
	return a.d.Drop(a.ctx, []ddl.Target{{Object: a.Table, Column: a.Table.Columns[i].ID, Only: a.only}}, cmd.Cascade)
}

func (a *alteration) setNotNull(name string, notNull bool) error {
	t, err := a.SetNotNull(name, notNull)
	if err != nil {
		return err
	}
	i := t.Column(name)
	if notNull && !a.Table.Columns[i].NotNull {
		some, err := a.any(expr.IsNull{Arg: expr.Column{Index: i, Name: name, T: t.Columns[i].Type}})
		if err != nil {
			return err
		}
		if some {
			return containsNulls(t, name)
		}
	}
	return a.keep(t, nil)
}

func (a *alteration) setType(cmd ast.AlterCommand) error {
	t, err := a.SetType(cmd)
	if err != nil {
		return err
	}
	if err := ddl.RowsStay(a.d.Txn.Changed().Snap, a.Table.Ref()); err != nil {
		return err
	}
	i := a.Table.Column(cmd.Name)
	for _, v := range a.d.Dependents(ddl.Target{Object: a.Table, Column: a.Table.Columns[i].ID}) {
		stored := false
		switch o := v.Object.(type) {
		case *catalog.Table:
			stored = o.Materialized != nil && o.ID != a.Table.ID
		case *catalog.View:
			stored = true
		}
		if v.Published != 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported,
				"cannot alter type of a column used by a publication WHERE clause").
				WithDetail("%s depends on column %q", a.d.Describe(a.d.Txn.Changed().Snap, v), cmd.Name)
		}
		if stored {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
				WithDetail("rule _RETURN on %s depends on column %q",
					a.d.Describe(a.d.Txn.Changed().Snap, ddl.Target{Object: v.Object}), cmd.Name)
		}
	}
	if t.Value == nil {
		err = a.keep(t.Table, nil)
	} else {
		err = a.rewrite(t.Table, map[uint32]expr.Expr{t.Columns[i].ID: t.Value}, nil)
	}
	if err != nil {
		return err
	}
	return a.refersStill(a.Table.Columns[i].ID)
}

func (a *alteration) dropConstraint(cmd ast.AlterCommand) error {
	x, k := a.Table.Index(cmd.Name), a.Table.ForeignKeys.Find(cmd.Name)
	switch {
	case k != nil:
		return a.dropForeignKey(k)
	case cmd.Name == a.Table.PrimaryKey && a.Table.PrimaryKey != "":
		if err := a.d.DropDependents(a.ctx, ddl.Target{Object: a.Table, IsPrimary: true}, cmd.Cascade); err != nil {
			return err
		}
		return DropKey(a.ctx, a.d, a.Table)
	case a.Table.Check(cmd.Name) >= 0:
		return a.keep(a.Table.WithoutCheck(cmd.Name), nil)
	case x != nil && x.Constraint:
		if err := a.d.DropDependents(a.ctx, ddl.Target{Object: a.Table, Index: x.ID}, cmd.Cascade); err != nil {
			return err
		}
		return a.d.Remove(a.ctx, a.d.Txn.Changed().Snap.ByID(a.Table.ID).(*catalog.Table), x)
	case cmd.IfExists:
		return a.d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"constraint %q of relation %q does not exist, skipping", cmd.Name, a.Table.Name))
	}
	return sqlerr.New(sqlerr.UndefinedObject, "constraint %q of relation %q does not exist", cmd.Name, a.Table.Name)
}
