package explain

import (
	"cmp"
	"strings"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// output is what a node hands on, for VERBOSE.
func (x *explainer) output(n plan.Node) []string {
	if !x.Verbose || x.keys {
		return nil
	}
	if collects(n) {
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

// collects says whether a node has the columns of its inputs, which PostgreSQL does not say twice.
func collects(n plan.Node) bool {
	switch n := n.(type) {
	case plan.Append, plan.Recursion, plan.Keys, plan.WriteEach:
		return true
	case plan.Project:
		return collects(n.Input)
	}
	return false
}

// qualified are the texts of expressions over the columns of a node, with the names of tables.
func qualified(n plan.Node, list []expr.Expr) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = plan.Qualify(n, e).String()
	}
	return out
}

// functionCalls are the calls of functions whose rows a node delivers, for VERBOSE.
func (x *explainer) functionCalls(n plan.FunctionScan) []property {
	if !x.Verbose {
		return nil
	}
	return []property{textProperty("Function Call", strings.Join(textsOf(n.Calls), ", "))}
}

// schemaOf is the schema of what a node reads or writes.
func (x *explainer) schemaOf(n plan.Node) string {
	if x.keys {
		return ""
	}
	switch n := n.(type) {
	case plan.FunctionScan:
		if len(n.Calls) == 1 {
			return cmp.Or(n.Calls[0].Fn.Schema, "pg_catalog")
		}
	case plan.Scan:
		return n.Table.Schema
	case plan.Virtual:
		return n.Relation.Schema
	case plan.Insert, plan.Update, plan.Delete, plan.MergeInto, plan.WriteEach, plan.Instead:
		return plan.Target(n).Schema
	}
	return ""
}
