package pairs

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/hstore"
	"zproxy/types/rowhash"
)

// comparisons are the functions behind the operators that compare. Those of an order have signs of their own.
func comparisons() []*expr.Function {
	args := pg.Sig{set, set}
	test := func(holds func(order int) bool) expr.Function2 {
		return func(c *expr.Context, a, b types.Value) (types.Value, error) {
			return types.NewBool(holds(types.Compare(a, b))), reads(c, a, b)
		}
	}
	return []*expr.Function{
		{Name: "hstore_eq", OID: 9837, Args: args, Result: pg.Boolean, Doc: "The comparison =.", Fn2: test(func(o int) bool { return o == 0 })},
		{Name: "hstore_ne", OID: 9838, Args: args, Result: pg.Boolean, Doc: "The comparison <>.", Fn2: test(func(o int) bool { return o != 0 })},
		{Name: "hstore_gt", OID: 9839, Operator: "#>#", Args: args, Result: pg.Boolean, Doc: "True if the first set is behind the second in their order.", Fn2: test(func(o int) bool { return o > 0 })},
		{Name: "hstore_ge", OID: 9840, Operator: "#>=#", Args: args, Result: pg.Boolean, Doc: "True if the first set is not before the second in their order.", Fn2: test(func(o int) bool { return o >= 0 })},
		{Name: "hstore_lt", OID: 9841, Operator: "#<#", Args: args, Result: pg.Boolean, Doc: "True if the first set is before the second in their order.", Fn2: test(func(o int) bool { return o < 0 })},
		{Name: "hstore_le", OID: 9842, Operator: "#<=#", Args: args, Result: pg.Boolean, Doc: "True if the first set is not behind the second in their order.", Fn2: test(func(o int) bool { return o <= 0 })},
		{Name: "hstore_cmp", OID: 9843, Args: args, Result: pg.Int4, Doc: "Order of two sets: -1, 0 or 1.", Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) {
			return types.NewInt(int64(types.Compare(a, b))), reads(c, a, b)
		}},
		{Name: "hstore_hash", OID: 9844, Args: pg.Sig{set}, Result: pg.Int4, Doc: "Hash of a set.", Fn1: hash},
		{Name: "hstore_hash_extended", OID: 9845, Args: pg.Sig{set, pg.Int8}, Result: pg.Int8, Doc: "Hash of a set with a seed.", Fn2: seeded},
	}
}

func hash(c *expr.Context, of types.Value) (types.Value, error) {
	h, err := hashed(c, of, 0)
	return types.NewInt(int64(int32(uint32(h)))), err
}

func seeded(c *expr.Context, of, seed types.Value) (types.Value, error) {
	h, err := hashed(c, of, uint64(seed.Int()))
	return types.NewInt(int64(h)), err
}

func hashed(c *expr.Context, of types.Value, seed uint64) (uint64, error) {
	pairs, err := pairsOf(c, of)
	if err != nil {
		return 0, err
	}
	return rowhash.Text(string(hstore.AppendImage(nil, pairs)), seed, c.Tick)
}
