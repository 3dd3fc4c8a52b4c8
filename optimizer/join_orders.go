package optimizer

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/joinorder"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// mostOrders is how many orders of rows a search takes into account.
const mostOrders = 8

// joinOrders are the orders of rows of a joinModel that are of use.
type joinOrders struct {
	*joinModel
	class  []int // of each column the lowest one that equals it
	equal  []int // of each condition the class of the columns that it makes equal; -1: it does not
	keys   []keyOrder
	orders []rowOrder
	scans  map[orderedInput]plan.Scan
	having []joinorder.Set // of each order the inputs with columns of what rows are ordered by first
	wanted wantedOrder
}

// keyOrder is how a layout of an input has its rows: the columns of its key.
type keyOrder struct {
	input   int
	columns []int
}

// rowOrder is what rows are ordered by.
type rowOrder []orderKey

// orderKey is one of equal columns, by the class of these.
type orderKey struct {
	class            int
	desc, nullsFirst bool
}

// orderedInput is an input in an order.
type orderedInput struct{ input, order int }

// wantedOrder is the order that a Sort above the joins makes, or one in which groups of their rows come out one by one.
type wantedOrder struct {
	keys   []plan.SortKey  // over the columns of the joins
	limit  *plan.Limit     // above it; nil: all rows are wanted
	groups *plan.Aggregate // of the rows, which come out in the order; nil: the rows themselves do
	free   int             // how many keys, the last ones, may come in any order of these
	number int             // among the orders; 0: no input has it
	share  float64         // of the rows that is thought to be wanted
	count  float64         // how many groups there are
}

// findOrders finds the orders that are of use: in which two inputs have columns that are equal, and the wanted one.
func (m *joinModel) findOrders(t joinTree, wanted wantedOrder) {
	s := &joinOrders{joinModel: m, wanted: wanted, scans: map[orderedInput]plan.Scan{}}
	s.classify()
	for i, n := range m.set.inputs {
		if scan, ok := n.(plan.Scan); ok && scan.Access == nil && scan.Marked == 0 && len(m.set.slots[i]) == 0 {
			for _, columns := range access.KeyOrders(scan, m.Store, m.Env) {
				if len(columns) > 0 {
					s.keys = append(s.keys, keyOrder{i, columns})
				}
			}
		}
	}
	s.want(t)
	for i, a := range s.keys {
		for _, b := range s.keys[:i] {
			s.add(s.common(a, b))
		}
	}
	for _, order := range s.orders {
		var having joinorder.Set
		for _, k := range s.keys {
			if s.begins(k, order) {
				having |= joinorder.Of(k.input)
			}
		}
		s.having = append(s.having, having)
	}
	if len(s.orders) > 0 {
		m.orders = s
	}
}

// classify finds the columns that are equal.
func (s *joinOrders) classify() {
	conds := make([]expr.Expr, len(s.set.conds))
	for i, c := range s.set.conds {
		conds[i] = c.cond
	}
	s.class = make([]int, s.set.width)
	equal := rowkey.Equivalences(conds)
	for i := range s.class {
		s.class[i] = i
		for _, c := range equal[i] {
			s.class[i] = min(s.class[i], c.Index)
		}
	}
	for _, c := range conds {
		class := -1
		if l, _, ok := rowkey.EqualColumns(c); ok {
			class = s.class[l.Index]
		}
		s.equal = append(s.equal, class)
	}
}

// want adds the order that is wanted, if the key of an input begins with its first column.
func (s *joinOrders) want(t joinTree) {
	order := s.wantedOf(t)
	if len(order) == 0 || !slices.ContainsFunc(s.keys, func(k keyOrder) bool { return s.begins(k, order) }) {
		return
	}
	s.add(order)
	s.wanted.number, s.wanted.share = len(s.orders), 1
	if s.wanted.groups != nil {
		s.wanted.count = s.estimator.Rows(*s.wanted.groups)
	}
	if s.wanted.limit == nil {
		return
	}
	const unknown = 0.1 // as PostgreSQL has it
	s.wanted.share = unknown
	if n, ok := cost.Wanted(s.wanted.limit, expr.Beforehand(s.Env)); ok {
		all := s.wanted.count
		if s.wanted.groups == nil {
			all = s.estimator.Rows(t.node)
		}
		s.wanted.share = math.Min(1, float64(n)/math.Max(1, all))
	}
}

// wantedOf is the order that is wanted, by classes of columns; nil: there is none, or it is not one of columns. Keys
// that are free come as the key of an input has them.
func (s *joinOrders) wantedOf(t joinTree) (order rowOrder) {
	var free []int
	for i, k := range s.wanted.keys {
		c, ok := k.Expr.(expr.Column)
		if !ok {
			return nil
		}
		class := s.class[t.columns[c.Index]]
		if i >= len(s.wanted.keys)-s.wanted.free {
			free = append(free, class)
		} else {
			order = append(order, orderKey{class, k.Desc, k.NullsFirst})
		}
	}
	if s.wanted.groups != nil { // where equal columns are one key
		seen := map[int]bool{}
		again := func(class int) bool { had := seen[class]; seen[class] = true; return had }
		order = slices.DeleteFunc(order, func(k orderKey) bool { return again(k.class) })
		free = slices.DeleteFunc(free, again)
	}
	if len(order) == 0 {
		free = s.asInKey(free)
	}
	for _, class := range free {
		order = append(order, orderKey{class: class})
	}
	return order
}

// asInKey puts classes in the order in which the key of an input begins with all of them, if there is one.
func (s *joinOrders) asInKey(classes []int) []int {
	for _, k := range s.keys {
		if len(k.columns) < len(classes) {
			continue
		}
		var first []int
		for at := range classes {
			first = append(first, s.class[s.global(k, at)])
		}
		if slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(classes))) {
			return first
		}
	}
	return classes
}

// begins says whether the key of an input begins with what rows are ordered by first.
func (s *joinOrders) begins(k keyOrder, order rowOrder) bool {
	return s.class[s.global(k, 0)] == order[0].class
}

// global is the number of a column of a key among those of all inputs.
func (s *joinOrders) global(k keyOrder, at int) int { return s.set.starts[k.input] + k.columns[at] }

// common is the order that the keys of two inputs have in common.
func (s *joinOrders) common(a, b keyOrder) (order rowOrder) {
	if a.input == b.input {
		return nil
	}
	for i := range min(len(a.columns), len(b.columns)) {
		class := s.class[s.global(a, i)]
		if class != s.class[s.global(b, i)] {
			break
		}
		order = append(order, orderKey{class: class})
	}
	return order
}

// add adds an order that is not among the others yet.
func (s *joinOrders) add(order rowOrder) {
	same := func(o rowOrder) bool { return slices.Equal(o, order) }
	if len(order) > 0 && len(s.orders) < mostOrders && !slices.ContainsFunc(s.orders, same) {
		s.orders = append(s.orders, order)
	}
}

// Ways implements joinorder.Orders.
func (s *joinOrders) Ways(input int) (ways []joinorder.Way) {
	for i, order := range s.orders {
		own := func(k keyOrder) bool { return k.input == input && s.begins(k, order) }
		if !slices.ContainsFunc(s.keys, own) {
			continue
		}
		number := i + 1
		scan, ok := s.inOrder(input, order)
		scan.Few = number == s.wanted.number && s.wanted.limit != nil
		if !ok {
			continue
		}
		a := access.Choose(scan, s.Store, s.Paths, s.Env)
		if !a.Ordered && s.set.hints.merges(input) { // whatever that costs
			scan.Few = true
			a = access.Choose(scan, s.Store, s.Paths, s.Env)
		}
		if !a.Ordered || a.Rechosen {
			continue
		}
		s.scans[orderedInput{input, number}] = scan
		way := joinorder.Way{Order: number, Startup: cost.RangeRows, Cost: cost.Path(a.Estimate)}
		if a.Merge != nil { // each stream is asked for its first rows
			way.Startup *= a.Estimate.Spans
		}
		way.Startup = math.Min(way.Startup, way.Cost)
		ways = append(ways, way)
	}
	return ways
}

// inOrder is the scan of an input that asks for an order. It is not ok if the input lacks a column of it.
func (s *joinOrders) inOrder(input int, order rowOrder) (plan.Scan, bool) {
	scan := s.set.inputs[input].(plan.Scan)
	scan.Order = nil
	for _, k := range order {
		at := slices.IndexFunc(s.set.columnsOf(input), func(column int) bool { return s.class[column] == k.class })
		if at < 0 {
			return scan, false
		}
		scan.Order = append(scan.Order, plan.Order{Column: scan.Reads[at], Desc: k.desc, NullsFirst: k.nullsFirst})
	}
	return scan, true
}

// Kept implements joinorder.Orders. It is what the method costs that chooseJoinMethod takes.
func (s *joinOrders) Kept(l, r *joinorder.Plan, j joinorder.Join, rows float64) joinorder.Way {
	if j.Lateral {
		total := l.Cost + price.Repeated(l.Rows, s.eachRun(r), rows)
		return joinorder.Way{Order: l.Order, Startup: l.Startup, Cost: total}
	}
	hashed := joinorder.Way{Order: l.Order, Startup: l.Startup + r.Cost, Cost: l.Cost + r.Cost}
	if !s.equates(l, r, j) {
		hashed.Cost += price.Compared(l.Rows, r.Rows, rows)
		return hashed
	}
	ways := s.set.hints.ways(l.Set, r.Set)
	switch {
	case ways.unlessMerged():
		hashed.Cost += forbidden
	case ways.noHash:
		hashed.Cost += price.Compared(l.Rows, r.Rows, rows)
	default:
		hashed.Startup += price.Built(r.Rows)
		hashed.Cost += price.Probed(l.Rows, r.Rows, rows)
		if !s.holds(r) {
			hashed.Cost += price.SpilledJoin(l.Rows, r.Rows, rows)
		}
	}
	if r.Left != nil || ways.noLoop {
		return hashed
	}
	most := s.part(hashed)
	found := joinorder.Way{Order: l.Order, Startup: l.Startup, Cost: l.Cost + price.Found(l.Rows, cost.RangeRows, rows)}
	if s.part(found) >= most { // at the least
		return hashed
	}
	found.Cost = l.Cost + price.Found(l.Rows, s.perRow(l, r, j), rows)
	if s.part(found) < most {
		return found
	}
	return hashed
}

// equates says whether a join asks for equal values of its sides.
func (m *joinModel) equates(l, r *joinorder.Plan, j joinorder.Join) bool {
	return slices.ContainsFunc(j.Conditions, func(number int) bool { return m.sideOf(number, l.Set, r.Set) != neither })
}

// shareOf is the share of rows in an order that is thought to be wanted.
func (s *joinOrders) shareOf(order int) float64 {
	if s.suits(order) {
		return s.wanted.share
	}
	return 1
}

// suits says whether rows in an order are in the wanted one.
func (s *joinOrders) suits(order int) bool {
	if order == 0 || s.wanted.number == 0 {
		return false
	}
	of, wanted := s.orders[order-1], s.orders[s.wanted.number-1]
	return len(of) >= len(wanted) && slices.Equal(of[:len(wanted)], wanted)
}

// part is what the rows cost that are thought to be wanted.
func (s *joinOrders) part(w joinorder.Way) float64 {
	return w.Startup + s.shareOf(w.Order)*(w.Cost-w.Startup)
}

// Merged implements joinorder.Orders.
func (s *joinOrders) Merged(l, r *joinorder.Plan, j joinorder.Join, rows float64) (w joinorder.Way, ok bool) {
	if s.set.hints.ways(l.Set, r.Set).noMerge {
		return w, false
	}
	var room [mostOrders]int
	classes := room[:0]
	for _, number := range j.Conditions {
		if s.sideOf(number, l.Set, r.Set) == neither {
			continue
		}
		if s.equal[number] < 0 {
			return w, false
		}
		classes = append(classes, s.equal[number])
	}
	of, other, n := s.orders[l.Order-1], s.orders[r.Order-1], len(classes)
	if !beginsWith(of, classes) || !beginsWith(other, classes) || !slices.Equal(of[:n], other[:n]) {
		return w, false
	}
	total := l.Cost + r.Cost + price.Merged(l.Rows, r.Rows, rows)
	return joinorder.Way{Order: l.Order, Startup: l.Startup + r.Startup, Cost: total}, true
}

// beginsWith says whether an order begins with some classes, in any order of these and ascending.
func beginsWith(order rowOrder, classes []int) bool {
	if len(classes) == 0 || len(classes) > len(order) {
		return false
	}
	return !slices.ContainsFunc(order[:len(classes)], func(k orderKey) bool {
		return k.desc || k.nullsFirst || !slices.Contains(classes, k.class)
	})
}

// Useful implements joinorder.Orders.
func (s *joinOrders) Useful(order int, others joinorder.Set) bool {
	return s.suits(order) || s.having[order-1].Meets(others)
}

// Whole implements joinorder.Orders.
func (s *joinOrders) Whole(w joinorder.Way, rows float64) float64 {
	switch in := s.suits(w.Order); {
	case s.wanted.number == 0:
		return s.part(w)
	case s.wanted.groups != nil:
		return s.grouped(w, rows, in)
	case in:
		return s.part(w)
	}
	return w.Cost + price.Sorted(rows, s.wanted.share*rows)
}

// grouped is what the wanted groups cost of rows that come in their order or not.
func (s *joinOrders) grouped(w joinorder.Way, rows float64, inOrder bool) float64 {
	groups, calls := math.Min(s.wanted.count, rows), len(s.wanted.groups.Calls)
	if inOrder {
		return s.part(w) + s.wanted.share*price.Streamed(rows, groups, calls)
	}
	sorted := 0.0
	if s.wanted.free < len(s.wanted.keys) {
		sorted = price.Sorted(groups, s.wanted.share*groups)
	}
	return w.Cost + price.Grouped(rows, groups, calls) + sorted
}

// limited is the share of rows in an order that is thought to be wanted; 0: all of them are.
func (s *joinOrders) limited(order int) float64 {
	if share := s.shareOf(order); share < 1 {
		return share
	}
	return 0
}

// wantedAbove is the order that the nodes above a node want, of which the last one has it as its input.
func wantedAbove(above []plan.Node) (w wantedOrder) {
	for _, n := range above {
		ok := true
		switch n := n.(type) {
		case plan.Limit:
			if w = (wantedOrder{}); n.Count != nil { // an OFFSET alone wants all rows
				w.limit = &n
			}
		case plan.Sort:
			if w.groups != nil { // in whose order the sorted rows need not come
				w = wantedOrder{}
			}
			w.keys = n.Keys
		case plan.Project:
			if w.keys != nil {
				w.keys, ok = keysBelow(n, w.keys)
			}
		case plan.Filter: // which leaves out that no one knows how many
			w.limit = nil
		case plan.Aggregate:
			w = groupsWanted(n, w)
		case plan.LockRows:
		default:
			ok = false
		}
		if !ok {
			w = wantedOrder{}
		}
	}
	if w.keys == nil {
		return wantedOrder{}
	}
	return w
}

// groupsWanted is the order of the rows of groups that are wanted in an order, or in any.
func groupsWanted(a plan.Aggregate, w wantedOrder) wantedOrder {
	keys := a.Keys()
	if len(keys) == 0 {
		return wantedOrder{}
	}
	if w.groups != nil { // of these groups
		w = wantedOrder{}
	}
	out := wantedOrder{limit: w.limit, groups: &a}
	rest := slices.Clone(keys)
	for _, k := range w.keys {
		c, ok := k.Expr.(expr.Column)
		if !ok || c.Index >= len(a.Groups) {
			out.keys, out.limit, rest = nil, nil, slices.Clone(keys)
			break
		}
		k.Expr = a.Groups[c.Index]
		out.keys = append(out.keys, k)
		rest = slices.DeleteFunc(rest, func(e expr.Expr) bool { return expr.Equal(e, k.Expr) })
	}
	for _, e := range rest {
		out.keys = append(out.keys, plan.SortKey{Expr: e})
	}
	out.free = len(rest)
	return out
}

// neededAbove are the columns of a node that those above it read, of which the last one has it as its input; nil: all.
func neededAbove(above []plan.Node) map[int]bool {
	needed := map[int]bool{}
	for _, n := range slices.Backward(above) {
		switch n.(type) {
		case plan.Project, plan.Aggregate:
			columnsOf(needed, plan.Exprs(n)...)
			return needed
		case plan.Filter, plan.Sort, plan.Limit, plan.LockRows, plan.Barrier:
			columnsOf(needed, plan.Exprs(n)...)
		default:
			return nil
		}
	}
	return nil
}
