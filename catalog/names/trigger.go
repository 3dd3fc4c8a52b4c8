package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/system"
)

// triggers prints triggers.
type triggers struct{ *View }

// orRule describes what acts when rows are written: a trigger, or the rule of a view.
func (v triggers) orRule(class string, oid uint32) *system.Object {
	if class == "pg_rewrite" {
		return v.rule(oid)
	}
	return v.object(oid)
}

// object describes a trigger, nil when there is none with a number.
func (v triggers) object(oid uint32) *system.Object {
	for r, t := range catalog.AllTriggers(v.Catalog) {
		if t.ID == oid {
			return &system.Object{Name: t.Name, Schema: r.Ref().Schema, Comment: t.Comment,
				Definition:  func(l system.Layout) string { return v.definition(r, t, l) },
				Expressions: func(l system.Layout) []string { return []string{v.condition(r, t, l)} }}
		}
	}
	return nil
}

// condition is the condition of a trigger, empty where it has none.
func (v triggers) condition(r catalog.Relation, t *catalog.Trigger, l system.Layout) string {
	if t.When == nil {
		return ""
	}
	table, _ := r.(*catalog.Table)
	text, err := v.deparser().When(table, t.When, style(l))
	if err != nil {
		return t.When.Text
	}
	return text
}

// definition is the CREATE TRIGGER that makes a trigger.
func (v triggers) definition(r catalog.Relation, t *catalog.Trigger, l system.Layout) string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if t.IsConstraint() {
		b.WriteString("CONSTRAINT ")
	}
	b.WriteString("TRIGGER " + expr.QuoteIdent(t.Name) + " " + string(t.Timing) + " " + events(r, t))
	ref := r.Ref()
	name := expr.QuoteIdent(ref.Schema) + "." + expr.QuoteIdent(ref.Name)
	if l.Pretty {
		name = v.relationName(ref.ID)
	}
	b.WriteString(" ON " + name + " ")
	if t.IsConstraint() {
		b.WriteString(v.constrained(t))
	}
	if t.Transitions() {
		b.WriteString("REFERENCING ")
	}
	if t.OldTable != "" {
		b.WriteString("OLD TABLE AS " + expr.QuoteIdent(t.OldTable) + " ")
	}
	if t.NewTable != "" {
		b.WriteString("NEW TABLE AS " + expr.QuoteIdent(t.NewTable) + " ")
	}
	if t.Row {
		b.WriteString("FOR EACH ROW ")
	} else {
		b.WriteString("FOR EACH STATEMENT ")
	}
	if t.When != nil {
		b.WriteString("WHEN (" + v.condition(r, t, l) + ") ")
	}
	var args []string
	for _, a := range t.Args {
		args = append(args, expr.QuoteLiteral(a))
	}
	b.WriteString("EXECUTE FUNCTION " + v.functionName(t.Function) + "(" + strings.Join(args, ", ") + ")")
	return b.String()
}

// events are the events of a trigger, with the columns of UPDATE OF.
func events(r catalog.Relation, t *catalog.Trigger) string {
	list := t.Events.Words()
	for i, word := range list {
		if trigger.Event(word) != trigger.Update || t.Columns == nil {
			continue
		}
		var names []string
		for _, id := range t.Columns {
			switch r := r.(type) {
			case *catalog.Table:
				names = append(names, expr.QuoteIdent(r.Columns[r.Ordinal(id)].Name))
			case *catalog.View:
				names = append(names, expr.QuoteIdent(r.Columns[id-1].Name))
			}
		}
		list[i] += " OF " + strings.Join(names, ", ")
	}
	return strings.Join(list, " OR ")
}

// constrained is what a constraint trigger says besides.
func (v triggers) constrained(t *catalog.Trigger) string {
	out := ""
	if t.From != 0 {
		out = "FROM " + v.relationName(t.From) + " "
	}
	return out + deferral(t)
}

func deferral(t *catalog.Trigger) string {
	out := "DEFERRABLE INITIALLY IMMEDIATE "
	if t.Deferred {
		out = "DEFERRABLE INITIALLY DEFERRED "
	}
	if !t.Deferrable {
		return "NOT " + out
	}
	return out
}

// functionName is the name of a function, with its schema where it must be told.
func (v triggers) functionName(id uint32) string {
	if f := v.Catalog.FunctionByID(id); f != nil {
		name := expr.QuoteIdent(f.Name)
		if !procedures(v).sees(f) {
			name = expr.QuoteIdent(f.Schema) + "." + name
		}
		return name
	}
	if p := builtin.ProcByOID(id); p != nil {
		return expr.QuoteIdent(p.Name)
	}
	return ""
}
