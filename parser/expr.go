package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// maybe converts an expression that may be absent.
func (c *converter) maybe(n *pg.Node) ast.Expr {
	if n == nil {
		return nil
	}
	return c.expr(n)
}

func (c *converter) exprs(list []*pg.Node) []ast.Expr {
	var out []ast.Expr
	for _, n := range list {
		out = append(out, c.expr(n))
	}
	return out
}

// endedExprs is how many expressions are converted between two looks at whether the statement is to end.
const endedExprs = 1 << 10

func (c *converter) expr(node *pg.Node) ast.Expr {
	if c.done++; c.done%endedExprs == 0 && c.err == nil {
		c.err = c.watch.ended()
	}
	if c.err != nil && c.done > endedExprs {
		return &ast.Literal{} // c.err is the answer, and the tree is dropped
	}
	switch n := node.GetNode().(type) {
	case *pg.Node_AConst:
		return c.literal(n.AConst)
	case *pg.Node_ColumnRef:
		return c.column(n.ColumnRef)
	case *pg.Node_ParamRef:
		return c.param(n.ParamRef)
	case *pg.Node_AExpr:
		return c.operation(n.AExpr)
	case *pg.Node_BoolExpr:
		return c.logic(n.BoolExpr)
	case *pg.Node_NullTest:
		return c.nullTest(n.NullTest)
	case *pg.Node_BooleanTest:
		return c.booleanTest(n.BooleanTest)
	case *pg.Node_FuncCall:
		return c.call(n.FuncCall)
	case *pg.Node_SqlvalueFunction:
		return c.valueFunction(n.SqlvalueFunction)
	case *pg.Node_TypeCast:
		return c.cast(n.TypeCast)
	case *pg.Node_CollateClause:
		return c.collate(n.CollateClause)
	case *pg.Node_CaseExpr:
		return c.caseExpr(n.CaseExpr)
	case *pg.Node_CoalesceExpr:
		return &ast.Coalesce{Args: c.exprs(n.CoalesceExpr.Args), Pos: c.at(n.CoalesceExpr.Location)}
	case *pg.Node_MinMaxExpr:
		least := n.MinMaxExpr.Op == pg.MinMaxOp_IS_LEAST
		return &ast.Extreme{Least: least, Args: c.exprs(n.MinMaxExpr.Args), Pos: c.at(n.MinMaxExpr.Location)}
	case *pg.Node_SetToDefault:
		return &ast.Default{Pos: c.at(n.SetToDefault.Location)}
	}
	return c.composite(node)
}

// composite is an expression of queries, rows or arrays.
func (c *converter) composite(node *pg.Node) ast.Expr {
	switch n := node.GetNode().(type) {
	case *pg.Node_SubLink:
		return c.subquery(n.SubLink)
	case *pg.Node_RowExpr:
		return &ast.Row{Args: c.exprs(n.RowExpr.Args), Pos: c.at(n.RowExpr.Location)}
	case *pg.Node_AArrayExpr:
		return &ast.ArrayLiteral{Items: c.exprs(n.AArrayExpr.Elements), Pos: c.at(n.AArrayExpr.Location)}
	case *pg.Node_CurrentOfExpr:
		return &ast.CurrentOf{Cursor: n.CurrentOfExpr.CursorName, Pos: -1}
	case *pg.Node_GroupingFunc:
		return &ast.GroupingCall{Args: c.exprs(n.GroupingFunc.Args), Pos: c.at(n.GroupingFunc.Location)}
	case *pg.Node_AIndirection:
		return c.indirection(n.AIndirection)
	case *pg.Node_MergeSupportFunc:
		return &ast.Column{Parts: []string{ast.MergeActionName}, Pos: c.at(n.MergeSupportFunc.Location)}
	}
	if out := sqlJSON(c, node); out != nil {
		return out
	}
	c.unknown(node)
	return nil
}

// position is where an expression is reported, also of one that could not be converted.
func position(e ast.Expr) ast.Pos {
	if e == nil {
		return -1
	}
	return e.Position()
}

// inTextOrder converts expressions, some perhaps absent, that the grammar may have put into
// another order than they were written in. Only hints need it.
func (c *converter) inTextOrder(list []*pg.Node) []ast.Expr {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	if len(c.hints.all) > 0 {
		slices.SortStableFunc(order, func(a, b int) int { return int(c.position(list[a]) - c.position(list[b])) })
	}
	var out []ast.Expr
	if len(list) > 0 {
		out = make([]ast.Expr, len(list))
	}
	for _, i := range order {
		out[i] = c.maybe(list[i])
	}
	return out
}

// column is a column reference or, ending in *, a Star.
func (c *converter) column(n *pg.ColumnRef) ast.Expr {
	n.Fields = withoutDatabase(c, n.Fields, 3)
	last := len(n.Fields) - 1
	if last >= 0 && n.Fields[last].GetAStar() != nil {
		return &ast.Star{Table: names(n.Fields[:last]), Pos: c.at(n.Location)}
	}
	return &ast.Column{Parts: names(n.Fields), Pos: c.at(n.Location)}
}

// maxParams is how many parameters the protocol can bind.
const maxParams = 65535

func (c *converter) param(n *pg.ParamRef) ast.Expr {
	if n.Number < 1 || n.Number > maxParams {
		c.fail(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", n.Number).At(int(c.at(n.Location))))
		return nil
	}
	c.params = max(c.params, int(n.Number))
	return &ast.Param{Number: int(n.Number), Pos: c.at(n.Location)}
}

// logic is AND, OR or NOT. The grammar has flattened chains of AND and of OR.
func (c *converter) logic(n *pg.BoolExpr) ast.Expr {
	pos := c.at(n.Location)
	if n.Boolop == pg.BoolExprType_NOT_EXPR {
		return &ast.Not{Arg: c.expr(n.Args[0]), Pos: pos}
	}
	return &ast.Logic{Or: n.Boolop == pg.BoolExprType_OR_EXPR, Args: c.exprs(n.Args), Pos: pos}
}

func (c *converter) nullTest(n *pg.NullTest) ast.Expr {
	return &ast.Is{
		Arg:  c.expr(n.Arg),
		What: ast.IsNull,
		Not:  n.Nulltesttype == pg.NullTestType_IS_NOT_NULL,
		Pos:  c.at(n.Location),
	}
}

func (c *converter) booleanTest(n *pg.BooleanTest) ast.Expr {
	is := &ast.Is{Arg: c.expr(n.Arg), Pos: c.at(n.Location)}
	switch n.Booltesttype {
	case pg.BoolTestType_IS_TRUE:
		is.What = ast.IsTrue
	case pg.BoolTestType_IS_NOT_TRUE:
		is.What, is.Not = ast.IsTrue, true
	case pg.BoolTestType_IS_FALSE:
		is.What = ast.IsFalse
	case pg.BoolTestType_IS_NOT_FALSE:
		is.What, is.Not = ast.IsFalse, true
	case pg.BoolTestType_IS_UNKNOWN:
		is.What = ast.IsUnknown
	default:
		is.What, is.Not = ast.IsUnknown, true
	}
	return is
}

func (c *converter) caseExpr(n *pg.CaseExpr) ast.Expr {
	out := &ast.Case{Arg: c.maybe(n.Arg), Pos: c.at(n.Location)}
	for _, w := range n.Args {
		when := w.GetCaseWhen()
		out.Whens = append(out.Whens, ast.When{
			Cond: c.expr(when.GetExpr()), Result: c.expr(when.GetResult()), Pos: c.at(when.Location),
		})
	}
	out.Else = c.maybe(n.Defresult)
	return out
}

func (c *converter) cast(n *pg.TypeCast) ast.Expr {
	t := c.typeName(n.TypeName)
	pos := c.at(n.Location)
	if pos < 0 {
		pos = t.Pos // type 'text' has no sign of its own
	}
	return &ast.Cast{Arg: c.expr(n.Arg), Type: t, Pos: pos}
}

func (c *converter) collate(n *pg.CollateClause) ast.Expr {
	return &ast.Collate{Arg: c.expr(n.Arg), Name: c.collation(n.Collname, c.at(n.Location)), Pos: c.at(n.Location)}
}

// collation is the name of one, empty where none is written.
func (c *converter) collation(collname []*pg.Node, pos ast.Pos) ast.Name {
	if len(collname) == 0 {
		return ast.Name{}
	}
	name := c.nameOf(names(collname))
	name.Pos = pos
	return name
}

// collationOf is that of a clause which has no expression.
func collationOf(c *converter, n *pg.CollateClause) ast.Name {
	if n == nil {
		return ast.Name{}
	}
	return c.collation(n.Collname, c.at(n.Location))
}
