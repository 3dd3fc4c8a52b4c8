// Package search is the functions and operators of text search. What tsvectors and tsqueries are, and how documents
// become lexemes, is in types/textsearch and the packages below it; here are values, settings and the work that is
// counted. Begin with Functions.
package search

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// Functions are all functions and operators of this family.
var Functions = slices.Concat(matchFunctions, vectorFunctions, queryFunctions, documentFunctions, jsonFunctions,
	parserFunctions, rankFunctions, headlineFunctions)

// The types of arguments.
const (
	tsvector  = types.OIDTSVector
	tsquery   = types.OIDTSQuery
	charArray = types.OID(1002)
)

var matchFunctions = []*expr.Function{
	{Name: "ts_match_vq", Operator: "@@", Args: pg.Sig{tsvector, tsquery}, Result: pg.Boolean, Doc: "True if a document matches a query.", Fn2: matches, Bind: bindQuery},
	{Name: "ts_match_qv", Operator: "@@", Args: pg.Sig{tsquery, tsvector}, Result: pg.Boolean, Doc: "True if a document matches a query.", Fn2: reversed(matches)},
	{Name: "ts_match_vq", Operator: "@@@", Args: pg.Sig{tsvector, tsquery}, Result: pg.Boolean, Doc: "The old name of @@.", Fn2: matches},
	{Name: "ts_match_qv", Operator: "@@@", Args: pg.Sig{tsquery, tsvector}, Result: pg.Boolean, Doc: "The old name of @@.", Fn2: reversed(matches)},
}

// reads counts the work of reading vectors, queries and texts, and of making others of them.
func reads(c *expr.Context, args ...types.Value) error {
	const (
		piece = 4 << 10
		work  = 16 // of one byte
	)
	n := 0
	for _, v := range args {
		if k := v.Kind(); k == types.KindBytes || k == types.KindText {
			n += len(v.Bytes())
		}
	}
	for ; n > 0; n -= piece {
		if err := c.Tick(work * min(n, piece)); err != nil {
			return err
		}
	}
	return nil
}

func vectorOf(v types.Value) vector.Vector { return vector.Decode(v.Bytes()) }

func queryOf(v types.Value) *query.Node { return query.Decode(v.Bytes()) }

func vectorValue(v vector.Vector, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewBytes(vector.Encode(v)), nil
}

func queryValue(n *query.Node, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewBytes(query.Encode(n)), nil
}

func reversed(f expr.Function2) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) { return f(c, b, a) }
}

func matches(c *expr.Context, a, b types.Value) (types.Value, error) {
	test := bindQuery(c, b)
	ok, err := test(a)
	return types.NewBool(ok), err
}

// bindQuery reads a query once for many documents.
func bindQuery(c *expr.Context, b types.Value) expr.Test {
	n := queryOf(b)
	return func(a types.Value) (bool, error) {
		if err := reads(c, a, b); err != nil {
			return false, err
		}
		return n.Match(vectorOf(a)), nil
	}
}
