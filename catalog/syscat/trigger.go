package syscat

import (
	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// classTriggers is the OID of pg_trigger.
const classTriggers = 2620

// triggerCatalogs are those that tell of triggers.
func triggerCatalogs() []definition {
	return []definition{{
		name: "pg_trigger", key: "tgrelid", rows: triggers,
		columns: "oid tgrelid tgparentid tgname tgfoid tgtype tgenabled tgisinternal tgconstrrelid tgconstraint tgdeferrable tginitdeferred tgnargs tgattr tgargs tgqual tgoldtable tgnewtable",
	}}
}

func triggers(r *rows) {
	for on, t := range catalog.AllTriggers(r.Catalog) {
		if !r.wants(on.Ref().ID) {
			continue
		}
		var args []byte
		for _, a := range t.Args {
			args = append(append(args, a...), 0)
		}
		var columns []int16
		for _, id := range t.Columns {
			columns = append(columns, int16(id))
		}
		qual := ""
		if t.When != nil {
			qual = t.When.Text
			if o := r.object("pg_trigger", t.ID); o != nil && o.Expressions != nil {
				qual = o.Expressions(system.Layout{})[0]
			}
		}
		r.add(number(t.ID), number(on.Ref().ID), number(t.Parent), text(t.Name), number(t.Function), number(t.Type()),
			letter(t.Enabled.Letter()[0]), boolean(false), number(t.From), number(t.ConstraintID),
			boolean(t.Deferrable), boolean(t.Deferred), number(len(t.Args)), vector(types.OIDInt2, columns),
			types.NewBytes(args), textOrNull(qual), textOrNull(t.OldTable), textOrNull(t.NewTable))
	}
}

// triggerDependencies are those of all triggers.
func triggerDependencies(r *rows) {
	for on, t := range catalog.AllTriggers(r.Catalog) {
		own := part{classTriggers, t.ID, 0}
		table := part{classRelations, on.Ref().ID, 0}
		r.depends(own, part{classFunctions, t.Function, 0}, dependsNormal)
		if t.IsConstraint() {
			r.depends(part{classConstraints, t.ConstraintID, 0}, own, dependsInternal)
		}
		r.depends(own, table, dependsAuto)
		for _, id := range t.Columns {
			r.depends(own, part{classRelations, table.id, id}, dependsNormal)
		}
		if t.When != nil {
			for _, c := range t.When.Over.Columns {
				r.depends(own, part{classRelations, table.id, c.ID}, dependsNormal)
			}
		}
	}
}

// triggerComments add what is said of triggers.
func triggerComments(r *rows) {
	for _, t := range catalog.AllTriggers(r.Catalog) {
		r.comment(part{classTriggers, t.ID, 0}, t.Comment)
	}
}

// constraintTriggers are the constraint triggers of a table, as constraints.
func constraintTriggers(t *catalog.Table) (out []constraint) {
	for i := range t.Triggers.Triggers {
		if one := &t.Triggers.Triggers[i]; one.IsConstraint() {
			out = append(out, constraint{id: one.ConstraintID, name: one.Name, kind: 't',
				timing: reference.Timing{Deferrable: one.Deferrable, Deferred: one.Deferred}})
		}
	}
	return out
}
