package bind

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Scalars binds expressions over a scope. Aggregates, where they are allowed, are
// collected and stand in the expression as columns behind those of the scope.
type Scalars struct {
	*Binder
	queries queries
	Scope   *Scope
	Aggs    *Aggregates // nil where aggregates are not allowed
	Windows *Windows    // nil where window functions are not allowed
	Sets    *Sets       // nil where set-returning functions are not allowed
	noSets  error       // why, where it is not only the clause
	Where   string      // the clause, for the error that says so
}

// queries plans the queries in expressions.
type queries interface {
	Query(s *ast.Select, in *Scope) (plan.Node, error)
}

// Over binds expressions over a scope, in a clause.
func (b *Binder) Over(over *Scope, q queries, where string) *Scalars {
	return &Scalars{Binder: b, queries: q, Scope: over, Where: where}
}

// In binds expressions of another clause over the same scope.
func (s *Scalars) In(where string) *Scalars {
	return &Scalars{Binder: s.Binder, queries: s.queries, Scope: s.Scope, Where: where}
}

// PlanUnits is the work of binding one expression.
const PlanUnits = 1 << 10

// Expr binds one expression.
func (s *Scalars) Expr(e ast.Expr) (expr.Expr, error) {
	defer s.Nesting.Leave(1)
	if err := s.Nesting.Enter(1); err != nil {
		return nil, err
	}
	if err := s.Env.Tick(PlanUnits); err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *ast.Literal:
		v, t, err := s.Literal(e)
		return expr.Const{Value: v, T: t, Pos: int(e.Pos) + 1}, err
	case *ast.Param:
		return s.param(e)
	case *ast.Column:
		out, err := s.Scope.column(s.Binder, e)
		if err != nil {
			return s.calledOn(e, err)
		}
		return out, nil
	case *ast.Operator:
		return s.operatorExpr(e)
	case *ast.Logic:
		return s.logic(e)
	case *ast.Not:
		arg, err := s.Condition(e.Arg, "NOT")
		return expr.Not{Arg: arg}, err
	case *ast.Is:
		return s.is(e)
	case *ast.Distinct:
		if l, ok := e.Left.(*ast.Row); ok {
			if r, ok := e.Right.(*ast.Row); ok {
				return rowBinder{s}.rowsDistinct(l, r, e)
			}
		}
		l, r, err := s.pair("=", e.Left, e.Right, e.Pos)
		return expr.Distinct{Left: l, Right: r, Not: e.Not}, err
	case *ast.Between:
		return s.Expr(e.Comparisons())
	case *ast.In:
		return s.inExpr(e)
	case *ast.Like:
		return s.Expr(e.Operation())
	default:
		return s.special(e)
	}
}

// special binds the expressions that are not operators.
func (s *Scalars) special(e ast.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *ast.Case:
		return s.withoutSets("CASE", func() (expr.Expr, error) { return s.caseExpr(e) })
	case *ast.Coalesce:
		return s.withoutSets("COALESCE", func() (expr.Expr, error) {
			args, t, err := s.CommonOf(e.Args, "COALESCE")
			return expr.Coalesce{Args: args, T: t}, err
		})
	case *ast.Subquery:
		return s.subquery(e)
	case *ast.Collate:
		return s.collate(e)
	case *ast.NullIf:
		return s.nullIf(e)
	case *ast.Extreme:
		name := "GREATEST"
		if e.Least {
			name = "LEAST"
		}
		args, t, err := s.CommonOf(e.Args, name)
		if err == nil && !Ordered(t) {
			err = sqlerr.New(sqlerr.UndefinedFunction, "could not identify a comparison function for type %s", t)
		}
		return expr.Extreme{Least: e.Least, Args: args, T: t}, err
	case *ast.Cast:
		return s.castExpr(e)
	case *ast.Call:
		return s.callExpr(e)
	case *ast.ArrayLiteral:
		return s.arrayLiteral(e, nil)
	case *ast.Subscript:
		return s.subscript(e)
	case *ast.Quantified:
		return s.quantified(e)
	case *ast.Row:
		return rowBinder{s}.row(e)
	case *ast.Field:
		return rowBinder{s}.field(e)
	case *ast.Star:
		return s.Scope.starRow(s.Binder, e)
	case *ast.Default:
		return nil, sqlerr.New(sqlerr.SyntaxError, "DEFAULT is not allowed in this context").At(int(e.Pos))
	default:
		return nil, sqlerr.Unsupported("expression %T", e)
	}
}

func (s *Scalars) operatorExpr(e *ast.Operator) (expr.Expr, error) {
	if l, r, ok := e.Rows(); ok {
		return rowBinder{s}.rows(e.Name, l, r, e.Pos)
	}
	if sub, ok := e.RowSubquery(); ok {
		return s.comparedSubquery(sub)
	}
	right, err := s.Expr(e.Right)
	if err != nil {
		return nil, err
	}
	if e.Left == nil {
		if number, ok := e.Negated(); ok {
			v, t, err := s.Negative(number)
			return expr.Const{Value: v, T: t, Pos: int(number.Pos) + 1}, err
		}
		return s.operator(e.Name, []expr.Expr{right}, e.Pos)
	}
	left, err := s.Expr(e.Left)
	if err != nil {
		return nil, err
	}
	return s.binary(e.Name, left, right, e.Pos)
}

// nullIf has the type that = takes on its left, which is text for varchar. Any two types with a date are
// compared as they are, so that the left one stays.
func (s *Scalars) nullIf(e *ast.NullIf) (expr.Expr, error) {
	both, err := s.exprs([]ast.Expr{e.Left, e.Right})
	if err != nil {
		return nil, err
	}
	l, r, err := s.comparable("=", both[0], both[1], e.Pos)
	if err != nil {
		return nil, err
	}
	if given := both[0].Type(); given.OID != l.Type().OID && hasDate(given.OID) && hasDate(both[1].Type().OID) {
		return expr.NullIf{Left: l, Right: r, Value: both[0]}, nil
	}
	if l.Type().OID == types.OIDVarchar {
		l, _, err = s.Coerce(l, types.Text, types.Implicit, e.Pos)
	}
	return expr.NullIf{Left: l, Right: r}, err
}

func hasDate(t types.OID) bool {
	return t == types.OIDDate || t == types.OIDTimestamp || t == types.OIDTimestamptz
}

// collate takes the collations that order by bytes, as every text here is ordered.
func (s *Scalars) collate(e *ast.Collate) (expr.Expr, error) {
	switch e.Name.Name {
	case "C", "POSIX", "default", "ucs_basic":
		arg, err := s.Expr(e.Arg)
		if err == nil && !collates(arg.Type().OID) {
			err = sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s",
				arg.Type().Bare()).At(int(e.Pos))
		}
		return arg, err
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist",
		e.Name.Name).At(int(e.Pos))
}

// collates says whether a type orders as texts do: texts, arrays of them, and what may
// still become one.
func collates(t types.OID) bool {
	info := types.InfoOf(t)
	if info.Element != types.OIDInvalid {
		return collates(info.Element)
	}
	return info.Category == types.CategoryString || t == types.OIDUnknown
}

// exprs binds a list of expressions.
func (s *Scalars) exprs(list []ast.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		var err error
		if out[i], err = s.Expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pair binds two expressions that are compared with each other.
func (s *Scalars) pair(sign string, left, right ast.Expr, pos ast.Pos) (l, r expr.Expr, err error) {
	if l, err = s.Expr(left); err != nil {
		return nil, nil, err
	}
	if r, err = s.Expr(right); err != nil {
		return nil, nil, err
	}
	return s.comparable(sign, l, r, pos)
}

// Condition binds an expression that must be a boolean.
func (s *Scalars) Condition(e ast.Expr, where string) (expr.Expr, error) {
	out, err := s.Expr(e)
	if err != nil {
		return nil, err
	}
	return s.boolean(out, where, Start(e))
}

func (s *Scalars) logic(e *ast.Logic) (expr.Expr, error) {
	word := "AND"
	if e.Or {
		word = "OR"
	}
	out := expr.Logic{Or: e.Or}
	for _, arg := range e.Args {
		c, err := s.Condition(arg, word)
		if err != nil {
			return nil, err
		}
		out.Args = append(out.Args, c)
	}
	return out, nil
}

func (s *Scalars) is(e *ast.Is) (expr.Expr, error) {
	if row, ok := e.Arg.(*ast.Row); ok && e.What == ast.IsNull {
		return rowBinder{s}.rowIsNull(row, e)
	}
	if e.What == ast.IsNull {
		arg, err := s.Expr(e.Arg)
		return expr.IsNull{Arg: arg, Not: e.Not}, err // a parameter may learn its type elsewhere
	}
	word := map[ast.IsWhat]string{ast.IsTrue: "IS TRUE", ast.IsFalse: "IS FALSE", ast.IsUnknown: "IS UNKNOWN"}[e.What]
	if e.Not {
		word = strings.Replace(word, "IS", "IS NOT", 1)
	}
	arg, err := s.Condition(e.Arg, word)
	if e.What == ast.IsUnknown {
		return expr.IsNull{Arg: arg, Not: e.Not}, err
	}
	return expr.IsBool{Arg: arg, Want: e.What == ast.IsTrue, Not: e.Not}, err
}

// in compares with each item of the list; where one type suits them all it is one node,
// otherwise comparisons joined by OR.
func (s *Scalars) inExpr(e *ast.In) (expr.Expr, error) {
	if _, ok := e.Arg.(*ast.Row); ok {
		return s.inByOne(e)
	}
	arg, err := s.Expr(e.Arg)
	if err != nil {
		return nil, err
	}
	list, err := s.inList(e, arg)
	if err != nil {
		return nil, err
	}
	var first expr.Expr
	same := true
	for i := range list {
		left, right, err := s.comparable("=", arg, list[i], e.Pos)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = left
		}
		same = same && left.Type().OID == first.Type().OID
		list[i] = right
	}
	if same {
		return expr.In{Arg: first, List: list, Not: e.Not}, nil
	}
	return s.inByOne(e)
}

// inList binds the list of IN. Several items that need no row are brought to one type, as
// PostgreSQL does: of a float4 f, f IN (0.1, 0.2) may hold where f = 0.1 never does.
func (s *Scalars) inList(e *ast.In, arg expr.Expr) ([]expr.Expr, error) {
	list := make([]expr.Expr, len(e.List))
	columns := map[int]bool{}
	for i, item := range e.List {
		var err error
		if list[i], err = s.Expr(item); err != nil {
			return nil, err
		}
		expr.Columns(list[i], columns)
	}
	all := append([]expr.Expr{arg}, list...)
	pos := slices.Repeat([]ast.Pos{e.Pos}, len(all))
	if _, err := commonType(all, "IN", pos); err != nil || len(list) == 1 || len(columns) > 0 {
		return list, nil
	}
	if common, _, err := s.Common(all, "IN", pos); err == nil {
		return common[1:], nil
	}
	return list, nil
}

func (s *Scalars) inByOne(e *ast.In) (expr.Expr, error) {
	name := "="
	if e.Not {
		name = "<>"
	}
	all := &ast.Logic{Or: !e.Not, Pos: e.Pos}
	for _, item := range e.List {
		all.Args = append(all.Args, &ast.Operator{Name: name, Left: e.Arg, Right: item, Pos: e.Pos})
	}
	if len(all.Args) == 1 {
		return s.Expr(all.Args[0])
	}
	return s.Expr(all)
}

func (s *Scalars) castExpr(e *ast.Cast) (expr.Expr, error) {
	to, err := s.TypeNamed(e.Type)
	if err != nil {
		return nil, err
	}
	var arg expr.Expr
	if array, ok := e.Arg.(*ast.ArrayLiteral); ok && to.Kind() == types.KindArray {
		arg, err = s.arrayLiteral(array, &to)
	} else {
		arg, err = s.Expr(e.Arg)
	}
	if err != nil {
		return nil, err
	}
	return s.Explicit(arg, to, e.Pos)
}

func (s *Scalars) callExpr(e *ast.Call) (expr.Expr, error) {
	if e.Schema != "" && s.Catalog.Schema(e.Schema) == nil && !builtin.HasSchema(e.Schema) {
		return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", e.Schema).At(int(e.Pos))
	}
	switch {
	case e.Schema != "" && e.Schema != catalog.PgCatalogName: // which has functions only
	case e.Over != nil:
		return windowBinder{s}.window(e)
	case builtin.Aggregates(e.Name) != nil && (builtin.Windows(e.Name) == nil || len(e.Args) > 0 || e.Within != nil):
		return aggregateBinder{s}.aggregate(e)
	case builtin.Windows(e.Name) != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "window function %s requires an OVER clause",
			e.Name).At(int(e.Pos))
	}
	args, err := s.exprs(e.Args)
	if err != nil {
		return nil, err
	}
	given := arguments{list: args, names: e.ArgNames, variadic: e.Variadic, schema: e.Schema}
	out, err := s.functionOf(e, given)
	if err != nil {
		if field, ok := s.projection(e, given); ok {
			return field, nil
		}
		return nil, err
	}
	if err := onlyAggregates(e); err != nil {
		return nil, err
	}
	if call, ok := out.(expr.Call); ok && call.Fn.Rows != nil {
		return s.set(call, e.Pos)
	}
	return out, nil
}

// onlyAggregates refuses what is said of a function that is no aggregate.
func onlyAggregates(e *ast.Call) error {
	word := ""
	switch {
	case e.Star:
		word = e.Name + "(*)"
	case e.Distinct:
		word = "DISTINCT"
	case e.OrderBy != nil:
		word = "ORDER BY"
	case e.Within != nil:
		word = "WITHIN GROUP"
	case e.Filter != nil:
		word = "FILTER"
	}
	if word == "" {
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "%s specified, but %s is not an aggregate function", word,
		e.Name).At(int(e.Pos))
}
