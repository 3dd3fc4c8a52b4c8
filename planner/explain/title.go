package explain

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// title is what a node is.
func (x *explainer) title(n plan.Node) title {
	if x.keys {
		return keysTitle(n)
	}
	switch n := n.(type) {
	case plan.Values:
		if len(n.Rows) <= 1 {
			return title{node: "Result"}
		}
		return title{node: "Values Scan", called: `Values Scan on "*VALUES*"`, kind: textProperty("Alias", "*VALUES*")}
	case plan.Scan:
		return scanTitle(n)
	case plan.Aggregate:
		return aggregateTitle(n)
	case plan.GroupingSets:
		return groupingSetsTitle(n)
	case plan.Distinct:
		if n.On != nil {
			return title{node: "Unique"}
		}
		return title{node: "Aggregate", called: "HashAggregate", way: aggregation("Hashed", simple)}
	case plan.Insert:
		return writeTitle("Insert", n, n.Table.Name)
	case plan.Update:
		return writeTitle("Update", n, targetAlias(n.Input, n.Table))
	case plan.Delete:
		return writeTitle("Delete", n, targetAlias(n.Input, n.Table))
	case plan.MergeInto:
		return writeTitle("Merge", n, targetAlias(n.Input, n.Table))
	case plan.Instead:
		word := n.Event.String()
		return writeTitle(word[:1]+strings.ToLower(word[1:]), n, n.Table.Name)
	case plan.WriteEach:
		return eachTitle(n)
	case plan.Join:
		return joinTitle(n)
	case plan.SetOp:
		return setOpTitle(n)
	case plan.Ref:
		return refTitle(n, x.working[n.Number])
	case plan.FunctionScan:
		return functionTitle(n)
	case plan.Virtual:
		return virtualTitle(n)
	case plan.Keys:
		return keysTitle(n)
	}
	return title{node: plainTitle(n)}
}

// simple is the mode of an aggregation that is not computed by parts.
const simple = "Simple"

func aggregation(strategy, mode string) []property {
	return []property{textProperty("Strategy", strategy), textProperty("Partial Mode", mode)}
}

func writeTitle(operation string, n plan.Node, alias string) title {
	return title{node: "ModifyTable", called: operation, way: []property{textProperty("Operation", operation)},
		on: textProperty("Relation Name", plan.Target(n).Name), alias: alias}
}

// eachTitle is that of a node that writes to several tables: what its inputs do, to the table that is named.
func eachTitle(n plan.WriteEach) title {
	if d, ok := n.In[0].(plan.Delete); ok {
		return writeTitle("Delete", n, targetAlias(d.Input, d.Table))
	}
	u := n.In[0].(plan.Update)
	return writeTitle("Update", n, targetAlias(u.Input, u.Table))
}

// targetAlias is what a statement calls the table that it changes: as the first scan of it does.
func targetAlias(n plan.Node, t *catalog.Table) string {
	if s, ok := n.(plan.Scan); ok && s.Table.ID == t.ID {
		return s.Alias
	}
	for _, in := range n.Inputs() {
		if alias := targetAlias(in, t); alias != "" {
			return alias
		}
	}
	return ""
}

// plainTitle is that of a node of which there is nothing else to say.
func plainTitle(n plan.Node) string {
	switch n := n.(type) {
	case plan.Stream:
		return "Copy Source"
	case plan.Filter:
		return "Filter"
	case plan.Barrier:
		return "Barrier"
	case plan.Sort:
		return "Sort"
	case plan.Nearest:
		return "Nearest"
	case plan.Limit:
		return "Limit"
	case plan.Append:
		if n.By != nil {
			return "Merge Append"
		}
		return "Append"
	case plan.Recursion:
		return "Recursive Union"
	case plan.Window:
		return "WindowAgg"
	case plan.ProjectSet:
		return "ProjectSet"
	case plan.LockRows:
		return "LockRows"
	case plan.Memoize:
		return "Memoize"
	case plan.Gather:
		return "Gather"
	}
	return fmt.Sprintf("%T", n)
}

func scanTitle(s plan.Scan) title {
	t := title{on: textProperty("Relation Name", s.Table.Name), alias: s.Alias}
	a := s.Access
	if a == nil {
		t.node = "Scan"
		return t
	}
	_, keys := a.Keys()
	_, whole := a.Path.(plan.Whole)
	_, box := a.Path.(plan.Box)
	_, behind := a.Path.(plan.Behind)
	x := a.Index()
	switch {
	case behind:
		t.node = "Interleaved Scan"
		return t
	case keys:
		t.node = "Bitmap Heap Scan"
		return t
	case s.Table.Foreign != nil:
		t.node, t.direction = "Foreign Scan", direction(a.Reverse)
		if x != nil {
			t.index = x.Name
		}
		return t
	case x == nil && whole && !(a.Ordered && s.Table.PrimaryKey != ""):
		t.node = "Seq Scan"
		return t
	}
	t.node, t.direction, t.index = "Index Scan", direction(a.Reverse), s.Table.PrimaryKey
	if x != nil {
		t.index = x.Name
		if a.Lookup == nil {
			t.node = "Index Only Scan"
		}
	}
	if box {
		t.node = "Z-Order Scan"
	}
	return t
}

// keysTitle is that of keys and of scans in them, as PostgreSQL has it.
func keysTitle(n plan.Node) title {
	switch n := n.(type) {
	case plan.Keys:
		return title{node: map[bool]string{true: "BitmapOr", false: "BitmapAnd"}[n.Any]}
	case plan.Scan:
		t := title{node: "Bitmap Index Scan", index: n.Table.PrimaryKey}
		if x := n.Access.Index(); x != nil {
			t.index = x.Name
		}
		return t
	}
	return title{}
}

// joinTitle names the strategy and the kind, which of a hash join is told from the side
// that is looked up.
func joinTitle(n plan.Join) title {
	node, kind := "Nested Loop", joinKinds[n.Kind]
	switch {
	case n.Method == nil:
	case n.Method.Strategy == plan.Interleaved:
		node = "Interleaved Join"
	case n.Method.Strategy == plan.Merged:
		node = "Merge Join"
	case n.Method.Strategy == plan.Hash:
		if node = "Hash Join"; n.Method.BuildLeft {
			kind = flippedKinds[n.Kind]
		}
	}
	t := title{node: node, kind: textProperty("Join Type", kind)}
	switch word, isOne := strings.CutSuffix(node, " Join"); {
	case n.Kind == plan.InnerJoin:
	case isOne:
		t.called = word + " " + kind + " Join"
	default:
		t.called = node + " " + kind + " Join"
	}
	return t
}

var joinKinds = [...]string{plan.InnerJoin: "Inner", plan.LeftJoin: "Left", plan.RightJoin: "Right",
	plan.FullJoin: "Full", plan.SemiJoin: "Semi", plan.AntiJoin: "Anti"}

var flippedKinds = [...]string{
	plan.InnerJoin: "Inner", plan.LeftJoin: "Right", plan.RightJoin: "Left", plan.FullJoin: "Full",
	plan.SemiJoin: "Right Semi", plan.AntiJoin: "Right Anti",
}

func setOpTitle(n plan.SetOp) title {
	command := "Intersect"
	if n.Except {
		command = "Except"
	}
	if n.All {
		command += " All"
	}
	return title{node: "SetOp", called: "HashSetOp " + command, way: []property{textProperty("Strategy", "Hashed")},
		kind: textProperty("Command", command)}
}

// refTitle names a common table, and what the statement calls it where that is something else.
func refTitle(n plan.Ref, working bool) title {
	t := title{node: "CTE Scan", on: textProperty("CTE Name", n.Name), alias: n.Alias}
	if working {
		t.node = "WorkTable Scan"
	}
	if t.alias == "" {
		t.alias = n.Name
	}
	return t
}

func functionTitle(n plan.FunctionScan) title {
	t := title{node: "Function Scan", alias: n.Alias}
	if len(n.Calls) == 1 {
		t.on = textProperty("Function Name", n.Calls[0].Fn.Name)
	}
	return t
}

func virtualTitle(n plan.Virtual) title {
	return title{node: "Seq Scan", on: textProperty("Relation Name", n.Relation.Name), alias: n.Alias}
}

// aggregateTitle is that of an Aggregate, or of one of the two that compute it by parts.
func aggregateTitle(n plan.Aggregate) title {
	mode, before := simple, ""
	switch {
	case n.Partial:
		mode, before = "Partial", "Partial "
	case n.Final:
		mode, before = "Finalize", "Finalize "
	}
	called, strategy := "HashAggregate", "Hashed"
	switch {
	case len(n.Groups) == 0:
		called, strategy = "Aggregate", "Plain"
	case n.Sorted:
		called, strategy = "GroupAggregate", "Sorted"
	}
	return title{node: "Aggregate", called: before + called, way: aggregation(strategy, mode)}
}
