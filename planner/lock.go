package planner

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/sqlerr"
)

// locking is what FOR UPDATE and its kin ask of the relations of a query.
type locking struct {
	clauses []ast.Locking
	around  *rowlock.Lock // what a query around asks of all of them; nil: nothing
	// lift says that a query which only picks rows may leave the lock to the query around: see lifted.
	lift bool
	// view says that the query is that of a view, or in one: PostgreSQL then does not refuse set operations, of which
	// it locks nothing.
	view bool
}

// of is what is asked of a relation, nil for nothing.
func (l *locking) of(name string) *rowlock.Lock {
	out := l.around
	for _, c := range l.clauses {
		if len(c.Tables) > 0 && !slices.ContainsFunc(c.Tables, func(t ast.Name) bool { return t.Name == name }) {
			continue
		}
		lock := lockOf(c)
		if out != nil {
			lock = lock.And(*out)
		}
		out = &lock
	}
	return out
}

// asks says whether anything is asked.
func (l *locking) asks() bool { return l.around != nil || len(l.clauses) > 0 }

func lockOf(c ast.Locking) rowlock.Lock {
	strengths := map[string]rowlock.Strength{"key share": rowlock.KeyShare, "share": rowlock.Share,
		"no key update": rowlock.NoKeyUpdate, "update": rowlock.Update}
	out := rowlock.Lock{Strength: strengths[c.Strength]}
	switch {
	case c.NoWait:
		out.Wait = rowlock.NoWait
	case c.SkipLocked:
		out.Wait = rowlock.Skip
	}
	return out
}

// each calls do with all that is asked, until it returns an error.
func (l *locking) each(do func(rowlock.Lock) error) error {
	if l.around != nil {
		if err := do(*l.around); err != nil {
			return err
		}
	}
	for _, c := range l.clauses {
		if err := do(lockOf(c)); err != nil {
			return err
		}
	}
	return nil
}

// notWith refuses to lock rows of what has no rows of tables.
func (l *locking) notWith(what string) error {
	return l.each(func(lock rowlock.Lock) error {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed with %s", lock.Strength, what)
	})
}

// rowLocks are what of a query is locked.
type rowLocks struct {
	locking locking
	items   []lockable // of FROM
	targets []plan.LockTarget
	locks   bool // some rows are, also within items
	lifted  bool // the query around has the input with its items, and computes the select list
}

// lockable is an item of FROM as locking clauses see it, or a table in one.
type lockable struct {
	name   string // that a clause may give; empty: none
	kind   string // of an item that cannot be locked; empty: it can
	lock   *rowlock.Lock
	scan   *plan.Scan // whose columns come out from first on; nil: its rows are none of a table
	first  int
	within bool // rows are locked where the item is computed
	needs  []*bind.Need
}

// moved moves items behind columns to the left of them.
func moved(items []lockable, by int) []lockable {
	out := slices.Clone(items)
	for i := range out {
		out[i].first += by
	}
	return out
}

// lockWithin locks the rows of the scans that a node makes other rows of.
func (p *Planner) lockWithin(n plan.Node, lock rowlock.Lock) (plan.Node, error) {
	scan, ok := n.(plan.Scan)
	if !ok {
		var all []plan.Node
		for _, in := range n.Inputs() {
			locked, err := p.lockWithin(in, lock)
			if err != nil {
				return nil, err
			}
			all = append(all, locked)
		}
		return n.WithInputs(all), nil
	}
	t, err := p.lockTarget(lockable{scan: &scan, lock: &lock})
	return plan.LockRows{Input: scan, Targets: []plan.LockTarget{t}, Recheck: recheck(scan)}, err
}

func (p *Planner) lockTarget(i lockable) (plan.LockTarget, error) {
	t := plan.LockTarget{Table: i.scan.Table, Alias: i.scan.Alias, Lock: *i.lock}
	for k, c := range i.scan.Cols {
		t.Row = append(t.Row, expr.Column{Index: i.first + k, Name: c.Name, T: c.Type})
	}
	var err error
	t.Partitions, err = p.Stored().Partitions(t.Table)
	return t, err
}

// lock finds the rows that locking clauses are about.
func (q *query) lock(s *ast.Select) error {
	if !q.locking.asks() { // of most queries
		return nil
	}
	if err := q.mayLock(s); err != nil {
		return err
	}
	nullable := nullableColumns(q.input)
	for _, i := range q.items {
		if i.lock == nil {
			continue
		}
		bind.Also(i.needs, catalog.MayUpdate)
		if (i.scan != nil || i.within) && nullable(i.first) {
			return sqlerr.New(sqlerr.FeatureNotSupported,
				"%s cannot be applied to the nullable side of an outer join", i.lock.Strength)
		}
		q.locks = q.locks || i.within
		if i.scan == nil {
			continue
		}
		t, err := q.planner.lockTarget(i)
		if err != nil {
			return err
		}
		q.targets = append(q.targets, t)
	}
	q.locks = q.locks || q.targets != nil
	return nil
}

// mayLock refuses clauses that a query cannot have, and names in them that are not those of tables.
func (q *query) mayLock(s *ast.Select) error {
	for what, has := range combined(q, s) {
		if has {
			if err := q.locking.notWith(what); err != nil {
				return err
			}
		}
	}
	for _, l := range s.Locking {
		for _, t := range l.Tables {
			if err := q.mayName(t, "FOR "+strings.ToUpper(l.Strength)); err != nil {
				return err
			}
		}
	}
	return nil
}

// combined tells what makes one row of the result of several rows, or several of one.
func combined(q *query, s *ast.Select) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		_ = yield("DISTINCT clause", s.Distinct) &&
			yield("GROUP BY clause", s.GroupBy.Items != nil) &&
			yield("HAVING clause", s.Having != nil) &&
			yield("aggregate functions", len(q.Aggs.Calls) > 0) &&
			yield("window functions", len(q.Windows.Calls) > 0) &&
			yield("set-returning functions in the target list", len(q.Sets.Calls) > 0)
	}
}

// mayName wants a name in a clause to be that of a relation that can be locked.
func (l *rowLocks) mayName(t ast.Name, strength string) error {
	if t.Schema != "" {
		return sqlerr.New(sqlerr.SyntaxError, "%s must specify unqualified relation names", strength).At(int(t.Pos))
	}
	at := slices.IndexFunc(l.items, func(i lockable) bool { return i.name == t.Name })
	switch {
	case at < 0:
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q in %s clause not found in FROM clause", t.Name, strength).
			At(int(t.Pos))
	case l.items[at].kind != "":
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to %s", strength, l.items[at].kind).
			At(int(t.Pos))
	}
	return nil
}

// above locks the rows that come out of a node, which are some of those of the input of the query.
func (l *rowLocks) above(n, input plan.Node) plan.Node {
	if l.targets == nil {
		return n
	}
	return plan.LockRows{Input: n, Targets: l.targets, Recheck: recheck(input)}
}

// simple says whether a query of FROM only picks rows, and columns of them, so that the query around can lock
// them as if their tables were its own: it then locks only those that come out of it.
func (q *query) simple(s *ast.Select) bool {
	for _, has := range combined(q, s) {
		if has {
			return false
		}
	}
	return s.With == nil && s.OrderBy == nil && s.Limit == nil && s.Offset == nil && s.Locking == nil &&
		!slices.ContainsFunc(q.list, computedOnce)
}

// computedOnce says whether an expression must not stand in several places: it is volatile, has a subquery, or a value
// of a row that a join makes it for.
func computedOnce(e expr.Expr) bool {
	return callsVolatile(e) || expr.Any(e, func(x expr.Expr) bool {
		switch x.(type) {
		case expr.Subquery, expr.Outer:
			return true
		}
		return false
	})
}

// itemOf is the FROM item that a planned query is, under a name.
func itemOf(q *query, n plan.Node, name string, cols []plan.Column) source {
	out := source{node: n, rels: []bind.Relation{{Name: name, Cols: cols}}}
	top := lockable{name: name, lock: q.locking.around, within: q.locks && !q.lifted}
	out.items = []lockable{top}
	if !q.lifted {
		return out
	}
	out.rels[0].Exprs = q.list[:len(cols):len(cols)]
	for _, i := range q.items {
		i.name = ""
		out.items = append(out.items, i)
	}
	return out
}
