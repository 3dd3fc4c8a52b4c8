package aggregate

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/bits"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// bitAggregates are and, or and exclusive or of integers and of strings of bits.
var bitAggregates = slices.Concat(
	foldBits("bit_and", "Bitwise and.", func(a, b int64) int64 { return a & b }, bits.And),
	foldBits("bit_or", "Bitwise or.", func(a, b int64) int64 { return a | b }, bits.Or),
	foldBits("bit_xor", "Bitwise exclusive or.", func(a, b int64) int64 { return a ^ b }, bits.Xor),
)

// foldBits makes the overloads of one of them.
func foldBits(name, doc string, ofInts func(a, b int64) int64, ofStrings expr.Function2) (all []*expr.Aggregate) {
	ints := func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return types.NewInt(ofInts(a.Int(), b.Int())), nil
	}
	of := func(oid types.OID, fold expr.Function2) *expr.Aggregate {
		return &expr.Aggregate{Name: name, Args: pg.Sig{oid}, Result: oid, Doc: doc,
			New: func([]types.T) expr.Accumulator { return &folded{fold: fold} }}
	}
	return []*expr.Aggregate{of(pg.Int2, ints), of(pg.Int4, ints), of(pg.Int8, ints), of(pg.Bit, ofStrings)}
}

type folded struct {
	fold   expr.Function2
	result types.Value
}

// Add implements Accumulator.
func (f *folded) Add(c *expr.Context, args []types.Value) (err error) {
	switch {
	case args[0].IsNull():
	case f.result.IsNull():
		f.result = args[0]
	default:
		f.result, err = f.fold(c, f.result, args[0])
	}
	return err
}

// Result implements Accumulator.
func (f *folded) Result(*expr.Context) (types.Value, error) { return f.result, nil }
