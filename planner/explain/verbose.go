package explain

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// output is what a node hands on, for VERBOSE.
func (x *explainer) output(n plan.Node) []string {
	if !x.Verbose || x.keys {
		return nil
	}
	if p, ok := n.(plan.Project); ok {
		return qualified(p.Input, p.Exprs)
	}
	columns := n.Columns()
	list := make([]expr.Expr, len(columns))
	for i, c := range columns {
		list[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
	}
	return qualified(n, list)
}

// qualified are the texts of expressions over the columns of a node, with the names of tables.
func qualified(n plan.Node, list []expr.Expr) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = plan.Qualify(n, e).String()
	}
	return out
}

// schemaOf is the schema of what a node reads or writes.
func schemaOf(n plan.Node) string {
	switch n := n.(type) {
	case plan.Scan:
		return n.Table.Schema
	case plan.Virtual:
		return n.Relation.Schema
	case plan.Insert, plan.Update, plan.Delete:
		return plan.Target(n).Schema
	}
	return ""
}
