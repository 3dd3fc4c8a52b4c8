package planner

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// beforeWrites makes the parts of a statement whose WITH writes see rows as they were before. What reads a written
// table and stands before the part that writes it runs first. What stands behind it reads the rows from a With of its
// own, which runs before all others.
//
//	WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x, t
//
//	With t, first
//	├─ Scan t
//	└─ With x
//	   ├─ Delete t
//	   └─ Join
//	      ├─ Ref x
//	      └─ Ref t
//
// Two parts may not write to one table, unless the later one only adds rows to it.
func beforeWrites(n plan.Node) (plan.Node, error) {
	b := &earlyReads{of: n}
	out, err := b.part(n, nil)
	if err != nil {
		return nil, err
	}
	for _, w := range b.added {
		w.Input = out
		out = w
	}
	return out, nil
}

// earlyReads are the scans of tables that WITH writes to.
type earlyReads struct {
	of    plan.Node // the statement
	added []plan.With
}

// part takes a statement from a With on. The tables are those that parts before it write.
func (b *earlyReads) part(n plan.Node, written []*catalog.Table) (plan.Node, error) {
	w, ok := n.(plan.With)
	if !ok {
		return b.moved(n, written)
	}
	var err error
	if w.Query, err = b.moved(w.Query, written); err != nil {
		return nil, err
	}
	if plan.Target(w.Query) != nil {
		written = append(written[:len(written):len(written)], plan.Targets(w.Query)...)
	} else if writesWhatReads(w) {
		w.First, w.Always = true, true
	}
	w.Input, err = b.part(w.Input, written)
	return w, err
}

// writesWhatReads says whether what stands behind a With writes to a table in WITH that its query reads.
func writesWhatReads(w plan.With) bool {
	for n, ok := w.Input.(plan.With); ok; n, ok = n.Input.(plan.With) {
		if plan.Target(n.Query) == nil {
			continue
		}
		for _, t := range plan.Targets(n.Query) {
			if scans(w.Query, t.ID) {
				return true
			}
		}
	}
	return false
}

// moved is a part that does not read written tables itself.
func (b *earlyReads) moved(n plan.Node, written []*catalog.Table) (plan.Node, error) {
	if len(written) == 0 {
		return n, nil
	}
	of := func(id uint32) *catalog.Table {
		for _, t := range written {
			if t.ID == id {
				return t
			}
		}
		return nil
	}
	if t := plan.Target(n); t != nil && of(t.ID) != nil && !adds(n) {
		return nil, severalParts(t)
	}
	if s, ok := n.(plan.Scan); ok && of(s.Table.ID) != nil {
		if s.Write {
			return nil, severalParts(s.Table)
		}
		return b.ref(s), nil
	}
	var err error
	in := append([]plan.Node(nil), n.Inputs()...)
	for i := range in {
		if in[i], err = b.moved(in[i], written); err != nil {
			return nil, err
		}
	}
	out, _ := plan.MapExprs(n.WithInputs(in), func(e expr.Expr) (expr.Expr, bool) {
		return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
			s, ok := e.(expr.Subquery)
			if !ok || err != nil {
				return e
			}
			sub := s.Plan.(plan.Sub)
			sub.Node, err = b.moved(sub.Node, written)
			s.Plan = sub
			return s
		}), true
	})
	return out, err
}

// ref reads what a scan would have read before all writes.
func (b *earlyReads) ref(s plan.Scan) plan.Ref {
	number := len(b.added) + 1 + highestNumber(b.of)
	w := plan.With{Number: number, Name: s.Table.Name, Always: true, First: true, Query: s}
	b.added = append(b.added, w)
	return plan.Ref{Number: w.Number, Name: w.Name, Alias: s.Alias, Cols: s.Cols}
}

// adds says whether a part only adds rows to the table that it writes.
func adds(n plan.Node) bool {
	for w, ok := n.(plan.With); ok; w, ok = n.(plan.With) {
		n = w.Input
	}
	i, ok := n.(plan.Insert)
	return ok && !i.Overwrite && i.Conflict != plan.ConflictUpdate
}

func severalParts(t *catalog.Table) error {
	return sqlerr.Unsupported("writing to table %q in several parts of a statement", t.Name)
}

// scans says whether a plan reads a table.
func scans(n plan.Node, table uint32) bool {
	if s, ok := n.(plan.Scan); ok && s.Table.ID == table {
		return true
	}
	for _, in := range n.Inputs() {
		if scans(in, table) {
			return true
		}
	}
	for _, s := range plan.Subqueries(n) {
		if scans(s.Plan.(plan.Sub).Node, table) {
			return true
		}
	}
	return false
}

// highestNumber is the highest number of a With in a plan.
func highestNumber(n plan.Node) int {
	high := 0
	switch n := n.(type) {
	case plan.With:
		high = n.Number
	case plan.Recursion:
		high = n.Number
	}
	for _, in := range n.Inputs() {
		high = max(high, highestNumber(in))
	}
	for _, s := range plan.Subqueries(n) {
		high = max(high, s.Number, highestNumber(s.Plan.(plan.Sub).Node))
	}
	return high
}
