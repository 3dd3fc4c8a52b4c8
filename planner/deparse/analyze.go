package deparse

import (
	"math"
	"strconv"
	"strings"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// analyzer makes nodes of the expressions of one query.
type analyzer struct {
	source *source
	names  *resolver // with the tables of WITH
	q      *query
	outer  *analyzer // around a subquery
	items  []item    // what names can mean, so far
}

// expr analyzes an expression.
func (a *analyzer) expr(e ast.Expr) (node, error) {
	switch e := e.(type) {
	case *ast.Literal:
		return a.literal(e)
	case *ast.Column:
		return a.column(e)
	case *ast.Operator:
		return a.operator(e)
	case *ast.Logic:
		op := "AND"
		if e.Or {
			op = "OR"
		}
		return a.logic(op, e.Args...)
	case *ast.Not:
		return a.logic("NOT", e.Arg)
	case *ast.Is:
		return a.is(e)
	case *ast.Distinct:
		return a.distinct(e)
	case *ast.Between:
		return a.between(e)
	case *ast.In:
		return a.in(e)
	case *ast.Like:
		return a.like(e)
	case *ast.Quantified:
		return a.quantified(e)
	case *ast.Subquery:
		return a.subquery(e)
	case *ast.Cast:
		return a.castTo(e)
	case *ast.Call:
		return a.call(e)
	}
	return a.special(e)
}

func (a *analyzer) special(e ast.Expr) (node, error) {
	switch e := e.(type) {
	case *ast.Case:
		return a.caseOf(e)
	case *ast.Coalesce:
		return a.function("COALESCE", e.Args)
	case *ast.Extreme:
		if e.Least {
			return a.function("LEAST", e.Args)
		}
		return a.function("GREATEST", e.Args)
	case *ast.NullIf:
		args, err := a.exprs([]ast.Expr{e.Left, e.Right})
		if err != nil {
			return nil, err
		}
		op, err := a.operation("=", args)
		if err != nil {
			return nil, err
		}
		args = op.(*operation).args
		return &nullIf{args, args[0].typ()}, nil
	case *ast.ArrayLiteral:
		return a.array(e, 0)
	case *ast.Row:
		args, err := a.rowArgs(e.Args)
		return &row{args: args}, err
	case *ast.Subscript:
		return a.subscript(e)
	case *ast.Field:
		return a.field(e)
	case *ast.Star:
		return a.wholeRow(e)
	case *ast.Collate:
		arg, err := a.expr(e.Arg)
		if err == nil {
			arg, err = a.known(arg)
		}
		return &collate{arg, e.Name.Name}, err
	}
	return nil, sqlerr.Unsupported("printing %T", e)
}

func (a *analyzer) literal(e *ast.Literal) (node, error) {
	switch e.Kind {
	case ast.LiteralNull:
		return &constant{t: types.Unknown}, nil
	case ast.LiteralBool:
		return &constant{types.NewBool(e.Text == "true"), types.Bool}, nil
	case ast.LiteralString:
		return &constant{types.NewText(e.Text), types.Unknown}, nil
	case ast.LiteralInt:
		if v, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			if v == int64(int32(v)) {
				return &constant{types.NewInt(v), types.Int4}, nil
			}
			return &constant{types.NewInt(v), types.Int8}, nil
		}
	}
	v, err := types.ParseText(e.Text, types.Numeric, a.source.constants.Reads())
	return &constant{v, types.Numeric}, err
}

func (a *analyzer) operator(e *ast.Operator) (node, error) {
	if e.Left == nil {
		if l, ok := e.Right.(*ast.Literal); ok && e.Name == "-" && l.Kind == ast.LiteralInt {
			return a.negative(l)
		}
		arg, err := a.expr(e.Right)
		if err != nil {
			return nil, err
		}
		return a.operation(e.Name, []node{arg})
	}
	l, left := e.Left.(*ast.Row)
	r, right := e.Right.(*ast.Row)
	if left && right {
		return a.compareRows(e.Name, l, r)
	}
	if q, ok := e.Right.(*ast.Subquery); ok && left && q.Kind == ast.ScalarSubquery {
		return a.tested(&ast.Subquery{Kind: ast.AnySubquery, Select: q.Select, Left: e.Left, Operator: e.Name}, rowQuery)
	}
	args, err := a.exprs([]ast.Expr{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	return a.operation(e.Name, args)
}

// negative is a number with its sign, of which the grammar makes one constant.
func (a *analyzer) negative(l *ast.Literal) (node, error) {
	n, err := a.literal(l)
	if c, ok := n.(*constant); ok && err == nil {
		if c.t.OID == types.OIDNumeric {
			return a.literal(&ast.Literal{Kind: ast.LiteralNumeric, Text: "-" + l.Text})
		}
		c.value = types.NewInt(-c.value.Int())
		if c.value.Int() == math.MinInt32 {
			c.t = types.Int8
		}
	}
	return n, err
}

// operation is make_op.
func (a *analyzer) operation(sign string, args []node) (node, error) {
	if sign == "!=" {
		sign = "<>"
	}
	given := make([]types.OID, len(args))
	for i, n := range args {
		given[i] = n.typ().OID
	}
	op, err := operator(sign, given)
	if err != nil {
		return nil, err
	}
	out := &operation{sign: sign, args: make([]node, len(args)), t: types.Of(op.Result)}
	for i, n := range args {
		if out.args[i], err = a.coerce(n, op.Args[i], types.Implicit, implicitCast); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *analyzer) logic(op string, list ...ast.Expr) (node, error) {
	out := &logic{op: op}
	for _, e := range list {
		n, err := a.boolean(a.expr(e))
		if err != nil {
			return nil, err
		}
		out.args = append(out.args, n)
	}
	return out, nil
}

func (a *analyzer) is(e *ast.Is) (node, error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if e.What == ast.IsNull {
		return &nullTest{arg, e.Not}, nil
	}
	arg, err = a.boolean(arg, nil)
	text := map[ast.IsWhat]string{ast.IsTrue: "TRUE", ast.IsFalse: "FALSE", ast.IsUnknown: "UNKNOWN"}[e.What]
	if e.Not {
		text = "NOT " + text
	}
	return &boolTest{arg, text}, err
}

func (a *analyzer) distinct(e *ast.Distinct) (node, error) {
	l, left := e.Left.(*ast.Row)
	r, right := e.Right.(*ast.Row)
	if left && right && len(l.Args) == len(r.Args) {
		return nil, sqlerr.Unsupported("printing IS DISTINCT FROM of rows")
	}
	args, err := a.exprs([]ast.Expr{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	// x IS DISTINCT FROM NULL is a test of NULL
	for i, n := range args {
		if c, ok := n.(*constant); ok && c.value.IsNull() && c.t.OID == types.OIDUnknown {
			return &nullTest{args[1-i], !e.Not}, nil
		}
	}
	op, err := a.operation("=", args)
	if err != nil {
		return nil, err
	}
	args = op.(*operation).args
	out := node(&distinct{args[0], args[1]})
	if e.Not {
		out = &logic{"NOT", []node{out}}
	}
	return out, nil
}

func (a *analyzer) between(e *ast.Between) (node, error) {
	within := func(low, high ast.Expr) ast.Expr {
		if e.Not {
			return &ast.Logic{Or: true, Args: []ast.Expr{&ast.Operator{Name: "<", Left: e.Arg, Right: low}, &ast.Operator{Name: ">", Left: e.Arg, Right: high}}}
		}
		return &ast.Logic{Args: []ast.Expr{&ast.Operator{Name: ">=", Left: e.Arg, Right: low}, &ast.Operator{Name: "<=", Left: e.Arg, Right: high}}}
	}
	if e.Symmetric {
		return a.expr(&ast.Logic{Or: !e.Not, Args: []ast.Expr{within(e.Low, e.High), within(e.High, e.Low)}})
	}
	return a.expr(within(e.Low, e.High))
}

func (a *analyzer) like(e *ast.Like) (node, error) {
	sign := "~~"
	if e.Insensitive {
		sign = "~~*"
	}
	if e.Not {
		sign = "!" + sign
	}
	pattern := e.Pattern
	if e.Escape != nil {
		pattern = &ast.Call{Schema: "pg_catalog", Name: "like_escape", Args: []ast.Expr{e.Pattern, e.Escape}}
	}
	return a.operator(&ast.Operator{Name: sign, Left: e.Arg, Right: pattern})
}

func (a *analyzer) castTo(e *ast.Cast) (node, error) {
	to, err := a.names.TypeNamed(e.Type)
	if err != nil {
		return nil, err
	}
	if items, ok := e.Arg.(*ast.ArrayLiteral); ok {
		if element, ok := types.ElementOf(to); ok {
			arg, err := a.array(items, element.OID)
			if err != nil {
				return nil, err
			}
			return a.coerceTo(arg, to, types.Explicit, explicitCast)
		}
	}
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if to.OID.IsRow() {
		return a.toRow(arg, to)
	}
	return a.coerceTo(arg, to, types.Explicit, explicitCast)
}

func (a *analyzer) caseOf(e *ast.Case) (node, error) {
	out := &caseExpr{}
	var err error
	if e.Arg != nil {
		if out.arg, err = a.expr(e.Arg); err == nil {
			out.arg, err = a.known(out.arg)
		}
		if err != nil {
			return nil, err
		}
	}
	results := []node{&constant{t: types.Unknown}}
	if e.Else != nil {
		if results[0], err = a.expr(e.Else); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Whens {
		cond, err := a.expr(w.Cond)
		if err == nil && out.arg != nil {
			cond, err = a.operation("=", []node{&caseTest{out.arg.typ()}, cond})
		}
		if cond, err = a.boolean(cond, err); err != nil {
			return nil, err
		}
		result, err := a.expr(w.Result)
		if err != nil {
			return nil, err
		}
		out.whens, results = append(out.whens, when{cond: cond}), append(results, result)
	}
	results, out.t, err = a.common(results)
	if err != nil {
		return nil, err
	}
	out.els = results[0]
	for i := range out.whens {
		out.whens[i].result = results[i+1]
	}
	return out, nil
}

func (a *analyzer) function(name string, list []ast.Expr) (node, error) {
	args, err := a.exprs(list)
	if err != nil {
		return nil, err
	}
	args, t, err := a.common(args)
	return &function{name, args, t}, err
}

// valueFunctionOf is CURRENT_DATE and its like.
func valueFunctionOf(e *ast.Call) (node, bool) {
	of := map[string]types.OID{
		"current_date": types.OIDDate, "current_time": types.OIDTimetz, "current_timestamp": types.OIDTimestamptz,
		"localtime": types.OIDTime, "localtimestamp": types.OIDTimestamp, "current_role": types.OIDName, "current_user": types.OIDName,
		"user": types.OIDName, "session_user": types.OIDName, "current_catalog": types.OIDName, "current_schema": types.OIDName,
	}
	t, ok := of[e.Name]
	if !ok || !e.Syntax {
		return nil, false
	}
	out := &valueFunction{strings.ToUpper(e.Name), types.Of(t)}
	if len(e.Args) == 1 {
		digits := e.Args[0].(*ast.Literal).Text
		mod, _ := strconv.Atoi(digits)
		out.text, out.t.Mod = out.text+"("+digits+")", int32(mod)
	}
	return out, true
}
