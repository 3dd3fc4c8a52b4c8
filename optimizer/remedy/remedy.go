package remedy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// shardsOfProposal is in how many shards a proposed index lies, where it must.
const shardsOfProposal = "4"

// Statement is what is known of a statement for which there may be a remedy, and how one is tried.
type Statement struct {
	Plan  plan.Node
	Known *expr.Context // the values with which it runs
	// Planned is the plan that it would have if a table were like this one.
	Planned func(*catalog.Table) (plan.Node, error)
	// Chosen is such a plan for the values that are known.
	Chosen func(plan.Node) plan.Node
	// WithIndex is a table with one more index; nil when that cannot be made.
	WithIndex func(t *catalog.Table, ddl string) *catalog.Table
	// Advised says whether a client would be advised against the last index of a table, and Same
	// whether two indexes have the same keys.
	Advised func(*catalog.Table) bool
	Same    func(a, b *catalog.Index) bool
}

// For names an index with which a scan would do: one that is there but is not read yet, or one
// that can be made. It is tried before it is named: does says whether the plan that comes of it is better.
func (s *Statement) For(scan plan.Scan, does func(plan.Node) bool) string {
	t := scan.Table
	serves := func(other *catalog.Table) bool {
		n, err := s.Planned(other)
		return err == nil && does(s.Chosen(n))
	}
	if t.Foreign != nil {
		return foreignRemedy(t, serves)
	}
	scan.Filter = cost.Asked(t, scan.Filter)
	for i := range t.Indexes {
		if x := &t.Indexes[i]; !x.State.Reads() && serves(t.WithState(x.ID, catalog.Readable)) {
			return fmt.Sprintf("Index %q would serve, but is not built yet: REINDEX INDEX %s.", x.Name,
				expr.QuoteIdent(x.Name))
		}
	}
	joined := joinedBy(s.Plan, t)
	all := proposals(scan, joined)
	points, intervals := access.Searchable(scan)
	searched := len(points) + len(intervals) + len(joined)
	for _, one := range alternatives(scan) {
		points, intervals := access.Searchable(one)
		all, searched = append(all, proposals(one, nil)...), searched+len(points)+len(intervals)
	}
	faulty := ""
	for _, ddl := range all {
		with := s.WithIndex(t, ddl)
		if with != nil {
			searched++
		}
		switch {
		case with == nil || !serves(with):
		case s.twin(with) != nil:
			return fmt.Sprintf("Index %q would serve, but a hint of the statement leaves it out.", s.twin(with).Name)
		case !s.Advised(with):
			return "An index would serve: " + ddl + "."
		case faulty == "":
			faulty = ddl
		}
	}
	if faulty != "" {
		return "An index would serve: " + faulty + "."
	}
	switch {
	case searched > 0:
		return "No index was found that would let it read less."
	case len(scan.Filter) > 0:
		return "No index would serve: no condition compares a column of the table with a value."
	}
	return "No index would serve: there is no condition on the table."
}

// foreignRemedy names the index of a foreign table that would serve if it held all that is wanted,
// and the conditions that say so. One that has all columns goes first; of which the partition key is
// not bound, none is named.
func foreignRemedy(t *catalog.Table, serves func(*catalog.Table) bool) string {
	list := slices.Clone(t.Indexes)
	slices.SortStableFunc(list, func(a, b catalog.Index) int {
		return cmp.Compare(noughtIf(a.Covers),
			noughtIf(b.Covers))
	})
	for _, x := range list {
		if x.Where == nil {
			continue
		}
		lacks := slices.DeleteFunc(slices.Clone(x.Where.NotNull),
			func(id uint32) bool { return t.Columns[t.Ordinal(id)].Declared })
		if len(lacks) == 0 || !serves(declared(t, lacks)) {
			continue
		}
		for _, id := range slices.Clone(lacks) { // a condition may demand some of them anyway
			rest := slices.DeleteFunc(slices.Clone(lacks), func(other uint32) bool { return other == id })
			if serves(declared(t, rest)) {
				lacks = rest
			}
		}
		if slices.Contains(lacks, x.Layout.Sources()[0]) {
			continue
		}
		var names []string
		for _, id := range lacks {
			names = append(names, t.Columns[t.Ordinal(id)].Shown(expr.QuoteIdent))
		}
		return fmt.Sprintf("Index %q would serve, but has only the items with %s. Add %s IS NOT NULL to the conditions if others are not wanted; "+
			"ALTER FOREIGN TABLE %s ALTER %s SET NOT NULL says that there are no others.",
			x.Name, strings.Join(names, " and "), strings.Join(names, " IS NOT NULL AND "), expr.QuoteIdent(t.Name),
			strings.Join(names, " SET NOT NULL, ALTER "))
	}
	return "Conditions on its key, or on that of one of its indexes, would serve: EXPLAIN (WHY) tells which there are."
}

func noughtIf(yes bool) int {
	if yes {
		return 0
	}
	return 1
}

// declared is a foreign table of which some columns are declared NOT NULL.
func declared(t *catalog.Table, columns []uint32) *catalog.Table {
	for _, id := range columns {
		t = t.WithColumn(t.Ordinal(id), func(c *catalog.Column) { c.Declared = true })
	}
	return t
}

// alternatives are scans for what each side of an OR asks: indexes are merged, so one may be all
// that lacks.
func alternatives(scan plan.Scan) []plan.Scan {
	var out []plan.Scan
	for _, cond := range scan.Filter {
		or, ok := cond.(expr.Logic)
		if !ok || !or.Or {
			continue
		}
		for _, arg := range or.Args {
			one := scan
			one.Filter = expr.Conjuncts(arg)
			out = append(out, one)
		}
	}
	return out
}

// proposals are indexes that may serve a scan, the best first. joined are columns by which it
// is joined.
func proposals(scan plan.Scan, joined []uint32) []string {
	points, intervals := access.Searchable(scan)
	var out []string
	propose := func(columns []uint32) {
		if len(columns) > 0 {
			out = append(out, advice.Propose(scan.Table, catalog.BTree, columns, nil))
			// Where partitions have no order an interval is read within each of some shards.
			out = append(out, advice.Propose(scan.Table, catalog.BTree, columns,
				map[string]string{"shards": shardsOfProposal}))
		}
	}
	for _, id := range joined {
		if !slices.Contains(points, id) {
			points = append(points, id)
		}
	}
	if len(points) == 0 && len(intervals) > 1 {
		out = append(out, advice.Propose(scan.Table, catalog.ZOrder, intervals, nil))
	}
	columns := points
	if i := slices.IndexFunc(intervals, func(id uint32) bool { return !slices.Contains(points, id) }); i >= 0 {
		columns = append(slices.Clip(points), intervals[i])
	}
	propose(columns)
	out = append(out, invertedProposals(scan)...)
	if scan.Few { // the first rows in an order
		for _, o := range scan.Order {
			if id := scan.Table.Columns[o.Column].ID; !slices.Contains(points, id) {
				points = append(points, id)
			}
		}
		propose(points)
	}
	return out
}

// joinedBy are the columns of a table that is read as a whole, by ID, by which joins of a plan
// find partners in it.
func joinedBy(n plan.Node, t *catalog.Table) []uint32 {
	if j, ok := n.(plan.Join); ok && j.Method != nil {
		for _, side := range []struct {
			node plan.Node
			key  func(plan.JoinKey) expr.Expr
		}{
			{j.Left, func(k plan.JoinKey) expr.Expr { return k.Left }},
			{j.Right, func(k plan.JoinKey) expr.Expr { return k.Right }},
		} {
			scan, ok := side.node.(plan.Scan)
			if !ok || scan.Table.ID != t.ID || !cost.ReadsAll(scan) {
				continue
			}
			var out []uint32
			for _, k := range j.Method.Keys {
				if c, ok := side.key(k).(expr.Column); ok {
					out = append(out, t.Columns[scan.Reads[c.Index]].ID)
				}
			}
			return out
		}
	}
	below := n.Inputs()
	for _, sub := range plan.Subqueries(n) {
		below = append(slices.Clip(below), sub.Plan.(plan.Sub).Node)
	}
	for _, in := range below {
		if out := joinedBy(in, t); out != nil {
			return out
		}
	}
	return nil
}

// twin is the index of a table that is what the last one is, nil if there is none.
func (s *Statement) twin(t *catalog.Table) *catalog.Index {
	last := len(t.Indexes) - 1
	i := slices.IndexFunc(t.Indexes[:last],
		func(x catalog.Index) bool { return !x.Partial() && s.Same(&x, &t.Indexes[last]) })
	if i < 0 {
		return nil
	}
	return &t.Indexes[i]
}
