package ddl

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
)

// part is a part of a table with an expression, without which it cannot be.
type part struct {
	Target
	of expr.Expr
}

// expressions are the parts of a table that have expressions, and of the statistics of it. What cannot be read is
// left out: nothing that it names can be dropped.
func (d *drop) expressions(t *catalog.Table) (out []part) {
	x := d.of.Planner(d.snap).Stored()
	checks, _ := x.Checks(t)
	for i := range checks {
		if checks[i].Name != "" {
			out = append(out, part{Target{Object: t, Check: checks[i].Name}, checks[i].Cond})
		}
	}
	kept, _ := x.Indexed(t)
	for _, p := range slices.Concat(kept.Holds, kept.Expressions) {
		for i := len(t.Indexes) - 1; i >= 0; i-- {
			if of := &t.Indexes[i]; of.ID == p.Index || of.KeyHas(p.Index) {
				out = append(out, part{Target{Object: t, Index: of.ID}, p.Cond})
			}
		}
	}
	for i := range t.Columns {
		if e, err := x.Default(t.Columns[i]); err == nil && e != nil {
			out = append(out, part{Target{Object: t, Column: t.Columns[i].ID, IsDefault: true}, e})
		}
	}
	generated, _ := x.Generated(t)
	for _, g := range generated {
		out = append(out, part{Target{Object: t, Column: t.Columns[g.Column].ID}, g.Cond})
	}
	return append(out, d.furtherExpressions(t)...)
}

// furtherExpressions are those of triggers, of the key of partitions, and of statistics objects.
func (d *drop) furtherExpressions(t *catalog.Table) (out []part) {
	x := d.of.Planner(d.snap).Stored()
	triggers, _ := x.Triggers(t)
	for _, g := range triggers {
		if g.When != nil {
			out = append(out, part{Target{Object: t, Trigger: g.ID}, g.When})
		}
	}
	if t.Partitioning != nil {
		keys, _ := x.PartitionKeys(t)
		for _, k := range keys {
			out = append(out, part{Target{Object: t}, k})
		}
	}
	for _, s := range d.snap.Statistics(t.ID) {
		computed, _ := x.ComputedOver(t, []*catalog.Statistics{s})
		out = append(out, ofStatistics(s, computed)...)
	}
	return out
}

func ofStatistics(s *catalog.Statistics, computed []plan.Predicate) (out []part) {
	for _, p := range computed {
		out = append(out, part{Target{Object: s}, p.Cond})
	}
	return out
}

// callers are what calls a function: views, other functions, and the expressions of tables.
func (d *drop) callers(f *catalog.Function) []dependent { return d.callersOf(f.ID) }

// callersOf are those of a function or of an operator.
func (d *drop) callersOf(id uint32) []dependent {
	out := d.views(id)
	for _, g := range d.snap.Functions() {
		calls := slices.ContainsFunc(g.Uses, func(u catalog.Use) bool { return u.ID == id }) || madeOf(g, id)
		if g.ID != id && calls {
			out = append(out, dependent{Target: Target{Object: g}})
		}
	}
	for _, t := range d.snap.Tables() {
		for _, p := range d.expressions(t) {
			if routine.Calls(p.of, id) {
				out = append(out, dependent{Target: p.Target})
			}
		}
	}
	return out
}

// statistics are the statistics objects of a table, or those over one of its columns.
func (d *drop) statistics(table, column uint32) []dependent {
	var out []dependent
	for _, x := range d.snap.Statistics(table) {
		if column == 0 || x.Over(column) {
			out = append(out, dependent{Target{Object: x}, true})
		}
	}
	return out
}

// lostParts are those of tables that have expressions which mean nothing in a catalog without something.
func (d *drop) lostParts(without *catalog.Snapshot) (out []dependent) {
	x := stored.In(without)
	for _, t := range d.snap.Tables() {
		for _, p := range d.parts(t) {
			if p.read(x) != nil {
				out = append(out, dependent{Target: p.Target})
			}
		}
	}
	return out
}

// partRead is a part of a table with expressions, which may fail to be read.
type partRead struct {
	Target
	read func(x stored.Expressions) error
}

// parts are those of a table with expressions, each read alone, and the statistics of it.
func (d *drop) parts(t *catalog.Table) (out []partRead) {
	add := func(of Target, alone *catalog.Table, read func(x stored.Expressions, alone *catalog.Table) error) {
		out = append(out, partRead{of, func(x stored.Expressions) error { return read(x, alone) }})
	}
	for _, c := range t.Checks {
		alone := *t
		alone.Checks = []catalog.Check{c}
		add(Target{Object: t, Check: c.Name}, &alone, second(stored.Expressions.Checks))
	}
	for i := range t.Indexes {
		alone := *t
		alone.Indexes = t.Indexes[i : i+1]
		add(Target{Object: t, Index: t.Indexes[i].ID}, &alone, second(stored.Expressions.Indexed))
	}
	for i, c := range t.Columns {
		of := Target{Object: t, Column: c.ID, IsDefault: c.Generated == nil}
		switch {
		case c.Expression():
		case c.Generated != nil:
			add(of, onlyGenerated(t, i), second(stored.Expressions.Generated))
		default:
			add(of, t, func(x stored.Expressions, t *catalog.Table) error {
				_, err := x.Default(c)
				return err
			})
		}
	}
	for _, g := range t.Triggers.Triggers {
		alone := *t
		alone.Triggers.Triggers = []catalog.Trigger{g}
		add(Target{Object: t, Trigger: g.ID}, &alone, second(stored.Expressions.Triggers))
	}
	if t.Partitioning != nil {
		add(Target{Object: t}, t, second(stored.Expressions.PartitionKeys))
	}
	for _, s := range d.snap.Statistics(t.ID) {
		add(Target{Object: s}, t, func(x stored.Expressions, t *catalog.Table) error {
			_, err := x.ComputedOver(t, []*catalog.Statistics{s})
			return err
		})
	}
	return out
}

// second is the error of a function.
func second[T any](
	f func(stored.Expressions, *catalog.Table) (T, error),
) func(stored.Expressions, *catalog.Table) error {
	return func(x stored.Expressions, t *catalog.Table) error {
		_, err := f(x, t)
		return err
	}
}

// onlyGenerated is a table of whose columns one is generated.
func onlyGenerated(t *catalog.Table, column int) *catalog.Table {
	alone := *t
	alone.Columns = slices.Clone(t.Columns)
	for i := range alone.Columns {
		if i != column {
			alone.Columns[i].Generated = nil
		}
	}
	return &alone
}
