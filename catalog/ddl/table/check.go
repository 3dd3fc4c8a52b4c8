package table

import (
	"zproxy/catalog"
	"zproxy/catalog/lineage"
	"zproxy/parser/ast"
)

func (a *alteration) addCheck(check ast.Check) error {
	if at := a.Table.Check(check.Name); at >= 0 && lineage.OfCheck(a.Catalog, a.Table, check.Name) > 0 &&
		!a.Table.Inherits.DeclaresCheck(a.Table.Checks[at].ID) && a.Table.Inherits != nil {
		return heirs{a.d}.ownCheck(a, at, check)
	}
	t, err := a.AddCheck(check)
	if err != nil {
		return err
	}
	last := len(t.Checks) - 1
	if err := a.meets(t, last); err != nil {
		return err
	}
	k := &t.Checks[last]
	if parent := parentOf(a.Catalog, a.Table); parent == nil || parent.Check(k.Name) < 0 {
		if err := unchecked(a.d, t, k.Name, k.Validity); err != nil {
			return err
		}
	}
	return a.keep(t, nil)
}

// meets wants the rows of the table to meet a check of its next version, unless that is NOT VALID.
func (a *alteration) meets(t *catalog.Table, check int) error {
	if t.Checks[check].NotValid {
		return nil
	}
	cond, err := a.Violated(t, check)
	if err != nil {
		return err
	}
	some, err := a.any(cond)
	if err == nil && some {
		err = checkViolated(t, t.Checks[check].Name)
	}
	return err
}

// validateCheck runs VALIDATE CONSTRAINT of a check.
func (a *alteration) validateCheck(name string) error {
	at := a.Table.Check(name)
	if k := &a.Table.Checks[at]; k.NotEnforced || !k.NotValid {
		return mayValidate(k.Validity)
	}
	t := a.ValidCheck(name)
	return a.keep(t, a.meets(t, at))
}
