package search

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/rank"
	"zproxy/types/textsearch/vector"
)

const floats = types.OID(1021)

// ranked is how well a document answers a query.
type ranked func(c *expr.Context, w rank.Weights, v vector.Vector, n *query.Node, m rank.Method) (float32, error)

var rankFunctions = append(
	ranks("ts_rank", "How often a document has the words of a query.",
		func(_ *expr.Context, w rank.Weights, v vector.Vector, n *query.Node, m rank.Method) (float32, error) {
			return rank.ByWords(w, v, n, m), nil
		}),
	ranks("ts_rank_cd", "How near each other a document has the words of a query.",
		func(c *expr.Context, w rank.Weights, v vector.Vector, n *query.Node, m rank.Method) (float32, error) {
			return rank.ByCovers(w, v, n, m, c)
		})...)

// ranks are the overloads of a function: with weights or without, with a method or without.
func ranks(name, doc string, f ranked) []*expr.Function {
	plain := rankOf(f, false, false)
	return []*expr.Function{
		{Name: name, Args: pg.Sig{floats, tsvector, tsquery, pg.Int4}, Result: pg.Float4, Doc: doc, FnN: rankOf(f, true, true)},
		{Name: name, Args: pg.Sig{floats, tsvector, tsquery}, Result: pg.Float4, Doc: doc, FnN: rankOf(f, true, false)},
		{Name: name, Args: pg.Sig{tsvector, tsquery, pg.Int4}, Result: pg.Float4, Doc: doc, FnN: rankOf(f, false, true)},
		{Name: name, Args: pg.Sig{tsvector, tsquery}, Result: pg.Float4, Doc: doc,
			Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) {
				return plain(c, []types.Value{a, b})
			}},
	}
}

func rankOf(f ranked, weighted, method bool) func(*expr.Context, []types.Value) (types.Value, error) {
	return func(c *expr.Context, args []types.Value) (types.Value, error) {
		if err := reads(c, args...); err != nil {
			return types.Null, err
		}
		weights, m := rank.DefaultWeights(), rank.Method(0)
		if method {
			m = rank.Method(args[len(args)-1].Int())
		}
		if weighted {
			var err error
			if weights, err = weightsOf(args[0]); err != nil {
				return types.Null, err
			}
			args = args[1:]
		}
		r, err := f(c, weights, vectorOf(args[0]), queryOf(args[1]), m)
		return types.NewFloat(float64(r)), err
	}
}

// weightsOf reads the weights of D, C, B and A.
func weightsOf(v types.Value) (rank.Weights, error) {
	var given [4]float32
	a := v.Array()
	switch {
	case len(a.Dims) != 1:
		return given, sqlerr.New(sqlerr.ArraySubscriptError, "array of weight must be one-dimensional")
	case len(a.Items) < len(given):
		return given, sqlerr.New(sqlerr.ArraySubscriptError, "array of weight is too short")
	}
	for i, item := range a.Items {
		if item.IsNull() {
			return given, sqlerr.New(sqlerr.NullValueNotAllowed, "array of weight must not contain nulls")
		}
		if i < len(given) {
			given[i] = float32(item.Float())
		}
	}
	return rank.MakeWeights(given)
}
