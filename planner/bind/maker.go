package bind

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/collate"
	"zproxy/sqlerr"
	"zproxy/types"
)

// maker makes expressions that run, over a scope.
type maker struct{ *Scalars }

// Param implements analyze.Maker.
func (m maker) Param(e *ast.Param) (expr.Expr, error) {
	out, err := m.param(e)
	if err == nil && m.Variables != nil {
		m.Scope.carries(out)
	}
	return out, err
}

// Column implements analyze.Maker.
func (m maker) Column(e *ast.Column) (expr.Expr, error) {
	out, err := m.Scope.column(m.Binder, e)
	if m.Variables != nil {
		if out, err = m.variable(e, out, err); err == nil {
			return out, nil
		}
	}
	if err != nil {
		if out, err = m.calledOn(e, err); err == nil {
			return out, nil
		}
		if out, err = m.suffixedTime(e, err); err != nil {
			return m.dynamic(e, err)
		}
	}
	return out, nil
}

// WholeRow implements analyze.Maker.
func (m maker) WholeRow(e *ast.Star) (expr.Expr, error) { return m.Scope.starRow(m.Binder, e) }

// Constant implements analyze.Maker.
func (m maker) Constant(v types.Value, t types.T, pos ast.Pos) expr.Expr {
	return expr.Const{Value: v, T: t, Pos: int(pos) + 1}
}

// Form implements analyze.Maker.
func (m maker) Form(f analyze.Form) (expr.Expr, error) {
	switch f := f.(type) {
	case *analyze.Logic[expr.Expr]:
		if f.Op == "NOT" {
			return expr.Not{Arg: f.Args[0]}, nil
		}
		return expr.Logic{Or: f.Op == "OR", Args: f.Args}, nil
	case *analyze.IsNull[expr.Expr]:
		return expr.IsNull{Arg: f.Arg, Not: f.Not}, nil
	case *analyze.IsBool[expr.Expr]:
		if f.What == ast.IsUnknown {
			return expr.IsNull{Arg: f.Arg, Not: f.Not}, nil
		}
		return expr.IsBool{Arg: f.Arg, Want: f.What == ast.IsTrue, Not: f.Not}, nil
	case *analyze.Alternatives[expr.Expr]:
		return alternatives(f)
	case *analyze.Case[expr.Expr]:
		return caseOf(f), nil
	case *analyze.Array[expr.Expr]:
		return expr.ArrayOf{Items: f.Items, Nested: f.Nested, T: f.T}, nil
	case *analyze.Subscript[expr.Expr]:
		return subscript(f), nil
	case *analyze.Row[expr.Expr]:
		return m.record(f)
	case *analyze.JSONQuery[expr.Expr]:
		return m.jsonQuery(f)
	case *analyze.Collate[expr.Expr]:
		return expr.Collate{Arg: f.Arg, To: f.To, Written: true, Pos: int(f.Pos) + 1}, nil
	}
	return nil, sqlerr.Unsupported("expression %T", f)
}

func alternatives(f *analyze.Alternatives[expr.Expr]) (expr.Expr, error) {
	if f.Name == "COALESCE" {
		return expr.Coalesce{Args: f.Args, T: f.T}, nil
	}
	if !analyze.Ordered(f.T) {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "could not identify a comparison function for type %s", f.T)
	}
	if f.T.Collation == types.Mixed {
		f.Args[0] = collate.Undetermined(f.Args[0], "string comparison")
	}
	return expr.Extreme{Least: f.Name == "LEAST", Args: f.Args, T: f.T}, nil
}

func caseOf(f *analyze.Case[expr.Expr]) expr.Expr {
	out := expr.Case{Else: f.Else, T: f.T, Whens: make([]expr.When, len(f.Results))}
	for i, result := range f.Results {
		out.Whens[i] = expr.When{Cond: f.Conditions[i], Result: result}
	}
	return out
}

func subscript(f *analyze.Subscript[expr.Expr]) expr.Expr {
	out := expr.Subscript{Arg: f.Arg, T: f.T, Slice: f.Slice}
	for _, x := range f.Indexes {
		out.Indexes = append(out.Indexes, expr.Index{Low: x.Low, High: x.High})
	}
	return out
}

// record is ROW(...), whose fields have types.
func (m maker) record(f *analyze.Row[expr.Expr]) (expr.Expr, error) {
	given := slices.Clone(f.Args)
	for i := range f.Args {
		var err error
		if f.Args[i], err = m.KnownType(f.Args[i], f.Pos); err != nil {
			return nil, err
		}
	}
	return expr.Row{Args: f.Args, Given: given}, nil
}

// RowIsNull implements analyze.Maker: it says whether all fields are NULL, or none is.
func (m maker) RowIsNull(args []expr.Expr, not bool) (expr.Expr, error) {
	if len(args) == 0 { // all of no fields are
		return expr.Const{Value: types.NewBool(true), T: types.Bool}, nil
	}
	all := make([]expr.Expr, len(args))
	for i, x := range args {
		all[i] = expr.IsNull{Arg: x, Not: not}
	}
	return expr.Conjoin(all), nil
}

// Aggregate implements analyze.Maker.
func (m maker) Aggregate(e *ast.Call) (expr.Expr, error) {
	if e.Over != nil {
		return windowBinder(m).window(e)
	}
	return aggregateBinder(m).aggregate(e)
}

// Set implements analyze.Maker.
func (m maker) Set(e expr.Expr, pos ast.Pos) (expr.Expr, error) {
	if call, ok := e.(expr.Call); ok && call.Fn.Rows != nil {
		return m.set(call, pos)
	}
	return e, nil
}
