package bound

import (
	"strings"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Operation implements analyze.Maker.
func (m maker) Operation(sign string, args []Node, _ ast.Pos) (Node, error) {
	n, err := m.operation(sign, args...)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// operation is make_op.
func (s *Source) operation(sign string, args ...Node) (*Operation, error) {
	if sign == "!=" {
		sign = "<>"
	}
	op, err := s.operator(sign, analyze.Types(args))
	if err != nil {
		return nil, err
	}
	args, err = s.coercion().Arguments(args, op.Args, 0)
	return &Operation{Sign: bareSign(sign), Via: op.via, Args: args, typed: typed{types.Of(op.Result)}}, err
}

// bareSign is an operator without the schema that it may be written with.
func bareSign(sign string) string { return sign[strings.LastIndexByte(sign, '.')+1:] }

// Distinct implements analyze.Maker. With NULL it is a test of NULL.
func (m maker) Distinct(left, right Node, e *ast.Distinct) (Node, error) {
	args := []Node{left, right}
	for i, n := range args {
		if c, ok := n.(*Constant); ok && c.Value.IsNull() && c.T.OID == types.OIDUnknown {
			return &IsNull{Arg: args[1-i], Not: !e.Not}, nil
		}
	}
	op, err := m.operation("=", args...)
	if err != nil {
		return nil, err
	}
	out := &Distinct{Left: op.Args[0], Right: op.Args[1]}
	if e.Not {
		return &Logic{Op: "NOT", Args: []Node{out}}, nil
	}
	return out, nil
}

// RowsDistinct implements analyze.Maker.
func (m maker) RowsDistinct(_, _ []Node, _ *ast.Distinct) (Node, error) {
	return nil, sqlerr.Unsupported("printing IS DISTINCT FROM of rows")
}

// NullIf implements analyze.Maker.
func (m maker) NullIf(left, right Node, _ ast.Pos) (Node, error) {
	op, err := m.operation("=", left, right)
	if err != nil {
		return nil, err
	}
	return &NullIf{op.Args, typed{op.Args[0].Type()}}, nil
}

// Conditions implements analyze.Maker. Each one compares with a placeholder of the argument, if there is one.
func (m maker) Conditions(e *ast.Case) (arg Node, out []Node, err error) {
	if e.Arg != nil {
		if arg, err = m.analysis().Known(e.Arg); err != nil {
			return nil, nil, err
		}
	}
	for _, w := range e.Whens {
		cond, err := m.expr(w.Cond)
		if err == nil && arg != nil {
			cond, err = m.operation("=", &CaseTest{typed{arg.Type()}}, cond)
		}
		if err == nil {
			cond, err = m.coercion().Boolean(cond, "CASE/WHEN", w.Cond.Position())
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, cond)
	}
	return arg, out, nil
}

// Quantified implements analyze.Maker.
func (m maker) Quantified(e *ast.Quantified, left, array Node) (Node, error) {
	return m.arrayOperation(e.Operator, !e.All, left, array)
}

// arrayOperation is make_scalar_array_op.
func (s *Source) arrayOperation(sign string, any bool, left, right Node) (Node, error) {
	if sign == "!=" {
		sign = "<>"
	}
	item := right.Type()
	if item.OID != types.OIDUnknown {
		var ok bool
		if item, ok = types.ElementOf(item); !ok {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires array on right side")
		}
	}
	op, err := s.operator(sign, []types.T{left.Type(), item})
	if err != nil {
		return nil, err
	}
	if left, err = s.to(left, types.Of(op.Args[0]), types.Implicit); err != nil {
		return nil, err
	}
	right, err = s.to(right, types.Of(types.InfoOf(op.Args[1]).Array), types.Implicit)
	return &ArrayOperation{Sign: bareSign(sign), Via: op.via, Any: any, Left: left, Right: right}, err
}

// In implements analyze.Maker. It is transformAExprIn: one comparison with an array of what has no columns, if there
// are two such items, and one each for the others.
func (m maker) In(e *ast.In, left Node, list []Node) (Node, bool, error) {
	sign, out := "=", &Logic{Op: "OR"}
	if e.Not {
		sign, out.Op = "<>", "AND"
	}
	var plain, others []Node
	rows := false
	for _, n := range list {
		if _, ok := n.(*Row); ok {
			rows = true
		}
		if m.reads(n) {
			others = append(others, n)
		} else {
			plain = append(plain, n)
		}
	}
	if len(plain) > 1 && !rows {
		if n, ok, err := m.inArray(sign, left, plain, e); err != nil {
			return nil, false, err
		} else if ok {
			out.Args, list = append(out.Args, n), others
		}
	}
	for _, n := range list {
		c, err := m.operation(sign, left, n)
		if err != nil {
			return nil, false, err
		}
		out.Args = append(out.Args, c)
	}
	if len(out.Args) == 1 {
		return out.Args[0], true, nil
	}
	return out, true, nil
}

// inArray compares with an array of the items, if one type serves them all.
func (s *Source) inArray(sign string, left Node, plain []Node, e *ast.In) (Node, bool, error) {
	items, t, ok := s.coercion().Items(left, plain, e.Pos)
	if !ok {
		return nil, false, nil
	}
	of, ok := types.ArrayOf(t.Bare())
	if !ok || t.OID == types.OIDRecord {
		return nil, false, nil
	}
	n, err := s.arrayOperation(sign, !e.Not, left, &Array{Items: items, T: of})
	return n, true, err
}

// Pairs implements analyze.Maker.
func (m maker) Pairs(sign string, left, right []Node, pos ast.Pos) ([]Node, error) {
	out := make([]Node, len(left))
	for i := range left {
		var err error
		if out[i], err = m.Operation(sign, []Node{left[i], right[i]}, pos); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RowCompare implements analyze.Maker.
func (m maker) RowCompare(pairs []Node) Node {
	out := &RowCompare{}
	for _, p := range pairs {
		o := p.(*Operation)
		out.Sign, out.Left, out.Right = o.Sign, append(out.Left, o.Args[0]), append(out.Right, o.Args[1])
	}
	return out
}
