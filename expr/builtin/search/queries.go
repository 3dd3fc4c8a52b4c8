package search

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/textsearch/query"
)

var queryFunctions = []*expr.Function{
	{Name: "tsquery_and", Operator: "&&", Args: pg.Sig{tsquery, tsquery}, Result: tsquery, Doc: "Query of what matches both.", Fn2: joined(query.And)},
	{Name: "tsquery_or", Operator: "||", Args: pg.Sig{tsquery, tsquery}, Result: tsquery, Doc: "Query of what matches at least one.", Fn2: joined(query.Or)},
	{Name: "tsquery_phrase", Operator: "<->", Args: pg.Sig{tsquery, tsquery}, Result: tsquery, Doc: "Query of the second right behind the first.", Fn2: joined(query.Phrase)},
	{Name: "tsquery_phrase", Args: pg.Sig{tsquery, tsquery, pg.Int4}, Result: tsquery, Doc: "Query of the second at a distance behind the first.", FnN: phrase},
	{Name: "tsquery_not", Operator: "!!", Args: pg.Sig{tsquery}, Result: tsquery, Doc: "Query of what does not match.", Fn1: negated},
	{Name: "tsq_mcontains", Operator: "@>", Args: pg.Sig{tsquery, tsquery}, Result: pg.Boolean, Doc: "True if the first one has all lexemes of the second one.", Fn2: contains},
	{Name: "tsq_mcontained", Operator: "<@", Args: pg.Sig{tsquery, tsquery}, Result: pg.Boolean, Doc: "True if the second one has all lexemes of the first one.", Fn2: reversed(contains)},
	{Name: "numnode", Args: pg.Sig{tsquery}, Result: pg.Int4, Doc: "Number of lexemes and operators.", Fn1: size},
	{Name: "ts_rewrite", Args: pg.Sig{tsquery, tsquery, tsquery}, Result: tsquery, Doc: "Query whose parts that equal the second one are the third one.", FnN: rewritten},
	{Name: "querytree", Args: pg.Sig{tsquery}, Result: pg.Text, Doc: "What of a query an index can look up; T: nothing.", Fn1: indexed},
}

func joined(op query.Op) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		if err := reads(c, a, b); err != nil {
			return types.Null, err
		}
		return queryValue(query.Combine(op, queryOf(a), queryOf(b), 1))
	}
}

func phrase(c *expr.Context, args []types.Value) (types.Value, error) {
	if err := reads(c, args...); err != nil {
		return types.Null, err
	}
	return queryValue(query.Combine(query.Phrase, queryOf(args[0]), queryOf(args[1]), int(args[2].Int())))
}

func negated(c *expr.Context, a types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil || query.Size(a.Bytes()) == 0 {
		return a, err
	}
	return queryValue(query.Negate(queryOf(a)))
}

func contains(c *expr.Context, a, b types.Value) (types.Value, error) {
	if err := reads(c, a, b); err != nil {
		return types.Null, err
	}
	return types.NewBool(queryOf(a).Contains(queryOf(b))), nil
}

func size(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(query.Size(a.Bytes()))), nil
}

func indexed(c *expr.Context, a types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	n := queryOf(a)
	positive := n.Positive()
	if n != nil && positive == nil {
		return types.NewText("T"), nil
	}
	return types.NewText(positive.String()), nil
}

func rewritten(c *expr.Context, args []types.Value) (types.Value, error) {
	if err := reads(c, args...); err != nil {
		return types.Null, err
	}
	return queryValue(queryOf(args[0]).Rewrite(queryOf(args[1]), queryOf(args[2]), c))
}
