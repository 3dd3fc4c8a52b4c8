// Package inline says which functions in SQL are replaced with what they do, where they are called, by PostgreSQL's
// rules: a function that returns a value by the expression that it selects, and one that returns a set, in FROM, by
// its query. What a function does must be as strict and as little volatile as the function says, and no argument may be
// computed more often than it is given, if that costs much or gives other values. Package bind binds the expression,
// and package planner plans the query. Read Value and Set first, then Expression and Put.
package inline

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/types"
)

// inSQL says whether a function is of statements in SQL that run as those around them.
func inSQL(f *catalog.Function) bool {
	return f.Language == routine.SQL && f.Kind() == "function" && !f.Definer && len(f.Settings) == 0
}

// Reads says whether the body of a function is read where calls of it are planned, in case that it is an expression.
func Reads(f *catalog.Function) bool { return inSQL(f) && !f.Set && f.Result.OID != types.OIDRecord }

// Value says whether calls of a function may be replaced with an expression.
func Value(f *catalog.Function) bool {
	t := f.Result
	return Reads(f) && t.OID != types.OIDVoid && !t.IsComposite() && !t.IsDomain()
}

// Set says whether a call in FROM may be replaced with a query. A volatile function has a snapshot of its own, and a
// strict one returns nothing for NULL.
func Set(f *catalog.Function) bool {
	return inSQL(f) && f.Set && f.Volatility != "v" && !f.Strict && f.Result.OID != types.OIDVoid
}

// Query is the only statement of a body if it is a query that changes nothing, nil otherwise.
func Query(body []ast.Parsed) *ast.Select {
	if len(body) != 1 {
		return nil
	}
	s, ok := body[0].Statement.(*ast.Select)
	if !ok || len(s.Locking) > 0 || s.With != nil && slices.ContainsFunc(s.With.Queries, writes) {
		return nil
	}
	return s
}

func writes(c ast.CommonTable) bool {
	_, reads := c.Statement.(*ast.Select)
	return !reads
}

// Expression is the expression that a body selects, nil if it does more than that.
func Expression(body []ast.Parsed) ast.Expr {
	s := Query(body)
	if s == nil || len(s.Targets) != 1 {
		return nil
	}
	more := s.With != nil || s.SetOp != nil || s.Distinct || s.From != nil || s.Where != nil ||
		s.GroupBy.Items != nil || s.Having != nil || s.Windows != nil || s.Values != nil || s.OrderBy != nil ||
		s.Limit != nil || s.Offset != nil || s.LimitAll
	if _, star := s.Targets[0].Expr.(*ast.Star); star || more {
		return nil
	}
	return s.Targets[0].Expr
}

// Arguments says whether the arguments of a call in FROM may be put into a query, which may compute them several times.
func Arguments(args []expr.Expr) bool {
	return !slices.ContainsFunc(args, func(e expr.Expr) bool { return asks(e) || volatile(e) })
}

// Put puts arguments into the expression that a function selects, whose parameters it names. It says false where the
// call must stay.
func Put(f *catalog.Function, body expr.Expr, args []expr.Expr) (expr.Expr, bool) {
	if !asDeclared(f, body) {
		return nil, false
	}
	uses := make([]int, len(args))
	out := expr.Rewrite(body, func(e expr.Expr) expr.Expr {
		p, ok := e.(expr.Param)
		if !ok {
			return e
		}
		uses[p.Number]++
		return args[p.Number]
	})
	for i, n := range uses {
		switch {
		case n == 0 && (f.Strict || !expr.Fixed(args[i])):
			return nil, false
		case n > 1 && (asks(args[i]) || cost(args[i]) > most || volatile(args[i])):
			return nil, false
		}
	}
	return out, true
}

// asDeclared says whether an expression is no more volatile than the function that selects it, and as strict.
func asDeclared(f *catalog.Function, body expr.Expr) bool {
	switch f.Volatility {
	case "i":
		known := expr.Rewrite(body, func(e expr.Expr) expr.Expr {
			if p, ok := e.(expr.Param); ok {
				return expr.Column{Index: p.Number, T: p.T}
			}
			return e
		})
		if expr.Mutable(known) {
			return false
		}
	case "s":
		if volatile(body) {
			return false
		}
	}
	return !f.Strict || !expr.Any(body, func(e expr.Expr) bool { return !strict(e) })
}

func volatile(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
}

func asks(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool { _, ok := x.(expr.Subquery); return ok })
}

// strict says whether an expression is NULL where an input of it is, which it has to show by its kind.
func strict(e expr.Expr) bool {
	switch e := e.(type) {
	case expr.Const, expr.Param, expr.Compare, expr.Not, expr.Cast, expr.Field, expr.Subscript:
		return true
	case expr.Call:
		return !e.Fn.NotStrict
	}
	return false
}

// most is the cost of an argument that may be computed several times.
const most = 10

// cost is about how many operators an expression computes.
func cost(e expr.Expr) (n float64) {
	switch e := e.(type) {
	case expr.Call:
		if n = 1; e.Fn.Routine != nil {
			n = e.Fn.Routine.(*catalog.Function).Cost
		}
	case expr.Compare, expr.In, expr.Distinct:
		n = 1
	case expr.Cast:
		if e.Fn != nil {
			n = 1
		}
	}
	for _, in := range e.Inputs() {
		n += cost(in)
	}
	return n
}
