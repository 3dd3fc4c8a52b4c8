package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/plan"
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
	around  string      // a clause around that has no subqueries; empty: there is none
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
	return &Scalars{Binder: s.Binder, queries: s.queries, Scope: s.Scope, Where: where, around: s.withoutQueries()}
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
	case *ast.Case:
		return s.withoutSets("CASE", e)
	case *ast.Coalesce:
		return s.withoutSets("COALESCE", e)
	case *ast.Call:
		if out, err := s.cellTime(e); out != nil || err != nil {
			return out, err
		}
	}
	return s.Analysis().Analyze(e)
}

// Analysis makes expressions over the scope, in the clause.
func (s *Scalars) Analysis() analyze.Analysis[expr.Expr] {
	return analyze.New[expr.Expr](caster{s.Binder}, maker{s})
}

// Condition binds an expression that must be a boolean.
func (s *Scalars) Condition(e ast.Expr, where string) (expr.Expr, error) {
	return s.Analysis().Condition(e, where)
}

// CommonOf binds expressions and brings them to one type.
func (s *Scalars) CommonOf(list []ast.Expr, what string) ([]expr.Expr, types.T, error) {
	return s.Analysis().CommonOf(list, what)
}

// exprs binds a list of expressions.
func (s *Scalars) exprs(list []ast.Expr) ([]expr.Expr, error) { return s.Analysis().Exprs(list) }
