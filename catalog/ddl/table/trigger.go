package table

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/trigger"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// switchTriggers runs ENABLE TRIGGER and DISABLE TRIGGER. Those of the system are the ones with which foreign keys are
// checked.
func (a *alteration) switchTriggers(cmd ast.AlterCommand) error {
	to := cmd.Trigger
	if to.All {
		if err := a.switchKeys(to.Enabled); err != nil {
			return err
		}
	}
	found := false
	of := func(t *catalog.Trigger) bool {
		is := to.All || to.Users || t.Name == cmd.Name
		found = found || is
		return is
	}
	t, _ := a.d.Txn.Changed().Snap.ByID(a.Table.ID).(*catalog.Table)
	if err := (ddl.Triggers{Definer: a.d.Definer.Definer}).Switch(a.ctx, t, of, to.Enabled, a.only); err != nil {
		return err
	}
	if !found && !to.All && !to.Users {
		return sqlerr.New(sqlerr.UndefinedObject, "trigger %q for table %q does not exist", cmd.Name, a.Table.Name)
	}
	return nil
}

// switchKeys does what a statement says of the triggers of the system.
func (a *alteration) switchKeys(to trigger.Enabled) error {
	if len(a.Table.ForeignKeys)+len(a.Table.Referrers) > 0 && !a.d.Superuser() {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied: %q is a system trigger",
			"RI_ConstraintTrigger_"+cmp.Or(map[bool]string{true: "c"}[len(a.Table.ForeignKeys) > 0], "a"))
	}
	return a.keep(a.Checked(to != trigger.Disabled), nil)
}
