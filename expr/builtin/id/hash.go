package id

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/rowhash"
)

// hashFunctions are those that PostgreSQL's hash tables use. People take them to make
// numbers of texts, for advisory locks for example, so they must give the same ones.
var hashFunctions = []*expr.Function{
	{Name: "hashtext", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Hash of a text, as PostgreSQL computes it.", Fn1: hashText},
	{Name: "hashtextextended", Args: pg.Sig{pg.Text, pg.Int8}, Result: pg.Int8, Doc: "Hash of a text with a seed, as PostgreSQL computes it.", Fn2: hashTextSeeded},
	{Name: "hashint2", Args: pg.Sig{pg.Int2}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it.", Fn1: hashInt},
	{Name: "hashint4", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it.", Fn1: hashInt},
	{Name: "hashint8", Args: pg.Sig{pg.Int8}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it; of a small one that of an int4.", Fn1: hashInt8},
}

func hashText(c *expr.Context, a types.Value) (types.Value, error) {
	h, err := rowhash.Text(a.Text(), 0, c.Tick)
	return types.NewInt(int64(int32(h))), err
}

func hashTextSeeded(c *expr.Context, a, seed types.Value) (types.Value, error) {
	h, err := rowhash.Text(a.Text(), uint64(seed.Int()), c.Tick)
	return types.NewInt(int64(h)), err
}

func hashInt(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(int32(rowhash.Word(uint32(a.Int()), 0)))), nil
}

func hashInt8(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(int32(rowhash.Long(a.Int(), 0)))), nil
}
