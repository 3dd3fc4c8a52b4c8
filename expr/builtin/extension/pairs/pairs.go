// Package pairs is the functions and operators of the extension hstore, whose values are sets of pairs of texts. The
// type, its casts and its order are in package types; how sets are held and read is in types/hstore. Begin with
// Functions.
package pairs

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/hstore"
)

const set = types.OIDHstore

// Functions are those of the extension, with our own numbers.
var Functions = slices.Concat(lookups, changes, makers, parts, records, comparisons(), internals)

// lookups ask what is in a set.
var lookups = []*expr.Function{
	{Name: "fetchval", OID: 9805, Operator: "->", Args: pg.Sig{set, pg.Text}, Result: pg.Text, Doc: "Value of a key, NULL when there is none.", Fn2: value},
	{Name: "isexists", OID: 9808, Args: pg.Sig{set, pg.Text}, Result: pg.Boolean, Doc: "An old name of exist.", Fn2: exists},
	{Name: "exist", OID: 9809, Operator: "?", Args: pg.Sig{set, pg.Text}, Result: pg.Boolean, Doc: "True if there is a key.", Fn2: exists},
	{Name: "exists_any", OID: 9810, Operator: "?|", Args: pg.Sig{set, pg.TextArray}, Result: pg.Boolean, Doc: "True if there is any of the keys.", Fn2: existAny},
	{Name: "exists_all", OID: 9811, Operator: "?&", Args: pg.Sig{set, pg.TextArray}, Result: pg.Boolean, Doc: "True if there are all of the keys.", Fn2: existAll},
	{Name: "isdefined", OID: 9812, Args: pg.Sig{set, pg.Text}, Result: pg.Boolean, Doc: "An old name of defined.", Fn2: defined},
	{Name: "defined", OID: 9813, Args: pg.Sig{set, pg.Text}, Result: pg.Boolean, Doc: "True if there is a key whose value is not NULL.", Fn2: defined},
	{Name: "hs_contains", OID: 9818, Operator: "@>", Args: pg.Sig{set, set}, Result: pg.Boolean, Doc: "True if the first set has all pairs of the second.", Fn2: contains},
	{Name: "hs_contained", OID: 9819, Operator: "<@", Args: pg.Sig{set, set}, Result: pg.Boolean, Doc: "True if the second set has all pairs of the first.", Fn2: contained},
}

// find is the pair of a key.
func find(c *expr.Context, of, key types.Value) (hstore.Pair, bool, error) {
	p, ok := of.Hstore().Find(key.Text())
	return p, ok, reads(c, of, key)
}

// reads counts the work of reading values.
func reads(c *expr.Context, values ...types.Value) (err error) {
	for i := 0; i < len(values) && err == nil; i++ {
		err = c.Pieces(values[i].Text(), 1, func(string) {})
	}
	return err
}

func value(c *expr.Context, of, key types.Value) (types.Value, error) {
	p, ok, err := find(c, of, key)
	if !ok || p.Null {
		return types.Null, err
	}
	return types.NewText(p.Value), err
}

func exists(c *expr.Context, of, key types.Value) (types.Value, error) {
	_, ok, err := find(c, of, key)
	return types.NewBool(ok), err
}

func defined(c *expr.Context, of, key types.Value) (types.Value, error) {
	p, ok, err := find(c, of, key)
	return types.NewBool(ok && !p.Null), err
}

// keys are the different keys in an array, without NULLs.
func keys(c *expr.Context, v types.Value) ([]string, error) {
	items := v.Array().Items
	if err := c.MakeItems(len(items)); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		if item.IsNull() {
			continue
		}
		if err := reads(c, item); err != nil {
			return nil, err
		}
		out = append(out, item.Text())
	}
	if err := c.Tick(len(out) * sortUnits); err != nil {
		return nil, err
	}
	slices.SortFunc(out, hstore.CompareKeys)
	return slices.Compact(out), nil
}

// sortUnits is the work of putting one key in order.
const sortUnits = 64

func existAny(c *expr.Context, of, any types.Value) (types.Value, error) {
	list, err := keys(c, any)
	if err == nil {
		err = reads(c, of)
	}
	has := func(key string) bool { _, ok := of.Hstore().Find(key); return ok }
	return types.NewBool(slices.ContainsFunc(list, has)), err
}

func existAll(c *expr.Context, of, all types.Value) (types.Value, error) {
	list, err := keys(c, all)
	if err == nil {
		err = reads(c, of)
	}
	lacks := func(key string) bool { _, ok := of.Hstore().Find(key); return !ok }
	return types.NewBool(!slices.ContainsFunc(list, lacks)), err
}

func contains(c *expr.Context, whole, part types.Value) (types.Value, error) {
	in, err := pairsOf(c, part)
	if err != nil {
		return types.Null, err
	}
	lacks := func(p hstore.Pair) bool {
		found, ok := whole.Hstore().Find(p.Key)
		return !ok || found != p
	}
	return types.NewBool(!slices.ContainsFunc(in, lacks)), reads(c, whole)
}

func contained(c *expr.Context, part, whole types.Value) (types.Value, error) {
	return contains(c, whole, part)
}

// pairsOf are the pairs of a set.
func pairsOf(c *expr.Context, v types.Value) ([]hstore.Pair, error) {
	if err := reads(c, v); err != nil {
		return nil, err
	}
	if err := c.Make(v.Hstore().Memory()); err != nil {
		return nil, err
	}
	return v.Hstore().Pairs(), nil
}

// made is the set of pairs in order.
func made(c *expr.Context, pairs []hstore.Pair) (types.Value, error) {
	v := types.NewBytes(hstore.Encode(pairs))
	return v, c.Make(int64(len(v.Bytes())))
}
