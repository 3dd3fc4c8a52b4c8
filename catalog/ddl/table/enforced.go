package table

import (
	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// unchecked tells of a constraint that is not enforced.
func unchecked(d *Definer, t *catalog.Table, constraint string, v reference.Validity) error {
	if !v.NotEnforced {
		return nil
	}
	return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "constraint %q of relation %q is not checked",
		constraint, t.Name))
}

// uncheckedRules tells of the checks of a new table that are not enforced.
func uncheckedRules(d *Definer, t *catalog.Table) error {
	for i := range t.Checks {
		if err := unchecked(d, t, t.Checks[i].Name, t.Checks[i].Validity); err != nil {
			return err
		}
	}
	return nil
}

// mayValidate refuses to validate what is not enforced.
func mayValidate(v reference.Validity) error {
	if v.NotEnforced {
		return sqlerr.New(sqlerr.WrongObjectType, "cannot validate NOT ENFORCED constraint")
	}
	return nil
}

// enforceConstraint runs ALTER CONSTRAINT ... [NOT] ENFORCED. The rows that are there must meet a foreign key that is
// enforced from then on.
func enforceConstraint(a *alteration, cmd ast.AlterCommand) error {
	k, err := a.constraintKey(cmd.Name, "cannot alter enforceability of constraint %q of relation %q")
	not := cmd.ForeignKey.NotEnforced
	if err != nil || k.NotEnforced == not {
		return err
	}
	parent, _ := a.Catalog.ByID(k.Table).(*catalog.Table)
	t := a.WithForeignKey(k, func(k *reference.Key) {
		k.Validity = reference.Validity{NotValid: not, NotEnforced: not}
	})
	if not {
		err = unchecked(a.d, t, k.Name, cmd.ForeignKey.Validity)
	} else {
		err = a.validate(k, a.Table, parent)
	}
	if err != nil || parent.ID == t.ID {
		return a.keep(t, err)
	}
	if err := a.d.Txn.Alone(a.ctx, parent); err != nil {
		return err
	}
	to := *parent
	to.Version++ // its writes must see to the key, or need not any more
	return a.d.Txn.Put(a.ctx, t, &to)
}
