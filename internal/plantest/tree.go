package plantest

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// Tree shows a plan with all that it says, one line for each node:
//
//	Limit 10
//	└─ Project a, b = (c + 1)
//	   └─ Scan t reads=a,c filter=(a > 5)
func Tree(n plan.Node) string {
	var b strings.Builder
	show(&b, n, "", "")
	return b.String()
}

// show prints a node behind a lead, and what is below it behind another one. The plans of
// subqueries stand below the node whose expressions they are in.
func show(b *strings.Builder, n plan.Node, lead, below string) {
	b.WriteString(lead + line(n) + "\n")
	in := n.Inputs()
	subs := subqueries(n)
	for i, x := range in {
		if i == len(in)-1 && len(subs) == 0 {
			show(b, x, below+"└─ ", below+"   ")
		} else {
			show(b, x, below+"├─ ", below+"│  ")
		}
	}
	for i, s := range subs {
		b.WriteString(below + "SubPlan " + fmt.Sprint(s.Number))
		for k, slot := range s.Slots {
			fmt.Fprintf(b, " $%d=%s", slot, s.Args[k])
		}
		if s.Plan.(plan.Sub).Optimized {
			b.WriteString(" optimized")
		}
		b.WriteString("\n")
		last := map[bool]string{true: "   ", false: "│  "}[i == len(subs)-1]
		show(b, s.Plan.(plan.Sub).Node, below+"└─ ", below+last)
	}
}

// subqueries are those in the expressions of a node, also in those that it checks rows for again.
func subqueries(n plan.Node) []expr.Subquery {
	out := plan.Subqueries(n)
	plan.MapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		for _, s := range plan.Subqueries(plan.Filter{Cond: e}) {
			if !slices.ContainsFunc(out, func(o expr.Subquery) bool { return o.Number == s.Number }) {
				out = append(out, s)
			}
		}
		return e, false
	})
	return out
}

func line(n plan.Node) string {
	switch n := n.(type) {
	case plan.Values:
		rows := make([]string, len(n.Rows))
		for i, r := range n.Rows {
			rows[i] = "(" + exprs(r) + ")"
		}
		return "Values " + strings.Join(rows, ", ")
	case plan.Stream:
		return "Stream " + columns(n.Cols)
	case plan.Scan:
		return scan(n)
	case plan.Filter:
		return "Filter " + n.Cond.String()
	case plan.Barrier:
		return "Barrier"
	case plan.Project:
		return "Project " + projected(n)
	case plan.Sort:
		out := "Sort " + sortKeys(n.Keys) + most(n.Most) + map[bool]string{true: " few"}[n.Few]
		if n.Each > 0 {
			out += fmt.Sprintf(" each=%d of=%d", n.Each, n.Of)
		}
		return out
	case plan.Limit:
		return "Limit" + limit(n)
	case plan.Distinct:
		if n.On != nil {
			return "Distinct on " + exprs(n.On)
		}
		return "Distinct"
	case plan.Memoize:
		return "Memoize " + exprs(n.Keys) + map[bool]string{true: " single"}[n.Single]
	case plan.Gather:
		return fmt.Sprintf("Gather workers=%d", n.Workers)
	case plan.Aggregate:
		return aggregate(n)
	case plan.GroupingSets:
		return aggregate(plan.Aggregate{Groups: n.Groups, Calls: n.Calls}) + fmt.Sprint(" sets ", n.Sets, n.Asked)
	case plan.FunctionScan:
		out := "Function " + n.Alias + " " + strings.Join(calls(n.Calls), ", ")
		if n.Ordinality {
			out += " ordinality"
		}
		return out
	case plan.Virtual:
		out := "Virtual " + n.Relation.Name + " reads=" + columns(n.Cols)
		for _, t := range n.Only {
			out += " only " + t.String()
		}
		return out
	case plan.ProjectSet:
		return "ProjectSet " + strings.Join(calls(n.Calls), ", ")
	case plan.Window:
		return window(n)
	default:
		return combined(n)
	}
}

func recheck(cond expr.Expr) string {
	if cond == nil {
		return ""
	}
	return " recheck " + cond.String()
}

func calls(list []expr.Call) (out []string) {
	for _, c := range list {
		out = append(out, c.String())
	}
	return out
}

// combined is the line of a node with several inputs.
func combined(n plan.Node) string {
	switch n := n.(type) {
	case plan.Join:
		return join(n)
	case plan.LockRows:
		return "LockRows " + n.Text() + recheck(n.Recheck)
	case plan.Nearest:
		return "Nearest " + sortKeys(n.Keys) + most(n.Most)
	case plan.Append:
		if n.By != nil {
			return "Merge Append " + sortKeys(n.By)
		}
		return "Append"
	case plan.SetOp:
		out := map[bool]string{true: "Except", false: "Intersect"}[n.Except]
		if n.All {
			out += " all"
		}
		return out
	case plan.With:
		out := fmt.Sprintf("With %d %s", n.Number, n.Name)
		if n.Always {
			out += " always"
		}
		return out
	case plan.Keys:
		return "Keys " + n.String()
	case plan.Ref:
		return fmt.Sprintf("Ref %d %s", n.Number, n.Name)
	case plan.Recursion:
		return fmt.Sprintf("Recursion %d %s distinct=%t", n.Number, n.Name, n.Distinct)
	default:
		return write(n)
	}
}

func join(n plan.Join) string {
	kinds := map[plan.JoinKind]string{
		plan.InnerJoin: "Join", plan.LeftJoin: "Left Join", plan.RightJoin: "Right Join", plan.FullJoin: "Full Join",
		plan.SemiJoin: "Semi Join", plan.AntiJoin: "Anti Join",
	}
	out := kinds[n.Kind]
	if n.On != nil && n.Method == nil {
		out += " on " + n.On.String()
	}
	out += slots(n.Slots)
	if m := n.Method; m != nil {
		out += map[plan.Strategy]string{plan.Loop: " loop", plan.Hash: " hash", plan.Lookup: " lookup",
			plan.Interleaved: " interleaved", plan.Merged: " merge"}[m.Strategy]
		if m.BuildLeft {
			out += " build=left"
		}
		for _, k := range m.Keys {
			equals := map[bool]string{true: " is ", false: " = "}[k.NullsEqual]
			out += " (" + k.Left.String() + equals + k.Right.String() + ")"
		}
		if m.Residual != nil {
			out += " residual=" + m.Residual.String()
		}
		out += slots(m.Slots)
	}
	return out
}

func slots(list []plan.Slot) (out string) {
	for _, s := range list {
		out += fmt.Sprintf(" $%d=%s", s.Number, s.Value)
	}
	return out
}

func window(n plan.Window) string {
	out := "Window"
	if n.Partition != nil {
		out += " by " + exprs(n.Partition)
	}
	if n.Order != nil {
		out += " order " + sortKeys(n.Order)
	}
	for _, c := range n.Calls {
		name := ""
		if c.Fn != nil {
			name = c.Fn.Name
		} else {
			name = c.Aggregate.Name
		}
		out += " " + name + "(" + exprs(c.Args) + ")"
		if c.Frame != (plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}) {
			f := c.Frame
			out += fmt.Sprintf(" frame=%d,%d,%d,%d", f.Mode, f.Start.Kind, f.End.Kind, f.Exclude)
		}
	}
	for _, c := range n.Run {
		out += " run=" + c.String()
	}
	return out
}

func write(n plan.Node) string {
	switch n := n.(type) {
	case plan.Insert:
		out := "Insert " + n.Table.Name
		if n.Overwrite {
			out += " overwrite"
		}
		if n.Conflict == plan.ConflictNothing {
			out += " conflict=nothing"
		}
		if n.Primary {
			out += " on=primary"
		}
		if n.Arbiter != nil {
			out += " on=" + n.Arbiter.Name
		}
		if n.Conflict == plan.ConflictUpdate {
			out += " conflict=update" + assigned(n.Table, n.Set)
		}
		if n.SetWhere != nil {
			out += " where=" + n.SetWhere.String()
		}
		return out + returning(n.Returning)
	case plan.Update:
		return "Update " + n.Table.Name + assigned(n.Table, n.Set) + returning(n.Returning) +
			recheck(n.Recheck)
	case plan.Delete:
		return "Delete " + n.Table.Name + returning(n.Returning) + recheck(n.Recheck)
	default:
		return fmt.Sprintf("%T", n)
	}
}

func assigned(t *catalog.Table, list []plan.Assignment) string {
	var set []string
	for _, a := range list {
		set = append(set, t.Columns[a.Column].Name+" = "+a.Value.String())
	}
	return " " + strings.Join(set, ", ")
}

func returning(list []expr.Expr) string {
	if list == nil {
		return ""
	}
	return " returning " + exprs(list)
}

func exprs(list []expr.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
}

func columns(cols []plan.Column) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return strings.Join(out, ",")
}

// projected shows a column by its name, and what it is where that is something else.
func projected(n plan.Project) string {
	out := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		out[i] = n.Cols[i].Name
		if c, ok := e.(expr.Column); !ok || c.Name != n.Cols[i].Name {
			out[i] += " = " + e.String()
		}
	}
	return strings.Join(out, ", ")
}

func direction(desc, nullsFirst bool) string {
	out := ""
	if desc {
		out = " DESC"
	}
	if nullsFirst != desc {
		out += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[nullsFirst]
	}
	return out
}

func sortKeys(keys []plan.SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Expr.String() + direction(k.Desc, k.NullsFirst)
	}
	return strings.Join(out, ", ")
}

func limit(l plan.Limit) string {
	out := ""
	if l.Count != nil {
		out = " " + l.Count.String()
	}
	if l.Offset != nil {
		out += " offset " + l.Offset.String()
	}
	return out
}

func most(l *plan.Limit) string {
	if l == nil {
		return ""
	}
	return " most=" + strings.TrimSpace(limit(*l))
}

func aggregate(n plan.Aggregate) string {
	out := "Aggregate"
	if n.Partial {
		out += " partial"
	}
	if n.Final {
		out += " final"
	}
	if len(n.Groups) > 0 {
		out += " by " + exprs(n.Keys())
	}
	if n.By != nil {
		out += " of " + exprs(n.Groups)
	}
	if n.Sorted {
		out += " sorted"
	}
	for i, c := range n.Calls {
		out += map[bool]string{true: ": ", false: ", "}[i == 0] + c.String() + " " + c.Type.String()
	}
	return out
}

func scan(n plan.Scan) string {
	out := []string{"Scan " + n.Table.Name}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if n.Alias != n.Table.Name {
		add("as %s", n.Alias)
	}
	add("reads=%s", columnNames(n, n.Reads))
	if len(n.Filter) > 0 && n.Access == nil {
		add("filter=%s", exprs(n.Filter))
	}
	if n.Barrier && n.Access == nil {
		add("barrier")
	}
	if n.Aside != nil && n.Access == nil {
		add("aside=%s", columnNames(n, picked(n.Reads, n.Aside)))
	}
	for _, h := range n.Hints {
		add("hint=%s%s", map[bool]string{true: "-", false: "+"}[h.Forbid], strings.Join(h.Indexes, ","))
	}
	var order []string
	for _, o := range n.Order {
		order = append(order, n.Table.Columns[o.Column].Name+direction(o.Desc, o.NullsFirst))
	}
	if order != nil {
		add("order=%s", strings.Join(order, ", "))
	}
	if n.Few {
		add("few")
	}
	if n.Each.Count > 0 {
		add("each=%d of %d", n.Each.Count, n.Each.Of)
	}
	if n.Write {
		add("write")
	}
	if n.Access != nil {
		out = append(out, path(n)...)
	}
	return strings.Join(out, " ")
}

func picked(list, ordinals []int) []int {
	out := make([]int, len(ordinals))
	for i, p := range ordinals {
		out[i] = list[p]
	}
	return out
}

func columnNames(n plan.Scan, list []int) string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = n.Table.Columns[p].Name
	}
	return strings.Join(out, ",")
}

// path shows how a Scan reads its table.
func path(n plan.Scan) []string {
	a := n.Access
	out := []string{"path=primary"}
	_, keys := a.Keys()
	switch {
	case keys:
		out[0] = "path=keys"
	case a.Index() != nil:
		out[0] = "path=" + a.Index().Name
	}
	add := func(word string, holds bool) {
		if holds {
			out = append(out, word)
		}
	}
	spans, _ := a.Spans()
	box, boxed := a.Path.(plan.Box)
	entries := a.Entries()
	add(fmt.Sprintf("parts=%d", spans.Parts()), spans.Parts() > 0)
	add("box", boxed)
	add(fmt.Sprintf("skip=%d", spans.Skip), spans.Skip > 0)
	add("reverse", a.Reverse)
	add("ordered", a.Ordered)
	add(fmt.Sprintf("first %d by %d parts", a.Each.Count, a.Each.Of), a.Each.Count > 0)
	add("leads", a.Leads)
	add("with="+a.With, a.With != "")
	add("cond="+exprs(a.Cond), len(a.Cond) > 0)
	add("entry="+exprs(entries.Filter), len(entries.Filter) > 0)
	add("edges="+exprs(box.Edges), len(box.Edges) > 0)
	add("lookup from "+columnNames(n, entries.Reads), a.Lookup != nil && !keys)
	add("row="+exprs(a.RowFilter()), len(a.RowFilter()) > 0)
	add(strings.TrimSpace(most(a.Most)), a.Most != nil)
	add("soft", a.Soft)
	return out
}
