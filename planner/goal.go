package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// goal is what a statement writes to: a table, which it names itself or by a view.
type goal struct {
	table *catalog.Table
	name  ast.Name // of the table
	scan  plan.Scan
	// rel has the names by which the statement reads the rows, over those of the table.
	rel      bind.Relation
	security *security
	// instead is the event in whose place triggers of the view fire which the table stands for, and rows are those of
	// the view; 0: rows of the table are written.
	instead trigger.Events
	rows    plan.Node
	through
}

// through is what a view makes of writes to the table under it. Without a view it is zero.
type through struct {
	view    *catalog.View
	columns []viewColumn // of the view
	// defaults are those of views, by the ordinals of the table.
	defaults map[int]catalog.Column
	where    []restriction // which rows of the table those of the view are
	checks   []plan.Check  // what rows that are written must meet
	base     uint32        // the relation that the view reads
	// of are the numbers of the columns that those of each view are of what it reads, 0 for none; the last is of view.
	of [][]uint32
}

// restriction is a condition that leaves rows of a table out, which may be a barrier for the conditions above it.
type restriction struct {
	cond    expr.Expr
	barrier bool
}

// of is the rows that meet the condition.
func (r restriction) of(rows plan.Node) plan.Node {
	rows = plan.Filter{Input: rows, Cond: r.cond}
	if r.barrier {
		rows = plan.Barrier{Input: rows}
	}
	return rows
}

// viewColumn is where a value for a column of a view goes.
type viewColumn struct {
	ordinal int // of the column of the table, -1 if it goes nowhere
	// fixed says why it goes nowhere, of the column of a view.
	fixed        string
	view, column string
}

// event is what a statement does to a relation.
type event struct {
	verb, gerund, word string
	privilege          catalog.Privileges
	column             string // the verb for a column
	on                 trigger.Events
}

var (
	inserting = event{"insert into", "inserting into", "INSERT", catalog.MayInsert, "insert into", trigger.Insert}
	updating  = event{"update", "updating", "UPDATE", catalog.MayUpdate, "update", trigger.Update}
	deleting  = event{"delete from", "deleting from", "DELETE", catalog.MayDelete, "", trigger.Delete}
)

// goal finds what a name in a statement that writes stands for.
func (p writer) goal(n ast.Name, alias string, e event) (*goal, error) {
	return p.goalOf(&ast.FromTable{Name: n, Alias: alias}, e, false)
}

// goalOf is the goal that is named as in FROM. A view around may want all conditions under it to be checked.
func (p writer) goalOf(item *ast.FromTable, e event, cascaded bool) (*goal, error) {
	r, err := p.Relation(item.Name)
	if err != nil {
		return nil, err
	}
	if v, ok := r.(*catalog.View); ok && v.FiresInstead(e.on) {
		return insteads{p}.goal(v, item, e)
	} else if ok {
		return p.through(v, item, e, cascaded)
	}
	t, err := p.from(item.Name)
	if err != nil {
		return nil, err
	}
	if t.Materialized != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot change materialized view %q", t.Name)
	}
	g := &goal{table: t, name: item.Name}
	if g.rel, g.scan, err = p.scanTable(t, item.Alias, item.Columns); err != nil {
		return nil, err
	}
	g.rel.Needs = p.Need(t, e.privilege)
	g.security, err = p.securityOf(t)
	return g, err
}

// target finds the column that a value is given for.
func (p writer) target(g *goal, n ast.ColumnName) (target, error) {
	if g.view == nil {
		return tableTarget(g.table, n)
	}
	i := g.view.Column(n.Name)
	if i < 0 {
		return target{}, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", n.Name,
			g.view.Name).At(int(n.Pos))
	}
	return target{ordinal: g.columns[i].ordinal, through: i + 1}, nil
}

// takes refuses a value for a column of a view that is none of a table.
func (g *goal) takes(to target, e event) error {
	if to.through == 0 || to.ordinal >= 0 {
		return nil
	}
	c := g.columns[to.through-1]
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot %s column %q of view %q", e.column, c.column, c.view).
		WithDetail("%s", c.fixed)
}

// column is the column that a target is, under the name that the statement has for it.
func (g *goal) column(to target) catalog.Column {
	c := g.table.Columns[to.ordinal]
	if to.through > 0 {
		c.Name = g.view.Columns[to.through-1].Name
	}
	return c
}

// unnamed is the value of a column that a new row is given none for.
func (p writer) unnamed(g *goal, ordinal int) (expr.Expr, error) {
	if c, ok := g.defaults[ordinal]; ok {
		return p.Stored().Default(c)
	}
	return p.Stored().Default(g.table.Columns[ordinal])
}

// reset is what SET column = DEFAULT gives a column: through a view its default alone.
func (p writer) reset(g *goal, to target) (expr.Expr, error) {
	if to.through > 0 {
		return p.Stored().Default(g.view.Columns[to.through-1].AsColumn())
	}
	return p.Stored().Default(g.table.Columns[to.ordinal])
}

// checked are the checks of a table, those of views, and those of policies.
func (g *goal) checked(of []plan.Check, parts *plan.Partitions, rules ...rule) ([]plan.Check, error) {
	policies, err := g.policyChecks(rules...)
	if err != nil {
		return nil, err
	}
	more := slices.Concat(g.checks, policies)
	if parts != nil && len(more) > 0 {
		for i := range parts.Of {
			parts.Of[i].Checks = slices.Concat(parts.Of[i].Checks, more)
		}
	}
	return slices.Concat(of, more), nil
}
