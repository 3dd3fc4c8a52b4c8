package firing

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// Spent is what the calls of a trigger took in the run of a statement.
type Spent struct {
	Table      *catalog.Table
	Name       string
	Constraint string // that it keeps; empty: none
	Calls      int64
	Time       time.Duration
}

// Profile is what triggers took, those with which PostgreSQL would keep foreign keys among them. One that is nil
// measures nothing.
type Profile struct {
	list   []*Spent
	tables []uint32 // in the order in which their triggers fired first
}

// OfTrigger is a call of a trigger.
func OfTrigger(t *plan.Trigger) Spent {
	out := Spent{Table: t.Table, Name: t.Name, Calls: 1}
	if t.ConstraintID != 0 {
		out.Constraint = t.Name
	}
	return out
}

// OfKey is a look at a foreign key for some rows of the child, or else of the parent.
func OfKey(r *plan.Reference, child bool, rows int64) Spent {
	out := Spent{Table: r.Parent, Name: fmt.Sprintf("RI_ConstraintTrigger_a_%d", r.Key.ID), Constraint: r.Key.Name,
		Calls: rows}
	if child {
		out.Table, out.Name = r.Child, fmt.Sprintf("RI_ConstraintTrigger_c_%d", r.Key.ID)
	}
	return out
}

// Measure adds calls to those before, and what they take.
func (p *Profile) Measure(of Spent, calls func() error) error {
	if p == nil || of.Calls == 0 {
		return calls()
	}
	at := slices.IndexFunc(p.list, func(s *Spent) bool { return s.Table.ID == of.Table.ID && s.Name == of.Name })
	if at < 0 {
		at = len(p.list)
		p.list = append(p.list, &Spent{Table: of.Table, Name: of.Name, Constraint: of.Constraint})
	}
	if !slices.Contains(p.tables, of.Table.ID) {
		p.tables = append(p.tables, of.Table.ID)
	}
	to, began := p.list[at], time.Now()
	err := calls()
	to.Calls += of.Calls
	to.Time += time.Since(began)
	return err
}

// List is what each trigger took, by their names: those of tables which the statement writes first.
func (p *Profile) List(written []*catalog.Table) []*Spent {
	table := func(s *Spent) int {
		at := slices.IndexFunc(written, func(t *catalog.Table) bool { return t.ID == s.Table.ID })
		if at < 0 {
			at = len(written) + slices.Index(p.tables, s.Table.ID)
		}
		return at
	}
	return slices.SortedFunc(slices.Values(p.list), func(a, b *Spent) int {
		return cmp.Or(cmp.Compare(table(a), table(b)), cmp.Compare(a.Name, b.Name))
	})
}
