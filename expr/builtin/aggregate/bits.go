package aggregate

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// bitAggregates are and, or and exclusive or of integers.
var bitAggregates = slices.Concat(
	foldInts("bit_and", "Bitwise and.", func(a, b int64) int64 { return a & b }),
	foldInts("bit_or", "Bitwise or.", func(a, b int64) int64 { return a | b }),
	foldInts("bit_xor", "Bitwise exclusive or.", func(a, b int64) int64 { return a ^ b }),
)

// foldInts makes the overloads of one of them.
func foldInts(name, doc string, fold func(a, b int64) int64) (all []*expr.Aggregate) {
	for _, oid := range (pg.Sig{pg.Int2, pg.Int4, pg.Int8}) {
		all = append(all, &expr.Aggregate{Name: name, Args: pg.Sig{oid}, Result: oid, Doc: doc,
			New: func([]types.T) expr.Accumulator {
				return &foldedInts{fold: fold}
			}})
	}
	return all
}

type foldedInts struct {
	fold   func(a, b int64) int64
	result types.Value
}

// Add implements Accumulator.
func (f *foldedInts) Add(_ *expr.Context, args []types.Value) error {
	switch {
	case args[0].IsNull():
	case f.result.IsNull():
		f.result = args[0]
	default:
		f.result = types.NewInt(f.fold(f.result.Int(), args[0].Int()))
	}
	return nil
}

// Result implements Accumulator.
func (f *foldedInts) Result(*expr.Context) (types.Value, error) { return f.result, nil }
