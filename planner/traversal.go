package planner

import (
	"fmt"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// traversal computes the columns of SEARCH and CYCLE: a row has those of the row before it and its own.
type traversal struct {
	*clause.Traversal[expr.Expr]
	*query
	of    ast.CommonTable
	all   bool // UNION ALL
	reads bool // the recursive term has the added columns
}

// newTraversal prepares SEARCH and CYCLE, nil where there is neither: the recursive term reads what they add.
func newTraversal(q *query, c ast.CommonTable, own *bind.CommonTables, s *ast.SetOp) (
	*traversal, *ast.Select, error) {
	names := make([]string, len(own.Cols))
	for i, col := range own.Cols {
		names[i] = col.Name
	}
	made, err := clause.NewTraversal(q.planner.expressions(q.around, "CYCLE").Analysis(), c, names)
	if err != nil || made == nil {
		return nil, s.Right, err
	}
	t := &traversal{Traversal: made, query: q, of: c, all: s.All}
	own.Cols, own.Added = t.added(own.Cols), len(made.Columns)
	return t, t.reading(s.Right), nil
}

// added are the columns that the clauses add to those of the query.
func (t *traversal) added(cols []plan.Column) []plan.Column {
	out := append([]plan.Column(nil), cols...)
	for _, c := range t.Columns {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type})
	}
	return out
}

// reading is the recursive term with the added columns of the row before, or as it is where it does not read them.
func (t *traversal) reading(s *ast.Select) *ast.Select {
	name := clause.SelfReference(s, t.of.Name)
	if t.reads = name != ""; !t.reads {
		return s
	}
	out := *s
	out.Targets = append([]ast.Target(nil), s.Targets...)
	for _, c := range t.Columns {
		before := &ast.Column{Parts: []string{name, c.Name}, Pos: -1}
		out.Targets = append(out.Targets, ast.Target{Expr: before, Pos: -1})
	}
	return &out
}

// first are the rows of the first term with the added columns.
func (t *traversal) first(n plan.Node, list []expr.Expr, cols []plan.Column) plan.Node {
	at := func(columns []int) []expr.Expr { return pick(list, columns) }
	out := append([]expr.Expr(nil), list...)
	if s := t.of.Search; s != nil {
		if s.Breadth {
			zero := expr.Const{Value: types.NewInt(0), T: types.Int8}
			out = append(out, expr.Row{Args: append([]expr.Expr{zero}, at(t.Search)...)})
		} else {
			out = append(out, rowsOf(at(t.Search)))
		}
	}
	if t.of.Cycle != nil {
		out = append(out, t.Default, rowsOf(at(t.Cycle)))
	}
	return plan.Project{Input: n, Exprs: out, Cols: t.added(cols)}
}

// next are the rows of the recursive term, which have the added columns of the rows before behind their own.
func (t *traversal) next(n plan.Node, list []expr.Expr, cols []plan.Column) (plan.Node, error) {
	rel := bind.Relation{}
	names := make([]string, len(list)+len(t.Columns))
	for i, c := range t.added(cols) {
		names[i] = fmt.Sprint("c", i)
		rel.Cols = append(rel.Cols, plan.Column{Name: names[i], Type: c.Type})
	}
	sc := t.planner.expressions(t.around.Sibling([]bind.Relation{rel}), "SELECT")
	rows := plan.Project{Input: n, Exprs: append([]expr.Expr(nil), list...), Cols: rel.Cols}
	before := n.Columns()[len(n.Columns())-len(t.Columns):]
	for i, c := range before {
		at := len(n.Columns()) - len(before) + i
		rows.Exprs = append(rows.Exprs, expr.Column{Index: at, Name: c.Name, T: c.Type})
	}
	out := plan.Project{Input: rows, Cols: t.added(cols)}
	for i := range list {
		out.Exprs = append(out.Exprs, rel.At(i))
	}
	own, at := out.Exprs, len(list)
	if s := t.of.Search; s != nil {
		sequence, err := t.sequence(rel.At(at), pick(own, t.Search), s.Breadth)
		if err != nil {
			return nil, err
		}
		out.Exprs, at = append(out.Exprs, sequence), at+1
	}
	if c := t.of.Cycle; c != nil {
		row := &ast.Row{Pos: -1}
		for _, i := range t.Cycle {
			row.Args = append(row.Args, column(names[i]))
		}
		again := &ast.Quantified{Left: row, Operator: "=", Array: column(names[at+1]), Pos: -1}
		cond, err := sc.Condition(again, "CYCLE")
		if err != nil {
			return nil, err
		}
		path, err := t.Call("array_cat", rel.At(at+1), rowsOf(pick(own, t.Cycle)))
		if err != nil {
			return nil, err
		}
		mark := expr.Case{Whens: []expr.When{{Cond: cond, Result: t.Value}}, Else: t.Default, T: t.Default.Type()}
		out.Exprs = append(out.Exprs, mark, path)
		goes := &ast.Operator{Name: "<>", Left: column(names[at]), Right: c.Value, Pos: -1}
		if cond, err = sc.Condition(goes, "CYCLE"); err != nil {
			return nil, err
		}
		out.Input = plan.Filter{Input: rows, Cond: cond}
	}
	return out, nil
}

// sequence is what a row is ordered by: with BREADTH its depth and its columns, else those of all rows up to it.
func (t *traversal) sequence(before expr.Expr, own []expr.Expr, breadth bool) (expr.Expr, error) {
	if !breadth {
		return t.Call("array_cat", before, rowsOf(own))
	}
	one := expr.Const{Value: types.NewInt(1), T: types.Int8}
	depth, err := t.Call("int8pl", expr.Field{Arg: before, Name: "f1", T: types.Int8}, one)
	return expr.Row{Args: append([]expr.Expr{depth}, own...)}, err
}

func column(name string) *ast.Column { return &ast.Column{Parts: []string{name}, Pos: -1} }

// rowsOf is an array of one row.
func rowsOf(args []expr.Expr) expr.Expr {
	of, _ := types.ArrayOf(types.Record)
	return expr.ArrayOf{Items: []expr.Expr{expr.Row{Args: args}}, T: of}
}

func pick(list []expr.Expr, at []int) []expr.Expr {
	out := make([]expr.Expr, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// recursion is the query, of the columns that its terms have without those that are added.
func (t *traversal) recursion(number int, op *ast.SetOp, base, step branch) (plan.Node, error) {
	if !t.reads {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "with a SEARCH or CYCLE clause, the recursive reference to "+
			"WITH query \"%s\" must be at the top level of its right-hand SELECT", t.of.Name)
	}
	given := step
	given.cols = step.cols[:max(len(step.cols)-len(t.Columns), 0)]
	_, sides, err := clause.Matched(t.Analysis().Coercion, op, base.outputs(), given.outputs())
	if err != nil {
		return nil, err
	}
	for i, e := range sides[0] {
		if err := overall(t.of.Name, i, base, e.Type()); err != nil {
			return nil, err
		}
	}
	out := plan.Recursion{Number: number, Name: t.of.Name, Base: t.first(base.node, sides[0], base.cols),
		Distinct: !t.all}
	out.Step, err = t.next(step.node, sides[1], base.cols)
	out.Cols = out.Base.Columns()
	return out, err
}
