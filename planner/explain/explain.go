package explain

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/eventual"
)

// Options are what is told of plans, and what is known of them besides.
type Options struct {
	Values  *expr.Context
	Store   store.Capabilities
	Profile *plan.Profile // of a run, nil without ANALYZE
	Untimed bool          // without the times of that run
	Why     bool          // with the candidates of each scan
	Verbose bool          // with what each node hands on, and with the schemas of tables
	Buffers bool          // with the blocks of temporary files
	// Estimator says how many rows a node is thought to deliver; nil: that is unknown.
	Estimator *cardinality.Estimator
	// Changed is how many rows of a table were changed since its statistics were made; nil: that is not known.
	Changed func(*catalog.Table) int64
	// Expected is how many keys all runs of a scan were thought to examine, and for how many read units, if that is
	// known; nil: it is not printed.
	Expected func(plan.Scan) (keys, units float64, ok bool)
	// Costs says that the price of each node is told, with so much Memory.
	Costs  bool
	Memory price.Memory
	// AtCommit says that a node which may write blindly does so.
	AtCommit bool
	// Eventual says which reads may miss the last commits, for a lower price.
	Eventual eventual.Reads
	// Validated says that all that is read is read again, to see whether it was of one moment.
	Validated bool
}

// explainer tells of one plan in PostgreSQL's shape.
type explainer struct {
	*Options
	pending []section      // what the next node that is shown has below it
	first   *plan.Profile  // which of the nodes that have a subquery runs it
	working map[int]bool   // recursions whose step is being shown
	keys    bool           // inputs of Keys are being shown
	aliases map[string]int // how many scans of partitions are shown under the alias of their table
	cut     bool           // not all rows of the nodes that are shown may be asked for
	prices  []price.Price  // of the nodes, by their preorder numbers; nil: they are unknown
}

// section is a plan of its own below a node.
type section struct {
	title  string
	kind   string
	node   plan.Node
	number int  // in the profile
	last   bool // it stands behind the inputs
}

// Lines are those of a plan in the text form.
func (o *Options) Lines(n plan.Node) []string { return o.Describe(n).In(TextFormat) }

// Describe is what there is to tell of a plan.
func (o *Options) Describe(n plan.Node) *Explanation {
	x := &explainer{Options: o, working: map[int]bool{}, aliases: map[string]int{}, first: o.Profile}
	if x.first == nil {
		x.first = plan.NewProfile(n)
	}
	if o.Estimator != nil {
		x.prices = price.Nodes(n, *o.Estimator, o.Memory)
	}
	out := x.describe(n, 0)
	out.agree()
	return &Explanation{plan: out}
}

// describe tells of a node and of what is below it. A Project, a With, and a Filter that its input could have, are left
// out, as PostgreSQL leaves them out, but have their numbers in the profile.
func (x *explainer) describe(n plan.Node, number int) described {
	x.pending = append(x.pending, x.subplans(n, number)...)
	switch n := n.(type) {
	case plan.Project:
		d := x.describe(n.Input, number+1)
		d.output = x.output(n)
		x.over(&d, n, number)
		return d
	case plan.Filter:
		if checks(n.Input) {
			d := x.describe(n.Input, number+1)
			d.details = append(without(d.details, misestimatedLabel), x.details(n, number)...)
			d.details = append(d.details, x.misestimated(n, number)...)
			x.over(&d, n, number)
			return d
		}
	case plan.With:
		x.pending = append(x.pending, section{title: "CTE " + n.Name, kind: "InitPlan", node: n.Query,
			number: number + 1})
		d := x.describe(n.Input, number+1+plan.CountNodes(n.Query))
		d.price = x.price(number)
		return d
	}
	if keys, ok := n.(plan.Keys); ok && len(keys.Of) == 1 { // PostgreSQL has no node for it
		x.keys = true
		d := x.describe(keys.Of[0], number+1)
		x.keys = false
		return d
	}
	sections := x.pending
	x.pending = nil
	d := described{title: x.title(n), output: x.output(n), price: x.price(number), actual: x.actual(number),
		details: x.details(n, number)}
	if x.Verbose {
		d.title.schema = x.schemaOf(n)
	}
	d.details = append(d.details, x.misestimated(n, number)...)
	d.details = append(d.details, x.buffers(n, number)...)
	d.plans = append(d.plans, x.sections(sections, false)...)
	d.plans = append(d.plans, x.inputs(n, number)...)
	d.plans = append(d.plans, x.sections(sections, true)...)
	return d
}

// over gives what is told of a node the numbers of the one above it that is told of with it. The time of the subqueries
// in its expressions is part of the node, as in PostgreSQL.
func (x *explainer) over(d *described, n plan.Node, number int) {
	d.details = append(without(d.details, blocksLabel), x.buffers(n, number)...)
	d.price = x.price(number)
	if p := x.Profile.Node(number); p != nil && p.Loops > 0 {
		d.actual = x.actual(number)
	}
}

// checks says whether a node of PostgreSQL may have the condition of a Filter above it.
func checks(n plan.Node) bool {
	switch n := n.(type) {
	case plan.Aggregate, plan.GroupingSets, plan.FunctionScan, plan.Ref, plan.Virtual:
		return true
	case plan.Values:
		return len(n.Rows) > 0
	}
	return false
}

// price is that of the node of a preorder number; nil: it is not told.
func (x *explainer) price(number int) *price.Price {
	if !x.Costs || x.prices == nil {
		return nil
	}
	return &x.prices[number]
}

// inputs tells of what is below a node.
func (x *explainer) inputs(n plan.Node, number int) []described {
	if x.unread(n) {
		return nil
	}
	var out []described
	numbers := map[int]int{}
	next, inputs := number+1, x.aliased(n)
	for i, in := range n.Inputs() {
		numbers[i] = next
		next += plan.CountNodes(in)
	}
	above := x.cut
	defer func() { x.cut = above }()
	add := func(input int, relation string) {
		x.cut = cuts(n, input, above)
		d := x.describe(inputs[input], numbers[input])
		d.relation = relation
		out = append(out, d)
	}
	join, ok := n.(plan.Join)
	if ok && join.Method != nil && join.Method.Strategy == plan.Hash {
		probe, build := 0, 1
		if join.Method.BuildLeft {
			probe, build = 1, 0
		}
		add(probe, "Outer")
		add(build, "Outer")
		hash := described{title: title{node: "Hash"}, relation: "Inner", output: out[1].output,
			price: kept(out[1].price), actual: out[1].actual.kept(), details: hashDetails(x.Profile.Node(number)),
			plans: out[1:]}
		return []described{out[0], hash}
	}
	for i := range inputs {
		if r, ok := n.(plan.Recursion); ok {
			x.working[r.Number] = i == 1
		}
		_, x.keys = n.(plan.Keys)
		add(i, relation(n, i))
	}
	if r, ok := n.(plan.Recursion); ok {
		x.working[r.Number] = false
	}
	x.keys = false
	return out
}

// unread says that a node writes without its input, which would read what it writes.
func (x *explainer) unread(n plan.Node) bool {
	d, ok := n.(plan.Delete)
	return ok && d.Blind && x.AtCommit
}

// relation is what an input is to a node.
func relation(n plan.Node, input int) string {
	switch n.(type) {
	case plan.Append, plan.Keys, plan.WriteEach:
		return "Member"
	}
	return [...]string{"Outer", "Inner"}[input]
}

func (x *explainer) sections(list []section, last bool) []described {
	var out []described
	for _, s := range list {
		if s.last == last {
			above := x.cut
			x.cut = s.kind == "SubPlan"
			d := x.describe(s.node, s.number)
			x.cut = above
			d.relation, d.subplan = s.kind, s.title
			out = append(out, d)
		}
	}
	return out
}

// subplans are the subqueries in the expressions of a node, but for those that are told of below it. One that reads
// nothing of the rows runs once.
func (x *explainer) subplans(n plan.Node, number int) []section {
	var out []section
	number++
	for _, in := range n.Inputs() {
		number += plan.CountNodes(in)
	}
	for _, s := range plan.Subqueries(n) {
		sub, ok := s.Plan.(plan.Sub)
		if !ok {
			continue
		}
		sec := section{title: fmt.Sprintf("SubPlan %d", s.Number), kind: "SubPlan", node: sub.Node, number: number,
			last: true}
		if s.Once() {
			sec.title, sec.kind, sec.last = fmt.Sprintf("InitPlan %d (returns %s)", s.Number, s), "InitPlan", false
		}
		if number == x.first.Subquery(s.Number) {
			out = append(out, sec)
		}
		number += plan.CountNodes(sub.Node)
	}
	return out
}

// details is what is told of a node behind its title.
func (x *explainer) details(n plan.Node, number int) []property {
	p := x.Profile.Node(number)
	switch n := n.(type) {
	case plan.Scan:
		return x.scan(n, number)
	case plan.Gather:
		return gatherDetails(n, p)
	case plan.Filter:
		out := []property{textProperty("Filter", n.Cond.String())}
		if p != nil {
			out = append(out, counted("Rows Removed by Filter", p.Removed))
		}
		return out
	case plan.Append:
		return appendDetails(n)
	case plan.FunctionScan:
		return x.functionCalls(n)
	case plan.Values:
		if len(n.Rows) == 0 {
			return []property{textProperty("One-Time Filter", "false")}
		}
	case plan.Sort:
		return append([]property{listed("Sort Key", textsOf(n.Keys))}, sortMethod(n, p)...)
	case plan.Nearest:
		return x.nearest(n, p)
	case plan.Distinct:
		if n.On == nil {
			return x.hashedGroups(columnNames(n), p)
		}
	case plan.Window:
		return runCondition(n)
	case plan.Memoize:
		return memoizeDetails(n, p)
	case plan.Aggregate:
		switch {
		case n.Sorted:
			return []property{listed("Group Key", textsOf(n.Keys()))}
		case len(n.Groups) > 0:
			return x.hashedGroups(textsOf(n.Keys()), p)
		}
	case plan.GroupingSets:
		return x.groupingSets(n, p)
	case plan.Join:
		return x.joinDetails(n, p)
	case plan.LockRows:
		return []property{textProperty("Lock", n.Text())}
	case plan.Insert:
		return slices.Concat(insertDetails(n), x.conflicts(n, number), x.written(n, number))
	case plan.Update:
		return x.written(n, number)
	case plan.MergeInto:
		return x.written(n, number)
	case plan.Delete:
		return append(x.keyOf(n), x.written(n, number)...)
	case plan.Virtual:
		var only []string
		for _, t := range n.Only {
			only = append(only, n.Relation.Columns[n.Relation.Key].Name+" "+t.String())
		}
		if only != nil {
			return []property{repeated("Key", only)}
		}
	}
	return nil
}

func columnNames(n plan.Node) []string {
	names := make([]string, plan.Width(n))
	for i, c := range n.Columns() {
		names[i] = c.Name
	}
	return names
}

// runCondition is how long a window goes on.
func runCondition(n plan.Window) []property {
	var run []expr.Expr
	for _, c := range n.Run {
		run = append(run, c)
	}
	if run == nil {
		return nil
	}
	return []property{textProperty("Run Condition", expr.Conjoin(run).String())}
}

// sortMethod is what ANALYZE says of a sort.
func sortMethod(n plan.Sort, p *plan.NodeProfile) []property {
	if p == nil || p.Loops == 0 {
		return nil
	}
	method, space, used := "quicksort", "Memory", kilobytes(p.Memory)
	switch {
	case p.Spilled > 0:
		method, space, used = "external merge", "Disk", kilobytes(p.Spilled)
	case n.Most != nil || n.Each > 0:
		method = "top-N heapsort"
	}
	line := fmt.Sprintf("Sort Method: %s  %s: %dkB", method, space, used)
	return []property{
		{label: "Sort Method", value: method, lines: []string{line}},
		unsaid("Sort Space Used", counted("", used).value), unsaid("Sort Space Type", space),
	}
}

func kilobytes(n int64) int64 { return (n + 1023) / 1024 }

func insertDetails(n plan.Insert) []property {
	if n.Conflict == plan.ConflictError {
		return nil
	}
	out := []property{textProperty("Conflict Resolution",
		map[plan.Conflict]string{plan.ConflictNothing: "NOTHING", plan.ConflictUpdate: "UPDATE"}[n.Conflict])}
	switch {
	case n.Primary && n.Table.KeyName() != "":
		out = append(out, listed("Conflict Arbiter Indexes", []string{n.Table.KeyName()}))
	case n.Arbiter != nil:
		out = append(out, listed("Conflict Arbiter Indexes", []string{n.Arbiter.Name}))
	}
	if n.SetWhere != nil {
		out = append(out, textProperty("Conflict Filter", n.SetWhere.String()))
	}
	return out
}

// textsOf are the texts of expressions or keys.
func textsOf[E fmt.Stringer](list []E) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return out
}

func conditions(list []expr.Expr) string {
	if len(list) == 1 {
		return list[0].String()
	}
	return "(" + strings.Join(textsOf(list), " AND ") + ")"
}

func appendDetails(n plan.Append) (out []property) {
	if n.By != nil {
		out = append(out, listed("Sort Key", textsOf(n.By)))
	}
	removed := counted("Subplans Removed", int64(n.Removed))
	removed.quiet = n.Removed == 0
	return append(out, removed)
}
