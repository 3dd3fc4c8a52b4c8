package plan

import "fmt"

// title is what a node is.
func (x *Explainer) title(n Node) title {
	if x.keys {
		return keysTitle(n)
	}
	switch n := n.(type) {
	case Values:
		if len(n.Rows) == 1 {
			return title{node: "Result"}
		}
		return title{node: "Values Scan", called: `Values Scan on "*VALUES*"`, kind: said("Alias", "*VALUES*")}
	case Scan:
		return scanTitle(n)
	case Aggregate:
		if len(n.Groups) == 0 {
			return title{node: "Aggregate", way: aggregation("Plain")}
		}
		return title{node: "Aggregate", called: "HashAggregate", way: aggregation("Hashed")}
	case Distinct:
		if n.On != nil {
			return title{node: "Unique"}
		}
		return title{node: "Aggregate", called: "HashAggregate", way: aggregation("Hashed")}
	case Insert:
		return writeTitle("Insert", n.Table.Name)
	case Update:
		return writeTitle("Update", n.Table.Name)
	case Delete:
		return writeTitle("Delete", n.Table.Name)
	case Join:
		return joinTitle(n)
	case SetOp:
		return setOpTitle(n)
	case Ref:
		return refTitle(n, x.working[n.Number])
	case FunctionScan:
		return functionTitle(n)
	case Virtual:
		return virtualTitle(n)
	case Keys:
		return keysTitle(n)
	}
	return title{node: plainTitle(n)}
}

func aggregation(strategy string) []property {
	return []property{said("Strategy", strategy), said("Partial Mode", "Simple")}
}

func writeTitle(operation, table string) title {
	return title{node: "ModifyTable", called: operation, way: []property{said("Operation", operation)}, on: said("Relation Name", table)}
}

// plainTitle is that of a node of which there is nothing else to say.
func plainTitle(n Node) string {
	switch n.(type) {
	case Stream:
		return "Copy Source"
	case Filter:
		return "Filter"
	case Sort:
		return "Sort"
	case Limit:
		return "Limit"
	case Append:
		return "Append"
	case Recursion:
		return "Recursive Union"
	case Window:
		return "WindowAgg"
	case ProjectSet:
		return "ProjectSet"
	}
	return fmt.Sprintf("%T", n)
}

func scanTitle(s Scan) title {
	t := title{on: said("Relation Name", s.Table.Name), alias: s.Alias}
	a := s.Access
	switch {
	case a == nil:
		t.node = "Scan"
		return t
	case s.Table.Foreign != nil && a.Keys == nil:
		t.node, t.direction = "Foreign Scan", direction(a.Reverse)
		if a.Index != nil {
			t.index = a.Index.Name
		}
		return t
	case a.Keys != nil:
		t.node = "Bitmap Heap Scan"
		return t
	case a.Index == nil && a.Parts == 0 && a.Skip == 0 && !(a.Ordered && s.Table.PrimaryKey != ""):
		t.node = "Seq Scan"
		return t
	}
	t.node, t.direction, t.index = "Index Scan", direction(a.Reverse), s.Table.PrimaryKey
	if a.Index != nil {
		t.index = a.Index.Name
		if !a.Lookup {
			t.node = "Index Only Scan"
		}
	}
	if a.Box {
		t.node = "Z-Order Scan"
	}
	return t
}

// keysTitle is that of keys and of scans in them, as PostgreSQL has it.
func keysTitle(n Node) title {
	switch n := n.(type) {
	case Keys:
		return title{node: map[bool]string{true: "BitmapOr", false: "BitmapAnd"}[n.Any]}
	case Scan:
		t := title{node: "Bitmap Index Scan", index: n.Table.PrimaryKey}
		if n.Access.Index != nil {
			t.index = n.Access.Index.Name
		}
		return t
	}
	return title{}
}

// joinTitle names the strategy and the kind, which of a hash join is told from the side
// that is looked up.
func joinTitle(n Join) title {
	node, kind := "Nested Loop", joinKinds[n.Kind]
	if n.Method != nil && n.Method.Strategy == Hash {
		if node = "Hash Join"; n.Method.BuildLeft {
			kind = flippedKinds[n.Kind]
		}
	}
	t := title{node: node, kind: said("Join Type", kind)}
	switch {
	case n.Kind == InnerJoin:
	case node == "Hash Join":
		t.called = "Hash " + kind + " Join"
	default:
		t.called = node + " " + kind + " Join"
	}
	return t
}

var joinKinds = [...]string{InnerJoin: "Inner", LeftJoin: "Left", RightJoin: "Right", FullJoin: "Full", SemiJoin: "Semi", AntiJoin: "Anti"}

var flippedKinds = [...]string{
	InnerJoin: "Inner", LeftJoin: "Right", RightJoin: "Left", FullJoin: "Full", SemiJoin: "Right Semi", AntiJoin: "Right Anti",
}

func setOpTitle(n SetOp) title {
	command := "Intersect"
	if n.Except {
		command = "Except"
	}
	if n.All {
		command += " All"
	}
	return title{node: "SetOp", called: "HashSetOp " + command, way: []property{said("Strategy", "Hashed")}, kind: said("Command", command)}
}

// refTitle names a common table, and what the statement calls it where that is something else.
func refTitle(n Ref, working bool) title {
	t := title{node: "CTE Scan", on: said("CTE Name", n.Name), alias: n.Alias}
	if working {
		t.node = "WorkTable Scan"
	}
	if t.alias == "" {
		t.alias = n.Name
	}
	return t
}

func functionTitle(n FunctionScan) title {
	t := title{node: "Function Scan", alias: n.Alias}
	if len(n.Calls) == 1 {
		t.on = said("Function Name", n.Calls[0].Fn.Name)
	}
	return t
}

func virtualTitle(n Virtual) title {
	return title{node: "Seq Scan", on: said("Relation Name", n.Relation.Name), alias: n.Alias}
}
