// Package analyze is PostgreSQL's analysis of expressions, whatever is made from them: the order in which the parts
// of a syntax tree are analyzed, the choice of functions and operators, the types of literals, arrays, CASE and
// polymorphic arguments, and the implicit casts. A Maker resolves names and makes the expressions of one kind:
// package bind those that run, package bound those that are printed. Read Analysis and Maker first, then Coercion
// and Choose.
package analyze

import (
	"strings"

	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Analysis makes expressions of one kind of a syntax tree.
type Analysis[E Typed] struct {
	Coercion[E]
	make Maker[E]
}

// New is an analysis whose expressions a caster and a maker make.
func New[E Typed](c Caster[E], m Maker[E]) Analysis[E] { return Analysis[E]{NewCoercion(c), m} }

// Analyze makes one expression. Those inside of it are made by the maker's Expr, which calls it for each of them.
func (a Analysis[E]) Analyze(e ast.Expr) (out E, err error) {
	switch e := e.(type) {
	case *ast.Literal:
		v, t, err := a.make.Literal(e)
		if err != nil {
			return out, err
		}
		return a.make.Constant(v, t, e.Pos), nil
	case *ast.Param:
		return a.make.Param(e)
	case *ast.Column:
		return a.make.Column(e)
	case *ast.Operator:
		return a.operator(e)
	case *ast.Logic:
		return a.logic(e)
	case *ast.Not:
		arg, err := a.Condition(e.Arg, "NOT")
		if err != nil {
			return out, err
		}
		return a.make.Form(&Logic[E]{"NOT", []E{arg}})
	case *ast.Is:
		return a.is(e)
	case *ast.Distinct:
		return a.distinct(e)
	case *ast.Between:
		return a.make.Expr(e.Comparisons())
	case *ast.In:
		return a.in(e)
	case *ast.Like:
		return a.make.Expr(e.Operation())
	case *ast.Call:
		return a.call(e)
	case *ast.Cast:
		return a.cast(e)
	}
	return a.special(e)
}

// special makes the expressions that are neither operators nor calls.
func (a Analysis[E]) special(e ast.Expr) (out E, err error) {
	switch e := e.(type) {
	case *ast.Case:
		return a.caseOf(e)
	case *ast.Coalesce:
		return a.alternatives("COALESCE", e.Args)
	case *ast.Extreme:
		if e.Least {
			return a.alternatives("LEAST", e.Args)
		}
		return a.alternatives("GREATEST", e.Args)
	case *ast.NullIf:
		both, err := a.Exprs([]ast.Expr{e.Left, e.Right})
		if err != nil {
			return out, err
		}
		return a.make.NullIf(both[0], both[1], e.Pos)
	case *ast.Collate:
		return a.collate(e)
	case *ast.ArrayLiteral:
		return a.array(e, nil)
	case *ast.Subscript:
		return a.subscript(e)
	case *ast.GroupingCall:
		return a.make.Grouping(e)
	case *ast.Quantified:
		both, err := a.Exprs([]ast.Expr{e.Left, e.Array})
		if err != nil {
			return out, err
		}
		return a.make.Quantified(e, both[0], both[1])
	case *ast.Row:
		args, err := a.Fields(e.Args)
		if err != nil {
			return out, err
		}
		return a.make.Form(&Row[E]{args, types.Record, e.Pos})
	case *ast.Field:
		return a.field(e)
	case *ast.Star:
		return a.make.WholeRow(e)
	case *ast.Subquery:
		return a.subquery(e)
	case *ast.JSONQuery:
		return a.jsonQuery(e)
	case *ast.JSONInput:
		return a.jsonInput(e)
	case *ast.JSONOutput:
		return a.jsonOutput(e)
	case *ast.Default:
		return out, sqlerr.New(sqlerr.SyntaxError, "DEFAULT is not allowed in this context").At(int(e.Pos))
	}
	return out, sqlerr.Unsupported("expression %T", e)
}

// Expr makes one expression, inside of what surrounds it.
func (a Analysis[E]) Expr(e ast.Expr) (E, error) { return a.make.Expr(e) }

// Exprs makes a list of expressions.
func (a Analysis[E]) Exprs(list []ast.Expr) ([]E, error) {
	out := make([]E, len(list))
	for i, e := range list {
		var err error
		if out[i], err = a.make.Expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Known makes an expression, a text of a literal that nothing gives a type.
func (a Analysis[E]) Known(e ast.Expr) (E, error) {
	out, err := a.make.Expr(e)
	if err != nil {
		return out, err
	}
	return a.KnownType(out, Start(e))
}

// Condition makes an expression that must be a boolean.
func (a Analysis[E]) Condition(e ast.Expr, where string) (E, error) {
	out, err := a.make.Expr(e)
	if err != nil {
		return out, err
	}
	return a.Boolean(out, where, Start(e))
}

// CommonOf makes expressions and brings them to one type.
func (a Analysis[E]) CommonOf(list []ast.Expr, what string) ([]E, types.T, error) {
	all, err := a.Exprs(list)
	if err != nil {
		return nil, types.Unknown, err
	}
	starts := make([]ast.Pos, len(list))
	for i, e := range list {
		starts[i] = Start(e)
	}
	return a.Common(all, what, starts)
}

func (a Analysis[E]) operator(e *ast.Operator) (out E, err error) {
	if l, r, ok := e.Rows(); ok {
		return a.rows(e.Name, l, r, e.Pos)
	}
	if sub, ok := e.RowSubquery(); ok {
		return a.tested(sub)
	}
	sign := e.Name
	if e.System {
		sign = pg.CatalogSchema + "." + sign
	}
	right, err := a.make.Expr(e.Right)
	if err != nil {
		return out, err
	}
	if e.Left == nil {
		if number, ok := e.Negated(); ok {
			v, t, err := a.make.Negative(number)
			if err != nil {
				return out, err
			}
			return a.make.Constant(v, t, number.Pos), nil
		}
		return a.make.Operation(sign, []E{right}, e.Pos)
	}
	left, err := a.make.Expr(e.Left)
	if err != nil {
		return out, err
	}
	return a.make.Operation(sign, []E{left, right}, e.Pos)
}

func (a Analysis[E]) logic(e *ast.Logic) (out E, err error) {
	op := "AND"
	if e.Or {
		op = "OR"
	}
	args := make([]E, 0, len(e.Args))
	for _, arg := range e.Args {
		c, err := a.Condition(arg, op)
		if err != nil {
			return out, err
		}
		args = append(args, c)
	}
	return a.make.Form(&Logic[E]{op, args})
}

func (a Analysis[E]) is(e *ast.Is) (out E, err error) {
	if e.What == ast.IsNull {
		if row, ok := e.Arg.(*ast.Row); ok {
			args, err := a.Fields(row.Args)
			if err != nil {
				return out, err
			}
			return a.make.RowIsNull(args, e.Not)
		}
		arg, err := a.make.Expr(e.Arg)
		if err != nil {
			return out, err
		}
		return a.make.Form(&IsNull[E]{arg, e.Not}) // a parameter may learn its type elsewhere
	}
	word := map[ast.IsWhat]string{ast.IsTrue: "IS TRUE", ast.IsFalse: "IS FALSE", ast.IsUnknown: "IS UNKNOWN"}[e.What]
	if e.Not {
		word = strings.Replace(word, "IS", "IS NOT", 1)
	}
	arg, err := a.Condition(e.Arg, word)
	if err != nil {
		return out, err
	}
	return a.make.Form(&IsBool[E]{arg, e.What, e.Not})
}

func (a Analysis[E]) distinct(e *ast.Distinct) (out E, err error) {
	l, left := e.Left.(*ast.Row)
	r, right := e.Right.(*ast.Row)
	if left && right {
		ls, rs, err := a.bothFields(l, r)
		if err != nil {
			return out, err
		}
		return a.make.RowsDistinct(ls, rs, e)
	}
	both, err := a.Exprs([]ast.Expr{e.Left, e.Right})
	if err != nil {
		return out, err
	}
	return a.make.Distinct(both[0], both[1], e)
}

// alternatives makes COALESCE, GREATEST and LEAST.
func (a Analysis[E]) alternatives(name string, list []ast.Expr) (out E, err error) {
	args, t, err := a.CommonOf(list, name)
	if err != nil {
		return out, err
	}
	return a.make.Form(&Alternatives[E]{name, args, t})
}

func (a Analysis[E]) caseOf(e *ast.Case) (out E, err error) {
	c := &Case[E]{}
	if c.Arg, c.Conditions, err = a.make.Conditions(e); err != nil {
		return out, err
	}
	var results []ast.Expr // ELSE first, since the first one decides the type
	if e.Else != nil {
		results = append(results, e.Else)
	}
	for _, w := range e.Whens {
		results = append(results, w.Result)
	}
	c.Results, c.T, err = a.CommonOf(results, "CASE")
	if err != nil {
		return out, err
	}
	if e.Else != nil {
		c.Else, c.Results = c.Results[0], c.Results[1:]
	} else {
		c.T.Mod = -1 // NULL, which there is else, has none
	}
	return a.make.Form(c)
}

func (a Analysis[E]) cast(e *ast.Cast) (out E, err error) {
	to, err := a.make.TypeNamed(e.Type)
	if err != nil {
		return out, err
	}
	var arg E
	if array, ok := e.Arg.(*ast.ArrayLiteral); ok && to.Kind() == types.KindArray {
		arg, err = a.array(array, &to)
	} else {
		arg, err = a.make.Expr(e.Arg)
	}
	if err != nil {
		return out, err
	}
	return a.Explicit(arg, to, e.Pos)
}

func (a Analysis[E]) collate(e *ast.Collate) (out E, err error) {
	arg, err := a.Known(e.Arg)
	if err != nil {
		return out, err
	}
	to, err := a.make.CollationNamed(e.Name)
	if err == nil && !arg.Type().OID.Collates() {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s",
			arg.Type().Bare()).At(int(e.Pos))
	}
	if err != nil {
		return out, err
	}
	return a.make.Form(&Collate[E]{arg, e.Name, to, e.Pos})
}
