package plantest

import (
	"fmt"
	"strings"

	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// Tree shows a plan with all that it says, one line for each node:
//
//	Limit 10
//	└─ Project a, b = (c + 1)
//	   └─ Scan t reads=a,c filter=(a > 5)
func Tree(n plan.Node) string {
	var b strings.Builder
	depth := 0
	for ; ; depth++ {
		if depth > 0 {
			b.WriteString(strings.Repeat("   ", depth-1) + "└─ ")
		}
		b.WriteString(line(n) + "\n")
		in := n.Inputs()
		if len(in) == 0 {
			return b.String()
		}
		n = in[0]
	}
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
	case plan.Project:
		return "Project " + projected(n)
	case plan.Sort:
		return "Sort " + sortKeys(n.Keys) + most(n.Most)
	case plan.Limit:
		return "Limit" + limit(n)
	case plan.Distinct:
		return "Distinct"
	case plan.Aggregate:
		return aggregate(n)
	default:
		return write(n)
	}
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
		return out
	case plan.Update:
		var set []string
		for _, a := range n.Set {
			set = append(set, n.Table.Columns[a.Column].Name+" = "+a.Value.String())
		}
		return "Update " + n.Table.Name + " " + strings.Join(set, ", ")
	case plan.Delete:
		return "Delete " + n.Table.Name
	default:
		return fmt.Sprintf("%T", n)
	}
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
	if len(n.Groups) > 0 {
		out += " by " + exprs(n.Groups)
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
	add("reads=%s", places(n, n.Reads))
	if len(n.Filter) > 0 && n.Access == nil {
		add("filter=%s", exprs(n.Filter))
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
	if n.Write {
		add("write")
	}
	if n.Access != nil {
		out = append(out, path(n)...)
	}
	return strings.Join(out, " ")
}

func places(n plan.Scan, list []int) string {
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
	if a.Index != nil {
		out[0] = "path=" + a.Index.Name
	}
	add := func(word string, holds bool) {
		if holds {
			out = append(out, word)
		}
	}
	add(fmt.Sprintf("parts=%d", a.Parts), a.Parts > 0)
	add("box", a.Box)
	add("reverse", a.Reverse)
	add("ordered", a.Ordered)
	add("cond="+exprs(a.Cond), len(a.Cond) > 0)
	add("entry="+exprs(a.EntryFilter), len(a.EntryFilter) > 0)
	add("lookup from "+places(n, a.EntryReads), a.Lookup)
	add("row="+exprs(a.RowFilter), len(a.RowFilter) > 0)
	add(strings.TrimSpace(most(a.Most)), a.Most != nil)
	return out
}
