package plan

import (
	"fmt"
	"strings"

	"zproxy/planner/expr"
	"zproxy/store"
)

// Explainer prints plans in PostgreSQL's shape.
type Explainer struct {
	Context *expr.Context
	Store   store.Capabilities
	Profile *Profile // of a run, nil without ANALYZE
	Why     bool     // with the candidates of each scan
	// Rows is how many rows a node is thought to deliver; nil: nobody knows.
	Rows func(Node) float64
	// AtCommit says that an Insert which may put its rows unseen does so.
	AtCommit bool
	// Eventual says that reads may miss the last commits, for a lower price.
	Eventual bool

	lines   []string
	pending []section    // what the next node that is shown has below it
	working map[int]bool // recursions whose step is being shown
	keys    bool         // inputs of Keys are being shown
}

// section is a plan of its own below a node.
type section struct {
	title string
	node  Node
	place int  // in the profile
	last  bool // it stands behind the inputs
}

// Explain is the lines of a plan.
func (x *Explainer) Explain(n Node) []string {
	x.lines, x.pending, x.working = nil, nil, map[int]bool{}
	x.print(n, 0, 0, "")
	return x.lines
}

// print shows a node, whose text begins in a column, and what is below it. A Project and a
// With are not shown, as PostgreSQL does not show them, but have their places in the
// profile.
func (x *Explainer) print(n Node, place, column int, lead string) {
	x.pending = append(x.pending, x.subplans(n, place)...)
	switch n := n.(type) {
	case Project:
		x.print(n.Input, place+1, column, lead)
		return
	case With:
		x.pending = append(x.pending, section{title: "CTE " + n.Name, node: n.Query, place: place + 1})
		x.print(n.Input, place+1+Places(n.Query), column, lead)
		return
	}
	if s, ok := n.(Scan); ok && s.Lock {
		x.line(column-len(lead), lead+"LockRows")
		column, lead = column+6, arrow
	}
	sections := x.pending
	x.pending = nil
	x.line(column-len(lead), lead+x.title(n)+x.actual(place))
	for _, d := range x.details(n, place) {
		x.line(column+2, d)
	}
	x.sections(sections, column, false)
	x.inputs(n, place, column)
	x.sections(sections, column, true)
}

func (x *Explainer) line(column int, text string) {
	x.lines = append(x.lines, strings.Repeat(" ", column)+text)
}

const arrow = "->  "

// inputs shows what is below a node.
func (x *Explainer) inputs(n Node, place, column int) {
	places := map[int]int{}
	next := place + 1
	for i, in := range n.Inputs() {
		places[i] = next
		next += Places(in)
	}
	join, ok := n.(Join)
	if ok && join.Method != nil && join.Method.Strategy == Hash {
		probe, build := 0, 1
		if join.Method.BuildLeft {
			probe, build = 1, 0
		}
		x.print(n.Inputs()[probe], places[probe], column+6, arrow)
		x.line(column+2, arrow+"Hash")
		for _, d := range hashDetails(x.Profile.Node(place)) {
			x.line(column+8, d)
		}
		x.print(n.Inputs()[build], places[build], column+12, arrow)
		return
	}
	for i, in := range n.Inputs() {
		if r, ok := n.(Recursion); ok {
			x.working[r.Number] = i == 1
		}
		_, x.keys = n.(Keys)
		x.print(in, places[i], column+6, arrow)
	}
	if r, ok := n.(Recursion); ok {
		x.working[r.Number] = false
	}
	x.keys = false
}

func (x *Explainer) sections(list []section, column int, last bool) {
	for _, s := range list {
		if s.last == last {
			x.line(column+2, s.title)
			x.print(s.node, s.place, column+8, arrow)
		}
	}
}

// subplans are the subqueries in the expressions of a node. One that reads nothing of the
// rows runs once.
func (x *Explainer) subplans(n Node, place int) []section {
	var out []section
	place++
	for _, in := range n.Inputs() {
		place += Places(in)
	}
	for _, s := range Subqueries(n) {
		sub, ok := s.Plan.(Sub)
		if !ok {
			continue
		}
		sec := section{title: fmt.Sprintf("SubPlan %d", s.Number), node: sub.Node, place: place, last: true}
		if s.Once() {
			sec.title, sec.last = fmt.Sprintf("InitPlan %d (returns %s)", s.Number, s), false
		}
		out = append(out, sec)
		place += Places(sub.Node)
	}
	return out
}

// actual is what ANALYZE adds to a node's first line: for a node that ran several times
// what one run took.
func (x *Explainer) actual(place int) string {
	p := x.Profile.Node(place)
	switch {
	case p == nil:
		return ""
	case p.Loops == 0:
		return " (never executed)"
	}
	each := float64(p.Time.Nanoseconds()) / 1e6 / float64(p.Loops)
	return fmt.Sprintf(" (actual time=%.3f rows=%.0f loops=%d)", each, float64(p.Rows)/float64(p.Loops), p.Loops)
}

// title is the first line of a node.
func (x *Explainer) title(n Node) string {
	if x.keys {
		return keysTitle(n)
	}
	switch n := n.(type) {
	case Values:
		if len(n.Rows) == 1 {
			return "Result"
		}
		return `Values Scan on "*VALUES*"`
	case Scan:
		return scanTitle(n)
	case Aggregate:
		if len(n.Groups) == 0 {
			return "Aggregate"
		}
		return "HashAggregate"
	case Distinct:
		if n.On != nil {
			return "Unique"
		}
		return "HashAggregate"
	case Insert:
		return "Insert on " + n.Table.Name
	case Update:
		return "Update on " + n.Table.Name
	case Delete:
		return "Delete on " + n.Table.Name
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
	return plainTitle(n)
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

// details are the lines below the first one.
func (x *Explainer) details(n Node, place int) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	p := x.Profile.Node(place)
	switch n := n.(type) {
	case Scan:
		out = x.scan(n, place)
	case Filter:
		add("Filter: %s", n.Cond)
		if p != nil {
			add("Rows Removed by Filter: %d", p.Removed)
		}
	case Sort:
		add("Sort Key: %s", sortKeys(n.Keys))
		out = append(out, sortMethod(n, p)...)
	case Distinct:
		if n.On == nil {
			add("Group Key: %s", columnNames(n))
		}
	case Aggregate:
		if len(n.Groups) > 0 {
			add("Group Key: %s", texts(n.Groups, ", "))
		}
	case Join:
		out = joinDetails(n, p)
	case Insert:
		out = append(insertDetails(n), x.written(n, p)...)
	case Update, Delete:
		out = x.written(n, p)
	case Virtual:
		for _, t := range n.Only {
			add("Key: %s %s", n.Relation.Columns[n.Relation.Key].Name, t)
		}
	}
	return out
}

func columnNames(n Node) string {
	names := make([]string, len(n.Columns()))
	for i, c := range n.Columns() {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// sortMethod is what ANALYZE says of a sort.
func sortMethod(n Sort, p *NodeProfile) []string {
	switch {
	case p == nil || p.Loops == 0:
		return nil
	case p.Spilled > 0:
		return []string{fmt.Sprintf("Sort Method: external merge  Disk: %dkB", kilobytes(p.Spilled))}
	case n.Most != nil:
		return []string{fmt.Sprintf("Sort Method: top-N heapsort  Memory: %dkB", kilobytes(p.Memory))}
	}
	return []string{fmt.Sprintf("Sort Method: quicksort  Memory: %dkB", kilobytes(p.Memory))}
}

func kilobytes(n int64) int64 { return (n + 1023) / 1024 }

func insertDetails(n Insert) []string {
	if n.Conflict == ConflictError {
		return nil
	}
	out := []string{"Conflict Resolution: " + map[Conflict]string{ConflictNothing: "NOTHING", ConflictUpdate: "UPDATE"}[n.Conflict]}
	switch {
	case n.Primary && n.Table.PrimaryKey != "":
		out = append(out, "Conflict Arbiter Indexes: "+n.Table.PrimaryKey)
	case n.Arbiter != nil:
		out = append(out, "Conflict Arbiter Indexes: "+n.Arbiter.Name)
	}
	if n.SetWhere != nil {
		out = append(out, "Conflict Filter: "+n.SetWhere.String())
	}
	return out
}

func sortKeys(keys []SortKey) string {
	var out []string
	for _, k := range keys {
		s := k.Expr.String()
		if k.Desc {
			s += " DESC"
		}
		if k.NullsFirst != k.Desc {
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func texts(list []expr.Expr, sep string) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return strings.Join(out, sep)
}

func conditions(list []expr.Expr) string {
	if len(list) == 1 {
		return list[0].String()
	}
	return "(" + texts(list, " AND ") + ")"
}
