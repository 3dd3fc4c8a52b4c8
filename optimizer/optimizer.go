// Package optimizer turns a plan into one that reads fewer keys and gives the same rows:
// one file for each rule. How a scan reads its table is package access's matter, and joins and filters are run by the
// executor. Read Phases first, then any rule.
package optimizer

import (
	"fmt"
	"slices"

	"zproxy/optimizer/access"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Rule is one rewrite. Apply looks at a single node, whose inputs are already rewritten,
// and says whether it made a better one. A rule keeps the rows and the columns of what
// it rewrites.
type Rule struct {
	Name  string
	Apply func(o *Options, n plan.Node) (plan.Node, bool)
}

// Phase is rules that run together until none of them applies, or once, if their work is then done.
type Phase struct {
	Name  string
	Rules []Rule
	Once  bool
}

// Options are what the rules know besides the plan.
type Options struct {
	Store access.Store
	Env   *types.Env
	// Off names rules that are left out, and Paths turns families of access paths off,
	// for tests that compare answers.
	Off   []string
	Paths access.Off
	// Seconds says that joins tell which order was the second.
	Seconds bool
	// Memory is how much a hash table or a sort may hold before its rows go to files.
	Memory price.Memory
	// Gathering is what scans are divided for.
	Gathering
	// Interrupted, if set, is the error with which the work is to end early.
	Interrupted func() error
	// Observe, if set, sees every rule that applied, with the plan before and after.
	Observe func(rule string, before, after plan.Node)

	phases []Phase
	position
	failed error // of a rule
	numbers
	hinted bool // a scan has a hint about joins
}

// position is where the node is that a rule looks at.
type position struct {
	above  []plan.Node // those above the node, as they were before their inputs
	inputs []int       // of each of them the number of the input that the node is, or is below
}

// numbers are those that were given out.
type numbers struct {
	slots int // a number above those of all slots
	memos int // a number above those of all Memoizes
	last  int // the number of the subquery that has the highest
}

// The names of phases behind which plans are priced.
const (
	orderPhase = "order joins"
	latePhase  = "check late"
)

// Phases is the whole optimizer, in the order in which it runs.
var Phases = []Phase{
	{Name: "simplify", Rules: []Rule{foldConstants, factorDisjunction, disjunctionToIn, inlineCommonTable}},
	// Subqueries that can be joins become joins; the others are optimized where they stand.
	{Name: "unnest", Rules: []Rule{mergeFilters, unnestSubquery, unnestAggregate, joinOneRow, pullUpList, pullUpCorrelation}},
	{Name: "hash subqueries", Rules: []Rule{hashExists}},
	{Name: "optimize subqueries", Rules: []Rule{optimizeSubplans}},
	{Name: "push down filters", Rules: []Rule{mergeFilters, strengthenJoin, pushFilterThroughProject, pushFilterDown, pushBarrierDown, pushFilterIntoJoin, pushJoinCondition, restrictByDisjunction, mergeProjects, pullProjectAboveJoin, pushFilterIntoScan, pushKeyIntoVirtual, deriveCondition, removeSelfJoin, removeUselessJoin, removeDistinct, groupByKey, runCondition}},
	// Inputs that have no rows would be read in vain.
	{Name: "leave out scans", Rules: []Rule{leaveOutScan, dropEmptyInput, pruneEmpty, mergeProjects}},
	// Groups that are formed before the joins leave fewer rows to them.
	{Name: "aggregate early", Rules: []Rule{aggregateEarly}},
	// The order of joins depends on how many rows are left on each side.
	{Name: orderPhase, Rules: []Rule{orderJoins, mergeProjects}, Once: true},
	// What runs subqueries waits for joins that drop rows.
	{Name: latePhase, Rules: []Rule{checkLate}, Once: true},
	// No condition goes down any more, but those of joins to scans, which know of their barriers.
	{Name: "drop barriers", Rules: []Rule{dropBarrier, mergeProjects}},
	{Name: "order conditions", Rules: []Rule{orderConditions}},
	{Name: "push down limits", Rules: []Rule{removeRedundantSort, pushLimitIntoSort}},
	// The order that is wanted decides between access paths, and so does how much of it:
	// the sort must know its limit before it tells the scan.
	{Name: "push down order", Rules: []Rule{wantOrder}},
	// Paths cover a query more often when it reads fewer columns.
	{Name: "prune", Rules: []Rule{pruneColumns}},
	// A scan that is not read but at its ends needs no join method.
	{Name: "read ends", Rules: []Rule{minMaxFromIndex, firstOfEach, wantGroupOrder}},
	// A join may choose the path of its right side.
	{Name: "choose join methods", Rules: []Rule{chooseJoinMethod}},
	// Rows near a point are found by boxes around it; the path is chosen with the radius in mind.
	{Name: "read nearest", Rules: []Rule{readNearest}},
	// Access paths are chosen once filters are as low as they go.
	{Name: "choose access paths", Rules: []Rule{chooseAccessPath}},
	// Limits go last: they pass where a path has made a sort needless.
	{Name: "push work into scans", Rules: []Rule{mergeJoin, groupInOrder, dropSort, pushLimitIntoScan}},
	// Then it is known what each scan reads.
	{Name: "share requests", Rules: []Rule{shareRequests}},
	{Name: "keep rows", Rules: []Rule{memoize}},
	// What is left are scans that are read once, from the front to the end.
	{Name: "use workers", Rules: []Rule{gather}, Once: true},
	{Name: "group by workers", Rules: []Rule{gatherGroups}},
}

// Names lists all rules, in the order in which they run.
func Names() []string {
	var out []string
	for _, p := range Phases {
		for _, r := range p.Rules {
			out = append(out, r.Name)
		}
	}
	return out
}

// maxRounds bounds a phase, so that rules which undo each other are found out. A round may do away with
// one subquery or node of many, so that there may be as many more.
const maxRounds = 100

// Optimize runs all phases.
func Optimize(n plan.Node, o *Options) (plan.Node, error) { return optimize(n, o, Phases) }

// slot gives out a slot that no other expression of the statement has.
func (o *Options) slot() int {
	o.slots++
	return o.slots - 1
}

// number gives a subquery a number that no other one of the statement has.
func (o *Options) number() int {
	o.last++
	return o.last
}

// count makes the numbers of slots and subqueries that are given out those behind all of a plan.
func (o *Options) count(n plan.Node) {
	switch n := n.(type) {
	case plan.Join:
		for _, s := range n.Slots {
			o.slots = max(o.slots, s.Number+1)
		}
	case plan.Nearest:
		o.slots = max(o.slots, n.Slot+1)
	case plan.Memoize:
		o.memos = max(o.memos, n.Number+1)
	case plan.Scan:
		o.hinted = o.hinted || slices.ContainsFunc(n.Hints, func(h plan.Hint) bool { return h.Join != nil })
	}
	for _, s := range plan.Subqueries(n) {
		o.last = max(o.last, s.Number)
		for _, slot := range s.Slots {
			o.slots = max(o.slots, slot+1)
		}
		o.count(s.Plan.(plan.Sub).Node)
	}
	for _, in := range n.Inputs() {
		o.count(in)
	}
}

func optimize(n plan.Node, o *Options, phases []Phase) (plan.Node, error) {
	o.phases, o.slots, o.memos, o.last, o.hinted = phases, 0, 0, 0, false
	o.count(n)
	return o.run(n)
}

// run runs the phases on a plan, also on one of a subquery.
func (o *Options) run(n plan.Node) (plan.Node, error) {
	defer func(at position) { o.position = at }(o.position)
	o.position = position{}
	most := maxRounds + o.last + plan.CountNodes(n)
	for _, phase := range o.phases {
		changed := true
		for round := 0; changed && (round == 0 || !phase.Once); round++ {
			if round == most {
				return nil, fmt.Errorf("optimizer phase %q does not come to an end", phase.Name)
			}
			var err error
			if n, changed, err = o.walk(n, phase.Rules); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// walk rewrites a tree from the bottom up, once.
func (o *Options) walk(n plan.Node, rules []Rule) (plan.Node, bool, error) {
	changed := false
	if o.Interrupted != nil {
		if err := o.Interrupted(); err != nil {
			return nil, false, err
		}
	}
	if in := n.Inputs(); len(in) > 0 {
		out := make([]plan.Node, len(in))
		o.above, o.inputs = append(o.above, n), append(o.inputs, 0)
		for i, x := range in {
			o.inputs[len(o.inputs)-1] = i
			y, c, err := o.walk(x, rules)
			if err != nil {
				return nil, false, err
			}
			out[i], changed = y, changed || c
		}
		o.above, o.inputs = o.above[:len(o.above)-1], o.inputs[:len(o.inputs)-1]
		if changed {
			n = n.WithInputs(out)
		}
	}
	for _, r := range rules {
		if !required(r) && slices.Contains(o.Off, r.Name) {
			continue
		}
		after, ok := r.Apply(o, n)
		if o.failed != nil {
			return nil, false, o.failed
		}
		if !ok {
			continue
		}
		if err := sameColumns(r, n, after); err != nil {
			return nil, false, err
		}
		if o.Observe != nil {
			o.Observe(r.Name, n, after)
		}
		n, changed = after, true
	}
	return n, changed, nil
}

// required says whether a plan cannot run without a rule: every scan needs some path,
// also in subqueries.
func required(r Rule) bool {
	return r.Name == chooseAccessPath.Name || r.Name == optimizeSubplansName
}

func sameColumns(r Rule, before, after plan.Node) error {
	if !slices.EqualFunc(before.Columns(), after.Columns(), plan.Column.Same) {
		return fmt.Errorf("optimizer rule %s changed the columns %v to %v", r.Name, before.Columns(), after.Columns())
	}
	return nil
}
