package bound

import (
	"strconv"
	"strings"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// analyzer makes nodes of the expressions of one query.
type analyzer struct {
	*Source
	names *resolver // with the tables of WITH
	q     *Query
	outer *analyzer // around a subquery
	items []item    // what names can mean, so far
}

// expr analyzes an expression.
func (a *analyzer) expr(e ast.Expr) (Node, error) {
	switch e := e.(type) {
	case *ast.Literal:
		v, t, err := a.Constants.Literal(e)
		return &Constant{v, t}, err
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
		return a.expr(e.Comparisons())
	case *ast.In:
		return a.in(e)
	case *ast.Like:
		return a.expr(e.Operation())
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

func (a *analyzer) special(e ast.Expr) (Node, error) {
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
		args = op.(*Operation).Args
		return &NullIf{args, args[0].typ()}, nil
	case *ast.ArrayLiteral:
		return a.array(e, 0)
	case *ast.Row:
		args, err := a.rowArgs(e.Args)
		return &Row{Args: args}, err
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
		return &Collate{arg, e.Name.Name}, err
	}
	return nil, sqlerr.Unsupported("printing %T", e)
}

func (a *analyzer) operator(e *ast.Operator) (Node, error) {
	if e.Left == nil {
		if number, ok := e.Negated(); ok {
			v, t, err := a.Constants.Negative(number)
			return &Constant{v, t}, err
		}
		arg, err := a.expr(e.Right)
		if err != nil {
			return nil, err
		}
		return a.operation(e.Name, []Node{arg})
	}
	if l, r, ok := e.Rows(); ok {
		return a.compareRows(e.Name, l, r)
	}
	if sub, ok := e.RowSubquery(); ok {
		return a.tested(sub, RowQuery)
	}
	args, err := a.exprs([]ast.Expr{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	return a.operation(e.Name, args)
}

// operation is make_op.
func (s *Source) operation(sign string, args []Node) (Node, error) {
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
	out := &Operation{Sign: sign, Args: make([]Node, len(args)), t: types.Of(op.Result)}
	for i, n := range args {
		if out.Args[i], err = s.coerce(n, op.Args[i], types.Implicit, ImplicitCast); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *analyzer) logic(op string, list ...ast.Expr) (Node, error) {
	out := &Logic{Op: op}
	for _, e := range list {
		n, err := a.boolean(a.expr(e))
		if err != nil {
			return nil, err
		}
		out.Args = append(out.Args, n)
	}
	return out, nil
}

func (a *analyzer) is(e *ast.Is) (Node, error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if e.What == ast.IsNull {
		return &NullTest{arg, e.Not}, nil
	}
	arg, err = a.boolean(arg, nil)
	text := map[ast.IsWhat]string{ast.IsTrue: "TRUE", ast.IsFalse: "FALSE", ast.IsUnknown: "UNKNOWN"}[e.What]
	if e.Not {
		text = "NOT " + text
	}
	return &BoolTest{arg, text}, err
}

func (a *analyzer) distinct(e *ast.Distinct) (Node, error) {
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
		if c, ok := n.(*Constant); ok && c.Value.IsNull() && c.T.OID == types.OIDUnknown {
			return &NullTest{args[1-i], !e.Not}, nil
		}
	}
	op, err := a.operation("=", args)
	if err != nil {
		return nil, err
	}
	args = op.(*Operation).Args
	out := Node(&Distinct{args[0], args[1]})
	if e.Not {
		out = &Logic{"NOT", []Node{out}}
	}
	return out, nil
}

func (a *analyzer) castTo(e *ast.Cast) (Node, error) {
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

func (a *analyzer) caseOf(e *ast.Case) (Node, error) {
	out := &CaseExpr{}
	var err error
	if e.Arg != nil {
		if out.Arg, err = a.expr(e.Arg); err == nil {
			out.Arg, err = a.known(out.Arg)
		}
		if err != nil {
			return nil, err
		}
	}
	results := []Node{&Constant{T: types.Unknown}}
	if e.Else != nil {
		if results[0], err = a.expr(e.Else); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Whens {
		cond, err := a.expr(w.Cond)
		if err == nil && out.Arg != nil {
			cond, err = a.operation("=", []Node{&CaseTest{out.Arg.typ()}, cond})
		}
		if cond, err = a.boolean(cond, err); err != nil {
			return nil, err
		}
		result, err := a.expr(w.Result)
		if err != nil {
			return nil, err
		}
		out.Whens, results = append(out.Whens, When{Cond: cond}), append(results, result)
	}
	results, out.t, err = a.common(results)
	if err != nil {
		return nil, err
	}
	out.Else = results[0]
	for i := range out.Whens {
		out.Whens[i].Result = results[i+1]
	}
	return out, nil
}

func (a *analyzer) function(name string, list []ast.Expr) (Node, error) {
	args, err := a.exprs(list)
	if err != nil {
		return nil, err
	}
	args, t, err := a.common(args)
	return &Function{name, args, t}, err
}

// valueFunctionOf is CURRENT_DATE and its like.
func valueFunctionOf(e *ast.Call) (Node, bool) {
	of := map[string]types.OID{
		"current_date": types.OIDDate, "current_time": types.OIDTimetz, "current_timestamp": types.OIDTimestamptz,
		"localtime": types.OIDTime, "localtimestamp": types.OIDTimestamp, "current_role": types.OIDName, "current_user": types.OIDName,
		"user": types.OIDName, "session_user": types.OIDName, "current_catalog": types.OIDName, "current_schema": types.OIDName,
	}
	t, ok := of[e.Name]
	if !ok || !e.Syntax {
		return nil, false
	}
	out := &ValueFunction{strings.ToUpper(e.Name), types.Of(t)}
	if len(e.Args) == 1 {
		digits := e.Args[0].(*ast.Literal).Text
		mod, _ := strconv.Atoi(digits)
		out.Text, out.t.Mod = out.Text+"("+digits+")", int32(mod)
	}
	return out, true
}
