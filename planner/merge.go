package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// merging is a MERGE while it is planned.
type merging struct {
	writer
	*ast.Merge
	*goal
	target    *bind.Scope     // of the rows that match, with the source
	source    *bind.Scope     // of the source alone
	unmatched *bind.Scope     // of the table alone
	given     []bind.Relation // those of the source
}

// planMerge plans a MERGE: a join of the table with the source, which keeps rows of the source that match none where
// something may be inserted.
func (p writer) planMerge(s *ast.Merge, around *bind.Scope) (plan.Node, error) {
	if s.With != nil && s.With.Recursive {
		return nil, sqlerr.New(sqlerr.SyntaxError, "WITH RECURSIVE is not supported for MERGE statement")
	}
	return p.within(s.With, around, func() (plan.Node, error) {
		m := merging{writer: p, Merge: s}
		if err := m.find(); err != nil {
			return nil, err
		}
		n := plan.MergeInto{Table: m.table}
		var err error
		if n.Input, n.Recheck, err = m.join(around); err != nil {
			return nil, err
		}
		if m.keepsUnmatched() {
			n.Present = plan.Width(n.Input) - 1
		}
		if n.Written, err = p.written(m.table); err != nil {
			return nil, err
		}
		for _, w := range s.Whens {
			when, err := m.when(w)
			if err != nil {
				return nil, err
			}
			n.Whens = append(n.Whens, when)
		}
		if err = m.returns(&n, around); err != nil {
			return nil, err
		}
		if n.Input, err = m.secured(n.Input); err != nil {
			return nil, err
		}
		n.Recheck = expr.Conjoin(append(conditions(n.Input.(plan.Join).Left), expr.Conjuncts(n.Recheck)...))
		n.Checks, err = m.checked(n.Checks, n.Partitions, mergeRules()...)
		return n, err
	})
}

// notMerged says what a relation is that MERGE does not change; empty: it may.
func notMerged(r catalog.Relation) string {
	switch r := r.(type) {
	case *catalog.View:
		if r.FiresInstead(trigger.Insert | trigger.Update | trigger.Delete) {
			return "views with INSTEAD OF triggers"
		}
	case *catalog.Table:
		if r.Materialized != nil {
			return "materialized views"
		}
	case *catalog.Sequence:
		return "sequences"
	}
	return ""
}

// find finds the table, of which all actions must be allowed.
func (m *merging) find() error {
	r, err := m.Relation(m.Table)
	if err != nil {
		return err
	}
	if of := notMerged(r); of != "" {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot execute MERGE on relation %q", m.Table.Name).
			WithDetail("This operation is not supported for %s.", of)
	}
	if m.goal, err = m.writer.goal(m.Table, m.Alias, m.event()); err != nil {
		return err
	}
	if len(m.read(m.table, m.Table.Only)) > 1 && m.table.Partitioning == nil {
		return sqlerr.Unsupported("MERGE into a table from which others inherit").At(int(m.Table.Pos))
	}
	if celltime.Has(m.table) {
		return sqlerr.Unsupported("MERGE into a table whose cells have timestamps").At(int(m.Table.Pos))
	}
	type rows struct{ matched, bySource bool }
	final := map[rows]bool{}
	for _, w := range m.Whens {
		of := rows{w.Matched, w.BySource}
		if final[of] {
			return sqlerr.New(sqlerr.SyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause")
		}
		final[of] = w.Cond == nil
		if err := m.allows(w.Do); err != nil {
			return err
		}
	}
	return nil
}

// event is what the actions do to a view, of which each wants that its rows are those of one table.
func (m *merging) event() (e event) {
	for _, w := range m.Whens {
		switch w.Do {
		case ast.MergeInsert:
			e = inserting
		case ast.MergeUpdate:
			e = updating
		case ast.MergeDelete:
			e = deleting
		case ast.MergeNothing:
			continue
		}
		break
	}
	e.privilege = 0 // each action needs its own
	return e
}

// allows notes the right that an action needs, and refuses it where the table does not allow it.
func (m *merging) allows(do ast.MergeAction) error {
	need := func(right catalog.Privileges) { bind.Also(m.rel.Needs, right) }
	switch do {
	case ast.MergeInsert:
		need(catalog.MayInsert)
		return foreignAllows(m.table, "inserts")
	case ast.MergeUpdate:
		need(catalog.MayUpdate)
		if err := foreignAllows(m.table, "updates"); err != nil {
			return err
		}
		return mayUpdate(m.table, m.Table, "UPDATE")
	case ast.MergeDelete:
		need(catalog.MayDelete)
		if err := foreignAllows(m.table, "deletes"); err != nil {
			return err
		}
		return mayDelete(m.table, m.Table)
	case ast.MergeNothing:
		need(catalog.MaySelect)
	}
	return nil
}

// join is the rows of the table with those of the source that they match, and the condition for that.
func (m *merging) join(around *bind.Scope) (plan.Node, expr.Expr, error) {
	f := &from{Planner: m.Planner, scope: around, hints: m.Hints, tree: m.Merge}
	rows, err := goalRows(m.writer, f, m.goal)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range m.where {
		rows = r.of(rows)
	}
	rel := m.rel
	if sourceName(m.Using) == rel.Name {
		return nil, nil, sqlerr.New(sqlerr.DuplicateAlias, "name %q specified more than once", rel.Name).
			WithDetail("The name is used both as MERGE target table and data source.")
	}
	target := []bind.Relation{rel}
	kind := m.kind()
	around.Lists(target)
	using, err := f.item(m.Using, around) // which sees nothing of the table
	if err != nil {
		return nil, nil, err
	}
	if m.keepsUnmatched() {
		using.node = present(using.node)
	}
	n := plan.Join{Kind: joinKinds[kind], Left: rows, Right: using.node}
	all, err := f.joined(&ast.FromJoin{Kind: kind, On: m.On}, n, target, shifted(using.rels, plan.Width(rows)))
	if err != nil {
		return nil, nil, err
	}
	m.missed(m.Hints)
	m.given = all.rels[1:]
	m.target, m.source, m.unmatched = around.Sibling(all.rels), around.Sibling(m.given), around.Sibling(all.rels[:1])
	m.source.Listed, m.source.Target = append(slices.Clip(m.source.Listed), rel.Name), m.table
	m.unmatched.Listed = slices.Clip(m.unmatched.Listed)
	m.unmatched.Lists(m.given)
	return all.node, expr.Conjoin(repeatable(all.node.(plan.Join).On)), nil
}

// kind is the join that makes the rows which something may be done with.
func (m *merging) kind() ast.JoinKind {
	fresh := slices.ContainsFunc(m.Whens, func(w ast.MergeWhen) bool { return !w.Matched && !w.BySource })
	switch unmatched := m.keepsUnmatched(); {
	case fresh && unmatched:
		return ast.FullJoin
	case fresh:
		return ast.RightJoin
	case unmatched:
		return ast.LeftJoin
	}
	return ast.InnerJoin
}

// keepsUnmatched says whether something may be done with rows of the table that none of the source matches.
func (m *merging) keepsUnmatched() bool {
	return slices.ContainsFunc(m.Whens, func(w ast.MergeWhen) bool { return w.BySource })
}

// returns plans RETURNING: it sees the source, the table, and what is done with a row.
func (m *merging) returns(n *plan.MergeInto, around *bind.Scope) (err error) {
	action := bind.Relation{Cols: []plan.Column{{Name: ast.MergeActionName, Type: types.Text}}, First: plan.Width(n.Input)}
	action.Mark(bind.Hidden|bind.System, func(int) bool { return true })
	sc := around.Sibling(append(slices.Clone(m.given), m.target.Relations[0], action))
	n.Returning, n.Cols, err = m.returning(m.Returning, sc)
	return err
}

// sourceName is what the source of a MERGE is called.
func sourceName(item ast.From) string {
	switch item := item.(type) {
	case *ast.FromTable:
		if item.Alias == "" {
			return item.Name.Name
		}
		return item.Alias
	case *ast.FromSelect:
		return item.Alias
	case *ast.FromFunction:
		return item.Alias
	case *ast.FromJoin:
		return item.Alias
	}
	return ""
}

// when plans one WHEN.
func (m *merging) when(w ast.MergeWhen) (out plan.MergeWhen, err error) {
	scope := m.source
	switch {
	case w.Matched:
		scope = m.target
	case w.BySource:
		scope = m.unmatched
	}
	out = plan.MergeWhen{Matched: w.Matched, BySource: w.BySource, Do: plan.MergeAction(w.Do)}
	if w.Cond != nil {
		if out.Cond, err = m.expressions(scope, "MERGE WHEN conditions").Condition(w.Cond, "WHEN"); err != nil {
			return out, err
		}
	}
	switch w.Do {
	case ast.MergeUpdate:
		out.Set, err = m.assignments(m.expressions(scope, "UPDATE"), m.goal, w.Set)
	case ast.MergeInsert:
		out.Row, err = m.inserted(w, scope)
	case ast.MergeNothing, ast.MergeDelete:
	}
	return out, err
}

// inserted is the row that a WHEN inserts.
func (m *merging) inserted(w ast.MergeWhen, scope *bind.Scope) ([]expr.Expr, error) {
	sc := m.expressions(scope, "VALUES")
	targets, err := m.insertTargets(sc, m.goal, w.Columns)
	if err != nil {
		return nil, err
	}
	if w.Values != nil {
		like := &ast.Insert{Columns: w.Columns}
		err := sameLength(like, len(w.Values), len(targets), func(i int) ast.Pos { return analyze.Start(w.Values[i]) })
		if err != nil {
			return nil, err
		}
	}
	m.goal.inserts(targets[:len(w.Values)]...)
	return m.givenRow(sc, w.Overriding, m.goal, targets, w.Values)
}
