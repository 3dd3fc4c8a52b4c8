package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/opclass"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/types"
)

// onConflict plans ON CONFLICT.
func (p writer) onConflict(n *plan.Insert, c *ast.OnConflict, g *goal, around *bind.Scope) error {
	rel := g.rel
	if err := p.findArbiter(n, c, g); err != nil {
		return err
	}
	n.Conflict = plan.ConflictNothing
	if c.Update == nil {
		return nil
	}
	if !n.Primary && n.Arbiter == nil {
		return sqlerr.New(sqlerr.SyntaxError,
			"ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name).").At(int(c.Pos))
	}
	n.Conflict = plan.ConflictUpdate
	bind.Also(rel.Needs, catalog.MayUpdate)
	excluded := shifted([]bind.Relation{rel}, len(n.Table.Columns))[0]
	excluded.Schema, excluded.Name, excluded.Behind = "", "excluded", ""
	sc := p.expressions(around.Sibling([]bind.Relation{rel, excluded}), "UPDATE")
	var err error
	if n.Set, err = p.assignments(sc, g, c.Update); err != nil {
		return err
	}
	if c.Where != nil {
		sc.Where = "WHERE"
		n.SetWhere, err = sc.Condition(c.Where, "WHERE")
	}
	return err
}

// findArbiter finds the unique key that ON CONFLICT names.
func (p writer) findArbiter(n *plan.Insert, c *ast.OnConflict, g *goal) error {
	switch {
	case c.Constraint != "" && g.view != nil:
		return sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", c.Constraint,
			g.view.Name)
	case c.Constraint != "":
		if n.Primary = n.Table.KeyName() == c.Constraint && p.keyed(n.Table); n.Primary {
			g.reads(n.Table.Primary.Columns()...)
			return nil
		}
		if n.Arbiter = n.Table.Index(c.Constraint); n.Arbiter == nil || !n.Arbiter.Unique || !n.Arbiter.State.Reads() ||
			n.Arbiter.Partial() {
			return sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", c.Constraint,
				n.Table.Name)
		}
		g.reads(n.Arbiter.Layout.Columns()...)
	case len(c.Columns)+len(c.Exprs) > 0:
		return p.arbiterOf(n, c, g)
	}
	return nil
}

// arbiterOf finds the unique key over exactly the named columns. A partial index is one only
// where the condition of ON CONFLICT implies that of the index.
func (p writer) arbiterOf(n *plan.Insert, c *ast.OnConflict, g *goal) error {
	want, classes := map[uint32]bool{}, map[uint32]string{}
	for i, name := range c.Columns {
		to, err := p.target(g, name)
		if err == nil && to.dynamic != "" {
			_, err = TableColumn(n.Table, name)
		}
		if err != nil {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name.Name).At(int(name.Pos))
		}
		g.named(to)
		if to.ordinal >= 0 {
			column := n.Table.Columns[to.ordinal]
			want[column.ID] = true
			if err := noteClass(classes, column.ID, c.Classes[i], column.Type); err != nil {
				return err
			}
		} else {
			want[0] = true
		}
	}
	for i, tree := range c.Exprs {
		e, id, err := conflictExpression(p, n, g, tree)
		if err != nil {
			return err
		}
		want[id] = true
		if err := noteClass(classes, id, c.Classes[len(c.Columns)+i], e.Type()); err != nil {
			return err
		}
	}
	same := func(ids []uint32, x *catalog.Index) bool {
		for i, id := range ids {
			class, named := classes[id]
			if !want[id] || named && class != opclass.Of(catalog.TableIndex{Table: n.Table, Index: x}, i) {
				return false
			}
		}
		return len(ids) == len(want)
	}
	given, err := p.conflictCondition(g, c.Predicate)
	if err != nil {
		return err
	}
	if n.Primary = p.keyed(n.Table) && same(n.Table.Primary.Columns(), nil); n.Primary {
		return nil
	}
	for i := range n.Table.Indexes {
		x := &n.Table.Indexes[i]
		if x.Unique && x.State.Reads() && same(x.Layout.Columns(), x) && holdsAll(n, x, given) {
			n.Arbiter = x
			return nil
		}
	}
	return sqlerr.New(sqlerr.InvalidColumnReference,
		"there is no unique or exclusion constraint matching the ON CONFLICT specification")
}

// noteClass notes the operator class that ON CONFLICT names for a column. No index has one that is for other types.
func noteClass(classes map[uint32]string, column uint32, class string, t types.T) error {
	if class == "" {
		return nil
	}
	chosen, err := opclass.Chosen(string(catalog.BTree), class, t)
	if sqlerr.Has(err, sqlerr.DatatypeMismatch) {
		chosen, err = class, nil
	}
	classes[column] = chosen
	return err
}

// conflictExpression is an expression of ON CONFLICT and its column, 0 if no index is over it.
func conflictExpression(p writer, n *plan.Insert, g *goal, tree ast.Expr) (expr.Expr, uint32, error) {
	e, err := p.expressions(bind.NewScope(g.rel), stored.IndexExpressions).Expr(tree)
	if err != nil {
		return nil, 0, err
	}
	if c, is := expr.Compared(e, e.Type().Collation).(expr.Column); is {
		return e, n.Table.Columns[c.Index].ID, nil
	}
	for _, x := range n.Expressions {
		if expr.Equal(x.Cond, e) {
			return e, x.Index, nil
		}
	}
	return e, 0, nil
}

// keyed says whether the rows of a table are told apart by its primary key: those of each partition are, too.
func (p writer) keyed(t *catalog.Table) bool { return t.KeyName() != "" && p.Catalog.Keyed(t) }

// conflictCondition plans the condition of ON CONFLICT (columns) WHERE.
func (p writer) conflictCondition(g *goal, tree ast.Expr) ([]expr.Expr, error) {
	if tree == nil {
		return nil, nil
	}
	sc := p.expressions(bind.NewScope(g.rel), bind.IndexPredicate)
	cond, err := sc.Expr(tree)
	if err != nil || cond.Type().OID != types.OIDBool { // which PostgreSQL does not mind
		return nil, err
	}
	return []expr.Expr{cond}, nil
}

// holdsAll says whether an index of the table of an INSERT holds all rows that meet conditions.
func holdsAll(n *plan.Insert, x *catalog.Index, given []expr.Expr) bool {
	at := slices.IndexFunc(n.Holds, func(p plan.Predicate) bool { return p.Index == x.ID })
	return at < 0 || proof.Implies(given, n.Holds[at].Cond, nil)
}
