package planner

import (
	"zproxy/expr"
	"zproxy/expr/builtin/sampling"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// sampled leaves the rows of a table that TABLESAMPLE picks.
//
//	Filter bernoulli(10, 7, id)
//	└─ Scan t
func (f *from) sampled(item *ast.FromTable, lateral *bind.Scope) (source, error) {
	src, err := f.table(item)
	s := item.Sample
	if err != nil || s == nil {
		return src, err
	}
	rel := &src.rels[0]
	if rel.Table == nil {
		return source{}, sqlerr.New(sqlerr.FeatureNotSupported,
			"TABLESAMPLE clause can only be applied to tables and materialized views").At(int(item.Name.Pos))
	}
	method := sampling.Method(s.Method)
	switch {
	case method == nil:
		return source{}, sqlerr.New(sqlerr.UndefinedObject, "tablesample method %s does not exist", s.Method).
			At(int(s.Pos))
	case len(s.Args) != 1:
		return source{}, sqlerr.New("2202H", "tablesample method %s requires 1 argument, not %d", s.Method,
			len(s.Args)).At(int(s.Pos))
	}
	sc := f.expressions(lateral.Inside(), "functions in FROM")
	percent, err := clause.Argument(sc.Analysis(), s.Args[0], "TABLESAMPLE", types.Float4)
	if err != nil {
		return source{}, err
	}
	seed, err := sampleSeed(sc, s)
	if err != nil {
		return source{}, err
	}
	call := expr.Call{Fn: method, T: types.Bool, Args: append([]expr.Expr{percent, seed}, f.identifying(rel, item)...)}
	src.node = plan.Filter{Input: src.node, Cond: call}
	return src, nil
}

// sampleSeed is that of REPEATABLE, or one for each run of the statement.
func sampleSeed(sc *bind.Scalars, s *ast.Sample) (expr.Expr, error) {
	if s.Repeatable != nil {
		return clause.Argument(sc.Analysis(), s.Repeatable, "REPEATABLE", types.Float8)
	}
	random := &ast.Call{Schema: "pg_catalog", Name: "random", Pos: -1}
	return sc.Expr(&ast.Subquery{Select: &ast.Select{Targets: []ast.Target{{Expr: random}}, Pos: -1}, Pos: -1})
}

// identifying are the values that a row of a relation is told by: its key, or all, where it may be of several tables.
func (f *from) identifying(rel *bind.Relation, item *ast.FromTable) (out []expr.Expr) {
	t := rel.Table
	at := t.KeyOrdinals()
	if t.Partitioning == nil && len(f.read(t, item.Name.Only)) > 1 {
		at = at[:0]
		for i := range t.Columns {
			at = append(at, i)
		}
	}
	for _, i := range at {
		rel.Read(i)
		out = append(out, rel.At(i))
	}
	return out
}
