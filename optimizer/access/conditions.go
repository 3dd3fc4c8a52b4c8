package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/types"
)

// conditions are those of a scan, and what they say of the columns of its table.
type conditions struct {
	scan        plan.Scan
	keyed       []expr.Expr // those of the scan, with columns in place of expressions that indexes are over
	reads       []int       // the ordinals in the table of the columns that these read
	constraints []constraint
	filter      []expr.Expr // the scan's, over the columns of the table; nil: not asked for yet
}

func conditionsOf(s plan.Scan) conditions {
	c := conditions{scan: s}
	c.keyed, c.reads = keyed(s)
	c.constraints = c.constrain()
	return c
}

// constraint is what one condition says of one column.
type constraint struct {
	cond  int    // place of the condition in Scan.Filter
	id    uint32 // of the column in the table, or of an axis or a normal form of it
	term  plan.Term
	exact bool             // the term says all that the condition does
	lives bool             // the condition is the one for rows to be there
	row   *expr.RowCompare // of which the term is what it says of the first field
}

// constrain finds the conditions that bound a column: comparisons with something fixed,
// IN, = ANY of an array, LIKE with a prefix, IS [NOT] NULL, and a boolean column by itself.
func (c *conditions) constrain() []constraint {
	var out []constraint
	for i, cond := range c.keyed {
		if row, ok := cond.(expr.RowCompare); ok {
			out = append(out, c.boundRow(i, row)...)
			continue
		}
		col, term, exact, ok := plan.TermOf(cond)
		if ok {
			out = append(out, constraint{cond: i, id: c.readID(col), term: term, exact: exact,
				lives: lives(c.scan, cond)})
		}
		for _, k := range plan.AxisTerms(cond) {
			out = append(out, constraint{cond: i, id: c.readID(k.Column.Index) | k.Axis, term: k.Term})
		}
	}
	return out
}

// readID is the ID of a column that a condition reads.
func (c *conditions) readID(column int) uint32 { return c.scan.Table.Columns[c.reads[column]].ID }

// boundRow reads (a, b) > (1, 2) as a >= 1, which the fields behind make stricter. Only
// the fields up to the first that is not a column beside something fixed count.
func (c *conditions) boundRow(cond int, e expr.RowCompare) []constraint {
	row := expr.RowCompare{Op: e.Op}
	left, right := e.Left, e.Right
	if _, ok := plan.ColumnOf(left[0]); !ok {
		left, right, row.Op = right, left, e.Op.Flip()
	}
	for i := range left {
		column, ok := plan.ColumnOf(left[i])
		if !ok || !expr.Fixed(right[i]) {
			break
		}
		row.Left, row.Right = append(row.Left, column), append(row.Right, right[i])
	}
	if len(row.Left) == 0 {
		return nil
	}
	term := plan.Term{Op: plan.TermLE, Args: row.Right[:1]}
	if row.Op == expr.GT || row.Op == expr.GE {
		term.Op = plan.TermGE
	}
	first := row.Left[0].(expr.Column)
	exact := len(row.Left) == len(e.Left)
	return []constraint{{cond: cond, id: c.readID(first.Index), term: term, row: &row, exact: exact}}
}

// tuple is the comparison of rows whose fields are the parts of a layout from one on, in
// one direction, with the place of the condition that it is. The one of most fields counts.
func (c *conditions) tuple(l *catalog.Layout, at int) (best *plan.Tuple, cond int) {
	parts := walkParts(l)[at:]
	for _, k := range c.constraints {
		if k.row == nil {
			continue
		}
		n := 0
		for n < len(parts) && n < len(k.row.Left) && c.isField(parts[n], k.row.Left[n]) &&
			parts[n].Desc == parts[0].Desc {
			n++
		}
		if n < 2 || best != nil && n <= len(best.Values) {
			continue
		}
		whole := n == len(k.row.Left)
		best = &plan.Tuple{
			Values: k.row.Right[:n], Greater: k.row.Op == expr.GT || k.row.Op == expr.GE,
			Equal: !whole || !k.exact || k.row.Op == expr.GE || k.row.Op == expr.LE,
		}
		cond = -1
		if whole && k.exact {
			cond = k.cond
		}
	}
	return best, cond
}

func (c *conditions) isField(part catalog.Part, e expr.Expr) bool {
	column := c.reads[e.(expr.Column).Index]
	return part.Is(c.scan.Table.Columns[column].ID)
}

// shape is what the terms on a column are together.
type shape struct {
	points   int // at most so many points; 0: not a set of points
	null     bool
	interval bool
	weak     bool // the TTL of the table, or IS NOT NULL, leaves an interval: nearly everything
	low      bool // the interval has a low end
	high     bool
}

// boundOf gathers the terms on a column.
func (c *conditions) boundOf(id uint32) plan.Bound {
	b := plan.Bound{Column: id}
	for _, k := range c.constraints {
		if k.id == id {
			b.Terms = append(b.Terms, k.term)
		}
	}
	return b
}

// shapeOf is what the terms on a column are together.
func (c *conditions) shapeOf(id uint32) shape {
	s := shape{}
	column := c.scan.Table.Ordinal(id)
	for i := range c.constraints {
		k := &c.constraints[i]
		if k.id != id {
			continue
		}
		if k.lives {
			s.weak = true
			continue
		}
		switch k.term.Op {
		case plan.TermEQ:
			s.points = 1
		case plan.TermNull:
			s.points, s.null = 1, true
		case plan.TermIn, plan.TermAny:
			if n := cost.PointsOf(k.term); s.points == 0 || n < s.points {
				s.points = n
			}
		case plan.TermNotNull:
			s.weak = s.weak || !c.scan.Table.Columns[column].NotNull
		default:
			s.interval = true
			s.low = s.low || k.term.Op != plan.TermLT && k.term.Op != plan.TermLE
			s.high = s.high || k.term.Op != plan.TermGT && k.term.Op != plan.TermGE
		}
	}
	return s
}

// columnsOf are the places in the table of the columns that a condition reads.
func (c *conditions) columnsOf(cond expr.Expr) []int {
	set := map[int]bool{}
	expr.Columns(cond, set)
	var out []int
	for i := range set {
		out = append(out, c.reads[i])
	}
	return out
}

// waits says whether a condition compares a column with something that has no value yet, but
// will have when the statement begins to run.
func (c *conditions) waits() bool {
	return slices.ContainsFunc(c.scan.Filter, func(cond expr.Expr) bool {
		return !lives(c.scan, cond) && slices.ContainsFunc(expr.Conjuncts(cond), pending)
	})
}

// pending says whether an expression reads a parameter, or calls a function whose value belongs
// to the run.
func pending(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Param:
			return true
		case expr.Call:
			return x.Fn.Volatility == expr.Stable
		}
		return false
	})
}

// holds are the conditions for a row to have an entry in an index, over the columns of the table.
func (c *conditions) holds(x *catalog.Index) []expr.Expr {
	if x == nil {
		return nil
	}
	var undeleted []expr.Expr
	if cond := lifetime.Undeleted(c.scan.Table); cond != nil {
		undeleted = []expr.Expr{cond}
	}
	if !x.Partial() {
		return undeleted
	}
	at := slices.IndexFunc(c.scan.Holds, func(p plan.Predicate) bool { return p.Index == x.ID })
	if at < 0 {
		return []expr.Expr{unknown}
	}
	return append(expr.Conjuncts(c.scan.Holds[at].Cond), undeleted...)
}

// unknown is what nothing implies.
var unknown = expr.Const{T: types.Bool}

// wanted are the conditions of the scan over the columns of the table.
func (c *conditions) wanted() []expr.Expr {
	if c.filter == nil {
		c.filter = []expr.Expr{}
		for _, cond := range c.scan.Filter {
			c.filter = append(c.filter, expr.Renumber(cond, func(i int) int { return c.scan.Reads[i] }))
		}
	}
	return c.filter
}

// filled says whether no row has NULL in a column.
func (c *conditions) filled(column int) bool {
	return c.scan.Table.Columns[column].NotNull || c.scan.Table.Columns[column].Declared
}

// isOr says whether a condition is an OR, whose alternatives may be read one by one.
func (c *conditions) isOr(cond expr.Expr) bool {
	or, ok := cond.(expr.Logic)
	return ok && or.Or && !lives(c.scan, cond)
}

// lives says whether a condition of a scan is the one that its table makes for rows to be there. Nearly all
// rows meet it, since those that do not are soon removed: so it narrows the spans of paths that
// are taken anyway, and is no reason to take one.
func lives(s plan.Scan, cond expr.Expr) bool {
	alive := lifetime.Alive(s.Table)
	if alive == nil {
		return false
	}
	alive = expr.Renumber(alive, func(column int) int { return slices.Index(s.Reads, column) })
	return expr.Equal(cond, alive)
}

// asked are the constraints that the statement itself makes.
func (c *conditions) asked() []constraint {
	if c.scan.Table.TTL == nil && !celltime.Has(c.scan.Table) {
		return c.constraints
	}
	return slices.DeleteFunc(slices.Clone(c.constraints), func(k constraint) bool { return k.lives })
}

// held is what the condition of a partial index says of single columns.
func (c *conditions) held(x *catalog.Index) []plan.Bound {
	var out []plan.Bound
	for _, cond := range c.holds(x) {
		column, term, _, ok := plan.TermOf(cond)
		if !ok {
			continue
		}
		id := c.scan.Table.Columns[column].ID
		at := slices.IndexFunc(out, func(b plan.Bound) bool { return b.Column == id })
		if at < 0 {
			at = len(out)
			out = append(out, plan.Bound{Column: id})
		}
		out[at].Terms = append(out[at].Terms, term)
	}
	return out
}
