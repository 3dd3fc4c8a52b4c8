package access

import (
	"cmp"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/elements"
	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// An inverted index narrows conditions that ask for elements of a column: its entries under an element have the keys of
// the rows that have it.
//
//	tags @> '{a,b}'      rows under a and under b
//	tags && '{a,b}'      rows under a or under b
//	name ILIKE '%ann%'   rows under the trigram ann
//
// A row with the elements need not meet the condition, so that it is checked again.

// asked is what conditions ask of one inverted index, and what it takes to read one element.
type asked struct {
	index *catalog.Index
	conds []int // by their numbers
	asks  []inverted.Ask
	one   plan.Scan
}

// mostElements bounds the elements that one scan may read. Beyond it other paths are better.
const mostElements = 10_000

// asks is the set of the keys that an inverted index has of the rows that are wanted, if conditions ask for elements of
// its columns.
func (k *keyChooser) asks(x *catalog.Index) (keySet, bool) {
	if !k.hints().mayRead(x) {
		return keySet{}, false
	}
	a := asked{index: x}
	for i, cond := range k.keyed {
		column, ask, ok := inverted.AskOf(cond)
		if !ok || !repeatable(cond) {
			continue
		}
		if ask.Key = keyOf(x, k.readID(column)); ask.Key >= 0 && inverted.Of(x, ask.Key).Asks(ask.Operator) {
			a.conds, a.asks = append(a.conds, i), append(a.asks, ask)
		}
	}
	if len(a.conds) == 0 {
		return keySet{}, false
	}
	a.one = k.underOne(x)
	out := a.set(&k.estimator, k.reverse)
	return out, !math.IsInf(out.keys, 1)
}

// keyOf is the number of a column in the key of an index, negative if it is not there.
func keyOf(x *catalog.Index, column uint32) int {
	for i, key := range x.Layout.Key {
		if key.ID == column {
			return i
		}
	}
	return -1
}

// underOne is the scan of the entries under some element, in the order of the table's keys.
func (k *keyChooser) underOne(x *catalog.Index) plan.Scan {
	t := k.scan.Table
	s := plan.Scan{Table: t, Alias: k.scan.Alias, Order: k.order, Holds: k.scan.Holds, Reads: t.KeyOrdinals()}
	element := len(s.Reads)
	s.Reads = append(s.Reads, t.Ordinal(catalog.Element))
	s.Cols = plan.TableColumns(t, s.Reads)
	s.Filter = []expr.Expr{expr.Compare{Op: expr.EQ, Left: expr.Column{Index: element, T: types.Bytea},
		Right: expr.Const{Value: types.NewBytes([]byte{0}), T: types.Bytea}}}
	one := newChooser(s, k.store, k.ctx)
	one.keysOnly = true
	p := one.prefix(x, Off{Each: true})
	access := p.access.of(t)
	s.Access = &access
	return s
}

// set is the set of the keys with what reading them is thought to take.
func (a *asked) set(c *estimator, reverse bool) keySet {
	out := keySet{conds: a.conds, asked: a}
	t := c.scan.Table
	rows := math.Max(t.RowCount(), 1)
	share, e := 1.0, &out.reads
	for _, ask := range a.asks {
		id := a.index.Layout.Key[ask.Key].ID
		out.columns = append(out.columns, id)
		q, err := ask.Query(c.ctx, inverted.Of(a.index, ask.Key))
		if err != nil { // it is not known yet
			q = inverted.Query{Of: make([]inverted.Query, guessedElements), Least: guessedElements}
		}
		w := weighing{of: t.Stats.Column(id).Elements}
		if share *= w.share(&q); q.All {
			continue
		}
		e.Spans += w.elements
		e.Rows += rows * w.read
	}
	out.keys = rows * share
	if e.Spans == 0 || e.Spans > mostElements {
		out.keys = math.Inf(1)
	}
	e.Ranges, e.Matches = e.Spans*math.Max(a.one.Access.Estimate.Ranges, 1), out.keys
	e.Price = cost.Price(*e, false)
	if c.store.Units {
		e.Width = t.EntryBytes(a.index)
	}
	cost.ChargeRanges(e, e.Ranges)
	out.price = e.Price + cost.RangeRows*e.Spans
	out.node = a.scan(c, reverse, *e)
	return out
}

// guessedElements is how many elements a condition is taken to ask for of which nothing is known.
const guessedElements = 2

// scan is the node of the keys.
func (a *asked) scan(c *estimator, reverse bool, e plan.Estimate) plan.Scan {
	one := a.one
	access := plan.Access{Estimate: e, Path: plan.Elements{
		Entries: plan.Entries{Index: a.index}, Asks: a.asks, One: &one}}
	access.Ordered, access.Reverse = true, reverse
	for _, i := range a.conds {
		access.Cond = append(access.Cond, c.scan.Filter[i])
	}
	return plan.Scan{Table: c.scan.Table, Alias: c.scan.Alias, Cols: plan.Keys{}.Columns(),
		Access: &access}
}

// weighing says what share of the rows a query finds, and what it takes.
type weighing struct {
	of       *elements.Stats // of the column; nil: nothing is known
	read     float64         // entries, for each row
	elements float64         // that are read
}

const (
	// rareElement is the share of rows that are taken to have an element of which nothing is known.
	rareElement = 0.005
	// together is how much rarer than the rarest one several elements together are at the most: those of one
	// value, as the trigrams of a word, come together.
	together = 0.01
)

func (w *weighing) share(q *inverted.Query) float64 {
	switch {
	case q.All:
		return 1
	case q.Leaf():
		share := rareElement
		if w.of != nil && !q.Item.IsNull() {
			share = w.of.Share(q.Item)
		}
		w.elements++
		w.read += share
		return share
	case len(q.Of) == 0:
		return 0
	}
	shares := make([]float64, len(q.Of))
	for i := range q.Of {
		shares[i] = w.share(&q.Of[i])
	}
	if q.Least == 1 {
		none := 1.0
		for _, s := range shares {
			none *= 1 - s
		}
		return 1 - none
	}
	slices.SortFunc(shares, func(a, b float64) int { return cmp.Compare(b, a) })
	most := shares[min(q.Least, len(shares))-1]
	all := 1.0
	for _, s := range shares[:min(q.Least, len(shares))] {
		all *= s
	}
	return math.Max(all, most*together)
}
