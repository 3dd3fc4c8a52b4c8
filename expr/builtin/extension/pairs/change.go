package pairs

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/hstore"
)

// changes make a set of another one.
var changes = []*expr.Function{
	{Name: "slice", OID: 9807, Args: pg.Sig{set, pg.TextArray}, Result: set, Doc: "Pairs of some keys.", Fn2: slice},
	{Name: "delete", OID: 9814, Operator: "-", Args: pg.Sig{set, pg.Text}, Result: set, Doc: "Set without a key.", Fn2: withoutKey},
	{Name: "delete", OID: 9815, Operator: "-", Args: pg.Sig{set, pg.TextArray}, Result: set, Doc: "Set without some keys.", Fn2: withoutKeys},
	{Name: "delete", OID: 9816, Operator: "-", Args: pg.Sig{set, set}, Result: set, Doc: "Set without the pairs of another one.", Fn2: withoutPairs},
	{Name: "hs_concat", OID: 9817, Operator: "||", Args: pg.Sig{set, set}, Result: set, Doc: "Pairs of both sets, of a key that both have that of the second.", Fn2: both},
}

// without is a set without some of its pairs.
func without(c *expr.Context, of types.Value, gone func(p hstore.Pair) bool) (types.Value, error) {
	pairs, err := pairsOf(c, of)
	if err != nil {
		return types.Null, err
	}
	return made(c, slices.DeleteFunc(pairs, gone))
}

func withoutKey(c *expr.Context, of, key types.Value) (types.Value, error) {
	if err := reads(c, key); err != nil {
		return types.Null, err
	}
	return without(c, of, func(p hstore.Pair) bool { return p.Key == key.Text() })
}

// among says whether a pair has one of some keys, which are in order.
func among(list []string) func(p hstore.Pair) bool {
	return func(p hstore.Pair) bool {
		_, ok := slices.BinarySearchFunc(list, p.Key, hstore.CompareKeys)
		return ok
	}
}

func withoutKeys(c *expr.Context, of, all types.Value) (types.Value, error) {
	list, err := keys(c, all)
	if err != nil {
		return types.Null, err
	}
	return without(c, of, among(list))
}

func slice(c *expr.Context, of, all types.Value) (types.Value, error) {
	list, err := keys(c, all)
	if err != nil {
		return types.Null, err
	}
	has := among(list)
	return without(c, of, func(p hstore.Pair) bool { return !has(p) })
}

func withoutPairs(c *expr.Context, of, other types.Value) (types.Value, error) {
	if err := reads(c, other); err != nil {
		return types.Null, err
	}
	return without(c, of, func(p hstore.Pair) bool {
		found, ok := other.Hstore().Find(p.Key)
		return ok && found == p
	})
}

func both(c *expr.Context, a, b types.Value) (types.Value, error) {
	first, err := pairsOf(c, a)
	if err != nil {
		return types.Null, err
	}
	second, err := pairsOf(c, b)
	if err != nil {
		return types.Null, err
	}
	all := slices.Concat(second, first)
	if err := c.Tick(len(all) * sortUnits); err != nil {
		return types.Null, err
	}
	return made(c, hstore.Unique(all))
}
